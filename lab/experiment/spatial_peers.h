// How others publish where points are, as published, each with a total epsilon that is shared out in the open: a
// uniform grid, a quadtree and a kd-tree with geometric shares and least squares, and an adaptive grid. Simulations for
// comparison: nothing is released.
//
// Neighbours: one point is put somewhere else, the number of points is public. A mechanism whose parts add up to e for
// points that are added or removed then loses 2 e, so the parts of a total epsilon add up to epsilon / 2.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "experiment/simulate.h"

namespace kith::experiment {

/// In the unit square.
struct Spot {
  double x = 0, y = 0;
};
struct Rectangle {
  double x0 = 0, y0 = 0, x1 = 1, y1 = 1;
  bool Holds(const Spot& spot) const { return spot.x >= x0 && spot.x < x1 && spot.y >= y0 && spot.y < y1; }
};

/// Counts of rectangles, from whatever was published.
class RangeCounter {
 public:
  virtual ~RangeCounter() = default;
  virtual double Count(const Rectangle& range) const = 0;
};

/// Equal cells; inside a cell points are spread evenly.
class GridCounter final : public RangeCounter {
 public:
  /// Row by row, x varies slowest.
  GridCounter(std::size_t cells, const std::vector<double>& counts);
  double Count(const Rectangle& range) const override;

 private:
  double Below(double x, double y) const;
  std::size_t cells_;
  std::vector<double> sums_;
};

/// Boxes inside boxes.
class TreeCounter final : public RangeCounter {
 public:
  struct Node {
    Rectangle box;
    double count = 0;
    std::size_t first_child = 0, children = 0;
  };
  explicit TreeCounter(std::vector<Node> nodes) : nodes_(std::move(nodes)) {}  // the root first
  double Count(const Rectangle& range) const override { return CountIn(0, range); }

 private:
  double CountIn(std::size_t node, const Rectangle& range) const;
  std::vector<Node> nodes_;
};

/// What each step of a mechanism may lose for a point that is added or removed, in the order of the steps.
struct Share {
  std::string step;
  double epsilon = 0;
};
using Shares = std::vector<Share>;
/// What they lose together when one point is put somewhere else.
double TotalOf(const Shares& shares);

/// Draws of noise; nothing: no noise at all, for tests.
using Draws = Simulated*;

// Equal cells, noise in each. The published choice of their number (Qardaji, Yang, Li 2013): sqrt(N e / 10) per side.
Shares GridShares(double epsilon);
std::size_t GuidelineCells(std::size_t points, double epsilon);
GridCounter NoisyGrid(const std::vector<Spot>& points, std::size_t cells, double epsilon, Draws draws);

// Quadtree (Cormode, Procopiuc, Srivastava, Shen, Yu 2012): counts at every level below the root, whose count is
// public; shares grow by 2^(1/3) from level to level; least squares over the tree.
Shares QuadtreeShares(int height, double epsilon);
GridCounter NoisyQuadtree(const std::vector<Spot>& points, int height, double epsilon, Draws draws);

// kd-tree, hybrid (same source): the upper half of the levels is cut at private medians, first in x, then in y, the
// lower half in the middle; 30 % of the budget for medians (the exponential mechanism on ranks), the rest for counts as
// in the quadtree.
Shares KdTreeShares(int height, double epsilon);
TreeCounter NoisyKdTree(const std::vector<Spot>& points, int height, double epsilon, Draws draws);

// Adaptive grid (Qardaji, Yang, Li 2013): a coarse grid with half of the budget, each cell cut again by its noisy
// count, constrained inference. All parameters as published.
Shares AdaptiveGridShares(double epsilon);
TreeCounter NoisyAdaptiveGrid(const std::vector<Spot>& points, double epsilon, Draws draws);

}  // namespace kith::experiment
