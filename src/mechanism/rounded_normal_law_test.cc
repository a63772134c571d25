// The exact law of rounded normal noise: every path of bits of one trial, added up in integers, with few digits at a
// time so that most of the walk is refining; and what the law promises about two values.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "mechanism/rounded_normal.h"
#include "tests/support/scripted.h"

namespace kith {
namespace {

using testing::ExactLaw;
using testing::Walk;

constexpr Int128 kRejected = Int128{1} << 100;

long double Normal(long double z) { return std::erfc(-z * std::numbers::sqrt2_v<long double> / 2) / 2; }

long double Mass(long double z, long double sigma) {
  const long double a = std::abs(z);  // on the side where no digit is lost
  return Normal((0.5L - a) / sigma) - Normal((-0.5L - a) / sigma);
}

/// How often a trial keeps what it drew: sqrt(pi/2) over the sum of exp(-k^2 / 2).
long double Kept() {
  long double sum = 0;
  for (int k = 0; k < 20; ++k) sum += std::exp(-k * k / 2.0L);
  return std::sqrt(std::numbers::pi_v<long double> / 2) / sum;
}

/// `depth`: each further bit takes half as long again, and leaves less open.
int Violations(std::uint64_t num, std::uint64_t den, long double sigma, int reach, int depth) {
  const RoundedNormal noise = RoundedNormal::Make(num, den).value();
  const ExactLaw law = Walk(depth, [&](BitSource& bits) { return noise.Trial<3, 4, 3, 2>(bits).value_or(kRejected); });
  EXPECT_LT(law.UnexploredShare(), depth == 19 ? 0.03L : 0.2L);
  int bad = law.Violations(-reach, reach, [&](Int128 z) {
    return Kept() * Mass(static_cast<long double>(static_cast<std::int64_t>(z)), sigma);
  });
  bad += law.Violations(kRejected, kRejected, [&](Int128) { return 1 - Kept(); });
  return bad;
}

TEST(RoundedNormalLaw, IsExactlyAsDefined_NORMAL2) {
  EXPECT_EQ(Violations(1, 1, 1, 8, 19), 0);
  EXPECT_EQ(Violations(1, 2, 0.5L, 5, 16), 0);
  EXPECT_EQ(Violations(7, 3, 7 / 3.0L, 12, 16), 0);
}

TEST(RoundedNormalLaw, TheCheckAboveSeesASigmaThatIsOffByATenth) { EXPECT_GT(Violations(11, 10, 1, 8, 19), 0); }

/// delta of the rounded law between two values that differ by `change`, against that of a Gaussian release.
long double DeltaOver(int change, long double sigma, long double promised_mu, long double epsilon) {
  long double delta = 0;
  for (int z = -400; z <= 400; ++z)
    delta += std::max<long double>(0, Mass(z, sigma) - std::exp(epsilon) * Mass(z - change, sigma));
  const long double promised = Normal(promised_mu / 2 - epsilon / promised_mu) -
                               std::exp(epsilon) * Normal(-promised_mu / 2 - epsilon / promised_mu);
  return delta / promised;
}

TEST(RoundedNormalLaw, IsAsGaussianAsTheNoiseBeforeRounding_NORMAL1) {
  for (const long double sigma : {0.25L, 1.0L, 3.7L, 20.0L}) {
    for (const int change : {1, 2, 5}) {
      for (const long double epsilon : {0.0L, 0.1L, 0.5L, 1.0L, 3.0L})
        EXPECT_LE(DeltaOver(change, sigma, change / sigma, epsilon), 1 + 1e-12L) << static_cast<double>(sigma);
    }
  }
}

TEST(RoundedNormalLaw, TheCheckAboveSeesThreePercentTooLittleNoise) {
  EXPECT_GT(DeltaOver(1, 3.7L * 0.97L, 1 / 3.7L, 1), 1.05L);
  EXPECT_GT(DeltaOver(2, 20 * 0.97L, 2 / 20.0L, 0.1L), 1.01L);
}

}  // namespace
}  // namespace kith
