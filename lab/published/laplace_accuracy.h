// The Laplace law, and how far off an answer with Laplace noise is. Source: Liu, Chakraborty, Mittal 2016, Theorems 1
// and 10; docs/theory/published.md#accuracy (one number or several). Double arithmetic; never used to draw noise.
#pragma once
#include <cstddef>

namespace kith::published {

/// The scale of Laplace noise for plain differential privacy. Requires: sensitivity >= 0, epsilon > 0.
double LaplaceScale(double sensitivity, double epsilon);
/// For records that move together, one sensitivity each: the sum over the group. Same requirements.
double GroupScale(double sum_of_sensitivities, double epsilon);

/// Requires: scale > 0.
double LaplaceDensity(double x, double scale);
double LaplaceBelow(double x, double scale);       // P(noise <= x)
double LaplaceQuantile(double u, double scale);    // 0 < u < 1
double LaplaceBeyond(double alpha, double scale);  // P(|noise| > alpha), alpha >= 0
/// The alpha with P(|noise| > alpha) = beta, for one number. Requires: 0 < beta < 1.
double LaplaceErrorAt(double beta, double scale);

/// P(all of `count` noises stay within alpha), and P(their absolute values add up to less than alpha).
double AllWithin(double alpha, double scale, std::size_t count);
double SumWithin(double alpha, double scale, std::size_t count);

}  // namespace kith::published
