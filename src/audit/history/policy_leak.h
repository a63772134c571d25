// What a history of answers gives away about the units of a policy: under every reading of the declared dependence,
// stratum by stratum, and for which units it is worst. Works only with plain losses and the model: no row of data, no
// name of a unit. Source: docs/theory/model.md#transfer-once, #cells-and-charges.  Claims: claims/audit.md
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "transfer/transfer.h"

namespace kith::audit {

/// Units that are charged alike.
struct Stratum {
  std::string name;
  std::size_t of_class = 0;  // of the dependence model
  double plain = 0;          // charged so far
};

/// One way to read the same history. `after`: if one more answer were given to everybody.
struct Reading {
  std::string name;  // "plain", "group", "field", "star", ...
  double now = 0, after = 0;
  std::string adversary;
  bool theorem = true;  // false: a formula that is not proved for this dependence
};

struct StratumLeak {
  Stratum stratum;
  std::vector<Reading> readings;
  double bits_now = 0, bits_after = 0;  // the most that the history can reveal about one unit's record: K(loss) / log 2
  double dependent_now = 0, dependent_after = 0;  // the smallest reading that is proved: what kith guarantees
  // What some law of the declared class and some mechanism of the same plain loss really lose, where one is known.
  std::optional<double> reached_now = {};
};

/// Units in the same position among those they depend on.
struct Place {
  std::string shape;        // "degree 12, component of 300"
  std::uint64_t units = 0;  // how many; 0: not known to the model
  double now = 0, after = 0;
};

struct PolicyLeak {
  std::vector<StratumLeak> strata;
  std::vector<Place> places;  // the worst first, at most eight
  std::string assumption;
  std::string unproven;  // not empty: nothing is proved for this dependence; a sentence that must be shown first
  double more = 0;       // plain loss of the answer that `after` adds
};

/// The most that a loss allows to be revealed about one record: K(loss) / log 2. Infinite where the loss is.
double BitsOf(double loss);

/// `more`: plain loss of one more answer that charges everybody; 0 if there is none. `widened`: readings of dependence
/// take plain losses this many times (Curve::widened).
/// Ensures [AUDIT-9]: every reading that is proved is at least kith's bound for the stratum's class at the
/// largest plain loss of the class; `dependent_now` is that bound.
/// Fails: as Transfer::Loss; kInvalidArgument if a stratum's class does not exist or a loss is not a number >= 0.
Result<PolicyLeak> LeakOf(const Transfer& transfer, std::span<const Stratum> strata, double more, double widened = 1);

}  // namespace kith::audit
