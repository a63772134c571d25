// Plain losses by node of a graph, and the two bounds that need no messages: the group bound of the node's component
// and the block bound of its neighbourhood.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "dependence/graph.h"
#include "dependence/graph_array.h"
#include "transfer/transfer_function.h"

namespace kith {

class NodeLosses {
 public:
  /// Requires: the losses are sane and as many as the graph has records; hidden is increasing.
  NodeLosses(const Graph& graph, std::span<const std::uint32_t> hidden, const PlainLosses& plain);

  /// A node's own plain loss: the sum over its records, except hidden ones, rounded up.
  double Of(std::uint32_t node) const { return by_node_.empty() ? all_ : by_node_[node]; }
  bool uniform() const { return by_node_.empty(); }
  /// True if the node holds somebody's secret.
  bool Counts(std::uint32_t node) const { return concealed_.empty() || !concealed_[node]; }

  /// Everything its component loses together.
  double Group(std::uint32_t node) const;
  /// Sum of the strengths of its edges, rounded up.
  double Strength(std::uint32_t node) const;
  /// Its own loss, and the rest of its component seen through all its edges at once.
  double Block(std::uint32_t node) const;

  /// The largest over the nodes that count.
  double LargestGroup() const;
  double LargestBlock() const;

 private:
  const Graph& graph_;
  double all_ = 0;
  std::vector<double> by_node_;
  std::vector<bool> concealed_;       // nodes of hidden records only; empty: there are none
  std::vector<double> of_component_;  // empty if all lose the same
};

}  // namespace kith
