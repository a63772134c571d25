#include "probe/bounds.h"

#include <gtest/gtest.h>

#include <boost/math/special_functions/beta.hpp>
#include <cmath>

namespace kith::probe {
namespace {

// Newcombe 1998, Statistics in Medicine 17, table I, method 5: 95 % intervals to four digits.
TEST(ProbeBounds, AsPublished_PROBE2) {
  const struct {
    std::uint64_t hits, trials;
    double low, high;
  } table[] = {{81, 263, 0.2527, 0.3676}, {15, 148, 0.0578, 0.1617}, {0, 20, 0, 0.1684}, {1, 29, 0.0009, 0.1776}};
  for (const auto& row : table) {
    EXPECT_NEAR(LowerBound({row.hits, row.trials}, 0.025), row.low, 5.1e-5);
    EXPECT_NEAR(UpperBound({row.hits, row.trials}, 0.025), row.high, 5.1e-5);
  }
  EXPECT_EQ(UpperBound({20, 20}, 1e-9), 1);
  EXPECT_EQ(LowerBound({0, 20}, 1e-9), 0);
}

TEST(ProbeBounds, WrongNoMoreOftenThanPromised_PROBE2) {
  for (const double p : {0.02, 0.3, 0.77}) {
    double too_high = 0, too_low = 0;
    for (std::uint64_t x = 0; x <= 60; ++x) {
      const auto hits = static_cast<double>(x);
      const double mass = std::exp(std::lgamma(61) - std::lgamma(hits + 1) - std::lgamma(61 - hits) +
                                   hits * std::log(p) + (60 - hits) * std::log1p(-p));
      too_high += LowerBound({x, 60}, 0.01) > p ? mass : 0;
      too_low += UpperBound({x, 60}, 0.01) < p ? mass : 0;
    }
    EXPECT_LE(too_high, 0.01);
    EXPECT_LE(too_low, 0.01);
    EXPECT_GT(too_high + too_low, 0) << "a bound that is never wrong says nothing";
  }
}

// At tiny alphas too, the exact tail at the bound is at most alpha, and not much smaller.
TEST(ProbeBounds, ExactTailsAtTinyAlphas_PROBE2) {
  for (const double alpha : {1e-9, 6e-11, 1e-14}) {
    for (const std::uint64_t trials : {50u, 10000u, 5000000u}) {
      for (const std::uint64_t hits : {std::uint64_t{1}, trials / 10, trials / 2, trials - 1}) {
        const auto k = static_cast<double>(hits), n = static_cast<double>(trials);
        const double at_least = boost::math::ibeta(k, n - k + 1, LowerBound({hits, trials}, alpha));
        EXPECT_LE(at_least, alpha * (1 + 1e-6)) << hits << " of " << trials;
        EXPECT_GE(at_least, alpha * 0.98) << hits << " of " << trials;
        const double high = UpperBound({hits, trials}, alpha);
        const double at_most = boost::math::ibetac(k + 1, n - k, high);
        EXPECT_LE(at_most, alpha * (1 + 1e-6)) << hits << " of " << trials;
        // So close to 1 that the slack reaches it, the bound is 1 itself.
        if (high < 1) {
          EXPECT_GE(at_most, alpha * 0.98) << hits << " of " << trials;
        }
      }
    }
  }
}

// Were the event chosen after looking, or alpha taken for each side in full, the promise would break: the twin.
TEST(ProbeBounds, TheCheckAboveSeesABoundForTenTimesTheAlpha) {
  EXPECT_GT(boost::math::ibeta(100.0, 901.0, LowerBound({100, 1000}, 1e-8)), 1e-9 * (1 + 1e-6));
}

TEST(ProbeBounds, LossIsBelowTheTruthAndCloseToIt) {
  const Hits fifth{200000, 1000000}, tenth{100000, 1000000}, rare{10, 1000000};
  EXPECT_LT(LossLowerBound(fifth, tenth, 0, 1e-9), std::log(2));
  EXPECT_GT(LossLowerBound(fifth, tenth, 0, 1e-9), std::log(2) - 0.04);
  EXPECT_LT(LossLowerBound(rare, rare, 0, 1e-9), 0);
  // With delta 0.1, a fifth against a tenth is no loss at all.
  EXPECT_LT(LossLowerBound(fifth, tenth, 0.1, 1e-9), 0);
  EXPECT_GT(LossLowerBound(fifth, tenth, 0.05, 1e-9), std::log(1.5) - 0.05);
  EXPECT_EQ(LossLowerBound(rare, tenth, 0.1, 1e-9), -INFINITY);
}

}  // namespace
}  // namespace kith::probe
