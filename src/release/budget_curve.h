// The transfer function as an account uses it: g of each class, and the plain budget at the policy's epsilon. For
// graphs in files it is a table that is computed once and kept beside the policy, so that `explain` need not read a
// hundred million edges.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/call.h"
#include "base/result.h"
#include "engine/engine.h"
#include "policy/policy.h"
#include "transfer/transfer.h"

namespace kith {

/// Immutable; safe to share between threads.
class BudgetCurve {
 public:
  /// Loads the graph through the engine if the policy names one and there is no table for the present state of the
  /// file.
  /// Fails: kInvalidArgument (a model that cannot be used), kStorage, kCancelled.
  static Result<BudgetCurve> Make(const Policy& policy, const EngineOptions& options, const Call& call);

  std::size_t classes() const;
  /// Ensures [RELEASE-5]: at least g: a tabulated value is taken at the next point that is not smaller, and g does not
  /// fall.
  Result<Transferred> Loss(double plain, std::size_t of_class) const;
  /// The same about a record of plain loss `own`, where no other's exceeds `largest`: less than Loss(largest) where
  /// records are independent, so that others count only through totals that somebody knows. Ensures [TOTALS-1].
  Result<Transferred> LossBeside(double own, double largest, std::size_t of_class) const;
  Result<double> Budget(std::size_t of_class) const;
  /// Loss(x) reads the model at this many times x: more than 1 where losses are per distance (DISTANCE-3).
  double widened() const { return widened_; }
  /// The transfer function with all its bounds, including those that certificates put aside; the graph is read again
  /// if it is in a file. For audits: certificates are Loss. Fails: as Make.
  Result<Transfer> Whole(const Policy& policy, const EngineOptions& options, const Call& call) const;
  /// The transfer function itself; nothing where there is a table instead.
  const std::optional<Transfer>& transfer() const { return transfer_; }
  /// What the assumption rests on beyond the policy's text: the identity of the graph file; empty without one.
  const std::string& version() const { return version_; }

  struct Point {
    double plain = 0;
    Transferred result;
  };
  /// For tests: a curve from a table. Requires: ascending in plain.
  static BudgetCurve FromPoints(std::vector<Point> points, double budget);

 private:
  double epsilon_total_ = 0;
  std::optional<Transfer> whole_, transfer_;  // with all bounds, and for the budget; nothing: the table below
  double widened_ = 1;                        // a loss by distance holds for a few steps of a lattice more
  std::vector<Point> points_;
  double budget_ = 0;
  std::string version_;
};

}  // namespace kith
