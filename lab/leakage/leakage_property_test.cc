// Every theorem about one-sided leakage by enumeration of states and outcomes on random laws, and by simulation.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "leakage/leakage.h"
#include "mechanism/record_release.h"
#include "tests/support/small_laws.h"
#include "tests/support/stat.h"

namespace kith::one_sided {
namespace {

using testing::Dice;

SensitivityLaw RandomSensitivity(Dice& dice, std::size_t attributes) {
  return SensitivityLaw::Make(testing::RandomLaw(dice, 1 << attributes)).value();
}

/// P(state, outcome) written down from the definition of the mechanism, one attribute at a time.
double Joint(const SensitivityLaw& law, const std::vector<double>& epsilon, std::size_t state, std::size_t outcome) {
  double p = law.law()[state];
  for (std::size_t a = 0; a < law.attributes(); ++a) {
    const bool open = (state >> a & 1U) != 0;
    const bool out = (outcome >> a & 1U) != 0;
    const double released = open ? 1 - std::exp(-epsilon[a]) : 0;
    p *= out ? released : 1 - released;
  }
  return p;
}

struct Truth {
  double sensitive = 0, open = 0;  // P(X_target = 0 or 1, outcome)
};
Truth Enumerate(const SensitivityLaw& law, const std::vector<double>& epsilon, std::size_t target,
                std::size_t outcome) {
  Truth truth;
  for (std::size_t state = 0; state < law.law().size(); ++state)
    ((state >> target & 1U) != 0 ? truth.open : truth.sensitive) += Joint(law, epsilon, state, outcome);
  return truth;
}

/// Largest relative gap between OddsAfter and enumeration; `wrong` plants a fault: the pairwise product.
double LargestGap(bool wrong) {
  Dice dice(stat::SeedForThisTest());
  double gap = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const auto n = static_cast<std::size_t>(2 + dice.Below(3));
    const SensitivityLaw law = RandomSensitivity(dice, n);
    const auto target = static_cast<std::size_t>(dice.Below(static_cast<int>(n)));
    if (law.Sensitive(target) < 1e-9 || law.Sensitive(target) > 1 - 1e-9) continue;
    std::vector<double> epsilon;
    for (std::size_t a = 0; a < n; ++a) epsilon.push_back(dice.Between(0.01, 3));
    for (std::size_t outcome = 0; outcome < law.law().size(); ++outcome) {
      const Truth truth = Enumerate(law, epsilon, target, outcome);
      std::vector<Observation> seen;
      for (std::size_t a = 0; a < n; ++a) {
        const bool out = (outcome >> a & 1U) != 0;
        seen.push_back({a, epsilon[a], out ? 0 : 1, out});
      }
      const auto odds = OddsAfter(law, target, seen);
      if (!(truth.sensitive + truth.open > 0)) {
        EXPECT_FALSE(odds);
        continue;
      }
      const double exact = truth.sensitive / truth.open;
      const double got = wrong ? odds->prior * odds->pairwise : odds->posterior;
      if (std::isinf(exact) || exact == 0) {
        if (!wrong) {
          EXPECT_EQ(got, exact);
        }
        continue;
      }
      gap = std::max(gap, std::abs(got / exact - 1));
    }
  }
  return gap;
}

TEST(OneSidedLeakageProperty, OddsEqualEnumeration) { EXPECT_LE(LargestGap(false), 1e-9); }

TEST(OneSidedLeakageProperty, TheComparisonSeesPairFactorsThatDoNotMultiply) { EXPECT_GT(LargestGap(true), 0.1); }

TEST(OneSidedLeakageProperty, PairTheoremsEqualEnumeration) {
  Dice dice(stat::SeedForThisTest());
  for (int trial = 0; trial < 500; ++trial) {
    const SensitivityLaw law = RandomSensitivity(dice, 2);
    const auto pair = Dependence(law, 0, 1);
    if (!pair) continue;
    const double epsilon = dice.Between(0, 3);
    const double prior = law.Sensitive(1) / (1 - law.Sensitive(1));
    const auto factor = [&](bool out) {  // attribute 1 is not served: its epsilon is 0
      const Truth truth = Enumerate(law, {epsilon, 0}, 1, out ? 1 : 0);
      return truth.sensitive / truth.open / prior;
    };
    const double away = factor(false);
    EXPECT_NEAR(SuppressedFactor(*pair, epsilon) / away, 1, 1e-9);
    const double out = factor(true);
    if (std::isfinite(out) && out > 0) {
      EXPECT_NEAR(ReleasedFactor(*pair) / out, 1, 1e-6);
    }
    const double kappa = dice.Between(0.01, 2);
    const double largest = LargestEpsilon(*pair, kappa);
    EXPECT_LE(std::log(SuppressedFactor(*pair, std::min(largest, 50.0))), kappa + 1e-9);
    if (largest < 40) {
      EXPECT_GT(std::log(SuppressedFactor(*pair, largest * 1.01 + 1e-6)), kappa);
    }
  }
}

TEST(OneSidedLeakageProperty, InformationEqualsEnumerationAndGrowsWithTheRate) {
  Dice dice(stat::SeedForThisTest());
  for (int trial = 0; trial < 200; ++trial) {
    const SensitivityLaw law = RandomSensitivity(dice, 3);
    std::vector<double> epsilon, rates;
    for (int a = 0; a < 3; ++a) {
      epsilon.push_back(dice.Between(0, 3));
      rates.push_back(1 - std::exp(-epsilon.back()));
    }
    double information = 0;
    const double prior[2] = {law.Sensitive(2), 1 - law.Sensitive(2)};
    for (std::size_t outcome = 0; outcome < 8; ++outcome) {
      const Truth truth = Enumerate(law, epsilon, 2, outcome);
      const double all = truth.sensitive + truth.open;
      if (truth.sensitive > 0) information += truth.sensitive * std::log(truth.sensitive / (all * prior[0]));
      if (truth.open > 0) information += truth.open * std::log(truth.open / (all * prior[1]));
    }
    EXPECT_NEAR(JointInformation(law, 2, rates), information, 1e-9);
    double before = 0;
    for (double rate = 0; rate <= 1; rate += 0.125) {
      const double now = Information(law, 0, 2, rate);
      EXPECT_GE(now, before - 1e-12);
      before = now;
    }
    // Somebody who sees one attribute never learns more than somebody who sees all.
    EXPECT_LE(Information(law, 0, 2, rates[0]), JointInformation(law, 2, rates) + 1e-12);
  }
}

/// Draws entities, serves them, and counts how often the target is sensitive among those with one outcome.
/// Returns how many standard deviations the count is away from what `odds` says.
double SimulatedDeviation(double claimed_factor_of) {
  const SensitivityLaw law = SensitivityLaw::Make({0.2, 0.2, 0.1, 0.5}).value();
  std::mt19937_64 draws(stat::SeedForThisTest());
  std::uniform_real_distribution<double> uniform;
  const double epsilon = 0.7;
  double count = 0, sensitive = 0;
  for (int entity = 0; entity < 400'000; ++entity) {
    double u = uniform(draws);
    std::size_t state = 0;
    while (state < 3 && u >= law.law()[state]) u -= law.law()[state++];
    const bool released = (state & 1U) != 0 && uniform(draws) < 1 - std::exp(-epsilon);
    if (released) continue;
    ++count;
    sensitive += (state & 2U) == 0 ? 1 : 0;
  }
  const auto odds = OddsAfter(law, 1, {{0, epsilon, 1, false}}).value();
  const double claimed = odds.prior * std::pow(odds.factor, claimed_factor_of);
  const double p = claimed / (1 + claimed);
  return std::abs(sensitive - count * p) / std::sqrt(count * p * (1 - p));
}

// 6.2 standard deviations: 6e-10 by the normal law; the count has over 100,000 draws.
TEST(OneSidedLeakageProperty, OddsAreWhatASimulationShows) { EXPECT_LT(SimulatedDeviation(1), 6.2); }

TEST(OneSidedLeakageProperty, TheSimulationSeesAForgottenFactor) { EXPECT_GT(SimulatedDeviation(0), 12); }

/// Entities with three attributes that depend on each other, served with the real coin, the first one twice: Theorems 1
/// to 4, Corollary 1 and the general form at once. Counts posteriors that the frequencies contradict; `tries` is what
/// the calculator is told about the first attribute.
int Contradictions(int tries) {
  const SensitivityLaw law = SensitivityLaw::Make({0.15, 0.05, 0.1, 0.1, 0.02, 0.18, 0.05, 0.35})
                                 .value();  // state: bits set where not sensitive
  const std::vector<double> epsilon = {0.4, 0.9, 0.6};
  std::vector<RecordRelease> coins;
  for (const double e : epsilon) coins.push_back(RecordRelease::Make(PlainUnits::Floor(e).value()).value());
  stat::SeededBits bits(stat::SeedForThisTest());
  std::mt19937_64 draws(stat::SeedForThisTest());
  std::discrete_distribution<std::size_t> states(law.law().begin(), law.law().end());
  std::vector<std::vector<std::uint64_t>> seen(8, std::vector<std::uint64_t>(8, 0));  // by outcome, by state
  for (int entity = 0; entity < 200'000; ++entity) {
    const std::size_t state = states(draws);
    std::size_t outcome = 0;
    for (std::size_t a = 0; a < 3; ++a) {
      for (int attempt = 0; attempt < (a == 0 ? 2 : 1); ++attempt) {
        if ((state >> a & 1U) != 0 && coins[a].Draw(bits)) outcome |= std::size_t{1} << a;
      }
    }
    ++seen[outcome][state];
  }
  int contradictions = 0;
  for (std::size_t outcome = 0; outcome < 8; ++outcome) {
    for (std::size_t target = 0; target < 3; ++target) {
      std::vector<Observation> told;
      for (std::size_t a = 0; a < 3; ++a) {
        const bool out = (outcome >> a & 1U) != 0;
        told.push_back({a, epsilon[a], out ? 0 : a == 0 ? tries : 1, out});
      }
      const double odds = OddsAfter(law, target, told)->posterior, p = odds / (1 + odds);
      std::uint64_t all = 0, sensitive = 0;
      for (std::size_t state = 0; state < 8; ++state) {
        all += seen[outcome][state];
        sensitive += (state >> target & 1U) == 0 ? seen[outcome][state] : 0;
      }
      contradictions += stat::LowerBound(sensitive, all) > p || stat::LowerBound(all - sensitive, all) > 1 - p ? 1 : 0;
    }
  }
  return contradictions;
}

TEST(OneSidedLeakageProperty, EveryPosteriorIsWhatASimulationShows) { EXPECT_EQ(Contradictions(2), 0); }

TEST(OneSidedLeakageProperty, TheSimulationSeesAForgottenTry) { EXPECT_GT(Contradictions(1), 2); }

}  // namespace
}  // namespace kith::one_sided
