// Cliques of a big graph, taken as blocks: which edges and records they hold. Which ones there are is chosen elsewhere
// (field/cliques.h) and affects tightness only. Source: docs/theory/transfer.md#blocks.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "dependence/graph.h"

namespace kith {

class GraphBlocks {
 public:
  /// `members` of all cliques, one clique after the other; clique c is members first[c] .. first[c+1]-1.
  /// Nothing unless all pairs of a clique are linked, no link is in two, and each has at least two members.
  /// Throws std::bad_alloc.
  static std::optional<GraphBlocks> Make(std::shared_ptr<const Graph> graph, std::vector<std::uint32_t> members,
                                         std::vector<std::uint64_t> first);

  const Graph& graph() const { return *graph_; }
  std::size_t count() const { return first_.size() - 1; }
  bool empty() const { return members_.empty(); }
  std::span<const std::uint32_t> members() const { return members_; }
  std::size_t first(std::size_t clique) const { return first_[clique]; }
  std::span<const std::uint32_t> Members(std::size_t clique) const {
    return std::span(members_).subspan(first_[clique], first_[clique + 1] - first_[clique]);
  }
  /// Where a node is among the members.
  std::span<const std::uint32_t> PlacesOf(std::uint32_t node) const {
    if (empty()) return {};
    return std::span(places_).subspan(places_from_[node], places_from_[node + 1] - places_from_[node]);
  }
  /// By slot, one bit each: edges that are in a clique. Empty if there are none.
  std::span<const std::uint64_t> taken() const { return taken_; }
  bool Taken(std::uint64_t slot) const { return !taken_.empty() && (taken_[slot / 64] >> slot % 64 & 1U) != 0; }

  /// What a clique adds about each of its members, as excesses (block_walk.h). `couplings`: of the graph's strengths.
  void Losses(std::size_t clique, std::span<const double> couplings, std::span<const double> outside,
              std::span<double> inside) const;
  double Coupling(std::size_t clique, std::span<const double> couplings, std::size_t j, std::size_t k) const;

  std::size_t Bytes() const;

 private:
  explicit GraphBlocks(std::shared_ptr<const Graph> graph) : graph_(std::move(graph)) {}
  bool Take(std::size_t clique);
  void FindPlaces();

  std::shared_ptr<const Graph> graph_;
  std::vector<std::uint32_t> members_;
  std::vector<std::uint64_t> first_ = {0};
  std::vector<std::uint64_t> taken_;
  std::vector<std::uint32_t> places_;
  std::vector<std::uint32_t> places_from_;  // by node
  std::vector<std::uint16_t> strengths_;    // by pair of a clique; empty: there is one
  std::vector<std::uint64_t> pairs_;        // by clique: its first pair
};

}  // namespace kith
