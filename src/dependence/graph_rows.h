// The last step of building a graph: neighbour lists in increasing order, each pair once.
#pragma once
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "dependence/graph_array.h"
#include "dependence/graph_builder.h"
#include "dependence/graph_strengths.h"

namespace kith {

/// Neighbour lists, by slot as in Graph.
struct GraphRows {
  BigArray<std::uint64_t> offsets;
  BigArray<std::uint32_t> neighbours;
  BigArray<std::uint16_t> strengths;  // numbers into thetas; empty: there is one strength
  std::vector<double> thetas;
};

struct Tidied {
  std::uint64_t repeats = 0;  // lines of the edge list that repeated a pair
  /// The first pair that is repeated, by its smaller record and then the other; nothing: none is.
  std::optional<std::pair<std::uint32_t, std::uint32_t>> repeated;
  /// Pairs whose strengths add up to more than kHardTheta. Their slots are then meaningless.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> too_strong;
};

/// Sorts each list and makes each pair one slot: its strength is the sum, rounded up, or the largest of those given.
/// kRefuse counts repeats and leaves them.
Tidied TidyRows(GraphRows& rows, RepeatedPairs repeated, unsigned threads);

/// The lists of a graph whose nodes are sets of the old ones; pairs within a node disappear, pairs may be repeated.
GraphRows Contracted(const GraphRows& rows, const BigArray<std::uint32_t>& node_of, std::uint32_t nodes);

}  // namespace kith
