#include "analysis/points/depth.h"

#include <algorithm>
#include <cmath>

namespace kith::points {

double LeastPoints(const Ladder& ladder, int log2_cells, double epsilon, double change) {
  // A level twice as fine halves the border's grid cells in width and has twice as many of them on a plane: it pays
  // when there are four times as many points, on a line twice as many. The constants are measured
  // (bench/points_bench.cc): 128 x 128 nodes from 2,700 points on at epsilon 1, when a move changes a whole point. Grid
  // cells blur less than hats of the same width, so one level less is enough.
  const bool plane = ladder.dimensions() == 2;
  const int level = log2_cells + (ladder.basis() == Basis::kCells ? 1 : 0);
  const double needed = plane ? 2700 * std::exp2(2.0 * (level - 7)) : 8 * std::exp2(level);
  return needed * change / epsilon;
}

int DepthFor(const Ladder& ladder, double points, double epsilon, const std::function<double(int)>& change, int most) {
  constexpr int kLeast = 3;
  int level = std::min(kLeast, most);
  while (level < most && points >= LeastPoints(ladder, level + 1, epsilon, change(level + 1))) ++level;
  return level;
}

std::vector<int> PyramidTo(int finest) {
  std::vector<int> levels;
  for (int l = finest; l >= std::min(1, finest); l -= 2) levels.insert(levels.begin(), l);
  return levels;
}

double LevelWeight(const Ladder& ladder, int log2_cells, double sensitivity) {
  // A range is made of coarse pieces and, along its border, of finer ones: about the root of a level's counts. The sum
  // of their variances alone would be smallest with the cube root; coarse levels get a little more, because the best
  // fit without negative counts leans on them.
  const double pieces = ladder.dimensions() == 1 ? 1 : std::sqrt(static_cast<double>(ladder.Size(log2_cells)));
  return std::pow(pieces * sensitivity * sensitivity, 0.27);
}

}  // namespace kith::points
