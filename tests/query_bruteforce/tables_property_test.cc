// Several tables of the same units: TABLES-1 and TABLES-2 by trying everything. A unit's record is its rows in both
// tables; each question comes with its own meaning, written here from that of SQL: loops over rows that are kept.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <random>
#include <set>

#include "query/plan.h"
#include "tests/query_bruteforce/random_questions.h"
#include "tests/support/stat.h"
#include "tests/support/tiny_db_engine.h"

namespace kith::testing {
namespace {

using Number = std::optional<int>;
using Word = std::optional<std::string>;
using Truth = std::optional<bool>;

struct Person {
  Word g, s;
  Number x;
};
struct Visit {
  Word g, k;
  Number y;
};
/// All that a unit is.
struct Unit {
  std::vector<Person> persons;
  std::vector<Visit> visits;
};
/// A row of FROM: either part can be missing.
struct Joined {
  const Person* p = nullptr;
  const Visit* v = nullptr;

  Number X() const { return p ? p->x : std::nullopt; }
  Number Y() const { return v ? v->y : std::nullopt; }
};

struct World {
  Policy policy;
  bool public_g = false;
  std::int64_t persons = 1, visits = 1;
};

World RandomWorld(Dice& dice) {
  World world;
  world.public_g = dice.Chance(50);
  world.persons = dice.Between(1, 2);
  world.visits = dice.Between(1, 2);
  const std::string text =
      "[data]\ntables.p = \"p.parquet\"\ntables.v = { source = \"v.parquet\", key = \"who\", max_rows = " +
      std::to_string(world.visits) +
      " }\n[unit]\ntable = \"p\"\nkey = \"id\"\nmax_rows = " + std::to_string(world.persons) + "\npresence = \"" +
      (dice.Chance(50) ? "public" : "secret") +
      "\"\n[columns.p]\nid = { type = \"integer\" }\ng = { values = [\"a\", \"b\"]" +
      (world.public_g ? ", public = true" : "") +
      " }\nx = { lower = 0, upper = 3 }\ns = { values = [\"u\", \"w\"] }\n[columns.v]\nwho = { type = \"integer\" }\n"
      "k = { values = [\"c\", \"d\"] }\ny = { lower = -1, upper = 2 }\ng = { values = [\"a\", \"b\"] }\n"
      "[dependence]\nsource = \"public\"\nkind = \"independent\"\n[budget]\nepsilon = 1.0\nledger = \"l\"\n";
  world.policy = Policy::Parse(text, "random.toml").value();
  return world;
}

enum class From { kPersons, kVisits, kInner, kTurned, kLeft };

/// A question and what it means: for each statistic, what a unit adds to which group.
struct Ask {
  std::string sql;
  From from = From::kInner;
  bool once = false;  // the unit counts once in each group
  std::function<Truth(const Joined&)> where = [](const Joined&) { return true; };
  std::function<Number(const Joined&)> value = [](const Joined&) { return 1; };
  std::vector<std::function<Word(const Joined&)>> keys = {};
  std::function<Number(const std::vector<Joined>&)> per_unit = {};  // set: the unit is one row, which adds this
};

Number Plus(Number a, Number b) { return a && b ? Number(*a + *b) : std::nullopt; }
Truth Above(Number a, int b) { return a ? Truth(*a > b) : std::nullopt; }

class Asker {
 public:
  explicit Asker(Dice& dice) : dice_(dice) {}

  Ask Next() {
    Ask ask;
    ask.from = dice_.Pick<From>({From::kPersons, From::kVisits, From::kVisits, From::kInner, From::kInner,
                                 From::kTurned, From::kLeft, From::kLeft});
    const bool p = ask.from != From::kVisits, v = ask.from != From::kPersons;
    if (p && v && dice_.Chance(25)) return PerUnit(std::move(ask));
    const std::string what = Aggregate(ask, p, v), test = dice_.Chance(50) ? " WHERE " + Test(ask, p, v) : "";
    std::vector<std::string> keys;
    for (int k = dice_.Between(0, 2); k > 0; --k) {
      const std::string key = Key(ask, p, v);
      if (std::find(keys.begin(), keys.end(), key) == keys.end())
        keys.push_back(key);
      else
        ask.keys.pop_back();
    }
    std::string by;
    for (const std::string& key : keys) by += (by.empty() ? " GROUP BY " : ", ") + key;
    ask.sql = "SELECT " + what + " FROM " + Source(ask.from) + test + by;
    return ask;
  }

 private:
  std::string Source(From from) {
    const std::string on = dice_.Chance(50) ? "p.id = v.who" : "v.who = p.id";
    switch (from) {
      case From::kPersons:
        return "p";
      case From::kVisits:
        return "v";
      case From::kInner:
        return "p JOIN v ON " + on;
      case From::kTurned:
        return "v JOIN p ON " + on;
      case From::kLeft:
        return "p LEFT JOIN v ON " + on;
    }
    return "";
  }

  std::string Aggregate(Ask& ask, bool p, bool v) {
    const int kind = dice_.Between(0, 3);
    if (kind == 0) return "count(*)";
    if (kind == 1) {
      ask.once = true;
      return p ? "count(DISTINCT p.id)" : "count(DISTINCT who)";
    }
    const bool both = p && v && dice_.Chance(40), of_v = v && (!p || dice_.Chance(60));
    const std::string value = both ? "p.x + v.y" : of_v ? "v.y" : "p.x";
    const bool sum = kind == 3;
    ask.value = [=](const Joined& row) {
      const Number number = both ? Plus(row.X(), row.Y()) : of_v ? row.Y() : row.X();
      return sum || !number ? number : Number(1);
    };
    return (sum ? "sum(" : "count(") + value + ")";
  }

  std::string Test(Ask& ask, bool p, bool v) {
    const int kind = p && v ? dice_.Between(0, 4) : p ? dice_.Between(0, 1) : dice_.Between(2, 3);
    const auto is = [](const Word& word, const char* wanted) { return word ? Truth(*word == wanted) : std::nullopt; };
    switch (kind) {
      case 0:
        ask.where = [](const Joined& row) { return Above(row.X(), 1); };
        return "p.x > 1";
      case 1:
        ask.where = [is](const Joined& row) { return row.p ? is(row.p->g, "a") : std::nullopt; };
        return "p.g = 'a'";
      case 2:
        ask.where = [](const Joined& row) { return Above(row.Y(), 0); };
        return "v.y > 0";
      case 3:
        ask.where = [is](const Joined& row) { return row.v ? is(row.v->g, "a") : std::nullopt; };
        return "v.g = 'a'";
      default:
        ask.where = [](const Joined& row) { return Truth(row.v == nullptr); };
        return "v.who IS NULL";
    }
  }

  std::string Key(Ask& ask, bool p, bool v) {
    const int kind = p && v ? dice_.Between(0, 3) : p ? dice_.Between(0, 1) : dice_.Between(2, 3);
    const char* const names[] = {"p.g", "p.s", "v.k", "v.g"};
    ask.keys.push_back([kind](const Joined& row) -> Word {
      if (kind < 2) return row.p ? (kind == 0 ? row.p->g : row.p->s) : std::nullopt;
      return row.v ? (kind == 2 ? row.v->k : row.v->g) : std::nullopt;
    });
    return names[kind];
  }

  // One row for each unit, around the join.
  Ask PerUnit(Ask ask) {
    const bool left = ask.from == From::kLeft, sums = dice_.Chance(50), filtered = dice_.Chance(40);
    const std::string inner = filtered ? " WHERE v.y > 0" : "";
    const std::string rows =
        "(SELECT p.id, count(v.who) AS n, sum(v.y) AS t FROM " + Source(ask.from) + inner + " GROUP BY p.id) AS u";
    ask.sql = sums ? "SELECT sum(t) FROM " + rows : "SELECT sum(n) FROM " + rows + " WHERE n <> 1";
    ask.per_unit = [=](const std::vector<Joined>& all) -> Number {
      int n = 0, t = 0, kept = 0;
      bool any = false;
      for (const Joined& row : all) {
        if (filtered && Above(row.Y(), 0) != Truth(true)) continue;
        if (!left && !row.v) continue;
        ++kept;
        n += row.v ? 1 : 0;
        t += row.Y().value_or(0);
        any = any || row.Y();
      }
      if (kept == 0) return std::nullopt;
      if (sums) return any ? Number(t) : std::nullopt;
      return n != 1 ? Number(n) : std::nullopt;
    };
    return ask;
  }

  Dice& dice_;
};

/// What a unit adds: one number for each group.
using Added = std::vector<int>;

std::vector<Joined> RowsOf(const Unit& unit, From from) {
  std::vector<Joined> rows;
  if (from == From::kVisits) {
    for (const Visit& visit : unit.visits) rows.push_back({nullptr, &visit});
    return rows;
  }
  for (const Person& person : unit.persons) {
    if (from == From::kPersons || (from == From::kLeft && unit.visits.empty())) rows.push_back({&person, nullptr});
    if (from == From::kPersons) continue;
    for (const Visit& visit : unit.visits) rows.push_back({&person, &visit});
  }
  return rows;
}

std::size_t GroupOf(const Ask& ask, const Plan& plan, const Joined& row) {
  std::size_t group = 0;
  for (std::size_t k = 0; k < ask.keys.size(); ++k) {
    const Word word = ask.keys[k](row);
    const Value wanted = word ? Value(*word) : Value(Null{});
    const auto& values = plan.keys.at(k).values;
    const auto at = std::find(values.begin(), values.end(), wanted);
    if (at == values.end()) throw std::runtime_error("no such group: " + ask.sql);
    group = group * values.size() + static_cast<std::size_t>(at - values.begin());
  }
  return group;
}

Added AddedBy(const Unit& unit, const Ask& ask, const Plan& plan) {
  Added added(plan.groups(), 0);
  const auto rows = RowsOf(unit, ask.from);
  if (ask.per_unit) {
    added.at(0) = ask.per_unit(rows).value_or(0);
    return added;
  }
  for (const Joined& row : rows) {
    if (ask.where(row) != Truth(true)) continue;
    int& at = added.at(GroupOf(ask, plan, row));
    at = ask.once ? 1 : at + ask.value(row).value_or(0);
  }
  return added;
}

template <class Row>
std::vector<std::vector<Row>> UpTo(std::int64_t most, const std::vector<Row>& kinds) {
  std::vector<std::vector<Row>> all = {{}};
  for (std::size_t a = 0; a < kinds.size(); ++a) {
    all.push_back({kinds[a]});
    for (std::size_t b = a; most > 1 && b < kinds.size(); ++b) all.push_back({kinds[a], kinds[b]});
  }
  return all;
}

const std::vector<Word> kG = {"a", "b", std::nullopt};

/// Every record of a unit whose persons have this g, where it is public.
std::vector<Unit> AllUnits(const World& world, const Word& g) {
  std::vector<Person> persons;
  std::vector<Visit> visits;
  for (const Word& own : world.public_g ? std::vector<Word>{g} : kG) {
    for (const Number x : {Number(0), Number(3), Number()})
      for (const Word& s : {Word("u"), Word()}) persons.push_back({own, s, x});
  }
  for (const Word& own : {Word("a"), Word("b")}) {
    for (const Number y : {Number(-1), Number(2), Number()})
      for (const Word& k : {Word("c"), Word()}) visits.push_back({own, k, y});
  }
  std::vector<Unit> units;
  for (const auto& some : UpTo(world.persons, persons)) {
    for (const auto& more : UpTo(world.visits, visits)) units.push_back({some, more});
  }
  return units;
}

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
  bool stranger = false;      // presence public, and somebody who is not in p: nobody knows a cell
};

/// Where presence is public, whoever is in p is in p in both data sets, and whoever is not is not in either.
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
  const Change& change = plan.statistics.at(0).change;
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
    const Ask ask = Asker(dice).Next();
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
// name; and the second table is charged to the cells of nobody else.
TEST(TablesOfUnits, TheCheckAboveSeesPlantedFaults_TABLES1) {
  Dice dice(stat::SeedForThisTest());
  int product = 0, presence = 0, cells = 0, halved = 0;
  for (int i = 0; i < 300; ++i) {
    const World world = RandomWorld(dice);
    const Ask ask = Asker(dice).Next();
    const Plan plan = PlanQuestion(ask.sql, world.policy).value();
    if (plan.more_tables.empty()) continue;
    const Tried tried = TryAll(world, ask, plan);
    Policy wrong = world.policy;
    wrong.tables.at(1).max_rows = 1;
    product += PriceHolds(PlanQuestion(ask.sql, wrong).value(), tried) ? 0 : 1;
    Plan half = plan;
    half.statistics[0].change = Change::OfL1(half.statistics[0].change.l1().steps() / 2).value();
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

// What a check of the unit's table has shown (that nobody has more than one row there) says nothing of other tables.
TEST(TablesOfUnits, WhatIsKnownOfTheUnitsTableIsNotUsedForOthers_TABLES1) {
  Dice dice(stat::SeedForThisTest());
  const sql::UnitRows known{.most = 1, .all_have_keys = true};
  int used = 0;
  for (int i = 0; i < 100; ++i) {
    const World world = RandomWorld(dice);
    const Ask ask = Asker(dice).Next();
    const Plan plan = PlanQuestion(ask.sql, world.policy).value();
    const std::string plain = sql::DuckDb().Write(plan.statement), knows = sql::DuckDb().Write(plan.statement, known);
    if (plan.more_tables.empty())
      used += plain != knows ? 1 : 0;
    else
      EXPECT_EQ(plain, knows) << ask.sql;
  }
  EXPECT_GT(used, 5);  // the twin: of the unit's table it is used
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

/// Up to `over` rows more than are kept.
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

// On a real engine: units with too many rows in either table, rows without a key, units in one table alone, NULLs,
// values out of bounds. One unit's rows in both tables are replaced at once, again and again.
TEST(PlanOnEngine, TablesOfTheSameUnits_TABLES2) {
  Dice dice(stat::SeedForThisTest());
  std::mt19937 shuffle(7);
  const auto engine = OpenConfigured();
  int moved = 0;
  const int cases = Cases(60);
  for (int i = 0; i < cases; ++i) {
    const World world = RandomWorld(dice);
    const Ask ask = Asker(dice).Next();
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
    const Change& change = plan.statistics[0].change;
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
}  // namespace kith::testing
