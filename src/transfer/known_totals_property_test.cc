// Known totals: never below the exact programme on small worlds in which somebody knows them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <numeric>

#include "tests/support/small_laws.h"
#include "tests/support/stat.h"
#include "tests/support/vectors.h"
#include "transfer/transfer.h"

namespace kith {
namespace {

using testing::Dice;

constexpr double kRounding = 1e-9;

KnownTotals OfAll(std::int64_t range = 1) { return {"a total", range, false, true}; }

/// Independent laws as one joint law.
Joint Product(const std::vector<Law>& laws) {
  Joint joint{{}, {1.0}};
  for (const Law& law : laws) {
    joint.values.push_back(static_cast<std::int64_t>(law.size()));
    Law next;
    for (const double p : joint.law) {
      for (const double q : law) next.push_back(p * q);
    }
    joint.law = std::move(next);
  }
  return joint;
}

std::vector<int> Values(const Joint& joint, std::size_t x) {
  std::vector<int> values(joint.values.size());
  for (std::size_t k = values.size(); k-- > 0;) {
    const auto size = static_cast<std::size_t>(joint.values[k]);
    values[k] = static_cast<int>(x % size);
    x /= size;
  }
  return values;
}

/// What is left of a law for somebody who knows that the records of the set add up to `total`; `part`: of one value.
bool Restrict(Joint& joint, const std::vector<std::size_t>& set, int total, int part_of = 1) {
  double sum = 0;
  for (std::size_t x = 0; x < joint.law.size(); ++x) {
    const auto values = Values(joint, x);
    int have = 0;
    for (const std::size_t record : set) have += values[record] / part_of;
    if (have != total) joint.law[x] = 0;
    sum += joint.law[x];
  }
  if (!(sum > 0)) return false;
  for (double& p : joint.law) p /= sum;
  return true;
}

std::vector<std::size_t> Everybody(std::size_t n) {
  std::vector<std::size_t> all(n);
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

std::vector<double> RandomLosses(Dice& dice, std::size_t n) {
  std::vector<double> plain;
  const bool same = dice.Chance(0.4);
  for (std::size_t i = 0; i < n; ++i)
    plain.push_back(same && i > 0 ? plain[0] : dice.Chance(0.1) ? 0 : dice.Between(0.05, 1.5));
  return plain;
}

/// The largest exact loss over the bound, of any record; above 1: the bound is wrong.
double Worst(const Joint& world, const std::vector<double>& plain, const std::vector<double>& bounds) {
  const auto exact = Transfer::Make(world)->LossPerRecord(plain).value();
  double worst = 0;
  for (std::size_t i = 0; i < bounds.size(); ++i)
    worst = std::max(worst, (exact.per_record[i] - kRounding) / std::max(bounds[i], 1e-6));
  return worst;
}

/// A log-concave law on 0 .. range.
Law LogConcave(Dice& dice, int range) {
  Law law = {1.0};
  double step = dice.Between(-3, 3);
  for (int k = 0; k < range; ++k) {
    law.push_back(law.back() * std::exp(step));
    step -= dice.Chance(0.3) ? 0 : dice.Between(0, 2);
  }
  const double sum = std::accumulate(law.begin(), law.end(), 0.0);
  for (double& p : law) p /= sum;
  return law;
}

int Trials(int usually) {
  const char* times = std::getenv("KITH_MORE_TRIALS");
  return times == nullptr ? usually : usually * std::max(1, std::atoi(times));
}

struct World {
  Joint joint;
  std::vector<double> plain, bounds;
};

/// Independent records and totals of one set, or of nested ones.
World IndependentWorld(Dice& dice, int range) {
  const auto known = OfAll(range);
  for (;;) {
    const auto n = static_cast<std::size_t>(2 + dice.Below(range == 1 ? 4 : 2));
    std::vector<Law> laws;
    for (std::size_t i = 0; i < n; ++i) laws.push_back(LogConcave(dice, range));
    World world{Product(laws), RandomLosses(dice, n), {}};
    if (!Restrict(world.joint, Everybody(n), dice.Below(static_cast<int>(n) * range + 1))) continue;
    if (n >= 4 && dice.Chance(0.5) && !Restrict(world.joint, {0, 1}, dice.Below(3))) continue;
    world.bounds = Transfer::Make(Independent{}, known)->LossPerRecord(world.plain)->per_record;
    return world;
  }
}

/// The largest exact loss over the bound in this many worlds.
double WorstOf(int trials, const std::function<World(Dice&)>& make, Dice& dice) {
  double worst = 0;
  for (int trial = 0; trial < trials; ++trial) {
    const World world = make(dice);
    worst = std::max(worst, Worst(world.joint, world.plain, world.bounds));
  }
  return worst;
}

TEST(TotalsProperty, IndependentRecordsAreNeverBelowExact_TOTALS1) {
  Dice dice(stat::SeedForThisTest());
  const double worst = WorstOf(
      Trials(600), [](Dice& d) { return IndependentWorld(d, 1); }, dice);
  EXPECT_LE(worst, 1) << "below the exact programme";
  EXPECT_GT(worst, 0.99) << "and it is attained";
}

TEST(TotalsProperty, WholeNumbersAreNeverBelowExact_TOTALS2) {
  Dice dice(stat::SeedForThisTest());
  const double worst = WorstOf(
      Trials(150), [](Dice& d) { return IndependentWorld(d, 2 + d.Below(2)); }, dice);
  EXPECT_LE(worst, 1);
}

// The planted faults: the total forgotten, the others' losses averaged, or the range taken for 1.
TEST(TotalsProperty, TheChecksAboveSeeATotalThatDoesNotCount) {
  Dice dice(stat::SeedForThisTest());
  const auto forgotten = [](Dice& d) {
    World world = IndependentWorld(d, 1);
    world.bounds = world.plain;
    return world;
  };
  EXPECT_GT(WorstOf(60, forgotten, dice), 1.5);
  const auto averaged = [](Dice& d) {
    World world = IndependentWorld(d, 1);
    const double mean =
        std::accumulate(world.plain.begin(), world.plain.end(), 0.0) / static_cast<double>(world.plain.size());
    for (std::size_t i = 0; i < world.bounds.size(); ++i) world.bounds[i] = world.plain[i] + mean;
    return world;
  };
  EXPECT_GT(WorstOf(60, averaged, dice), 1.05);
  const auto narrow = [](Dice& d) {
    World world = IndependentWorld(d, 3);
    world.bounds = Transfer::Make(Independent{}, OfAll(1))->LossPerRecord(world.plain)->per_record;
    return world;
  };
  EXPECT_GT(WorstOf(60, narrow, dice), 1.05);
}

/// A law of two records with `values` values each whose odds ratios are at most e^theta, some of them that much.
Law PairLaw(Dice& dice, int values, double theta) {
  std::vector<double> left, right, strong, other;
  for (int v = 0; v < values; ++v) {
    left.push_back(dice.Between(-2, 2));
    right.push_back(dice.Between(-2, 2));
    strong.push_back(v == 0 ? 0 : v == 1 ? 1 : dice.Uniform());
    other.push_back(v == 0 ? 0 : v == 1 ? 1 : dice.Uniform());
  }
  const double sign = dice.Chance(0.8) ? 1 : -1;
  Law law;
  for (std::size_t a = 0; a < left.size(); ++a) {
    for (std::size_t b = 0; b < right.size(); ++b)
      law.push_back(std::exp(left[a] + right[b] + sign * theta * strong[a] * other[b]));
  }
  const double sum = std::accumulate(law.begin(), law.end(), 0.0);
  for (double& p : law) p /= sum;
  return law;
}

/// Two pairs; records of four values hold a second secret besides the one whose total is known.
World PairWorld(Dice& dice, int values, double odds_ratio) {
  for (;;) {
    const Law first = PairLaw(dice, values, std::log(odds_ratio)), second = PairLaw(dice, values, std::log(odds_ratio));
    World world{{{values, values, values, values}, {}}, {}, {}};
    for (const double p : first) {
      for (const double q : second) world.joint.law.push_back(p * q);
    }
    if (!Restrict(world.joint, Everybody(4), 1 + dice.Below(3), values / 2)) continue;
    world.plain.assign(4, dice.Between(0.05, 1));
    KnownTotals known = OfAll();
    known.whole_record = values == 2;
    const auto bound = Transfer::Make(Group{2, {{"", std::min(odds_ratio, 4.0)}}}, known)->Loss(world.plain[0]);
    world.bounds.assign(4, bound->dependent);
    return world;
  }
}

TEST(TotalsProperty, PairsAreNeverBelowExact_TOTALS3) {
  Dice dice(stat::SeedForThisTest());
  EXPECT_LE(WorstOf(
                Trials(200), [](Dice& d) { return PairWorld(d, 2, d.Between(1, 4)); }, dice),
            1);
  EXPECT_LE(WorstOf(
                Trials(4), [](Dice& d) { return PairWorld(d, 4, d.Between(1, 4)); }, dice),
            1);
}

TEST(TotalsProperty, TheCheckOfPairsSeesATotalThatDoesNotCount) {
  Dice dice(stat::SeedForThisTest());
  const auto forgotten = [](Dice& d) {
    World world = PairWorld(d, 2, 4);
    for (double& bound : world.bounds) bound /= 2;  // only the pair: group privacy
    return world;
  };
  EXPECT_GT(WorstOf(60, forgotten, dice), 1.05);
}

TEST(Totals, MeetTheVectors) {
  for (const auto& v : testing::Vectors("transfer", "transfer.totals.independent")) {
    const auto plain = v.inputs.at("plain").get<std::vector<double>>();
    const auto made = Transfer::Make(Independent{}, OfAll(v.inputs.at("range"))).value();
    EXPECT_NEAR(made.LossPerRecord(plain)->dependent, v.expected.get<double>(), v.tolerance) << v.id;
  }
  for (const auto& v : testing::Vectors("transfer", "transfer.totals.pairs")) {
    KnownTotals known = OfAll();
    known.whole_record = v.inputs.at("whole_record");
    const auto made = Transfer::Make(Group{2, {{"", v.inputs.at("odds_ratio").get<double>()}}}, known).value();
    EXPECT_NEAR(made.Loss(v.inputs.at("plain"))->dependent, v.expected.get<double>(), v.tolerance) << v.id;
  }
}

TEST(Totals, NameWhoKnowsThemAndGiveTheBudgetBack) {
  const KnownTotals sick{"the exact number of units with sick = true, over all units", 1, false, false};
  const auto transfer = Transfer::Make(Independent{}, sick).value();
  const auto loss = transfer.ForBudget(1)->Loss(0.25).value();
  EXPECT_EQ(loss.dependent, 0.5);
  EXPECT_EQ(loss.bound, "totals");
  EXPECT_NE(loss.adversary.find("who knows the exact number of units with sick = true"), std::string::npos);
  EXPECT_EQ(loss.adversary.find("no joint facts"), std::string::npos);
  EXPECT_NE(loss.assumption.find("independent of each other; somebody knows"), std::string::npos) << loss.assumption;
  EXPECT_EQ(transfer.PlainBudget(1).value(), 0.5);
  KnownTotals visits{"the exact total of visits, over all units", 3, false, false};
  const auto whole = Transfer::Make(Independent{}, visits)->Loss(0.25).value();
  EXPECT_EQ(whole.dependent, 1);
  EXPECT_NE(whole.assumption.find("log-concave"), std::string::npos);
}

TEST(Totals, AreRefusedWhereNothingIsProved) {
  const auto refusal = [](const Model& model, const KnownTotals& known) {
    const auto made = Transfer::Make(model, known);
    return made ? std::string("accepted") : made.error().what;
  };
  EXPECT_NE(refusal(Group{3, {{"", 2.0}}}, OfAll()).find("pairs only"), std::string::npos);
  EXPECT_NE(refusal(Group{2, {{"", 4.1}}}, OfAll()).find("above 4"), std::string::npos);
  EXPECT_NE(refusal(Group{2, {{"", std::nullopt}}}, OfAll()).find("above 4"), std::string::npos);
  EXPECT_NE(refusal(Group{2, {{"a", 2.0}, {"b", 3.0}}}, OfAll()).find("all classes"), std::string::npos);
  EXPECT_NE(refusal(Group{2, {{"", 4.0}}}, OfAll(2)).find("yes-or-no"), std::string::npos);
  EXPECT_NE(refusal(Group{2, {{"", 4.0}}}, {"by ward", 1, true, true}).find("grand total"), std::string::npos);
  EXPECT_NE(refusal(Overlap{2, 0.1}, OfAll()).find("'overlap'"), std::string::npos);
  EXPECT_EQ(refusal(Group{2, {{"", 4.0}}}, OfAll()), "accepted");
}

}  // namespace
}  // namespace kith
