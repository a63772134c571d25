// The random-cluster law sampled from the top: the dynamics against enumeration on all small graphs, the program's runs
// against a second, slow one with the same coins, and limits against exact tails.
#include "transfer/field/random_cluster.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "dependence/graph_builder.h"
#include "dependence/network_sample.h"
#include "tests/support/small_laws.h"
#include "tests/support/stat.h"
#include "transfer/field/network_sampling.h"
#include "transfer/transfer.h"

namespace kith {
namespace {

using testing::Dice;
using Pair = std::pair<int, int>;

/// A graph of a few nodes with a strength on each edge; states are sets of open edges.
struct Small {
  int nodes = 0;
  std::vector<Pair> edges;
  std::vector<double> theta;

  std::size_t states() const { return std::size_t{1} << edges.size(); }
  /// The lowest node that each node is connected with.
  std::array<int, 8> Clusters(std::size_t state) const {
    std::array<int, 8> of{};
    std::iota(of.begin(), of.end(), 0);
    for (int round = 0; round < nodes; ++round) {
      for (std::size_t e = 0; e < edges.size(); ++e) {
        if ((state >> e & 1) == 0) continue;
        auto& a = of[static_cast<std::size_t>(edges[e].first)];
        auto& b = of[static_cast<std::size_t>(edges[e].second)];
        a = b = std::min(a, b);
      }
    }
    return of;
  }
  bool Connected(std::size_t state, Pair ends) const {
    const auto of = Clusters(state);
    return of[static_cast<std::size_t>(ends.first)] == of[static_cast<std::size_t>(ends.second)];
  }
};

/// One of each class of isomorphic connected graphs of that many nodes.
std::vector<std::vector<Pair>> ConnectedGraphs(int nodes) {
  std::vector<Pair> all;
  for (int a = 0; a < nodes; ++a) {
    for (int b = a + 1; b < nodes; ++b) all.emplace_back(a, b);
  }
  std::vector<bool> seen(std::size_t{1} << all.size(), false);
  std::vector<std::vector<Pair>> graphs;
  for (std::size_t code = 0; code < seen.size(); ++code) {
    if (seen[code]) continue;
    std::vector<int> name(static_cast<std::size_t>(nodes));
    std::iota(name.begin(), name.end(), 0);
    do {
      std::size_t other = 0;
      for (std::size_t e = 0; e < all.size(); ++e) {
        if ((code >> e & 1) == 0) continue;
        const int a = name[static_cast<std::size_t>(all[e].first)], b = name[static_cast<std::size_t>(all[e].second)];
        const auto at = std::find(all.begin(), all.end(), Pair(std::min(a, b), std::max(a, b)));
        other |= std::size_t{1} << (at - all.begin());
      }
      seen[other] = true;
    } while (std::next_permutation(name.begin(), name.end()));
    Small graph{nodes, {}, {}};
    for (std::size_t e = 0; e < all.size(); ++e) {
      if ((code >> e & 1) != 0) graph.edges.push_back(all[e]);
    }
    const auto of = graph.Clusters(graph.states() - 1);
    if (std::all_of(of.begin(), of.begin() + nodes, [](int lowest) { return lowest == 0; }))
      graphs.push_back(graph.edges);
  }
  return graphs;
}

/// The random-cluster law, from its weights: p for an open edge, 1 - p for a closed one, 2 for each cluster.
std::vector<double> Stationary(const Small& graph) {
  std::vector<double> law(graph.states());
  for (std::size_t x = 0; x < law.size(); ++x) {
    const auto of = graph.Clusters(x);
    law[x] = 1;
    for (int v = 0; v < graph.nodes; ++v) law[x] *= of[static_cast<std::size_t>(v)] == v ? 2 : 1;
    for (std::size_t e = 0; e < graph.edges.size(); ++e)
      law[x] *= (x >> e & 1) != 0 ? -std::expm1(-graph.theta[e] / 2) : std::exp(-graph.theta[e] / 2);
  }
  const double sum = std::accumulate(law.begin(), law.end(), 0.0);
  for (double& p : law) p /= sum;
  return law;
}

/// One renewal of an edge, with the limits that the program uses.
void Renew(const Small& graph, std::size_t edge, std::vector<double>& law) {
  const EdgeLimits limits = LimitsOf(graph.theta[edge]);
  const std::size_t bit = std::size_t{1} << edge;
  for (std::size_t x = 0; x < law.size(); ++x) {
    if ((x & bit) != 0) continue;
    const bool connected = graph.Connected(x, graph.edges[edge]);
    const double open = static_cast<double>(connected ? limits.connected : limits.apart) * 0x1p-32;
    const double both = law[x] + law[x | bit];
    law[x] = (1 - open) * both;
    law[x | bit] = open * both;
  }
}

std::vector<double> Connections(const Small& graph, const std::vector<double>& law) {
  std::vector<double> found(static_cast<std::size_t>(graph.nodes * graph.nodes), 0);
  for (std::size_t x = 0; x < law.size(); ++x) {
    const auto of = graph.Clusters(x);
    for (int a = 0; a < graph.nodes; ++a) {
      for (int b = 0; b < graph.nodes; ++b) {
        if (of[static_cast<std::size_t>(a)] == of[static_cast<std::size_t>(b)])
          found[static_cast<std::size_t>(a * graph.nodes + b)] += law[x];
      }
    }
  }
  return found;
}

/// How far connections are below the stationary ones at most, after any number of renewals; and how far off at the end.
struct Compared {
  double below = -INFINITY, off = 0;
};
Compared CompareFrom(const Small& graph, std::size_t start, int sweeps) {
  const std::vector<double> truth = Connections(graph, Stationary(graph));
  std::vector<double> law(graph.states(), 0);
  law[start] = 1;
  Compared compared;
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    for (std::size_t e = 0; e < graph.edges.size(); ++e) {
      Renew(graph, e, law);
      if (sweep > 0 && e + 1 < graph.edges.size()) continue;  // within the first sweep after each renewal
      compared.off = 0;
      const std::vector<double> now = Connections(graph, law);
      for (std::size_t k = 0; k < now.size(); ++k) {
        compared.below = std::max(compared.below, truth[k] - now[k]);
        compared.off = std::max(compared.off, std::abs(now[k] - truth[k]));
      }
    }
  }
  return compared;
}

TEST(RandomCluster, FromTheTopConnectionsAreNeverBelowTheLawOnAllSmallGraphs_NETWORK2) {
  Dice dice(stat::SeedForThisTest());
  int graphs = 0;
  for (int nodes = 2; nodes <= 6; ++nodes) {
    for (const auto& edges : ConnectedGraphs(nodes)) {
      Small graph{nodes, edges, {}};
      for (std::size_t e = 0; e < edges.size(); ++e) graph.theta.push_back(dice.Between(0.05, 2));
      const int sweeps = edges.size() <= 9 ? 25 : 2;
      const Compared top = CompareFrom(graph, graph.states() - 1, sweeps);
      EXPECT_LE(top.below, 1e-12);
      if (sweeps == 25) {
        EXPECT_LE(top.off, 1e-3);
      }
      ++graphs;
    }
  }
  EXPECT_EQ(graphs, 1 + 2 + 6 + 21 + 112);
}

// The planted fault: every edge closed at the start.
TEST(RandomCluster, TheCheckAboveSeesAStartFromTheBottom) {
  for (const auto& edges : ConnectedGraphs(4)) {
    const Small graph{4, edges, std::vector<double>(edges.size(), 1)};
    EXPECT_GT(CompareFrom(graph, 0, 1).below, 0.1);
  }
}

// Edwards and Sokal: the correlation at zero field is the probability of a connection.
TEST(RandomCluster, ConnectionsAreCorrelations_NETWORK2) {
  Dice dice(stat::SeedForThisTest());
  for (const auto& edges : ConnectedGraphs(5)) {
    Small graph{5, edges, {}};
    for (std::size_t e = 0; e < edges.size(); ++e) graph.theta.push_back(dice.Between(0, 3));
    const std::vector<double> connected = Connections(graph, Stationary(graph));
    double sum = 0, same = 0;
    for (int x = 0; x < 32; ++x) {
      double energy = 0;
      for (std::size_t e = 0; e < edges.size(); ++e)
        energy += ((x >> edges[e].first ^ x >> edges[e].second) & 1) != 0 ? -graph.theta[e] / 4 : graph.theta[e] / 4;
      sum += std::exp(energy);
      same += ((x ^ x >> 4) & 1) != 0 ? -std::exp(energy) : std::exp(energy);
    }
    EXPECT_NEAR(connected[4], same / sum, 1e-12);
  }
}

TEST(RandomCluster, LimitsAreRoundedUpAndInOrder_NETWORK2) {
  Dice dice(stat::SeedForThisTest());
  int rounding_down_seen = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    const double theta = std::exp(dice.Between(-20, 3));
    const EdgeLimits limits = LimitsOf(theta);
    const long double connected = -std::expm1(-static_cast<long double>(theta) / 2);
    const long double apart = std::tanh(static_cast<long double>(theta) / 4);
    EXPECT_GE(static_cast<long double>(limits.connected), connected * 0x1p32L);
    EXPECT_GE(static_cast<long double>(limits.apart), apart * 0x1p32L);
    EXPECT_LE(static_cast<long double>(limits.connected), connected * 0x1p32L + 2);
    EXPECT_GE(limits.connected, limits.apart);
    // The planted fault: one less, as rounding to the nearest or down would give.
    if (static_cast<long double>(limits.apart - 1) < apart * 0x1p32L) ++rounding_down_seen;
  }
  EXPECT_EQ(rounding_down_seen, 1000);
}

Graph GraphOf(std::int64_t nodes, const std::vector<Edge>& edges) {
  return *GraphFromEdges(nodes, edges, RepeatedPairs::kAdd);
}

/// A grid with some diagonals, of three strengths.
std::vector<Edge> GridEdges(std::uint32_t side) {
  std::vector<Edge> edges;
  for (std::uint32_t v = 0; v < side * side; ++v) {
    if (v % side + 1 < side) edges.push_back({v, v + 1, 0.5});
    if (v + side < side * side) edges.push_back({v, v + side, 0.8});
    if (v % side + 1 < side && v + side < side * side && v % 3 == 0) edges.push_back({v, v + side + 1, 1.3});
  }
  return edges;
}

/// The same runs, word for word, with a matrix of open edges and a search from scratch.
std::vector<std::uint64_t> SlowHits(const Graph& graph, const ClusterRuns& wanted) {
  const std::uint32_t extra = graph.nodes();
  std::vector<std::uint64_t> hits(graph.nodes(), 0);
  for (std::uint64_t run = 0; run < wanted.runs; ++run) {
    KeyedWords words(wanted.key, wanted.part, run);
    std::vector<std::vector<bool>> open(extra + 1, std::vector<bool>(extra + 1, false));
    std::vector<std::pair<Pair, double>> order;
    for (std::uint32_t a = 0; a < extra; ++a) {
      for (std::uint64_t s = graph.offsets()[a]; s < graph.offsets()[a + 1]; ++s) {
        if (graph.neighbours()[s] > a) order.push_back({{a, graph.neighbours()[s]}, graph.Theta(s)});
      }
    }
    for (std::uint32_t a = 0; a < extra; ++a) order.push_back({{a, extra}, wanted.plain});
    const auto set = [&](Pair p, bool to) {
      open[static_cast<std::size_t>(p.first)][static_cast<std::size_t>(p.second)] = to;
      open[static_cast<std::size_t>(p.second)][static_cast<std::size_t>(p.first)] = to;
    };
    const auto reached = [&](std::size_t from) {
      std::vector<bool> in(extra + 1, false);
      std::vector<std::size_t> todo = {from};
      in[from] = true;
      while (!todo.empty()) {
        const std::size_t v = todo.back();
        todo.pop_back();
        for (std::size_t w = 0; w <= extra; ++w) {
          if (open[v][w] && !in[w]) {
            in[w] = true;
            todo.push_back(w);
          }
        }
      }
      return in;
    };
    for (const auto& [ends, theta] : order) set(ends, true);
    for (int sweep = 0; sweep < wanted.sweeps; ++sweep) {
      for (const auto& [ends, theta] : order) {
        const double word = words.Next();
        set(ends, false);
        const bool connected = reached(static_cast<std::size_t>(ends.first))[static_cast<std::size_t>(ends.second)];
        const EdgeLimits limits = LimitsOf(theta);
        set(ends, word < static_cast<double>(connected ? limits.connected : limits.apart));
      }
    }
    const auto in = reached(extra);
    for (std::uint32_t v = 0; v < extra; ++v) hits[v] += in[v] ? 1 : 0;
  }
  return hits;
}

TEST(RandomCluster, RunsAreThoseOfTheSlowProgramWhateverTheThreads_NETWORK2) {
  ClusterRuns wanted{.plain = 0.1, .runs = 40, .sweeps = 3, .part = 5};
  wanted.key[3] = 77;
  const Graph graph = GraphOf(30, GridEdges(5));  // five of them have no edge
  const auto slow = SlowHits(graph, wanted);
  EXPECT_EQ(*ClusterHits(graph, wanted, {}), slow);
  wanted.threads = 3;
  EXPECT_EQ(*ClusterHits(graph, wanted, {}), slow);
  wanted.key[3] = 78;
  EXPECT_NE(*ClusterHits(graph, wanted, {}), slow);
}

// RFC 8439, appendix A.1, test vectors 1 and 4 begin a key stream at block 0: of zeros, and of a key of 2 at byte 1...
TEST(KeyedWords, AreThoseOfTheStandard) {
  KeyedWords zeros(StreamKey{}, 0, 0);
  EXPECT_EQ(zeros.Next(), 0xade0b876U);
  EXPECT_EQ(zeros.Next(), 0x903df1a0U);
  for (int k = 2; k < 16; ++k) (void)zeros.Next();
  EXPECT_EQ(zeros.Next(), 0xbee7079fU);  // test vector 2: block 1
  KeyedWords nonce(StreamKey{}, 0, std::uint64_t{2} << 56);
  EXPECT_EQ(nonce.Next(), 0x374dc6c2U);  // test vector 5: a nonce that ends in 2
}

/// log of P[Bin(runs, q) <= hits], added up from below.
long double LogTail(std::uint64_t hits, std::uint64_t runs, long double q) {
  long double largest = -INFINITY, sum = 0;
  std::vector<long double> terms;
  for (std::uint64_t j = 0; j <= hits; ++j) {
    const auto n = static_cast<long double>(runs), k = static_cast<long double>(j);
    terms.push_back(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) + k * std::log(q) +
                    (n - k) * std::log1p(-q));
    largest = std::max(largest, terms.back());
  }
  for (const long double t : terms) sum += std::exp(t - largest);
  return largest + std::log(sum);
}

TEST(RandomCluster, LimitsHaveTheExactTail_NETWORK3) {
  const double alpha = -60 * std::log(2.0);
  EXPECT_EQ(MostLikely(7, 7, alpha), 1);
  EXPECT_NEAR(MostLikely(0, 1000, alpha), -std::expm1(alpha / 1000), 1e-9);
  for (const auto& [hits, runs] : {Pair(1, 10), Pair(200, 1000), Pair(4100, 20000), Pair(19'990, 20'000)}) {
    for (const double log_alpha : {alpha, alpha - std::log(1e6), -1.0}) {
      const double q = MostLikely(static_cast<std::uint64_t>(hits), static_cast<std::uint64_t>(runs), log_alpha);
      const auto tail = [&](double at) {
        return LogTail(static_cast<std::uint64_t>(hits), static_cast<std::uint64_t>(runs), at);
      };
      EXPECT_LE(tail(q), log_alpha);
      EXPECT_GE(tail(q * (1 - 1e-6)), log_alpha - 1e-1);  // and no more than rounding above it
    }
  }
}

// The planted fault: no split over records and losses.
TEST(RandomCluster, TheCheckAboveSeesALimitThatIsNotSplit) {
  const double alpha = -60 * std::log(2.0);
  const SampledLoss at{0.01, 0, 20'000, 4'000, 0, ""};
  const double limit = std::tanh(LimitAt(at, 4'625) / 4);
  const double allowed = alpha - std::log(4'625.0 * static_cast<double>(NetworkSample::kMostLosses));
  EXPECT_LE(LogTail(4'000, 20'000, limit), allowed);
  EXPECT_GT(LogTail(4'000, 20'000, MostLikely(4'000, 20'000, alpha)), allowed);
}

TEST(NetworkSampling, LimitsAreAboveTheLossAndNotFar_NETWORK3) {
  const std::vector<Edge> edges = GridEdges(4);
  const Graph graph = GraphOf(16, edges);
  const auto sample =
      SampleNetwork(graph, 1, {.runs = 4000, .sweeps = 8, .threads = 2}, SystemBits::ForThisThread(), {});
  ASSERT_TRUE(sample);
  Field field{16, edges, {}, {}, {}, nullptr};
  field.attribute = "it";
  field.ties = Ties::kNonNegative;
  field.field_free = true;
  const auto exact = Transfer::Make(field);
  ASSERT_TRUE(exact);
  for (const SampledLoss& at : sample->losses) EXPECT_GE(LimitAt(at, 16), exact->Loss(at.plain)->dependent);
  const SampledLoss& most = sample->losses.back();  // 4,000 runs come within a half
  EXPECT_LT(LimitAt(most, 16), 1.8 * exact->Loss(most.plain)->dependent);
}

TEST(NetworkSampling, IsWrittenAndReadAndBelongsToOneNetwork) {
  const std::vector<Edge> edges = GridEdges(40);  // too large to be added up
  const Graph graph = GraphOf(1600, edges);
  const auto sample = SampleNetwork(graph, 1, {.runs = 60, .sweeps = 2}, SystemBits::ForThisThread(), {});
  ASSERT_TRUE(sample);
  const auto read = NetworkSampleOf(JsonOf(*sample));
  ASSERT_TRUE(read);
  EXPECT_EQ(JsonOf(*read).dump(), JsonOf(*sample).dump());
  Field field{1600, edges, {}, {}, {}, nullptr};
  field.attribute = "it";
  field.ties = Ties::kNonNegative;
  field.field_free = true;
  field.sample = std::make_shared<const NetworkSample>(*read);
  const auto with = Transfer::Make(field);
  ASSERT_TRUE(with) << with.error().Text();
  const SampledLoss& most = read->losses.back();
  EXPECT_LE(with->Loss(most.plain)->dependent, LimitAt(most, 1600));
  const auto beyond = with->Loss(most.plain * 1.01);  // where nothing was sampled, other bounds stay
  EXPECT_TRUE(std::isfinite(beyond->dependent));
  EXPECT_NE(beyond->bound, "field-free");
  field.edges[3].theta *= 1.01;
  EXPECT_FALSE(Transfer::Make(field));
  for (const char* wrong : {R"({"format":"kith network sample 2"})", "{}", "7"})
    EXPECT_FALSE(NetworkSampleOf(Json::parse(wrong))) << wrong;
  Json spoiled = JsonOf(*sample);
  spoiled["losses"][0]["largest"] = 61'000'000;
  EXPECT_FALSE(NetworkSampleOf(spoiled));
}

}  // namespace
}  // namespace kith
