// Privacy profiles: for every loss, the delta that goes with it. What is released together is described by one.
// Source: docs/theory/gaussian.md#profiles.  Claims: claims/transfer_gaussian.md
#pragma once
#include <span>
#include <vector>

#include "base/result.h"
#include "loss/loss.h"

namespace kith {

/// Immutable; safe to share between threads.
class PrivacyProfile {
 public:
  virtual ~PrivacyProfile() = default;
  /// At least P[M(x) in S] - e^loss P[M(x') in S] for all sets S and all x, x' that differ in the record. Falls with
  /// the loss. Requires: loss is finite and not negative.
  virtual double Delta(double loss) const = 0;
};

/// Of Gaussian releases: mu^2 is the sum of their (L2 sensitivity / standard deviation)^2.
class GaussianProfile final : public PrivacyProfile {
 public:
  /// Requires: mu is finite and not negative.
  explicit GaussianProfile(double mu) : mu_(mu) {}
  double Delta(double loss) const override;

 private:
  double mu_;
};

/// Of several pure releases, whose charges were fixed before the first answer: the law of their loss, convolved.
class PureProfile final : public PrivacyProfile {
 public:
  /// Charges are exact where the multiples of their common divisor fit a grid, otherwise rounded up to one.
  /// Fails: kInvalidArgument for more than 100,000 charges; kBudgetExhausted if they add up to more than PlainUnits can
  /// count.
  static Result<PureProfile> Make(std::span<const PlainUnits> charges);

  /// Ensures [PROFILE-1]: not below the delta of the composition, in whatever order and however later questions, but
  /// not their charges, depend on earlier answers. 0 from the sum of the charges on.
  double Delta(double loss) const override;

  /// The smallest mu such that a mu-Gaussian release reveals at least as much as these releases do, rounded up.
  /// Ensures [PROFILE-2]: whatever is mu-Gaussian dominates the convolved profile at every loss, below zero too.
  double Mu() const;

 private:
  PureProfile(std::vector<long double> law, double step, double doubt, double each)
      : law_(std::move(law)), step_(step), doubt_(doubt), each_(each) {}

  std::vector<long double> law_;  // of how much of the loss is negative: entry j is for a loss of (size - 1 - 2j) steps
  double step_;                   // of the grid, as a loss
  double doubt_;                  // relative error of each entry of the law, at most
  double each_;                   // mu of the charges one by one: never less than what is needed
};

}  // namespace kith
