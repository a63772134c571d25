// (epsilon, delta) and Gaussian loss through a transfer function: the smaller of two bounds, one that takes any plain
// profile through the function for pure loss (offset), and one that passes Gaussian loss on itself (messages).
// Source: docs/theory/gaussian.md.  Claims: claims/transfer_gaussian.md
#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "transfer/gaussian/messages.h"
#include "transfer/gaussian/profile.h"
#include "transfer/transfer.h"

namespace kith {

/// The smallest loss found, at least 0, with Delta(loss) <= c (e^loss - 1), itself evaluated; 0 if the profile is 0
/// there. Requires: c > 0. Fails: kInvalidArgument if there is none up to 700.
Result<double> OffsetLoss(const PrivacyProfile& profile, double c);

/// The smallest dependent delta found at a dependent loss of epsilon, for one profile of all records of the class, or
/// one for each of records(); at most 1.
/// Ensures [OFFSET-1]: everything released together is (epsilon, result)-private under dependence, against everybody
/// whom the transfer function covers.
/// Fails: kInvalidArgument for metric losses, for a loss that is not positive and finite, and if the number of profiles
/// is neither 1 nor records().
Result<double> OffsetDelta(const Transfer& transfer, std::span<const PrivacyProfile* const> profiles, double epsilon,
                           std::size_t of_class = 0);

/// What a plain mu may be, and what follows from it.
struct GaussianBudget {
  double mu = 0;                   // the larger of the two below
  std::string by;                  // "offset" or "messages"
  double offset = 0;               // plain mu by the offset
  std::optional<double> messages;  // plain mu by Gaussian messages, where the model has them
  double plain_epsilon = 0;        // at which the offset reads the plain profile
  double plain_delta = 0;          // and what it may be there
};

struct GaussianLoss {
  double delta = 0;  // dependent, at the stated dependent epsilon: the smaller of the two
  std::string by;
  double offset = 0;
  std::optional<double> messages;
  std::optional<double> mu;  // everything is this much Gaussian under dependence, by messages
};

/// Immutable; safe to share between threads.
class GaussianTransfer {
 public:
  /// Fails: kInvalidArgument for metric losses.
  static Result<GaussianTransfer> Make(const Transfer& transfer);

  const Transfer& transfer() const { return transfer_; }

  /// The dependent Gaussian loss of plain mu, by messages. Nothing where the model has no such bound.
  /// Fails: kInvalidArgument if mu is negative or not finite.
  Result<std::optional<double>> Mu(double mu, std::size_t of_class = 0) const;

  /// Ensures [OFFSET-1], [PROBIT-2]: releases that are plain mu-Gaussian together are (epsilon, delta)-private.
  /// Fails: kInvalidArgument unless mu >= 0 and epsilon > 0, both finite.
  Result<GaussianLoss> Delta(double mu, double epsilon, std::size_t of_class = 0) const;

  /// The largest plain mu found for a dependent (epsilon, delta).
  /// Ensures [GAUSS-3]: Delta(result.mu, epsilon) <= delta except for the rounding of one evaluation: each of the two
  /// was evaluated at the value returned. Fails: kInvalidArgument unless epsilon > 0 is finite and 0 < delta < 1.
  Result<GaussianBudget> Budget(double epsilon, double delta, std::size_t of_class = 0) const;

 private:
  GaussianTransfer(Transfer transfer, std::shared_ptr<const GaussianMessages> messages)
      : transfer_(std::move(transfer)), messages_(std::move(messages)) {}

  Transfer transfer_;
  std::shared_ptr<const GaussianMessages> messages_;  // or none
};

}  // namespace kith
