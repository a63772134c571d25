#include "published/laplace_accuracy.h"

#include <cmath>

#include "base/check.h"

namespace kith::published {

double LaplaceScale(double sensitivity, double epsilon) {
  KITH_CHECK(sensitivity >= 0 && epsilon > 0);
  return sensitivity / epsilon;
}

double GroupScale(double sum_of_sensitivities, double epsilon) { return LaplaceScale(sum_of_sensitivities, epsilon); }

double LaplaceDensity(double x, double scale) { return std::exp(-std::abs(x) / scale) / (2 * scale); }

double LaplaceBelow(double x, double scale) {
  const double tail = std::exp(-std::abs(x) / scale) / 2;
  return x < 0 ? tail : 1 - tail;
}

double LaplaceQuantile(double u, double scale) {
  KITH_CHECK(u > 0 && u < 1);
  return u < 0.5 ? scale * std::log(2 * u) : -scale * std::log(2 * (1 - u));
}

double LaplaceBeyond(double alpha, double scale) { return std::exp(-alpha / scale); }

double LaplaceErrorAt(double beta, double scale) {
  KITH_CHECK(beta > 0 && beta < 1);
  return -scale * std::log(beta);
}

double AllWithin(double alpha, double scale, std::size_t count) {
  return std::pow(-std::expm1(-alpha / scale), static_cast<double>(count));
}

double SumWithin(double alpha, double scale, std::size_t count) {
  const double x = alpha / scale;  // |noise| / scale is exponential, so the sum is an Erlang variable
  double term = std::exp(-x);
  double beyond = 0;
  for (std::size_t k = 0; k < count; ++k) {
    beyond += term;
    term *= x / static_cast<double>(k + 1);
  }
  return 1 - beyond;
}

}  // namespace kith::published
