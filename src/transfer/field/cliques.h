// Edge-disjoint cliques of a graph: households and teams inside a social network. Which ones are taken affects
// tightness, not privacy: docs/theory/transfer.md#blocks holds for any.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dependence/graph.h"

namespace kith {

/// Neighbour lists as Graph keeps them, for graphs of any origin.
struct NeighbourLists {
  std::span<const std::uint64_t> offsets;
  std::span<const std::uint32_t> neighbours;  // increasing for each node
  std::span<const std::uint16_t> strengths;   // by slot, into thetas; empty: thetas[0]
  std::span<const double> thetas;             // increasing

  std::uint32_t nodes() const { return static_cast<std::uint32_t>(offsets.size() - 1); }
  std::uint16_t Strength(std::uint64_t slot) const { return strengths.empty() ? std::uint16_t{0} : strengths[slot]; }
  /// Where `to` is among the neighbours of `from`. Requires: it does.
  std::uint64_t SlotOf(std::uint32_t from, std::uint32_t to) const;
};

NeighbourLists ListsOf(const Graph& graph);

struct CliqueSizes {
  std::size_t most = 0;        // members of a clique of one strength
  std::size_t most_mixed = 0;  // of several
};

/// Cliques of three members and more; no edge is in two of them.
class Cliques {
 public:
  Cliques() = default;
  /// One pass over the edges: each is looked at once as the first of a clique, strong ones before weak ones.
  /// The result depends only on the graph, not on the number of threads.
  Cliques(const NeighbourLists& lists, CliqueSizes sizes, unsigned threads = 1);

  std::size_t count() const { return first_.size() - 1; }
  bool empty() const { return members_.empty(); }
  /// All members of all cliques, one clique after the other.
  const std::vector<std::uint32_t>& members() const { return members_; }
  std::size_t first(std::size_t clique) const { return first_[clique]; }
  const std::vector<std::uint64_t>& firsts() const { return first_; }
  std::span<const std::uint32_t> Members(std::size_t clique) const {
    return std::span(members_).subspan(first_[clique], first_[clique + 1] - first_[clique]);
  }
  /// By slot, one bit each: edges that are in a clique. Empty if there are none.
  std::span<const std::uint64_t> taken() const { return taken_; }
  bool Taken(std::uint64_t slot) const { return !taken_.empty() && (taken_[slot / 64] >> slot % 64 & 1U) != 0; }

  std::size_t Bytes() const;

 private:
  std::vector<std::uint32_t> members_;
  std::vector<std::uint64_t> first_ = {0};
  std::vector<std::uint64_t> taken_;
};

}  // namespace kith
