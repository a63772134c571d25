#include "analysis/cumulative/cumulative.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "analysis/cumulative/reading.h"
#include "query/test_policy.h"
#include "sql/dialect.h"
#include "tests/support/stat.h"
#include "tests/support/unbooked_study.h"

namespace kith {
namespace {

CumulativeOptions Of(std::string column, std::size_t cells) {
  CumulativeOptions options;
  options.column = std::move(column);
  options.cells = cells;
  return options;
}

/// Hands over these counts, by the number of their cell.
class Table final : public Session {
 public:
  explicit Table(std::vector<std::int64_t> counts) : counts_(std::move(counts)) {}
  const sql::Dialect& dialect() const override { return sql::DuckDb(); }
  std::optional<std::string> version() const override { return std::nullopt; }
  bool Current() const override { return true; }
  Result<IntegerTable> RunText(const std::string&, const CancelFlag&) const override {
    IntegerTable table;
    for (std::size_t k = 0; k < counts_.size(); ++k) {
      if (counts_[k] > 0) table.rows.push_back({static_cast<Int128>(k), counts_[k]});
    }
    return table;
  }
  Result<void> ScanText(const std::string&, const IntegerSink&, const CancelFlag&) const override {
    return InternalError("no scan");
  }

 private:
  std::vector<std::int64_t> counts_;
};

std::vector<PlainUnits> SharesFor(const Study& study, double epsilon) {
  std::vector<PlainUnits> shares;
  for (const double weight : study.Weights()) shares.push_back(PlainUnits::Floor(epsilon * weight).value());
  return shares;
}

double At(const Findings& found, std::size_t row, std::size_t column) {
  return NumberIn(found.rows[row][column]).value_or(-1);
}

TEST(Cumulative, IsTheCurveOfTheCountsWithLittleNoise) {
  const auto made = Cumulative::Make(Of("age", 20), TestPolicy());
  ASSERT_TRUE(made) << made.error().Text();
  const std::size_t cells = (*made)->tree().cells();
  std::vector<std::int64_t> counts;
  for (std::size_t k = 0; k < cells; ++k) counts.push_back(static_cast<std::int64_t>(100 * (k % 3)));
  stat::SeededBits bits(stat::SeedForThisTest());
  const auto normal = (*made)->AtMu(Loss::Ceil(LossKind::kMu, 4e3).value().amount(LossKind::kMu));
  ASSERT_TRUE(normal) << normal.error().Text();
  EXPECT_EQ((*normal)->Weights().size(), 1U);
  for (const Study* study : {static_cast<const Study*>(made->get()), static_cast<const Study*>(normal->get())}) {
    const bool pure = study == made->get();
    const auto found =
        testing::RunOn(*study, Table(counts), pure ? SharesFor(*study, 1e4) : std::vector<PlainUnits>(1), bits);
    ASSERT_TRUE(found) << found.error().Text();
    ASSERT_EQ(found->rows.size(), cells);
    double sum = 0;
    for (std::size_t k = 0; k < cells; ++k) {
      sum += static_cast<double>(counts[k]);
      EXPECT_NEAR(At(*found, k, 1), sum, 1);
      EXPECT_LE(At(*found, k, 2), sum);
      EXPECT_GE(At(*found, k, 3), sum);
      EXPECT_LE(found->errors_95[k][1].value(), 2);
    }
    EXPECT_TRUE(std::count(found->claims.begin(), found->claims.end(), pure ? "DL-1" : "NORMAL-1"));
    EXPECT_EQ(At(*found, cells - 1, 0), 120) << "the last value is the upper bound";
  }
}

TEST(Cumulative, ChoosesByThePredictedErrorWithoutData) {
  const auto made = Cumulative::Make(Of("age", 100), TestPolicy()).value();
  const auto shares = SharesFor(*made, 1);
  const double tree = made->ErrorAt(shares).value();
  const double cells = std::sqrt(workload::PrefixTree::Cells(made->tree().cells(), made->moved()).MeanVariance());
  EXPECT_LT(tree, 0.8 * cells);
  const auto outline = made->Outline(shares).value();
  EXPECT_EQ(outline.noise.size(), made->Weights().size());
  EXPECT_TRUE(std::any_of(outline.notes.begin(), outline.notes.end(), [](const Note& note) {
    return note.text.find("by the noisy counts of single cells it would be") != std::string::npos;
  }));
  const auto normal = made->AtMu(Loss::Ceil(LossKind::kMu, 1).value().amount(LossKind::kMu)).value();
  EXPECT_GT(dynamic_cast<const Cumulative&>(*normal).root()->weights().size(), 1U);
  EXPECT_EQ(normal->Normalised(), made->Normalised());
  EXPECT_EQ(normal->Outline(std::vector<PlainUnits>(1)).value().noise.front().law, "rounded normal");
}

// Numbers of cells that come to the same curve are one question, and the name says the cells that there are.
TEST(Cumulative, IsNamedByTheCellsThatAreUsed) {
  const auto named = [](std::size_t cells) {
    return Cumulative::Make(Of("age", cells), TestPolicy()).value()->Normalised();
  };
  const std::size_t most = Cumulative::Make(Of("age", 4096), TestPolicy()).value()->tree().cells();
  EXPECT_LT(most, CumulativeOptions().cells);
  EXPECT_EQ(named(CumulativeOptions().cells), named(most));
  EXPECT_NE(named(most).find(std::to_string(most) + " cells"), std::string::npos) << named(most);
  EXPECT_NE(named(most), named(most / 2));
}

TEST(CumulativeReading, RangesAreMadeOfWholeCells) {
  // Cells 0-1, 2-3 and 4-5 of whole numbers with 10, 0 and 7 rows.
  const cumulative::Reading whole({{10, 1, 9, 11}, {10, 2, 9, 12}, {17, 3, 15, 19}}, {1, 3, 5}, 0, true, 5);
  const auto check = [](const cumulative::RangeCount& found, double from, double to, double count, double bar) {
    EXPECT_EQ(found.from, from);
    EXPECT_EQ(found.to, to);
    EXPECT_EQ(found.count, count);
    EXPECT_EQ(found.bar, bar);
  };
  check(whole.Range(0, 1), 0, 1, 10, 1);
  check(whole.Range(1, 2), 0, 3, 10, 2);
  check(whole.Range(2, 5), 2, 5, 7, 5);
  check(whole.Range(-9, 99), 0, 5, 17, 3);
  check(whole.Range(99, 99), 4, 5, 7, 5);
  // [0, 2), [2, 4), and the upper bound itself.
  const cumulative::Reading real({{10, 1, 9, 11}, {10, 2, 9, 12}, {17, 3, 15, 19}}, {2, 4, 4}, 0, false, 5);
  check(real.Range(0, 2), 0, 2, 10, 1);
  check(real.Range(2, 4), 2, 4, 0, 5);
  check(real.Range(2, 5), 2, 4, 7, 5);
  const double ranks[] = {0.1, 0.9};
  const auto found = whole.Ranks(ranks);
  EXPECT_EQ(found[0].value, 0);
  EXPECT_EQ(found[1].value, 5);
  EXPECT_EQ(found[1].low, 4);
  EXPECT_EQ(found[1].high, 5);
}

TEST(Cumulative, RefusesWhatItCannotCount) {
  EXPECT_FALSE(Cumulative::Make(Of("age", 1), TestPolicy()));
  EXPECT_FALSE(Cumulative::Make(Of("age", 5000), TestPolicy()));
  EXPECT_FALSE(Cumulative::Make(Of("sex", 10), TestPolicy()));
  EXPECT_FALSE(Cumulative::Make(Of("nothing", 10), TestPolicy()));
  auto open = Of("age", 10);
  open.where = "TRUE) OR (TRUE";
  EXPECT_FALSE(Cumulative::Make(open, TestPolicy()));
}

}  // namespace
}  // namespace kith
