#include "published/renyi.h"

#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <cmath>
#include <limits>

#include "base/check.h"

namespace kith::published {
namespace {

/// log of the sum over k of law_k e^{-(y - q_k)^2 / (2 noise^2)}.
double LogGaussians(const Axis& axis, std::span<const double> law, double noise, double y) {
  double top = -std::numeric_limits<double>::infinity();
  const auto exponent = [&](std::size_t k) { return -(y - axis[k]) * (y - axis[k]) / (2 * noise * noise); };
  for (std::size_t k = 0; k < axis.size(); ++k) {
    if (law[k] > 0) top = std::max(top, exponent(k));
  }
  double sum = 0;
  constexpr double kVanishes = -746;  // what e to it is rounded to
  for (std::size_t k = 0; k < axis.size(); ++k) {
    if (law[k] <= 0) continue;
    if (const double below = exponent(k) - top; below > kVanishes) sum += law[k] * std::exp(below);
  }
  return top + std::log(sum);
}

}  // namespace

double GaussianRenyiBound(double alpha, double shift, double noise) {
  KITH_CHECK(alpha > 1 && shift >= 0 && noise > 0);
  return alpha * shift * shift / (2 * noise * noise);
}

double LaplaceRenyiBound(double alpha, double shift, double noise) {
  KITH_CHECK(alpha > 1 && shift >= 0 && noise > 0);
  const double x = shift / noise;
  // As a multiple of the larger exponential, which would overflow first.
  const double rest = (alpha - 1) / (2 * alpha - 1) * std::exp((1 - 2 * alpha) * x);
  return x + std::log(alpha / (2 * alpha - 1) + rest) / (alpha - 1);
}

double GaussianRenyi(double alpha, const Axis& axis, std::span<const double> p, std::span<const double> q,
                     double noise) {
  KITH_CHECK(alpha > 1 && noise > 0 && !axis.empty());
  // p^alpha q^{1-alpha} peaks up to alpha - 1 spans outside the support.
  const double span = axis.back() - axis.front();
  const double low = axis.front() - alpha * span - 14 * noise;
  const double high = axis.back() + alpha * span + 14 * noise;
  const auto log_integrand = [&](double y) {
    return alpha * LogGaussians(axis, p, noise, y) + (1 - alpha) * LogGaussians(axis, q, noise, y);
  };
  const double panels = std::ceil((high - low) / noise);
  double top = -std::numeric_limits<double>::infinity();
  for (double k = 0; k <= 4 * panels; ++k) top = std::max(top, log_integrand(low + (high - low) * k / (4 * panels)));
  double integral = 0;
  for (double k = 0; k < panels; ++k) {
    integral += boost::math::quadrature::gauss<double, 20>::integrate(
        [&](double y) { return std::exp(log_integrand(y) - top); }, low + (high - low) * k / panels,
        low + (high - low) * (k + 1) / panels);
  }
  const double density = std::log(noise * std::sqrt(2 * std::acos(-1.0)));
  return (top + std::log(integral) - density) / (alpha - 1);
}

double RenyiToEpsilon(double alpha, double divergence, double delta) {
  KITH_CHECK(alpha > 1 && delta > 0 && delta < 1);
  return divergence + std::log(1 / delta) / (alpha - 1);
}

}  // namespace kith::published
