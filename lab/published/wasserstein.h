// W-infinity between answers: the least distance over which one law can be moved onto another. Laplace noise of scale
// W / epsilon hides the move. Source: Song, Wang, Chaudhuri 2017 (Wasserstein mechanism);
// docs/theory/published.md#wasserstein-mechanism.
// Claims: claims/published.md. Double arithmetic, for comparison.
#pragma once
#include "published/secret.h"

namespace kith::published {

/// Two laws on one axis. W-infinity jumps with the probabilities, so rounding matters: cumulative sums are taken from
/// the nearer end, where they are small, and compared with a relative slack of 1e-12.
double WassersteinInfinity(const Axis& axis, std::span<const double> p, std::span<const double> q);
/// The least average distance, on one axis.
double WassersteinOne(const Axis& axis, std::span<const double> p, std::span<const double> q);

/// Two laws of a few points in any dimension, L1 distance: the least distance at which a maximum flow carries
/// everything. Requires: at most 400 points in each law.
double WassersteinInfinity(const Atoms& p, const Atoms& q);

/// The largest W-infinity between answers given two values of a record, over all secrets.
/// Ensures [PUBLISHED-5]: Laplace noise of scale W / epsilon on the answer has dependent loss at most epsilon against
/// somebody who knows no record, up to rounding; the same scalar question asked again adds up, different ones do not.
/// Requires: scalar answers.
double WassersteinSensitivity(std::span<const Secret> secrets);

/// What a model error costs: if the true law given each secret is within max-divergence `error` of a declared one, a
/// loss of epsilon becomes this. Source: docs/theory/model.md#model-error.
inline double WithModelError(double epsilon, double error) { return epsilon + 2 * error; }

}  // namespace kith::published
