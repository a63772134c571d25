// A noisy curve made as smooth as its noise allows: post-processing, costs no privacy.
#pragma once
#include <vector>

namespace kith::points {

/// The curve through noisy values of equal variance, with exact ends `first` and `last` one position before and after
/// them, that trades squared distance for squared differences of second or third order. How much is chosen by Mallows'
/// Cp, an unbiased estimate of the error for noise of any shape whose variance is known.
std::vector<double> Smooth(const std::vector<double>& noisy, double variance, double first, double last);

}  // namespace kith::points
