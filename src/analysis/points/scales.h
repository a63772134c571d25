// Splits counts into parts by scale: what a grid of each level can represent and the next coarser one cannot. The parts
// are orthogonal, and least squares over several levels nearly falls apart into one problem for each: so a few steps of
// conjugate gradients solve it. Source: docs/theory/mechanisms.md#pyramid.
#pragma once
#include <vector>

#include "analysis/points/fit.h"

namespace kith::points {

class Scales {
 public:
  /// Levels `coarsest` .. `finest`; `precision`: of a count of each level, on average.
  /// Requires: a positive precision of the finest level.
  Scales(const Ladder& ladder, int coarsest, int finest, const std::vector<double>& precision);

  /// About the solution of least squares with this right side: each part over the precision that all levels together
  /// have at its scale. Symmetric and positive.
  std::vector<double> Divide(const std::vector<double>& right) const;

 private:
  /// The coefficients of the nearest array that the level can represent, from its sums.
  void Nearest(int level, std::vector<double>& sums) const;

  Ladder ladder_;
  int coarsest_, finest_;
  std::vector<double> divisors_;                    // by level
  std::vector<std::vector<double>> diagonal_, up_;  // by level: Gram matrix of one coordinate as L D L^T
};

}  // namespace kith::points
