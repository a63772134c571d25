// Keys that nobody declared: over all records of one unit in tiny tables, what the statement counts on every engine,
// and the exact delta of what is shown of it, with normal and with Laplace noise.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "mechanism/partition_selection.h"
#include "query/open_keys.h"
#include "tests/support/key_law.h"
#include "tests/support/policies.h"
#include "tests/support/tiny_db_engine.h"
#include "transfer/gaussian/probit.h"

namespace kith::testing {
namespace {

using Counts = std::map<std::string, std::int64_t>;

// Strings that some engines or collations take for equal, and one that is not.
const char* const kNames[] = {"a", "A", "a ", "\xc3\xa9", "e\xcc\x81"};
constexpr int kNone = 99;

/// What a row can hold. The day is a number of days; `kNone` is NULL, and an `ill` that nobody declared is read so.
struct Cells {
  int name, code, day;
  const char* ill;
  int visit;
};
const Cells kRows[] = {{0, 7, -3, "yes", 1}, {1, 7, 0, "no", 2},      {2, -5, 0, "yes", 1},    {3, kNone, 0, "no", 1},
                       {4, 0, -3, "odd", 2}, {kNone, 7, 0, "yes", 2}, {0, -5, kNone, "yes", 2}};

struct World {
  std::string presence = "secret";
  int max_rows = 2;
  std::string name = "type = \"text\"";
  std::string dependence = "kind = \"independent\"\n";
  bool visits_are_public = false;

  bool secret() const { return presence == "secret"; }
  Policy policy() const {
    return MakePolicy(fmt::format(
        "[data]\ntables.t = \"t.csv\"\n[unit]\ntable = \"t\"\nkey = \"id\"\nmax_rows = {}\npresence = \"{}\"\n"
        "[columns.t]\nid = {{ type = \"integer\"{} }}\nhouse = {{ type = \"integer\", public = true }}\n"
        "ward = {{ values = [\"A\", \"B\"], public = true, required = true }}\nname = {{ {} }}\n"
        "code = {{ type = \"integer\" }}\nday = {{ type = \"date\" }}\nill = {{ values = [\"no\", \"yes\"] }}\n"
        "visit = {{ values = [1, 2]{}, required = true }}\n[dependence]\nsource = \"public\"\n{}[budget]\nepsilon = 1\n"
        "ledger = \"l\"\n",
        max_rows, presence, secret() ? "" : ", public = true", name, visits_are_public ? ", public = \"per row\"" : "",
        dependence));
  }
};

Row RowOf(int id, const std::string& ward, const Cells& cells) {
  return {IntegerDatum(id),
          IntegerDatum(id / 2),
          TextDatum(ward),
          cells.name == kNone ? NullDatum() : TextDatum(kNames[cells.name]),
          cells.code == kNone ? NullDatum() : IntegerDatum(cells.code),
          cells.day == kNone ? NullDatum() : DateDatum(cells.day),
          TextDatum(cells.ill),
          IntegerDatum(cells.visit)};
}

struct Unit {
  int id;
  std::string ward;
  std::vector<int> rows;  // of kRows
};
/// Nobody with more than two rows, or somebody with four.
std::vector<Unit> Others(bool many) {
  std::vector<Unit> units = {{2, "A", {0, 1}}, {3, "B", {0, 0}}, {4, "A", {2, 5}}, {5, "B", {0, 3}}};
  if (many) units.back().rows = {0, 3, 4, 1};
  return units;
}

TinyTable TableOf(const std::vector<Unit>& units) {
  TinyTable table{"t",
                  {"id", "house", "ward", "name", "code", "day", "ill", "visit"},
                  {ColumnType::kInteger, ColumnType::kInteger, ColumnType::kText, ColumnType::kText,
                   ColumnType::kInteger, ColumnType::kDate, ColumnType::kText, ColumnType::kInteger},
                  {}};
  for (const Unit& unit : units) {
    for (const int row : unit.rows) table.rows.push_back(RowOf(unit.id, unit.ward, kRows[row]));
  }
  return table;
}

/// What a key column holds, as the statement hands it over; nothing: NULL.
std::optional<std::string> TextOf(const std::string& column, const std::string& ward, const Cells& cells) {
  if (column == "ward") return ward;
  if (column == "name") return cells.name == kNone ? std::nullopt : std::optional<std::string>(kNames[cells.name]);
  const int number = column == "code" ? cells.code : cells.day;
  return number == kNone ? std::nullopt : std::optional(std::to_string(number));
}

/// A plan, tried with all records of unit 1 with up to this many rows.
struct Asked {
  World world;
  OpenKeysPlan plan;
  int most_rows = 0;
  std::string ward = "A";  // of unit 1
  // Which rows WHERE lets through; none: what is counted is not compared with what it should be.
  std::function<bool(const std::string& ward, const Cells&)> passes = {};
};

/// Keys with what the statement counts. Only integers leave the tests' engines: each column by the place of its value.
Counts CountsOf(const OpenKeysPlan& plan, SqlRunner& runner) {
  std::vector<std::vector<std::string>> values;
  std::string items, names;
  for (std::size_t k = 0; k < plan.columns.size(); ++k) {
    names += fmt::format("k{}, ", k);
    std::set<std::string> all = {"A", "B"};
    if (plan.columns[k] != "ward") all.clear();
    for (const Cells& cells : kRows) {
      if (const auto text = TextOf(plan.columns[k], "A", cells)) all.insert(*text);
    }
    values.emplace_back(all.begin(), all.end());
    std::string places;
    for (std::size_t place = 0; place < values[k].size(); ++place)
      places += fmt::format(" WHEN q.k{} = {} THEN {}", k, runner.dialect().Text(values[k][place]), place);
    items += fmt::format("CASE{} ELSE {} END, ", places, kNone);
  }
  Counts counts;
  for (const auto& row : runner.Run(
           fmt::format("SELECT {}q.n FROM ({}) AS q({}n)", items, runner.dialect().Write(plan.statement), names))) {
    std::string key;
    for (std::size_t k = 0; k < values.size(); ++k) {
      const auto place = static_cast<std::size_t>(row[k].value());
      EXPECT_LT(place, values[k].size()) << "a key that is in no row";
      if (place < values[k].size()) key += (k == 0 ? "" : "|") + values[k][place];
    }
    EXPECT_TRUE(counts.emplace(key, static_cast<std::int64_t>(row.back().value())).second) << "a key came twice";
  }
  return counts;
}

/// The same by counting.
Counts Expected(const Asked& asked, const std::vector<Unit>& units) {
  Counts counts;
  for (const Unit& unit : units) {
    std::set<std::string> own;
    for (const int row : unit.rows) {
      std::string key;
      bool whole = asked.passes(unit.ward, kRows[row]);
      for (const std::string& column : asked.plan.columns) {
        const auto text = TextOf(column, unit.ward, kRows[row]);
        whole = whole && text;
        key += (key.empty() ? "" : "|") + text.value_or("");
      }
      if (whole) own.insert(key);
    }
    for (const std::string& key : own) ++counts[key];
  }
  return counts;
}

/// What everybody knows of a record of unit 1: records that agree in this are neighbours.
std::string KnownOf(const Asked& asked, const std::vector<int>& record) {
  std::string known;
  if (asked.world.visits_are_public) {
    for (const int visit : {1, 2})
      known += fmt::format(
          "{} ", std::count_if(record.begin(), record.end(), [&](int row) { return kRows[row].visit == visit; }));
  }
  return known;
}

using Neighbours = std::map<std::string, std::set<Counts>>;

/// Of each plan: all records, each as what is counted with the others, by what is known of them. Plans that say the
/// same to the engine ask once.
std::vector<Neighbours> AllCounts(const std::vector<Asked>& asked, SqlRunner& runner) {
  std::vector<Neighbours> all(asked.size());
  std::vector<std::set<Counts>> without(asked.size());  // unit 1
  std::size_t most_rows = 0;
  for (const Asked& a : asked) most_rows = std::max(most_rows, static_cast<std::size_t>(a.most_rows));
  std::vector<std::vector<int>> records = {{}};
  for (std::size_t at = 0; at < records.size(); ++at) {
    const std::vector<int> record = records[at];
    if (record.size() < most_rows) {
      for (int row = record.empty() ? 0 : record.back(); row < static_cast<int>(std::size(kRows)); ++row) {
        records.push_back(record);
        records.back().push_back(row);
      }
    }
    for (const std::string ward : {"A", "B"}) {
      std::map<std::string, Counts> counted;
      for (std::size_t i = 0; i < asked.size(); ++i) {
        const Asked& a = asked[i];
        if (a.ward != ward || record.size() > static_cast<std::size_t>(a.most_rows)) continue;
        if (record.empty() && !a.world.secret()) continue;
        const bool many = !a.passes;
        std::vector<Unit> units = Others(many);
        units.insert(units.begin() + 1, {1, ward, record});
        const std::string statement = (many ? "m" : "f") + runner.dialect().Write(a.plan.statement);
        if (counted.empty() || many != (counted.begin()->first[0] == 'm')) runner.Load(TableOf(units));
        auto found = counted.find(statement);
        if (found == counted.end()) found = counted.emplace(statement, CountsOf(a.plan, runner)).first;
        if (a.passes && !a.plan.cut && record.size() <= static_cast<std::size_t>(a.world.max_rows)) {
          EXPECT_EQ(found->second, Expected(a, units)) << i;
        }
        if (record.empty()) without[i].insert(found->second);
        all[i][KnownOf(a, record)].insert(found->second);
      }
    }
  }
  for (std::size_t i = 0; i < asked.size(); ++i) {
    for (auto& [known, counts] : all[i]) counts.insert(without[i].begin(), without[i].end());
  }
  return all;
}

struct Worst {
  std::int64_t more = 0;    // keys with more units in one than in the other, of any pair
  std::int64_t steps = 0;   // by how much one of them differs
  long double delta = 0;    // exact, beyond the profile of the Gaussian loss: of what is charged
  long double laplace = 0;  // the same with Laplace noise, beyond the pure loss
};

Worst WorstPair(const Neighbours& neighbours, std::int64_t most_keys) {
  constexpr double kDelta = 1e-3, kMu = 3, kPureDelta = 1e-2;
  const double epsilon = 3.0 * static_cast<double>(most_keys);
  const auto units = [](double delta) { return static_cast<std::int64_t>(std::ldexp(delta, 60)); };
  const auto law =
      PartitionSelection::Make(most_keys, Loss::Of(LossKind::kMu, std::int64_t{9} << 40).value(), units(kDelta))
          .value();
  const auto pure =
      PartitionSelection::Make(most_keys, Loss::Pure(PlainUnits::Floor(epsilon).value()), units(kPureDelta)).value();
  Worst worst;
  std::set<std::vector<std::pair<std::int64_t, std::int64_t>>> seen;  // the same numbers have the same laws
  const auto look = [&](const Counts& a, const Counts& b) {
    std::set<std::string> keys;
    for (const Counts* counts : {&a, &b}) {
      for (const auto& [key, count] : *counts) keys.insert(key);
    }
    std::vector<std::pair<std::int64_t, std::int64_t>> changes;
    for (const std::string& key : keys) {
      const auto in = [&](const Counts& counts) { return counts.contains(key) ? counts.at(key) : 0; };
      if (in(a) != in(b)) changes.emplace_back(in(a), in(b));
    }
    std::sort(changes.begin(), changes.end());
    if (changes.empty() || !seen.insert(changes).second) return;
    PossibleKeys before, after;
    std::int64_t more = 0;
    for (const auto& [from, to] : changes) {
      more += from > to ? 1 : 0;
      worst.steps = std::max(worst.steps, from - to);
      before.units.push_back(from);
      after.units.push_back(to);
    }
    worst.more = std::max(worst.more, more);
    for (const double loss : {0.0, 1.0, 3.0, 8.0, 20.0}) {
      const long double delta = DeltaOfKeys({before}, {after}, {law.threshold(), law.noise().scale()}, loss);
      worst.delta = std::max(worst.delta, (delta - DeltaOfMu(kMu, loss)) / kDelta);
    }
    const KeyLaw cut{pure.threshold(), pure.noise().scale(), true, true};
    worst.laplace = std::max(worst.laplace, DeltaOfKeys({before}, {after}, cut, epsilon * (1 + 1e-12L)) / kPureDelta);
  };
  for (const auto& [known, all] : neighbours) {
    for (const Counts& a : all) {
      for (const Counts& b : all) look(a, b);
    }
  }
  return worst;
}

OpenKeysPlan PlanOf(const World& world, std::optional<std::size_t> per_unit,
                    const std::vector<std::string>& columns = {"name"}, const std::string& where = "") {
  auto plan = PlanOpenKeys(columns, where, per_unit, world.policy());
  EXPECT_TRUE(plan) << (plan ? "" : plan.error().Text());
  return std::move(*plan);
}

TEST(KeysProperty, NoRecordOfAnyNeighbourLosesMore_KEYS2) {
  const auto runner = OpenConfigured();
  std::vector<Asked> asked;
  for (const char* presence : {"public", "secret"}) {
    const World world{.presence = presence, .max_rows = 3};
    for (const std::size_t per_unit : {1U, 2U, 3U}) {
      asked.push_back({world, PlanOf(world, per_unit), 4});
      ASSERT_EQ(asked.back().plan.most_keys, static_cast<std::int64_t>(per_unit));
    }
    const World constant{.presence = presence, .max_rows = 3, .name = "type = \"text\", constant = true"};
    asked.push_back({constant, PlanOf(constant, {}), 3});
    EXPECT_EQ(asked.back().plan.most_keys, 1);
  }
  const auto all = AllCounts(asked, *runner);
  long double largest = 0, laplace = 0;  // which keys a cut leaves is up to the engine's hash, and so is how near it is
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const Worst worst = WorstPair(all[i], asked[i].plan.most_keys);
    EXPECT_LE(worst.delta, 1) << i;
    EXPECT_LE(worst.laplace, 1 + 1e-9L) << i;
    if (i % 4 == 3) continue;  // constant
    EXPECT_EQ(worst.more, asked[i].plan.most_keys) << i;
    EXPECT_EQ(worst.steps, 1) << i;
    largest = std::max(largest, worst.delta);
    laplace = std::max(laplace, worst.laplace);
  }
  EXPECT_GT(largest, 0.02L) << "no record is nearly as bad as the charge says";
  EXPECT_GT(laplace, 0.1L) << "no record is nearly as bad as the pure charge says";
}

bool Ill(const Cells& cells) { return std::string(cells.ill) == "yes"; }

// Numbers and days as keys, several columns, a public one among them, WHERE about secrets and about public facts, cells
// that are not charged, dependence, rows that are public.
TEST(KeysProperty, TheSameForOtherColumnsConditionsAndCells_KEYS2) {
  struct Question {
    std::vector<std::string> columns;
    std::string where;
    std::function<bool(const std::string&, const Cells&)> passes;
  };
  const auto always = [](const std::string&, const Cells&) { return true; };
  const auto in_a = [](const std::string& ward, const Cells&) { return ward == "A"; };
  const std::vector<Question> questions = {
      {{"code"}, "", always},
      {{"day"}, "", always},
      {{"name", "code"}, "", always},
      {{"day", "ward", "name"}, "", always},
      {{"name"}, "ill = 'yes'", [](const std::string&, const Cells& c) { return Ill(c); }},
      {{"name"},
       "ill IS NULL OR visit = 2",
       [](const std::string&, const Cells& c) { return std::string(c.ill) == "odd" || c.visit == 2; }},
      {{"code"}, "ward = 'A'", in_a},
      {{"name"},
       "ward = 'A' AND ill = 'yes'",
       [&](const std::string& ward, const Cells& c) { return in_a(ward, c) && Ill(c); }},
  };
  const auto runner = OpenConfigured();
  std::vector<Asked> asked;
  for (const World& world :
       {World{}, World{.presence = "public"},
        World{.dependence = "kind = \"group\"\nby = \"house\"\nsize = 2\nodds_ratio = 4\n"},
        World{.visits_are_public = true}, World{.presence = "public", .visits_are_public = true}}) {
    for (const Question& q : questions) {
      for (const std::string ward : {"A", "B"}) {
        // Rows that are public: nobody has more of them than are kept.
        const int most_rows = world.visits_are_public ? 2 : 3;
        for (const std::size_t per_unit : {1U, 2U})
          asked.push_back({world, PlanOf(world, per_unit, q.columns, q.where), most_rows, ward, q.passes});
      }
    }
  }
  const auto all = AllCounts(asked, *runner);
  int others = 0;
  long double largest = 0, laplace = 0;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const Asked& a = asked[i];
    const Policy policy = a.world.policy();
    bool charged = false;
    for (std::size_t cell = 0; cell < policy.cells.size(); ++cell) {
      const bool own = policy.cells.Name(cell).find("ward=" + a.ward) != std::string::npos;
      charged = charged || (own && a.plan.charged[cell]);
    }
    const Worst worst = WorstPair(all[i], a.plan.most_keys);
    if (!charged) {
      ++others;
      EXPECT_EQ(worst.more, 0) << a.plan.normalised << " of a unit in ward " << a.ward;
      continue;
    }
    EXPECT_LE(worst.more, a.plan.most_keys) << a.plan.normalised;
    EXPECT_EQ(worst.steps, 1) << a.plan.normalised;
    EXPECT_LE(worst.delta, 1) << a.plan.normalised;
    EXPECT_LE(worst.laplace, 1 + 1e-9L) << a.plan.normalised;
    largest = std::max(largest, worst.delta);
    laplace = std::max(laplace, worst.laplace);
  }
  EXPECT_EQ(others, 20) << "questions about ward A, of a unit in ward B";
  EXPECT_GT(largest, 0.02L);
  EXPECT_GT(laplace, 0.1L);
}

TEST(KeysProperty, TheCheckAboveSeesACutThatWasForgotten) {
  const auto runner = OpenConfigured();
  const World world{.max_rows = 3};
  OpenKeysPlan forgotten = PlanOf(world, 1);
  forgotten.statement = PlanOf(world, {}).statement;
  const Worst worst = WorstPair(AllCounts({{world, forgotten, 4}}, *runner)[0], forgotten.most_keys);
  EXPECT_GT(worst.more, forgotten.most_keys);
  EXPECT_GT(worst.delta, 1.5L);
  EXPECT_GT(worst.laplace, 1.5L);
}

// The statement of another ward: its units change what is counted although their cell is not charged.
TEST(KeysProperty, TheCheckAboveSeesCellsThatAreNotCharged) {
  const auto runner = OpenConfigured();
  const World world;
  OpenKeysPlan other = PlanOf(world, 2, {"name"}, "ward = 'A'");
  other.statement = PlanOf(world, 2, {"name"}, "ward = 'B'").statement;
  EXPECT_GT(WorstPair(AllCounts({{world, other, 2, "B"}}, *runner)[0], other.most_keys).more, 0);
}

TEST(KeysProperty, KeysAreCountedByTheirBytes_KEYS2) {
  const auto runner = OpenConfigured();
  std::vector<Unit> units = {{2, "A", {0, 1}}, {3, "A", {0, 0}}, {4, "A", {2, 5}}, {5, "A", {0, 3, 4, 1}}};
  runner->Load(TableOf(units));
  EXPECT_EQ(CountsOf(PlanOf({.max_rows = 4}, {}), *runner),
            (Counts{{"a", 3}, {"A", 2}, {"a ", 1}, {"\xc3\xa9", 1}, {"e\xcc\x81", 1}}));
}

}  // namespace
}  // namespace kith::testing
