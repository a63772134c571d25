// Building graphs: what is kept, joined, left out and refused.
#include "dependence/graph_builder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include "tests/support/small_laws.h"

namespace kith {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<std::uint32_t> Neighbours(const Graph& graph, std::uint32_t node) {
  const auto all = graph.neighbours();
  return {all.begin() + static_cast<std::ptrdiff_t>(graph.offsets()[node]),
          all.begin() + static_cast<std::ptrdiff_t>(graph.offsets()[node + 1])};
}

double Theta(const Graph& graph, std::uint32_t a, std::uint32_t b) {
  for (std::uint64_t slot = graph.offsets()[a]; slot < graph.offsets()[a + 1]; ++slot) {
    if (graph.neighbours()[slot] == b) return graph.Theta(slot);
  }
  return 0;
}

Graph Build(std::int64_t records, const std::vector<Edge>& edges, RepeatedPairs repeated = RepeatedPairs::kRefuse) {
  return GraphFromEdges(records, edges, repeated).value();
}

Error BuildError(std::int64_t records, const std::vector<Edge>& edges,
                 RepeatedPairs repeated = RepeatedPairs::kRefuse) {
  return GraphFromEdges(records, edges, repeated).error();
}

TEST(GraphBuilder, ListsNeighboursInOrderFromBothEnds) {
  const Graph graph = Build(4, {{2, 0, 0.5}, {0, 1, 0.25}, {2, 1, 1}});
  EXPECT_EQ(graph.edges(), 3u);
  EXPECT_EQ(Neighbours(graph, 0), (std::vector<std::uint32_t>{1, 2}));
  EXPECT_EQ(Neighbours(graph, 1), (std::vector<std::uint32_t>{0, 2}));
  EXPECT_EQ(Neighbours(graph, 2), (std::vector<std::uint32_t>{0, 1}));
  EXPECT_TRUE(Neighbours(graph, 3).empty());
  EXPECT_EQ(Theta(graph, 0, 2), 0.5);
  EXPECT_EQ(Theta(graph, 1, 0), 0.25);
  EXPECT_EQ(Theta(graph, 1, 2), 1);
}

TEST(GraphBuilder, OneStrengthTakesNoMemoryForIt) {
  auto builder = GraphBuilder::Make(3, 0.75, RepeatedPairs::kRefuse).value();
  const std::vector<std::uint32_t> a{0, 1};
  const std::vector<std::uint32_t> b{1, 2};
  ASSERT_TRUE(builder.Count({a, b, {}}));
  ASSERT_TRUE(builder.Fill({a, b, {}}));
  const Graph graph = builder.Finish(1).value();
  EXPECT_TRUE(graph.strengths().empty());
  EXPECT_EQ(Theta(graph, 2, 1), 0.75);
  EXPECT_EQ(graph.neighbours().size(), graph.slots() + Graph::kLookAhead);
}

TEST(GraphBuilder, RepeatedPairsAddUpOrCountOnceOrAreRefused) {
  const std::vector<Edge> edges{{0, 1, 0.5}, {1, 0, 0.25}, {1, 2, 0.125}, {0, 1, 0.5}};
  const Graph added = Build(3, edges, RepeatedPairs::kAdd);
  EXPECT_EQ(added.edges(), 2u);
  EXPECT_EQ(added.repeats(), 2u);
  EXPECT_GE(Theta(added, 0, 1), 1.25);
  EXPECT_LT(Theta(added, 0, 1), 1.25 + 1e-12);
  EXPECT_EQ(Theta(added, 0, 1), Theta(added, 1, 0));
  EXPECT_EQ(Theta(added, 2, 1), 0.125);

  const Graph largest = Build(3, edges, RepeatedPairs::kLargest);
  EXPECT_EQ(largest.edges(), 2u);
  EXPECT_EQ(Theta(largest, 0, 1), 0.5);
  EXPECT_EQ(Theta(largest, 1, 0), 0.5);

  EXPECT_EQ(BuildError(3, edges).code, Code::kInvalidArgument);
  EXPECT_EQ(BuildError(3, edges).what, "2 lines of the edge list repeat a pair");
}

TEST(GraphBuilder, TheRepeatedPairOfTheSmallestRecordIsNamed) {
  for (const unsigned threads : {1U, 3U}) {
    auto builder = GraphBuilder::Make(20'000, 0.5, RepeatedPairs::kRefuse).value();
    const std::vector<std::uint32_t> a{19'000, 7, 3, 19'001, 8, 5}, b{19'001, 8, 4, 19'000, 7, 6};
    ASSERT_TRUE(builder.Count({a, b, {}}));
    ASSERT_TRUE(builder.Fill({a, b, {}}));
    EXPECT_FALSE(builder.refused());
    EXPECT_FALSE(builder.Finish(threads));
    EXPECT_EQ(builder.refused(), std::pair(7U, 8U));
  }
}

TEST(GraphBuilder, RepeatedPairsOfOneStrengthAddUp) {
  auto builder = GraphBuilder::Make(3, 0.5, RepeatedPairs::kAdd).value();
  const std::vector<std::uint32_t> a{0, 1, 2, 1};
  const std::vector<std::uint32_t> b{1, 0, 1, 0};
  ASSERT_TRUE(builder.Count({a, b, {}}));
  ASSERT_TRUE(builder.Fill({a, b, {}}));
  const Graph graph = builder.Finish(2).value();
  EXPECT_EQ(graph.edges(), 2u);
  EXPECT_GE(Theta(graph, 1, 0), 1.5);
  EXPECT_LT(Theta(graph, 1, 0), 1.5 + 1e-12);
  EXPECT_EQ(Theta(graph, 1, 2), 0.5);
}

TEST(GraphBuilder, StrengthsThatAddUpFarEnoughAreHard) {
  const Graph graph = Build(3, {{0, 1, 12}, {0, 1, 12}, {1, 2, 0.5}}, RepeatedPairs::kAdd);
  EXPECT_EQ(graph.nodes(), 2u);
  EXPECT_EQ(graph.NodeOf(0), graph.NodeOf(1));
  EXPECT_EQ(graph.edges(), 1u);
}

TEST(GraphBuilder, LeavesOutSelfLoopsAndZeroStrengths) {
  const Graph graph = Build(3, {{1, 1, 2}, {0, 1, 0}, {1, 2, 0.5}});
  EXPECT_EQ(graph.self_loops(), 1u);
  EXPECT_EQ(graph.edges(), 1u);
  EXPECT_EQ(graph.component_records().size(), 2u);
}

// Record 2 has two different neighbours in the node, so both strengths count, whatever a repeated pair would mean.
TEST(GraphBuilder, HardConstraintsMakeOneNode) {
  const std::vector<Edge> edges{{0, 1, kInfinity}, {1, 3, 40}, {0, 3, 0.5}, {1, 2, 0.25}, {3, 2, 0.5}};
  for (const RepeatedPairs repeated : {RepeatedPairs::kAdd, RepeatedPairs::kLargest, RepeatedPairs::kRefuse}) {
    const Graph graph = Build(5, edges, repeated);
    EXPECT_EQ(graph.records(), 5u);
    EXPECT_EQ(graph.nodes(), 3u);
    EXPECT_EQ(graph.NodeOf(0), graph.NodeOf(3));
    EXPECT_EQ(graph.edges(), 1u);
    EXPECT_GE(Theta(graph, graph.NodeOf(2), graph.NodeOf(0)), 0.75);
    EXPECT_LT(Theta(graph, graph.NodeOf(2), graph.NodeOf(0)), 0.75 + 1e-12);
    EXPECT_EQ(graph.component_records()[graph.ComponentOf(graph.NodeOf(2))], 4u);
    EXPECT_EQ(graph.component_records()[graph.ComponentOf(graph.NodeOf(4))], 1u);
  }
}

// 0=1 are tied, and 2 is linked to both with 15: together 30, as good as hard. Then 3 is linked to 1 and 2 with 12
// each.
TEST(GraphBuilder, HardConstraintsSpread) {
  const Graph graph =
      Build(5, {{0, 1, kInfinity}, {0, 2, 15}, {1, 2, 15}, {1, 3, 12}, {2, 3, 12}, {3, 4, 1}}, RepeatedPairs::kRefuse);
  EXPECT_EQ(graph.nodes(), 2u);
  EXPECT_EQ(graph.NodeOf(3), graph.NodeOf(0));
  EXPECT_EQ(Theta(graph, graph.NodeOf(4), graph.NodeOf(0)), 1);
}

TEST(GraphBuilder, RefusesBadInput) {
  EXPECT_EQ(BuildError(2, {{0, 1, 1}, {0, 2, 1}}).where, "edge 1, counted from 0");
  EXPECT_EQ(BuildError(2, {{0, 1, -1}}).code, Code::kInvalidArgument);
  EXPECT_EQ(BuildError(2, {{0, 1, std::nan("")}}).code, Code::kInvalidArgument);
  EXPECT_EQ(BuildError(0, {}).code, Code::kInvalidArgument);
  EXPECT_EQ(BuildError(kMaxGraphRecords + 1, {}).code, Code::kInvalidArgument);
  EXPECT_FALSE(GraphBuilder::Make(2, -0.5, RepeatedPairs::kAdd));
  EXPECT_FALSE(GraphBuilder::Make(2, std::nan(""), RepeatedPairs::kAdd));
}

TEST(GraphBuilder, RefusesColumnsOfDifferentLengths) {
  auto builder = GraphBuilder::Make(3, std::nullopt, RepeatedPairs::kAdd).value();
  const std::vector<std::uint32_t> a{0, 1};
  const std::vector<std::uint32_t> b{1};
  const std::vector<double> theta{1, 1};
  EXPECT_FALSE(builder.Count({a, b, theta}));
  EXPECT_FALSE(builder.Count({a, a, {}}));
  EXPECT_TRUE(builder.Count({a, a, theta}));
}

// The stream is read twice; a file that changes in between must not give a graph with holes.
TEST(GraphBuilder, NoticesThatTheStreamHasChanged) {
  const std::vector<std::uint32_t> zero{0};
  const std::vector<std::uint32_t> one{1};
  const std::vector<std::uint32_t> two{2};
  const auto counted = [&] {
    auto builder = GraphBuilder::Make(3, 1.0, RepeatedPairs::kAdd).value();
    EXPECT_TRUE(builder.Count({zero, one, {}}));
    EXPECT_TRUE(builder.Count({one, two, {}}));
    return builder;
  };
  auto other = counted();
  ASSERT_TRUE(other.Fill({zero, one, {}}));
  EXPECT_FALSE(other.Fill({zero, two, {}}));
  auto fewer = counted();
  ASSERT_TRUE(fewer.Fill({zero, one, {}}));
  EXPECT_FALSE(fewer.Finish(1));
  auto loops = counted();
  ASSERT_TRUE(loops.Fill({zero, one, {}}));
  ASSERT_TRUE(loops.Fill({two, two, {}}));
  EXPECT_FALSE(loops.Finish(1));
}

TEST(GraphBuilder, ManyStrengthsAreRoundedUp) {
  constexpr std::uint32_t kEdges = 70'000;
  std::vector<Edge> edges;
  testing::Dice dice(71);
  for (std::uint32_t i = 0; i < kEdges; ++i) edges.push_back({i, i + 1, dice.Between(0.01, 5)});
  const Graph graph = Build(kEdges + 1, edges);
  EXPECT_LE(graph.thetas().size(), 65'536u);
  for (const Edge& edge : edges) {
    const double stored = Theta(graph, edge.a, edge.b);
    ASSERT_GE(stored, edge.theta);
    ASSERT_LE(stored, edge.theta * 1.001);
    ASSERT_EQ(stored, Theta(graph, edge.b, edge.a));
  }
}

TEST(GraphBuilder, AgreesWithSetsOnRandomGraphsForAnyThreads) {
  testing::Dice dice(5);
  for (int round = 0; round < 30; ++round) {
    const auto records = static_cast<std::uint32_t>(1 + dice.Below(9000));
    std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
    std::vector<Edge> edges;
    for (int i = 0; i < 3000; ++i) {
      const auto a = static_cast<std::uint32_t>(dice.Below(static_cast<int>(records)));
      const auto b = static_cast<std::uint32_t>(dice.Below(static_cast<int>(records)));
      edges.push_back({a, b, 0.5});
      if (a != b) pairs.insert({std::min(a, b), std::max(a, b)});
    }
    std::string fingerprint;
    for (const unsigned threads : {1U, 3U}) {
      auto builder = GraphBuilder::Make(records, std::nullopt, RepeatedPairs::kLargest).value();
      std::vector<std::uint32_t> a;
      std::vector<std::uint32_t> b;
      std::vector<double> theta;
      for (const Edge& edge : edges) {
        a.push_back(edge.a);
        b.push_back(edge.b);
        theta.push_back(edge.theta);
      }
      ASSERT_TRUE(builder.Count({a, b, theta}));
      ASSERT_TRUE(builder.Fill({a, b, theta}));
      const Graph graph = builder.Finish(threads).value();
      ASSERT_EQ(graph.edges(), pairs.size());
      for (const auto& [low, high] : pairs) {
        ASSERT_EQ(Theta(graph, low, high), 0.5);
        ASSERT_EQ(Theta(graph, high, low), 0.5);
        ASSERT_EQ(graph.ComponentOf(low), graph.ComponentOf(high));
      }
      if (fingerprint.empty()) fingerprint = graph.Fingerprint();
      EXPECT_EQ(graph.Fingerprint(), fingerprint);
      std::reverse(edges.begin(), edges.end());
    }
  }
}

TEST(GraphBuilder, FingerprintTellsGraphsApart) {
  const std::string base = Build(4, {{0, 1, 0.5}, {1, 2, 0.5}}).Fingerprint();
  EXPECT_EQ(Build(4, {{2, 1, 0.5}, {0, 1, 0.5}}).Fingerprint(), base);
  EXPECT_NE(Build(4, {{0, 1, 0.5}, {1, 2, 0.25}}).Fingerprint(), base);
  EXPECT_NE(Build(4, {{0, 1, 0.5}, {1, 3, 0.5}}).Fingerprint(), base);
  EXPECT_NE(Build(5, {{0, 1, 0.5}, {1, 2, 0.5}}).Fingerprint(), base);
  EXPECT_NE(Build(4, {{0, 1, 0.5}, {1, 2, 0.5}, {2, 3, kInfinity}}).Fingerprint(), base);
}

TEST(GraphBuilder, ComponentsAreThoseOfASearch) {
  const Graph graph = Build(7, {{6, 2, 1}, {2, 4, 1}, {5, 1, 1}});
  EXPECT_EQ(graph.component_records().size(), 4u);
  EXPECT_EQ(graph.ComponentOf(6), graph.ComponentOf(4));
  EXPECT_EQ(graph.ComponentOf(5), graph.ComponentOf(1));
  EXPECT_NE(graph.ComponentOf(5), graph.ComponentOf(4));
  EXPECT_EQ(graph.component_records()[graph.ComponentOf(2)], 3u);
  EXPECT_EQ(graph.component_records()[graph.ComponentOf(0)], 1u);
}

}  // namespace
}  // namespace kith
