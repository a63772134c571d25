// Finds the minimum of a strongly convex objective on a box and proves how near it came.
// Claims: claims/learn.md
#pragma once
#include <cstdint>
#include <vector>

#include "analysis/learn/objective.h"
#include "base/cancel.h"
#include "base/result.h"

namespace kith::learn {

struct Minimum {
  std::vector<std::int64_t> steps;  // the nearest whole steps to each weight
  int passes = 0;                   // over all rows
  bool wide = false;                // double was not enough
};

/// Weights w with steps of 2^exponent.
/// Requires: pull and slack >= 2^-20, -40 <= exponent <= 0, fewer than 2^40 rows, pushes within +-2^126 steps.
/// Fails: kCancelled.
/// Ensures [LEARN-2]: before they were rounded to steps, the weights were within slack / pull (L2) of the minimum of
/// the problem's objective on the box, whatever the rows are. Ends for all rows, whatever newton_steps is: how often
/// Newton's method is tried, in doubles and again in wider numbers, before small steps that are certain to arrive.
Result<Minimum> Minimise(const Problem& problem, double slack, int exponent, const CancelFlag& cancel,
                         int newton_steps = 100);

}  // namespace kith::learn
