// Exact counts of positions, at nodes by hat functions or in cells, in whole numbers.  Claims: claims/points.md
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/points/fit.h"
#include "analysis/points/moves.h"
#include "base/int128.h"

namespace kith::points {

/// What one point adds to all counts of a level together: 1 in cells, and with hats the product of the distances
/// between nodes, so that every weight is whole.
Int128 WholePoint(const Ladder& ladder, int log2_cells);

class Counts {
 public:
  Counts(const Ladder& ladder, int log2_cells);
  /// One span for each coordinate; positions in [0, kPositions].
  void Add(std::span<const std::span<const std::int32_t>> positions);
  std::int64_t points() const { return points_; }
  /// The counts; as if nothing had been added afterwards.
  std::vector<Int128> Take();

 private:
  void AddHats(std::span<const std::int32_t> x, std::span<const std::int32_t> y);
  void Flush();

  Ladder ladder_;
  int log2_cells_;
  std::int64_t points_ = 0, since_flush_ = 0;
  std::vector<std::int64_t> recent_;  // no sum of these can overflow before it is flushed
  std::vector<Int128> counts_;
};

/// Exactly the counts that the next coarser level would have.
std::vector<Int128> CoarserCounts(const Ladder& ladder, const std::vector<Int128>& counts, int log2_cells);

}  // namespace kith::points
