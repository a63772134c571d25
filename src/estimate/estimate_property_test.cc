// Coverage by counting: every table of a small sample, with its probability, under many laws. No simulation.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "estimate/estimate.h"
#include "tests/support/stat.h"

namespace kith::estimate {
namespace {

using Count = std::int64_t;

double LogFactorial(Count n) { return std::lgamma(static_cast<double>(n) + 1); }

/// Calls f(counts, probability) for every sample of n from a law with four values or fewer.
template <class F>
void EverySample(Count n, const std::vector<double>& law, const F& f) {
  std::vector<Count> counts(law.size(), 0);
  const auto visit = [&](const auto& self, std::size_t cell, Count left, double log_p) -> void {
    if (cell + 1 == law.size()) {
      counts[cell] = left;
      const double last = left == 0 ? 0 : static_cast<double>(left) * std::log(law[cell]) - LogFactorial(left);
      f(counts, std::exp(log_p + last + LogFactorial(n)));
      return;
    }
    for (Count k = 0; k <= left; ++k) {
      counts[cell] = k;
      const double here = k == 0 ? 0 : static_cast<double>(k) * std::log(law[cell]) - LogFactorial(k);
      self(self, cell + 1, left - k, log_p + here);
    }
  };
  visit(visit, 0, n, 0);
}

std::vector<double> RandomLaw(std::size_t cells, std::mt19937_64& random) {
  std::vector<double> law(cells);
  double sum = 0;
  for (double& p : law) sum += p = std::exp(3 * std::normal_distribution<>()(random));
  for (double& p : law) p /= sum;
  return law;
}

/// How often the limits of pairs miss, either side, at `alpha`; `at` is the level that the limits are computed with.
struct Missed {
  double above = 0, below = 0, declared = 0;
};
Missed OfPairs(Count n, const std::vector<double>& law, double at) {
  const double truth = std::log(4 * law[0] * law[2] / (law[1] * law[1]));
  Missed missed;
  EverySample(n, law, [&](const std::vector<Count>& counts, double p) {
    const Limits limits = GroupLimits({"", counts}, 0, at);
    if (truth > limits.upper) missed.above += p;
    if (truth < limits.lower) missed.below += p;
    if (std::abs(truth) > std::max(limits.upper, -limits.lower)) missed.declared += p;
  });
  return missed;
}

TEST(EstimateProperty, ExchangeablePairsAreCoveredUnderEveryLaw) {
  std::mt19937_64 random(stat::SeedForThisTest());
  for (int round = 0; round < 60; ++round) {
    const auto law = RandomLaw(3, random);
    for (const double alpha : {0.05, 0.2}) {
      const Missed missed = OfPairs(24, law, alpha);
      EXPECT_LE(missed.above, alpha + 1e-12);
      EXPECT_LE(missed.below, alpha + 1e-12);
      EXPECT_LE(missed.declared, alpha + 1e-12);
    }
  }
}

TEST(EstimateProperty, ATailThatIsDoubledWronglyIsCaught) {
  std::mt19937_64 random(stat::SeedForThisTest());
  double worst = 0;
  for (int round = 0; round < 60; ++round) worst = std::max(worst, OfPairs(24, RandomLaw(3, random), 2 * 0.2).declared);
  EXPECT_GT(worst, 0.2 + 1e-3);
}

TEST(EstimateProperty, OrderedPairsAreCoveredUnderEveryLaw) {
  std::mt19937_64 random(stat::SeedForThisTest());
  for (int round = 0; round < 40; ++round) {
    const auto law = RandomLaw(4, random);
    const double truth = std::log(law[0] * law[3] / (law[1] * law[2]));
    for (const double alpha : {0.05, 0.2}) {
      double above = 0, below = 0;
      EverySample(12, law, [&](const std::vector<Count>& n, double p) {
        const Limits limits = CommonLimits({{"", n[0], n[1], n[2], n[3]}}, alpha);
        if (truth > limits.upper) above += p;
        if (truth < limits.lower) below += p;
      });
      EXPECT_LE(above, alpha + 1e-12);
      EXPECT_LE(below, alpha + 1e-12);
    }
  }
}

TEST(EstimateProperty, OrderedPairsTakenAsExchangeableAreCaught) {
  // Wives are ill twice as often as husbands: what holds for twins does not hold here.
  const std::vector<double> law = {0.32, 0.48, 0.08, 0.12};  // independent: 0.8 and 0.4
  double missed = 0, ordered = 0;
  EverySample(40, law, [&](const std::vector<Count>& n, double p) {
    if (0.0 > GroupLimits({"", {n[3], n[1] + n[2], n[0]}}, 0, 0.05).upper) missed += p;
    if (0.0 > CommonLimits({{"", n[0], n[1], n[2], n[3]}}, 0.05).upper) ordered += p;
  });
  EXPECT_GT(missed, 0.06);
  EXPECT_LE(ordered, 0.05);
}

TEST(EstimateProperty, GroupsOfThreeAreCoveredInEveryPart) {
  std::mt19937_64 random(stat::SeedForThisTest());
  for (int round = 0; round < 25; ++round) {
    const auto law = RandomLaw(4, random);  // of the number of yes: C(3,k) p_k
    std::vector<double> truth;
    const double one[] = {law[0], law[1] / 3, law[2] / 3, law[3]};
    for (int s = 0; s < 2; ++s) truth.push_back(std::log(one[s] * one[s + 2] / (one[s + 1] * one[s + 1])));
    double missed = 0;
    EverySample(14, law, [&](const std::vector<Count>& n, double p) {
      double declared = 0;
      for (const Count s : {0, 1}) {
        const Limits limits = GroupLimits({"", n}, s, 0.2 / 2);
        declared = std::max({declared, limits.upper, -limits.lower});
      }
      if (std::max(std::abs(truth[0]), std::abs(truth[1])) > declared) missed += p;
    });
    EXPECT_LE(missed, 0.2 + 1e-12);
  }
}

TEST(EstimateProperty, StrataWithOneOddsRatioAreCovered) {
  std::mt19937_64 random(stat::SeedForThisTest());
  for (int round = 0; round < 6; ++round) {
    const double theta = std::uniform_real_distribution<>(-2, 2)(random);
    std::vector<std::vector<double>> laws;
    for (int k = 0; k < 2; ++k) {  // margins differ from stratum to stratum
      const double a = std::exp(std::normal_distribution<>()(random)),
                   b = std::exp(std::normal_distribution<>()(random));
      std::vector<double> law = {a * b * std::exp(theta), a, b, 1};
      const double sum = law[0] + law[1] + law[2] + law[3];
      for (double& p : law) p /= sum;
      laws.push_back(law);
    }
    double above = 0, below = 0;
    EverySample(5, laws[0], [&](const std::vector<Count>& n, double p) {
      EverySample(5, laws[1], [&](const std::vector<Count>& m, double q) {
        const Limits limits = CommonLimits({{"", n[0], n[1], n[2], n[3]}, {"", m[0], m[1], m[2], m[3]}}, 0.2);
        if (theta > limits.upper) above += p * q;
        if (theta < limits.lower) below += p * q;
      });
    });
    EXPECT_LE(above, 0.2 + 1e-12);
    EXPECT_LE(below, 0.2 + 1e-12);
  }
}

}  // namespace
}  // namespace kith::estimate
