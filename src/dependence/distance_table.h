// Where a linked record is, given where a record is: the nearer, the likelier. Source: Liu, Chakraborty, Mittal 2016,
// Equation 26 (their constants: b = 0.196 miles, c = 1.05).
#pragma once
#include <vector>

#include "dependence/model.h"

namespace kith {

/// On the grid of all points of the axes (the last one varies fastest): weight (|d - t|_1 + b)^-c of place d given
/// place t, each row divided by its sum. Requires: increasing finite axes, b > 0, c > 0.
LawTable DistanceTable(const std::vector<std::vector<double>>& axes, double b, double c);

}  // namespace kith
