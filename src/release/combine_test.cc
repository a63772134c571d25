#include "release/combine.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <vector>

namespace kith {
namespace {

Plan PlanOf(std::size_t statistics) {
  Plan plan;
  for (std::size_t k = 0; k < statistics; ++k)
    plan.statistics.push_back({"count", Lattice(), Sensitivities::OfL1(1).value(), {}});
  return plan;
}

StatisticMechanism LawFor(double epsilon) {
  return {Noise::For(Sensitivities::OfL1(1).value(), PlainUnits::Floor(epsilon).value()).value(), std::nullopt,
          std::nullopt};
}

// One number from each source, with noise of its epsilon.
std::vector<KnownStatistics> SourcesOf(const std::vector<double>& epsilons, const std::vector<std::int64_t>& numbers) {
  std::vector<KnownStatistics> sources;
  for (std::size_t k = 0; k < epsilons.size(); ++k)
    sources.push_back(KnownFrom(static_cast<std::int64_t>(k), {{numbers[k]}}, PlanOf(1), {LawFor(epsilons[k])}));
  return sources;
}

Combined CombinedOf(const std::vector<double>& epsilons, const std::vector<std::int64_t>& numbers) {
  return Combine(PlanOf(1), {LawFor(epsilons.front())}, SourcesOf(epsilons, numbers));
}

// P(the number is farther from the truth than the bar), by running through all noises of two sources.
double Missed(const std::vector<double>& epsilons, double bar) {
  double missed = 0;
  std::vector<double> q;
  for (const double epsilon : epsilons) q.push_back(std::exp(-PlainUnits::Floor(epsilon).value().epsilon()));
  const auto far = [&](std::size_t k) { return static_cast<std::int64_t>(std::ceil(18 / -std::log(q[k]))); };
  const auto chance = [&](std::size_t k, std::int64_t z) {
    return (1 - q[k]) / (1 + q[k]) * std::pow(q[k], static_cast<double>(std::abs(z)));
  };
  // The number moves with both: how far it is from the first for each difference is all that is needed.
  std::map<std::int64_t, double> from_first;
  for (std::int64_t d = -far(0) - far(1); d <= far(0) + far(1); ++d)
    from_first[d] = static_cast<double>(CombinedOf(epsilons, {1000, 1000 + d}).noisy[0][0] - 1000);
  for (std::int64_t a = -far(0); a <= far(0); ++a) {
    for (std::int64_t b = -far(1); b <= far(1); ++b) {
      if (std::fabs(static_cast<double>(a) + from_first[b - a]) > bar) missed += chance(0, a) * chance(1, b);
    }
  }
  return missed;
}

const std::vector<std::vector<double>> kPairs = {{1.0, 1.3}, {2.0, 0.9}, {0.7, 0.7}, {3.0, 2.5}};

TEST(Combine, BarsOfMeansHold_FREE3) {
  for (const auto& pair : kPairs) {
    const Combined combined = CombinedOf(pair, {0, 0});
    for (const double confidence : {0.95, 0.99}) {
      const double bar = combined.priced.laws[0].ErrorBar(confidence);
      EXPECT_LE(Missed(pair, bar), 1 - confidence + 1e-7) << pair[0] << " and " << pair[1];
    }
  }
}

// The twin: what bars would be if means of two had half the noise of one, or a step less than they have.
TEST(Combine, TheCheckAboveSeesBarsThatAreTooNarrow) {
  for (const auto& pair : kPairs) {
    const Combined combined = CombinedOf(pair, {0, 0});
    EXPECT_GT(Missed(pair, combined.error_95[0] / 2), 0.05) << pair[0] << " and " << pair[1];
  }
}

TEST(Combine, IsTheMeanByInverseVariance_FREE3) {
  // Equal noises: the middle; and rounded to the lattice.
  EXPECT_EQ(CombinedOf({0.1, 0.1}, {100, 140}).noisy[0][0], 120);
  EXPECT_EQ(CombinedOf({0.1, 0.1}, {100, 141}).noisy[0][0], 121);
  // Scales 1 : 2 are variances 1 : 4, up to a 64th.
  const auto uneven = CombinedOf({0.1, 0.05}, {0, 1000});
  EXPECT_NEAR(static_cast<double>(uneven.noisy[0][0]), 200, 1000.0 / 64);
  EXPECT_NEAR(uneven.variance[0], 0.8 * LawFor(0.1).noise.variance(), 0.002 * LawFor(0.1).noise.variance());
  EXPECT_EQ(uneven.numbers, (std::vector<std::int64_t>{0, 1}));
  // Large numbers lose nothing: it moves with its sources.
  const std::int64_t large = std::int64_t{1} << 61;
  EXPECT_EQ(CombinedOf({0.1, 0.1}, {large + 1, large + 3}).noisy[0][0], Int128{large} + 2);
}

TEST(Combine, IsNeverWorseThanTheBestOfItsSources_FREE3) {
  for (const double other : {0.01, 0.05, 0.3, 0.9, 1.0, 1.1, 3.0, 9.0}) {
    const Combined combined = CombinedOf({1.0, other}, {5, 7});
    const double best = LawFor(std::max(1.0, other)).noise.ErrorBar(0.95);
    EXPECT_LE(combined.error_95[0], best) << other;
  }
  // Where another source would only widen the bar, it is left out.
  const Combined alone = CombinedOf({5.0, 0.01}, {5, 7});
  EXPECT_EQ(alone.noisy[0][0], 5);
  EXPECT_EQ(alone.numbers, (std::vector<std::int64_t>{0}));
  EXPECT_TRUE(alone.priced.laws[0].mean_of.empty());
  // And it gains where noise is large: two equal ones have 1/sqrt(2) of the spread.
  EXPECT_LT(CombinedOf({0.1, 0.1}, {0, 0}).error_95[0], 0.8 * LawFor(0.1).noise.ErrorBar(0.95));
}

// Groups whose numbers have other noises have their own bars.
TEST(Combine, GroupsHaveTheirOwnBars_FREE3) {
  const Plan plan = PlanOf(1);
  KnownStatistics first = KnownFrom(1, {{5}, {6}}, plan, {LawFor(0.1)});
  KnownStatistics second = first;
  second.number = 2;
  second.noises = {NoiseIn::Of(LawFor(0.1).noise), NoiseIn::Of(LawFor(0.02).noise)};
  second.groups[1][0].noise = 1;
  const Combined combined = Combine(plan, {LawFor(0.1)}, {first, second});
  ASSERT_EQ(combined.priced.strata.size(), 2U);
  const auto bar = [&](std::size_t stratum) { return combined.priced.strata[stratum].priced.laws[0].ErrorBar(0.95); };
  EXPECT_LT(bar(0), bar(1));
  EXPECT_EQ(combined.error_95[0], bar(1));
}

}  // namespace
}  // namespace kith
