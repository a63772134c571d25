// From plain loss to dependent loss and back: the one idea the system is built on. Everything composes in plain loss; a
// Transfer is applied once, to the total. Source: docs/theory/model.md#transfer-once,
// docs/theory/transfer.md.  Claims: claims/transfer_*.md
#pragma once
#include <kith/guarantee.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "dependence/known.h"
#include "dependence/model.h"

namespace kith {

/// One valid upper bound on the dependent loss.
struct Bound {
  std::string name;       // "association", "block", "group", ...
  double dependent = 0;   // for its worst record, rounded up
  std::string adversary;  // whom it covers, in words
};

using v1::Audit;

/// What a transfer function says about a total plain loss.
struct Transferred {
  double dependent = 0;            // for the worst record, the smallest of its bounds; rounded up
  std::string bound;               // the name of the bound that won there
  std::string adversary;           // the weakest adversary among the bounds that were used
  std::string assumption;          // the declared class, in one simple sentence
  std::vector<Bound> bounds;       // every bound that applies
  std::vector<double> per_record;  // for models with at most 1,000 named records; otherwise empty
  std::string unproven;            // not empty: not proved for this model, in a sentence that must be shown first
  std::optional<Audit> audit;      // where `unproven` and where it can be computed
};

/// Why the transfer function is not proved for a model; empty if it is. Only models of pairs have such a sentence:
/// where a record can have two links, or it is not known how many, and with the coefficient of Eq. 18.
std::string UnprovenOn(const Model& model);

/// A star bounds the loss about its middle record; among the units of a table its neighbours are secrets too. The same
/// knowledge as a field, which bounds the loss about all of them; other models do so already and stay as they are.
/// Ensures [STAR-2]: the result's class contains every law that the star allows, whatever the law of the middle is.
Model AboutEveryRecord(Model model);

/// The transfer function of one declared dependence model. Immutable; safe to share between threads.
///
/// Records fall into classes, which differ in dependence strength (identical and fraternal twins): one class unless the
/// model says otherwise. Records that depend on each other are always in one class, so each class has its own g.
class Transfer {
 public:
  /// Fails: kInvalidArgument if the model is not usable (the error says what to change).
  static Result<Transfer> Make(Model model);
  /// The same against somebody who knows exact totals as well. What the totals reveal by themselves is not counted: two
  /// values of a record are compared only where both are possible. Ensures [TOTALS-1], [TOTALS-2], [TOTALS-3].
  /// Fails: kInvalidArgument also where no bound is proved (the error says why).
  static Result<Transfer> Make(Model model, const std::optional<KnownTotals>& known);

  std::size_t classes() const;
  /// How many records LossPerRecord takes: the named records of the model, or the members of one group. 0: any number.
  std::size_t records() const;
  const Model& model() const;
  const std::optional<KnownTotals>& known() const;

  /// The same, for totals up to `dependent`: where bounds that cover a stronger adversary leave at least 99 % of the
  /// plain budget, weaker ones are put aside, for every loss alike, so that g still rises. Ensures [TRANSFER-3]: every
  /// bound that is left is one of this function's; the budget falls by at most 1 %. Fails: as PlainBudget.
  Result<Transfer> ForBudget(double dependent) const;

  /// This function where plain losses come with a delta or a Gaussian loss: without what is proved for pure losses
  /// only, the facts about ties between yes/no records.
  Transfer UnderDelta() const;

  /// g for one class, when every record of it has plain loss at most `plain`.
  /// Ensures [TRANSFER-1]: at least the true worst-case dependent loss over the declared class of laws.
  /// Fails: kInvalidArgument if plain is negative, NaN or infinite.
  Result<Transferred> Loss(double plain, std::size_t of_class = 0) const;

  /// What some law of the declared class and some mechanism with these plain losses really lose, rounded down: g is not
  /// below it, whatever is proved one day. Nothing where no such law is written down. Requires: plain is a loss.
  std::optional<double> Reached(double plain, std::size_t of_class = 0) const;

  /// g with one plain loss for each of records() records.
  /// Fails: kInvalidArgument if the number of losses differs or one is negative, NaN or infinite.
  Result<Transferred> LossPerRecord(std::span<const double> plain, std::size_t of_class = 0) const;

  /// The largest plain loss found with Loss(...).dependent <= dependent; 0 if even the smallest is too much.
  /// Ensures [TRANSFER-2]: the returned value was itself evaluated; rounding never favours the spender.
  Result<double> PlainBudget(double dependent, std::size_t of_class = 0) const;

 private:
  struct State;
  explicit Transfer(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

}  // namespace kith
