// Jointly Gaussian records and a linear question: the answer given one record is a pure shift, so the loss is exact.
// Source: docs/theory/published.md#gaussian-models. Double arithmetic, for comparison.
#pragma once
#include "published/secret.h"

namespace kith::published {

struct GaussianShift {
  std::vector<double> slopes;  // how far the mean of the answer moves when record i moves by 1, the others following
  std::vector<double> shifts;  // over the whole range of a secret: its W-infinity
  double worst = 0;            // Laplace noise of scale worst / epsilon has loss exactly epsilon for the worst record
};
/// For the answer sum of weights_i X_i, X Gaussian with this covariance, secrets X_i = t against t' with |t - t'| <=
/// range. Requires: a square covariance matrix with positive diagonal, one weight for each record, range >= 0.
GaussianShift GaussianShiftOf(const Matrix& covariance, std::span<const double> weights, double range);

}  // namespace kith::published
