// From exact integers to noisy ones: every declared group appears, the empty ones too, and each gets its own noise.
#pragma once
#include <vector>

#include "base/int128.h"
#include "base/result.h"
#include "engine/engine.h"
#include "loss/loss.h"
#include "query/plan.h"
#include "random/bits.h"

namespace kith {

/// Ensures [RELEASE-3]: every group's statistic gets independent noise for its share, whether the group is empty or
/// not. Fails: kInternal if the engine's table does not have the shape of the plan (no value is quoted).
Result<NoisyGroups> AddNoise(const Plan& plan, const IntegerTable& exact, const std::vector<PlainUnits>& shares,
                             BitSource& bits);

}  // namespace kith
