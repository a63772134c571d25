// Several levels of groups (GROUP BY ROLLUP, CUBE): totals are exact sums before the noise, and are made the sums of
// their parts again after it.
#pragma once
#include <cstddef>
#include <vector>

#include "query/plan.h"

namespace kith {

/// Weighted least squares on the tree of groups, then whole steps again. Post-processing that uses only noisy numbers
/// and public facts: levels that got no noise keep their numbers.
/// Ensures [LEVEL-2]: for each noisy statistic every total equals the sum of its parts, exactly. Levels that are not a
/// chain (CUBE) keep their noisy numbers.
void MakeConsistent(const Plan& plan, NoisyGroups& noisy);

/// How far a consistent number is from the truth, in steps, where the noise of every group has a scale (also in steps):
/// scale * by_scale + fixed.
struct LevelBar {
  double by_scale = 0, fixed = 0;
};
/// Of one level, with this confidence; `open`: levels without noise (Statistic::open_levels). Ensures [LEVEL-3].
/// Requires: several levels; 0 < confidence < 1.
LevelBar LevelErrorBar(const Plan& plan, std::size_t level, double confidence, const std::vector<bool>& open = {});

/// Groups in the order in which they are shown: totals after their parts.
std::vector<std::size_t> ShownOrder(const Plan& plan);

}  // namespace kith
