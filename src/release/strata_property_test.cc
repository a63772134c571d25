// Strata: what the account says about units of groups of different sizes against the exact programme over all kernels
// that the totals of the cells allow; and prices by stratum against what a unit of each cell can change.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "kernel/opening.h"
#include "release/guarantee.h"
#include "release/strata.h"
#include "tests/support/policies.h"
#include "tests/support/small_laws.h"
#include "tests/support/stat.h"
#include "transfer/kernel_lp.h"

namespace kith {
namespace {

using testing::Dice;

std::string Text(const std::string& dependence, const std::string& persons, const std::string& data) {
  return "[data]\n" + data +
         "tables.t = \"t.csv\"\n[unit]\ntable = \"t\"\nkey = \"id\"\nmax_rows = 1\npresence = \"public\"\n[columns.t]\n"
         "persons = { values = " +
         persons +
         ", public = true }\nward = { values = [\"A\", \"B\"], public = true, required = true }\nill = { values = "
         "[\"no\", \"yes\"] }\nage = { type = \"integer\", lower = 0, upper = 100 }\n[dependence]\nsource = "
         "\"public\"\n"
         "kind = \"group\"\nby = \"home\"\n" +
         dependence + "[budget]\nepsilon = 1\nledger = \"t.ledger\"\n";
}

Policy PolicyWith(const std::string& dependence, const std::string& persons = "[1, 3]",
                  const std::string& data = "public_columns = \"fixed\"\n") {
  return testing::MakePolicy(Text(dependence, persons, data));
}

Accountant AccountantOf(const Policy& policy) {
  auto curve = BudgetCurve::Make(policy, {}, Call());
  EXPECT_TRUE(curve) << curve.error().Text();
  auto account = Accountant::Make(policy, std::move(*curve));
  EXPECT_TRUE(account) << account.error().Text();
  return std::move(*account);
}

constexpr std::size_t kUnits = 4, kStates = 16;  // unit 0 is alone, the others are one household of three

enum class Fault {
  kNone,
  kOtherStratum,     // the function of a stratum is used for the other
  kOwnCellAlone,     // relatives in another cell of the stratum are forgotten
  kLargerHousehold,  // people of a household of three count as singles
};

/// Who is in which cell, and what each cell lost. Cells: persons (1, 3, NULL) by ward.
struct World {
  std::size_t cell[kUnits] = {};
  Totals totals;

  World(Dice& dice, Fault fault) {
    const std::size_t home = dice.Chance(0.25) ? 2 : 1;  // 3, or not known
    for (std::size_t i = 0; i < kUnits; ++i) {
      const std::size_t persons = i == 0 || fault == Fault::kLargerHousehold ? 0 : home;
      cell[i] = 2 * persons + static_cast<std::size_t>(dice.Below(2));
    }
    for (int c = 0; c < 6; ++c) {
      const double loss = dice.Chance(0.15) ? 0 : dice.Between(0, 1);
      totals.spent.push_back(PlainUnits::Floor(loss).value());
    }
    totals.any = totals.spent;
  }

  std::vector<KernelArc> Arcs() const {
    std::vector<KernelArc> arcs;
    for (std::uint32_t x = 0; x < kStates; ++x) {
      for (std::uint32_t i = 0; i < kUnits; ++i)
        arcs.push_back({x, x ^ (1U << i), std::exp(totals.spent[cell[i]].epsilon()) * (1 + 1e-14)});
    }
    return arcs;
  }
};

/// Unit 0 apart; the household with odds ratios of at most `odds` between two of them (none: anything).
std::vector<double> LawOf(Dice& dice, std::optional<double> odds) {
  std::vector<double> home(8);
  if (!odds) {
    home = testing::RandomLaw(dice, 8);
    if (dice.Chance(0.5)) home = {0.5, 0, 0, 0, 0, 0, 0, 0.5};
  } else {
    double tendency[3];
    for (double& t : tendency) t = dice.Between(-3, 1);
    const double tie = std::log(dice.Chance(0.8) ? *odds : dice.Between(1, *odds));
    double sum = 0;
    for (std::size_t x = 0; x < 8; ++x) {
      double exponent = 0;
      int ones = 0;
      for (std::size_t i = 0; i < 3; ++i) {
        exponent += (x >> i & 1) != 0 ? tendency[i] : 0;
        ones += static_cast<int>(x >> i & 1);
      }
      home[x] = std::exp(exponent + tie * ones * (ones - 1) / 2);
      sum += home[x];
    }
    for (double& p : home) p /= sum;
  }
  const double alone = dice.Between(0.05, 0.95);
  std::vector<double> law(kStates);
  for (std::size_t x = 0; x < kStates; ++x) law[x] = home[x >> 1] * ((x & 1) != 0 ? alone : 1 - alone);
  return law;
}

double ExactLoss(const std::vector<double>& law, std::size_t unit, const std::vector<KernelArc>& arcs) {
  std::vector<double> given[2];
  for (const std::size_t value : {0U, 1U}) {
    given[value].assign(kStates, 0);
    double sum = 0;
    for (std::size_t x = 0; x < kStates; ++x) sum += (x >> unit & 1) == value ? law[x] : 0;
    if (sum <= 0) return 0;
    for (std::size_t x = 0; x < kStates; ++x) given[value][x] = (x >> unit & 1) == value ? law[x] / sum : 0;
  }
  return std::max(LargestLogRatio(given[0], given[1], arcs), LargestLogRatio(given[1], given[0], arcs));
}

struct Kind {
  const char* dependence;
  const char* faulty;  // the sizes of the strata exchanged
  std::optional<double> odds;
};
const Kind kKinds[] = {
    {"size = \"persons\"\n", "size = { persons = { 1 = 3, 3 = 1 } }\n", std::nullopt},
    {"size = \"persons\"\nodds_ratio = 4\n", "size = { persons = { 1 = 3, 3 = 1 } }\nodds_ratio = 4\n", 4},
    {"size = { persons = { 1 = 1, 3 = 3 } }\nodds_ratio = { persons = { 1 = 9, 3 = 1.5 } }\n",
     "size = { persons = { 1 = 3, 3 = 1 } }\nodds_ratio = { persons = { 1 = 9, 3 = 1.5 } }\n", 1.5},
};

struct Tally {
  int exceeded = 0, tight = 0, singles = 0;
};

Tally Compare(Fault fault) {
  Dice dice(stat::SeedForThisTest());
  Tally tally;
  for (const Kind& kind : kKinds) {
    const Accountant account = AccountantOf(PolicyWith(fault == Fault::kOtherStratum ? kind.faulty : kind.dependence));
    for (int trial = 0; trial < 60; ++trial) {
      const World world(dice, fault);
      const auto arcs = world.Arcs();
      const auto law = LawOf(dice, kind.odds);
      for (std::size_t unit = 0; unit < kUnits; ++unit) {
        Totals seen = world.totals;
        for (std::size_t c = 0; fault == Fault::kOwnCellAlone && c < seen.spent.size(); ++c)
          seen.spent[c] = c == world.cell[unit] ? seen.spent[c] : PlainUnits();
        const double said = account.DependentOf(world.cell[unit], seen)->dependent;
        const double exact = ExactLoss(law, unit, arcs);
        tally.exceeded += exact > said + 1e-9 || exact > account.Dependent(seen)->dependent + 1e-9 ? 1 : 0;
        tally.tight += exact > 0.1 && exact > 0.99 * said ? 1 : 0;
        tally.singles += unit == 0 && said == std::max(seen.spent[0], seen.spent[1]).epsilon() ? 1 : 0;
      }
    }
  }
  return tally;
}

TEST(StrataProperty, NoUnitLosesMoreThanItsStratumSays_STRATA1) {
  const Tally tally = Compare(Fault::kNone);
  EXPECT_EQ(tally.exceeded, 0);
  EXPECT_GT(tally.tight, 20);
  EXPECT_EQ(tally.singles, 180) << "who is alone loses what was spent";
}

TEST(StrataProperty, TheCheckAboveSeesPlantedFaults) {
  EXPECT_GT(Compare(Fault::kOtherStratum).exceeded, 50);
  EXPECT_GT(Compare(Fault::kOwnCellAlone).exceeded, 20);
  EXPECT_GT(Compare(Fault::kLargerHousehold).exceeded, 50);
}

// Why networks have no strata by degree: a hub that is never asked about loses what its neighbours give away, up to
// the sum over them. Their stratum cannot have a budget that the hub's does not bound.
TEST(StrataProperty, AHubLosesByNeighboursOfAnotherStratum) {
  const double theta = 1, plain = 0.5;
  std::vector<double> law(kStates);  // unit 0 is the hub of three others
  for (std::size_t x = 0; x < kStates; ++x) {
    law[x] = 0.5;
    const double odds = std::exp(((x & 1) != 0 ? theta : -theta) / 2 - plain / 2);  // of a neighbour, given the hub
    for (std::size_t i = 1; i < kUnits; ++i) law[x] *= ((x >> i & 1) != 0 ? odds : 1) / (1 + odds);
  }
  std::vector<KernelArc> arcs;
  for (std::uint32_t x = 0; x < kStates; ++x) {
    for (std::uint32_t i = 0; i < kUnits; ++i) arcs.push_back({x, x ^ (1U << i), i == 0 ? 1 : std::exp(plain)});
  }
  const double of_one = 2 * std::log((std::exp((theta + plain) / 2) + 1) / (std::exp(theta / 2) + std::exp(plain / 2)));
  EXPECT_NEAR(ExactLoss(law, 0, arcs), 3 * of_one, 1e-7);
  EXPECT_GT(3 * of_one, 0.35);
}

Price At(double epsilon) {
  Price price;
  price.epsilon = epsilon;
  return price;
}

const char* const kQuestions[] = {
    "SELECT persons, count(*) FROM t WHERE ill = 'yes' GROUP BY persons",
    "SELECT ward, persons, count(*) FILTER (WHERE ill = 'yes'), sum(age) FROM t GROUP BY ward, persons",
    "SELECT persons AS p, ill, count(*) FROM t WHERE ward = 'A' GROUP BY p, ill",
    "SELECT persons, avg(age) FROM t WHERE persons > 1 GROUP BY persons",
    "SELECT ill, persons, sum(age), count(*) FROM t WHERE age > 20 GROUP BY ill, persons",
};

/// How many groups can reveal more about a unit of a cell than the cell is charged. `stratum_of`: whose laws the groups
/// of a stratum get.
int Undercharged(const std::function<std::size_t(std::size_t stratum, std::size_t strata)>& stratum_of) {
  Dice dice(stat::SeedForThisTest());
  int found = 0;
  for (const char* dependence : {"size = \"persons\"\n", "size = \"persons\"\nodds_ratio = 5\n"}) {
    const Policy policy = PolicyWith(dependence, "[1, 2, 4, 6]");
    const Accountant account = AccountantOf(policy);
    for (const char* sql : kQuestions) {
      const Plan plan = PlanQuestion(sql, policy).value();
      const auto price = At(dice.Between(0.01, 1));
      const auto priced = PriceByStratum(plan, price, policy, account, UnitLevel::kPerson).value();
      EXPECT_TRUE(priced) << sql;
      if (!priced) continue;
      std::vector<PlainUnits> paid(policy.cells.size());
      for (const CellCharge& part : PartsOf(plan.charged, *priced)) {
        for (const std::size_t cell : part.cells) paid[cell] = part.units;
      }
      for (std::size_t s = 0; s < priced->strata.size(); ++s) {
        const auto& laws = priced->strata[stratum_of(s, priced->strata.size())].priced.laws;
        double loss = 0;  // of a unit that changes these groups as far as it can
        for (std::size_t k = 0; k < laws.size(); ++k)
          loss += static_cast<double>(plan.statistics[k].change.l1().steps()) / laws[k].noise.scale();
        for (const std::size_t group : priced->strata[s].groups) {
          for (std::size_t cell = 0; cell < policy.cells.size(); ++cell) {
            bool reaches = plan.charged[cell];
            for (std::size_t key = 0; key < plan.keys.size(); ++key) {
              for (std::size_t c = 0; c < policy.cells.columns().size(); ++c) {
                if (plan.keys[key].column == policy.cells.columns()[c].name)
                  reaches = reaches && plan.ShownKeys(group)[key] == policy.cells.At(cell, c);
              }
            }
            found += reaches && loss > paid[cell].epsilon() * (1 + 1e-12) ? 1 : 0;
          }
        }
      }
    }
  }
  return found;
}

TEST(StrataProperty, AUnitLosesWhatItsCellsAreCharged_STRATA2) {
  EXPECT_EQ(Undercharged([](std::size_t s, std::size_t) { return s; }), 0);
}

TEST(StrataProperty, TheCheckAboveSeesLawsOfAnotherStratum) {
  EXPECT_GT(Undercharged([](std::size_t s, std::size_t strata) { return (s + 1) % strata; }), 20);
}

TEST(StrataPrices, EveryStratumLosesThePriceItself) {
  const Policy policy = PolicyWith("size = \"persons\"\nodds_ratio = 5\n", "[1, 2, 6]");
  const Accountant account = AccountantOf(policy);
  const Plan plan = PlanQuestion(kQuestions[0], policy).value();
  const auto priced = PriceByStratum(plan, At(0.5), policy, account, UnitLevel::kPerson).value().value();
  ASSERT_EQ(priced.strata.size(), 3U);
  EXPECT_EQ(priced.strata[0].name, "persons=6, NULL");  // the most noise first
  EXPECT_EQ(priced.strata[2].name, "persons=1");
  EXPECT_EQ(priced.strata[2].priced.total.epsilon(), 0.5);
  EXPECT_EQ(priced.total.epsilon(), 0.5);
  EXPECT_EQ(priced.noise.size(), 3U);
  EXPECT_EQ(priced.noise[2].stratum, "persons=1");
  EXPECT_GT(priced.noise[0].scale, 5 * priced.noise[2].scale);
  // Twice the half is the whole, in every stratum.
  Totals totals;
  totals.spent.resize(policy.cells.size());
  for (const int time : {1, 2}) {
    for (const CellCharge& part : PartsOf(plan.charged, priced)) {
      for (const std::size_t cell : part.cells) totals.spent[cell] = totals.spent[cell] + part.units;
    }
    EXPECT_TRUE(account.Fits(totals)) << time;
  }
  const Guarantee guarantee = GuaranteeOf(policy, account, totals).value();
  ASSERT_EQ(guarantee.strata.size(), 3U);
  for (const auto& stratum : guarantee.strata) {
    EXPECT_LE(stratum.dependent, 1);
    EXPECT_GT(stratum.dependent, 0.999) << stratum.name;
  }
  EXPECT_EQ(guarantee.strata[0].name, "persons=1");
  EXPECT_EQ(guarantee.strata[0].plain, 1);
  EXPECT_EQ(guarantee.strata[2].size, 6);
  EXPECT_EQ(guarantee.plain, 1);
}

TEST(StrataPrices, ThereIsOnePriceWhereGroupsAreNotStrata) {
  const Policy policy = PolicyWith("size = \"persons\"\n", "[1, 2, 6]");
  const Accountant account = AccountantOf(policy);
  const auto has = [&](const Policy& of, const std::string& sql, const Price& price) {
    return PriceByStratum(PlanQuestion(sql, of).value(), price, of, AccountantOf(of), UnitLevel::kPerson)->has_value();
  };
  const std::string grouped = "SELECT persons, count(*) FROM t WHERE ill = 'yes' GROUP BY persons";
  EXPECT_TRUE(has(policy, grouped, At(0.5)));
  Price error;
  error.error_95 = 10;
  EXPECT_FALSE(has(policy, grouped, error)) << "one bar for all groups is one noise for all";
  EXPECT_FALSE(has(policy, "SELECT count(*) FROM t WHERE ill = 'yes'", At(0.5)));
  EXPECT_FALSE(has(policy, "SELECT ward, count(*) FROM t WHERE ill = 'yes' GROUP BY ward", At(0.5)));
  EXPECT_FALSE(has(policy, "SELECT persons, count(*) FROM t WHERE ill = 'yes' GROUP BY ROLLUP (persons)", At(0.5)));
  EXPECT_FALSE(
      has(policy, "SELECT persons, count(*) FROM t WHERE ill = 'yes' AND persons = 1 GROUP BY persons", At(0.5)))
      << "one stratum alone is charged";
  const Policy moving = PolicyWith("size = 6\nodds_ratio = { persons = { 1 = 2, 2 = 3, 6 = 4 } }\n", "[1, 2, 6]", "");
  EXPECT_FALSE(moving.HasStrata());
  EXPECT_FALSE(has(moving, grouped, At(0.5))) << "a unit may change its stratum";
}

TEST(StrataPrices, GroupsGetTheNoiseOfTheirStratum) {
  const Policy policy = PolicyWith("size = \"persons\"\n", "[1, 2, 6]");
  const Plan plan =
      PlanQuestion("SELECT persons, count(*), median(age) FROM t WHERE ill = 'yes' GROUP BY persons", policy).value();
  ASSERT_EQ(plan.groups(), 4U);
  const auto laws = [&](double share) {
    return MechanismsOf(plan, std::vector<PlainUnits>(2, PlainUnits::Floor(share).value())).value();
  };
  const auto quiet = laws(1000), loud = laws(1e-6);
  const std::vector<GroupMechanisms> parts = {{{1, 3}, loud}, {{0, 2}, quiet}};
  Exact exact{{2, {}}, {nullptr, nullptr}};
  const std::size_t candidates = plan.statistics[1].quantile->candidates.size();
  std::vector<std::int64_t> rows(4 * candidates, 0);
  for (std::size_t group = 0; group < 4; ++group) rows[group * candidates + 30 + group] = 1000;
  exact.rows_at[1] = std::make_shared<const std::vector<std::int64_t>>(std::move(rows));
  int far[4] = {}, off[4] = {};
  for (int run = 0; run < 50; ++run) {
    const NoisyGroups noisy = AddNoise(plan, exact, parts, SystemBits::ForThisThread()).value();
    for (std::size_t group = 0; group < 4; ++group) {
      far[group] += noisy[group][0] > 1000 || noisy[group][0] < -1000 ? 1 : 0;
      off[group] += noisy[group][1] != plan.statistics[1].quantile->candidates[30 + group] ? 1 : 0;
    }
  }
  for (const std::size_t group : {0U, 2U}) EXPECT_TRUE(far[group] == 0 && off[group] == 0) << group;
  for (const std::size_t group : {1U, 3U}) EXPECT_TRUE(far[group] > 40 && off[group] > 40) << group;
}

}  // namespace
}  // namespace kith
