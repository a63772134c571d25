// Keys that nobody declared: over all records of one unit in tiny tables, what the statement counts on every engine,
// and the exact delta of what is shown of it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "mechanism/unknown_keys.h"
#include "query/open_keys.h"
#include "tests/support/key_law.h"
#include "tests/support/policies.h"
#include "tests/support/tiny_db_engine.h"
#include "transfer/gaussian/probit.h"

namespace kith::testing {
namespace {

using Counts = std::map<std::string, std::int64_t>;

Policy NamesPolicy(const std::string& presence, int max_rows, const std::string& name) {
  return MakePolicy(
      "[data]\ntables.t = \"t.csv\"\n[unit]\ntable = \"t\"\nkey = \"id\"\nmax_rows = " + std::to_string(max_rows) +
      "\npresence = \"" + presence + "\"\n[columns.t]\nid = { type = \"integer\"" +
      std::string(presence == "public" ? ", public = true" : "") + " }\nname = { " + name +
      " }\nyear = { type = \"integer\" }\n[dependence]\nsource = \"public\"\nkind = \"independent\"\n"
      "[budget]\nepsilon = 1\nledger = \"l\"\n");
}

// Strings that some engines or collations take for equal, and one that is not.
const char* const kNames[] = {"a", "A", "a ", "\xc3\xa9", "e\xcc\x81"};
constexpr int kNull = 5;

Row Visit(int id, int name, int year) {
  return {IntegerDatum(id), name == kNull ? NullDatum() : TextDatum(kNames[name]), IntegerDatum(2000 + year)};
}

TinyTable Others() {
  TinyTable table{"t", {"id", "name", "year"}, {ColumnType::kInteger, ColumnType::kText, ColumnType::kInteger}, {}};
  for (const auto& [id, name] :
       {std::pair{2, 0}, {2, 1}, {3, 0}, {3, 0}, {4, 2}, {4, kNull}, {5, 0}, {5, 3}, {5, 4}, {5, 1}})
    table.rows.push_back(Visit(id, name, id));
  return table;
}

/// Keys by name, with what the statement counts. Only integers leave the tests' engines: names by their places.
Counts CountsOf(const OpenKeysPlan& plan, SqlRunner& runner) {
  std::string places;
  for (int k = 0; k < kNull; ++k) places += fmt::format(" WHEN q.k0 = {} THEN {}", runner.dialect().Text(kNames[k]), k);
  const auto rows = runner.Run(
      fmt::format("SELECT CASE{} ELSE 99 END, q.n FROM ({}) AS q", places, runner.dialect().Write(plan.statement)));
  Counts counts;
  for (const auto& row : rows) {
    const auto place = static_cast<int>(row[0].value());
    EXPECT_LT(place, kNull) << "a key that is in no row";
    if (place >= kNull) continue;
    const auto added = counts.emplace(kNames[place], static_cast<std::int64_t>(row[1].value()));
    EXPECT_TRUE(added.second) << "a key came twice";
  }
  return counts;
}

/// A plan, tried with all records of unit 1 with up to this many rows.
struct Asked {
  OpenKeysPlan plan;
  int most_rows = 0;
  bool secret = false;
};

/// Of each plan: all records, each as what is counted with the others. Plans that say the same to the engine ask
/// once.
std::vector<std::set<Counts>> AllCounts(const std::vector<Asked>& asked, SqlRunner& runner) {
  std::vector<std::set<Counts>> all(asked.size());
  std::vector<std::string> statements;
  std::size_t most_rows = 0;
  for (const Asked& a : asked) {
    statements.push_back(runner.dialect().Write(a.plan.statement));
    most_rows = std::max(most_rows, static_cast<std::size_t>(a.most_rows));
  }
  std::vector<std::vector<int>> records = {{}};
  for (std::size_t at = 0; at < records.size(); ++at) {
    const std::vector<int> record = records[at];
    if (record.size() < most_rows) {
      for (int name = record.empty() ? 0 : record.back(); name <= kNull; ++name) {
        records.push_back(record);
        records.back().push_back(name);
      }
    }
    TinyTable table = Others();
    for (const int name : record) table.rows.insert(table.rows.begin() + 2, Visit(1, name, name % 2));
    runner.Load(table);
    std::map<std::string, Counts> counted;
    for (std::size_t i = 0; i < asked.size(); ++i) {
      if (record.size() > static_cast<std::size_t>(asked[i].most_rows) || (record.empty() && !asked[i].secret))
        continue;
      auto found = counted.find(statements[i]);
      if (found == counted.end()) found = counted.emplace(statements[i], CountsOf(asked[i].plan, runner)).first;
      all[i].insert(found->second);
    }
  }
  return all;
}

struct Worst {
  std::int64_t more = 0;   // keys with more units in one than in the other, of any pair
  std::int64_t steps = 0;  // by how much one of them differs
  long double delta = 0;   // exact, beyond the profile of the Gaussian loss: of what is charged
};

Worst WorstPair(const std::set<Counts>& all, std::int64_t most_keys) {
  constexpr double kDelta = 1e-3, kMu = 3;
  const auto law = UnknownKeys::Make(most_keys, Loss::Of(LossKind::kMu, std::int64_t{9} << 40).value(),
                                     static_cast<std::int64_t>(std::ldexp(kDelta, 60)))
                       .value();
  Worst worst;
  std::set<std::vector<std::pair<std::int64_t, std::int64_t>>> seen;  // the same numbers have the same laws
  for (const Counts& a : all) {
    for (const Counts& b : all) {
      std::vector<std::pair<std::int64_t, std::int64_t>> changes;
      for (const char* name : kNames) {
        const auto in = [&](const Counts& counts) { return counts.contains(name) ? counts.at(name) : 0; };
        if (in(a) != in(b)) changes.emplace_back(in(a), in(b));
      }
      std::sort(changes.begin(), changes.end());
      if (changes.empty() || !seen.insert(changes).second) continue;
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
    }
  }
  return worst;
}

OpenKeysPlan PlanOf(const Policy& policy, std::optional<std::size_t> per_unit) {
  return PlanOpenKeys({"name"}, "", per_unit, policy).value();
}

TEST(KeysProperty, NoRecordOfAnyNeighbourLosesMore_KEYS2) {
  const auto runner = OpenConfigured();
  std::vector<Asked> asked;
  for (const char* presence : {"public", "secret"}) {
    const bool secret = std::string(presence) == "secret";
    for (const std::size_t per_unit : {1U, 2U, 3U}) {
      asked.push_back({PlanOf(NamesPolicy(presence, 3, "type = \"text\""), per_unit), 4, secret});
      ASSERT_EQ(asked.back().plan.most_keys, static_cast<std::int64_t>(per_unit));
    }
    asked.push_back({PlanOf(NamesPolicy(presence, 3, "type = \"text\", constant = true"), {}), 3, secret});
    EXPECT_EQ(asked.back().plan.most_keys, 1);
  }
  const auto all = AllCounts(asked, *runner);
  long double largest = 0;  // which keys a cut leaves is up to the engine's hash, and so is how near each case comes
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const Worst worst = WorstPair(all[i], asked[i].plan.most_keys);
    EXPECT_LE(worst.delta, 1) << i;
    if (i % 4 == 3) continue;  // constant
    EXPECT_EQ(worst.more, asked[i].plan.most_keys) << i;
    EXPECT_EQ(worst.steps, 1) << i;
    largest = std::max(largest, worst.delta);
  }
  EXPECT_GT(largest, 0.02L) << "no record is nearly as bad as the charge says";
}

TEST(KeysProperty, TheCheckAboveSeesACutThatWasForgotten) {
  const auto runner = OpenConfigured();
  OpenKeysPlan forgotten = PlanOf(NamesPolicy("secret", 3, "type = \"text\""), 1);
  forgotten.statement = PlanOf(NamesPolicy("secret", 3, "type = \"text\""), {}).statement;
  const Worst worst = WorstPair(AllCounts({{forgotten, 4, true}}, *runner)[0], forgotten.most_keys);
  EXPECT_GT(worst.more, forgotten.most_keys);
  EXPECT_GT(worst.delta, 1.5L);
}

TEST(KeysProperty, KeysAreCountedByTheirBytes_KEYS2) {
  const auto runner = OpenConfigured();
  runner->Load(Others());
  EXPECT_EQ(CountsOf(PlanOf(NamesPolicy("secret", 4, "type = \"text\""), {}), *runner),
            (Counts{{"a", 3}, {"A", 2}, {"a ", 1}, {"\xc3\xa9", 1}, {"e\xcc\x81", 1}}));
}

}  // namespace
}  // namespace kith::testing
