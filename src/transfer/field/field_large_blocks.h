// Cliques of a big graph as blocks between its messages: claims/transfer_field_blocks.md.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "dependence/graph.h"
#include "dependence/graph_array.h"
#include "transfer/field/cliques.h"
#include "transfer/field/field_large_caps.h"

namespace kith::field_large {

/// The cliques that are taken for blocks: as large as one strength allows, smaller ones where strengths differ.
Cliques BlocksOf(const Graph& graph, unsigned threads);

/// Represents infinity, and leaves room for the product with any block of factors: what overflowed could not be scaled.
inline constexpr double kMostOwn = 0x1p400;
/// e^{loss/2} - 1, rounded up; at most kMostOwn.
double OwnExcess(double loss);
/// e^{theta/2} - 1 for all strengths of a graph, rounded up; at least one.
std::vector<double> CouplingsOf(const Graph& graph);

/// What each clique adds about its members, from infinity downwards. A node's part is multiplied into its own loss, so
/// that messages along the other edges know nothing about cliques. `Stored`: float or double.
template <class Stored>
class Blocks {
 public:
  /// All arguments must live longer. Throws std::bad_alloc.
  Blocks(const Graph& graph, const NodeLosses& losses, const Cliques& cliques, std::span<const double> couplings);

  /// By node: the excess of its own loss and all its cliques together, not above kMostOwn, which represents infinity.
  const double* own() const { return own_.data(); }

  /// Renews all cliques from what is seen of the nodes (field_large_kernel.h), which must have been computed with own()
  /// as it is now. `threads` does not change the result.
  void Renew(const double* seen, unsigned threads);

  static std::size_t Bytes(const Graph& graph, const Cliques& cliques);

 private:
  void Start(std::size_t clique);
  /// False: nothing changed.
  bool RenewClique(std::size_t clique, const double* seen);
  void FindStrengths(std::size_t clique);
  double Coupling(std::size_t clique, std::size_t j, std::size_t k) const;
  void MultiplyOwn();

  const Graph& graph_;
  const NodeLosses& losses_;
  const Cliques& cliques_;
  std::span<const double> couplings_;
  BigArray<Stored> inside_;               // by member of a clique
  BigArray<Stored> outside_;              // by member of a clique: what the last renewal saw
  BigArray<double> own_;                  // by node
  std::vector<std::uint16_t> strengths_;  // by pair of a clique; empty: there is one
  std::vector<std::uint64_t> pairs_;      // by clique: its first pair
};

extern template class Blocks<float>;
extern template class Blocks<double>;

}  // namespace kith::field_large
