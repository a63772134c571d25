// What is guaranteed once so much was spent, with every label that belongs to it.
#pragma once
#include <optional>
#include <string>

namespace kith::v1 {

/// The true loss beside a bound that is not proved.
struct Audit {
  double dependent = 0;  // at the same plain loss, rounded up
  bool exact = false;    // otherwise the true loss there is at most that
  std::string of;        // in which world
};

/// About everything that was released so far, or would have been after one more answer. Whoever shows a loss shows
/// `unproven` and `one_sided` before it, if they are not empty.
struct Guarantee {
  double plain = 0;      // the largest plain loss of any cell
  double dependent = 0;  // what somebody who knows the dependence gains at most
  std::string bound;     // the name of the formula that gives it
  std::string adversary, assumes;
  std::string source;              // where the declared dependence is from
  std::string neighbours;          // whose tables are hard to tell apart
  std::string moves;               // of a metric unit: what the total means for moves of any length
  std::optional<double> standard;  // of a metric unit: dependent loss between any two places of its region
  std::string version;             // of the data: declared, or how often they were read in
  std::string unproven;            // not empty: the dependent loss is not proved here
  std::optional<Audit> audit;      // beside it, where it can be computed
  std::string one_sided;           // not empty: true records have left; the losses count noisy answers alone
};

}  // namespace kith::v1
