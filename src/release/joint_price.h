// One price for several statistics: what a unit can lose by all of them at once, which is less than the sum of what it
// can lose by each.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "kernel/cost.h"
#include "query/joint_moves.h"
#include "release/pricing.h"

namespace kith {

/// As PriceQuestion. Where moves are known, shares are what each statistic would lose by itself, and add up to more
/// than the total. Those that follow a split are in its proportion; otherwise none is smaller than an equal part of the
/// price, and what the moves leave goes first to the statistics whose noise is largest compared with what a unit's rows
/// add.
Result<Priced> PriceJointly(const Plan& plan, std::span<const JointMove> moves, const Price& price,
                            double epsilon_total, PlainUnits budget, std::optional<double> everybody = std::nullopt);

/// Whether the shares add up to more than the total: priced together.
bool IsJoint(const Priced& priced);

/// The moves of a question, for the same one with its statistics in another order; nothing if it has others.
std::optional<std::vector<JointMove>> MovesInOrder(const Plan& plan, std::span<const JointMove> moves,
                                                   const Plan& other);

}  // namespace kith
