// Gaussian loss through dependence: the recursions for pure loss with ProbitPhi in place of Phi.
// Source: docs/theory/gaussian.md#messages.  Claims: claims/transfer_gaussian.md
#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "dependence/known.h"
#include "dependence/model.h"
#include "transfer/transfer_function.h"

namespace kith {

/// The Gaussian bounds of one model. Immutable; safe to share between threads.
class GaussianMessages {
 public:
  virtual ~GaussianMessages() = default;
  /// For each record, or one value for all: everything released together is this much Gaussian about it under
  /// dependence, if it is plain mu[j]-Gaussian about every record j. The adversary is as strong as that of any bound of
  /// the model. Ensures [PROBIT-2]: not below the true value over the declared class of laws.
  virtual std::vector<double> Mu(const PlainLosses& mu, std::size_t of_class) const = 0;
};

/// Nothing where there is no such recursion: graphs of many links, tables known up to intervals, sums over pairs that
/// are not proved, pairs with a known total, metric records. Requires: the model has passed Check.
std::unique_ptr<const GaussianMessages> MakeGaussianMessages(const Model& model,
                                                             const std::optional<KnownTotals>& known);

}  // namespace kith
