// phi, r and prevalence against their definitions: all laws of a fine grid, all sets of values.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/small_laws.h"
#include "tests/support/stat.h"
#include "transfer/pair/pair.h"

namespace kith {
namespace {

using testing::Dice;

/// log((1 + (e^t - 1) p) / (1 + (e^t - 1) q)) in 80 bits, written so that no digits are lost when t is small.
long double Ratio(long double t, long double p, long double q) {
  return std::log1p(std::expm1(t) * (p - q) / (1 + std::expm1(t) * q));
}

/// The largest ratio over q on a grid in [low, high], p its tilt by e^theta cut at high; and with yes and no exchanged.
long double BestOnGrid(double theta, double t, double low, double high) {
  long double best = 0;
  for (int side = 0; side < 2; ++side) {
    const double from = side == 0 ? low : 1 - high;
    const double to = side == 0 ? high : 1 - low;
    for (int k = 0; k <= 4'000; ++k) {
      const long double q = from + (to - from) * (k / 4'000.0L);
      const long double tilted =
          q * std::exp(static_cast<long double>(theta)) / (1 - q + q * std::exp(static_cast<long double>(theta)));
      best = std::max(best, Ratio(t, std::min<long double>(to, tilted), q));
    }
  }
  return best;
}

TEST(PhiProperty, IsTheLargestOverAllLaws) {
  Dice dice(stat::SeedForThisTest());
  for (int trial = 0; trial < 30; ++trial) {
    const double theta = dice.Between(0.01, 4);
    const double t = dice.Between(0.01, 4);
    const auto best = static_cast<double>(BestOnGrid(theta, t, 0, 1));
    EXPECT_GE(Phi(theta, t), best - 1e-16);
    EXPECT_NEAR(Phi(theta, t), best, 1e-5);
  }
}

TEST(PhiProperty, PrevalenceIsTheLargestOverTheLawsAllowed) {
  Dice dice(stat::SeedForThisTest());
  for (int trial = 0; trial < 60; ++trial) {
    const double theta = dice.Between(0.01, 4);
    const double t = dice.Between(0.01, 4);
    const double low = dice.Between(0, 0.5) * dice.Uniform();
    const double high = low + (1 - low) * dice.Uniform();
    const auto best = static_cast<double>(BestOnGrid(theta, t, low, high));
    EXPECT_GE(PhiWithPrevalence(theta, t, {low, high}), best - 1e-15);
    EXPECT_NEAR(PhiWithPrevalence(theta, t, {low, high}), best, 3e-3);  // the largest can be a kink between grid points
  }
}

TEST(PhiProperty, TheGridSeesAStrengthAndAPrevalenceThatAreTooSmall) {
  const auto best = static_cast<double>(BestOnGrid(1, 1, 0, 1));
  EXPECT_LT(Phi(0.999, 1), best - 1e-5);
  const auto rare = static_cast<double>(BestOnGrid(1, 1, 0, 0.1));
  EXPECT_LT(PhiWithPrevalence(1, 1, {0, 0.0999}), rare - 1e-6);
}

/// The largest ratio over all sets of values, in 80 bits.
long double BestSet(double t, const Law& p, const Law& q) {
  long double best = 0;
  for (unsigned set = 0; set < 1U << p.size(); ++set) {
    long double in_p = 0;
    long double in_q = 0;
    for (std::size_t x = 0; x < p.size(); ++x) {
      if ((set >> x & 1U) == 0) continue;
      in_p += p[x];
      in_q += q[x];
    }
    best = std::max(best, Ratio(t, in_p, in_q));
  }
  return best;
}

TEST(PairLossProperty, IsTheBestOfAllSets) {
  Dice dice(stat::SeedForThisTest());
  for (int trial = 0; trial < 2000; ++trial) {
    const int values = 2 + dice.Below(7);
    const Law p = testing::RandomLaw(dice, values);
    const Law q = testing::RandomLaw(dice, values);
    const double t = std::exp(dice.Between(-12, 3));
    const auto best = static_cast<double>(BestSet(t, p, q));
    EXPECT_GE(PairLoss(t, p, q), best);
    EXPECT_LE(PairLoss(t, p, q), best * (1 + 1e-14) + 1e-15);
  }
}

TEST(PairLossProperty, TheSetsSeeAKernelThatIsTooFlat) {
  const Law p = {0.5, 0.3, 0.2};
  const Law q = {0.2, 0.3, 0.5};
  EXPECT_LT(PairLoss(0.999, p, q), static_cast<double>(BestSet(1, p, q)) - 1e-5);
}

}  // namespace
}  // namespace kith
