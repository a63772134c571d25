// From noisy cumulative sums to a curve that can be shown: it does not fall, and has bars for each point and a band for
// all of them. Sees noisy numbers only, so that it costs no privacy.  Claims: claims/prefix.md
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "mechanism/noise.h"
#include "workload/prefix_toeplitz.h"
#include "workload/prefix_tree.h"

namespace kith::cumulative {

/// 95 % bars of sums with known noise, before anything is done to them.
struct CurveBars {
  std::vector<double> each;      // each point by itself
  std::vector<double> together;  // all points at once
  double range = 0;              // of the difference of any two of them, one pair by itself
};

/// Of sums made of numbers that each have their own noise of this law.
CurveBars BarsOf(const workload::PrefixToeplitz& root, const Noise& noise);
/// The same for a tree: the noise of each level.
CurveBars BarsOf(const workload::PrefixTree& tree, std::span<const Noise> noises);

struct CurvePoint {
  double count = 0;          // whole
  double bar = 0;            // whole: each point by itself
  double low = 0, high = 0;  // whole: all points at once
};

/// Ensures [PREFIX-4]: counts, low and high do not fall, and low <= count <= high; where every exact sum is within its
/// bar of the noisy one, it is within the bar of its point, and where all are within the bars of all, all are between
/// low and high. Requires: as many bars as sums; the exact sums are whole numbers of at least 0 that do not fall.
std::vector<CurvePoint> CurveOf(const std::vector<double>& sums, const CurveBars& bars);

/// A 95 % bar of the difference of the counts of any two points, one pair by itself: the sums' bar plus what the counts
/// were moved by.
double RangeBarOf(const std::vector<CurvePoint>& curve, const std::vector<double>& sums, const CurveBars& bars);

/// Where a rank is on the curve: the point up to which this part of the rows lies.
struct RankPoint {
  double value = 0;  // in cells: 3.5 is the middle of the fourth
  std::size_t low = 0, high = 0;
};
/// Ensures [PREFIX-5]: where all exact sums are between low and high of the curve, the cell of the rank is from low to
/// high, for all ranks at once. Requires: at least one point, ranks between 0 and 1.
std::vector<RankPoint> RanksOn(const std::vector<CurvePoint>& curve, std::span<const double> ranks);

}  // namespace kith::cumulative
