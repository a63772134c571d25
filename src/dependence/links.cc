#include "dependence/links.h"

#include <algorithm>

namespace kith {

void SetLinks(const Graph& graph, PairLaws& pairs) {
  constexpr std::uint32_t kMostRecords = 20'000;
  constexpr std::uint64_t kMostEdges = 200'000;
  pairs.nodes = graph.records();
  pairs.degree = 0;
  pairs.links.clear();
  const bool listed = graph.nodes() <= kMostRecords && graph.edges() <= kMostEdges;
  const auto offsets = graph.offsets();
  const auto neighbours = graph.neighbours();
  for (std::uint32_t node = 0; node < graph.nodes(); ++node) {
    const std::uint64_t from = offsets[node], to = offsets[node + 1];
    if (!listed) pairs.degree = std::max(pairs.degree, static_cast<std::int64_t>(to - from));
    for (std::uint64_t slot = from; listed && slot < to; ++slot) {
      if (neighbours[slot] > node) pairs.links.emplace_back(node, neighbours[slot]);
    }
  }
}

}  // namespace kith
