#include "dependence/graph_builder.h"

#include <cmath>
#include <limits>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "dependence/graph_rows.h"
#include "dependence/graph_sets.h"
#include "dependence/graph_strengths.h"

namespace kith {
namespace {

constexpr std::uint32_t kMostNeighbours = std::numeric_limits<std::uint32_t>::max();

/// How many edges ahead.
constexpr std::size_t kFetchCounts = 48;
constexpr std::size_t kFetchSlots = 16;

Error BadEdge(const std::string& what, std::uint64_t position, const std::string& next) {
  return InvalidArgument(what, "edge " + std::to_string(position) + ", counted from 0", next);
}

Error NotTheSameStream() {
  return InvalidArgument("the edges differ between the first and the second reading", "edges",
                         "keep the edge list unchanged while it is read");
}

template <class Work>
auto WithMemory(const Work& work) -> decltype(work()) {
  const auto none = [] {
    return StorageError("there is not enough memory for the graph", "edges",
                        "it takes about 8 bytes an edge (12 with different strengths) and 24 bytes a record");
  };
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return none();
  } catch (const std::length_error&) {
    return none();
  }
}

}  // namespace

struct GraphBuilder::State {
  Graph graph;
  std::optional<double> theta;
  RepeatedPairs repeated = RepeatedPairs::kRefuse;
  BigArray<std::uint32_t> degree;    // while filling: how many slots of each record are still unused
  std::optional<DisjointSets> tied;  // records, by hard constraints; nothing if there are none
  StrengthTable table;
  GraphRows rows;
  std::uint64_t counted = 0;
  std::uint64_t filled = 0;
  bool filling = false;

  double ThetaOf(const EdgeColumns& part, std::size_t i) const { return theta ? *theta : part.theta[i]; }
  bool SameLengths(const EdgeColumns& part) const {
    return part.a.size() == part.b.size() && part.theta.size() == (theta ? 0 : part.a.size());
  }
  bool Sane(const EdgeColumns& part, std::size_t i) const {
    return part.a[i] < graph.records_ && part.b[i] < graph.records_ && ThetaOf(part, i) >= 0;
  }
  Error WhatIsWrong(const EdgeColumns& part, std::size_t i, std::uint64_t position) const;
  bool CountEdge(std::uint32_t a, std::uint32_t b, double strength);
  void StartFilling();
  bool Place(std::uint32_t from, std::uint32_t to, std::uint16_t number);
  void FetchCounts(const EdgeColumns& part, std::size_t i) const;
  void FetchSlots(const EdgeColumns& part, std::size_t i) const;
  void Tie(std::uint32_t a, std::uint32_t b);
  Result<void> Tidy(unsigned threads, std::optional<std::pair<std::uint32_t, std::uint32_t>>& refused);
  void JoinTied(unsigned threads);
  void FindComponents();
};

GraphBuilder::GraphBuilder(std::unique_ptr<State> state) : state_(std::move(state)) {}
GraphBuilder::GraphBuilder(GraphBuilder&&) noexcept = default;
GraphBuilder& GraphBuilder::operator=(GraphBuilder&&) noexcept = default;
GraphBuilder::~GraphBuilder() = default;

Result<GraphBuilder> GraphBuilder::Make(std::int64_t records, std::optional<double> theta, RepeatedPairs repeated) {
  if (records < 1 || records > kMaxGraphRecords) {
    return InvalidArgument("a graph has between 1 and 2147483647 records", "nodes");
  }
  if (theta && !(*theta >= 0)) {
    return InvalidArgument("theta is negative or not a number", "theta", "give a log odds ratio, 0 or more");
  }
  return WithMemory([&]() -> Result<GraphBuilder> {
    auto state = std::unique_ptr<State>(new State{Graph(), theta, repeated, {}, {}, {}, {}});
    state->graph.records_ = static_cast<std::uint32_t>(records);
    state->degree.assign(static_cast<std::size_t>(records), 0);
    return GraphBuilder(std::move(state));
  });
}

Error GraphBuilder::State::WhatIsWrong(const EdgeColumns& part, std::size_t i, std::uint64_t position) const {
  if (!(ThetaOf(part, i) >= 0)) {
    return BadEdge("theta is negative or not a number", position, "give a log odds ratio, 0 or more");
  }
  return BadEdge("an edge leads to a record that does not exist", position,
                 "records are numbered from 0 to " + std::to_string(graph.records_ - 1));
}

void GraphBuilder::State::Tie(std::uint32_t a, std::uint32_t b) {
  if (!tied) tied.emplace(graph.records_);
  tied->Join(a, b);
}

/// False if a record has too many edges.
bool GraphBuilder::State::CountEdge(std::uint32_t a, std::uint32_t b, double strength) {
  if (a == b) {
    ++graph.self_loops_;
  } else if (strength > kHardTheta) {
    Tie(a, b);
  } else if (strength > 0) {
    if (degree[a] == kMostNeighbours || degree[b] == kMostNeighbours) return false;
    ++degree[a];
    ++degree[b];
    table.Note(strength);
  }
  return true;
}

Result<void> GraphBuilder::Count(const EdgeColumns& part) {
  KITH_CHECK(state_ && !state_->filling);
  State& s = *state_;
  if (!s.SameLengths(part)) return InvalidArgument("the columns of the edge list differ in length", "edges");
  return WithMemory([&]() -> Result<void> {
    for (std::size_t i = 0; i < part.a.size(); ++i) {
      s.FetchCounts(part, i + kFetchCounts);
      if (!s.Sane(part, i)) return s.WhatIsWrong(part, i, s.counted + i);
      if (!s.CountEdge(part.a[i], part.b[i], s.ThetaOf(part, i))) {
        return InvalidArgument("a record has more than 4 billion edges", "edges", "list each pair once");
      }
    }
    s.counted += part.a.size();
    return {};
  });
}

void GraphBuilder::State::StartFilling() {
  filling = true;
  table.Settle();
  rows.thetas = table.thetas();
  rows.offsets.resize(degree.size() + 1);
  rows.offsets[0] = 0;
  for (std::size_t v = 0; v < degree.size(); ++v) rows.offsets[v + 1] = rows.offsets[v] + degree[v];
  rows.neighbours.reserve(rows.offsets.back() + Graph::kLookAhead);
  rows.neighbours.resize(rows.offsets.back());
  if (rows.thetas.size() > 1) rows.strengths.resize(rows.offsets.back());
}

/// Edges jump about in memory; what a later edge needs is fetched while earlier ones are placed.
void GraphBuilder::State::FetchCounts(const EdgeColumns& part, std::size_t i) const {
  if (i >= part.a.size()) return;
  for (const std::uint32_t record : {part.a[i], part.b[i]}) {
    // Only addresses: they may be out of range.
    __builtin_prefetch(degree.data() + record, 1);
    if (filling) __builtin_prefetch(rows.offsets.data() + record);
  }
}

void GraphBuilder::State::FetchSlots(const EdgeColumns& part, std::size_t i) const {
  if (i >= part.a.size()) return;
  for (const std::uint32_t record : {part.a[i], part.b[i]}) {
    if (record < graph.records_) __builtin_prefetch(rows.neighbours.data() + rows.offsets[record] + degree[record], 1);
  }
}

bool GraphBuilder::State::Place(std::uint32_t from, std::uint32_t to, std::uint16_t number) {
  if (degree[from] == 0) return false;
  const std::uint64_t slot = rows.offsets[from] + --degree[from];
  rows.neighbours[slot] = to;
  if (!rows.strengths.empty()) rows.strengths[slot] = number;
  return true;
}

Result<void> GraphBuilder::Fill(const EdgeColumns& part) {
  KITH_CHECK(state_ != nullptr);
  State& s = *state_;
  if (!s.SameLengths(part)) return InvalidArgument("the columns of the edge list differ in length", "edges");
  return WithMemory([&]() -> Result<void> {
    if (!s.filling) s.StartFilling();
    double last_theta = 0;
    std::uint16_t number = 0;
    for (std::size_t i = 0; i < part.a.size(); ++i) {
      s.FetchCounts(part, i + kFetchCounts);
      s.FetchSlots(part, i + kFetchSlots);
      if (!s.Sane(part, i)) return s.WhatIsWrong(part, i, s.filled + i);
      const double theta = s.ThetaOf(part, i);
      if (theta == 0 || theta > kHardTheta || part.a[i] == part.b[i]) continue;
      if (s.rows.thetas.empty() || theta > s.rows.thetas.back()) return NotTheSameStream();
      if (theta != last_theta) number = s.table.NumberOf(theta);
      last_theta = theta;
      if (!s.Place(part.a[i], part.b[i], number) || !s.Place(part.b[i], part.a[i], number)) return NotTheSameStream();
    }
    s.filled += part.a.size();
    return {};
  });
}

Result<void> GraphBuilder::State::Tidy(unsigned threads,
                                       std::optional<std::pair<std::uint32_t, std::uint32_t>>& refused) {
  const Tidied tidied = TidyRows(rows, repeated, threads);
  graph.repeats_ = tidied.repeats;
  if (tidied.repeats != 0 && repeated == RepeatedPairs::kRefuse) {
    refused = tidied.repeated;
    return InvalidArgument(std::to_string(tidied.repeats) + " lines of the edge list repeat a pair", "edges",
                           "list each pair once, or declare what a repeated pair means");
  }
  for (const auto& [a, b] : tidied.too_strong) Tie(a, b);
  return {};
}

/// Records tied by hard constraints become one node. Edges from several of them to one neighbour are different
/// relations, so their strengths add up whatever was declared about repeated pairs; where that makes a hard constraint,
/// it joins more.
void GraphBuilder::State::JoinTied(unsigned threads) {
  while (tied) {
    auto [node_of, nodes] = tied->Numbered();
    GraphRows joined = Contracted(rows, node_of, nodes);
    const Tidied tidied = TidyRows(joined, RepeatedPairs::kAdd, threads);
    if (tidied.too_strong.empty()) {
      rows = std::move(joined);
      graph.node_of_ = std::move(node_of);
      tied.reset();
      return;
    }
    std::vector<std::uint32_t> a_record_of(nodes);
    for (std::uint32_t record = 0; record < graph.records_; ++record) a_record_of[node_of[record]] = record;
    for (const auto& [a, b] : tidied.too_strong) Tie(a_record_of[a], a_record_of[b]);
  }
}

void GraphBuilder::State::FindComponents() {
  DisjointSets joined(graph.nodes());
  for (std::uint32_t v = 0; v < graph.nodes(); ++v) {
    for (std::uint64_t slot = graph.offsets_[v]; slot < graph.offsets_[v + 1] && graph.neighbours_[slot] < v; ++slot) {
      joined.Join(v, graph.neighbours_[slot]);
    }
  }
  auto [component_of, components] = joined.Numbered();
  graph.component_of_ = std::move(component_of);
  graph.component_records_.assign(components, 0);
  for (std::uint32_t record = 0; record < graph.records_; ++record) {
    ++graph.component_records_[graph.component_of_[graph.NodeOf(record)]];
  }
}

Result<Graph> GraphBuilder::Finish(unsigned threads) {
  KITH_CHECK(state_ != nullptr);
  const auto state = std::move(state_);
  State& s = *state;
  return WithMemory([&]() -> Result<Graph> {
    if (!s.filling) s.StartFilling();
    std::uint64_t unused = 0;
    for (const std::uint32_t slots : s.degree) unused += slots;
    if (s.filled != s.counted || unused != 0) return NotTheSameStream();
    s.degree = {};
    if (auto good = s.Tidy(threads, refused_); !good) return good.error();
    s.JoinTied(threads);
    s.graph.offsets_ = std::move(s.rows.offsets);
    s.graph.neighbours_ = std::move(s.rows.neighbours);
    s.graph.strengths_ = std::move(s.rows.strengths);
    s.graph.thetas_ = std::move(s.rows.thetas);
    s.FindComponents();
    s.graph.neighbours_.resize(s.graph.slots() + Graph::kLookAhead, 0);
    return std::move(s.graph);
  });
}

Result<Graph> GraphFromEdges(std::int64_t records, std::span<const Edge> edges, RepeatedPairs repeated) {
  std::vector<std::uint32_t> a;
  std::vector<std::uint32_t> b;
  std::vector<double> theta;
  for (const Edge& edge : edges) {
    a.push_back(edge.a);
    b.push_back(edge.b);
    theta.push_back(edge.theta);
  }
  auto builder = GraphBuilder::Make(records, std::nullopt, repeated);
  if (!builder) return builder.error();
  if (auto good = builder->Count({a, b, theta}); !good) return good.error();
  if (auto good = builder->Fill({a, b, theta}); !good) return good.error();
  return builder->Finish(1);
}

}  // namespace kith
