// The exact law of geometric numbers drawn digit by digit: every path of bits, added up in integers.
#include <gtest/gtest.h>

#include <cmath>

#include "mechanism/geometric_bits.h"
#include "tests/support/scripted.h"

namespace kith {
namespace {

using testing::ExactLaw;
using testing::Walk;

constexpr int kDigits = 2;  // so that 4 and more are one result

/// Results whose probability is not (1 - r) r^g, and r^4 for all from 4 on.
int Violations(const GeometricBits& bits_of, long double r) {
  const ExactLaw walked = Walk(20, [&](BitSource& bits) {
    const auto drawn = bits_of.Draw<5, 2>(bits);
    return drawn ? static_cast<Int128>(*drawn) : Int128{1} << kDigits;
  });
  EXPECT_LT(walked.UnexploredShare(), 0.05L);
  return walked.Violations(0, 1 << kDigits, [&](Int128 result) {
    const auto g = static_cast<long double>(static_cast<std::int64_t>(result));
    return g < 4 ? (1 - r) * std::pow(r, g) : std::pow(r, 4.0L);
  });
}

long double Misses(long double scale, long double threshold) {
  return 1 - std::exp(-threshold / scale) / (1 + std::exp(-1 / scale));
}

TEST(GeometricBitsLaw, OfGapsIsThatOfTheNoisesTail_SPARSE2) {
  EXPECT_EQ(Violations(GeometricBits::OfMisses(2, 1, 3, kDigits), Misses(2, 3)), 0);
  EXPECT_EQ(Violations(GeometricBits::OfMisses(7, 3, 1, kDigits), Misses(7 / 3.0L, 1)), 0);
  EXPECT_EQ(Violations(GeometricBits::OfMisses(1, 1, 4, kDigits), Misses(1, 4)), 0);
}

TEST(GeometricBitsLaw, OfDecayIsGeometric_SPARSE2) {
  EXPECT_EQ(Violations(GeometricBits::OfDecay(2, 1, kDigits), std::exp(-0.5L)), 0);
  EXPECT_EQ(Violations(GeometricBits::OfDecay(10, 3, kDigits), std::exp(-0.3L)), 0);
}

TEST(GeometricBitsLaw, TheCheckAboveSeesAnotherTail) {
  // The tail of one-sided noise; a threshold that is exceeded instead of reached; a rate that is off by a little.
  EXPECT_GT(Violations(GeometricBits::OfMisses(2, 1, 3, kDigits), 1 - std::exp(-1.5L)), 0);
  EXPECT_GT(Violations(GeometricBits::OfMisses(2, 1, 3, kDigits), Misses(2, 4)), 0);
  EXPECT_GT(Violations(GeometricBits::OfDecay(2, 1, kDigits), std::exp(-0.52L)), 0);
}

TEST(GeometricBitsLaw, ChancesNearOneAreHeld) {
  const auto rare = GeometricBits::OfMisses(2, 1, 400, 100);
  testing::ScriptedBits high(std::vector<testing::ScriptedBits::Draw>(101, {64, ~std::uint64_t{0} >> 1}));
  EXPECT_FALSE(rare.Draw(high));  // the first coin is about 2^100 trials without a success, each of 1e-87
}

}  // namespace
}  // namespace kith
