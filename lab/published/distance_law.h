// Where a friend lives: the distance law of dependent differential privacy, on a grid. Source: Liu, Chakraborty, Mittal
// 2016, Eq. 26 (constants of Backstrom, Sun, Marlow 2010); docs/theory/published.md#distance-law. Double arithmetic,
// for comparison.
#pragma once
#include "published/secret.h"

namespace kith::published {

/// weight(d, t) = a (|d - t|_1 + b)^-c. b is in the units of the distance: 0.196 is in miles.
struct DistanceLaw {
  double a = 0.0019;
  double b = 0.196;
  double c = 1.05;

  double Weight(std::span<const double> d, std::span<const double> t) const;
};

/// The weights of all points d of a grid given each point t of the same grid: not laws, their sums differ from 1.
/// Rows are in grid order, the last axis fastest. The axes may have one or more dimensions.
/// Requires: increasing axes; b > 0 and c > 0.
Secret DistanceWeights(const DistanceLaw& law, std::vector<Axis> axes);

/// Every row divided by its sum: a cancels. The rows need not be the conditional laws of any joint law, so they are for
/// pairwise coefficients only.
Secret NormalisedRows(Secret weights);

}  // namespace kith::published
