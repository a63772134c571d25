#include "mechanism/unknown_keys.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/support/key_law.h"
#include "tests/support/stat.h"

namespace kith {
namespace {

std::int64_t Square(double mu) { return static_cast<std::int64_t>(std::ldexp(mu * mu, 40)); }
std::int64_t Units(double delta) { return static_cast<std::int64_t>(std::ldexp(delta, 60)); }

// P[1 + Z >= 25] and P[Z >= 25] for sigma 5: 1.3e-6 and 4.8e-7; for 26 they are 4.8e-7 and 1.7e-7.
TEST(UnknownKeys, ThresholdIsThatOfTheTheorem) {
  const auto law = UnknownKeys::Make(1, Square(std::sqrt(2.0) / 5), Units(1e-6)).value();
  EXPECT_NEAR(law.noise().scale(), 5, 1e-6);
  EXPECT_EQ(law.threshold(), 26);
  EXPECT_EQ(UnknownKeys::Make(1, Square(std::sqrt(2.0) / 5), Units(1.9e-6)).value().threshold(), 25);
}

TEST(UnknownKeys, RefusesWithoutADelta) {
  EXPECT_FALSE(UnknownKeys::Make(1, Square(1), 0));
  EXPECT_FALSE(UnknownKeys::Make(0, Square(1), Units(1e-6)));
  EXPECT_FALSE(UnknownKeys::Make(1, 0, Units(1e-6)));
  EXPECT_TRUE(UnknownKeys::Make(50, Square(1), 1));
}

TEST(UnknownKeys, ShowsWhatReachesTheThresholdAndSaysFromWhenOn) {
  const auto law = UnknownKeys::Make(1, Square(std::sqrt(2.0) / 5), Units(1e-6)).value();
  EXPECT_EQ(law.ShownWith(0.95), 26 + 8);  // 1.645 * 5 = 8.2, less half a step
  stat::SeededBits bits(stat::SeedForThisTest());
  for (int run = 0; run < 100; ++run) {  // 20 sigma
    EXPECT_FALSE(law.Occurring(-74, bits));
    EXPECT_TRUE(law.Occurring(126, bits));
  }
}

/// delta of a Gaussian loss, by its definition.
long double DeltaOfMu(long double mu, long double loss) {
  const auto tail = [](long double x) { return std::erfc(x / std::sqrt(2.0L)) / 2; };
  return tail(loss / mu - mu / 2) - std::exp(loss) * tail(loss / mu + mu / 2);
}

struct Changed {
  std::vector<std::int64_t> before, after;
  std::int64_t most_keys;
};
// A unit's own keys go, come, or are exchanged for keys of others.
const Changed kChanges[] = {{{1}, {0}, 1},
                            {{0}, {1}, 1},
                            {{1, 0}, {0, 1}, 1},
                            {{5, 3}, {4, 4}, 1},
                            {{1, 4}, {0, 5}, 1},
                            {{1, 1}, {0, 0}, 2},
                            {{1, 1, 0, 0}, {0, 0, 1, 1}, 2},
                            {{1, 3, 2, 0}, {0, 2, 3, 1}, 2}};

/// By how much these changes pass the profile of mu, over all losses, as a multiple of the delta that is charged.
long double Worst(double mu, double delta, std::int64_t lowered) {
  long double worst = 0;
  for (const Changed& change : kChanges) {
    const auto law = UnknownKeys::Make(change.most_keys, Square(mu), Units(delta)).value();
    const std::vector<testing::PossibleKeys> before = {{1, change.before}}, after = {{1, change.after}};
    for (const double loss : {0.0, 0.3, 1.0, 2.0, 4.0, 8.0, 16.0, 24.0}) {
      const auto beyond = [&](const auto& a, const auto& b) {
        return (testing::DeltaOfKeys(a, b, law.threshold() - lowered, law.noise().scale(), loss) -
                DeltaOfMu(mu, loss)) /
               delta;
      };
      worst = std::max({worst, beyond(before, after), beyond(after, before)});
    }
  }
  return worst;
}

TEST(UnknownKeys, NoReplacedRecordLosesMore_KEYS1) {
  for (const double mu : {1.0, 2.0}) {
    for (const double delta : {1e-3, 1e-6}) {
      EXPECT_LE(Worst(mu, delta, 0), 1);
      EXPECT_GT(Worst(mu, delta, 0), 0.02L) << "the threshold is higher than it need be";
    }
  }
}

TEST(UnknownKeys, TheCheckAboveSeesAThresholdThatIsTooLow) {
  EXPECT_GT(Worst(1, 1e-6, 2), 1);
  EXPECT_GT(Worst(2, 1e-3, 2), 1);
}

}  // namespace
}  // namespace kith
