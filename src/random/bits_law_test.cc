// The exact law of Below and Chance: every path of bits, added up in integers.
#include <gtest/gtest.h>

#include "random/bits.h"
#include "tests/support/scripted.h"

namespace kith {
namespace {

using testing::ExactLaw;
using testing::Walk;

/// The share of the n results whose probability cannot be 1/n.
int WrongResults(std::uint64_t n, std::uint64_t (*draw)(std::uint64_t, BitSource&)) {
  const ExactLaw law = Walk(30, [&](BitSource& bits) { return static_cast<Int128>(draw(n, bits)); });
  EXPECT_LT(law.UnexploredShare(), 0.01L);
  const auto last = static_cast<Int128>(n) - 1;
  EXPECT_TRUE(law.found.begin()->first >= 0 && law.found.rbegin()->first <= last);
  return law.Violations(0, last, [&](Int128) { return 1 / static_cast<long double>(n); });
}

TEST(BelowLaw, EveryResultHasTheSameProbability_RAND1) {
  for (std::uint64_t n = 1; n <= 70; ++n) EXPECT_EQ(WrongResults(n, Below<BitSource>), 0) << n;
}

TEST(BelowLaw, TheCheckAboveSeesTheRemainderTrick) {
  const auto modulo = [](std::uint64_t n, BitSource& bits) { return bits.Bits(12) % n; };
  EXPECT_EQ(WrongResults(64, modulo), 0);
  EXPECT_EQ(WrongResults(61, modulo), 61);
}

TEST(BelowLaw, WidestBounds_RAND1) {
  const std::uint64_t all = ~std::uint64_t{0};
  testing::ScriptedBits bits({{64, all}, {64, all - 1}, {63, 7}, {64, std::uint64_t{1} << 63}});
  EXPECT_EQ(Below(all, bits), all - 1);  // the first word is refused
  EXPECT_EQ(Below(std::uint64_t{1} << 63, bits), 7U);
  EXPECT_EQ(Below((std::uint64_t{1} << 63) + 1, bits), std::uint64_t{1} << 63);
  EXPECT_TRUE(bits.used_up());
}

TEST(ChanceLaw, IsExact_RAND1) {
  for (std::uint64_t d = 1; d <= 20; ++d) {
    for (std::uint64_t n = 0; n <= d; ++n) {
      const ExactLaw law = Walk(24, [&](BitSource& bits) { return Int128{Chance(n, d, bits) ? 1 : 0}; });
      const auto probability = [&](Int128 yes) {
        return static_cast<long double>(yes == 1 ? n : d - n) / static_cast<long double>(d);
      };
      EXPECT_EQ(law.Violations(0, 1, probability), 0) << n << "/" << d;
      EXPECT_LT(law.UnexploredShare(), 0.01L);
    }
  }
}

TEST(ChanceLaw, TheCheckAboveSeesOneInAThousand) {
  const ExactLaw law = Walk(24, [](BitSource& bits) { return Int128{Chance(334, 1000, bits) ? 1 : 0}; });
  EXPECT_EQ(law.Violations(0, 1, [](Int128 yes) { return yes == 1 ? 1 / 3.0L : 2 / 3.0L; }), 2);
}

}  // namespace
}  // namespace kith
