// Graphs from files.
#include "graph/edges.h"

#include <fmt/format.h>

#include <map>
#include <random>
#include <set>

#include "engine/duckdb/engine_fixture.h"
#include "graph/edge_names.h"

namespace kith {
namespace {

class EdgesTest : public EngineFixture {
 protected:
  Result<Graph> Load(const std::string& name, std::int64_t records, std::optional<double> theta = 0.5) {
    GraphFile file;
    file.path = (folder_ / name).string();
    file.records = records;
    file.theta = theta;
    return LoadGraph(file, {}, cancel_);
  }
  std::string Error(const std::string& bytes, std::int64_t records, std::optional<double> theta = 0.5) {
    Write("g.csv", bytes);
    auto graph = Load("g.csv", records, theta);
    return graph ? "loaded" : graph.error().Text();
  }
  static std::multiset<std::size_t> Degrees(const Graph& graph) {
    std::multiset<std::size_t> degrees;
    for (std::uint32_t v = 0; v < graph.nodes(); ++v) degrees.insert(graph.offsets()[v + 1] - graph.offsets()[v]);
    return degrees;
  }
};

TEST_F(EdgesTest, RecordNumbersStayWhatTheyAre) {
  Write("g.csv", "a,b\n3,1\n1,0\n");
  auto graph = Load("g.csv", 5);
  ASSERT_TRUE(graph) << graph.error().Text();
  EXPECT_EQ(graph->records(), 5U);
  EXPECT_EQ(graph->edges(), 2U);
  EXPECT_EQ(graph->offsets()[2] - graph->offsets()[1], 2U);  // record 1 has both
  EXPECT_EQ(graph->Theta(0), 0.5);
}

TEST_F(EdgesTest, OtherNamesAreNumberedAsTheyAppear) {
  Write("i.csv", "a,b\n1000,-7\n9000000000000000000,1000\n");
  Write("t.tsv", "from\tto\nann\tbob\ncec\tann\n");
  Write("n.csv", "a,b\n0,1\n2,0\n");
  const std::string expected = Load("n.csv", 3).value().Fingerprint();
  auto integers = Load("i.csv", 3);
  ASSERT_TRUE(integers) << integers.error().Text();
  EXPECT_EQ(integers->Fingerprint(), expected);
  auto texts = Load("t.tsv", 3);
  ASSERT_TRUE(texts) << texts.error().Text();
  EXPECT_EQ(texts->Fingerprint(), expected);
}

TEST_F(EdgesTest, StrengthsFromTheThirdColumn) {
  Write("g.csv", "a,b,theta\n0,1,0.25\n1,2,1\n");
  auto graph = Load("g.csv", 3, std::nullopt);
  ASSERT_TRUE(graph) << graph.error().Text();
  EXPECT_EQ(std::vector<double>(graph->thetas().begin(), graph->thetas().end()), (std::vector<double>{0.25, 1}));
}

// A column that is not read would be a declared strength that nobody accounts for.
TEST_F(EdgesTest, ColumnsThatAreNotReadAreRefused) {
  const auto loaded = [&](const std::string& name, std::optional<double> theta) {
    auto graph = Load(name, 3, theta);
    return graph ? fmt::format("{} edges", graph->edges()) : graph.error().Text();
  };
  Write("two.csv", "a,b\n0,1\n1,2\n");
  Write("three.csv", "a,b,theta\n0,1,0.25\n1,2,1\n");
  Write("four.csv", "a,b,theta,since\n0,1,0.25,1999\n1,2,1,2001\n");
  WithDuckDb("COPY (SELECT i AS a, i + 1 AS b, 0.5 AS t FROM range(2) r(i)) TO '{}/g.parquet'");
  EXPECT_EQ(loaded("two.csv", 1), "2 edges");
  EXPECT_EQ(loaded("three.csv", std::nullopt), "2 edges");
  for (const char* name : {"three.csv", "four.csv", "g.parquet"}) {
    EXPECT_TRUE(Has(loaded(name, 1), "more than the two columns")) << loaded(name, 1);
    EXPECT_TRUE(Has(loaded(name, 1), "without theta")) << loaded(name, 1);
  }
  EXPECT_TRUE(Has(loaded("four.csv", std::nullopt), "and one with strengths"));
}

TEST_F(EdgesTest, ParquetAndDuckDb) {
  WithDuckDb("COPY (SELECT i::INTEGER AS a, (i + 1)::UBIGINT AS b, 0.5 AS t FROM range(9) r(i)) TO '{}/g.parquet'");
  WithDuckDb(
      "ATTACH '{}/g.duckdb' AS d; CREATE TABLE d.friends AS SELECT i AS a, i + 1 AS b, 0.5 AS t FROM range(9) r(i); "
      "DETACH d");
  auto parquet = Load("g.parquet", 10, std::nullopt);
  ASSERT_TRUE(parquet) << parquet.error().Text();
  EXPECT_EQ(parquet->edges(), 9U);
  auto duckdb = Load("g.duckdb:friends", 10, std::nullopt);
  ASSERT_TRUE(duckdb) << duckdb.error().Text();
  EXPECT_EQ(duckdb->Fingerprint(), parquet->Fingerprint());
}

TEST_F(EdgesTest, ManyEdgesAgainstTheSameListInMemory) {
  std::mt19937_64 random(std::hash<std::string>{}("EdgesTest.ManyEdgesAgainstTheSameListInMemory"));
  std::string csv = "a,b\n";
  std::vector<Edge> edges;
  for (std::uint32_t i = 1; i < 20'000; ++i) {
    const auto j = static_cast<std::uint32_t>(random() % i);
    edges.push_back({i, j, 0.5});
    csv += fmt::format("{},{}\n", std::int64_t{i} * 1'000'003, std::int64_t{j} * 1'000'003);
  }
  Write("g.csv", csv);
  auto graph = Load("g.csv", 20'000);
  ASSERT_TRUE(graph) << graph.error().Text();
  EXPECT_EQ(Degrees(*graph), Degrees(GraphFromEdges(20'000, edges, RepeatedPairs::kRefuse).value()));
}

// Leaving out an edge would claim less dependence than there is.
TEST_F(EdgesTest, WhatCannotBeReadIsRefused) {
  EXPECT_TRUE(Has(Error("a,b\n0,1\n1\n", 3), "1 lines have broken quotes"));
  EXPECT_TRUE(Has(Error("a,b\n0,1\n1,\"2\n", 3), "broken quotes"));
  EXPECT_TRUE(Has(Error("a,b\n0,1\n,2\n", 3), "lacks the name of a record"));
  EXPECT_TRUE(Has(Error("a,b,t\n0,1,x\n", 3, std::nullopt), "strength of an edge is not a number"));
  EXPECT_TRUE(Has(Error("a,b,t\n0,1,-1\n", 3, std::nullopt), "negative"));
  EXPECT_TRUE(Has(Error("a,b\n0,1\n", 3, std::nullopt), "there is no strength"));
  EXPECT_TRUE(Has(Error("a,b\nann,bob\nann,cec\n", 2), "names more than 2 records"));
  EXPECT_TRUE(Has(Error("a,b\n0,1\n0,2\n", 2), "names more than 2 records"));
  EXPECT_TRUE(Has(Error("0,1\n1,2\n", 3), "not a header"));
  EXPECT_TRUE(Has(Error("a b\n0 1\n", 3), "two columns"));
  EXPECT_TRUE(Has(Error("", 3), "empty"));
  EXPECT_FALSE(Load("missing.csv", 3));
  // Integers at first, something else far beyond the part that is examined: 1.5 must not pass for 2.
  std::string late = "a,b\n";
  while (late.size() < (std::size_t{2} << 20)) late += "0,1\n";
  EXPECT_TRUE(Has(Error(late + "0,1.5\n", 3), "named by integers, but not all"));
}

TEST_F(EdgesTest, ARepeatedPairIsShown) {
  const std::string told = "row 4 repeats row 2 (counted from 1, without the header)";
  for (const char* edges : {"a,b\n0,1\n1,2\n0,2\n2,1\n1,0\n", "a,b\nx,ann\nann,bob\nx,bob\nbob,ann\nann,bob\n",
                            "a,b\n70,10\n10,20\n70,20\n20,10\n10,20\n"}) {
    EXPECT_TRUE(Has(Error(edges, 3), "2 lines of the edge list repeat a pair")) << edges;
    // The first pair by the numbers of its records, in the order of the file.
    EXPECT_TRUE(Has(Error(edges, 3), edges[4] == '0' ? "row 5 repeats row 1 (" : told)) << Error(edges, 3);
  }
  EXPECT_TRUE(Has(Error("a,b,t\n0,1,30\n1,2,0.5\n1,0,30\n2,1,0.5\n", 3, std::nullopt), told));  // hard ties may be
}

TEST_F(EdgesTest, OtherNamesAreRefusedWhereTheModelRefersToNumbers) {
  GraphFile file{(folder_ / "g.csv").string(), 3, 0.5, RepeatedPairs::kRefuse, true};
  Write("g.csv", "a,b\n0,2\n");
  EXPECT_TRUE(LoadGraph(file, {}, cancel_));
  for (const char* other : {"a,b\n0,3\n", "a,b\nann,bob\n"}) {
    Write("g.csv", other);
    auto graph = LoadGraph(file, {}, cancel_);
    ASSERT_FALSE(graph);
    EXPECT_TRUE(Has(graph.error().Text(), "must be named 0 to 2"));
  }
}

// A world of a hundred million with three ties: the graph is as small as its edges.
TEST_F(EdgesTest, RecordsWithoutAnEdgeMayBeLeftOut) {
  Write("g.csv", "a,b\n5,99999999\n99999999,7\n1000,2000\n");
  WithDuckDb("COPY (SELECT 5 AS a, 99999999 AS b UNION ALL SELECT 99999999, 7) TO '{}/g.parquet'");
  for (const char* name : {"g.csv", "g.parquet"}) {
    GraphFile file{(folder_ / name).string(), 100'000'000, 0.5, RepeatedPairs::kRefuse, false, true};
    auto graph = LoadGraph(file, {}, cancel_);
    ASSERT_TRUE(graph) << graph.error().Text();
    EXPECT_LT(graph->records(), 100U);
    EXPECT_LT(graph->Bytes(), 100'000U);
    const auto rows = graph->offsets();
    std::uint64_t largest = 0;
    for (std::size_t k = 0; k + 1 < rows.size(); ++k) largest = std::max(largest, rows[k + 1] - rows[k]);
    EXPECT_EQ(largest, 2U) << "99999999 has two neighbours";
  }
  // Records are left out only if they are many.
  GraphFile dense{(folder_ / "g.csv").string(), 3, 0.5, RepeatedPairs::kRefuse, false, true};
  EXPECT_TRUE(Has(LoadGraph(dense, {}, cancel_).error().Text(), "names more than 3 records"));
}

TEST_F(EdgesTest, Cancel) {
  Write("g.csv", "a,b\n0,1\n");
  cancel_.Cancel();
  EXPECT_EQ(Load("g.csv", 3).error().code, Code::kCancelled);
}

TEST(IntegerNames, NumbersAsAMapWould) {
  std::mt19937_64 random(std::hash<std::string>{}("IntegerNames.NumbersAsAMapWould"));
  IntegerNames names;
  std::map<std::int64_t, std::uint32_t> expected;
  for (int i = 0; i < 100'000; ++i) {
    const auto name = static_cast<std::int64_t>(random() % 30'000) * (i % 2 == 0 ? 1 : -1'000'000'007);
    const auto number = expected.emplace(name, static_cast<std::uint32_t>(expected.size())).first->second;
    ASSERT_EQ(names.Number(name), number);
  }
  EXPECT_EQ(names.count(), expected.size());
}

}  // namespace
}  // namespace kith
