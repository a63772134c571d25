// Renyi divergences between answers with noise. Source: docs/theory/published.md#renyi-divergences. Double arithmetic,
// for comparison; like the pure loss of one answer, these do not add up over answers about dependent records.
#pragma once
#include "published/secret.h"

namespace kith::published {

/// Bounds of order alpha for answers within W-infinity `shift` of each other. Requires: alpha > 1, noise > 0, shift >=
/// 0.
double GaussianRenyiBound(double alpha, double shift, double noise);  // noise: standard deviation
double LaplaceRenyiBound(double alpha, double shift, double noise);   // noise: scale

/// The divergence of order alpha itself of p + N(0, noise^2) from q + N(0, noise^2), scalar answers on one axis:
/// composite Gauss-Legendre quadrature of a positive integrand in the log domain, right to about 1e-9.
double GaussianRenyi(double alpha, const Axis& axis, std::span<const double> p, std::span<const double> q,
                     double noise);

/// The epsilon of (epsilon, delta) that a divergence of order alpha gives. Requires: alpha > 1, 0 < delta < 1.
double RenyiToEpsilon(double alpha, double divergence, double delta);

}  // namespace kith::published
