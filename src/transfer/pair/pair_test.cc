// phi, r and their safe rounding.
#include "transfer/pair/pair.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/vectors.h"

namespace kith {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The definition, in 80-bit arithmetic.
long double PhiByDefinition(long double theta, long double t) {
  return 2 * std::log((1 + std::exp((theta + t) / 2)) / (std::exp(theta / 2) + std::exp(t / 2)));
}

TEST(Phi, MeetsTheVectors) {
  for (const auto& v : testing::Vectors("transfer", "transfer.phi.")) {
    const double theta = v.inputs.at("theta");
    const double t = v.inputs.at("t");
    EXPECT_NEAR(Phi(theta, t), v.expected.get<double>(), v.tolerance) << v.id;
    EXPECT_EQ(Phi(theta, t), Phi(t, theta)) << v.id;
  }
}

/// How often `part` times Phi is below the definition, or too far above it, on a grid.
int Misses(double part) {
  int misses = 0;
  for (double theta = 0.5; theta < 40; theta *= 1.37) {
    for (double t = 0.5; t < 40; t *= 1.29) {
      const long double truth = PhiByDefinition(theta, t);
      const double value = part * Phi(theta, t);
      if (value < truth - 1e-17L || value > truth * (1 + 40 * 0x1p-52L) + 1e-17L) ++misses;
    }
  }
  return misses;
}

TEST(Phi, IsNotBelowTheDefinition) { EXPECT_EQ(Misses(1), 0); }

TEST(Phi, TheComparisonSeesAFewLostUlps) { EXPECT_GT(Misses(1 - 1e-14), 50); }

TEST(Phi, KeepsItsDigitsForSmallLosses) {
  for (const double t : {1e-3, 1e-8, 1e-100, 5e-324}) {
    const double slope = std::tanh(0.25);
    EXPECT_GE(Phi(1, t), slope * t * (1 - 1e-6));
    EXPECT_LE(Phi(1, t), slope * t * (1 + 1e-14) + 1e-323);
  }
}

TEST(Phi, LimitsAndZeros) {
  EXPECT_EQ(Phi(0, 3), 0);
  EXPECT_EQ(Phi(3, 0), 0);
  EXPECT_EQ(Phi(2, kInfinity), 2);
  EXPECT_EQ(Phi(kInfinity, 2), 2);
  EXPECT_EQ(Phi(kInfinity, kInfinity), kInfinity);
  EXPECT_EQ(Phi(5000, 3000), 3000);
  EXPECT_LE(Phi(1300, 1350), 1300);
  EXPECT_GT(Phi(1300, 1350), 1299.9);
}

TEST(PairLoss, MeetsTheVectors) {
  for (const auto& v : testing::Vectors("transfer", "transfer.r.")) {
    const double loss = PairLoss(v.inputs.at("t"), v.inputs.at("p").get<Law>(), v.inputs.at("q").get<Law>());
    EXPECT_NEAR(loss, v.expected.get<double>(), v.tolerance) << v.id;
  }
}

TEST(PairLoss, SpecialCases) {
  EXPECT_EQ(PairLoss(0, {0.9, 0.1}, {0.1, 0.9}), 0);
  EXPECT_EQ(PairLoss(2, {0.5, 0.5}, {0.5, 0.5}), 0);
  EXPECT_EQ(PairLoss(2, {1, 0}, {0, 1}), 2);
  EXPECT_NEAR(PairLoss(kInfinity, {0.9, 0.1}, {0.3, 0.7}), std::log(3), 1e-14);
  EXPECT_EQ(PairLoss(kInfinity, {0.9, 0.1}, {0, 1}), kInfinity);
  EXPECT_NEAR(PairLoss(1000, {0.9, 0.1}, {0, 1}), 1000, 0.2);
}

TEST(PhiWithPrevalence, MeetsTheVector) {
  for (const auto& v : testing::Vectors("transfer", "transfer.prevalence")) {
    const double theta = std::log(v.inputs.at("odds_ratio").get<double>());
    const double loss = PhiWithPrevalence(theta, v.inputs.at("t"), {v.inputs.at("l"), v.inputs.at("h")});
    EXPECT_NEAR(loss, v.expected.get<double>(), v.tolerance);
    EXPECT_LT(loss, Phi(theta, v.inputs.at("t")) / 2);
  }
}

TEST(PhiWithPrevalence, NoRestrictionGivesPhi) {
  for (const double t : {0.01, 1.0, 5.0}) EXPECT_NEAR(PhiWithPrevalence(0.7, t, {0, 1}), Phi(0.7, t), 1e-14);
  EXPECT_EQ(PhiWithPrevalence(0.7, kInfinity, {0, 0.1}), 0.7);
  EXPECT_NEAR(PhiWithPrevalence(kInfinity, 1, {0.1, 0.2}),
              std::log((1 + std::expm1(1) * .2) / (1 + std::expm1(1) * .1)), 1e-13);
}

}  // namespace
}  // namespace kith
