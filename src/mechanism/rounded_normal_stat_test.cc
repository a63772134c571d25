// Samples of rounded normal noise against the law from its definition, each with a twin that must be rejected.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "mechanism/rounded_normal.h"
#include "tests/support/stat.h"

namespace kith {
namespace {

const std::size_t kSamples = stat::SamplesToSee(0.015);

std::function<double(std::int64_t)> Cdf(double sigma) {
  return [sigma](std::int64_t z) {
    return std::erfc(-(static_cast<double>(z) + 0.5) / sigma * std::numbers::sqrt2 / 2) / 2;
  };
}

double Distance(std::uint64_t num, std::uint64_t den, double sigma, BitSource& bits) {
  const RoundedNormal noise = RoundedNormal::Make(num, den).value();
  return stat::CdfDistance(
      kSamples, [&] { return static_cast<std::int64_t>(noise.Release(0, bits)); }, Cdf(sigma));
}

TEST(RoundedNormalStat, FollowsItsDefinition_NORMAL2) {
  stat::SeededBits bits(stat::SeedForThisTest());
  EXPECT_LE(Distance(1, 1, 1, bits), stat::Radius(kSamples));
  EXPECT_LE(Distance(1, 3, 1 / 3.0, bits), stat::Radius(kSamples));
  EXPECT_LE(Distance(230746, 1000, 230.746, bits), stat::Radius(kSamples));
  EXPECT_LE(Distance(std::uint64_t{1} << 40, 1, 0x1p40, bits), stat::Radius(kSamples));
  EXPECT_LE(Distance(404, 1, 404, SystemBits::ForThisThread()), stat::Radius(kSamples));
}

TEST(RoundedNormalStat, TheCheckAboveSeesTenPercentTooLittleNoise) {
  stat::SeededBits bits(stat::SeedForThisTest());
  EXPECT_GT(Distance(9, 10, 1, bits), stat::Radius(kSamples));
  EXPECT_GT(Distance(900, 1, 1000, bits), stat::Radius(kSamples));
}

// Only the long way: so few digits first that nearly every trial refines.
TEST(RoundedNormalStat, TheLongWayFollowsItToo_NORMAL2) {
  stat::SeededBits bits(stat::SeedForThisTest());
  const RoundedNormal noise = RoundedNormal::Make(5, 2).value();
  const std::size_t samples = stat::SamplesToSee(0.05);
  const auto draw = [&] {
    for (;;) {
      if (const auto z = noise.Trial<2, 1, 1, 8>(bits)) return static_cast<std::int64_t>(*z);
    }
  };
  EXPECT_LE(stat::CdfDistance(samples, draw, Cdf(2.5)), stat::Radius(samples));
  EXPECT_GT(stat::CdfDistance(samples, draw, Cdf(2.5 * 0.75)), stat::Radius(samples));
}

/// How often noise is beyond its bar of 95 %, or beyond a part of that: not less than this, surely.
double BeyondAtLeast(double part) {
  stat::SeededBits bits(stat::SeedForThisTest());
  const RoundedNormal noise = RoundedNormal::Make(1000, 1).value();
  const double bar = part * noise.ErrorBar(0.95);
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < kSamples; ++i) count += std::abs(static_cast<double>(noise.Noise(bits))) > bar ? 1 : 0;
  return stat::LowerBound(count, kSamples);
}

TEST(RoundedNormalStat, ErrorBarCovers_NORMAL3) { EXPECT_LE(BeyondAtLeast(1), 0.05); }

TEST(RoundedNormalStat, TheCheckAboveSeesABarThatIsOneTenthTooShort) { EXPECT_GT(BeyondAtLeast(0.9), 0.05); }

}  // namespace
}  // namespace kith
