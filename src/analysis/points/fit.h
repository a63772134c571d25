// Least squares over counts at several levels: the finest counts that fit all noisy levels best, with the right total
// if that is known. Post-processing: costs no privacy. Source: docs/theory/mechanisms.md#pyramid.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace kith::points {

enum class Basis { kHats, kCells };  // counts at nodes, by hat functions; counts in cells

/// How the counts of a level follow from those of the next finer one; in one or two dimensions, rows with x fixed.
class Ladder {
 public:
  Ladder(Basis basis, int dimensions) : basis_(basis), dimensions_(dimensions) {}

  Basis basis() const { return basis_; }
  int dimensions() const { return dimensions_; }
  std::size_t Side(int log2_cells) const { return (std::size_t{1} << log2_cells) + (basis_ == Basis::kHats ? 1 : 0); }
  std::size_t Size(int log2_cells) const {
    return dimensions_ == 1 ? Side(log2_cells) : Side(log2_cells) * Side(log2_cells);
  }

  /// Counts of level log2_cells - 1, from those of level log2_cells.
  std::vector<double> SumsOfCoarserLevel(const std::vector<double>& counts, int log2_cells) const;
  /// Adds the transpose: what each coarse count says about the fine ones.
  void AddFiner(const std::vector<double>& coarse, int log2_cells, std::vector<double>& fine) const;

 private:
  Basis basis_;
  int dimensions_;
};

struct NoisyLevel {
  int log2_cells = 0;
  std::vector<double> counts;
  std::vector<double> precision;  // of each count: 1 / variance
  double step = 1;                // its counts are multiples of it
};

struct Fit {
  std::vector<double> counts;  // of the finest level; unbiased, so some may be negative
  // The best fit without negative counts: nearer to the truth, and a better picture. But what noise adds to empty
  // places is missing in dense ones: sums are biased, on a grid with many empty cells by many times their bars.
  std::vector<double> not_negative;
  int steps = 0;
  double residual = 0;  // relative, of the least squares before signs and total count

  /// Between the two: what noise adds to empty places mostly goes, and most of what was taken from dense places comes
  /// back. For sums only where coarse levels are so exact that they leave little bias (GridStudy::ForSums).
  std::vector<double> Nearest() const;
};

/// Requires: levels in order, the coarsest first; there may be gaps.
Fit FitLevels(const Ladder& ladder, const std::vector<NoisyLevel>& levels, std::optional<double> total);

/// Variances of sums of functional * count under the noise, in the unbiased fit.
class Variances {
 public:
  /// `levels` must outlive this; their counts are not used and may be empty.
  Variances(const Ladder& ladder, const std::vector<NoisyLevel>& levels, bool total_known);
  double Of(const std::vector<double>& functional) const;

 private:
  Ladder ladder_;
  const std::vector<NoisyLevel>& levels_;
  std::vector<double> by_total_;  // empty: not known
};
/// A 95 % bar of such a sum. Its noise is a sum of the noises of counts with weights: no weight times the deviation of
/// its count is larger than the deviation of the sum, which bounds what a step of a count can add.
double BarOfFit(double variance, const std::vector<NoisyLevel>& levels);
double VarianceOf(const Ladder& ladder, const std::vector<NoisyLevel>& levels, const std::vector<double>& functional,
                  bool total_known);

/// How much of each count of a level along one coordinate is in [low, high], both in [0, 1]. Nodes represent the grid
/// cell around them.
std::vector<double> InsideOf(Basis basis, int log2_cells, double low, double high);

}  // namespace kith::points
