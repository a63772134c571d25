// Counts of points by hat functions: each point is shared between the nodes around it, so that a small move changes the
// counts little. Coordinates are scaled to [0, 1]; nodes are at 0, 1/cells, ..., 1.
// Source: docs/theory/mechanisms.md#hats, docs/theory/mechanisms.md#sources.  Claims: claims/points.md
#pragma once
#include <cstddef>
#include <span>
#include <vector>

namespace kith::points {

struct Point {
  double x = 0;
  double y = 0;
};

enum class Metric { kEuclidean, kL1, kMax };

/// How far the counts of one point can change, in L1, when it moves by at most `delta`.
/// Requires: delta > 0, cells >= 1.
/// Ensures [POINTS-1]: at least the largest change over all moves, in one and in two dimensions.
double HatSensitivity1(double delta, std::size_t cells);
double HatSensitivity2(double delta, std::size_t cells, Metric metric);

/// Counts by node; coordinates beyond [0, 1] count at the border. Two dimensions: row by row, x varies slowest.
std::vector<double> HatCounts1(std::span<const double> points, std::size_t cells);
std::vector<double> HatCounts2(std::span<const Point> points, std::size_t cells);

/// An axis-parallel rectangle.
struct Box {
  Point low, high;
};

/// Points inside, when the count of a node is spread evenly over the cell around it. One dimension: [low, high].
double RangeCount1(std::span<const double> counts, double low, double high);
double RangeCount2(std::span<const double> counts, std::size_t cells, const Box& box);

/// The loss of one-dimensional counts with a separate noise scale at each node, when new points can appear within
/// `delta` of a source. Nodes far from every source may keep a small scale.
struct NodeLoss {
  std::vector<double> moves;  // for each interval between nodes: the worst move of delta
  double appears = 0;         // the worst point that is added near a source; 0 without sources
  double worst() const;
};
/// Requires: one positive scale for each of cells + 1 nodes.
/// Ensures [POINTS-2]: no move of at most delta and no added point loses more.
NodeLoss LossOfScales(std::span<const double> scales, double delta, std::span<const double> sources);

}  // namespace kith::points
