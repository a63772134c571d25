// Hat counts on a square at several levels, with parts of epsilon that make the variance of all counts together
// smallest. Grids that are asked for ranges share it differently (grid_study.cc); this is what they are compared with.
// Source: docs/theory/mechanisms.md#pyramid.  Claims: claims/points.md
#pragma once
#include <cstddef>
#include <vector>

#include "analysis/points/hat.h"
#include "base/result.h"

namespace kith::points {

struct Level {
  int log2_cells = 0;
  double sensitivity = 0;
  double epsilon = 0;  // its part of the whole
  double scale = 0;    // of its noise: sensitivity / epsilon
  std::size_t cells() const { return std::size_t{1} << log2_cells; }
  std::size_t nodes() const { return (cells() + 1) * (cells() + 1); }
};

/// Levels `coarsest` .. `finest` with the parts of epsilon that make the total variance smallest.
/// Fails: kInvalidArgument (levels outside 0..12 or out of order, a delta or epsilon that is not positive).
/// Ensures [POINTS-5]: the parts add up to at most epsilon.
Result<std::vector<Level>> PyramidLevels(int coarsest, int finest, double delta, Metric metric, double epsilon);

}  // namespace kith::points
