// Rounded normal noise: bars, limits, and how many bits it takes. The law: rounded_normal_law_test.cc.
#include "mechanism/rounded_normal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/support/stat.h"

namespace kith {
namespace {

RoundedNormal Noise(std::uint64_t num, std::uint64_t den = 1) { return RoundedNormal::Make(num, den).value(); }

double Beyond(double steps, double sigma) { return std::erfc((steps + 0.5) / sigma * std::numbers::sqrt2 / 2); }

TEST(RoundedNormal, BarsAreTheQuantilesOfTheLaw_NORMAL3) {
  for (const double sigma : {0.25, 1.0, 7.5, 1000.0, 404814.0}) {
    const RoundedNormal noise = Noise(static_cast<std::uint64_t>(sigma * 4), 4);
    for (const double confidence : {0.5, 0.9, 0.95, 0.999999}) {
      const double bar = noise.ErrorBar(confidence);
      EXPECT_LE(Beyond(bar, sigma), 1 - confidence) << sigma << " " << confidence;
      if (bar > 0) {
        EXPECT_GT(Beyond(bar - 1, sigma), 1 - confidence) << sigma << " " << confidence;
      }
    }
  }
  EXPECT_EQ(Noise(1000).ErrorBar(0.95), 1960);
  EXPECT_GT(Noise(1000).ErrorBarAll(0.95, 100), 3400);
}

TEST(RoundedNormal, ABarThatForgetsTheHalfStepIsTooShort) {
  EXPECT_GT(Beyond(std::floor(0.6744897501960817 * 1.5 - 0.5), 1.5), 0.5);  // the plain quantile, rounded down
}

TEST(RoundedNormal, TakesFewBits) {
  stat::SeededBits bits(stat::SeedForThisTest());
  const RoundedNormal noise = Noise(231);
  constexpr int kNoises = 20'000;
  for (int i = 0; i < kNoises; ++i) noise.Noise(bits);
  EXPECT_LT(static_cast<double>(bits.draws()) / kNoises, 2.9);  // two for each trial, of which 71.5 % are kept
}

TEST(RoundedNormal, StopsAtTheLargestValue) {
  stat::SeededBits bits(stat::SeedForThisTest());
  const RoundedNormal noise = Noise(1);
  for (int i = 0; i < 100; ++i) {
    EXPECT_TRUE(noise.Release(RoundedNormal::kLargest * 2, bits) <= RoundedNormal::kLargest);
    EXPECT_TRUE(noise.Release(-RoundedNormal::kLargest * 2, bits) >= -RoundedNormal::kLargest);
  }
  const RoundedNormal widest = Noise(std::uint64_t{1} << 62);
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(widest.Release(0, bits) != 0);
}

TEST(RoundedNormal, RefusesWhatItCannotDraw) {
  EXPECT_FALSE(RoundedNormal::Make(0, 1).has_value());
  EXPECT_FALSE(RoundedNormal::Make(1, 0).has_value());
  EXPECT_FALSE(RoundedNormal::Make(1, 65).has_value());
  EXPECT_FALSE(RoundedNormal::Make((std::uint64_t{1} << 62) + 1, 1).has_value());
  EXPECT_EQ(RoundedNormal::Make(6, 4)->num(), 3U);
}

}  // namespace
}  // namespace kith
