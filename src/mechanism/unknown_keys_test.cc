#include "mechanism/unknown_keys.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/support/exact_laws.h"

namespace kith {
namespace {

const PlainUnits kOne = PlainUnits::Of(PlainUnits::kOne);
std::int64_t Units(double delta) { return static_cast<std::int64_t>(std::ldexp(delta, 60)); }

// LEAP 2.1, column of the threshold at a delta of 1e-6.
TEST(UnknownKeys, ThresholdIsThatOfTheTheorem) {
  EXPECT_EQ(UnknownKeys::Make(1, kOne, Units(1e-6)).value().threshold(), 28);
}

TEST(UnknownKeys, RefusesWithoutADelta) {
  EXPECT_FALSE(UnknownKeys::Make(1, kOne, 0));
  EXPECT_FALSE(UnknownKeys::Make(0, kOne, Units(1e-6)));
  EXPECT_FALSE(UnknownKeys::Make(1, PlainUnits::Of(0), Units(1e-6)));
  EXPECT_TRUE(UnknownKeys::Make(50, kOne, 1));
}

/// What can be seen of one key: that it is not shown (index 0), or a noisy count from the threshold on.
std::vector<long double> SeenOf(std::int64_t units, std::int64_t threshold, long double scale) {
  std::vector<long double> law(static_cast<std::size_t>(80 * scale));
  if (units == 0) {  // keys that do not occur are never shown
    law[0] = 1;
    return law;
  }
  const testing::DiscreteLaplaceLaw noise(scale);
  law[0] = noise.Cdf(threshold - 1 - units);
  for (std::size_t k = 1; k < law.size(); ++k)
    law[k] = noise.Mass(threshold - 1 + static_cast<std::int64_t>(k) - units);
  return law;
}

/// The largest P[S] - e^loss P'[S] over sets of answers, for keys with so many units before and after: exact but for
/// the far tail.
long double Delta(const std::vector<std::int64_t>& before, const std::vector<std::int64_t>& after,
                  std::int64_t threshold, long double scale, long double loss) {
  std::vector<std::pair<long double, long double>> answers = {{1, 1}};
  for (std::size_t key = 0; key < before.size(); ++key) {
    const auto left = SeenOf(before[key], threshold, scale), right = SeenOf(after[key], threshold, scale);
    std::vector<std::pair<long double, long double>> next;
    // Only ratios matter: all noisy counts with one ratio are one answer, which keeps this small.
    std::vector<std::pair<long double, long double>> seen;
    for (std::size_t k = 0; k < left.size(); ++k) {
      const auto same = [&](const auto& other) {
        return std::abs(other.first * right[k] - other.second * left[k]) <= 1e-15L * other.first * (right[k] + 1e-300L);
      };
      const auto found = k == 0 ? seen.end() : std::find_if(seen.begin(), seen.end(), same);
      if (found == seen.end()) {
        seen.emplace_back(left[k], right[k]);
      } else {
        found->first += left[k];
        found->second += right[k];
      }
    }
    for (const auto& [p, q] : answers) {
      for (const auto& [l, r] : seen) next.emplace_back(p * l, q * r);
    }
    answers = std::move(next);
  }
  long double delta = 0;
  for (const auto& [p, q] : answers) delta += std::max(0.0L, p - std::exp(loss) * q);
  return delta;
}

struct Change {
  std::vector<std::int64_t> before, after;
  std::int64_t most_keys;
};
// A unit's own keys go, come, or are exchanged for keys of others.
const Change kChanges[] = {{{1}, {0}, 1},
                           {{0}, {1}, 1},
                           {{1, 0}, {0, 1}, 1},
                           {{5, 3}, {4, 4}, 1},
                           {{1, 4}, {0, 5}, 1},
                           {{1, 1}, {0, 0}, 2},
                           {{1, 1, 0, 0}, {0, 0, 1, 1}, 2},
                           {{1, 3, 2, 0}, {0, 2, 3, 1}, 2}};

/// The largest delta over these changes, as a multiple of what is charged.
long double Worst(double delta, PlainUnits share, std::int64_t lowered) {
  long double worst = 0;
  for (const Change& change : kChanges) {
    const auto law = UnknownKeys::Make(change.most_keys, share, Units(delta)).value();
    const long double scale = 2 * static_cast<long double>(change.most_keys) / share.epsilon();
    const long double loss = share.epsilon() + 1e-12L;
    const auto threshold = law.threshold() - lowered;
    worst = std::max({worst, Delta(change.before, change.after, threshold, scale, loss) / delta,
                      Delta(change.after, change.before, threshold, scale, loss) / delta});
  }
  return worst;
}

TEST(UnknownKeys, NoReplacedRecordLosesMore_KEYS1) {
  EXPECT_LE(Worst(1e-3, kOne, 0), 1);
  EXPECT_LE(Worst(1e-6, kOne, 0), 1);
  EXPECT_LE(Worst(1e-2, PlainUnits::Of(PlainUnits::kOne / 2), 0), 1);
  EXPECT_GT(Worst(1e-6, kOne, 0), 0.3L) << "the threshold is higher than it need be";
}

TEST(UnknownKeys, TheCheckAboveSeesAThresholdThatIsTooLow) {
  EXPECT_GT(Worst(1e-6, kOne, 3), 1);
  EXPECT_GT(Worst(1e-3, kOne, 3), 1);
}

// Members of a household share its key, and all of them are like one (complete dependence): a threshold for single
// units shows the key too often, one at a delta that is transferred does not. LEAP 2.2.
TEST(UnknownKeys, AKeyThatAHouseholdSharesNeedsATransferredDelta_KEYS1) {
  constexpr int kMembers = 6;
  const auto shown = [](std::int64_t threshold, long double scale) {
    return 1 - testing::DiscreteLaplaceLaw(scale).Cdf(threshold - 1 - kMembers);
  };
  const double dependent = 1, delta = 1e-6, plain = dependent / kMembers;
  const double transferred = delta * std::expm1(plain) / std::expm1(dependent);
  const auto share = PlainUnits::Floor(plain).value();
  const auto right = UnknownKeys::Make(1, share, Units(transferred)).value();
  EXPECT_LE(shown(right.threshold(), right.noise().scale()), delta);
  const auto wrong = UnknownKeys::Make(1, kOne, Units(delta)).value();  // as for single units
  EXPECT_NEAR(static_cast<double>(shown(wrong.threshold(), 2)), 1.0e-5, 0.1e-5);
  EXPECT_GT(shown(wrong.threshold(), 2), 10 * delta);
}

}  // namespace
}  // namespace kith
