// The non-decreasing sequence nearest to a noisy one: post-processing, costs no privacy.
#pragma once
#include <vector>

namespace kith::points {

/// Least squares with equal weights, by pooling neighbours that are out of order. Linear time.
std::vector<double> Isotonic(const std::vector<double>& noisy);

}  // namespace kith::points
