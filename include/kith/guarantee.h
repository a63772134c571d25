// What is guaranteed once that much is spent, with every label that belongs to it.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kith::v1 {

/// Whose record an answer hides, where the policy nests units.
enum class Unit { kPerson, kHousehold };

/// The true loss, next to a bound that is not proved.
struct Audit {
  double dependent = 0;  // at the same plain loss, rounded up
  bool exact = false;    // otherwise the true loss there is at most this
  std::string of;        // in which world
};

/// About everything that was released so far, or would have been after one more answer. Anything that shows a loss must
/// show `unproven` and `one_sided` before it, if they are not empty.
struct Guarantee {
  double plain = 0;  // the largest plain loss of any cell
  // The same for the two kinds of neighbours.
  double plain_content = 0;              // any change of one unit's record
  std::optional<double> plain_presence;  // whether it is there at all; nothing: that is public
  bool counts_presence = false;          // the limit is about plain_presence; otherwise about `dependent`
  double dependent = 0;                  // what somebody who knows the dependence gains at most
  std::string bound;                     // the name of the formula that gives it
  std::string adversary, assumption;
  std::string source;                // where the declared dependence comes from
  std::optional<double> confidence;  // that the declared dependence is strong enough; nothing: it is declared as a fact
  std::string alarm;                 // what a check of the declaration found wrong with it; empty: no check did
  std::string level;                 // whose loss this is: the key that names a unit, or "row"
  std::string neighbours;            // whose tables are hard to distinguish
  std::string moves;                 // of a metric unit: what the total means for moves of any length
  std::optional<double> standard;    // of a metric unit: dependent loss between any two places of its region
  std::string version;               // of the data: declared, or how often they were read in
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
  std::string unproven;        // not empty: the dependent loss is not proved here
  std::optional<Audit> audit;  // next to it, where it can be computed
  /// The same for the outer units of a policy with nested ones; `plain` and `dependent` are about persons.
  struct Household {
    std::string level;          // the column that names it
    std::int64_t size = 1;      // persons in one, at most
    double plain = 0;           // largest plain loss
    double dependent = 0;       // what somebody who knows the dependence between households gains at most
    std::string neighbours;     // whose tables are hard to distinguish
    std::optional<double> cap;  // the most allowed; nothing: not limited by itself
  };
  std::optional<Household> household;
  /// Units whose public column puts them into their own class of the dependence. `plain` and `dependent` are the
  /// largest of all.
  struct Stratum {
    std::string name;       // "persons=1"
    double plain = 0;       // largest plain loss of its cells
    double dependent = 0;   // what somebody who knows the dependence gains at most about a unit of it
    std::int64_t size = 0;  // the most records of one group; 0: not declared
  };
  std::vector<Stratum> strata;  // empty: the policy has none
  std::string one_sided;        // not empty: true records were released; the losses count noisy answers only

  /// Whether no loss is bounded without `delta`: deltas, or all of it, are counted against caps.
  bool CountsDelta() const { return delta > 0 || mu_cap > 0; }
};

}  // namespace kith::v1
