// How fine a grid is, and how its levels share the price: from epsilon, what a move of delta changes on each level, and
// the number of points. Public facts and noisy answers go in, nothing else.
// Source: docs/theory/mechanisms.md#pyramid.
#pragma once
#include <functional>
#include <vector>

#include "analysis/points/fit.h"

namespace kith::points {

/// The finest level for this many points, at most `most`. `change`: half of what a move changes on a level, at most 1
/// (or more, where losses are by distance).
int DepthFor(const Ladder& ladder, double points, double epsilon, const std::function<double(int)>& change, int most);
/// The least number of points for which DepthFor takes the level or a finer one.
double LeastPoints(const Ladder& ladder, int log2_cells, double epsilon, double change);

/// Levels of a pyramid, the coarsest first: every other one, which leaves each of them more of the price.
std::vector<int> PyramidTo(int finest);
/// A level's part of the price, in proportion. `sensitivity`: in points.
double LevelWeight(const Ladder& ladder, int log2_cells, double sensitivity);

}  // namespace kith::points
