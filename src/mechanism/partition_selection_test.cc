#include "mechanism/partition_selection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

#include "tests/support/key_law.h"
#include "tests/support/stat.h"

namespace kith {
namespace {

Loss Square(double mu) { return Loss::Of(LossKind::kMu, static_cast<std::int64_t>(std::ldexp(mu * mu, 40))).value(); }
Loss Pure(double epsilon) { return Loss::Pure(PlainUnits::Floor(epsilon).value()); }
std::int64_t Units(double delta) { return static_cast<std::int64_t>(std::ldexp(delta, 60)); }

// P[1 + Z >= 25] and P[Z >= 25] for sigma 5: 1.3e-6 and 4.8e-7; for 26 they are 4.8e-7 and 1.7e-7.
TEST(PartitionSelection, ThresholdIsThatOfTheTheorem) {
  const auto law = PartitionSelection::Make(1, Square(std::sqrt(2.0) / 5), Units(1e-6)).value();
  EXPECT_NEAR(law.noise().scale(), 5, 1e-6);
  EXPECT_EQ(law.threshold(), 26);
  EXPECT_EQ(PartitionSelection::Make(1, Square(std::sqrt(2.0) / 5), Units(1.9e-6)).value().threshold(), 25);
}

TEST(PartitionSelection, RefusesWithoutADelta) {
  EXPECT_FALSE(PartitionSelection::Make(1, Square(1), 0));
  EXPECT_FALSE(PartitionSelection::Make(0, Square(1), Units(1e-6)));
  EXPECT_FALSE(PartitionSelection::Make(1, Loss(), Units(1e-6)));
  EXPECT_TRUE(PartitionSelection::Make(50, Square(1), 1));
}

TEST(PartitionSelection, ShowsWhatReachesTheThresholdAndSaysFromWhenOn) {
  const auto law = PartitionSelection::Make(1, Square(std::sqrt(2.0) / 5), Units(1e-6)).value();
  EXPECT_EQ(law.ShownWith(0.95), 26 + 8);  // 1.645 * 5 = 8.2, less half a step
  stat::SeededBits bits(stat::SeedForThisTest());
  for (int run = 0; run < 100; ++run) {  // 20 sigma
    EXPECT_FALSE(law.Select(-74, bits));
    EXPECT_TRUE(law.Select(126, bits));
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

/// By how much these changes exceed the profile of mu, over all losses, as a multiple of the delta that is charged.
long double Worst(double mu, double delta, std::int64_t lowered) {
  long double worst = 0;
  for (const Changed& change : kChanges) {
    const auto law = PartitionSelection::Make(change.most_keys, Square(mu), Units(delta)).value();
    const std::vector<testing::PossibleKeys> before = {{1, change.before}}, after = {{1, change.after}};
    for (const double loss : {0.0, 0.3, 1.0, 2.0, 4.0, 8.0, 16.0, 24.0}) {
      const auto beyond = [&](const auto& a, const auto& b) {
        const testing::KeyLaw seen{law.threshold() - lowered, law.noise().scale()};
        return (testing::DeltaOfKeys(a, b, seen, loss) - DeltaOfMu(mu, loss)) / delta;
      };
      worst = std::max({worst, beyond(before, after), beyond(after, before)});
    }
  }
  return worst;
}

TEST(PartitionSelection, NoReplacedRecordLosesMore_KEYS1) {
  for (const double mu : {1.0, 2.0}) {
    for (const double delta : {1e-3, 1e-6}) {
      const long double worst = Worst(mu, delta, 0);
      EXPECT_LE(worst, 1);
      EXPECT_GT(worst, 0.02L) << "the threshold is higher than it need be";
    }
  }
}

TEST(PartitionSelection, TheCheckAboveSeesAThresholdThatIsTooLow) {
  EXPECT_GT(Worst(1, 1e-6, 2), 1);
  EXPECT_GT(Worst(2, 1e-3, 2), 1);
}

// (1 - q) q^k / (1 + q - q^(k + 1)) with q = e^(-e/2m), at the threshold k + 1, and no lower.
TEST(PartitionSelection, ThresholdOfLaplaceNoiseIsThatOfTheTheorem) {
  const auto threshold = [](std::int64_t keys, double epsilon, double delta) {
    return PartitionSelection::Make(keys, Pure(epsilon), Units(delta)).value().threshold();
  };
  for (const auto& [keys, epsilon, delta] :
       {std::tuple{1, 1.0, 1e-6}, {1, 1.0, 5e-7}, {1, 0.5, 1e-9}, {3, 1.0, 1e-6}, {2, 8.0, 1e-3}, {1, 6.0, 0.1}}) {
    const long double q = std::exp(-static_cast<long double>(epsilon) / (2 * keys));
    std::int64_t k = 0;
    while (keys * (1 - q) * std::pow(q, k) / (1 + q - std::pow(q, k + 1)) > delta) ++k;
    EXPECT_EQ(threshold(keys, epsilon, delta), k + 1) << keys << " " << epsilon << " " << delta;
  }
  EXPECT_EQ(threshold(1, 1, 1e-6), 26);
  EXPECT_EQ(PartitionSelection::Make(1, Pure(1), Units(1e-6)).value().ShownWith(0.95), 31);
  EXPECT_FALSE(PartitionSelection::Make(1, Pure(1), 0));
  EXPECT_FALSE(PartitionSelection::Make(1, Pure(1) + Square(1), Units(1e-6)));
}

TEST(PartitionSelection, LaplaceNoiseNeverReachesTheThresholdByItself) {
  const auto law = PartitionSelection::Make(1, Pure(6), Units(0.05)).value();
  ASSERT_LE(law.threshold(), 3);
  stat::SeededBits bits(stat::SeedForThisTest());
  int shown = 0, hidden = 0;
  constexpr int kRuns = 200'000;
  for (int run = 0; run < kRuns; ++run) {
    EXPECT_FALSE(law.Select(0, bits));
    const auto noisy = law.Select(law.threshold(), bits);
    EXPECT_LT(noisy.value_or(0), 2 * law.threshold());
    hidden += noisy ? 0 : 1;
    shown += law.Select(1, bits) ? 1 : 0;
  }
  // P[Z = k | Z <= k] and P[Z < 0 | Z <= k], each within 6.5 standard deviations: 1e-10.
  const double q = std::exp(-3.0), k = static_cast<double>(law.threshold() - 1), all = 1 + q - std::pow(q, k + 1);
  const auto near = [&](int found, double p) { EXPECT_NEAR(found, p * kRuns, 6.5 * std::sqrt(p * (1 - p) * kRuns)); };
  near(shown, (1 - q) * std::pow(q, k) / all);
  near(hidden, q / all);
}

/// The same as Worst for a pure loss: the exact delta at that loss, over neighbours with all small counts, as a
/// multiple of what is charged. `cut` and `lowered`: faults.
long double WorstPure(double epsilon, double delta, std::int64_t lowered, bool cut = true, double claimed = 1) {
  long double worst = 0;
  const auto beyond = [&](const Changed& change) {
    const auto law = PartitionSelection::Make(change.most_keys, Pure(epsilon), Units(delta)).value();
    const testing::KeyLaw seen{law.threshold() - lowered, law.noise().scale(), true, cut};
    if (change.before.size() > 2 && (!cut || law.threshold() > 16)) return;  // too many answers to list
    const std::vector<testing::PossibleKeys> before = {{1, change.before}}, after = {{1, change.after}};
    const long double loss = epsilon * claimed * (1 + 1e-12L);
    worst = std::max({worst, testing::DeltaOfKeys(before, after, seen, loss) / delta,
                      testing::DeltaOfKeys(after, before, seen, loss) / delta});
  };
  for (const Changed& change : kChanges) beyond(change);
  const auto one = PartitionSelection::Make(1, Pure(epsilon), Units(delta)).value();
  for (std::int64_t left = 1; left <= 2 * one.threshold() + 1; ++left) {
    for (std::int64_t joined = 0; joined <= 2 * one.threshold() + 1; ++joined)
      beyond({{left, joined}, {left - 1, joined + 1}, 1});
  }
  return worst;
}

TEST(PartitionSelection, NoReplacedRecordLosesMoreThanAPureLossBesideItsDelta_KEYS4) {
  for (const double epsilon : {1.0, 3.0}) {
    for (const double delta : {1e-2, 1e-5}) {
      const long double worst = WorstPure(epsilon, delta, 0);
      EXPECT_LE(worst, 1 + 1e-9L);
      EXPECT_GT(worst, 0.15L) << "the threshold is higher than it need be";
    }
  }
}

// A threshold that is one too low; noise that is not cut there, so that keys that nobody has would need it; half of
// the loss forgotten.
TEST(PartitionSelection, TheCheckAboveSeesWhatLaplaceNoiseMayNotDo) {
  EXPECT_GT(WorstPure(3, 1e-5, 1), 1);
  EXPECT_GT(WorstPure(1, 1e-2, 0, false), 1);
  EXPECT_GT(WorstPure(3, 1e-5, 0, true, 0.5), 1);
}

}  // namespace
}  // namespace kith
