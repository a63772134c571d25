// Graphs in a table of the engine: DuckDB and Parquet files here, servers in tests/postgresql and tests/trino.
#include "graph/edges_table.h"

#include <cmath>
#include <random>

#include "engine/duckdb/engine_fixture.h"
#include "tests/support/random_edges.h"

namespace kith {
namespace {

using testing::RandomEdges;
using Names = RandomEdges::Names;

class EdgesTableTest : public EngineFixture {
 protected:
  /// A table of the engine with these rows; `rows`: after VALUES.
  void Make(const std::string& rows) {
    WithDuckDb("COPY (SELECT * FROM (VALUES " + rows + ") AS t(\"from\", \"to\", strength)) TO '{}/g.parquet'");
  }
  /// The policy of a random graph, without what was declared before.
  Policy PolicyOf(const RandomEdges& edges, std::optional<double> theta) {
    Policy policy = policy_;
    edges.DeclareIn(policy, "g.parquet", theta);
    return policy;
  }
  /// Numbers 0 to nodes - 1 as names.
  Policy Numbered(std::int64_t nodes, std::optional<double> theta, ColumnType type = ColumnType::kInteger) {
    std::mt19937_64 random(1);
    RandomEdges edges(random, type == ColumnType::kText ? Names::kTexts : Names::kNumbers);
    edges.nodes = nodes;
    return PolicyOf(edges, theta);
  }
  static std::string Loaded(const Policy& policy, GraphFile wanted = {}) {
    const auto graph = LoadGraphOf(policy, wanted, {}, Call());
    return graph ? "loaded" : graph.error().Text();
  }
};

TEST_F(EdgesTableTest, SaysWhatSetsSay_GT2) {
  std::mt19937_64 random(std::hash<std::string>{}("EdgesTableTest.SaysWhatSetsSay"));
  for (int round = 0; round < 45; ++round) {
    const RandomEdges edges(random, std::array{Names::kNumbers, Names::kIntegers, Names::kTexts}.at(round % 3));
    if (edges.rows.empty()) continue;
    Make(edges.Values());
    const auto theta = round % 2 == 0 ? std::optional<double>() : std::optional(0.5);
    ASSERT_EQ(DifferenceFrom(edges, PolicyOf(edges, theta), Options()), "") << edges.Values();
  }
}

// Each of these faults is what one part of the statement is there for.
TEST_F(EdgesTableTest, TheCheckAboveSeesOneDirectionRepeatsLoopsAndGaps) {
  std::mt19937_64 random(std::hash<std::string>{}("EdgesTableTest.TheCheckAboveSees"));
  int one_way = 0, repeats = 0, loops = 0, gaps = 0;
  for (int round = 0; round < 30; ++round) {
    const RandomEdges edges(random, Names::kNumbers);
    std::map<std::string, std::int64_t> listed;
    std::map<std::string, std::set<std::string>> from, linked, with_loops;
    for (const auto& [a, b] : edges.rows) {
      with_loops[a].insert(b), with_loops[b].insert(a);
      if (a == b) continue;
      from[a].insert(b);
      linked[a].insert(b), linked[b].insert(a);
      ++listed[a], ++listed[b];
    }
    // The first name of the second half is in no part.
    std::int64_t ends = 0, place = 0;
    for (const auto& [name, others] : linked) ends += place++ == std::ssize(linked) / 2 ? 0 : std::ssize(others);
    gaps += ends / 2 != edges.Counts().links ? 1 : 0;
    std::int64_t most_from = 0, most_listed = 0, most_with_loops = 0;
    for (const auto& [name, others] : from) most_from = std::max(most_from, std::ssize(others));
    for (const auto& [name, count] : listed) most_listed = std::max(most_listed, count);
    for (const auto& [name, others] : with_loops) most_with_loops = std::max(most_with_loops, std::ssize(others));
    const std::int64_t right = edges.Counts().largest_degree;
    one_way += most_from != right ? 1 : 0;
    repeats += most_listed != right ? 1 : 0;
    loops += most_with_loops != right ? 1 : 0;
  }
  EXPECT_GT(one_way, 5);
  EXPECT_GT(repeats, 5);
  EXPECT_GT(loops, 5);
  EXPECT_GT(gaps, 5);
}

TEST_F(EdgesTableTest, IsTheGraphOfTheFile) {
  WithDuckDb(
      "COPY (SELECT i AS \"from\", i * i % 97 + 100 AS \"to\", 0.5 AS strength FROM range(100) r(i)) TO "
      "'{}/g.parquet'");
  const Policy policy = Numbered(200, std::nullopt);
  GraphFile file{(folder_ / "g.parquet").string(), 200, std::nullopt};
  EXPECT_EQ(LoadGraphOf(policy, {}, {}, Call()).value().Fingerprint(),
            LoadGraph(file, {}, Call()).value().Fingerprint());
  Policy in_file = policy;
  in_file.dependence.edges = EdgesFile{"g.parquet", 200, std::nullopt};
  EXPECT_EQ(LoadGraphOf(in_file, {}, {}, Call()).value().Fingerprint(),
            LoadGraph(file, {}, Call()).value().Fingerprint());
}

TEST_F(EdgesTableTest, EmptyHasNoLinks) {
  WithDuckDb("COPY (SELECT 1 AS \"from\", 2 AS \"to\", 0.5 AS strength WHERE false) TO '{}/g.parquet'");
  const auto table = EdgesTable::Open(Numbered(5, 0.5), {}, Call());
  ASSERT_TRUE(table) << table.error().Text();
  EXPECT_EQ(testing::Text(table->Count({}).value()), "0 rows, 0 records, 0 links, at most 0");
  EXPECT_EQ(Loaded(Numbered(5, 0.5)), "loaded");
}

// A world of a hundred million with two ties: the graph is as small as its edges.
TEST_F(EdgesTableTest, RecordsWithoutAnEdgeMayBeLeftOut) {
  Make("(5, 99999999, 0.5), (99999999, 7, 0.5)");
  GraphFile wanted;
  wanted.may_leave_out_lonely = true;
  const auto graph = LoadGraphOf(Numbered(100'000'000, 0.5), wanted, {}, Call());
  ASSERT_TRUE(graph) << graph.error().Text();
  EXPECT_EQ(graph->records(), 3U);
  EXPECT_EQ(graph->edges(), 2U);
}

// Leaving out an edge would claim less dependence than there is.
TEST_F(EdgesTableTest, WhatCannotBeReadIsRefused) {
  Make("(0, 1, 0.5), (NULL, 2, 0.5)");
  EXPECT_TRUE(Has(Loaded(Numbered(3, 0.5)), "lacks the name of a record"));
  EXPECT_TRUE(Has(EdgesTable::Open(Numbered(3, 0.5), {}, Call())->Count({}).error().Text(), "lacks the name"));
  for (const char* strength : {"-1", "NULL", "'NaN'::DOUBLE", "'-Infinity'::DOUBLE", "-1e-300"}) {
    Make(fmt::format("(0, 1, 0.5::DOUBLE), (1, 2, {})", strength));
    EXPECT_TRUE(Has(Loaded(Numbered(3, std::nullopt)), "missing, negative or not a number")) << strength;
  }
  Make("(0, 1, 0.5), (0, 7, 0.5)");
  EXPECT_TRUE(Has(Loaded(Numbered(2, 0.5)), "names more than 2 records"));
  EXPECT_TRUE(Has(EdgesTable::Open(Numbered(2, 0.5), {}, Call())->Count({}).error().Text(), "names more than 2"));
  GraphFile by_number;
  by_number.needs_record_numbers = true;
  EXPECT_TRUE(Has(Loaded(Numbered(3, 0.5), by_number), "must be named 0 to 2"));
  Make("(0, 1, 0.5), (1, 0, 0.5)");
  EXPECT_TRUE(Has(Loaded(Numbered(3, 0.5)), "repeat a pair")) << Loaded(Numbered(3, 0.5));
  Policy kept = Numbered(3, 0.5);
  kept.rows_out = false;
  EXPECT_TRUE(Has(Loaded(kept), "rows_out")) << Loaded(kept);
  Policy csv = kept;
  csv.tables.back().source = "g.csv";
  EXPECT_TRUE(Has(EdgesTable::Open(csv, {}, Call()).error().Text(), "edges = \"g.csv\""));
}

TEST_F(EdgesTableTest, NoStrengthIsBelowTheTables_GT3) {
  for (const double theta : {1e-300, 1e-12, 1e-3, 0.03125, 0.1, 1.0 / 3, 1.7, 21.999999999999996, 22.0}) {
    Make(fmt::format("(0, 1, {}::DOUBLE)", theta));
    const auto graph = LoadGraphOf(Numbered(2, std::nullopt), {}, {}, Call());
    ASSERT_TRUE(graph) << graph.error().Text();
    EXPECT_GE(graph->Theta(0), theta);
    EXPECT_LE(graph->Theta(0), theta + 0x1p-57);
    if (theta >= 0.03125) {
      EXPECT_EQ(graph->Theta(0), theta);
    }
  }
  for (const char* hard : {"22.000000000000004", "1e300", "'Infinity'"}) {
    Make(fmt::format("(0, 1, {}::DOUBLE)", hard));
    EXPECT_TRUE(LoadGraphOf(Numbered(2, std::nullopt), {}, {}, Call())->has_hard_edges()) << hard;
  }
}

TEST_F(EdgesTableTest, TheCheckAboveSeesOrdinaryRounding) {
  const double theta = 1e-3;
  EXPECT_LT(std::min(std::floor(theta * 0x1p57), std::nearbyint(theta * 0x1p57)) / 0x1p57, theta);
}

// The table of units is not there at all, and breaks a promise besides.
TEST_F(EdgesTableTest, NothingElseIsRead_GT1) {
  Make("(0, 1, 0.5)");
  Policy policy = Numbered(2, 0.5);
  policy.tables[0].source = "nowhere.parquet";
  EXPECT_EQ(Loaded(policy), "loaded");
}

TEST_F(EdgesTableTest, TheCheckAboveSeesASessionOnEverything) {
  Make("(0, 1, 0.5)");
  Policy policy = Numbered(2, 0.5);
  policy.tables[0].source = "nowhere.parquet";
  EXPECT_FALSE(OpenSession(policy, Options(), Call()));
}

}  // namespace
}  // namespace kith
