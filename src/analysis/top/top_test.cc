#include "analysis/top/top.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <numeric>

#include "kernel/largest.h"
#include "query/test_policy.h"
#include "random/bits.h"
#include "tests/support/selection_law.h"
#include "tests/support/stat.h"

namespace kith {
namespace {

const std::string kVisits = "key = \"id\"\nmax_rows = 20\npresence = \"secret\"";

TEST(Top, IsPricedForAllChoicesTogether) {
  const Policy policy = TestPolicy(kVisits);
  const std::vector<PlainUnits> share = {PlainUnits::Of(PlainUnits::kOne)};
  const auto two = Top::Make({"stage", 2, "sex = 'f'"}, policy);
  ASSERT_TRUE(two.has_value()) << two.error().what;
  EXPECT_EQ((*two)->spread(), 2);
  const auto outline = (*two)->Outline(share);
  ASSERT_TRUE(outline.has_value());
  EXPECT_EQ(outline->noise[0].sensitivity, 4);
  // ln(20 * (2 + 1)) choices that could go wrong, each with the rate 1 / 4.
  EXPECT_NEAR(outline->noise[0].error_95, std::ceil(4 * std::log(60.0)), 1);
  EXPECT_FALSE(Top::Make({"stage", 3, ""}, policy).has_value());
  EXPECT_FALSE(Top::Make({"stage", 0, ""}, policy).has_value());
  EXPECT_FALSE(Top::Make({"name", 2, ""}, policy).has_value());
  EXPECT_FALSE(Top::Make({"stage", 1, "TRUE) OR (TRUE"}, policy).has_value());
  EXPECT_FALSE(Top::Make({"none", 1, ""}, policy).has_value());
  // A column of another table of the units is distinguished from one that is nowhere.
  Policy more = policy;
  more.tables.push_back(policy.unit_table());
  more.tables.back().name = "visits";
  more.tables.back().key = "id";
  more.tables.back().max_rows = 3;
  more.tables.back().columns.push_back(*policy.unit_table().Find("stage"));
  more.tables.back().columns.back().name = "drug";
  for (const char* column : {"drug", "visits.drug"}) {
    const auto refused = Top::Make({column, 1, ""}, more);
    ASSERT_FALSE(refused.has_value());
    EXPECT_NE(refused.error().what.find("in the table visits"), std::string::npos) << refused.error().what;
  }
}

TEST(Top, LargeCountsAreNamedInTheirOrder) {
  const auto law = PermuteAndFlip::Make(Sensitivity::Make(6).value(), PlainUnits::Of(PlainUnits::kOne)).value();
  const std::array<std::int64_t, 5> counts = {1000, 50, 9000, 5000, 0};
  // A wrong order has a probability below 5 * exp(-950 / 6).
  EXPECT_EQ(ChooseLargest(counts, 3, law, SystemBits::ForThisThread()), (std::vector<std::size_t>{2, 3, 0}));
}

using Chances = std::map<std::vector<std::size_t>, double>;
constexpr std::size_t kChosen = 2;

// Of two choices, one after the other, by the published law of each.
Chances LawOf(const std::vector<std::int64_t>& counts, std::int64_t spread) {
  Chances chances;
  const auto law_among = [&](const std::vector<std::size_t>& left) {
    std::vector<std::int64_t> distances;
    for (const std::size_t k : left) distances.push_back(100 - counts[k]);
    return testing::SelectionLawByOrders(distances, 1 / static_cast<long double>(spread));
  };
  std::vector<std::size_t> all(counts.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  const auto first = law_among(all);
  for (const std::size_t a : all) {
    std::vector<std::size_t> left = all;
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(a));
    const auto second = law_among(left);
    for (std::size_t b = 0; b < left.size(); ++b) chances[{a, left[b]}] = static_cast<double>(first[a] * second[b]);
  }
  return chances;
}

Chances DrawnFrom(const std::vector<std::int64_t>& counts, std::int64_t spread, int runs, BitSource& bits) {
  const auto law = PermuteAndFlip::Make(Sensitivity::Make(spread).value(), PlainUnits::Of(PlainUnits::kOne)).value();
  Chances chances;
  for (int run = 0; run < runs; ++run) chances[ChooseLargest(counts, kChosen, law, bits)] += 1;
  for (auto& [chosen, chance] : chances) chance /= runs;
  return chances;
}

double LossBetween(const Chances& a, const Chances& b) {
  double most = 0;
  for (const auto& [chosen, chance] : a) most = std::max(most, std::fabs(std::log(chance / b.at(chosen))));
  return most;
}

// By the law of the choices, of all counts up to 5 and all neighbours: what is charged, which is 1, is reached by none.
double LargestLoss(std::int64_t spread) {
  double most = 0;
  const auto each = [](const auto& visit) {
    for (std::int64_t a = 0; a <= 5; ++a)
      for (std::int64_t b = 0; b <= 5; ++b)
        for (std::int64_t c = 0; c <= 5; ++c) visit(std::vector<std::int64_t>{a, b, c});
  };
  each([&](const std::vector<std::int64_t>& counts) {
    const Chances before = LawOf(counts, spread);
    each([&](const std::vector<std::int64_t>& others) {
      for (std::size_t k = 0; k < counts.size(); ++k)
        if (std::abs(counts[k] - others[k]) > 1) return;
      most = std::max(most, LossBetween(before, LawOf(others, spread)));
    });
  });
  return most;
}

// The farthest of the chances from those of the law. By Hoeffding, one of n draws is off by r with a probability of at
// most 2 exp(-2 n r^2): with six of them, 80,000 draws and r = 0.0125 in all 1.7e-10.
double FarthestOff(const Chances& drawn, const Chances& law) {
  double most = 0;
  for (const auto& [chosen, chance] : law)
    most = std::max(most, std::fabs(chance - (drawn.contains(chosen) ? drawn.at(chosen) : 0)));
  return most;
}
constexpr int kRuns = 80'000;
constexpr double kRadius = 0.0125;
const std::vector<std::int64_t> kCounts = {9, 5, 2};

TEST(Top, NeighboursLoseNoMoreThanTheShare_TOP1) {
  const std::int64_t spread = 2 * kChosen;
  EXPECT_LE(LargestLoss(spread), 1 + 1e-12);
  EXPECT_GT(LargestLoss(spread), 0.8);
  stat::SeededBits bits(stat::SeedForThisTest());
  EXPECT_LT(FarthestOff(DrawnFrom(kCounts, spread, kRuns, bits), LawOf(kCounts, spread)), kRadius);
}

// The twins: a choice too few in the price, and a rate that is a third too high, which is a loss of 1.33 for 1.
TEST(Top, TheCheckAboveSeesASpreadOfOneChoiceWhereThereAreFour) {
  EXPECT_GT(LargestLoss(2), 1.8);
  EXPECT_GT(LargestLoss(3), 1.1);
  stat::SeededBits bits(stat::SeedForThisTest());
  EXPECT_GT(FarthestOff(DrawnFrom(kCounts, 3, kRuns, bits), LawOf(kCounts, 4)), kRadius);
}

}  // namespace
}  // namespace kith
