// Laplace noise on finite laws, evaluated at the support in linear time: exact recurrences instead of double sums.
// Source: docs/theory/published.md#exact-losses.
#pragma once
#include "published/secret.h"

namespace kith::published {

/// One-sided sums over weights w_j at the points q_j of an axis:
/// left[k] = sum over j <= k of w_j e^{-(q_k - q_j)/scale}, right[k] = sum over j >= k of w_j e^{-(q_j - q_k)/scale}.
struct OneSided {
  std::vector<double> left;
  std::vector<double> right;
};
OneSided OneSidedSums(const Axis& axis, std::span<const double> weights, double scale);

/// At every point y of the grid: log of the sum over q of law(q) e^{-|y - q|_1 / scale}. Works with probabilities where
/// they cannot underflow and with logarithms elsewhere. A law of total mass 0 gives -infinity.
std::vector<double> LogMixture(std::span<const Axis> axes, std::span<const double> law, double scale);

}  // namespace kith::published
