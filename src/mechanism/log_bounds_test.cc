// The integer bounds of -ln against fifty decimal digits.
#include "mechanism/log_bounds.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/precise.h"
#include "tests/support/stat.h"

namespace kith::log_bounds {
namespace {

using Real = testing::Precise;

Real Units(const Real& value) { return ldexp(value, kFraction); }

struct Distance {
  Real low, high;  // from the bound to the value it bounds, in units; negative: the bound is wrong
};

Distance Check(std::uint64_t prefix, int n) {
  const Bounds bounds = MinusLog(prefix, n);
  const Real smallest = Units(-log(ldexp(Real(prefix) + 1, -n)));
  const Real largest = Units(-log(ldexp(Real(prefix), -n)));
  return {smallest - bounds.low, bounds.high - largest};
}

TEST(LogBounds, RowsAreRoundedDownByAboutAUnit) {
  EXPECT_LT(abs(Units(log(Real(2))) - kLogTwo - Real("0.5")), Real("0.501"));
  for (const Row& row : kRows) {
    const Real short_of = Units(log(Real(row.factor) / 65536)) - row.log;
    EXPECT_GE(short_of, 0);
    EXPECT_LT(short_of, Real("1.001"));
  }
}

// The proof needs 0 <= f < 2^-8, where 1 - f = v * factor / 2^16; f falls as v grows, so the ends of a row decide.
TEST(LogBounds, FactorsLeaveLessThanATwoHundredFiftySixth) {
  for (std::uint64_t i = 0; i < kRows.size(); ++i) {
    EXPECT_LE((257 + i) * kRows[i].factor, std::uint64_t{512} << 16);
    EXPECT_LT((std::uint64_t{512} << 16) - (256 + i) * kRows[i].factor, std::uint64_t{512} << 8);
  }
}

TEST(LogBounds, HoldAtTheEndsOfEveryRowAndAtEveryWidth) {
  Real nearest = kSlack;
  for (int n = 1; n <= 64; ++n) {
    for (int top = 0; top < n; ++top) {
      const std::uint64_t power = std::uint64_t{1} << top;
      for (const std::uint64_t prefix : {power, power + power / 3, power + (power - 1)}) {
        const Distance distance = Check(prefix, n);
        ASSERT_GE(distance.low, 0) << prefix << " of " << n;
        ASSERT_GE(distance.high, 0) << prefix << " of " << n;
        nearest = std::min(nearest, distance.high);
      }
    }
  }
  for (std::uint64_t i = 0; i < 256; ++i) {
    for (const std::uint64_t prefix : {(256 + i) << 55, ((257 + i) << 55) - 1}) {
      const Distance distance = Check(prefix, 64);
      ASSERT_GE(distance.low, 0);
      ASSERT_GE(distance.high, 0);
      nearest = std::min(nearest, distance.high);
    }
  }
  EXPECT_GT(nearest, kSlack - Real("236.5")) << "the proof in claims/discrete_laplace.md promises this much";
}

TEST(LogBounds, HoldAtRandom) {
  stat::SeededBits bits(stat::SeedForThisTest());
  for (int i = 0; i < 5000; ++i) {
    const int n = 1 + static_cast<int>(Below(64, bits));
    const std::uint64_t prefix = 1 + Below((~std::uint64_t{0} >> (64 - n)), bits);
    const Distance distance = Check(prefix, n);
    ASSERT_GE(distance.low, 0) << prefix << " of " << n;
    ASSERT_GE(distance.high, 0) << prefix << " of " << n;
  }
}

TEST(LogBounds, AreTightWhereAllDigitsAreKnown) {
  const Bounds bounds = MinusLog((std::uint64_t{1} << 62) + 12345, 63);
  EXPECT_LE(bounds.high - bounds.low, kSlack + 2);
}

}  // namespace
}  // namespace kith::log_bounds
