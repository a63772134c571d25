// Sets of laws by brute force: no law that the limits allow exceeds what is stated, and the stated ends are approached.
#include <gtest/gtest.h>

#include <cmath>

#include "leakage/law_set.h"
#include "leakage/leakage.h"
#include "leakage/observed.h"
#include "tests/support/small_laws.h"
#include "tests/support/stat.h"

namespace kith::one_sided {
namespace {

using testing::Dice;

constexpr double kRelative = 1e-7;

/// Limits around a random law; now and then a cell is not known at all, or known exactly.
LawSet RandomSet(Dice& dice, std::size_t cells) {
  const std::vector<double> law = testing::RandomLaw(dice, static_cast<int>(cells));
  std::vector<Range> limits;
  for (const double p : law) {
    const int kind = dice.Below(8);
    const double wide = dice.Between(0, 0.3);
    if (kind == 0)
      limits.push_back({0, 1});
    else if (kind == 1)
      limits.push_back({p, p});
    else
      limits.push_back({std::max(0.0, p - wide * dice.Between(0, 1)), std::min(1.0, p + wide * dice.Between(0, 1))});
  }
  return LawSet::Make(std::move(limits), law).value();
}

/// A law of the set: most often a corner, filled in random order, otherwise a mixture of corners.
std::vector<double> RandomMember(Dice& dice, const LawSet& set) {
  const auto corner = [&] {
    std::vector<double> law;
    double rest = 1;
    for (const Range& cell : set.cells()) {
      law.push_back(cell.low);
      rest -= cell.low;
    }
    std::vector<std::size_t> order(law.size());
    for (std::size_t k = 0; k < order.size(); ++k) {
      order[k] = k;
      std::swap(order[k], order[static_cast<std::size_t>(dice.Below(static_cast<int>(k + 1)))]);
    }
    for (const std::size_t k : order) {
      const double more = std::clamp(set.cells()[k].high - law[k], 0.0, std::max(0.0, rest));
      law[k] += more;
      rest -= more;
    }
    return law;
  };
  std::vector<double> law = corner();
  if (dice.Below(2) == 0) return law;
  const std::vector<double> other = corner();
  const double part = dice.Between(0, 1);
  for (std::size_t k = 0; k < law.size(); ++k) law[k] += part * (other[k] - law[k]);
  return law;
}

struct Seen {
  double odds = 0, factor = 0;
  bool defined = false;
};
Seen Directly(const std::vector<double>& law, const std::vector<bool>& marked, const std::vector<double>& likelihood) {
  double in = 0, out = 0, before_in = 0, before_out = 0;
  for (std::size_t k = 0; k < law.size(); ++k) {
    (marked[k] ? in : out) += law[k] * likelihood[k];
    (marked[k] ? before_in : before_out) += law[k];
  }
  Seen seen;
  seen.defined = in > 1e-12 && out > 1e-12 && before_in > 1e-12 && before_out > 1e-12;
  if (!seen.defined) return seen;
  seen.odds = in / out;
  seen.factor = seen.odds / (before_in / before_out);
  return seen;
}

/// How far a member of a random set exceeds the stated ends at most (relative).
double LargestGap(bool planted, int trials, int members) {
  Dice dice(stat::SeedForThisTest());
  double gap = 0;
  for (int trial = 0; trial < trials; ++trial) {
    const auto cells = static_cast<std::size_t>(2 + dice.Below(7));
    const LawSet set = RandomSet(dice, cells);
    std::vector<bool> marked(cells, false);
    std::vector<double> likelihood;
    for (std::size_t k = 0; k < cells; ++k) {
      marked[k] = k == 0 || (k + 1 < cells && dice.Below(2) == 0);
      likelihood.push_back(dice.Below(6) == 0 ? 0 : dice.Below(4) == 0 ? 1 : dice.Between(0, 1));
    }
    const auto odds = OddsOver(set, marked, likelihood), factor = FactorOver(set, marked, likelihood);
    for (int member = 0; member < members; ++member) {
      const Seen seen = Directly(RandomMember(dice, set), marked, likelihood);
      if (!seen.defined) continue;
      if (!odds || !factor) {
        gap = 1;
        continue;
      }
      // The fault: the odds of the set, divided by the odds before it under the law inside.
      const double high =
          planted ? odds->high / Directly(set.inside(), marked, std::vector<double>(cells, 1.0)).odds : factor->high;
      gap = std::max({gap, seen.odds / odds->high - 1, odds->low / seen.odds - 1, seen.factor / high - 1,
                      factor->low / seen.factor - 1});
    }
  }
  return gap;
}

TEST(OneSidedLawSetProperty, NoLawOfTheSetExceedsTheOddsAndFactors_OSDP10) {
  EXPECT_LE(LargestGap(false, 1500, 40), kRelative);
}

TEST(OneSidedLawSetProperty, TheCheckAboveSeesAFactorThatForgetsTheOddsBefore) {
  EXPECT_GT(LargestGap(true, 1500, 40), 0.05);
}

TEST(OneSidedLawSetProperty, TheEndsAreApproachedByLawsOfTheSet_OSDP10) {
  // Two cells of each kind: the best of many members must come near in every one of some sets.
  Dice dice(stat::SeedForThisTest());
  int looked = 0;
  for (int trial = 0; trial < 20; ++trial) {
    const LawSet set = RandomSet(dice, 4);
    const std::vector<bool> marked = {true, true, false, false};
    const std::vector<double> likelihood = {1, 0.4, 1, 0.4};
    const auto factor = FactorOver(set, marked, likelihood);
    const auto odds = OddsOver(set, marked, likelihood);
    ASSERT_TRUE(factor && odds);
    double best = 0, best_odds = 0;
    for (int member = 0; member < 20'000; ++member) {
      const Seen seen = Directly(RandomMember(dice, set), marked, likelihood);
      if (!seen.defined) continue;
      best = std::max(best, seen.factor);
      best_odds = std::max(best_odds, seen.odds);
    }
    if (best == 0) continue;  // no law of the set has the marked cells
    ++looked;
    EXPECT_GT(best, 0.97 * factor->high);
    if (std::isfinite(odds->high) && odds->high < 1e6) {
      EXPECT_GT(best_odds, 0.97 * odds->high);
    }
  }
  EXPECT_GE(looked, 10);
}

TEST(OneSidedLawSetProperty, ASetOfOneLawGivesTheFiguresOfThatLaw_OSDP10) {
  Dice dice(stat::SeedForThisTest());
  for (int trial = 0; trial < 200; ++trial) {
    const auto law = SensitivityLaw::Make(testing::RandomLaw(dice, 8)).value();
    std::vector<Range> exact;
    for (const double p : law.law()) exact.push_back({p, p});
    const LawSet set = LawSet::Make(exact, law.law()).value();
    const double epsilon = dice.Between(0, 3);
    const auto odds = OddsAfter(law, 1, {{0, epsilon, 1, false}, {2, 1, 1, false}});
    if (!odds) continue;
    std::vector<bool> marked(8);
    std::vector<double> likelihood(8);
    for (std::size_t state = 0; state < 8; ++state) {
      marked[state] = (state >> 1 & 1U) == 0;
      likelihood[state] = ((state & 1U) != 0 ? std::exp(-epsilon) : 1) * ((state & 4U) != 0 ? std::exp(-1) : 1);
    }
    EXPECT_NEAR(OddsOver(set, marked, likelihood)->high / odds->posterior, 1, 1e-9);
    EXPECT_NEAR(FactorOver(set, marked, likelihood)->high / odds->factor, 1, 1e-9);
    EXPECT_NEAR(FactorOver(set, marked, likelihood)->low / odds->factor, 1, 1e-9);
    EXPECT_NEAR(InformationOver(set, 0, 1, 0.5), Information(law, 0, 1, 0.5), 2e-5);
    EXPECT_LE(Information(law, 0, 1, 0.5), InformationOver(set, 0, 1, 0.5) + 1e-12);
    EXPECT_NEAR(JointInformationBound(set, 1, {0.5, 0, 0.7}), JointInformation(law, 1, {0.5, 0, 0.7}), 5e-3);
  }
}

/// The largest excess of a member's information over what is stated. `planted`: the figure of the law inside.
double LargestExcess(bool planted) {
  Dice dice(stat::SeedForThisTest());
  double excess = -1;
  for (int trial = 0; trial < 60; ++trial) {
    const LawSet set = RandomSet(dice, 8);
    const double rate = dice.Between(0, 1);
    const std::vector<double> rates = {dice.Between(0, 1), dice.Below(2) == 0 ? 0 : dice.Between(0, 1), 0.5};
    const auto inside = SensitivityLaw::Make(set.inside()).value();
    const double pair = planted ? Information(inside, 0, 1, rate) : InformationOver(set, 0, 1, rate);
    const double own = planted ? Information(inside, 2, 2, rate) : InformationOver(set, 2, 2, rate);
    const double joint = planted ? JointInformation(inside, 1, rates) : JointInformationBound(set, 1, rates);
    for (int member = 0; member < 60; ++member) {
      const auto law = SensitivityLaw::FromCounts(RandomMember(dice, set), 0).value();
      excess = std::max({excess, Information(law, 0, 1, rate) - pair, Information(law, 2, 2, rate) - own,
                         JointInformation(law, 1, rates) - joint});
    }
  }
  return excess;
}

TEST(OneSidedLawSetProperty, NoLawOfTheSetGivesMoreInformation_OSDP11) { EXPECT_LE(LargestExcess(false), 1e-9); }

TEST(OneSidedLawSetProperty, TheCheckAboveSeesTheInformationOfTheEstimateAlone) {
  EXPECT_GT(LargestExcess(true), 0.01);
}

TEST(OneSidedLawSetProperty, LimitsThatMissASumOfOneByALittleStillBound) {
  // Probabilities with nine digits: they add up to 1 - 5e-10.
  std::vector<Range> cells;
  std::vector<double> law;
  for (const double p : {0.3, 0.05, 0.05, 0.1, 0.05, 0.1, 0.05, 0.3 - 5e-10}) {
    cells.push_back({p, p});
    law.push_back(p);
  }
  const auto set = LawSet::Make(cells, law).value();
  const std::vector<double> rates = {0.5, 0.5, 0.5};
  const auto exact = SensitivityLaw::FromCounts(law, 0).value();
  EXPECT_GT(JointInformation(exact, 0, rates), 0.1);
  EXPECT_GE(JointInformationBound(set, 0, rates), JointInformation(exact, 0, rates) - 1e-8);
}

TEST(OneSidedLawSetProperty, PairLimitsHoldForEveryPairWithinThem_OSDP11) {
  Dice dice(stat::SeedForThisTest());
  const auto range = [&] {
    const double a = dice.Between(0, 1), b = dice.Between(0, 1);
    return Range{std::min(a, b), std::max(a, b)};
  };
  for (int trial = 0; trial < 400; ++trial) {
    const PairLimits limits{range(), range(), range()};
    const double epsilon = dice.Between(0, 3), rate = 1 - std::exp(-epsilon);
    const Range away = SuppressedOver(limits, epsilon), released = ReleasedOver(limits);
    const double nats = InformationOver(limits, rate);
    for (int member = 0; member < 40; ++member) {
      const auto within = [&](Range r) {
        const int end = dice.Below(3);
        return end == 0 ? r.low : end == 1 ? r.high : dice.Between(r.low, r.high);
      };
      const double theta = within(limits.sensitive), d1 = within(limits.d1), d2 = within(limits.d2);
      const auto law =
          SensitivityLaw::FromCounts({theta * d1, theta * (1 - d1), (1 - theta) * d2, (1 - theta) * (1 - d2)}, 0)
              .value();
      EXPECT_LE(Information(law, 0, 1, rate), nats + 1e-9);
      EXPECT_LE(SuppressedFactor({d1, d2}, epsilon), away.high * (1 + 1e-9));
      EXPECT_GE(SuppressedFactor({d1, d2}, epsilon), away.low * (1 - 1e-9));
      EXPECT_LE(ReleasedFactor({d1, d2}), released.high * (1 + 1e-9));
    }
  }
}

/// How often the test cries wolf, exactly: the sum of the binomial probabilities of all counts that alarm.
double FalseAlarms(std::int64_t of, double p, Range predicted, double level) {
  double rate = 0;
  for (std::int64_t seen = 0; seen <= of; ++seen) {
    if (!Compare(seen, of, predicted, level).alarm) continue;
    const double k = static_cast<double>(seen), n = static_cast<double>(of);
    rate += std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) + k * std::log(p) +
                     (n - k) * std::log1p(-p));
  }
  return rate;
}

TEST(OneSidedObserved, FalseAlarmsAreAsRareAsStated_OSDP12) {
  for (const std::int64_t of : {5, 40, 300}) {
    for (const double p : {0.02, 0.3, 0.5, 0.9}) {
      const double stated = Compare(0, of, {p, p}, 0.01).false_alarm;
      EXPECT_LE(stated, 0.01);
      EXPECT_NEAR(FalseAlarms(of, p, {p, p}, 0.01), stated, 1e-9);
      const Range wide{p * 0.9, std::min(1.0, p * 1.05)};
      EXPECT_LE(FalseAlarms(of, p, wide, 0.01), Compare(0, of, wide, 0.01).false_alarm + 1e-12);
    }
  }
  EXPECT_TRUE(Compare(90, 100, {0.5, 0.5}, 0.01).alarm);
  EXPECT_FALSE(Compare(90, 100, {0.5, 0.9}, 0.01).alarm);
}

TEST(OneSidedObserved, TheCheckAboveSeesATestOfOneSideAtTheWholeLevel) {
  // Twice the level on each side: what a test that forgot that there are two would do.
  EXPECT_GT(FalseAlarms(300, 0.3, {0.3, 0.3}, 0.02), 0.01);
}

}  // namespace
}  // namespace kith::one_sided
