// Samples of the released noise against the law from its definition, each with a twin that must be rejected.
#include <gtest/gtest.h>

#include "mechanism/discrete_laplace.h"
#include "tests/support/exact_laws.h"
#include "tests/support/stat.h"

namespace kith {
namespace {

// The smallest fault we must see: a CDF shift of 0.015 (10 % too little noise shifts it by 0.019).
const std::size_t kSamples = stat::SamplesToSee(0.015);

double Distance(std::int64_t sensitivity, double share, double expected_scale, BitSource& bits) {
  const auto noise =
      DiscreteLaplace::Make(Sensitivity::Make(sensitivity).value(), PlainUnits::Floor(share).value()).value();
  return stat::CdfDistance(
      kSamples, [&] { return static_cast<std::int64_t>(noise.Release(0, bits)); },
      testing::DiscreteLaplaceCdf(expected_scale));
}

TEST(DiscreteLaplaceStat, FollowsItsDefinition_DL1) {
  stat::SeededBits bits(stat::SeedForThisTest());
  EXPECT_LE(Distance(3, 0.5, 6, bits), stat::Radius(kSamples));
  EXPECT_LE(Distance(1, 1, 1, bits), stat::Radius(kSamples));
  EXPECT_LE(Distance(1000, 1, 1000, bits), stat::Radius(kSamples));
  EXPECT_LE(Distance(1, 3, 1 / 3.0, bits), stat::Radius(kSamples));
}

TEST(DiscreteLaplaceStat, FollowsItsDefinitionOnTheSystemsBits_DL1) {
  EXPECT_LE(Distance(3, 0.5, 6, SystemBits::ForThisThread()), stat::Radius(kSamples));
}

TEST(DiscreteLaplaceStat, TheCheckAboveSeesTenPercentTooLittleNoise) {
  stat::SeededBits bits(stat::SeedForThisTest());
  EXPECT_GT(Distance(3, 0.5 / 0.9, 6, bits), stat::Radius(kSamples));
  EXPECT_GT(Distance(900, 1, 1000, bits), stat::Radius(kSamples));
}

/// How many of kSamples noises are beyond the bar.
std::uint64_t Beyond(const DiscreteLaplace& noise, double bar, BitSource& bits) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < kSamples; ++i) {
    const auto z = static_cast<double>(noise.Noise(bits));
    count += z > bar || z < -bar ? 1 : 0;
  }
  return count;
}

TEST(DiscreteLaplaceStat, ErrorBarCovers_DL3) {
  stat::SeededBits bits(stat::SeedForThisTest());
  for (const std::int64_t scale : {1, 7, 1000}) {
    const auto noise =
        DiscreteLaplace::Make(Sensitivity::Make(scale).value(), PlainUnits::Of(PlainUnits::kOne)).value();
    for (const double confidence : {0.5, 0.95, 0.999}) {
      EXPECT_LE(stat::LowerBound(Beyond(noise, noise.ErrorBar(confidence), bits), kSamples), 1 - confidence);
    }
  }
}

TEST(DiscreteLaplaceStat, TheCheckAboveSeesABarThatIsOneTenthTooShort) {
  stat::SeededBits bits(stat::SeedForThisTest());
  const auto noise = DiscreteLaplace::Make(Sensitivity::Make(1000).value(), PlainUnits::Of(PlainUnits::kOne)).value();
  EXPECT_GT(stat::LowerBound(Beyond(noise, 0.9 * noise.ErrorBar(0.95), bits), kSamples), 0.05);
}

}  // namespace
}  // namespace kith
