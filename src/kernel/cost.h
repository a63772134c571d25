// What the noise of an answer costs the unit that it costs most, in whole units: the one arithmetic by which answers
// are priced and by which what was paid for them is counted down.
#pragma once
#include <cstdint>
#include <span>

#include "base/result.h"
#include "loss/loss.h"
#include "query/joint_moves.h"
#include "query/plan.h"

namespace kith {

/// What an answer whose statistics have the noise of these shares costs: each rounded up, over the worst move, and no
/// less than any share. Requires: moves of the plan, at least one; as many shares as statistics.
/// Ensures [JOINT-2]: it is at least the sum of |change| / scale over the statistics, for every change of one unit.
/// Fails: kBudgetExhausted above PlainUnits::kMax.
Result<PlainUnits> JointTotal(const Plan& plan, std::span<const JointMove> moves, std::span<const PlainUnits> shares);

/// What it loses if one unit comes or goes, rounded up, over the worst move; without moves, all statistics at once.
Int128 LostByPresence(const Plan& plan, std::span<const JointMove> moves, std::span<const PlainUnits> shares);

/// The same as it is charged: at least half of the total, and no more than it. Ensures [ADDREM-3]: no unit that comes
/// or goes loses more. Requires: as many shares as statistics.
PlainUnits PresenceTotal(const Plan& plan, std::span<const JointMove> moves, std::span<const PlainUnits> shares,
                         PlainUnits total);

/// The square of the Gaussian loss of normal noise, one part for each statistic: their sum or, where it is known how
/// far one unit moves them together, what the worst move loses. Ensures [CAP-4].
std::int64_t JointMuSquared(const Plan& plan, std::span<const JointMove> moves, std::span<const std::int64_t> parts);

/// What one unit loses by an answer.
struct Cost {
  PlainUnits any;          // whatever becomes of its record
  PlainUnits presence;     // if it comes or goes
  std::int64_t mu = 0;     // instead of both: the square of its Gaussian loss (LossKind::kMu)
  std::int64_t delta = 0;  // besides: the probability of losing more (LossKind::kDelta)
};

/// What is bought for each statistic of a plan. Public.
struct NoiseTerms {
  std::span<const PlainUnits> shares;            // of pure loss; as many as statistics
  std::span<const std::int64_t> mu_shares = {};  // of Gaussian loss instead, if not empty
  const MovesOfBoth* moves = nullptr;            // how far one unit moves the statistics together, if that is known
};

/// Fails: as JointTotal.
Result<Cost> CostOf(const Plan& plan, const NoiseTerms& terms);

}  // namespace kith
