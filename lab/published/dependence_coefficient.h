// The dependence coefficient of dependent differential privacy, as published: Eq. 14 and both readings of Eq. 18.
// Source: Liu, Chakraborty, Mittal 2016, Eqs. 11-21; docs/theory/published.md#dependence-coefficient. Double
// arithmetic, for comparison.
#pragma once
#include "published/secret.h"

namespace kith::published {

/// The declared domain of a record: the box that contains its values.
struct Box {
  std::vector<double> lower;
  std::vector<double> upper;

  /// In L1.
  double Diameter() const;
};
/// The smallest box around all values that a law can take.
Box Around(std::span<const Axis> axes);

enum class Coefficient {
  kEq14,   // the supremum that Eq. 14 means; 0 exactly if the record is independent
  kEq18a,  // Eq. 18 with d* the point farthest from each value: what Appendix B of the paper derives
  kEq18b,  // Eq. 18 with one corner d* for all values, the worst one: tighter, still not below Eq. 14
};

/// rho_ij at a noise scale: `pair` holds the law of D_j given each value of D_i, `domain` is that of D_j. 0 for a
/// domain of one point. rows need not add up to 1 for Eq. 18: unnormalised tables give what the formula gives
/// (docs/theory/published.md#distance-law). Requires: scale > 0.
double DependenceCoefficient(Coefficient which, const Secret& pair, const Box& domain, double scale);

}  // namespace kith::published
