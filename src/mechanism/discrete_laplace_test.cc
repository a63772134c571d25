#include "mechanism/discrete_laplace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <thread>
#include <vector>

#include "tests/support/exact_laws.h"
#include "tests/support/scripted.h"
#include "tests/support/stat.h"

namespace kith {
namespace {

DiscreteLaplace Noise(std::int64_t sensitivity, std::int64_t share) {
  return DiscreteLaplace::Make(Sensitivity::Make(sensitivity).value(), PlainUnits::Of(share)).value();
}

constexpr std::int64_t kOne = PlainUnits::kOne;
constexpr Int128 kLargest = DiscreteLaplace::kLargest;
constexpr Int128 kInt128Max = static_cast<Int128>(~UInt128{0} >> 1);

TEST(DiscreteLaplace, ScaleIsSensitivityOverShareInLowestTerms) {
  const DiscreteLaplace noise = Noise(3, kOne / 2);
  EXPECT_EQ(noise.num(), 6U);
  EXPECT_EQ(noise.den(), 1U);
  EXPECT_EQ(noise.scale(), 6.0);
  const DiscreteLaplace odd = Noise(10, 3);
  EXPECT_EQ(odd.num(), 10 * (std::uint64_t{1} << 32));
  EXPECT_EQ(odd.den(), 3U);
}

TEST(DiscreteLaplace, TakesEveryLegalScale) {
  stat::SeededBits bits(stat::SeedForThisTest());
  for (const std::int64_t sensitivity : {std::int64_t{1}, std::int64_t{3}, Sensitivity::kMax - 1, Sensitivity::kMax}) {
    for (const std::int64_t share : {std::int64_t{1}, std::int64_t{7}, kOne, PlainUnits::kMax - 1, PlainUnits::kMax}) {
      const DiscreteLaplace noise = Noise(sensitivity, share);
      // Beyond 60 scales (and one step) with probability below 2 * exp(-60).
      const double reach = 60 * noise.scale() + 1;
      for (int i = 0; i < 20; ++i) EXPECT_LE(std::abs(static_cast<double>(noise.Noise(bits))), reach);
    }
  }
}

TEST(DiscreteLaplace, NoShareNoRelease) {
  const auto noise = DiscreteLaplace::Make(Sensitivity::Make(1).value(), PlainUnits());
  ASSERT_FALSE(noise);
  EXPECT_EQ(noise.error().code, Code::kInvalidArgument);
  EXPECT_FALSE(noise.error().next.empty());
}

TEST(DiscreteLaplace, PublicFactsGetNoNoise) {
  testing::ScriptedBits none({});
  const DiscreteLaplace noise = Noise(0, 0);
  EXPECT_EQ(noise.Release(42, none), 42);
  EXPECT_EQ(noise.scale(), 0.0);
  EXPECT_EQ(noise.ErrorBar(0.95), 0.0);
  EXPECT_EQ(noise.ErrorBarAll(0.95, 1000), 0.0);
  EXPECT_EQ(Noise(0, kOne).Release(-42, none), -42);
}

TEST(DiscreteLaplace, SignAndSizeComeFromOneWord) {
  const DiscreteLaplace noise = Noise(1000, kOne);
  const std::uint64_t word = std::uint64_t{1} << 63;  // U = 1/2: 1000 * (ln 2 + ln(2 / (1 + q))) = 693.6
  testing::ScriptedBits bits({{64, word}, {64, word | 1}, {64, ~std::uint64_t{0}}});
  EXPECT_EQ(noise.Release(10, bits), 10 + 693);
  EXPECT_EQ(noise.Release(10, bits), 10 - 693);
  EXPECT_EQ(noise.Release(10, bits), 10);  // U next to 1, and minus nothing
  EXPECT_TRUE(bits.used_up());
}

constexpr std::uint64_t kUp = std::uint64_t{1} << 63, kDown = kUp | 1;  // words that mean noise of +693 and -693 here

using Releases = std::function<Int128(const DiscreteLaplace&, Int128 value, BitSource&)>;

Int128 AsItIs(const DiscreteLaplace& noise, Int128 value, BitSource& bits) { return noise.Release(value, bits); }

/// How many of the releases near the two ends are not cut there.
int NotSaturated(const Releases& release) {
  const DiscreteLaplace noise = Noise(1000, kOne);
  int wrong = 0;
  for (const Int128 value : {kLargest - 800, kLargest - 1, kLargest, kLargest + 1, kInt128Max - 1, kInt128Max}) {
    testing::ScriptedBits bits({{64, kUp}, {64, kDown}, {64, kUp}, {64, kDown}});
    const Int128 cut = std::min(value, kLargest);
    wrong += release(noise, value, bits) == std::min(cut + 693, kLargest) ? 0 : 1;
    wrong += release(noise, value, bits) == cut - 693 ? 0 : 1;
    wrong += release(noise, -value, bits) == -cut + 693 ? 0 : 1;
    wrong += release(noise, -value, bits) == -std::min(cut + 693, kLargest) ? 0 : 1;
  }
  testing::ScriptedBits bits({{64, kDown}});
  return wrong + (release(noise, -kInt128Max - 1, bits) == -kLargest ? 0 : 1);
}

TEST(DiscreteLaplace, SaturatesAtBothEnds_DL2) { EXPECT_EQ(NotSaturated(AsItIs), 0); }

TEST(DiscreteLaplace, TheCheckAboveSeesASumThatWraps) {
  const auto wraps = [](const DiscreteLaplace& noise, Int128 value, BitSource& bits) {
    return static_cast<Int128>(static_cast<UInt128>(value) + static_cast<UInt128>(noise.Noise(bits)));
  };
  EXPECT_GT(NotSaturated(wraps), 5);
}

/// A release must be a function only of value + noise, otherwise some output of one value is impossible for the next
/// one and the loss is infinite. Here: value 0 with noise z against value 1 with noise z - 1, for noise that needs more
/// than 64 bits.
bool DependsOnTheSumAlone(std::uint64_t sign, const Releases& release) {
  const DiscreteLaplace widest = Noise(Sensitivity::kMax, 1);  // scale 2^63
  const std::uint64_t word = (std::uint64_t{1} << 61) | sign;  // U is about 1/8: noise of 2.08 * 2^63
  const auto script = [&](std::uint64_t more) { return testing::ScriptedBits({{64, word}, {64, more << 56 | 12345}}); };
  std::map<Int128, std::uint64_t> more_digits;  // of U, for each noise that these can still lead to
  for (std::uint64_t more = 0; more < 256; ++more) {
    testing::ScriptedBits bits = script(more);
    more_digits[widest.Noise(bits)] = more;
  }
  int pairs = 0, same = 0;
  for (const auto& [z, more] : more_digits) {
    const auto before = more_digits.find(z - 1);
    if (before == more_digits.end()) continue;
    testing::ScriptedBits first = script(more), second = script(before->second);
    ++pairs;
    same += release(widest, 0, first) == release(widest, 1, second) ? 1 : 0;
  }
  EXPECT_GE(pairs, 5);
  return same == pairs;
}

TEST(DiscreteLaplace, FarNoiseIsNotCutBeforeItIsAdded_DL2) {
  EXPECT_TRUE(DependsOnTheSumAlone(0, AsItIs));
  EXPECT_TRUE(DependsOnTheSumAlone(1, AsItIs));
}

TEST(DiscreteLaplace, TheCheckAboveSeesNoiseCutAt64Bits) {
  const auto cut_first = [](const DiscreteLaplace& noise, Int128 value, BitSource& bits) {
    return value + std::clamp<Int128>(noise.Noise(bits), std::numeric_limits<std::int64_t>::min(),
                                      std::numeric_limits<std::int64_t>::max());
  };
  EXPECT_FALSE(DependsOnTheSumAlone(0, cut_first));
  EXPECT_FALSE(DependsOnTheSumAlone(1, cut_first));
}

// Pinned: the expected numbers were computed separately, with 80 decimal digits, from the same words.
TEST(DiscreteLaplace, BitsToNoiseIsPinned) {
  const struct {
    std::int64_t sensitivity, share;
    std::vector<std::int64_t> expected;
  } golden[] = {
      {1, kOne, {0, 0, -1, -1, 0, -1, -3, 1, 0, 0, 1, 1, 0, 0, -1, 0}},
      {1000, kOne, {542, -169, -1496, -1095, 178, -717, -3479, 953, 316, -432, 1082, 1099, 571, -59, -1186, -270}},
      {7, kOne / 10, {38, -12, -105, -77, 12, -50, -244, 67, 22, -30, 76, 77, 40, -4, -83, -19}},
  };
  for (const auto& row : golden) {
    stat::SeededBits bits(20240607);
    std::vector<std::int64_t> drawn;
    for (int i = 0; i < 16; ++i)
      drawn.push_back(static_cast<std::int64_t>(Noise(row.sensitivity, row.share).Noise(bits)));
    EXPECT_EQ(drawn, row.expected);
    EXPECT_EQ(bits.draws(), 16U);
  }
}

TEST(DiscreteLaplace, ReleaseAllIsReleaseForEach) {
  const DiscreteLaplace noise = Noise(1000, kOne);
  stat::SeededBits one(1), other(1);
  std::vector<Int128> values{0, 1, 2, 1000000, kLargest};
  std::vector<Int128> expected = values;
  noise.ReleaseAll(values, one);
  for (Int128& value : expected) value = noise.Release(value, other);
  EXPECT_TRUE(values == expected);
  BitSource& erased = other;
  noise.ReleaseAll(std::span<Int128>(values), erased);  // the type-erased source works as well
  EXPECT_EQ(other.draws(), 10U);
}

TEST(DiscreteLaplace, ServesManyThreads) {
  const DiscreteLaplace noise = Noise(1000, kOne);
  std::vector<double> sums(4);
  std::vector<std::thread> threads;
  for (double& sum : sums) {
    threads.emplace_back([&] {
      for (int i = 0; i < 100000; ++i) sum += static_cast<double>(noise.Release(0, SystemBits::ForThisThread()));
    });
  }
  for (std::thread& thread : threads) thread.join();
  // A sum of 10^5 has a standard deviation of 4.5e5; ten of them are left with probability below 1e-20.
  for (const double sum : sums) EXPECT_LT(std::abs(sum), 4.5e6);
  EXPECT_NE(sums[0], sums[1]);
}

/// The smallest k with P[|Z| > k]^c small enough, by adding up the law from its definition.
std::int64_t BarByDefinition(long double scale, long double confidence, std::uint64_t cells) {
  const testing::DiscreteLaplaceLaw law(scale);
  long double inside = law.Mass(0);
  std::int64_t k = 0;
  while (std::pow(inside, static_cast<long double>(cells)) < confidence) inside += 2 * law.Mass(++k);
  return k;
}

TEST(ErrorBar, IsTheSmallestThatCovers_DL3) {
  for (const auto& [sensitivity, share] : {std::pair{1, kOne}, {1, 5 * kOne}, {3, kOne / 2}, {100, kOne / 10}}) {
    const DiscreteLaplace noise = Noise(sensitivity, share);
    const long double scale = static_cast<long double>(noise.num()) / static_cast<long double>(noise.den());
    for (const double confidence : {0.1, 0.5, 0.9, 0.95, 0.99, 0.999999}) {
      for (const std::uint64_t cells : {1U, 2U, 10U, 65536U}) {
        EXPECT_EQ(noise.ErrorBarAll(confidence, cells), static_cast<double>(BarByDefinition(scale, confidence, cells)))
            << noise.scale() << " " << confidence << " " << cells;
      }
      EXPECT_EQ(noise.ErrorBar(confidence), noise.ErrorBarAll(confidence, 1));
    }
  }
}

TEST(ErrorBar, KnownValues) {
  EXPECT_EQ(Noise(1, kOne).ErrorBar(0.95), 3.0);       // 2 q^4 / (1 + q) = 0.0268, 2 q^3 / (1 + q) = 0.0728
  EXPECT_EQ(Noise(1, 10 * kOne).ErrorBar(0.95), 0.0);  // noise is zero with probability 0.9999
  EXPECT_NEAR(Noise(Sensitivity::kMax, 1).ErrorBar(0.95) / (std::log(20) * 0x1p63), 1, 1e-9);
}

TEST(ErrorBar, GrowsWithConfidenceAndCells) {
  const DiscreteLaplace noise = Noise(1000, kOne);
  EXPECT_LT(noise.ErrorBar(0.9), noise.ErrorBar(0.95));
  EXPECT_LT(noise.ErrorBarAll(0.95, 10), noise.ErrorBarAll(0.95, 11));
  EXPECT_DEATH(noise.ErrorBar(1.0), "confidence");
  EXPECT_DEATH(noise.ErrorBar(std::nan("")), "confidence");
  EXPECT_DEATH(noise.ErrorBarAll(0.95, 0), "cells");
}

TEST(ShareForError, IsTheSmallestShareThatReachesIt_DL3) {
  for (const std::int64_t sensitivity : {std::int64_t{1}, std::int64_t{20}, Sensitivity::kMax}) {
    for (const double error : {0.0, 0.5, 1.0, 50.0, 12345.6, 1e15}) {
      for (const std::uint64_t cells : {1U, 12U}) {
        const Sensitivity steps = Sensitivity::Make(sensitivity).value();
        const auto share = DiscreteLaplace::ShareForError(steps, error, 0.95, cells);
        if (!share) {  // even the largest share is not enough
          EXPECT_GT(Noise(sensitivity, PlainUnits::kMax).ErrorBarAll(0.95, cells), error);
          continue;
        }
        EXPECT_LE(Noise(sensitivity, share.value().count()).ErrorBarAll(0.95, cells), error);
        if (share.value().count() > 1) {
          EXPECT_GT(Noise(sensitivity, share.value().count() - 1).ErrorBarAll(0.95, cells), error);
        }
      }
    }
  }
}

TEST(ShareForError, EdgesAndRefusals) {
  const Sensitivity one = Sensitivity::Make(1).value();
  EXPECT_EQ(DiscreteLaplace::ShareForError(Sensitivity::Make(0).value(), 0, 0.95).value(), PlainUnits());
  EXPECT_EQ(DiscreteLaplace::ShareForError(one, HUGE_VAL, 0.95).value().count(), 1);
  for (const double bad : {-1.0, std::nan(""), -HUGE_VAL}) EXPECT_FALSE(DiscreteLaplace::ShareForError(one, bad, 0.95));
  const auto impossible = DiscreteLaplace::ShareForError(Sensitivity::Make(Sensitivity::kMax).value(), 0, 0.95);
  ASSERT_FALSE(impossible);
  EXPECT_EQ(impossible.error().code, Code::kInvalidArgument);
}

}  // namespace
}  // namespace kith
