// The walk through all bits, on a sampler that is known from the literature, and on faulty ones that it must reject.
#include <gtest/gtest.h>

#include "tests/support/exact_laws.h"
#include "tests/support/scripted.h"

namespace kith::testing {
namespace {

/// True with probability exp(-1): Canonne, Kamath, Steinke 2020, Algorithm 1. `fault` is added to the third
/// denominator.
bool ExpMinusOne(BitSource& bits, std::uint64_t fault) {
  std::uint64_t k = 1;
  while (Chance(1, k == 3 ? k + fault : k, bits)) ++k;
  return k % 2 == 1;
}

/// Discrete Laplace of scale 1, the same paper's Algorithm 2 with s = t = 1.
Int128 TextbookLaplace(BitSource& bits, std::uint64_t fault) {
  for (;;) {
    Int128 size = 0;
    while (ExpMinusOne(bits, fault)) ++size;
    const bool negative = Chance(1, 2, bits);
    if (!negative || size != 0) return negative ? -size : size;
  }
}

const auto kScaleOne = [](Int128 z) {
  static const DiscreteLaplaceLaw law(1);
  return law.Mass(static_cast<std::int64_t>(z));
};

TEST(Walk, AddsUpToOne) {
  const ExactLaw law = Walk(20, [](BitSource& bits) { return static_cast<Int128>(Below(5, bits)); });
  UInt128 total = law.unexplored;
  for (const auto& [output, weight] : law.found) total += weight;
  EXPECT_EQ(total, UInt128{1} << 20);
  EXPECT_EQ(law.found.size(), 5U);
  EXPECT_EQ(law.unexplored,
            UInt128{3 * 3 * 3 * 3 * 3 * 3} << 2);  // 3 of 8 refused, six times in 18 bits; two bits are left
}

TEST(Walk, AcceptsTheTextbookSampler) {
  const ExactLaw law = Walk(22, [](BitSource& bits) { return TextbookLaplace(bits, 0); });
  EXPECT_LT(law.UnexploredShare(), 0.04L);
  EXPECT_EQ(law.Violations(-30, 30, kScaleOne), 0);
}

TEST(Walk, RejectsOneWrongDenominator) {
  const ExactLaw law = Walk(22, [](BitSource& bits) { return TextbookLaplace(bits, 1); });
  EXPECT_GE(law.Violations(-30, 30, kScaleOne), 3);
}

TEST(Walk, RejectsAFaultOfOnePartInAMillion) {
  const auto biased = [](BitSource& bits) { return Int128{bits.Bits(20) < (1U << 19) + 1 ? 1 : 0}; };
  EXPECT_EQ(Walk(20, biased).Violations(0, 1, [](Int128) { return 0.5L; }), 2);
}

TEST(ScriptedBits, HandOutTheScriptAndNothingElse) {
  ScriptedBits bits({{3, 5}, {64, ~std::uint64_t{0}}});
  EXPECT_EQ(bits.Bits(3), 5U);
  EXPECT_FALSE(bits.used_up());
  EXPECT_EQ(bits.Bits(64), ~std::uint64_t{0});
  EXPECT_TRUE(bits.used_up());
  EXPECT_DEATH(bits.Bits(1), "draws_");
}

}  // namespace
}  // namespace kith::testing
