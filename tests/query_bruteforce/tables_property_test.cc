// Several tables of the same units: TABLES-1 and TABLES-2 by trying everything. A unit's record is its rows in both
// tables; each question comes with its own meaning, written here from that of SQL: loops over rows that are kept.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <random>
#include <set>

#include "query/joint_moves.h"
#include "tests/query_bruteforce/random_tables.h"
#include "tests/support/stat.h"
#include "tests/support/tiny_db_engine.h"

namespace kith::testing::tables {
namespace {

struct Reach {
  long long l1 = 0, l2_squared = 0, groups = 0;
};

void Widen(Reach& reach, const std::set<Added>& all) {
  for (auto a = all.begin(); a != all.end(); ++a) {
    for (auto b = std::next(a); b != all.end(); ++b) {
      Reach one;
      for (std::size_t g = 0; g < a->size(); ++g) {
        const long long difference = std::llabs(static_cast<long long>((*a)[g]) - (*b)[g]);
        one.l1 += difference;
        one.l2_squared += difference * difference;
        one.groups += difference > 0 ? 1 : 0;
      }
      reach.l1 = std::max(reach.l1, one.l1);
      reach.l2_squared = std::max(reach.l2_squared, one.l2_squared);
      reach.groups = std::max(reach.groups, one.groups);
    }
  }
}

struct Tried {
  Reach all;                  // over all neighbours
  std::vector<bool> changed;  // in each cell
  bool stranger = false;      // presence public, and somebody who is not in p: no cell is known
};

/// Where presence is public, a unit in p is in p in both data sets, and one that is not is in neither.
Tried TryAll(const World& world, const Ask& ask, const Plan& plan) {
  Tried tried;
  const bool known = world.policy.unit.presence == Presence::kPublic;
  for (const Word& g : world.public_g ? kG : std::vector<Word>{std::nullopt}) {
    std::set<Added> there, others;
    for (const Unit& unit : AllUnits(world, g))
      (known && unit.persons.empty() ? others : there).insert(AddedBy(unit, ask, plan));
    Reach here, stranger;
    Widen(here, there);
    Widen(stranger, others);
    tried.changed.push_back(here.l1 > 0);
    tried.stranger = tried.stranger || stranger.l1 > 0;
    for (const Reach& reach : {here, stranger}) {
      tried.all.l1 = std::max(tried.all.l1, reach.l1);
      tried.all.l2_squared = std::max(tried.all.l2_squared, reach.l2_squared);
      tried.all.groups = std::max(tried.all.groups, reach.groups);
    }
  }
  return tried;
}

bool PriceHolds(const Plan& plan, const Tried& tried) {
  const Sensitivities& change = plan.statistics.at(0).change;
  return plan.statistics[0].lattice.exponent == 0 && tried.all.l1 <= change.l1().steps() &&
         tried.all.l2_squared <= change.l2_squared() && tried.all.groups <= change.groups();
}

bool ChargesHold(const Plan& plan, const Tried& tried) {
  if (plan.charged.size() != tried.changed.size()) return false;
  for (std::size_t cell = 0; cell < tried.changed.size(); ++cell) {
    if ((tried.changed[cell] || tried.stranger) && !plan.charged[cell]) return false;
  }
  return true;
}

int Cases(int usual) {
  const char* longer = std::getenv("KITH_TABLES_CASES");
  return longer != nullptr ? std::atoi(longer) : usual;
}

TEST(TablesOfUnits, NoNeighbourChangesMoreThanThePlanSays_TABLES2) {
  Dice dice(stat::SeedForThisTest());
  int reached = 0, joins = 0, less = 0, fewer_cells = 0;
  const int cases = Cases(250);
  for (int i = 0; i < cases; ++i) {
    const World world = RandomWorld(dice);
    const Ask ask = RandomAsk(dice);
    const auto plan = PlanQuestion(ask.sql, world.policy);
    ASSERT_TRUE(plan) << ask.sql << "\n" << plan.error().Text();
    ASSERT_EQ(plan->statistics.size(), 1u) << ask.sql;
    const Tried tried = TryAll(world, ask, *plan);
    const auto about = [&] {
      return ask.sql + "\nmax_rows " + std::to_string(world.persons) + " and " + std::to_string(world.visits) +
             (world.policy.unit.presence == Presence::kPublic ? ", presence public" : "") + "\nplan " +
             std::to_string(plan->statistics[0].change.l1().steps()) + ", tried " + std::to_string(tried.all.l1);
    };
    EXPECT_TRUE(PriceHolds(*plan, tried)) << about();
    EXPECT_TRUE(ChargesHold(*plan, tried)) << about() << "\na cell changes that is not charged";
    EXPECT_EQ(plan->of_unit_table, ask.from != From::kVisits) << about();
    reached += tried.all.l1 == plan->statistics[0].change.l1().steps() ? 1 : 0;
    joins += plan->more_tables.empty() ? 0 : 1;
    less += plan->statistics[0].change.IsNone() ? 1 : 0;
    fewer_cells += std::count(plan->charged.begin(), plan->charged.end(), false) > 0 ? 1 : 0;
  }
  EXPECT_GT(reached, cases / 2);  // the price is what some two records really reach, more often than not
  EXPECT_GT(joins, cases / 2);
  EXPECT_GT(less, 0);
  EXPECT_GT(fewer_cells, cases / 40);
}

// The twins. Of TABLES-2: what is kept of the second table is forgotten in the price. Of TABLES-1: presence of the
// unit's table is taken for that of the second; a column of the second table is taken for the public one of the same
// name; and the second table is charged to nobody else's cells.
TEST(TablesOfUnits, TheCheckAboveSeesPlantedFaults_TABLES1) {
  Dice dice(stat::SeedForThisTest());
  int product = 0, presence = 0, cells = 0, halved = 0;
  for (int i = 0; i < 300; ++i) {
    const World world = RandomWorld(dice);
    const Ask ask = RandomAsk(dice);
    const Plan plan = PlanQuestion(ask.sql, world.policy).value();
    if (plan.more_tables.empty()) continue;
    const Tried tried = TryAll(world, ask, plan);
    Policy wrong = world.policy;
    wrong.tables.at(1).max_rows = 1;
    product += PriceHolds(PlanQuestion(ask.sql, wrong).value(), tried) ? 0 : 1;
    Plan half = plan;
    half.statistics[0].change = Sensitivities::OfL1(half.statistics[0].change.l1().steps() / 2).value();
    halved += PriceHolds(half, tried) ? 0 : 1;
    if (ask.from != From::kVisits) continue;
    wrong = world.policy;
    wrong.unit.table = "v";
    wrong.unit.key = "who";
    wrong.unit.max_rows = world.visits;
    const auto planted = PlanQuestion(ask.sql, wrong);
    ASSERT_TRUE(planted) << ask.sql;
    presence += PriceHolds(*planted, tried) ? 0 : 1;
    wrong.unit.presence = Presence::kSecret;
    cells += ChargesHold(PlanQuestion(ask.sql, wrong).value(), tried) ? 0 : 1;
  }
  EXPECT_GT(product, 30);
  EXPECT_GT(presence, 2);
  EXPECT_GT(cells, 2);
  EXPECT_GT(halved, 50);
}

// Several statistics of a join at once, priced by what no record can exceed for any weights.
TEST(TablesOfUnits, JointMovesHoldForJoins_TABLES2) {
  Dice dice(stat::SeedForThisTest());
  int listed = 0, halved = 0;
  for (int i = 0; i < 60; ++i) {
    const World world = RandomWorld(dice);
    const bool left = dice.Chance(50), filtered = dice.Chance(40), grouped = dice.Chance(40);
    std::vector<Ask> asks(3);
    for (Ask& ask : asks) {
      ask.from = left ? From::kLeft : From::kInner;
      if (filtered) ask.where = [](const Joined& row) { return Above(row.Y(), 0); };
      if (grouped) ask.keys.push_back([](const Joined& row) { return row.v ? row.v->k : std::nullopt; });
    }
    asks[1].value = [](const Joined& row) { return row.Y(); };
    asks[2].value = [](const Joined& row) { return row.X(); };
    const std::string sql = std::string("SELECT count(*), sum(v.y), sum(p.x) FROM p ") + (left ? "LEFT " : "") +
                            "JOIN v ON p.id = v.who" + (filtered ? " WHERE v.y > 0" : "") +
                            (grouped ? " GROUP BY v.k" : "");
    const Plan plan = PlanQuestion(sql, world.policy).value();
    const auto moves = JointMovesOf(sql, world.policy, plan);
    if (moves.empty()) continue;
    ++listed;
    std::set<std::vector<Added>> all;
    for (const Unit& unit : AllUnits(world, "a")) {
      if (unit.persons.empty() && world.policy.unit.presence == Presence::kPublic) continue;
      all.insert({AddedBy(unit, asks[0], plan), AddedBy(unit, asks[1], plan), AddedBy(unit, asks[2], plan)});
    }
    const std::vector<std::array<int, 3>> weights = {{1, 1, 1}, {3, 1, 1}, {1, 3, 1}, {1, 1, 3}, {9, 2, 1}, {0, 1, 1}};
    std::vector<long long> reached(weights.size(), 0), allowed(weights.size(), 0);
    for (auto a = all.begin(); a != all.end(); ++a) {
      for (auto b = all.begin(); b != a; ++b) {
        std::array<long long, 3> apart = {};
        for (std::size_t k = 0; k < 3; ++k)
          for (std::size_t g = 0; g < (*a)[k].size(); ++g) apart[k] += std::abs((*a)[k][g] - (*b)[k][g]);
        for (std::size_t w = 0; w < weights.size(); ++w)
          reached[w] =
              std::max(reached[w], weights[w][0] * apart[0] + weights[w][1] * apart[1] + weights[w][2] * apart[2]);
      }
    }
    bool half = true;
    for (std::size_t w = 0; w < weights.size(); ++w) {
      for (const JointMove& move : moves)
        allowed[w] = std::max<long long>(allowed[w],
                                         weights[w][0] * move[0] + weights[w][1] * move[1] + weights[w][2] * move[2]);
      EXPECT_LE(reached[w], allowed[w]) << sql;
      half = half && 2 * reached[w] <= allowed[w];
    }
    halved += half ? 0 : 1;
  }
  EXPECT_GT(listed, 15);
  EXPECT_GT(halved, 10);  // the twin: half of the moves would be too few
}

// What a check of the unit's table has shown (that nobody has more than one row there) says nothing about other tables.
TEST(TablesOfUnits, WhatIsKnownOfTheUnitsTableIsNotUsedForOthers_TABLES1) {
  Dice dice(stat::SeedForThisTest());
  const sql::UnitRows known{.most = 1, .rows = 7};
  int used = 0;
  for (int i = 0; i < 100; ++i) {
    const World world = RandomWorld(dice);
    const Ask ask = RandomAsk(dice);
    const Plan plan = PlanQuestion(ask.sql, world.policy).value();
    for (const sql::Dialect* dialect : {&sql::DuckDb(), &sql::Trino()}) {  // Trino has narrow sums of few rows
      const std::string plain = dialect->Write(plan.statement), knows = dialect->Write(plan.statement, known);
      if (plan.more_tables.empty())
        used += plain != knows ? 1 : 0;
      else
        EXPECT_EQ(plain, knows) << ask.sql;
    }
  }
  EXPECT_GT(used, 5);  // the twin: for the unit's table it is used
}

Datum DatumOf(const Word& word) { return word ? TextDatum(*word) : NullDatum(); }
Datum DatumOf(const Number& number) { return number ? IntegerDatum(*number) : NullDatum(); }

struct Tables {
  TinyTable p{"p",
              {"id", "g", "x", "s"},
              {ColumnType::kInteger, ColumnType::kText, ColumnType::kInteger, ColumnType::kText},
              {}};
  TinyTable v{"v",
              {"who", "k", "y", "g"},
              {ColumnType::kInteger, ColumnType::kText, ColumnType::kInteger, ColumnType::kText},
              {}};

  void Add(const Datum& id, const Unit& unit) {
    for (const Person& one : unit.persons) p.rows.push_back({id, DatumOf(one.g), DatumOf(one.x), DatumOf(one.s)});
    for (const Visit& one : unit.visits) v.rows.push_back({id, DatumOf(one.k), DatumOf(one.y), DatumOf(one.g)});
  }
};

/// Up to `over` more rows than are kept.
Unit RandomUnit(const World& world, const Word& g, bool there, std::size_t over, Dice& dice) {
  const auto number = [&] { return dice.Chance(15) ? Number() : Number(dice.Between(-3, 5)); };
  const auto word = [&](const char* a, const char* b) { return dice.Pick<Word>({a, b, "other", std::nullopt}); };
  Unit unit;
  const std::size_t persons = static_cast<std::size_t>(world.persons) + over;
  for (std::size_t n = (there ? 1 : 0) + dice.Below(persons + (there ? 0 : 1)); n > 0; --n)
    unit.persons.push_back({world.public_g ? g : word("a", "b"), word("u", "w"), number()});
  for (std::size_t n = dice.Below(static_cast<std::size_t>(world.visits) + over + 1); n > 0; --n)
    unit.visits.push_back({word("a", "b"), word("c", "d"), number()});
  return unit;
}

// As the policy reads them.
Unit Read(Unit unit) {
  const auto listed = [](Word& word, std::initializer_list<const char*> values) {
    if (word && std::none_of(values.begin(), values.end(), [&](const char* value) { return *word == value; }))
      word.reset();
  };
  const auto cut = [](Number& number, int low, int high) {
    if (number) number = std::clamp(*number, low, high);
  };
  for (Person& one : unit.persons) {
    listed(one.g, {"a", "b"});
    listed(one.s, {"u", "w"});
    cut(one.x, 0, 3);
  }
  for (Visit& one : unit.visits) {
    listed(one.g, {"a", "b"});
    listed(one.k, {"c", "d"});
    cut(one.y, -1, 2);
  }
  return unit;
}

// On a real engine: units with too many rows in either table, rows without a key, units in only one table, NULLs,
// values out of bounds. One unit's rows in both tables are replaced at once, again and again.
TEST(PlanOnEngine, TablesOfTheSameUnits_TABLES2) {
  Dice dice(stat::SeedForThisTest());
  std::mt19937 shuffle(7);
  const auto engine = OpenConfigured();
  int moved = 0;
  const int cases = Cases(30);
  for (int i = 0; i < cases; ++i) {
    const World world = RandomWorld(dice);
    const Ask ask = RandomAsk(dice);
    const Plan plan = PlanQuestion(ask.sql, world.policy).value();
    const bool known = world.policy.unit.presence == Presence::kPublic;
    Tables others;
    std::vector<Added> expected;
    for (const int id : {2, 3, 4}) {
      const Unit unit = RandomUnit(world, dice.Pick(kG), known && id < 4, 0, dice);
      others.Add(IntegerDatum(id), unit);
      expected.push_back(AddedBy(Read(unit), ask, plan));
    }
    others.Add(NullDatum(), RandomUnit(world, std::nullopt, true, 1, dice));
    const auto run = [&](const Unit& unit) {
      Tables all = others;
      all.Add(IntegerDatum(1), unit);
      std::shuffle(all.p.rows.begin(), all.p.rows.end(), shuffle);
      std::shuffle(all.v.rows.begin(), all.v.rows.end(), shuffle);
      engine->Load(all.p);
      engine->Load(all.v);
      return StatisticsOf(plan, engine->Run(plan.statement)).at(0);
    };
    const Word g = dice.Pick(kG);
    const bool there = known && dice.Chance(70);
    std::vector<std::vector<Int128>> results;
    for (int n = 0; n < 5; ++n) {
      const std::size_t over = n < 2 ? 0 : 2;
      Unit unit = RandomUnit(world, g, there, over, dice);
      if (known && !there) unit.persons.clear();
      results.push_back(run(unit));
      if (over > 0) continue;  // which rows are kept is the engine's business
      Added sum = AddedBy(Read(unit), ask, plan);
      for (const Added& one : expected)
        for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += one[k];
      for (std::size_t k = 0; k < sum.size(); ++k)
        EXPECT_EQ(results.back()[k], Int128{sum[k]}) << ask.sql << "\ngroup " << k;
    }
    const Sensitivities& change = plan.statistics[0].change;
    for (std::size_t a = 0; a < results.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        Int128 l1 = 0, l2 = 0, groups = 0;
        for (std::size_t k = 0; k < results[a].size(); ++k) {
          const Int128 difference = results[a][k] - results[b][k];
          l1 += difference < 0 ? -difference : difference;
          l2 += difference * difference;
          groups += difference != 0 ? 1 : 0;
        }
        moved += l1 > 0 ? 1 : 0;
        EXPECT_TRUE(l1 <= change.l1().steps() && l2 <= change.l2_squared() && groups <= change.groups()) << ask.sql;
      }
    }
  }
  EXPECT_GT(moved, cases);
}

}  // namespace
}  // namespace kith::testing::tables
