// The privacy accountant: from what was charged (pure losses, Gaussian losses, deltas, cell by cell) to what is
// guaranteed under the policy's dependence, and from the policy's epsilon to the most that may be charged. The ledger
// keeps the charges.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "ledger/ledger.h"
#include "loss/loss.h"
#include "policy/policy.h"
#include "release/budget_curve.h"
#include "transfer/transfer.h"

namespace kith {

/// Sentences that differ only in the middle, as one: "odds at most 40 for mz and 2.5 for dz; groups ...".
std::string OneSentence(const std::vector<std::string>& sentences);

/// What a ledger says was spent, as far as a guarantee needs it.
struct Totals {
  std::vector<PlainUnits> spent;      // per cell
  std::vector<PlainUnits> any;        // the part of it that bounds any change of a record, however far; empty: nothing
  std::vector<PlainUnits> household;  // the part of it that was charged about households; empty: nothing
  // A unit may have been in several cells, because the data were replaced: it may have been in any class.
  bool moved = false;
  bool by_cell = false;                    // some charge was to some cells and not to others
  bool before = false;                     // something was counted under another policy, or by another ledger
  std::vector<OneSidedAccount> released;   // accounts of true records
  std::string version;                     // of the data, as shown
  std::int64_t generation = 1;             // of the policy
  std::string alarm;                       // what a check found wrong with the declaration as it is; empty: nothing
  std::vector<PlainUnits> presence;        // as `spent`, for a unit that comes or goes; empty: the same
  std::optional<LedgerGaussian> gaussian;  // where the ledger counts with a delta
  std::string continued_in;                // where a sealed ledger continues; empty: it is not sealed
  const std::vector<PlainUnits>& OfPresence() const;
  /// Whether Gaussian loss has caps, and everything is counted by it.
  bool CountsMu() const;
};

/// What the outer units of a policy have lost.
struct HouseholdLosses {
  PlainUnits plain;      // size * a + b
  double dependent = 0;  // what somebody who knows the dependence between households gains at most
};

/// What everything under caps amounts to.
struct CappedLoss {
  double plain = 0, plain_delta = 0;             // (epsilon, delta) against somebody who knows everybody else
  double delta = 0;                              // at the policy's epsilon, against somebody who knows the dependence
  std::string bound;                             // how it was found
  std::vector<std::pair<double, double>> curve;  // further (epsilon, delta) that hold under dependence
};

/// Of one policy. Immutable; safe to share between threads.
class Accountant {
 public:
  /// Inverts the policy's transfer function once for each class of records.
  /// Fails: kInvalidArgument if the dependence model cannot be used.
  static Result<Accountant> Make(const Policy& policy, BudgetCurve curve);

  /// Per cell: the plain loss at which the dependent loss reaches the policy's epsilon.
  /// Ensures [RELEASE-4]: while no cell's total exceeds its limit, the dependent loss of every unit is at most
  /// epsilon_total, because records that depend on each other are of one class and g is evaluated at the largest total
  /// of the class.
  /// Ensures [RELEASE-10]: the same for units that have been in any cells, if `moved`: then the strictest limit holds
  /// for all.
  std::vector<PlainUnits> Limits(bool moved) const;
  /// The same for these totals. Ensures [CAP-6]: the strictest limit holds for all as well where deltas are counted
  /// besides pure losses and units may change cells: their cap is about that limit.
  std::vector<PlainUnits> Limits(const Totals& totals) const;

  /// The smallest limit among the charged cells, as long as no unit has moved; the largest possible if none is charged.
  /// For a question about households: the most that such questions by themselves may be charged.
  PlainUnits Budget(const std::vector<bool>& charged, UnitLevel level = UnitLevel::kPerson) const;

  /// Which totals Limits() are about.
  /// Ensures [ADDREM-3]: those of presence under neighbours = "add-or-remove", where records are independent; otherwise
  /// those of any change. What is transferred, and what households lose, is always of any change.
  bool counts_presence() const { return counts_presence_; }
  const std::vector<PlainUnits>& Counted(const Totals& totals) const;
  /// Of a policy with nested units: what a charge has to fit besides Limits().
  const std::optional<NestedLimits>& nested() const { return nested_; }
  /// Whether totals are within all limits, including those of cells that are not charged.
  /// Ensures [NEST-3]: then every person's dependent loss is at most the policy's epsilon, and every household's at
  /// most that of households, where one is declared.
  bool Fits(const Totals& totals) const;
  /// Per cell: what its total may become by questions about persons; at least the total. Limits() if units are not
  /// nested.
  std::vector<PlainUnits> Allowed(const Totals& totals) const;
  /// Nothing unless units are nested. Fails: as Dependent.
  Result<std::optional<HouseholdLosses>> Households(const Totals& totals) const;

  /// Whether the policy has a delta.
  bool with_delta() const;
  /// Per cell: the largest Gaussian loss, and the largest sum of deltas, that may be spent where this much was spent
  /// before at its pure value.
  /// Ensures [CAP-2]: while no sum exceeds its cap, everything is (epsilon, delta)-private under dependence, with the
  /// policy's epsilon and delta. Requires: with_delta(). Fails: kBudgetExhausted if nothing more may be spent.
  Result<LedgerCaps> CapsAfter(const std::vector<PlainUnits>& before) const;
  /// Per cell: the largest sum of deltas besides charges at their pure value, of which this much was spent.
  /// Ensures [CAP-6]: while no sum exceeds it, and no total its limit, everything is (epsilon, delta)-private under
  /// dependence, with the policy's epsilon and keys_delta. Requires: with_delta(). Fails: kBudgetExhausted if somebody
  /// may have spent more than the strictest limit.
  Result<std::vector<std::int64_t>> DeltaCapsAfter(const std::vector<PlainUnits>& spent) const;
  /// What caps mean under the present policy, for what was and will be answered. Ensures [CAP-2], [CAP-6]. Fails:
  /// as Dependent.
  Result<CappedLoss> Capped(const LedgerGaussian& gaussian) const;
  /// The same account with another plain budget for prices: (1 = as it is) times as much for every cell.
  Accountant Priced(double times) const;

  const BudgetCurve& curve() const { return curve_; }
  /// What the guarantee rests on beyond the policy's text (BudgetCurve::version).
  const std::string& version() const { return curve_.version(); }

  /// What totals per cell amount to: the worst class, with its bound and adversary, and the assumptions of all classes.
  Result<Transferred> Dependent(const Totals& totals) const;
  /// The same for the units of one cell: their relatives may be in any cell of the class, so its largest total counts.
  Result<Transferred> DependentOf(std::size_t cell, const Totals& totals) const;

 private:
  // How records of one household depend on each other and on others.
  enum class Nesting {
    kNone,     // units are not nested
    kApart,    // all are independent
    kInside,   // persons depend only on others of their household
    kBetween,  // the model is about households
  };

  Accountant(BudgetCurve curve, std::vector<std::size_t> classes, std::vector<PlainUnits> limits);
  void Nest(const Policy& policy);
  Result<void> AddDelta(const Policy& policy);
  std::vector<std::int64_t> DeltaCaps() const;
  Result<Transferred> OfPersons(const Totals& totals) const;
  Result<Transferred> OfPersonsIn(std::size_t cell, const Totals& totals) const;
  Result<Transferred> Between(const Totals& totals) const;
  Result<Transferred> AtMostTheHousehold(Result<Transferred> of_person, const Totals& totals) const;

  BudgetCurve curve_;
  std::vector<std::size_t> classes_;  // of each cell
  std::vector<PlainUnits> limits_;
  Nesting nesting_ = Nesting::kNone;
  std::optional<NestedLimits> nested_;
  PlainUnits of_households_;  // the most that questions about households by themselves may be charged
  bool counts_presence_ = false;
  double epsilon_ = 0;          // of the policy
  bool fixed_cells_ = false;    // no unit changes its cell
  bool several_cells_ = false;  // a unit can have rows in several cells
  struct Delta {
    Policy::WithDelta policy;
    std::vector<std::string> names;   // of cells
    std::vector<double> by_messages;  // of each class: the largest mu where nothing was spent before; 0: not known
  };
  std::optional<Delta> with_delta_;
};

}  // namespace kith
