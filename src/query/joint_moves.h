// How far one unit can move several statistics at once. No record moves all of them as far as it can move each: a unit
// that changes a sum by the whole width of its bounds does not change the count.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "policy/policy.h"
#include "query/plan.h"

namespace kith {

struct Question;

/// For each statistic of a plan: by how much it changes, over all groups together, in its lattice steps.
using JointMove = std::vector<std::int64_t>;

/// Moves of which one unit can make no larger mixture. Empty: no more is known than each statistic's own change.
/// Requires: `plan` is that of the question under this policy.
/// Ensures [JOINT-1]: if there are any, then for any two snapshots that differ in one unit's record (same public
/// values) and any weights w_k >= 0, the sum of w_k times the L1 distance of statistic k is at most the largest sum of
/// w_k times its part in one of the moves; a quantile's distance is that of PLAN-1. No move exceeds a statistic's own
/// change, and none is the change of every statistic at once.
std::vector<JointMove> JointMovesOf(const std::string& sql, const Policy& policy, const Plan& plan);

/// Both kinds of moves, of the same question.
struct MovesOfBoth {
  std::vector<JointMove> any;
  std::vector<JointMove> presence;  // by one unit that comes or goes with all its rows
};
/// Ensures [ADDREM-1]: as [JOINT-1], of `presence`, for two snapshots one of which does not have the unit; each part is
/// at most the change of a statistic's presence. Empty where only that is known.
MovesOfBoth MovesOfBothFor(const std::string& sql, const Policy& policy, const Plan& plan);
/// The same for the question that the plan was made from.
MovesOfBoth MovesOfBothFor(const Question& question, const Policy& policy, const Plan& plan);

}  // namespace kith
