// Checks a witness for a field on a big graph: one number for each direction of an edge and for each member of a
// clique. One plain pass in doubles, rounded up. What found the numbers (transfer/field) is not trusted. Source:
// docs/theory/transfer.md#field, docs/theory/transfer.md#blocks.  Claims: claims/transfer_witness.md
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "dependence/graph.h"
#include "transfer/check/graph_blocks.h"
#include "transfer/check/node_losses.h"

namespace kith {

/// A product of factors, each at least 1:  (1 + excess) * 2^shift. Kept as an excess because most are just above 1.
struct Product {
  double excess = 0;
  std::int64_t shift = 0;
};

/// A computed excess over `degree` neighbours is within this part of the exact one (of 1 + excess once it was shifted).
inline double ProductSlack(std::uint64_t degree) { return static_cast<double>(degree + 64) * 0x1p-51; }
/// 2 log P, rounded up, for a product over `degree` neighbours.
double LossOf(const Product& product, std::uint64_t degree);
/// More doublings than the strengths of all edges that a graph can have: a product that counts as infinite.
inline constexpr std::int64_t kInfiniteShift = std::int64_t{1} << 40;

/// Represents infinity, and leaves room for the product with any block of factors: what overflowed could not be scaled.
inline constexpr double kMostOwn = 0x1p400;
/// e^{loss/2} - 1, rounded up; at most kMostOwn.
double OwnExcess(double loss);
/// e^{theta/2} - 1 for all strengths of a graph, rounded up; at least one.
std::vector<double> CouplingsOf(const Graph& graph);

/// The numbers that were found, where they are: excesses e^{t/2} - 1 of what each slot's node sends over it (messages,
/// `sent`), and of what the links of each member of a clique tell it (`inside`). From 2^100 on they say nothing.
template <class Stored>
struct GraphNumbers {
  std::span<const Stored> sent;
  std::span<const Stored> inside;
};
struct GraphWitness {
  std::variant<GraphNumbers<float>, GraphNumbers<double>> numbers;
  std::shared_ptr<const void> keep;  // what holds them
};

/// The numbers with which a witness holds, as losses: those that were found, and what had to be added.
struct TakenNumbers {
  std::vector<double> sent, inside;  // empty: it proves nothing
};

/// An upper bound on the dependent loss of every record.
struct GraphBound {
  double dependent = 0;            // for the worst record, the smallest of its bounds; rounded up
  std::string bound = "field";     // which one that was: "field", "block" or "group"
  std::uint32_t node = 0;          // where (Graph: nodes are records unless there are hard constraints)
  double messages = 0;             // the witness alone, for its own worst record; infinity: it proves nothing
  std::vector<double> per_record;  // if asked for
};

/// What a witness proves together with groups and blocks (NodeLosses). Its numbers may have been rounded down: they are
/// taken larger, as little as makes every inequality hold. Where none do, groups and blocks are left.
/// Ensures [WITNESS-2]: not below the loss about any record that is not hidden, whatever the witness holds.
GraphBound ProvedOnGraph(const Graph& graph, const NodeLosses& losses, const GraphBlocks& blocks,
                         const GraphWitness& witness, bool per_record, TakenNumbers* taken = nullptr);

}  // namespace kith
