// What is guaranteed once that much is spent, with every label that belongs to it. Anything that shows a total
// (explanation, certificate, budget, stream, audit) holds one of these, so that no label can be forgotten.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "ledger/ledger.h"
#include "policy/policy.h"
#include "release/account.h"
#include "transfer/transfer.h"

namespace kith {

/// About everything that was released so far, or would have been after one more answer.
struct Guarantee {
  double plain = 0;  // the largest plain loss of any cell
  // The same for the two kinds of neighbours.
  double plain_content = 0;              // any change of one unit's record
  std::optional<double> plain_presence;  // whether it is there at all; nothing: that is public
  bool counts_presence = false;          // the limit is about plain_presence; otherwise about `dependent`
  double dependent = 0;                  // what somebody who knows the dependence gains at most
  std::string bound;                     // the name of the formula that gives it
  std::string adversary, assumes;
  std::string source;                // where the declared dependence comes from
  std::optional<double> confidence;  // that the declared dependence is strong enough; nothing: it is declared as a fact
  std::string alarm;                 // what a check of the declaration found wrong with it; empty: no check did
  std::string level;                 // whose loss this is: the key that names a unit, or "row"
  std::string neighbours;            // pairs of databases the loss compares
  std::string moves;                 // of a metric unit: what the total means for moves of any length
  std::optional<double> standard;    // of a metric unit: dependent loss between any two places of its region
  std::string version;               // of the data: declared, or how often they were imported
  std::int64_t generation = 1;       // of the policy: 1 until another one is accepted under the same ledger
  double delta = 0;                  // probability that the losses are larger than stated; 0: never
  struct At {
    double epsilon = 0, delta = 0;
  };
  std::vector<At> curve;  // pairs that also hold, besides the one above; empty if there is no delta
  // Once a delta is counted (CountsDelta): everything that was and will be released is (dependent, delta)-private
  // where somebody knows the dependence, and (plain, plain_delta)-private otherwise, however questions are chosen.
  double plain_delta = 0;
  double mu_cap = 0;    // Gaussian loss that is never passed, the largest of any cell; 0: that is not fixed yet
  double mu_spent = 0;  // how much of it was used, as the root of the sum of squares: no guarantee by itself
  struct Pure {
    double plain = 0, dependent = 0;
  };
  std::optional<Pure> pure;    // the total so far without a delta, where every answer had a pure loss
  std::string unproven;        // not empty: the dependent loss is not proved here; shown before anything else
  std::optional<Audit> audit;  // next to it, where it can be computed
  /// The same for the outer units of a policy with nested ones; `plain` and `dependent` are about persons.
  struct Household {
    std::string level;          // the column that names it
    std::int64_t size = 1;      // persons in one, at most
    double plain = 0;           // size * a + b
    double dependent = 0;       // what somebody who knows the dependence between households gains at most
    std::string neighbours;     // pairs of databases the loss compares
    std::optional<double> cap;  // the most allowed; nothing: not limited by itself
  };
  std::optional<Household> household;
  /// Units whose public column puts them into their own class of the dependence. `plain` and `dependent` are the
  /// largest of all.
  struct Stratum {
    std::string name;       // "persons=1"
    double plain = 0;       // the largest plain loss of its cells
    double dependent = 0;   // what somebody who knows the dependence gains at most about a unit of it
    std::int64_t size = 0;  // the most records of one group; 0: not declared
  };
  std::vector<Stratum> strata;  // empty: the policy has none
  /// Whether no loss is bounded without `delta`: deltas, or all of it, are counted against caps.
  bool CountsDelta() const { return delta > 0 || mu_cap > 0; }
  std::string one_sided;  // not empty: true records have been released; the losses count only noisy answers, and there
                          // is no bound on the dependent loss of everything; shown before anything else
};

/// What is said with every total while the declaration that an alarm is about is unchanged.
std::string AlarmWarning(const AlarmLine& alarm);

/// Sets the plain loss, of both kinds of neighbours; `presence`: for a unit that comes or goes.
void SetPlain(const Policy& policy, double plain, double presence, Guarantee& guarantee);

/// The model's assumption, and how certain it is that the declared strength is large enough.
std::string WithConfidence(const Policy& policy, std::string of_model);

/// The pairs of databases that the loss compares, in words.
std::string NeighboursOf(const Policy& policy);

/// `dependent`: what the totals amount to. All of it, whenever a total is stated again: a bound that won at a smaller
/// total may cover more than the one that wins now.
/// Ensures [PAIR-SUM-2]: where the dependent loss is not proved on the policy's model, the guarantee says so.
/// Requires: a model that is not proved was accepted by the policy.
Guarantee MakeGuarantee(const Policy& policy, const Transferred& dependent, const Totals& totals);

/// The same, transferred as well. Fails: as Account::Dependent.
Result<Guarantee> GuaranteeOf(const Policy& policy, const Account& account, const Totals& totals);

}  // namespace kith
