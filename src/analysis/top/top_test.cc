#include "analysis/top/top.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>

#include "query/test_policy.h"
#include "random/bits.h"

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
}

TEST(Top, LargeCountsAreNamedInTheirOrder) {
  const auto law = PermuteAndFlip::Make(Sensitivity::Make(6).value(), PlainUnits::Of(PlainUnits::kOne)).value();
  const std::array<std::int64_t, 5> counts = {1000, 50, 9000, 5000, 0};
  // A wrong order has a probability below 5 * exp(-950 / 6).
  EXPECT_EQ(Top::ChooseTop(counts, 3, law, SystemBits::ForThisThread()), (std::vector<std::size_t>{2, 3, 0}));
}

// Two choices of three values: the factor between neighbours, measured, beside what is charged.
std::map<std::vector<std::size_t>, double> LawOf(const std::array<std::int64_t, 3>& counts, std::int64_t spread) {
  const auto law = PermuteAndFlip::Make(Sensitivity::Make(spread).value(), PlainUnits::Of(PlainUnits::kOne)).value();
  std::map<std::vector<std::size_t>, double> chances;
  const int runs = 40'000;
  for (int run = 0; run < runs; ++run)
    chances[Top::ChooseTop(counts, 2, law, SystemBits::ForThisThread())] += 1.0 / runs;
  return chances;
}

double LossOf(std::int64_t spread) {
  const auto a = LawOf({6, 5, 4}, spread), b = LawOf({5, 5, 5}, spread);  // one unit goes from the first to the last
  double most = 0;
  for (const auto& [chosen, chance] : a) {
    const auto other = b.find(chosen);
    if (other != b.end() && chance > 0.005 && other->second > 0.005)
      most = std::max(most, std::fabs(std::log(chance / other->second)));
  }
  return most;
}

// Chances above 0.005 of 40,000 runs are known to 7 % (one standard deviation): 0.5 is five of a ratio's.
TEST(Top, NeighboursLoseNoMoreThanTheShare_TOP1) { EXPECT_LT(LossOf(4), 1 + 0.5); }

TEST(Top, TheCheckAboveSeesASpreadOfOneChoiceWhereThereAreFour) { EXPECT_GT(LossOf(1), 1.8); }

}  // namespace
}  // namespace kith
