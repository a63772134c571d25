// The exact law of Below and Chance: every path of bits, added up in integers.
#include <gtest/gtest.h>

#include "random/bits.h"
#include "tests/support/scripted.h"

namespace kith {
namespace {

using testing::ExactLaw;
using testing::Walk;

/// How many of the n results differ in probability from the result 0, on the paths of at most 20 bits. What is left
/// over is only refused draws, which start again.
int UnequalResults(std::uint64_t n, std::uint64_t (*draw)(std::uint64_t, BitSource&)) {
  const ExactLaw law = Walk(20, [&](BitSource& bits) { return static_cast<Int128>(draw(n, bits)); });
  EXPECT_LT(law.UnexploredShare(), 0.13L);
  EXPECT_EQ(law.found.size(), n);
  EXPECT_TRUE(law.found.begin()->first == 0 && law.found.rbegin()->first == static_cast<Int128>(n) - 1);
  int unequal = 0;
  for (const auto& [output, weight] : law.found) unequal += weight == law.found.at(0) ? 0 : 1;
  return unequal;
}

TEST(BelowLaw, EveryResultHasTheSameProbability_RAND1) {
  for (std::uint64_t n = 1; n <= 40; ++n) EXPECT_EQ(UnequalResults(n, Below<BitSource>), 0) << n;
}

TEST(BelowLaw, TheCheckAboveSeesTheRemainderTrick) {
  const auto modulo = [](std::uint64_t n, BitSource& bits) { return bits.Bits(20) % n; };
  EXPECT_EQ(UnequalResults(64, modulo), 0);
  EXPECT_EQ(UnequalResults(61, modulo), 61 - (1 << 20) % 61);
}

TEST(BelowLaw, WidestBounds_RAND1) {
  const std::uint64_t all = ~std::uint64_t{0};
  testing::ScriptedBits bits({{64, all}, {64, all - 1}, {63, 7}, {64, std::uint64_t{1} << 63}});
  EXPECT_EQ(Below(all, bits), all - 1);  // the first word is refused
  EXPECT_EQ(Below(std::uint64_t{1} << 63, bits), 7U);
  EXPECT_EQ(Below((std::uint64_t{1} << 63) + 1, bits), std::uint64_t{1} << 63);
  EXPECT_TRUE(bits.used_up());
}

/// Whether yes and no are exactly as n to d - n on the paths of at most 16 bits.
bool StandAs(std::uint64_t n, std::uint64_t d, std::uint64_t drawn_n, std::uint64_t drawn_d) {
  ExactLaw law = Walk(16, [&](BitSource& bits) { return Int128{Chance(drawn_n, drawn_d, bits) ? 1 : 0}; });
  EXPECT_LT(law.UnexploredShare(), 0.13L);
  return law.found[1] * (d - n) == law.found[0] * n;
}

TEST(ChanceLaw, IsExact_RAND1) {
  for (std::uint64_t d = 1; d <= 17; ++d) {
    for (std::uint64_t n = 0; n <= d; ++n) EXPECT_TRUE(StandAs(n, d, n, d)) << n << "/" << d;
  }
}

TEST(ChanceLaw, TheCheckAboveSeesOneInAThousand) { EXPECT_FALSE(StandAs(1, 3, 334, 1000)); }

}  // namespace
}  // namespace kith
