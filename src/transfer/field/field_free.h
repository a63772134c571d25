// Yes/no records with non-negative ties: the loss is a correlation in a public model without single-record fields, and
// any upper bound of that correlation bounds the loss. Source: docs/theory/transfer.md#networks.
// Claims: claims/transfer_network.md
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.h"
#include "dependence/graph.h"
#include "dependence/network_sample.h"
#include "transfer/transfer_function.h"

namespace kith {

/// Immutable; safe to share between threads.
class FieldFree {
 public:
  /// `sample`: of this very graph; may be empty. Fails: kInvalidArgument if it is of another one, or there are hard
  /// constraints.
  static Result<FieldFree> Make(std::shared_ptr<const Graph> graph, std::shared_ptr<const NetworkSample> sample);

  /// For each record; infinity where the component is too large to be computed and the sample says nothing.
  /// Ensures [NETWORK-1]: at least the dependent loss about the record for every law exp(sum of t_ij x_i x_j + fields)
  /// with 0 <= t_ij <= theta_ij, given the inequality of Ding, Song and Sun; with a sample also [NETWORK-3].
  std::vector<double> Losses(const PlainLosses& plain) const;

 private:
  /// A component whose loss is computed exactly: for each of its nodes the order in which the others are summed out.
  struct Small {
    std::vector<std::uint32_t> nodes;
    std::vector<std::vector<std::uint32_t>> orders;
  };
  FieldFree(std::shared_ptr<const Graph> graph) : graph_(std::move(graph)) {}
  void FindSmall();
  double ExactLoss(const Small& component, std::size_t about, const PlainLosses& plain) const;

  std::shared_ptr<const Graph> graph_;
  std::vector<Small> small_;
  std::vector<std::pair<double, double>> limits_;  // plain losses, increasing, and the limit at each
};

}  // namespace kith
