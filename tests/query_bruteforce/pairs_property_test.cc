// Rows that name two units: TABLES-3 by trying many neighbours. A unit's record is its row in p, the rows of c that it
// owns, and all rows of c that name it. Which rows an owner keeps is decided by an order that is drawn again for each
// world: the price must hold for every order. The meaning of each question is written here with loops over rows.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <random>
#include <set>

#include "tests/query_bruteforce/random_questions.h"
#include "tests/support/stat.h"
#include "tests/support/tiny_db_engine.h"

namespace kith::testing::pairs {
namespace {

using Number = std::optional<int>;
using Word = std::optional<std::string>;

struct Person {
  Word g;
  Number x;
};
struct Row {
  int a = 0;  // the owner; 0: nobody
  Number b;
  Word k;
  Number y;
  int place = 0;  // which of equal rows; not part of the data

  auto operator<=>(const Row&) const = default;
};
struct Data {
  std::map<int, Person> persons;
  std::vector<Row> rows;
};

struct World {
  Policy policy;
  std::int64_t own = 1, other = 1;
  std::uint64_t salt = 0;
};

World RandomWorld(Dice& dice) {
  World world;
  world.own = dice.Between(1, 2);
  world.other = dice.Between(1, 2);
  world.salt = dice.Below(1u << 30);
  const std::string text =
      "[data]\nfrozen = true\ntables.p = \"p.parquet\"\ntables.c = { source = \"c.parquet\", key = \"a\", max_rows = " +
      std::to_string(world.own) + ", other = \"b\", max_other = " + std::to_string(world.other) +
      " }\n[unit]\ntable = \"p\"\nkey = \"id\"\nmax_rows = 1\npresence = \"" + (dice.Chance(50) ? "public" : "secret") +
      "\"\n[columns.p]\nid = { type = \"integer\" }\ng = { values = [\"a\", \"b\"]" +
      (dice.Chance(60) ? ", public = true" : "") +
      " }\nx = { lower = 0, upper = 3 }\n[columns.c]\na = { type = \"integer\" }\nb = { type = \"integer\" }\n"
      "k = { values = [\"c\", \"d\"] }\ny = { lower = -1, upper = 2 }\n[dependence]\nsource = \"public\"\n"
      "kind = \"independent\"\n[budget]\nepsilon = 1.0\nledger = \"l\"\n";
  world.policy = Policy::Parse(text, "random.toml").value();
  return world;
}

struct Joined {
  const Row* row = nullptr;
  const Person* of_a = nullptr;
  const Person* of_b = nullptr;
};

enum class Counts { kRows, kSum, kOwners, kNamed, kPerOwner };
enum class Lookup { kNo, kInner, kLeft };
enum class By { kNothing, kK, kG, kOtherG, kBothG, kHowMany };

struct Ask {
  std::string sql;
  Counts counts = Counts::kRows;
  Lookup a = Lookup::kNo, b = Lookup::kNo;
  bool positive = false;  // WHERE c.y > 0
  By by = By::kNothing;
};

Ask RandomAsk(Dice& dice) {
  Ask ask;
  if (dice.Chance(25)) {
    ask.counts = Counts::kPerOwner;
    ask.positive = dice.Chance(40);
    ask.by = dice.Chance(50) ? By::kHowMany : By::kNothing;
    const std::string rows =
        std::string("(SELECT a, count(*) AS n FROM c") + (ask.positive ? " WHERE y > 0" : "") + " GROUP BY a) AS u";
    ask.sql = ask.by == By::kHowMany ? "SELECT count(*) FROM " + rows + " GROUP BY n" : "SELECT sum(n) FROM " + rows;
    return ask;
  }
  ask.counts = dice.Pick<Counts>({Counts::kRows, Counts::kSum, Counts::kOwners, Counts::kNamed});
  ask.a = dice.Pick<Lookup>({Lookup::kNo, Lookup::kInner, Lookup::kLeft});
  ask.b = dice.Pick<Lookup>({Lookup::kNo, Lookup::kInner, Lookup::kLeft});
  ask.positive = dice.Chance(40);
  std::vector<By> keys = {By::kNothing, By::kK};
  if (ask.a != Lookup::kNo) keys.push_back(By::kG);
  if (ask.b != Lookup::kNo) keys.push_back(By::kOtherG);
  if (ask.a != Lookup::kNo && ask.b != Lookup::kNo) keys.push_back(By::kBothG);
  ask.by = dice.Pick(keys);
  const char* const what[] = {"count(*)", "sum(c.y)", "count(DISTINCT c.a)", "count(DISTINCT c.b)"};
  const auto join = [](Lookup lookup, const char* name, const char* on) -> std::string {
    if (lookup == Lookup::kNo) return "";
    return std::string(lookup == Lookup::kLeft ? " LEFT" : "") + " JOIN p AS " + name + " ON c." + on + " = " + name +
           ".id";
  };
  const std::map<By, std::string> by = {{By::kNothing, ""},
                                        {By::kK, " GROUP BY c.k"},
                                        {By::kG, " GROUP BY one.g"},
                                        {By::kOtherG, " GROUP BY two.g"},
                                        {By::kBothG, " GROUP BY one.g, two.g"}};
  ask.sql = std::string("SELECT ") + what[static_cast<int>(ask.counts)] + " FROM c" + join(ask.a, "one", "a") +
            join(ask.b, "two", "b") + (ask.positive ? " WHERE c.y > 0" : "") + by.at(ask.by);
  return ask;
}

// The first rows of each owner in an order that only the row decides.
std::vector<Row> Kept(const World& world, std::vector<Row> rows) {
  const auto order = [&](const Row& row) {
    std::uint64_t h = world.salt + 1;
    const auto mix = [&](int value) {
      h ^= static_cast<std::uint64_t>(value + 7);
      h *= 0x9E3779B97F4A7C15u;
      h ^= h >> 29;
    };
    for (const int part : {row.a, row.b.value_or(-3), row.k ? (*row.k)[0] : -5, row.y.value_or(-4), row.place})
      mix(part);
    return h;
  };
  std::sort(rows.begin(), rows.end(), [&](const Row& x, const Row& y) { return order(x) < order(y); });
  std::map<int, std::int64_t> seen;
  std::erase_if(rows, [&](const Row& row) { return row.a == 0 || ++seen[row.a] > world.own; });
  return rows;
}

using Sums = std::vector<int>;

std::size_t GroupOf(const Plan& plan, const std::vector<Value>& wanted) {
  std::size_t group = 0;
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    const auto& values = plan.keys.at(k).values;
    const auto at = std::find(values.begin(), values.end(), wanted[k]);
    if (at == values.end()) throw std::runtime_error("no such group");
    group = group * values.size() + static_cast<std::size_t>(at - values.begin());
  }
  return group;
}

Sums Answer(const World& world, const Data& data, const Ask& ask, const Plan& plan) {
  Sums sums(plan.groups(), 0);
  const auto passes = [&](const Row& row) { return !ask.positive || (row.y && *row.y > 0); };
  const auto kept = Kept(world, data.rows);
  if (ask.counts == Counts::kPerOwner) {
    std::map<int, int> n;
    for (const Row& row : kept) n[row.a] += passes(row) ? 1 : 0;
    for (const auto& [owner, rows] : n) {
      if (rows == 0) continue;
      if (ask.by == By::kHowMany)
        ++sums.at(GroupOf(plan, {Value(std::int64_t{rows})}));
      else
        sums.at(0) += rows;
    }
    return sums;
  }
  std::map<std::size_t, std::set<int>> distinct;
  for (const Row& row : kept) {
    const auto find = [&](const Number& id) {
      const auto at = id ? data.persons.find(*id) : data.persons.end();
      return at == data.persons.end() ? nullptr : &at->second;
    };
    const Person* const a = find(row.a);
    const Person* const b = find(row.b);
    if (!passes(row) || (ask.a == Lookup::kInner && !a) || (ask.b == Lookup::kInner && !b)) continue;
    const auto word = [](const Word& w) { return w ? Value(*w) : Value(Null{}); };
    const Value ga = a ? word(a->g) : Value(Null{}), gb = b ? word(b->g) : Value(Null{});
    const std::map<By, std::vector<Value>> keys = {
        {By::kNothing, {}}, {By::kK, {word(row.k)}}, {By::kG, {ga}}, {By::kOtherG, {gb}}, {By::kBothG, {ga, gb}}};
    const std::size_t group = GroupOf(plan, keys.at(ask.by));
    if (ask.counts == Counts::kRows) ++sums.at(group);
    if (ask.counts == Counts::kSum) sums.at(group) += row.y.value_or(0);
    if (ask.counts == Counts::kOwners) distinct[group].insert(row.a);
    if (ask.counts == Counts::kNamed && row.b) distinct[group].insert(*row.b);
  }
  for (const auto& [group, values] : distinct) sums.at(group) = static_cast<int>(values.size());
  return sums;
}

constexpr int kUnit = 1, kOthers = 5;  // units 2 to 6 are the others

Row RandomRow(Dice& dice, int owner, Number other) {
  static int places = 0;
  return {owner, other, dice.Pick<Word>({"c", "c", "d", std::nullopt}), dice.Pick<Number>({-1, 2, 2, std::nullopt}),
          ++places};
}

int Another(Dice& dice) { return 2 + static_cast<int>(dice.Below(kOthers)); }

// Rows that do not name the unit, of owners who usually have more than they keep.
Data Rest(const World& world, Dice& dice) {
  Data data;
  std::map<int, std::int64_t> named;
  for (int id = 2; id < 2 + kOthers; ++id) {
    if (dice.Chance(80)) data.persons[id] = {dice.Pick<Word>({"a", "b", std::nullopt}), dice.Pick<Number>({0, 3})};
    for (int n = dice.Between(0, static_cast<int>(world.own) + 1); n > 0; --n) {
      Number other = Another(dice);
      if (++named[*other] > world.other) other.reset();
      data.rows.push_back(RandomRow(dice, id, other));
    }
  }
  return data;
}

// With a record of the unit: presence in p, and g where it is public, are the same in all.
Data With(const World& world, Data data, const std::optional<Person>& person, Dice& dice) {
  if (person) data.persons[kUnit] = *person;
  for (int n = dice.Between(0, static_cast<int>(world.own) + 1); n > 0; --n)
    data.rows.push_back(RandomRow(dice, kUnit, dice.Chance(80) ? Number(Another(dice)) : std::nullopt));
  for (int n = static_cast<int>(dice.Below(static_cast<std::size_t>(world.other) + 1)); n > 0; --n)
    data.rows.push_back(RandomRow(dice, Another(dice), kUnit));
  return data;
}

struct Reach {
  long long l1 = 0, l2_squared = 0, groups = 0;
};

Reach Apart(const Sums& a, const Sums& b) {
  Reach reach;
  for (std::size_t g = 0; g < a.size(); ++g) {
    const long long difference = std::abs(a[g] - b[g]);
    reach.l1 += difference;
    reach.l2_squared += difference * difference;
    reach.groups += difference > 0 ? 1 : 0;
  }
  return reach;
}

std::optional<Person> RandomPerson(const World& world, const std::optional<Person>& like, Dice& dice) {
  const bool known = world.policy.unit.presence == Presence::kPublic;
  if (known && !like) return std::nullopt;
  if (!known && dice.Chance(25)) return std::nullopt;
  const Word g = world.policy.unit_table().Find("g")->is_public && like ? like->g : dice.Pick<Word>({"a", "b"});
  return Person{g, dice.Pick<Number>({0, 3})};
}

Reach Largest(const World& world, const Ask& ask, const Plan& plan, Dice& dice) {
  Reach largest;
  for (int base = 0; base < 6; ++base) {
    const Data rest = Rest(world, dice);
    std::optional<Person> like;
    if (dice.Chance(80)) like = Person{dice.Pick<Word>({"a", "b"}), 0};
    std::set<Sums> all;
    for (int n = 0; n < 40; ++n)
      all.insert(Answer(world, With(world, rest, RandomPerson(world, like, dice), dice), ask, plan));
    for (auto a = all.begin(); a != all.end(); ++a) {
      for (auto b = all.begin(); b != a; ++b) {
        const Reach one = Apart(*a, *b);
        largest.l1 = std::max(largest.l1, one.l1);
        largest.l2_squared = std::max(largest.l2_squared, one.l2_squared);
        largest.groups = std::max(largest.groups, one.groups);
      }
    }
  }
  return largest;
}

bool PriceHolds(const Plan& plan, const Reach& tried) {
  const Sensitivities& change = plan.statistics.at(0).change;
  return plan.statistics[0].lattice.exponent == 0 && tried.l1 <= change.l1().steps() &&
         tried.l2_squared <= change.l2_squared() && tried.groups <= change.groups();
}

int Cases(int usual) {
  const char* longer = std::getenv("KITH_TABLES_CASES");
  return longer != nullptr ? std::atoi(longer) : usual;
}

TEST(TablesOfPairs, NoNeighbourChangesMoreThanThePlanSays_TABLES3) {
  Dice dice(stat::SeedForThisTest());
  const int cases = Cases(120);
  int more_than_own = 0;
  for (int i = 0; i < cases; ++i) {
    const World world = RandomWorld(dice);
    const Ask ask = RandomAsk(dice);
    const auto plan = PlanQuestion(ask.sql, world.policy);
    ASSERT_TRUE(plan) << ask.sql << "\n" << plan.error().Text();
    ASSERT_EQ(plan->statistics.size(), 1u) << ask.sql;
    EXPECT_TRUE(plan->of_pairs) << ask.sql;
    EXPECT_FALSE(plan->statistics[0].presence) << ask.sql;
    const Reach tried = Largest(world, ask, *plan, dice);
    EXPECT_TRUE(PriceHolds(*plan, tried))
        << ask.sql << "\nplan " << plan->statistics[0].change.l1().steps() << ", tried " << tried.l1 << ", own "
        << world.own << ", other " << world.other;
    // A unit that is named may be in any cell.
    EXPECT_EQ(std::count(plan->charged.begin(), plan->charged.end(), false), 0) << ask.sql;
    more_than_own += tried.l1 > plan->statistics[0].change.l1().steps() * world.own / (world.own + world.other) ? 1 : 0;
  }
  EXPECT_GT(more_than_own, cases / 50);
}

// The twins: rows that name the unit are forgotten, or counted once instead of twice (r instead of 2r).
TEST(TablesOfPairs, TheCheckAboveSeesPlantedFaults_TABLES3) {
  Dice dice(stat::SeedForThisTest());
  int forgotten = 0, once = 0;
  for (int i = 0; i < 150; ++i) {
    const World world = RandomWorld(dice);
    const Ask ask = RandomAsk(dice);
    const Plan plan = PlanQuestion(ask.sql, world.policy).value();
    const Reach tried = Largest(world, ask, plan, dice);
    Policy wrong = world.policy;
    for (Table& table : wrong.tables) table.max_other = 0;
    forgotten += PriceHolds(PlanQuestion(ask.sql, wrong).value(), tried) ? 0 : 1;
    if (world.other != 2) continue;
    for (Table& table : wrong.tables) table.max_other = table.other ? 1 : 0;
    once += PriceHolds(PlanQuestion(ask.sql, wrong).value(), tried) ? 0 : 1;
  }
  EXPECT_GT(forgotten, 20);
  EXPECT_GT(once, 0);
}

// R = r = 1. Named by owner 2 in one data set and by owner 3 in the other, the unit takes the place of a row that each
// of them keeps otherwise: with its own row, three rows go and three others come.
TEST(TablesOfPairs, TheWorstNeighboursCostAllThatIsCharged_TABLES3) {
  Dice dice(1);
  World world = RandomWorld(dice);
  while (world.own != 1 || world.other != 1) world = RandomWorld(dice);
  const Ask ask{.sql = "SELECT count(*) FROM c GROUP BY c.k", .by = By::kK};
  const Plan plan = PlanQuestion(ask.sql, world.policy).value();
  EXPECT_EQ(plan.statistics.at(0).change.l1().steps(), 2 * (1 + 2));
  long long largest = 0;
  for (world.salt = 0; world.salt < 64; ++world.salt) {
    const Row theirs2{2, 4, "c", 2, 1}, theirs3{3, 5, "c", 2, 1};
    const Data first{{}, {theirs2, theirs3, {2, kUnit, "d", 2, 1}, {kUnit, 6, "c", 2, 1}}};
    const Data second{{}, {theirs2, theirs3, {3, kUnit, "d", 2, 1}, {kUnit, 6, "d", 2, 1}}};
    largest = std::max(largest, Apart(Answer(world, first, ask, plan), Answer(world, second, ask, plan)).l1);
    const Row theirs3d{3, 5, "d", 2, 1};
    const Data third{{}, {theirs2, theirs3d, {2, kUnit, "d", 2, 1}, {kUnit, 6, "d", 2, 1}}};
    const Data fourth{{}, {theirs2, theirs3d, {3, kUnit, "c", 2, 1}, {kUnit, 6, "c", 2, 1}}};
    largest = std::max(largest, Apart(Answer(world, third, ask, plan), Answer(world, fourth, ask, plan)).l1);
  }
  EXPECT_EQ(largest, 6);
}

Datum DatumOf(const Word& word) { return word ? TextDatum(*word) : NullDatum(); }
Datum DatumOf(const Number& number) { return number ? IntegerDatum(*number) : NullDatum(); }

// On a real engine: the same integers where nobody has more rows than are kept, and no larger differences where some
// have.
TEST(PlanOnEngine, RowsOfTwoUnits_TABLES3) {
  Dice dice(stat::SeedForThisTest());
  std::mt19937 shuffle(7);
  const auto engine = OpenConfigured();
  int equal = 0;
  for (int i = 0; i < Cases(20); ++i) {
    const World world = RandomWorld(dice);
    const Ask ask = RandomAsk(dice);
    const Plan plan = PlanQuestion(ask.sql, world.policy).value();
    const auto run = [&](const Data& data) {
      TinyTable p{"p", {"id", "g", "x"}, {ColumnType::kInteger, ColumnType::kText, ColumnType::kInteger}, {}};
      for (const auto& [id, person] : data.persons)
        p.rows.push_back({IntegerDatum(id), DatumOf(person.g), DatumOf(person.x)});
      TinyTable c{"c",
                  {"a", "b", "k", "y"},
                  {ColumnType::kInteger, ColumnType::kInteger, ColumnType::kText, ColumnType::kInteger},
                  {}};
      for (const Row& row : data.rows)
        c.rows.push_back(
            {row.a == 0 ? NullDatum() : IntegerDatum(row.a), DatumOf(row.b), DatumOf(row.k), DatumOf(row.y)});
      std::shuffle(c.rows.begin(), c.rows.end(), shuffle);
      engine->Load(p);
      engine->Load(c);
      return StatisticsOf(plan, engine->Run(plan.statement)).at(0);
    };
    Data rest = Rest(world, dice);
    rest.rows.push_back(RandomRow(dice, 0, 3));  // no unit's: it does not count
    const std::optional<Person> like = Person{"a", 0};
    std::vector<std::vector<Int128>> results;
    for (int n = 0; n < 4; ++n) {
      const Data data = With(world, rest, RandomPerson(world, like, dice), dice);
      results.push_back(run(data));
      const auto keyed = std::count_if(data.rows.begin(), data.rows.end(), [](const Row& row) { return row.a != 0; });
      if (Kept(world, data.rows).size() != static_cast<std::size_t>(keyed)) continue;
      const Sums expected = Answer(world, data, ask, plan);
      for (std::size_t g = 0; g < expected.size(); ++g)
        EXPECT_EQ(results.back()[g], Int128{expected[g]}) << ask.sql << "\ngroup " << g;
      ++equal;
    }
    const Sensitivities& change = plan.statistics[0].change;
    for (const auto& a : results) {
      Int128 l1 = 0;
      for (std::size_t g = 0; g < a.size(); ++g) {
        const Int128 difference = a[g] - results[0][g];
        l1 += difference < 0 ? -difference : difference;
      }
      EXPECT_TRUE(l1 <= change.l1().steps()) << ask.sql;
    }
  }
  EXPECT_GT(equal, 0);
}

// What is not proved, or means something else, is refused.
TEST(TablesOfPairs, WhatIsNotProvedIsRefused_TABLES3) {
  Dice dice(3);
  const World world = RandomWorld(dice);
  for (const char* sql : {
           "SELECT count(*) FROM p JOIN c ON p.id = c.a",                                 // begins with p
           "SELECT count(*) FROM c JOIN p ON c.y = p.id",                                 // not one of the two
           "SELECT count(*) FROM c JOIN p AS q ON c.b = q.id JOIN p AS r ON c.b = r.id",  // the same one twice
           "SELECT count(*) FROM (SELECT b, count(*) AS n FROM c GROUP BY b) AS u",       // not the owner
           "SELECT count(*) FROM (SELECT row_number() OVER (PARTITION BY a ORDER BY y) AS n FROM c) AS u",
           "SELECT count(*) FROM c JOIN p AS q ON c.b = q.x",
       }) {
    const auto plan = PlanQuestion(sql, world.policy);
    ASSERT_FALSE(plan) << sql;
    EXPECT_EQ(plan.error().code, Code::kUnsupportedQuery) << sql;
  }
}

}  // namespace
}  // namespace kith::testing::pairs
