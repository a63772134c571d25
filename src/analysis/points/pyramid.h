// Hat counts on a square at several levels, each twice as fine as the one before, put together by least squares: good
// for small and for large ranges, and not sensitive to the finest level.  Source: THEORY E.5.  Claims: claims/points.md
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

/// Counts of the next coarser level: exactly what HatCounts2 gives with half the cells.
std::vector<double> Coarser(const std::vector<double>& counts, std::size_t cells);

struct Solved {
  std::vector<double> counts;  // of the finest level
  int steps = 0;               // of conjugate gradients
  double residual = 0;         // relative
};
/// The finest counts that fit all noisy levels best, each weighted by its noise.
/// Requires: noisy[l] are the counts of levels[l], consecutive levels.
Solved SolvePyramid(const std::vector<Level>& levels, const std::vector<std::vector<double>>& noisy);

}  // namespace kith::points
