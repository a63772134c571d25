// The exact law of Laplace noise that is rounded towards zero: every path of bits, added up in integers.
#include <gtest/gtest.h>

#include <cmath>

#include "mechanism/laplace_floor.h"
#include "tests/support/scripted.h"

namespace kith {
namespace {

using testing::ExactLaw;
using testing::Walk;

/// Outputs whose probability is not that of the definition: the integral of exp(-|x| / scale) / (2 scale) over all x
/// that are rounded to it.
int Violations(std::uint64_t num, std::uint64_t den, long double scale) {
  const auto noise = LaplaceFloor::Make(num, den).value();
  const ExactLaw walked = Walk(24, [&](BitSource& bits) { return noise.Draw<8, 3>(bits); });
  EXPECT_LT(walked.UnexploredShare(), 0.065L);
  return walked.Violations(-30, 30, [&](Int128 output) {
    const auto k = static_cast<long double>(static_cast<std::int64_t>(output < 0 ? -output : output));
    const long double side = (std::exp(-k / scale) - std::exp(-(k + 1) / scale)) / 2;
    return output == 0 ? 2 * side : side;
  });
}

TEST(LaplaceFloorLaw, IsThatOfARoundedRealNumber_LEARN3) {
  EXPECT_EQ(Violations(5, 1, 5), 0);
  EXPECT_EQ(Violations(8, 1, 8), 0);
  EXPECT_EQ(Violations(27, 8, 27 / 8.0L), 0);
}

TEST(LaplaceFloorLaw, TheCheckAboveSeesAScaleThatIsOffByALittle) {
  EXPECT_GT(Violations(8, 1, 8.2L), 1);
  EXPECT_GT(Violations(500, 100, 4.9L), 1);
}

TEST(LaplaceFloorLaw, RefusesScalesThatTheSamplerDoesNotTake) {
  EXPECT_FALSE(LaplaceFloor::Make(1, 0));
  EXPECT_FALSE(LaplaceFloor::Make(1, 1));
  EXPECT_FALSE(LaplaceFloor::Make((std::uint64_t{1} << 63) + 1, 2));
  EXPECT_TRUE(LaplaceFloor::Make(std::uint64_t{1} << 57, 3));
}

}  // namespace
}  // namespace kith
