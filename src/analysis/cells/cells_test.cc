#include "analysis/cells/cells.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "kernel/shown_cells.h"
#include "query/test_policy.h"
#include "sql/dialect.h"
#include "tests/support/exact_laws.h"
#include "tests/support/stat.h"
#include "tests/support/unbooked_study.h"

namespace kith {
namespace {

const std::vector<PlainUnits> kShare = {PlainUnits::Of(PlainUnits::kOne)};

CellsOptions Options(std::vector<std::string> columns, std::size_t threshold) {
  CellsOptions options;
  options.columns = std::move(columns);
  options.threshold = threshold;
  return options;
}

/// Hands over these rows, some at a time.
class Table final : public Session {
 public:
  explicit Table(std::vector<std::vector<std::int64_t>> columns) : columns_(std::move(columns)) {}
  const sql::Dialect& dialect() const override { return sql::DuckDb(); }
  std::optional<std::string> version() const override { return std::nullopt; }
  bool Current() const override { return true; }
  Result<IntegerTable> RunText(const std::string&, const CancelFlag&) const override { return InternalError("a scan"); }
  Result<void> ScanText(const std::string&, const IntegerSink& sink, const CancelFlag&) const override {
    for (std::size_t at = 0; at < columns_[0].size(); at += 2) {
      std::vector<std::span<const std::int64_t>> part;
      for (const auto& column : columns_)
        part.push_back(std::span(column).subspan(at, std::min<std::size_t>(2, column.size() - at)));
      if (auto taken = sink(part); !taken) return taken;
    }
    return {};
  }

 private:
  std::vector<std::vector<std::int64_t>> columns_;
};

TEST(CellCounts, ShowsLargeCellsByTheirKeys) {
  const auto made = CellCounts::Make(Options({"age", "stage"}, 500), TestPolicy());
  ASSERT_TRUE(made) << made.error().Text();
  EXPECT_EQ((*made)->plan().cells, UInt128{363});
  // Age 70 and stage 4, age 3 and stage 1, age 70 and stage 1; a number outside the domain is in no cell.
  const Table table({{70, 3, 70, 121}, {2, 0, 0, 0}, {100'000, 60'000, 3, 100'000}});
  stat::SeededBits bits(stat::SeedForThisTest());
  const auto found = testing::RunOn(**made, table, kShare, bits);
  ASSERT_TRUE(found) << found.error().Text();
  EXPECT_EQ(found->columns, (std::vector<std::string>{"age", "stage", "n"}));
  ASSERT_EQ(found->rows.size(), 2U);  // anything else has a probability below e^-200
  EXPECT_EQ(found->rows[0][0], Value(std::int64_t{3}));
  EXPECT_EQ(found->rows[0][1], Value(std::int64_t{1}));
  EXPECT_EQ(found->rows[1][0], Value(std::int64_t{70}));
  EXPECT_EQ(found->rows[1][1], Value(std::int64_t{4}));
  EXPECT_NEAR(static_cast<double>(std::get<std::int64_t>(found->rows[1][2])), 100'000, 200);
}

TEST(CellCounts, RefusesWithoutLookingAtData) {
  const Policy policy = TestPolicy();
  EXPECT_TRUE(CellCounts::Make(Options({"age", "seen", "ill"}, 9), policy));
  for (const char* column : {"name", "score", "at", "none", "code"})
    EXPECT_FALSE(CellCounts::Make(Options({column}, 9), policy)) << column;
  EXPECT_FALSE(CellCounts::Make(Options({}, 9), policy));
  EXPECT_FALSE(CellCounts::Make(Options({"age", "age"}, 9), policy));
  EXPECT_FALSE(CellCounts::Make(Options({"zyg"}, 9), policy)) << "public, and so is presence";
  CellsOptions both = Options({"age"}, 9);
  both.false_cells = 1;
  EXPECT_FALSE(CellCounts::Make(both, policy));
  both.threshold.reset();
  EXPECT_TRUE(CellCounts::Make(both, policy));
  both.where = "TRUE) OR (TRUE";
  EXPECT_FALSE(CellCounts::Make(both, policy));
  EXPECT_FALSE(CellCounts::Make(Options({"id"}, 9), TestPolicy("key = \"id\"\nmax_rows = 2\npresence = \"secret\"")));
  const auto zero = CellCounts::Make(Options({"age"}, 0), policy);
  ASSERT_TRUE(zero);
  EXPECT_FALSE((*zero)->Outline(kShare)) << "every empty cell would be shown";
}

TEST(CellCounts, SaysBeforeItReadsWhatAThresholdMeans) {
  CellsOptions options = Options({"age", "seen"}, 1);
  options.threshold.reset();
  options.false_cells = 0.5;
  const auto made = CellCounts::Make(options, TestPolicy());
  ASSERT_TRUE(made);
  const auto outline = (*made)->Outline(kShare);
  ASSERT_TRUE(outline) << outline.error().Text();
  EXPECT_EQ(outline->noise[0].sensitivity, 2);
  EXPECT_EQ(outline->noise[0].scale, 2);
  std::string all;
  for (const Note& note : outline->notes) all += note.text + "\n";
  EXPECT_NE(all.find("88451 declared cells"), std::string::npos) << all;  // 121 ages, 731 days
  EXPECT_NE(all.find("not empty for that"), std::string::npos) << all;
}

SparseCounts SmallLaw(std::int64_t threshold = 2) {
  return SparseCounts::Make(Sensitivity::Make(2).value(), kShare[0], 3, threshold).value();
}

/// The probability of each set of cells that are shown, by simulation of what is used.
using Held = std::vector<std::pair<UInt128, Int128>>;
std::map<int, std::uint64_t> SetsOf(const Held& held, std::size_t runs, bool exact, std::uint64_t seed) {
  stat::SeededBits bits(seed);
  const SparseCounts law = SmallLaw();
  std::map<int, std::uint64_t> sets;
  for (std::size_t run = 0; run < runs; ++run) {
    ShownCells cells(law, bits);
    for (const auto& [number, count] : held) {
      if (!exact || count >= law.threshold()) cells.Add(number, exact ? 1000 : count);
    }
    int set = 0;
    for (const auto& cell : cells.Take(10)) set |= 1 << static_cast<int>(cell.number);
    ++sets[set];
  }
  return sets;
}

/// Whether some set of cells is shown to be likelier than e^share times itself, with a false alarm rate of at most
/// 1e-9.
bool LosesMore(bool exact) {
  const std::size_t runs = stat::Runs(100'000);
  // A unit leaves cell 0 for cell 2, where another one is.
  const Held before = {{0, 2}, {2, 1}}, after = {{0, 1}, {2, 2}};
  auto left = SetsOf(before, runs, exact, stat::SeedForThisTest());
  auto right = SetsOf(after, runs, exact, stat::SeedForThisTest() + 1);
  for (int set = 0; set < 8; ++set) {
    const double low = stat::LowerBound(left[set], runs);
    const double high = 1 - stat::LowerBound(runs - right[set], runs);
    if (low > std::exp(1.0) * high) return true;
  }
  return false;
}

TEST(CellCounts, NeighboursLoseNoMoreThanTheShare_SPARSE4) { EXPECT_FALSE(LosesMore(false)); }

TEST(CellCounts, TheCheckAboveSeesAThresholdOnExactCounts) { EXPECT_TRUE(LosesMore(true)); }

/// What is shown of six cells in one order of arrival: only the keys' order may remain.
std::vector<UInt128> Numbers(const std::vector<UInt128>& arrival, bool sorted) {
  const auto law = SparseCounts::Make(Sensitivity::Make(2).value(), kShare[0], 1'000'000, 50).value();
  stat::SeededBits bits(stat::SeedForThisTest());
  ShownCells cells(law, bits);
  for (const UInt128 number : arrival) cells.Add(number, 100'000);
  std::vector<UInt128> numbers;
  for (const auto& cell : cells.Take(100)) numbers.push_back(cell.number);
  return sorted ? numbers : arrival;
}

TEST(ShownCells, DoNotDependOnTheOrderOfArrival_SPARSE1) {
  const std::vector<UInt128> one = {5, 999'999, 17, 0, 4, 300}, other = {300, 0, 999'999, 5, 17, 4};
  EXPECT_EQ(Numbers(one, true), Numbers(other, true));
  const auto shown = Numbers(one, true);
  EXPECT_GE(shown.size(), one.size());
  EXPECT_TRUE(std::is_sorted(shown.begin(), shown.end()));
}

TEST(ShownCells, TheCheckAboveSeesAnOrderOfArrival) {
  const std::vector<UInt128> one = {5, 999'999, 17, 0, 4, 300}, other = {300, 0, 999'999, 5, 17, 4};
  EXPECT_NE(Numbers(one, false), Numbers(other, false));
}

TEST(ShownCells, KeepThoseWithTheLargestCounts) {
  const auto law = SparseCounts::Make(Sensitivity::Make(2).value(), kShare[0], 1'000'000, 60).value();
  stat::SeededBits bits(stat::SeedForThisTest());
  ShownCells cells(law, bits);
  for (std::uint64_t k = 0; k < 50; ++k) cells.Add(k, static_cast<Int128>(k % 5 == 0 ? 1'000'000 : 10'000));
  const auto shown = cells.Take(10);
  EXPECT_GE(cells.passed(), 50U);
  ASSERT_EQ(shown.size(), 10U);
  for (std::size_t k = 0; k < 10; ++k) EXPECT_EQ(shown[k].number, UInt128{5 * k});
}

}  // namespace
}  // namespace kith
