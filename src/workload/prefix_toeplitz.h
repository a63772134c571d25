// Cumulative sums of ordered cells with normal noise: what is measured is not the cells but their sums with the weights
// of the square root of the matrix of cumulative sums (1, 1/2, 3/8, 5/16, ...), in whole numbers.
// Source: docs/theory/workload.md#cumulative-sums.  Claims: claims/prefix.md
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/int128.h"
#include "base/result.h"
#include "loss/loss.h"
#include "workload/prefix_change.h"

namespace kith::workload {

/// Immutable.
class PrefixToeplitz {
 public:
  static constexpr std::size_t kMostCells = 65536;
  static constexpr int kMostBits = 20;

  /// Weights of the root as multiples of 2^-bits, with as many bits as fit the change, at most `bits`.
  /// Requires: 1 to kMostCells cells. Fails: kUnsupportedQuery if a unit can move too much.
  static Result<PrefixToeplitz> Root(std::size_t cells, const MovedRows& moved, int bits = kMostBits);
  /// The cells themselves: one weight, of 1.
  static Result<PrefixToeplitz> Cells(std::size_t cells, const MovedRows& moved);

  /// In whole numbers: weights times counts, added up, times 2^bits. Requires: a count for each cell, 0 to 2^48.
  /// Ensures [PREFIX-1]: when one unit's rows change, they change by at most change(), in L1 and in L2.
  std::vector<Int128> Measure(std::span<const std::int64_t> counts) const;
  const Sensitivities& change() const { return change_; }

  /// Of what was measured, with noise: all cumulative sums of the counts. Without noise they are exact except for the
  /// rounding of doubles.
  std::vector<double> Sums(std::span<const Int128> noisy) const;
  /// The variance of the noise of each of them, for a variance of 1 of what is measured (in its own whole numbers).
  std::vector<double> Variances() const;
  /// The largest for the rows between two of the cells' borders.
  double LargestRangeVariance() const;
  /// By how much at most all of them move if each number that is measured moves by 1.
  double LargestMove() const;

  std::size_t cells() const { return cells_; }
  int bits() const { return bits_; }
  const std::vector<std::int64_t>& weights() const { return weights_; }

 private:
  PrefixToeplitz(std::size_t cells, int bits, std::vector<std::int64_t> weights, const Sensitivities& change);
  static Result<PrefixToeplitz> Make(std::size_t cells, const MovedRows& moved, int bits,
                                     std::vector<std::int64_t> weights);

  std::size_t cells_;
  int bits_;
  std::vector<std::int64_t> weights_;  // may be fewer than cells: the others are 0
  Sensitivities change_;
  std::vector<double> back_;  // a cumulative sum is the sum of these times what was measured, the last one first
};

}  // namespace kith::workload
