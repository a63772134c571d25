// Persons in households: what the account says against the exact programme over all kernels that answers to questions
// about persons (loss a for each person that changes) and about households (loss b for each household that changes) can
// make together. Three persons in two households, who may be in different cells.
#include <gtest/gtest.h>

#include <cmath>

#include "release/accountant.h"
#include "release/guarantee.h"
#include "tests/support/policies.h"
#include "tests/support/small_laws.h"
#include "tests/support/stat.h"
#include "transfer/kernel_lp.h"

namespace kith {
namespace {

using testing::Dice;

constexpr std::size_t kPersons = 3, kStates = 8;
constexpr std::size_t kHome[kPersons] = {0, 0, 1};  // household of each person; the largest has two

Policy PolicyWith(const std::string& dependence, std::int64_t size, const std::string& more = "") {
  Policy policy = testing::MakePolicy(
      "[data]\ntables.t = \"t.csv\"\n[unit]\ntable = \"t\"\nkey = \"id\"\nmax_rows = 1\npresence = \"public\"\nwithin "
      "= "
      "\"house\"\nsize = 2\n[columns.t]\nid = { type = \"integer\" }\nhouse = { type = \"integer\", public = true "
      "}\nward = { values = "
      "[\"A\", "
      "\"B\"], public = true, required = true }\nill = { values = [\"no\", \"yes\"] }\nstreet = { type = \"integer\", "
      "public "
      "= true }\n[dependence]\nsource = \"public\"\n" +
      dependence + "[budget]\nepsilon = 1\nledger = \"t.ledger\"\n" + more);
  policy.unit.size = size;  // a fault: a file with a size other than the group's is refused
  return policy;
}

Accountant AccountantOf(const Policy& policy) {
  auto curve = BudgetCurve::Make(policy, {}, Call());
  EXPECT_TRUE(curve) << curve.error().Text();
  auto account = Accountant::Make(policy, std::move(*curve));
  EXPECT_TRUE(account) << account.error().Text();
  return std::move(*account);
}

/// What was asked: a for each cell, b.
struct Asked {
  std::int64_t a[2] = {0, 0};
  std::int64_t b = 0;
  std::size_t cell[kPersons] = {0, 0, 0};

  Totals totals() const {
    Totals totals;
    for (const std::int64_t own : a) totals.spent.push_back(PlainUnits::Of(own + b));
    totals.any = totals.spent;
    totals.household.assign(2, PlainUnits::Of(b));
    return totals;
  }
  double PersonLoss(std::size_t person) const { return PlainUnits::Of(a[cell[person]]).epsilon(); }

  /// All changes of one household: of any of its persons, at a for each and b once.
  std::vector<KernelArc> Arcs() const {
    std::vector<KernelArc> arcs;
    for (std::uint32_t x = 0; x < kStates; ++x) {
      for (std::uint32_t y = 0; y < kStates; ++y) {
        bool touched[2] = {false, false};
        double cost = PlainUnits::Of(b).epsilon();
        for (std::size_t i = 0; i < kPersons; ++i) {
          if (((x ^ y) >> i & 1) == 0) continue;
          touched[kHome[i]] = true;
          cost += PersonLoss(i);
        }
        if (touched[0] != touched[1]) arcs.push_back({x, y, std::exp(cost) * (1 + 1e-14)});
      }
    }
    return arcs;
  }
};

Asked Ask(Dice& dice) {
  const auto units = [&] { return dice.Chance(0.2) ? 0 : static_cast<std::int64_t>(dice.Between(0, 1.2) * 0x1p32); };
  Asked asked{{units(), units()}, units()};
  for (std::size_t& cell : asked.cell) cell = static_cast<std::size_t>(dice.Below(2));
  return asked;
}

using Law = std::vector<double>;  // of all three persons; bit i is person i

/// Given that some persons have these values. Empty if that never happens.
Law Given(const Law& law, std::size_t mask, std::size_t values) {
  Law given(kStates, 0);
  double sum = 0;
  for (std::size_t x = 0; x < kStates; ++x) {
    if ((x & mask) != values) continue;
    given[x] = law[x];
    sum += law[x];
  }
  if (sum <= 0) return {};
  for (double& p : given) p /= sum;
  return given;
}

/// The exact loss of those whose bits are in the mask: the worst pair of their values.
double Exact(const Law& law, std::size_t mask, const std::vector<KernelArc>& arcs) {
  double worst = 0;
  for (std::size_t u = 0; u < kStates; ++u) {
    for (std::size_t v = 0; v < kStates; ++v) {
      if ((u & ~mask) != 0 || (v & ~mask) != 0 || u == v) continue;
      const Law p = Given(law, mask, u), q = Given(law, mask, v);
      if (!p.empty() && !q.empty()) worst = std::max(worst, LargestLogRatio(p, q, arcs));
    }
  }
  return worst;
}

double ExactOfPersons(const Law& law, const std::vector<KernelArc>& arcs) {
  return std::max({Exact(law, 1, arcs), Exact(law, 2, arcs), Exact(law, 4, arcs)});
}
double ExactOfHouseholds(const Law& law, const std::vector<KernelArc>& arcs) {
  return std::max(Exact(law, 3, arcs), Exact(law, 4, arcs));
}

/// Persons 0 and 1 with an odds ratio of at most `odds` (none: anything), person 2 apart.
Law InsideLaw(Dice& dice, std::optional<double> odds) {
  Law home = testing::RandomLaw(dice, 4);
  if (odds) {
    const double p = dice.Between(0.02, 0.98), q = dice.Between(0.02, 0.98);
    home = {(1 - p) * (1 - q), p * (1 - q), (1 - p) * q, p * q * (dice.Chance(0.8) ? *odds : dice.Between(1, *odds))};
  } else if (dice.Chance(0.4)) {
    home = {0.5, 0, 0, 0.5};  // one copies the other
  }
  const double third = dice.Between(0.05, 0.95);
  Law law(kStates);
  for (std::size_t x = 0; x < kStates; ++x) law[x] = home[x & 3] * (x & 4 ? third : 1 - third);
  return law;
}

/// Households depend on each other in any way.
Law AnyLaw(Dice& dice) {
  if (dice.Chance(0.4)) return {0.5, 0, 0, 0, 0, 0, 0, 0.5};
  return testing::RandomLaw(dice, static_cast<int>(kStates));
}

enum class Fault { kNone, kHouseholdsForgottenForPersons, kSizeForgottenForHouseholds };

struct Tally {
  std::size_t exceeded = 0, tight = 0, by_household = 0, by_model = 0;
};

struct Kind {
  const char* dependence;
  std::optional<double> odds;
  bool between = false;
};
const Kind kKinds[] = {
    {"kind = \"group\"\nby = \"house\"\nsize = 2\n", std::nullopt},
    {"kind = \"group\"\nby = \"house\"\nsize = 2\nodds_ratio = 3\n", 3},
    {"kind = \"group\"\nby = \"house\"\nsize = 2\nodds_ratio = 1.2\n", 1.2},
    {"kind = \"independent\"\n", 1},
    {"unit = \"household\"\nkind = \"group\"\nby = \"street\"\nsize = 2\n", std::nullopt, true},
};

Tally Compare(Fault fault) {
  Dice dice(stat::SeedForThisTest());
  Tally tally;
  for (const Kind& kind : kKinds) {
    const Accountant account =
        AccountantOf(PolicyWith(kind.dependence, fault == Fault::kSizeForgottenForHouseholds ? 1 : 2));
    for (int trial = 0; trial < 60; ++trial) {
      const Asked asked = Ask(dice);
      const Law law = kind.between ? AnyLaw(dice) : InsideLaw(dice, kind.odds);
      const auto arcs = asked.Arcs();
      Totals totals = asked.totals();
      if (fault == Fault::kHouseholdsForgottenForPersons) {
        for (auto& spent : totals.spent) spent = spent - PlainUnits::Of(asked.b);
        totals.any = totals.spent;
        totals.household.assign(2, PlainUnits());
      }
      const auto persons = account.Dependent(totals).value();
      const auto households = account.Households(totals).value().value();
      const double exact = ExactOfPersons(law, arcs), outer = ExactOfHouseholds(law, arcs);
      constexpr double kSlack = 1e-9;
      tally.exceeded += exact > persons.dependent + kSlack || outer > households.dependent + kSlack ? 1 : 0;
      tally.tight += exact > 0.1 && exact > 0.999 * persons.dependent ? 1 : 0;
      tally.tight += outer > 0.1 && outer > 0.999 * households.dependent ? 1 : 0;
      tally.by_household += persons.bound == "household" ? 1 : 0;
      tally.by_model += persons.bound != "household" && !kind.between ? 1 : 0;
      if (fault == Fault::kNone && !kind.odds && !kind.between && asked.b > 0 && asked.a[0] == asked.a[1]) {
        EXPECT_LT(persons.dependent, 2 * totals.spent[0].epsilon()) << "never size * (a + b)";
      }
    }
  }
  return tally;
}

TEST(NestedProperty, NoKernelOfBothKindsLosesMore_NEST3) {
  const Tally tally = Compare(Fault::kNone);
  EXPECT_EQ(tally.exceeded, 0U);
  EXPECT_GT(tally.tight, 50U);
  EXPECT_GT(tally.by_household, 20U);
  EXPECT_GT(tally.by_model, 20U);
}

TEST(NestedProperty, TheCheckAboveSeesPlantedFaults) {
  EXPECT_GT(Compare(Fault::kHouseholdsForgottenForPersons).exceeded, 50U);
  EXPECT_GT(Compare(Fault::kSizeForgottenForHouseholds).exceeded, 50U);
}

/// How often totals that fit the limits lose more than the policy allows; `forgetful`: b is not counted.
std::size_t FittingButTooMuch(bool forgetful, std::size_t& fitting, std::size_t& not_fitting) {
  Dice dice(stat::SeedForThisTest());
  std::size_t wrong = 0;
  for (const Kind& kind : kKinds) {
    const bool capped = !kind.between && dice.Chance(0.7);
    const Policy policy = PolicyWith(kind.dependence, 2, capped ? "[budget.household]\nepsilon = 1.25\n" : "");
    const Accountant account = AccountantOf(policy);
    for (int trial = 0; trial < 400; ++trial) {
      const Totals totals = Ask(dice).totals();
      Totals seen = totals;
      if (forgetful) {
        for (std::size_t k = 0; k < 2; ++k) seen.spent[k] = totals.spent[k] - totals.household[k];
        seen.household.assign(2, PlainUnits());
      }
      const bool fits = account.Fits(seen);
      ++(fits ? fitting : not_fitting);
      if (!fits) continue;
      const double households = account.Households(totals).value()->dependent;
      wrong += account.Dependent(totals)->dependent > 1 + 1e-9 || (capped && households > 1.25 + 1e-9) ? 1 : 0;
    }
  }
  return wrong;
}

TEST(NestedProperty, WhatFitsLosesNoMoreThanAllowed_NEST3) {
  std::size_t fitting = 0, not_fitting = 0;
  EXPECT_EQ(FittingButTooMuch(false, fitting, not_fitting), 0U);
  EXPECT_GT(fitting, 200U);
  EXPECT_GT(not_fitting, 200U);
}

TEST(NestedProperty, TheCheckAboveSeesAForgottenPart) {
  std::size_t fitting = 0, not_fitting = 0;
  EXPECT_GT(FittingButTooMuch(true, fitting, not_fitting), 50U);
}

TEST(NestedAccount, BudgetsOfBothLevels) {
  const Accountant inside = AccountantOf(PolicyWith("kind = \"group\"\nby = \"house\"\nsize = 2\n", 2));
  EXPECT_EQ(inside.Budget({true, true}).epsilon(), 0.5);
  EXPECT_EQ(inside.Budget({true, true}, UnitLevel::kHousehold).epsilon(), 1);
  Totals totals;
  totals.spent = totals.any =
      totals.household = {PlainUnits::Of(PlainUnits::kOne / 2), PlainUnits::Of(PlainUnits::kOne / 2)};
  EXPECT_EQ(inside.Allowed(totals)[0].epsilon(), 0.75);  // a quarter more for each of two persons
  const Accountant between =
      AccountantOf(PolicyWith("unit = \"household\"\nkind = \"group\"\nby = \"street\"\nsize = 2\n", 2));
  EXPECT_EQ(between.Budget({true, true}).epsilon(), 0.25);
  EXPECT_EQ(between.Budget({true, true}, UnitLevel::kHousehold).epsilon(), 0.5);
  EXPECT_FALSE(AccountantOf(testing::MakePolicy(testing::TwinsPolicyText())).nested());
}

TEST(NestedAccount, GuaranteesNameBothUnits) {
  const Policy policy = PolicyWith("kind = \"independent\"\n", 2, "[budget.household]\nepsilon = 1.5\n");
  const Asked asked{{PlainUnits::kOne / 4, 0}, PlainUnits::kOne / 2};
  const Guarantee g = GuaranteeOf(policy, AccountantOf(policy), asked.totals()).value();
  EXPECT_EQ(g.plain, 0.75);
  EXPECT_EQ(g.level, "id");
  ASSERT_TRUE(g.household);
  EXPECT_EQ(g.household->level, "house");
  EXPECT_EQ(g.household->size, 2);
  EXPECT_EQ(g.household->plain, 1);
  EXPECT_EQ(g.household->dependent, 1);
  EXPECT_EQ(g.household->cap, 1.5);
}

}  // namespace
}  // namespace kith
