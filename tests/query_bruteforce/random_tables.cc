#include "tests/query_bruteforce/random_tables.h"

#include <algorithm>
#include <stdexcept>

namespace kith::testing::tables {

World RandomWorld(Dice& dice) {
  World world;
  world.public_g = dice.Chance(50);
  world.persons = dice.Between(1, 2);
  world.visits = dice.Between(1, 2);
  const std::string text =
      "[data]\nfrozen = true\ntables.p = \"p.parquet\"\ntables.v = { source = \"v.parquet\", key = \"who\", max_rows "
      "= " +
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

namespace {

Number Plus(Number a, Number b) { return a && b ? Number(*a + *b) : std::nullopt; }

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

template <class Row>
std::vector<std::vector<Row>> UpTo(std::int64_t most, const std::vector<Row>& kinds) {
  std::vector<std::vector<Row>> all = {{}};
  for (std::size_t a = 0; a < kinds.size(); ++a) {
    all.push_back({kinds[a]});
    for (std::size_t b = a; most > 1 && b < kinds.size(); ++b) all.push_back({kinds[a], kinds[b]});
  }
  return all;
}

}  // namespace

Truth Above(Number a, int b) { return a ? Truth(*a > b) : std::nullopt; }

Ask RandomAsk(Dice& dice) { return Asker(dice).Next(); }

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

}  // namespace kith::testing::tables
