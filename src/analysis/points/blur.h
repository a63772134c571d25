// How far counts of a range may be off because a grid does not say where inside its cells the points are. An estimate
// from what is released: costs no privacy.
#pragma once
#include <vector>

#include "analysis/points/fit.h"

namespace kith::points {

/// A range along one coordinate, as counts of a level see it.
struct RangeSide {
  std::vector<double> inside;  // how much of each count is in it
  std::vector<double> spread;  // mean square error of that for a point in the count
};
/// Both ends in [0, 1].
RangeSide SideOf(Basis basis, int log2_cells, double low, double high);

/// Two standard deviations of the error, if the points of each count may all be in one place. `y`: empty on a line;
/// `counts`: without negative ones.
double BlurOf(const RangeSide& x, const RangeSide& y, const std::vector<double>& counts);

}  // namespace kith::points
