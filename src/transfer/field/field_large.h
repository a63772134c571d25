// Looks for the dependent loss of a Markov random field on a big graph: messages in passes over compact neighbour
// lists. What they prove is checked (check/graph_witness.h). Source: docs/theory/transfer.md#field.  Claims:
// claims/transfer_field_large.md
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/result.h"
#include "dependence/graph.h"
#include "transfer/check/graph_witness.h"
#include "transfer/transfer_function.h"

namespace kith {

struct FieldOptions {
  enum class Precision {
    kBySize,  // double up to a million slots, single above
    kSingle,
    kDouble,
  };
  /// Take edge-disjoint cliques for blocks: tighter where there are triangles.
  bool cliques = true;
  Precision precision = Precision::kBySize;
  /// Stop when a pass lowers the bound, and all messages together, by less than this part. Every pass is a valid bound,
  /// so this affects time and tightness.
  double gain = 1e-6;
  int most_passes = 1000;
  unsigned threads = 1;  // does not change the result
  bool per_record = false;
};

/// What was found, and what it proves.
struct FieldBound : GraphBound {
  double block = 0;  // each of these bounds by itself, for its own worst record
  double group = 0;
  int passes = 0;
  bool settled = false;  // false: most_passes ended it
};
/// What was found; to be checked (ProvedOnGraph).
struct FoundOnGraph {
  GraphWitness witness;
  int passes = 0;
  bool settled = false;
};

/// Immutable; several calls at once are safe, but each takes its own memory for messages.
class LargeField {
 public:
  /// `hidden`: records that are common causes, not anybody's secrets: their plain loss is 0 and they need no
  /// protection. Fails: kInvalidArgument if an option makes no sense or a hidden record does not exist.
  static Result<LargeField> Make(std::shared_ptr<const Graph> graph, std::vector<std::uint32_t> hidden,
                                 FieldOptions options);

  /// Looks for a witness. Fails: kStorage if there is not enough memory; kCancelled.
  Result<FoundOnGraph> Find(const NodeLosses& losses, const CancelFlag* cancel = nullptr) const;

  /// What that witness proves. Ensures [FIELD-LARGE-1]: not below the loss about any record that is not hidden, over
  /// all fields on the graph with at most these strengths and any single-record laws, against somebody who knows any of
  /// the other records. Fails: kInvalidArgument if a plain loss is negative, NaN or infinite, or there are not
  /// records() of them; kStorage if there is not enough memory; kCancelled.
  Result<FieldBound> Loss(const PlainLosses& plain, const CancelFlag* cancel = nullptr) const;

  /// The largest plain loss, the same for all records, found with a dependent loss of at most `dependent`; within the
  /// part `precision` of the largest there is. Ensures [FIELD-LARGE-2]: Loss was evaluated at the value returned.
  /// Fails: as Loss, and kInvalidArgument unless dependent > 0 and precision > 0.
  Result<double> PlainBudget(double dependent, double precision, const CancelFlag* cancel = nullptr) const;

  /// Memory that the graph and one call of Loss take.
  std::size_t Bytes() const;
  const Graph& graph() const { return *graph_; }
  const GraphBlocks& blocks() const { return *blocks_; }
  std::span<const std::uint32_t> hidden() const { return hidden_; }

 private:
  LargeField(std::shared_ptr<const Graph> graph, GraphBlocks blocks, std::vector<std::uint32_t> hidden,
             FieldOptions options)
      : graph_(std::move(graph)),
        blocks_(std::make_shared<const GraphBlocks>(std::move(blocks))),
        hidden_(std::move(hidden)),
        options_(options) {}
  bool UsesSingle() const;

  std::shared_ptr<const Graph> graph_;
  std::shared_ptr<const GraphBlocks> blocks_;
  std::vector<std::uint32_t> hidden_;  // increasing
  FieldOptions options_;
};

}  // namespace kith
