// The exact dependent loss of one answer with Laplace noise, and the smallest noise for a wanted loss.
// Source: docs/theory/published.md#exact-losses, #exact-delta.  Claims: claims/published.md
#pragma once
#include "published/secret.h"

namespace kith::published {

/// The largest log-ratio, over outputs and pairs of values of the record, of the densities of answer + Laplace(scale)
/// in every coordinate. The worst output is a grid point: with all other coordinates fixed, between two neighbouring
/// coordinates the ratio is a Moebius function of e^{2y/scale}, so monotone; outside the support it is constant.
/// Requires: scale > 0.
/// Ensures [PUBLISHED-1]: the loss about this record of somebody who knows the declared law and no record, up to
/// rounding.
double LaplaceLoss(const Secret& secret, double scale);
/// For the worst of several secrets; 0 if there are none.
double LaplaceLoss(std::span<const Secret> secrets, double scale);

/// The same without noise: infinite as soon as one answer is possible under one value and impossible under another.
double NoiselessLoss(const Secret& secret);
double NoiselessLoss(std::span<const Secret> secrets);

/// The smallest scale whose LaplaceLoss is at most epsilon, by bisection to a relative 1e-12; the upper end is
/// returned. 0 if the answers may be given without noise. The law is one adversary's prior: an answer can need less
/// noise than plain differential privacy calls for (negative dependence), so pass the query's plain sensitivity as
/// `floor` to never go below floor / epsilon; 0 means no floor. Requires: epsilon > 0, floor >= 0. Ensures
/// [PUBLISHED-2]: LaplaceLoss at the returned scale is at most epsilon. For ONE answer: losses of answers that are
/// calibrated like this do not add up.
double CalibratedScale(std::span<const Secret> secrets, double epsilon, double floor);

/// The smallest delta for which one scalar answer with Laplace(scale) noise is (epsilon, delta)-private about each
/// secret: the largest integral of the positive part of p_a - e^epsilon p_b. Requires: scalar answers (one axis), scale
/// > 0, epsilon >= 0. Ensures [PUBLISHED-3]: exact up to rounding; one answer only.
double ExactDelta(std::span<const Secret> secrets, double scale, double epsilon);

}  // namespace kith::published
