// Conditional laws of counts as exponential families: weights on whole numbers, times e^(theta * x).
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "estimate/estimate.h"

namespace kith::estimate {

/// Weights on first .. last by the ratio weight(x + 1) / weight(x), which falls with x.
struct Family {
  std::int64_t first = 0, last = 0;
  std::function<long double(std::int64_t)> ratio;  // for first <= x < last; positive, up to 8 roundings off
};

/// P(X <= observed) and P(X >= observed), X the sum of one variable for each family at the tilt theta, with how much
/// rounding and the far ends that were left out can hide.
struct Tails {
  double below = 0, above = 0;  // not less than the true ones
};
Tails TailsAt(const std::vector<Family>& families, std::int64_t observed, double theta);

/// The set of theta with P(X <= observed) >= alpha and P(X >= observed) >= alpha, rounded outwards: the tails rise and
/// fall with theta, and either limit returned was itself evaluated beyond the set.
Limits LimitsOf(const std::vector<Family>& families, std::int64_t observed, double alpha);

}  // namespace kith::estimate
