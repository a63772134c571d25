// Rows that max_rows leaves out: over all records of one unit in tiny tables, what the statement counts, and how far
// one record can move it. Where rows name two units, a record is also every row that names the unit.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>

#include "analysis/cutoff/cutoff.h"
#include "tests/support/policies.h"
#include "tests/support/stat.h"
#include "tests/support/tiny_db_engine.h"

namespace kith::testing {
namespace {

using Random = std::mt19937_64;
using Numbers = std::array<Int128, 2>;  // units and rows

struct World {
  std::string table;  // "t": the unit's table; "c": another one
  std::int64_t max_rows = 1, at_most = 1, max_other = 0;
  std::string presence = "secret";
};

Policy PolicyOf(const World& world) {
  const bool other = world.table == "c";
  const std::string more =
      world.max_other > 0 ? fmt::format(", other = \"b\", max_other = {}", world.max_other) : std::string();
  return MakePolicy(
      "[data]\ntables.t = \"t.csv\"\n" +
      (other ? fmt::format("tables.c = {{ source = \"c.csv\", key = \"a\", max_rows = {}{} }}\n", world.max_rows, more)
             : std::string()) +
      fmt::format("[unit]\ntable = \"t\"\nkey = \"id\"\nmax_rows = {}\npresence = \"{}\"\n", other ? 1 : world.max_rows,
                  world.presence) +
      "[columns.t]\nid = { type = \"integer\" }\nward = { values = [\"A\", \"B\"] }\n" +
      (other ? "[columns.c]\na = { type = \"integer\" }\nb = { type = \"integer\" }\n" : "") +
      "[dependence]\nsource = \"public\"\nkind = \"independent\"\n[budget]\nepsilon = 1\nledger = \"l\"\n");
}

struct Pair {
  int owner = 0, named = 0;  // 0: nobody
};
using Rows = std::vector<Pair>;

TinyTable TableOf(const World& world, const Rows& rows) {
  const bool other = world.table == "c";
  TinyTable table{world.table, {}, {ColumnType::kInteger, other ? ColumnType::kInteger : ColumnType::kText}, {}};
  table.columns = other ? std::vector<std::string>{"a", "b"} : std::vector<std::string>{"id", "ward"};
  for (const Pair& row : rows) {
    const Datum second =
        other ? row.named == 0 ? NullDatum() : IntegerDatum(row.named) : TextDatum(row.named % 2 == 0 ? "A" : "B");
    table.rows.push_back({row.owner == 0 ? NullDatum() : IntegerDatum(row.owner), second});
  }
  return table;
}

/// By the definition.
Numbers Counted(const World& world, const Rows& rows) {
  std::map<int, std::int64_t> of;
  for (const Pair& row : rows) {
    if (row.owner != 0) ++of[row.owner];
  }
  Numbers numbers{};
  for (const auto& [owner, n] : of) {
    numbers[0] += n > world.max_rows ? 1 : 0;
    numbers[1] += std::clamp<std::int64_t>(n - world.max_rows, 0, world.at_most);
  }
  return numbers;
}

/// Records of unit 1 with the rows of all others: its own rows, and rows of others that name it.
std::vector<Rows> DataSets(const World& world, Random& random) {
  const int owners = 4;
  Rows others = {{0, 3}};  // a row without a key
  for (int owner = 2; owner < 2 + owners; ++owner) {
    for (auto n = static_cast<std::int64_t>(random() % 3) + world.max_rows - 1; n > 0; --n)
      others.push_back({owner, 20 + static_cast<int>(random() % 8)});
  }
  std::vector<Rows> own = {{}};
  for (std::int64_t n = 1; n <= world.max_rows + world.at_most + 2; ++n) {
    own.push_back(own.back());
    own.back().push_back({1, static_cast<int>(2 + n)});
  }
  std::vector<Rows> naming = {{}};
  for (std::int64_t named = 0; named < world.max_other; ++named) {
    const std::size_t before = naming.size();
    for (std::size_t k = 0; k < before; ++k) {
      for (int owner = 2; owner < 2 + owners; ++owner) {
        naming.push_back(naming[k]);
        naming.back().push_back({owner, 1});
      }
    }
  }
  std::vector<Rows> all;
  for (const Rows& mine : own) {
    if (mine.empty() && world.presence == "public" && world.table == "t") continue;
    for (const Rows& theirs : naming) {
      all.push_back(others);
      all.back().insert(all.back().begin() + 1, mine.begin(), mine.end());
      all.back().insert(all.back().end(), theirs.begin(), theirs.end());
    }
  }
  return all;
}

struct Tried {
  bool right = true;  // counted as by the definition
  Numbers most{};     // the largest change of each number, of any two records
  Numbers bound{};    // by the plan
};

Tried Try(const World& world, const Plan& bounds, const Plan& plan, Random& random, SqlRunner& runner) {
  Tried tried;
  for (std::size_t k = 0; k < 2; ++k) tried.bound[k] = bounds.statistics.at(k).change.l1().steps();
  Numbers least{}, largest{};
  bool first = true;
  for (const Rows& rows : DataSets(world, random)) {
    runner.Load(TableOf(world, rows));
    const auto exact = StatisticsOf(plan, runner.Run(plan.statement));
    const Numbers counted = {exact.at(0).at(0), exact.at(1).at(0)};
    tried.right = tried.right && counted == Counted(world, rows);
    for (std::size_t k = 0; k < 2; ++k) {
      least[k] = first ? counted[k] : std::min(least[k], counted[k]);
      largest[k] = first ? counted[k] : std::max(largest[k], counted[k]);
    }
    first = false;
  }
  for (std::size_t k = 0; k < 2; ++k) tried.most[k] = largest[k] - least[k];
  return tried;
}

Plan PlanOf(const World& world) {
  const auto cutoff = Cutoff::Make({world.table, world.at_most}, PolicyOf(world));
  return cutoff.value()->Round({}).value();
}

std::vector<World> Worlds() {
  std::vector<World> worlds;
  for (const char* presence : {"secret", "public"}) {
    for (const char* table : {"t", "c"}) {
      for (const std::int64_t max_rows : {1, 2})
        worlds.push_back({table, max_rows, max_rows == 1 ? 3 : 1, 0, presence});
    }
  }
  worlds.push_back({"c", 1, 2, 1, "public"});
  worlds.push_back({"c", 2, 2, 2, "secret"});
  return worlds;
}

TEST(CutoffProperty, NoRecordMovesTheNumbersFurtherThanThePlanSays_CUTOFF1) {
  const auto runner = OpenConfigured();
  Random random(stat::SeedForThisTest());
  for (const World& world : Worlds()) {
    const Plan plan = PlanOf(world);
    ASSERT_EQ(plan.statistics.size(), 2u);
    const Tried tried = Try(world, plan, plan, random, *runner);
    EXPECT_TRUE(tried.right) << world.table << world.max_rows;
    for (std::size_t k = 0; k < 2; ++k) {
      EXPECT_LE(tried.most[k], tried.bound[k]) << k << world.table << world.max_rows;
      if (world.max_other == 0) {
        EXPECT_EQ(tried.most[k], tried.bound[k]) << k << world.table << world.max_rows;
      }
    }
    EXPECT_TRUE(std::all_of(plan.charged.begin(), plan.charged.end(), [](bool cell) { return cell; }));
  }
}

TEST(CutoffProperty, EveryDialectReadsRowsUpToTheBoundAndNoFurther) {
  const Plan plan = PlanOf({"c", 2, 5, 0, "secret"});
  for (const sql::Dialect* dialect : {&sql::DuckDb(), &sql::PostgreSql(), &sql::Trino()}) {
    const std::string text = dialect->Write(plan.statement);
    EXPECT_NE(text.find("<= 7"), std::string::npos) << text;
    EXPECT_EQ(text.find("<= 2"), std::string::npos) << text;
  }
}

// The planted fault: rows beyond the declared bound are added, too.
TEST(CutoffProperty, TheCheckAboveSeesASurplusThatIsNotCut_CUTOFF1) {
  const auto runner = OpenConfigured();
  Random random(stat::SeedForThisTest());
  for (const World& world : Worlds()) {
    World wider = world;
    wider.at_most += 2;
    const Tried tried = Try(world, PlanOf(world), PlanOf(wider), random, *runner);
    EXPECT_FALSE(tried.right);
    if (world.max_other == 0) {
      EXPECT_GT(tried.most[1], tried.bound[1]) << world.table << world.max_rows;
    }
  }
}

}  // namespace
}  // namespace kith::testing
