// Cumulative sums of ordered cells with Laplace noise: the counts of blocks of neighbouring cells on several levels,
// put together by least squares. Which blocks, and which part of the budget for each level, follows only from the
// number of cells.  Source: docs/theory/workload.md#cumulative-sums.  Claims: claims/prefix.md
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/int128.h"
#include "workload/prefix_change.h"

namespace kith::workload {

/// Immutable.
class PrefixTree {
 public:
  struct Level {
    std::size_t size = 1;  // cells of a block; each level's divides the next one's, and the first is 1
    std::size_t blocks = 1;
    std::int64_t l1 = 0;  // Ensures [PREFIX-2]: by how much one unit's rows can move the counts of all blocks
    double share = 1;     // of the budget; all levels together: 1
  };

  /// The levels with the smallest mean variance of all cumulative sums, as far as a search finds them.
  /// Requires: at least one cell, moved.l1 >= 1.
  static PrefixTree Best(std::size_t cells, const MovedRows& moved);
  /// Only the cells.
  static PrefixTree Cells(std::size_t cells, const MovedRows& moved);
  /// Blocks of these sizes with these shares. Requires: as of Level.
  static PrefixTree Of(std::size_t cells, const std::vector<std::size_t>& sizes, std::vector<double> shares,
                       const MovedRows& moved);

  const std::vector<Level>& levels() const { return levels_; }
  std::size_t cells() const { return cells_; }

  /// The counts of all blocks of a level. Requires: a count for each cell, 0 to 2^48.
  std::vector<Int128> Measure(std::size_t level, std::span<const std::int64_t> counts) const;

  /// Of the noisy counts of all levels: all cumulative sums, by least squares. Without noise they are exact except for
  /// the rounding of doubles. `variances`: of the noise of one count, by level, above 0.
  std::vector<double> Sums(const std::vector<std::vector<double>>& noisy, std::span<const double> variances) const;
  /// The variance of the noise of each of them.
  std::vector<double> Variances(std::span<const double> variances) const;
  /// The largest for the rows between two of the cells' borders.
  double LargestRangeVariance(std::span<const double> variances) const;
  /// For each level: no noise of it has a larger weight in any of the sums, or the smaller.
  std::vector<double> LargestWeights(std::span<const double> variances) const;
  /// The mean of Variances() where the noise is that of a continuous Laplace law for a budget of 1.
  double MeanVariance() const;

 private:
  PrefixTree() = default;

  std::size_t cells_ = 0;
  std::vector<Level> levels_;
};

}  // namespace kith::workload
