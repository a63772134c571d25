// Groups of yes/no records against the linear programme over all mechanisms: whose ties are never negative, and of
// three members with ties of either sign.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <tuple>

#include "tests/support/small_laws.h"
#include "tests/support/stat.h"
#include "transfer/association.h"
#include "transfer/non_negative.h"
#include "transfer/transfer.h"

namespace kith {
namespace {

using testing::Dice;
using testing::SmallLaw;

/// Logarithms of a law of yes/no records, by state: record j is bit j.
using Logs = std::vector<double>;

/// The largest and the smallest logarithm of an odds ratio of two records, whatever the others are.
std::pair<double, double> Ties(const Logs& logs) {
  double most = -1e300, least = 1e300;
  for (std::size_t x = 0; x < logs.size(); ++x) {
    for (std::size_t i = 1; i < logs.size(); i *= 2) {
      for (std::size_t j = 2 * i; j < logs.size(); j *= 2) {
        if ((x & i) != 0 || (x & j) != 0) continue;
        const double tie = logs[x | i | j] - logs[x | i] - logs[x | j] + logs[x];
        most = std::max(most, tie);
        least = std::min(least, tie);
      }
    }
  }
  return {most, least};
}

/// SmallLaw numbers states the other way round, so record j there is the last but j here: all are alike to the tests.
SmallLaw LawOf(const Logs& logs) {
  SmallLaw law;
  law.values.assign(static_cast<std::size_t>(std::countr_zero(logs.size())), 2);
  const double largest = *std::max_element(logs.begin(), logs.end());
  for (const double l : logs) law.law.push_back(std::exp(l - largest));
  double sum = 0;
  for (const double p : law.law) sum += p;
  for (double& p : law.law) p /= sum;
  return law;
}

/// The largest loss about any record that a mechanism can have: at most 1e-9 above it.
double Worst(const SmallLaw& law, double plain) {
  const Joint joint{{law.values.begin(), law.values.end()}, law.law};
  return Transfer::Make(joint)->Loss(plain)->dependent;
}

Logs WithFields(Dice& dice, Logs logs) {
  for (std::size_t bit = 1; bit < logs.size(); bit *= 2) {
    const double field = dice.Between(-3, 3);
    for (std::size_t x = 0; x < logs.size(); ++x) logs[x] += (x & bit) != 0 ? field : 0;
  }
  return logs;
}

/// Ties between 0 and theta, of two and more records: sums of convex functions of how many of some records say yes.
Logs NonNegative(Dice& dice, int records, double theta) {
  Logs logs(std::size_t{1} << records, 0.0);
  for (std::size_t some = 0; some < logs.size(); ++some) {
    const int members = std::popcount(some);
    if (members < 2 || dice.Chance(members == 2 ? 0.3 : 0.6)) continue;
    std::vector<double> convex = {0};
    double slope = 0;
    for (int k = 1; k <= members; ++k) {
      convex.push_back(convex.back() + slope);
      if (dice.Chance(0.6)) slope += dice.Uniform();
    }
    for (std::size_t x = 0; x < logs.size(); ++x) logs[x] += convex[static_cast<std::size_t>(std::popcount(x & some))];
  }
  const double most = Ties(logs).first;
  for (double& l : logs) l = most > 0 ? l * theta / most : 0;
  return WithFields(dice, logs);
}

/// Ties of either sign.
Logs EitherSign(Dice& dice, int records, double theta) {
  Logs logs(std::size_t{1} << records, 0.0);
  for (double& l : logs) l = dice.Between(-1, 1);
  const auto [most, least] = Ties(logs);
  for (double& l : logs) l *= theta / std::max(most, -least);
  return WithFields(dice, logs);
}

/// exp(theta C(|x|, 2) + a |x|) with the a at which the loss is largest.
Logs WorstLogs(int records, double theta, double plain) {
  const double a = -((records - 1) * theta + plain) / 2;
  Logs logs(std::size_t{1} << records);
  for (std::size_t x = 0; x < logs.size(); ++x) {
    const int k = std::popcount(x);
    logs[x] = theta * k * (k - 1) / 2 + a * k;
  }
  return logs;
}

/// What the mechanism e^{plain |x|} loses about record 0.
double LossOfTilt(const Logs& logs, double plain) {
  double mean[2] = {0, 0}, weight[2] = {0, 0};
  for (std::size_t x = 0; x < logs.size(); ++x) {
    mean[x & 1] += std::exp(logs[x] + plain * std::popcount(x));
    weight[x & 1] += std::exp(logs[x]);
  }
  return std::log(mean[1] / weight[1]) - std::log(mean[0] / weight[0]);
}

struct Setting {
  int records;
  double odds_ratio, plain;
};
const Setting kSettings[] = {{2, 1.2, .1}, {2, 40, 1},  {3, 4, .1}, {3, 40, .5}, {4, 2, .5},
                             {4, 4, .05},  {5, 1.5, 1}, {6, 2, .1}, {6, 4, .5}};

TEST(NonNegativeProperty, EqualsTheProgrammeAtTheWorstLaw_ASSOCIATION4) {
  for (const auto& [records, odds_ratio, plain] : kSettings) {
    const double theta = std::log(odds_ratio);
    EXPECT_NEAR(Worst(LawOf(WorstLogs(records, theta, plain)), plain), NonNegativeLoss(records, theta, plain), 1e-9)
        << records << " " << odds_ratio << " " << plain;
  }
}

// What is printed beside a bound as "can happen": this law and the mechanism k e^{plain |x|}, added up.
TEST(NonNegativeProperty, WhatCanHappenDoes) {
  for (const auto& [records, odds_ratio, plain] : kSettings) {
    const double theta = std::log(odds_ratio);
    const Logs logs = WorstLogs(records, theta, plain);
    const double loss = LossOfTilt(logs, plain);
    for (const bool yes_no : {false, true}) {
      for (const auto ties : {Ties::kEither, Ties::kNonNegative}) {
        if (!yes_no && ties != Ties::kEither) continue;
        const Group group{records, {{"", odds_ratio}}, yes_no ? "ill" : "", ties};
        const auto transfer = Transfer::Make(group).value();
        const auto found = transfer.Loss(plain).value();
        const auto reached = transfer.Reached(plain);
        ASSERT_TRUE(reached);
        EXPECT_LE(*reached, loss * (1 + 1e-13));
        EXPECT_GE(*reached, loss * (1 - 1e-6));
        EXPECT_LE(loss, found.dependent * (1 + 1e-13));
      }
    }
  }
}

/// How often the programme found more than `bound` for a law of `make`, some of whose records may be known.
template <class Make, class Bound>
int Above(int trials, int most_records, const Make& make, const Bound& bound) {
  Dice dice(stat::SeedForThisTest());
  int above = 0;
  for (int trial = 0; trial < trials; ++trial) {
    const int records = 2 + dice.Below(most_records - 1);
    const double theta = dice.Between(0.05, 3.5), plain = dice.Chance(0.3) ? dice.Between(1, 3) : dice.Between(0.02, 1);
    SmallLaw law = LawOf(make(dice, records, theta));
    while (law.records() > 2 && dice.Chance(0.3)) law = law.Given(dice.Below(law.records()), dice.Below(2));
    above += Worst(law, plain) > bound(records, theta, plain) + 1e-9 ? 1 : 0;
  }
  return above;
}

int Trials() {
  const char* more = std::getenv("KITH_BOUND_CASES");
  return more == nullptr ? 150 : std::atoi(more);
}

TEST(NonNegativeProperty, IsNeverBelowExactWhateverIsKnown_ASSOCIATION4) {
  EXPECT_EQ(Above(Trials(), 5, NonNegative, NonNegativeLoss), 0);
}

TEST(NonNegativeProperty, OfThreeWithTiesOfEitherSignIsNeverBelowExact_ASSOCIATION5) {
  const auto bound = [](int records, double theta, double plain) {
    return Association(records, theta, true).Loss(plain);
  };
  EXPECT_EQ(Above(2 * Trials(), 4, EitherSign, bound), 0);
}

TEST(NonNegativeProperty, ASmallerStrengthIsCaught) {
  int below = 0;
  for (const auto& [records, odds_ratio, plain] : kSettings) {
    const double theta = std::log(odds_ratio);
    const double worst = Worst(LawOf(WorstLogs(records, theta, plain)), plain);
    below += NonNegativeLoss(records, .999 * theta, plain) < worst - 1e-9 ? 1 : 0;
  }
  EXPECT_EQ(below, static_cast<int>(std::size(kSettings)));
  EXPECT_LT(Association(3, .999 * std::log(4), true).Loss(.1), Worst(LawOf(WorstLogs(3, std::log(4), .1)), .1) - 1e-9);
}

TEST(NonNegativeProperty, OneTieThatIsStrongerIsCaught) {
  Logs logs = WorstLogs(4, std::log(2.0), .5);
  for (std::size_t x = 0; x < logs.size(); ++x) logs[x] += (x & 3) == 3 ? .2 : 0;
  EXPECT_GT(Worst(LawOf(logs), .5), NonNegativeLoss(4, std::log(2.0), .5) + 1e-3);
}

// One tie that lowers the odds more than any raises them, as of an ill child's two parents.
TEST(NonNegativeProperty, ANegativeTieThatNobodyDeclaredIsCaught) {
  const double theta = std::log(2.0);
  Logs logs(16, 0.0);
  for (std::size_t x = 0; x < logs.size(); ++x) {
    const bool father = (x & 1) != 0, mother = (x & 2) != 0, child = (x & 4) != 0;
    logs[x] = (father && mother ? -8 * theta : 0) + (child ? theta * (father + mother) : 0);
  }
  EXPECT_NEAR(Ties(logs).first, theta, 1e-12);
  double worst = 0;
  Dice dice(stat::SeedForThisTest());
  for (int trial = 0; trial < 40; ++trial) worst = std::max(worst, Worst(LawOf(WithFields(dice, logs)), .5));
  EXPECT_GT(worst, NonNegativeLoss(4, theta, .5) + 1e-3);
}

/// Records of three values, each of which depends on an own yes or no; `also` of them on that of record 0 as well.
SmallLaw Observed(Dice& dice, const SmallLaw& hidden, bool also) {
  const int records = hidden.records();
  std::vector<std::vector<std::vector<double>>> given(static_cast<std::size_t>(records));
  for (auto& tables : given) tables = {testing::RandomLaw(dice, 3), testing::RandomLaw(dice, 3)};
  SmallLaw seen;
  seen.values.assign(static_cast<std::size_t>(records), 3);
  seen.law.assign(static_cast<std::size_t>(std::pow(3, records) + .5), 0.0);
  for (std::size_t u = 0; u < seen.law.size(); ++u) {
    for (std::size_t x = 0; x < hidden.law.size(); ++x) {
      double p = hidden.law[x];
      for (int j = 0; j < records; ++j) {
        const int from = also ? 0 : j;
        p *= given[static_cast<std::size_t>(j)][static_cast<std::size_t>(hidden.Value(x, from))]
                  [static_cast<std::size_t>(seen.Value(u, j))];
      }
      seen.law[u] += p;
    }
  }
  return seen;
}

int AboveObserved(int trials, bool also) {
  Dice dice(stat::SeedForThisTest());
  int above = 0;
  for (int trial = 0; trial < trials; ++trial) {
    const int records = 2 + dice.Below(2);
    const double theta = also ? 0.1 : dice.Between(0.1, 3), plain = dice.Between(0.1, 1);
    const SmallLaw seen = Observed(dice, LawOf(NonNegative(dice, records, theta)), also);
    above += Worst(seen, plain) > NonNegativeLoss(records, theta, plain) + 1e-9 ? 1 : 0;
  }
  return above;
}

TEST(NonNegativeProperty, TheRestOfARecordMayDependOnItsOwnAttribute_ASSOCIATION4) {
  EXPECT_EQ(AboveObserved(Trials() / 4, false), 0);
}

TEST(NonNegativeProperty, TheCheckAboveSeesARestThatDependsOnSomebodyElses) { EXPECT_GT(AboveObserved(20, true), 5); }

/// The logarithms of a law of records that share causes: record j has log odds base[j] + sum of loads[c][j] z_c, the
/// z_c are independent, with these values and weights.
Logs WithCauses(const std::vector<double>& base, const std::vector<std::vector<double>>& loads,
                const std::vector<double>& values, const std::vector<double>& weights) {
  std::vector<double> law(std::size_t{1} << base.size(), 0.0);
  const std::size_t first = values.size(), second = loads.size() > 1 ? values.size() : 1;
  for (std::size_t a = 0; a < first; ++a) {
    for (std::size_t b = 0; b < second; ++b) {
      for (std::size_t x = 0; x < law.size(); ++x) {
        double p = weights[a] * (second > 1 ? weights[b] : 1);
        for (std::size_t j = 0; j < base.size(); ++j) {
          const double odds = base[j] + loads[0][j] * values[a] + (second > 1 ? loads[1][j] * values[b] : 0);
          p /= 1 + std::exp((x >> j & 1) != 0 ? -odds : odds);
        }
        law[x] += p;
      }
    }
  }
  for (double& p : law) p = std::log(p);
  return law;
}

/// A normal cause of standard deviation sd, by the trapezoidal rule, which is exact to 1e-10 here.
std::pair<std::vector<double>, std::vector<double>> Normal(double sd) {
  std::vector<double> values, weights;
  for (double z = -9; z <= 9; z += 0.0625) {
    values.push_back(sd * z);
    weights.push_back(std::exp(-z * z / 2));
  }
  return {values, weights};
}

TEST(NonNegativeProperty, ASharedCauseKeepsTiesWithinItsSpread_ASSOCIATION6) {
  Dice dice(stat::SeedForThisTest());
  for (int trial = 0; trial < 60; ++trial) {
    std::vector<double> base, loads;
    for (int j = 0; j < 4; ++j) {
      base.push_back(dice.Between(-4, 4));
      loads.push_back(trial % 3 == 0 ? 1 : dice.Uniform());
    }
    const double spread = dice.Between(0.1, 3);
    const auto [values, weights] = Normal(spread);
    const auto [most, least] = Ties(WithCauses(base, {loads}, values, weights));
    EXPECT_LE(most, std::log(OddsRatioOf(SharedBy::kSd, spread)) + 1e-8);
    EXPECT_GE(least, -1e-8);
    std::vector<double> some, masses;
    for (int k = 0; k < 2 + dice.Below(4); ++k) {
      some.push_back(dice.Between(-spread / 2, spread / 2));
      masses.push_back(dice.Weight(false));
    }
    const auto [any_most, any_least] = Ties(WithCauses(base, {loads}, some, masses));
    EXPECT_LE(any_most, std::log(OddsRatioOf(SharedBy::kRange, spread)) + 1e-12);
    EXPECT_GE(any_least, -1e-12);
  }
}

// A cause of two states: the largest that is printed is the loss of a law that is added up here, and of no mechanism
// more.
TEST(NonNegativeProperty, WhatACauseOfTwoStatesCanDoIsReached) {
  for (const auto& [records, range, plain] : {std::tuple(3, 1.2, .3), std::tuple(4, 2., .1), std::tuple(6, 3., .5)}) {
    const auto by = SharedBy::kRange;
    const Group group{records, {{"", OddsRatioOf(by, range), {}, range}}, "ill", Ties::kNonNegative, by};
    const auto transfer = Transfer::Make(group).value();
    double worst = 0;
    for (double base = -8; base <= 8; base += 0.25) {
      for (double odds = -8; odds <= 8; odds += 0.5) {
        const std::vector<double> alike(static_cast<std::size_t>(records), base);
        const std::vector<double> loads(static_cast<std::size_t>(records), 1.0);
        worst = std::max(worst,
                         LossOfTilt(WithCauses(alike, {loads}, {-range / 2, range / 2}, {1, std::exp(odds)}), plain));
      }
    }
    EXPECT_NEAR(*transfer.Reached(plain), worst, 1e-6 * worst);
    EXPECT_LE(*transfer.Reached(plain), worst);
    EXPECT_LE(worst, transfer.Loss(plain)->dependent);
    EXPECT_LE(transfer.Loss(plain)->dependent, 1.01 * worst);
  }
}

// A normal cause, with evidence for a yes of each of the others, none of whom is likely to have it.
TEST(NonNegativeProperty, WhatANormalCauseCanDoIsReachedWithEvidence) {
  const double sd = .8, plain = .4, theta = sd * sd;
  const auto [values, weights] = Normal(sd);
  double worst = 0;
  for (const double likely : {-10.0, -14.0}) {
    for (double evidence = -3; evidence <= 3; evidence += 0.0625) {
      Logs logs = WithCauses(std::vector<double>(5, likely), {std::vector<double>(5, 1.0)}, values, weights);
      for (std::size_t x = 0; x < logs.size(); ++x)
        logs[x] += (evidence - likely - 4.5 * theta) * std::popcount(x);  // a factor for each single record
      worst = std::max(worst, LossOfTilt(logs, plain));
    }
  }
  const Group group{5, {{"", OddsRatioOf(SharedBy::kSd, sd), {}, sd}}, "ill", Ties::kNonNegative, SharedBy::kSd};
  const auto transfer = Transfer::Make(group).value();
  EXPECT_NEAR(worst, *transfer.Reached(plain), 1e-3 * worst);
  EXPECT_LE(worst, transfer.Loss(plain)->dependent);
}

TEST(NonNegativeProperty, TheCheckAboveSeesALargerLoadingAndASecondCause) {
  const auto [values, weights] = Normal(.3);
  const std::vector<double> rare(4, -4);
  EXPECT_GT(Ties(WithCauses(rare, {{1.2, 1.2, 1.2, 1.2}}, values, weights)).first, .09 * 1.1);
  const std::vector<double> ends = {-1, 1}, even = {1, 1};
  EXPECT_GT(Ties(WithCauses({0, 0}, {{1.2, 1.2}}, ends, even)).first, 1);  // at most 1 with loadings of 1
  const auto [wide, weigh] = Normal(2);
  EXPECT_LT(Ties(WithCauses({-3, -3, -3}, {{1, 0, 1}, {0, 1, 1}}, wide, weigh)).second, -.1);
}

}  // namespace
}  // namespace kith
