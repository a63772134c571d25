// How much one unit can change each counter, which cells it concerns, and the lattice on which a sum is counted.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/int128.h"
#include "base/result.h"
#include "query/question.h"
#include "query/range/range.h"

namespace kith {

struct BoundedCounter {
  Lattice lattice;
  Sensitivities change;
  std::string reason;
  Int128 low = 0, high = 0;               // what a row can add, in steps; NULL adds nothing
  std::vector<bool> open_levels;          // as in Statistic
  std::optional<Sensitivities> presence;  // as in Statistic
};

struct Bounds {
  std::vector<BoundedCounter> counters;
  std::vector<bool> charged;  // per cell of the policy
};

/// Ensures [PLAN-2]: `change.l1()` bounds the L1 change over all groups, and [PLAN-4] `change.l2_squared()` the square
/// of the L2 change and `change.groups()` the number of groups that change, when one unit's record is replaced by
/// another with the same public values, and a cell that is not charged changes nothing. Ensures [ADDREM-1]: `presence`
/// bounds the same when one unit comes or goes with all its rows. Fails: kUnsupportedQuery if a
/// value could overflow, or l1 exceeds 2^31 steps.
Result<Bounds> BoundQuestion(const Question& question, const Policy& policy, const std::vector<Range>& columns);

/// x / step to the nearest integer, with the very operations that the engine does. Monotone in x.
Int128 Quantise(double x, Lattice lattice);

}  // namespace kith
