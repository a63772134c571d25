// Questions about households against all neighbours: every record of every person of one household, replaced by every
// other. The persons keep their public columns and may be in different cells.
#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "query/plan.h"
#include "tests/support/policies.h"

namespace kith {
namespace {

struct Row {
  std::string ill;  // empty: NULL
  int age = 0;      // -1: NULL
};
using Person = std::vector<Row>;
struct Household {
  std::vector<Person> persons;
  std::vector<std::string> wards;  // public, one for each person
};
using Groups = std::map<std::string, int>;

struct World {
  const char* name;
  bool secret_presence;
  int max_rows;
  std::vector<Row> rows;  // what a row can be
};

Policy PolicyOf(const World& world, UnitLevel level) {
  Policy policy = testing::MakePolicy(
      "[data]\ntables.t = \"t.csv\"\n[unit]\ntable = \"t\"\nkey = \"id\"\nmax_rows = " +
      std::to_string(world.max_rows) + "\npresence = \"" + (world.secret_presence ? "secret" : "public") +
      "\"\nwithin = \"house\"\nsize = 2\n[columns.t]\nid = { type = \"integer\" }\nhouse = { type = \"integer\", "
      "public = true "
      "}\nward = { values = [\"A\", \"B\", \"C\"], public = true, required = true }\nill = { values = [\"no\", "
      "\"yes\", "
      "\"so\", \"un\", \"ex\"] }\nage = { lower = 0, upper = 3 }\n[dependence]\nsource = \"public\"\nkind = "
      "\"independent\"\n[budget]\nepsilon = 1\nledger = \"t.ledger\"\n");
  policy.unit.level = level;
  return policy;
}

std::vector<World> Worlds() {
  const std::vector<Row> all = {{"no", 0}, {"yes", 0}, {"so", 1}, {"", 2}, {"no", 3}, {"yes", 3}, {"yes", -1}};
  const std::vector<Row> few = {{"no", 0}, {"yes", 3}, {"so", 3}, {"un", 1}};
  return {{"public", false, 1, all},
          {"secret", true, 1, all},
          {"several rows", true, 2, few},
          {"several rows of known persons", false, 2, few}};
}

std::vector<Person> PersonsOf(const World& world) {
  std::vector<Person> persons;
  if (world.secret_presence || world.max_rows > 1) persons.push_back({});
  for (std::size_t i = 0; i < world.rows.size(); ++i) {
    persons.push_back({world.rows[i]});
    for (std::size_t j = i; world.max_rows > 1 && j < world.rows.size(); ++j)
      persons.push_back({world.rows[i], world.rows[j]});
  }
  return persons;
}

// What a household adds to each group of an answer.
struct Case {
  const char* sql;
  std::function<Groups(const Household&)> adds;
};

using EachRow = std::function<void(const Row&, const std::string& ward, std::size_t person)>;
void ForRows(const Household& home, const EachRow& see) {
  for (std::size_t p = 0; p < home.persons.size(); ++p) {
    for (const Row& row : home.persons[p]) see(row, home.wards[p], p);
  }
}

std::vector<Case> Cases() {
  const auto ill = [](const Row& row) { return row.ill == "yes"; };
  return {
      {"SELECT count(*) FROM t WHERE ill = 'yes'",
       [=](const Household& h) {
         Groups g;
         ForRows(h, [&](const Row& r, auto&, auto) { g[""] += ill(r) ? 1 : 0; });
         return g;
       }},
      {"SELECT count(DISTINCT house) FROM t WHERE ill = 'yes'",
       [=](const Household& h) {
         Groups g;
         ForRows(h, [&](const Row& r, auto&, auto) {
           if (ill(r)) g[""] = 1;
         });
         return g;
       }},
      {"SELECT count(DISTINCT house) FILTER (WHERE ill = 'yes' AND age > 0) FROM t WHERE ward <> 'B'",
       [=](const Household& h) {
         Groups g;
         ForRows(h, [&](const Row& r, const std::string& w, auto) {
           if (ill(r) && r.age > 0 && w != "B") g[""] = 1;
         });
         return g;
       }},
      {"SELECT ward, count(DISTINCT house) FROM t WHERE ill = 'yes' GROUP BY ward",
       [=](const Household& h) {
         Groups g;
         ForRows(h, [&](const Row& r, const std::string& w, auto) {
           if (ill(r)) g[w] = 1;
         });
         return g;
       }},
      {"SELECT ill, count(DISTINCT house) FROM t GROUP BY ill",
       [=](const Household& h) {
         Groups g;
         ForRows(h, [&](const Row& r, auto&, auto) { g[r.ill] = 1; });
         return g;
       }},
      {"SELECT ill, ward, count(DISTINCT house) FROM t GROUP BY ill, ward",
       [=](const Household& h) {
         Groups g;
         ForRows(h, [&](const Row& r, const std::string& w, auto) { g[r.ill + w] = 1; });
         return g;
       }},
      {"SELECT count(DISTINCT id) FROM t WHERE ill = 'yes'",
       [=](const Household& h) {
         Groups g;
         std::map<std::size_t, int> seen;
         ForRows(h, [&](const Row& r, auto&, std::size_t p) {
           if (ill(r)) seen[p] = 1;
         });
         g[""] = static_cast<int>(seen.size());
         return g;
       }},
      {"SELECT sum(age) FROM t",
       [=](const Household& h) {
         Groups g;
         ForRows(h, [&](const Row& r, auto&, auto) { g[""] += std::max(r.age, 0); });
         return g;
       }},
      {"SELECT ill, sum(age) FROM t GROUP BY ill",
       [=](const Household& h) {
         Groups g;
         ForRows(h, [&](const Row& r, auto&, auto) { g[r.ill] += std::max(r.age, 0); });
         return g;
       }},
      {"SELECT ward, count(*) FROM t WHERE ill = 'yes' GROUP BY ward",
       [=](const Household& h) {
         Groups g;
         ForRows(h, [&](const Row& r, const std::string& w, auto) { g[w] += ill(r) ? 1 : 0; });
         return g;
       }},
  };
}

struct Moved {
  std::int64_t l1 = 0, l2_squared = 0, groups = 0;
};

Moved Between(const Groups& one, const Groups& other) {
  Groups all = one;
  for (const auto& [group, value] : other) all[group] -= value;
  Moved moved;
  for (const auto& [group, value] : all) {
    moved.l1 += std::abs(value);
    moved.l2_squared += static_cast<std::int64_t>(value) * value;
    moved.groups += value != 0 ? 1 : 0;
  }
  return moved;
}

Moved Largest(const World& world, const Case& asked, const std::vector<const char*>& seconds = {"A", "B"}) {
  const auto persons = PersonsOf(world);
  Moved largest;
  for (const char* second : seconds) {
    std::vector<Groups> adds;
    for (const Person& one : persons) {
      for (const Person& other : persons) adds.push_back(asked.adds({{one, other}, {"A", second}}));
    }
    for (const Groups& before : adds) {
      for (const Groups& after : adds) {
        const Moved moved = Between(before, after);
        largest.l1 = std::max(largest.l1, moved.l1);
        largest.l2_squared = std::max(largest.l2_squared, moved.l2_squared);
        largest.groups = std::max(largest.groups, moved.groups);
      }
    }
  }
  return largest;
}

TEST(NestedPlanProperty, NoHouseholdChangesMoreThanThePlanSays_NEST4) {
  std::size_t tight = 0, cases = 0;
  for (const World& world : Worlds()) {
    for (const Case& asked : Cases()) {
      const auto plan = PlanQuestion(asked.sql, PolicyOf(world, UnitLevel::kHousehold));
      ASSERT_TRUE(plan) << asked.sql << ": " << plan.error().Text();
      const Sensitivities change = plan->statistics.at(0).change;
      const Moved largest = Largest(world, asked);
      EXPECT_LE(largest.l1, change.l1().steps()) << world.name << ": " << asked.sql;
      EXPECT_LE(largest.l2_squared, change.l2_squared()) << world.name << ": " << asked.sql;
      EXPECT_LE(largest.groups, change.groups()) << world.name << ": " << asked.sql;
      EXPECT_EQ(plan->charged, std::vector<bool>(3, true)) << "all cells, whichever the persons are in";
      ++cases;
      tight += largest.l1 == change.l1().steps() ? 1 : 0;
    }
  }
  EXPECT_GT(tight, cases / 2);  // most bounds are reached
}

TEST(NestedPlanProperty, TheCheckAboveSeesAForgottenSize) {
  std::size_t caught = 0;
  for (const World& world : Worlds()) {
    for (const Case& asked : Cases()) {
      const auto plan = PlanQuestion(asked.sql, PolicyOf(world, UnitLevel::kPerson));
      if (!plan) continue;  // households are counted only in questions about them
      caught += Largest(world, asked).l1 > plan->statistics.at(0).change.l1().steps() ? 1 : 0;
    }
  }
  EXPECT_GE(caught, 16U);
}

// All persons of a household are in one ward; the twin is a household whose persons are not.
TEST(NestedPlanProperty, ColumnsOfHouseholdsAreOneGroup_NEST4) {
  std::size_t one = 0;
  for (const World& world : Worlds()) {
    Policy policy = PolicyOf(world, UnitLevel::kHousehold);
    policy.tables[0].columns[2].of_household = true;
    ASSERT_EQ(policy.tables[0].columns[2].name, "ward");
    for (const Case& asked : Cases()) {
      const Sensitivities change = PlanQuestion(asked.sql, policy).value().statistics.at(0).change;
      const Moved together = Largest(world, asked, {"A"});
      EXPECT_LE(together.l1, change.l1().steps()) << world.name << ": " << asked.sql;
      EXPECT_LE(together.l2_squared, change.l2_squared()) << world.name << ": " << asked.sql;
      EXPECT_LE(together.groups, change.groups()) << world.name << ": " << asked.sql;
      const bool by_ward = std::string(asked.sql).starts_with("SELECT ward, count(DISTINCT house)");
      one += by_ward && change.l1().steps() == 1 ? 1 : 0;
    }
  }
  EXPECT_EQ(one, Worlds().size());
}

// A household whose persons are in two wards, though the column is declared to be constant in it.
TEST(NestedPlanProperty, TheCheckAboveSeesHouseholdsInTwoGroups) {
  std::size_t caught = 0;
  for (const World& world : Worlds()) {
    Policy policy = PolicyOf(world, UnitLevel::kHousehold);
    policy.tables[0].columns[2].of_household = true;
    for (const Case& asked : Cases()) {
      const Sensitivities change = PlanQuestion(asked.sql, policy).value().statistics.at(0).change;
      caught += Largest(world, asked, {"B"}).l1 > change.l1().steps() ? 1 : 0;
    }
  }
  EXPECT_EQ(caught, Worlds().size());
}

// Two persons with two rows each, every row in its own ward, which is public.
TEST(NestedPlanProperty, RowsOfAHouseholdAreInTheirOwnGroups_NEST4) {
  Policy policy = PolicyOf(Worlds()[3], UnitLevel::kHousehold);
  policy.tables[0].columns[2].per_row = true;
  const auto by_ward = [&](const std::string& what) {
    return PlanQuestion("SELECT ward, " + what + " FROM t WHERE ill = 'yes' GROUP BY ward", policy)
        .value()
        .statistics.at(0)
        .change;
  };
  Moved homes, rows;
  for (int wards = 0; wards < 81; ++wards) {
    const int at[] = {wards % 3, wards / 3 % 3, wards / 9 % 3, wards / 27};
    for (int before = 0; before < 16; ++before) {
      for (int after = 0; after < 16; ++after) {
        int home[3] = {}, row[3] = {}, home_before[3] = {};
        for (int r = 0; r < 4; ++r) {
          row[at[r]] += (after >> r & 1) - (before >> r & 1);
          if (after >> r & 1) home[at[r]] = 1;
          if (before >> r & 1) home_before[at[r]] = 1;
        }
        std::int64_t of_homes = 0, of_rows = 0;
        for (int w = 0; w < 3; ++w) {
          of_homes += std::abs(home[w] - home_before[w]);
          of_rows += std::abs(row[w]);
        }
        homes.l1 = std::max(homes.l1, of_homes);
        rows.l1 = std::max(rows.l1, of_rows);
      }
    }
  }
  EXPECT_EQ(by_ward("count(DISTINCT house)").l1().steps(), homes.l1);
  EXPECT_EQ(by_ward("count(*)").l1().steps(), rows.l1);
  policy.tables[0].columns[2].per_row = false;  // the twin: one ward for each person
  EXPECT_LT(by_ward("count(DISTINCT house)").l1().steps(), homes.l1);
}

TEST(NestedPlan, PublicFactsCostHouseholdsNothing) {
  const Policy policy = PolicyOf(Worlds()[0], UnitLevel::kHousehold);
  const auto plan = PlanQuestion("SELECT ward, count(DISTINCT house), count(*) FROM t GROUP BY ward", policy);
  ASSERT_TRUE(plan) << plan.error().Text();
  EXPECT_TRUE(plan->noisy().empty());
  EXPECT_EQ(plan->charged, std::vector<bool>(3, false));
}

TEST(NestedPlan, HouseholdsAreCountedInQuestionsAboutThemOnly) {
  const auto persons = PlanQuestion("SELECT count(DISTINCT house) FROM t", PolicyOf(Worlds()[1], UnitLevel::kPerson));
  ASSERT_FALSE(persons);
  EXPECT_EQ(persons.error().parameter, "request.unit");
  // Values are those of each person: they change one after another.
  const Policy together = PolicyOf(Worlds()[1], UnitLevel::kHousehold);
  const auto values = PlanQuestion("SELECT count(DISTINCT age) FROM t", together);
  const auto of_one = PlanQuestion("SELECT count(DISTINCT age) FROM t", PolicyOf(Worlds()[1], UnitLevel::kPerson));
  ASSERT_TRUE(values && of_one);
  EXPECT_EQ(values->statistics[0].change.l1().steps(), of_one->statistics[0].change.l1().steps() * together.unit.size);
  EXPECT_FALSE(PlanQuestion("SELECT ill, ward, count(DISTINCT house) FROM t GROUP BY ROLLUP (ill, ward)",
                            PolicyOf(Worlds()[1], UnitLevel::kHousehold)));
}

}  // namespace
}  // namespace kith
