// The statistics kit itself: against published tables and by exact sums.
#include "tests/support/stat.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <set>

namespace kith::stat {
namespace {

TEST(Stat, RadiusInvertsTheBoundOfMassart) {
  for (const std::size_t n : {100U, 190369U, 5000000U}) {
    const double radius = Radius(n);
    EXPECT_NEAR(2 * std::exp(-2 * static_cast<double>(n) * radius * radius) / kAlpha, 1, 1e-9);
  }
}

TEST(Stat, SamplesToSeeLeavesRoomForTwoRadii) {
  EXPECT_EQ(SamplesToSee(0.015), 190369U);
  for (const double d : {0.5, 0.01, 0.003}) {
    EXPECT_LE(2 * Radius(SamplesToSee(d)), d);
    EXPECT_GT(2 * Radius(SamplesToSee(d) - 1), d);
  }
}

TEST(Stat, CdfDistanceByHand) {
  int next = 0;
  const std::int64_t values[] = {2, 0, 2, 5};
  const auto draw = [&] { return values[next++]; };
  // Uniform on 0..9. Empirical: 1/4 from 0, 3/4 from 2, 1 from 5; the largest distance, 0.45, is at 2; at 5 it is 0.4.
  const auto cdf = [](std::int64_t z) { return z < 0 ? 0 : std::fmin(1, 0.1 * static_cast<double>(z + 1)); };
  EXPECT_NEAR(CdfDistance(4, draw, cdf), 0.45, 1e-12);
  EXPECT_EQ(next, 4);
}

TEST(Stat, CdfDistanceSeesAGapInTheSample) {
  int next = 0;
  const auto draw = [&] { return next++ < 5 ? 0 : 9; };
  const auto cdf = [](std::int64_t z) { return z < 0 ? 0 : std::fmin(1, 0.1 * static_cast<double>(z + 1)); };
  EXPECT_NEAR(CdfDistance(10, draw, cdf), 0.4, 1e-12);  // just below 9: 0.9 against 0.5; at 0: 0.1 against 0.5
}

TEST(Stat, SeedsDependOnTheTestAndCanBeSet) {
  if (std::getenv("KITH_SEED") != nullptr) GTEST_SKIP() << "KITH_SEED is set from outside";
  EXPECT_EQ(SeedForThisTest(), 11837766164899268169U);  // FNV-1a of "Stat.SeedsDependOnTheTestAndCanBeSet"
  setenv("KITH_SEED", "42", 1);
  EXPECT_EQ(SeedForThisTest(), 42U);
  unsetenv("KITH_SEED");
}

TEST(Stat, SeededBitsAreTheTopBitsOfTheMersenneTwister) {
  SeededBits bits(5489);
  std::mt19937_64 engine(5489);
  for (const int count : {64, 1, 7, 63}) EXPECT_EQ(bits.Bits(count), engine() >> (64 - count));
  EXPECT_EQ(bits.draws(), 4U);
}

}  // namespace
}  // namespace kith::stat
