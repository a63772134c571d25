// The system's bits are uniform at every width: a wrong mask or a byte used twice would show. Real randomness, so the
// only false alarms are those of stat::kAlpha.
#include <gtest/gtest.h>

#include "random/bits.h"
#include "tests/support/stat.h"

namespace kith {
namespace {

const std::size_t kSamples = stat::SamplesToSee(0.02);

double DistanceFromUniform(int count, const std::function<std::uint64_t()>& draw) {
  const double all = std::ldexp(1.0, count);
  return stat::CdfDistance(
      kSamples, [&] { return static_cast<std::int64_t>(draw()); },
      [&](std::int64_t z) { return static_cast<double>(z + 1) / all; });
}

TEST(SystemBitsStat, AreUniform) {
  SystemBits& bits = SystemBits::ForThisThread();
  for (const int count : {1, 3, 8, 11, 24, 40}) {
    EXPECT_LE(DistanceFromUniform(count, [&] { return bits.Bits(count); }), stat::Radius(kSamples)) << count;
  }
  EXPECT_LE(DistanceFromUniform(30, [&] { return bits.Bits(64) >> 34; }), stat::Radius(kSamples));
  EXPECT_LE(DistanceFromUniform(30, [&] { return bits.Bits(64) & ((1U << 30) - 1); }), stat::Radius(kSamples));
}

TEST(SystemBitsStat, TheCheckAboveSeesASmallBias) {
  SystemBits& bits = SystemBits::ForThisThread();
  const auto biased = [&] { return Chance(1, 40, bits) ? std::uint64_t{0} : bits.Bits(8); };
  EXPECT_GT(DistanceFromUniform(8, biased), stat::Radius(kSamples));
}

}  // namespace
}  // namespace kith
