#include "published/gaussian_model.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace kith::published {

GaussianShift GaussianShiftOf(const Matrix& covariance, std::span<const double> weights, double range) {
  KITH_CHECK(range >= 0 && covariance.size() == weights.size());
  GaussianShift result;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    KITH_CHECK(covariance[i][i] > 0);
    double with_answer = 0;
    for (std::size_t j = 0; j < weights.size(); ++j) with_answer += covariance[i][j] * weights[j];
    result.slopes.push_back(with_answer / covariance[i][i]);
    result.shifts.push_back(range * std::abs(result.slopes.back()));
    result.worst = std::max(result.worst, result.shifts.back());
  }
  return result;
}

}  // namespace kith::published
