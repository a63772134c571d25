// An undirected graph with interaction strengths, compact enough for a social network: neighbour lists without
// pointers. Built from a stream of edges by GraphBuilder (graph_builder.h). Immutable; safe to share between threads.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dependence/graph_array.h"

namespace kith {

/// Strengths above this count as hard constraints: at an odds ratio of 3.6 billion there is no practical difference,
/// and taking a strength for a larger one is safe.
inline constexpr double kHardTheta = 22;
/// Records are numbered with 32 bits; the limit leaves room for signed indices.
inline constexpr std::int64_t kMaxGraphRecords = (std::int64_t{1} << 31) - 1;

/// Neighbour lists as one array ("slots"): those of node v are at offsets()[v] .. offsets()[v+1], in increasing
/// order. An edge has two slots, one at each end.
///
/// Records tied by hard constraints (theta = infinity, or above kHardTheta) are one *node*: its record is the tuple of
/// theirs, its plain loss the sum of theirs, and its bound holds for each of them. Without hard constraints nodes are
/// records.
class Graph {
 public:
  /// How many slots a reader may look ahead of the one it is at: neighbours() is that much longer than slots().
  static constexpr std::size_t kLookAhead = 256;

  std::uint32_t records() const { return records_; }
  std::uint32_t nodes() const { return static_cast<std::uint32_t>(offsets_.size() - 1); }
  std::uint64_t slots() const { return offsets_.back(); }
  std::uint64_t edges() const { return slots() / 2; }
  /// What was left out or joined while building: edges from a record to itself, pairs given more than once.
  std::uint64_t self_loops() const { return self_loops_; }
  std::uint64_t repeats() const { return repeats_; }

  std::uint32_t NodeOf(std::uint32_t record) const { return node_of_.empty() ? record : node_of_[record]; }
  bool has_hard_edges() const { return !node_of_.empty(); }

  std::span<const std::uint64_t> offsets() const { return offsets_; }
  /// kLookAhead more than slots(); the additional ones name node 0.
  std::span<const std::uint32_t> neighbours() const { return neighbours_; }
  /// The strengths that occur, increasing; and for each slot which one. No second list if there is only one strength.
  std::span<const double> thetas() const { return thetas_; }
  std::span<const std::uint16_t> strengths() const { return strengths_; }
  double Theta(std::uint64_t slot) const { return thetas_[strengths_.empty() ? 0 : strengths_[slot]]; }

  /// Connected components of nodes, numbered from 0, and how many records each holds.
  std::uint32_t ComponentOf(std::uint32_t node) const { return component_of_[node]; }
  std::span<const std::uint32_t> component_records() const { return component_records_; }

  std::size_t Bytes() const;
  /// SHA-256 of the graph: equal for equal graphs, in whatever order their edges came.
  std::string Fingerprint() const;

 private:
  friend class GraphBuilder;
  Graph() = default;

  std::uint32_t records_ = 0;
  std::uint64_t self_loops_ = 0;
  std::uint64_t repeats_ = 0;
  BigArray<std::uint64_t> offsets_;
  BigArray<std::uint32_t> neighbours_;
  BigArray<std::uint16_t> strengths_;
  std::vector<double> thetas_;
  BigArray<std::uint32_t> node_of_;
  BigArray<std::uint32_t> component_of_;
  BigArray<std::uint32_t> component_records_;
};

}  // namespace kith
