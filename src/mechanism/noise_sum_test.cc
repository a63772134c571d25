#include "mechanism/noise_sum.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <vector>

namespace kith {
namespace {

// The law of the sum, by adding up all combinations. Weights and steps are whole numbers.
std::map<long, double> LawOf(const std::vector<WeightedNoise>& noises) {
  std::map<long, double> law = {{0, 1.0}};
  for (const WeightedNoise& noise : noises) {
    const double q = std::exp(-noise.step / noise.scale);
    const long atom = std::lround(noise.weight * noise.step);
    std::map<long, double> next;
    for (const auto& [at, probability] : law) {
      for (long k = -60; k <= 60; ++k)
        next[at + k * atom] += probability * (1 - q) / (1 + q) * std::pow(q, static_cast<double>(std::labs(k)));
    }
    law = std::move(next);
  }
  return law;
}

// A bar that holds with the confidence, and a step less would not.
bool IsTheBar(const std::vector<WeightedNoise>& noises, double bar, double confidence) {
  double within = 0, inside = 0;
  for (const auto& [at, probability] : LawOf(noises)) {
    if (std::fabs(static_cast<double>(at)) <= bar + 1e-9) within += probability;
    if (std::fabs(static_cast<double>(at)) <= bar - 1 + 1e-9) inside += probability;
  }
  return within >= confidence - 1e-7 && inside < confidence + 1e-7;
}

const std::vector<std::vector<WeightedNoise>> kCases = {
    {{1, 1, 1}}, {{1, 2.5, 1}, {1, 2.5, 1}}, {{1, 2, 1}, {-1, 2, 1}, {2, 1, 1}}, {{1, 0.3, 1}, {1, 0.3, 1}}};

TEST(NoiseSum, IsTheSmallestBarOfTheSum_AFTER2) {
  for (const auto& noises : kCases) {
    for (const double confidence : {0.5, 0.95, 0.999}) {
      const double bar = BarOfSum(noises, confidence);
      EXPECT_TRUE(IsTheBar(noises, bar, confidence)) << bar;
    }
  }
  EXPECT_EQ(BarOfSum({}, 0.95), 0);
}

// Noise that is hardly ever there needs no bar, whatever its weights; noise that is there does.
TEST(NoiseSum, TinyNoiseHasNoBar_AFTER2) {
  const auto thirds = [](double scale) { return std::vector<WeightedNoise>{{1.0 / 3, scale, 1, 20}, {0.7, scale, 1}}; };
  EXPECT_EQ(BarOfSum(thirds(0.05), 0.95), 0);
  EXPECT_GT(BarOfSum(thirds(0.3), 0.95), 0);
}

// The twin: bars that people would write down without thinking.
TEST(NoiseSum, TheCheckAboveSeesBarsOfOtherLaws) {
  const std::vector<WeightedNoise>& two = kCases[1];
  const double one = BarOfSum({two[0]}, 0.95);
  EXPECT_FALSE(IsTheBar(two, one, 0.95));      // that of one of them
  EXPECT_FALSE(IsTheBar(two, 2 * one, 0.95));  // both added up
}

TEST(NoiseSum, FineLatticesAreNeverTooSmallAndLittleTooLarge) {
  // The sum of two Laplace noises of scale 1: P(|S| > x) = (1 + x / 2) exp(-x).
  const double exact = [] {
    double low = 0, high = 20;
    while (high - low > 1e-12)
      ((1 + (low + high) / 4) * std::exp(-(low + high) / 2) <= 0.05 ? high : low) = (low + high) / 2;
    return high;
  }();
  const double bar = BarOfSum({{1, 1, 1e-6}, {1, 1, 1.1e-6}}, 0.95);
  EXPECT_GE(bar, exact);
  EXPECT_LE(bar, exact * 1.0001);
  EXPECT_NEAR(BarOfSum({{100, 1, 1e-6}}, 0.95), 100 * std::log(20), 1e-3);
}

// Weights without a common lattice, on coarse lattices: the exact law in hundredths.
TEST(NoiseSum, CoarseLatticesWithoutACommonOneAreCovered_AFTER2) {
  const double scale = 4;
  const std::vector<WeightedNoise> noises = {{1, scale, 1}, {0.37, scale, 1}, {-0.61, scale, 1}};
  std::vector<WeightedNoise> whole = noises;
  for (WeightedNoise& noise : whole) noise.weight *= 100;
  double within = 0;
  const double bar = BarOfSum(noises, 0.95);
  for (const auto& [at, probability] : LawOf(whole)) {
    // The reference scales only the weight: at is in hundredths of the noise.
    if (std::fabs(static_cast<double>(at)) <= 100 * bar + 1e-6) within += probability;
  }
  EXPECT_GE(within, 0.95);
  EXPECT_LE(within, 0.99);
  // A count of equal noises gives the same as listing them one by one.
  EXPECT_NEAR(BarOfSum({{1, scale, 1}, {0.37, scale, 1, 3}}, 0.95),
              BarOfSum({{1, scale, 1}, {0.37, scale, 1}, {0.37, scale, 1}, {-0.37, scale, 1}}, 0.95), 1e-9);
}

}  // namespace
}  // namespace kith
