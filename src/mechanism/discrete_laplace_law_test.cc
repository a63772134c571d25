// The exact law of the noise: every path of bits, added up in integers. Few digits at a time, so that the walk is short
// and the refining of open cases is a large part of it; the law may not depend on that.
#include <gtest/gtest.h>

#include <cmath>

#include "mechanism/discrete_laplace.h"
#include "tests/support/exact_laws.h"
#include "tests/support/scripted.h"

namespace kith {
namespace {

using testing::DiscreteLaplaceLaw;
using testing::ExactLaw;
using testing::Walk;

constexpr int kDepth = 40;

DiscreteLaplace Noise(std::int64_t sensitivity, double share) {
  return DiscreteLaplace::Make(Sensitivity::Make(sensitivity).value(), PlainUnits::Floor(share).value()).value();
}

ExactLaw WalkRelease(const DiscreteLaplace& noise, Int128 value) {
  return Walk(kDepth, [&](BitSource& bits) { return noise.Release<8, 3>(value, bits); });
}

int Violations(const DiscreteLaplace& noise, long double scale, int reach) {
  const ExactLaw law = WalkRelease(noise, 0);
  EXPECT_LT(law.UnexploredShare(), 1e-8L);
  const DiscreteLaplaceLaw truth(scale);
  return law.Violations(-reach, reach, [&](Int128 z) { return truth.Mass(static_cast<std::int64_t>(z)); });
}

TEST(DiscreteLaplaceLaw, IsExactlyAsDefined_DL1) {
  EXPECT_EQ(Violations(Noise(1, 1), 1, 40), 0);
  EXPECT_EQ(Violations(Noise(3, 2), 1.5L, 60), 0);
  EXPECT_EQ(Violations(Noise(1, 4), 0.25L, 20), 0);
  EXPECT_EQ(Violations(Noise(5, 0.75), 5 / 0.75L, 200), 0);
}

TEST(DiscreteLaplaceLaw, TheCheckAboveSeesAScaleThatIsOffByOnePartInAMillion) {
  EXPECT_GT(Violations(Noise(1, 1.000001), 1, 40), 5);
  EXPECT_GT(Violations(Noise(1, 0.999999), 1, 40), 5);
}

/// How many outputs prove a loss above the given one, for two values that differ by `change`, in both directions.
int Leaks(const DiscreteLaplace& noise, Int128 change, double loss) {
  const ExactLaw one = WalkRelease(noise, 0);
  const ExactLaw other = WalkRelease(noise, change);
  int leaks = 0;
  const auto compare = [&](const ExactLaw& p, const ExactLaw& q) {
    for (const auto& [output, weight] : p.found) {
      const auto at = q.found.find(output);
      const UInt128 most = (at == q.found.end() ? 0 : at->second) + q.unexplored;
      leaks += static_cast<long double>(weight) >
                       std::exp(static_cast<long double>(loss)) * static_cast<long double>(most) * (1 + 0x1p-60L)
                   ? 1
                   : 0;
    }
  };
  compare(one, other);
  compare(other, one);
  return leaks;
}

TEST(DiscreteLaplaceLaw, NoOutputLosesMoreThanItsShare_DL1) {
  EXPECT_EQ(Leaks(Noise(1, 1), 1, 1), 0);
  EXPECT_EQ(Leaks(Noise(3, 2), 3, 2), 0);
  EXPECT_EQ(Leaks(Noise(3, 2), -2, 2 * 2 / 3.0 + 1e-9), 0);
  const PlainUnits share = PlainUnits::Floor(0.7).value();  // 0.7 is not a multiple of 2^-32: the rounded share counts
  EXPECT_EQ(Leaks(DiscreteLaplace::Make(Sensitivity::Make(1).value(), share).value(), 1, share.epsilon()), 0);
}

TEST(DiscreteLaplaceLaw, TheCheckAboveSeesASensitivityThatIsTooSmall) {
  EXPECT_GT(Leaks(Noise(2, 2), 3, 2), 5);          // one step forgotten
  EXPECT_GT(Leaks(Noise(1, 1), 1, 0.9999999), 5);  // and the bound is reached: there is no more noise than needed
}

TEST(DiscreteLaplaceLaw, DoesNotDependOnHowManyDigitsAreDrawn) {
  const DiscreteLaplace noise = Noise(2, 1);
  const ExactLaw few = Walk(30, [&](BitSource& bits) { return noise.Noise<2, 1>(bits); });
  const ExactLaw many = Walk(30, [&](BitSource& bits) { return noise.Noise<14, 5>(bits); });
  for (const auto& [output, weight] : few.found) {
    const auto at = many.found.find(output);
    const UInt128 found = at == many.found.end() ? 0 : at->second;
    EXPECT_TRUE(weight <= found + many.unexplored && found <= weight + few.unexplored);
  }
  EXPECT_GT(few.found.size(), 20U);
}

}  // namespace
}  // namespace kith
