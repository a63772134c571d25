#include "estimate/estimate.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "dependence/distance_table.h"
#include "estimate/tilted.h"
#include "tests/support/vectors.h"

namespace kith::estimate {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Estimate, MeetsTheVectors) {
  for (const auto& vector : testing::Vectors("estimate", "est.ucl")) {
    const auto& in = vector.inputs;
    const auto m = in.at("m").get<std::int64_t>(), s = in.at("s").get<std::int64_t>();
    GroupTable table;
    table.with.assign(static_cast<std::size_t>(m) + 1, 0);
    for (std::size_t k = 0; k < 3; ++k)
      table.with[static_cast<std::size_t>(s) + k] = in.at(k == 0 ? "n0" : k == 1 ? "n1" : "n2").get<std::int64_t>();
    const Limits limits = GroupLimits(table, s, in.at("alpha").get<double>());
    EXPECT_NEAR(limits.upper, vector.expected.at("upper").get<double>(), vector.tolerance) << vector.id;
    EXPECT_NEAR(limits.lower, vector.expected.at("lower").get<double>(), vector.tolerance) << vector.id;
  }
}

TEST(Estimate, PairsThatSayNothingHaveNoLimit) {
  for (const std::vector<std::int64_t>& with :
       {std::vector<std::int64_t>{200, 0, 0}, {0, 0, 200}, {200, 1, 0}, {0, 0, 0, 5}, {3, 2, 0, 0}}) {
    const GroupTable table{"", with};
    EXPECT_EQ(GroupLimits(table, table.size() - 2, 0.05).upper, kInfinity);
  }
  const auto found = Make(Groups{{{"", {190, 10, 0}}}}, 0.95);
  ASSERT_TRUE(found);
  // Never both is no news about a rare disease: the limit that counts is that of negative association.
  EXPECT_EQ(found->strengths[0].odds_ratio, kInfinity);
}

TEST(Estimate, NegativeAssociationCountsAsMuchAsPositive) {
  const auto negative = Make(Pairs{{{"", 5, 50, 45, 10}}}, 0.95);
  const auto positive = Make(Pairs{{{"", 50, 5, 10, 45}}}, 0.95);
  ASSERT_TRUE(negative && positive);
  EXPECT_NEAR(negative->strengths[0].theta, positive->strengths[0].theta, 1e-6);
  EXPECT_GT(negative->strengths[0].odds_ratio, 45.0 * 50 / (5 * 10));
  EXPECT_LT(negative->findings[0].limits.upper, 1);
}

// A rare illness that no pair shares says nothing against a strong negative tie; where there is none, it says a lot.
TEST(Estimate, NonNegativeTiesNeedUpperLimitsAlone_ESTIMATE8) {
  const Groups rare{{{"", {1900, 100, 0}}}};
  EXPECT_EQ(Make(rare, 0.95)->strengths[0].odds_ratio, kInfinity);
  const auto found = Make(rare, 0.95, Sign::kNonNegative).value();
  EXPECT_LT(found.strengths[0].odds_ratio, 4);
  EXPECT_GE(found.strengths[0].odds_ratio, found.findings[0].limits.upper);
  const Groups alike{{{"", {600, 300, 100}}}};
  const auto either = Make(alike, 0.95).value(), positive = Make(alike, 0.95, Sign::kNonNegative).value();
  EXPECT_EQ(either.strengths[0].odds_ratio, positive.strengths[0].odds_ratio);
  EXPECT_TRUE(LookAhead(rare, 0.95, Sign::kNonNegative));
}

TEST(Estimate, AStudyCanContradictThatTiesAreNeverNegative) {
  const Groups against{{{"", {100, 800, 100}}}};
  ASSERT_TRUE(Make(against, 0.95));
  const auto refused = Make(against, 0.95, Sign::kNonNegative);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().what.find("contradicts"), std::string::npos);
}

TEST(Estimate, AnIccOnTheLatentScaleIsAStandardDeviation_ESTIMATE8) {
  EXPECT_EQ(SdOfIcc(0), 0);
  EXPECT_NEAR(SdOfIcc(0.5), std::sqrt(3.289868133696453), 1e-13);
  for (const double sd : {0.01, 0.4, 0.8, 3.0}) {
    const double icc = sd * sd / (sd * sd + 3.289868133696453);
    EXPECT_NEAR(SdOfIcc(icc), sd, 1e-12);
  }
}

// Of that many coins the tails are as small as they are ever said to be at the tilts that are tried first.
TEST(Estimate, LimitsAreJustOutsideOfTheSet) {
  constexpr std::int64_t kCoins = 20'000;
  const std::vector<Family> coins = {{0, kCoins, [](std::int64_t x) {
                                        return static_cast<long double>(kCoins - x) / static_cast<long double>(x + 1);
                                      }}};
  ASSERT_LT(TailsAt(coins, kCoins / 2, 1).below, 1e-24);
  for (const std::int64_t observed : {kCoins / 2, kCoins / 10, kCoins - 3}) {
    constexpr double kAlpha = 0.025, kNear = 1e-8;
    const Limits limits = LimitsOf(coins, observed, kAlpha);
    ASSERT_LT(limits.lower, limits.upper) << observed;
    EXPECT_LT(TailsAt(coins, observed, limits.upper).below, kAlpha);
    EXPECT_GE(TailsAt(coins, observed, limits.upper - kNear).below, kAlpha);
    EXPECT_LT(TailsAt(coins, observed, limits.lower).above, kAlpha);
    EXPECT_GE(TailsAt(coins, observed, limits.lower + kNear).above, kAlpha);
  }
}

TEST(Estimate, TheDeclaredNumberIsNeverBelowTheLimit) {
  for (const double value : {1.0, 1.0000001, 7.6, 7.601, 99.91, 999.5, 0.12345, 1e-7, 123456.0, 2.675}) {
    const double rounded = RoundedUp(value);
    EXPECT_GE(rounded, value);
    EXPECT_LE(rounded, value * 1.0101) << value;
    EXPECT_EQ(std::stod(fmt::format("{:.3g}", rounded)), rounded);  // as it is printed and read again
  }
  EXPECT_EQ(RoundedUp(7.6), 7.6);
}

TEST(Estimate, StrataAreNotPooled) {
  // Two strata without any association, of unequal prevalence: pooled, the odds ratio would be 9.
  const Pairs strata{{{"old", 810, 90, 90, 10}, {"young", 10, 90, 90, 810}}};
  const auto apart = Make(strata, 0.95);
  const auto pooled = Make(Pairs{{{"", 820, 180, 180, 820}}}, 0.95);
  ASSERT_TRUE(apart && pooled);
  ASSERT_EQ(apart->strengths.size(), 2u);
  EXPECT_EQ(apart->strengths[0].stratum, "old");
  EXPECT_LT(apart->Largest(), 3);
  EXPECT_GT(pooled->Largest(), 20);
  EXPECT_NEAR(apart->each, 0.025, 1e-9);
}

TEST(Estimate, AnEndlessLookCostsLittle) {
  const Limits few = AnytimeLimits(20, 100, 0.05), many = AnytimeLimits(2000, 10000, 0.05),
               none = AnytimeLimits(0, 0, 0.05);
  EXPECT_LT(few.lower, 0.12);
  EXPECT_GT(few.upper, 0.30);
  EXPECT_NEAR(many.lower, 0.2, 0.02);
  EXPECT_NEAR(many.upper, 0.2, 0.02);
  EXPECT_EQ(none.lower, 0);
  EXPECT_EQ(none.upper, 1);
  EXPECT_EQ(AnytimeLimits(0, 50, 0.05).lower, 0);
  EXPECT_EQ(AnytimeLimits(50, 50, 0.05).upper, 1);
}

TEST(Estimate, AChainsStrengthIsThatOfItsWorstCorner) {
  const Steps steps{{"no", "yes"}, {{800, 200}, {300, 700}}};
  const auto found = Make(steps, 0.95);
  ASSERT_TRUE(found);
  const Limits a = AnytimeLimits(200, 1000, found->each), b = AnytimeLimits(700, 1000, found->each);
  EXPECT_NEAR(std::exp(found->strengths[0].theta), b.upper / (1 - b.upper) / (a.lower / (1 - a.lower)), 1e-6);
  EXPECT_NEAR(found->strengths[0].estimate, 28.0 / 3, 1e-9);
  const auto more = Make(Steps{{"a", "b", "c"}, {{50, 30, 20}, {20, 60, 20}, {30, 30, 40}}}, 0.95);
  ASSERT_TRUE(more);
  EXPECT_EQ(more->findings.size(), 9u);
  EXPECT_NEAR(more->each, 0.05 / 9, 1e-9);
}

TEST(Estimate, ConcordanceStandsForEveryTableThatRoundsToIt) {
  // 12 both, 18 one, 270 neither: prevalence 0.07, probandwise concordance 24/42, pairwise 12/30.
  const auto probandwise = FromConcordance("0.571", false, "0.070", 300);
  ASSERT_TRUE(probandwise);
  const auto is = [](const GroupTable& t) { return t.with == std::vector<std::int64_t>{270, 18, 12}; };
  EXPECT_TRUE(std::any_of(probandwise->begin(), probandwise->end(), is));
  const auto pairwise = FromConcordance("0.40", true, "0.070", 300);
  ASSERT_TRUE(pairwise);
  EXPECT_TRUE(std::any_of(pairwise->begin(), pairwise->end(), is));
  const auto worst = Worst(*pairwise, 0.95), exact = Worst({{"", {270, 18, 12}}}, 0.95);
  ASSERT_TRUE(worst && exact);
  EXPECT_GE(GroupLimits(*worst, 0, 0.05).upper, GroupLimits(*exact, 0, 0.05).upper);
  EXPECT_FALSE(FromConcordance("0.4", false, "0.1", 100'000));
  EXPECT_FALSE(FromConcordance("0.123456", false, "0.5", 3));
  EXPECT_FALSE(FromConcordance("40", false, "0.1", 300));
}

TEST(Estimate, HowMuchMoreDataWouldHelp) {
  const auto outlook = LookAhead(Groups{{{"", {60, 25, 15}}}}, 0.95);
  ASSERT_TRUE(outlook);
  for (std::size_t k = 1; k < outlook->steps.size(); ++k)
    EXPECT_LE(outlook->steps[k].odds_ratio, outlook->steps[k - 1].odds_ratio);
  ASSERT_GT(outlook->half, 1);
  EXPECT_LE(Make(Times(Groups{{{"", {60, 25, 15}}}}, outlook->half), 0.95)->Largest(), outlook->half_of);
  EXPECT_GT(Make(Times(Groups{{{"", {60, 25, 15}}}}, outlook->half - 1), 0.95)->Largest(), outlook->half_of);
  const auto never = LookAhead(Groups{{{"", {6000, 2500, 1500}}}}, 0.95);
  ASSERT_TRUE(never);
  EXPECT_EQ(never->half, 0);
}

TEST(Estimate, RefusesWhatMakesNoSense) {
  EXPECT_FALSE(Make(Pairs{{{"", 1, 2, -3, 4}}}, 0.95));
  EXPECT_FALSE(Make(Pairs{}, 0.95));
  EXPECT_FALSE(Make(Groups{{{"", {5, 5}}}}, 0.95));
  EXPECT_FALSE(Make(Groups{{{"", {0, 0, 0}}}}, 0.95));
  EXPECT_FALSE(Make(Groups{{{"", {kMaxSample, 1, 1}}}}, 0.95));
  EXPECT_FALSE(Make(Steps{{"x"}, {{5}}}, 0.95));
  for (const double confidence : {0.0, 0.4, 1.0, std::nan("")})
    EXPECT_FALSE(Make(Groups{{{"", {60, 25, 15}}}}, confidence));
}

TEST(Estimate, ChosenPairsAreApart) {
  // A path of seven, and a triangle: ends of chosen edges are neither shared nor tied.
  const Network path{
      {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 6}, {7, 8}, {8, 9}, {9, 7}}, std::vector<int>(10, 0), {}};
  const auto chosen = ChoosePairs(path);
  EXPECT_EQ(chosen, (std::vector<std::size_t>{0, 5, 6}));
  Network other = path;
  other.values.assign(10, 1);
  EXPECT_EQ(ChoosePairs(other), chosen);  // values are not used
  other.values[2] = -1;                   // except whether they are known: 1 has a neighbour that is not
  EXPECT_EQ(ChoosePairs(other), (std::vector<std::size_t>{5, 6}));
  EXPECT_EQ(TiesOf(path).strata.size(), 2u);
}

// Pairs in exact proportion to a law: the region closes around it, and no law in it is stronger than the limit.
TEST(Estimate, ManyPairsFindTheLawOfDistances) {
  const std::vector<std::vector<double>> axes = {{0, 1, 2}, {0, 1, 2}};
  const double b = 4 * std::pow(10.0, -3 + 4.0 * 50 / 80);  // one of the scales that are tried
  const LawTable table = DistanceTable(axes, b, 1.2);
  const auto sample = [&](double pairs) {
    Places places{axes, {}};
    for (auto& half : places.counts) {
      for (const Law& row : table) {
        for (const double p : row) half.push_back(std::llround(p * pairs));
      }
    }
    return places;
  };
  const double truth = 2 * 1.2 * std::log1p(4 / b);
  double last = std::numeric_limits<double>::infinity();
  for (const double pairs : {2e3, 2e4, 2e5}) {
    const auto found = Make(sample(pairs), 0.95);
    ASSERT_TRUE(found.has_value());
    EXPECT_GE(found->strengths[0].theta, truth);
    EXPECT_LT(found->strengths[0].theta, last);
    last = found->strengths[0].theta;
    EXPECT_LE(found->findings[1].limits.lower, 1.2);
    EXPECT_GE(found->findings[1].limits.upper, 1.2);
  }
  EXPECT_LT(last, 1.2 * truth);
  EXPECT_FALSE(Make(Places{{{0, 0}}, {}}, 0.95).has_value());
}

}  // namespace
}  // namespace kith::estimate
