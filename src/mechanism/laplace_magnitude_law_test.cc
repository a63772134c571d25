// What the digits of a uniform number decide must be right for every way these digits can continue; and what they leave
// open must come out right after more digits. Both against fifty decimal digits.
#include <gtest/gtest.h>

#include <vector>

#include "mechanism/laplace_magnitude.h"
#include "tests/support/precise.h"
#include "tests/support/scripted.h"
#include "tests/support/stat.h"

namespace kith {
namespace {

using Real = testing::Precise;

constexpr int kDigits = 63;

struct Scale {
  std::uint64_t num, den;
};
const Scale kScales[] = {{1, 1},       {1, 1 << 20},
                         {1, 3},       {7, 3},
                         {1000, 1},    {4294967296, 429496729},
                         {1 << 30, 7}, {std::uint64_t{1} << 40, 3}};

/// P[M >= m] by the definition of the law.
Real Tail(const Scale& scale, const Real& m) {
  if (m <= 0) return 1;
  const Real rate = Real(scale.den) / scale.num;
  return 2 * exp(-m * rate) / (1 + exp(-rate));
}

/// Whether every U in [prefix, prefix + 1) / 2^n has exactly `size` thresholds above it.
bool Right(const Scale& scale, std::uint64_t prefix, int n, std::uint64_t size) {
  return ldexp(Real(prefix) + 1, -n) <= Tail(scale, size) && ldexp(Real(prefix), -n) >= Tail(scale, Real(size) + 1);
}

/// Prefixes around the thresholds of the law, where mistakes would be, and prefixes at random.
std::vector<std::uint64_t> Prefixes(const Scale& scale) {
  std::vector<std::uint64_t> prefixes;
  stat::SeededBits bits(stat::SeedForThisTest());
  const Real step = std::max(Real(1), Real(scale.num) / scale.den / 16);
  for (int i = 1; i < 40; ++i) {
    const Real threshold = ldexp(Tail(scale, floor(step * i)), kDigits);
    if (threshold < 2) break;
    const auto at = static_cast<std::uint64_t>(threshold);
    for (int shift = 0; shift < 60; shift += 4) {
      const std::uint64_t away = (std::uint64_t{1} << shift) + Below(std::uint64_t{1} << shift, bits);
      if (at >= away) prefixes.push_back(at - away);
      if (at + away < std::uint64_t{1} << kDigits) prefixes.push_back(at + away);
    }
    prefixes.push_back(at);
  }
  for (int i = 0; i < 700; ++i) prefixes.push_back(bits.Bits(kDigits) >> Below(kDigits, bits));
  return prefixes;
}

struct Count {
  int decided = 0, wrong = 0;
};

/// What the sampler for one scale decides, judged by the law of another.
Count Judge(const Scale& sampled, const Scale& law) {
  const LaplaceMagnitude magnitude(sampled.num, sampled.den);
  Count count;
  for (const std::uint64_t prefix : Prefixes(law)) {
    const auto size = magnitude.Decide(prefix, kDigits);
    if (!size) continue;
    ++count.decided;
    count.wrong += Right(law, prefix, kDigits, *size) ? 0 : 1;
  }
  return count;
}

TEST(LaplaceMagnitudeLaw, WhatIsDecidedIsRight_DL1) {
  for (const Scale& scale : kScales) {
    const Count count = Judge(scale, scale);
    EXPECT_GT(count.decided, 600) << scale.num << "/" << scale.den;
    EXPECT_EQ(count.wrong, 0) << scale.num << "/" << scale.den;
  }
}

TEST(LaplaceMagnitudeLaw, TheCheckAboveSeesAScaleThatIsOffByOnePartInABillion) {
  EXPECT_GT(Judge({1000000001, 1000000000}, {1, 1}).wrong, 0);
  EXPECT_GT(Judge({999999999, 1000000000}, {1, 1}).wrong, 0);
}

TEST(LaplaceMagnitudeLaw, LittleIsLeftOpen) {
  const LaplaceMagnitude magnitude(1000, 1);
  stat::SeededBits bits(stat::SeedForThisTest());
  int open = 0;
  for (int i = 0; i < 1000000; ++i) open += magnitude.Decide(bits.Bits(kDigits), kDigits) ? 0 : 1;
  EXPECT_EQ(open, 0);  // each with probability 1000 * 2^-49
}

/// Refines at the threshold itself: the prefix holds the first digits of the threshold for m, the bits that follow are
/// the next digits, a little less or more. Returns the two sizes, which differ by one in truth.
std::pair<UInt128, UInt128> OnBothSides(const LaplaceMagnitude& magnitude, const Scale& scale, const Real& m) {
  const Real digits = ldexp(Tail(scale, m), kDigits);
  const Real start = floor(digits);
  const auto next = static_cast<std::uint64_t>(floor(ldexp(digits - start, 64)));
  const auto prefix = static_cast<std::uint64_t>(start);
  testing::ScriptedBits below({{64, next - 8}}), above({{64, next + 8}});
  return {magnitude.Refine(prefix, kDigits, 64, below), magnitude.Refine(prefix, kDigits, 64, above)};
}

TEST(LaplaceMagnitudeLaw, RefiningFindsTheRightSideOfAThreshold_DL1) {
  for (const Scale& scale : kScales) {
    const LaplaceMagnitude magnitude(scale.num, scale.den);
    const Real step = std::max(Real(1), Real(scale.num) / scale.den);
    for (int i = 1; i < 30; ++i) {
      const Real m = floor(step * i) + i % 3;
      if (ldexp(Tail(scale, m), kDigits) < 1) break;
      const auto [below, above] = OnBothSides(magnitude, scale, m);
      EXPECT_EQ(static_cast<std::uint64_t>(below), static_cast<std::uint64_t>(m));
      EXPECT_EQ(static_cast<std::uint64_t>(above), static_cast<std::uint64_t>(m) - 1);
    }
  }
}

TEST(LaplaceMagnitudeLaw, TheRefiningCheckSeesTheSameFault) {
  const Scale law{1, 1};
  const auto [below, above] = OnBothSides(LaplaceMagnitude(1000000001, 1000000000), law, 3);
  EXPECT_EQ(below, above);  // the threshold is elsewhere
}

TEST(LaplaceMagnitudeLaw, TheWidestScaleAndTheFarthestTail_DL1) {
  const Scale scale{std::uint64_t{1} << 63, 1};
  const LaplaceMagnitude magnitude(scale.num, scale.den);
  EXPECT_FALSE(magnitude.Decide(std::uint64_t{1} << 62, kDigits));  // too wide for the short way
  testing::ScriptedBits half({{64, 0}});
  const UInt128 size = magnitude.Refine(std::uint64_t{1} << 62, kDigits, 64, half);
  const Real exact = -log(Real("0.5")) * scale.num + Real("0.5");  // offset: ln(2 / (1 + q)) * scale is nearly 1/2
  EXPECT_LT(abs(Real(static_cast<std::uint64_t>(size)) - exact), 3);

  // 63 + 64 zeros, then ones: U is 2^-127, and 127 ln 2 * 2^63 needs more than 64 bits.
  testing::ScriptedBits tail({{64, 0}, {64, ~std::uint64_t{0}}, {64, 12345}});
  const UInt128 far = magnitude.Refine(0, kDigits, 64, tail);
  const Real expected = 127 * log(Real(2)) * scale.num;
  EXPECT_LT(abs(ldexp(Real(static_cast<std::uint64_t>(far >> 64)), 64) + static_cast<std::uint64_t>(far) - expected),
            5);
}

}  // namespace
}  // namespace kith
