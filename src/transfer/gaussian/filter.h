// Adaptive spending of Gaussian loss: a cap that is fixed before the first answer, and a sum of squares that never
// exceeds it. Source: docs/theory/gaussian.md#filter.  Claims: claims/transfer_gaussian.md
#pragma once
#include "base/result.h"
#include "loss/loss_kinds.h"
#include "transfer/gaussian/profile.h"

namespace kith {

/// Not thread-safe.
class GaussianFilter {
 public:
  /// Fails: kInvalidArgument unless cap > 0 and its square can be counted.
  static Result<GaussianFilter> Make(double cap);

  /// Takes a charge that may depend on all answers so far, before its own answer is drawn; or refuses it and stays as
  /// it was. Ensures [FILTER-1]: all that was taken is cap-Gaussian together, whatever the order, the choice of charges
  /// and the time of stopping.
  /// Fails: kBudgetExhausted if the sum would exceed the cap; kInvalidArgument if the charge is not a Gaussian loss.
  Result<void> Take(double mu);
  /// A pure answer counts as the Gaussian loss that dominates it.
  Result<void> Take(PlainUnits pure);
  /// A batch of pure answers whose charges were fixed before the first of them: one charge.
  Result<void> Take(const PureProfile& batch);

  double cap() const { return cap_; }
  /// The sum of squares so far, rounded up.
  double spent_squared() const { return spent_.value(LossKind::kMu); }

 private:
  GaussianFilter(double cap, Loss most) : cap_(cap), most_(most) {}
  double cap_;
  Loss most_;  // the square of the cap, rounded down
  Loss spent_;
};

}  // namespace kith
