// Looks for what cliques of a big graph add between its messages. Nothing rests on it: check/graph_witness.h.
#pragma once
#include <memory>
#include <span>

#include "dependence/graph.h"
#include "dependence/graph_array.h"
#include "transfer/check/graph_blocks.h"
#include "transfer/check/node_losses.h"

namespace kith::field_large {

/// The cliques that are taken for blocks: as large as one strength allows, smaller ones where strengths differ.
GraphBlocks BlocksOf(std::shared_ptr<const Graph> graph, unsigned threads);

/// What each clique adds about its members, from infinity downwards. A node's part is multiplied into its own loss, so
/// that messages along the other edges know nothing about cliques. `Stored`: float or double.
template <class Stored>
class Blocks {
 public:
  /// All arguments must live longer. Throws std::bad_alloc.
  Blocks(const NodeLosses& losses, const GraphBlocks& cliques, std::span<const double> couplings);

  /// By node: the excess of its own loss and all its cliques together, not above kMostOwn, which represents infinity.
  const double* own() const { return own_.data(); }

  /// Renews all cliques from what is seen of the nodes (field_large_kernel.h), which must have been computed with own()
  /// as it is now. `threads` does not change the result.
  void Renew(const double* seen, unsigned threads);

  /// By member of a clique: what its links tell it.
  std::span<const Stored> inside() const { return inside_; }

  static std::size_t Bytes(const GraphBlocks& cliques);

 private:
  void Start(std::size_t clique);
  /// False: nothing changed.
  bool RenewClique(std::size_t clique, const double* seen);
  void MultiplyOwn();

  const Graph& graph_;
  const NodeLosses& losses_;
  const GraphBlocks& cliques_;
  std::span<const double> couplings_;
  BigArray<Stored> inside_;   // by member of a clique
  BigArray<Stored> outside_;  // by member of a clique: what the last renewal saw
  BigArray<double> own_;      // by node
};

extern template class Blocks<float>;
extern template class Blocks<double>;

}  // namespace kith::field_large
