// How far a move can change counts of points. Positions are whole steps of a lattice, 2^20 along each side of the
// region, so that counts and their bounds are whole numbers.  Claims: claims/points.md
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/result.h"
#include "loss/loss.h"

namespace kith::points {

inline constexpr int kLog2Positions = 20;
inline constexpr std::int64_t kPositions = std::int64_t{1} << kLog2Positions;  // a position is in [0, kPositions]

/// All displacements of a position in one step between neighbours: sum of (d_k / semi_k)^2 <= 1, or of |d_k| / semi_k
/// if `diamond`, and then as much as `slack_k` more in each coordinate, from rounding.
struct MoveReach {
  std::vector<double> semi;   // one for each coordinate; infinite: any change of the position
  std::vector<double> slack;  // at least 0
  bool diamond = false;

  bool Anywhere() const;
};

/// The largest change of the position on a line. Requires: one coordinate.
std::int64_t LargestMove(const MoveReach& reach);

/// Half the largest L1 change of a position's hat weights (which add up to 1) when nodes are `width` positions apart.
/// Ensures [POINTS-6]: at least the change of every displacement in reach; at most 1.
double HatChange(const MoveReach& reach, std::int64_t width);
/// The same in proportion to the distance: twice this, times d / delta, bounds the change of a move by d, up to what
/// rounding adds. Not limited to 1.
double HatSlope(const MoveReach& reach, std::int64_t width);
/// The part of HatSlope that rounding adds.
double HatRounding(const MoveReach& reach, std::int64_t width);

}  // namespace kith::points
