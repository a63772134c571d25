#include "published/laplace_loss.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "published/laplace_mixture.h"

namespace kith::published {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Largest difference of two logarithms at one place of the grid, over all places.
double WidestSpread(std::size_t places, const std::vector<std::vector<double>>& logs) {
  double widest = 0;
  for (std::size_t k = 0; k < places; ++k) {
    double low = kInfinity;
    double high = -kInfinity;
    for (const auto& law : logs) {
      low = std::min(low, law[k]);
      high = std::max(high, law[k]);
    }
    if (high > low) widest = std::max(widest, high - low);
  }
  return widest;
}

}  // namespace

double LaplaceLoss(const Secret& secret, double scale) {
  KITH_CHECK(scale > 0);
  std::vector<std::vector<double>> logs;
  for (const auto& law : secret.given) logs.push_back(LogMixture(secret.axes, law, scale));
  return WidestSpread(GridPoints(secret.axes), logs);
}

double LaplaceLoss(std::span<const Secret> secrets, double scale) {
  double worst = 0;
  for (const Secret& secret : secrets) worst = std::max(worst, LaplaceLoss(secret, scale));
  return worst;
}

double NoiselessLoss(const Secret& secret) {
  std::vector<std::vector<double>> logs;
  for (const auto& law : secret.given) {
    for (double& p : logs.emplace_back(law)) p = std::log(p);
  }
  return WidestSpread(GridPoints(secret.axes), logs);
}

double NoiselessLoss(std::span<const Secret> secrets) {
  double worst = 0;
  for (const Secret& secret : secrets) worst = std::max(worst, NoiselessLoss(secret));
  return worst;
}

double CalibratedScale(std::span<const Secret> secrets, double epsilon, double floor) {
  KITH_CHECK(epsilon > 0 && floor >= 0);
  double high = 0;  // no answer moves farther than across the grid
  for (const Secret& secret : secrets) {
    double spans = 0;
    for (const Axis& axis : secret.axes) spans += axis.back() - axis.front();
    high = std::max(high, spans / epsilon);
  }
  const double least = floor / epsilon;
  if (high <= least || NoiselessLoss(secrets) <= epsilon) return least;
  for (double wider = 1e-15; LaplaceLoss(secrets, high) > epsilon; wider *= 2) high *= 1 + wider;  // rounding only
  double low = least;
  if (low > 0 && LaplaceLoss(secrets, low) <= epsilon) return low;
  while (high - low > high * 1e-12) {
    // By ratio as long as the lower end is far away: small scales are found as quickly as large ones.
    const double middle = low == 0 ? high / 16 : high > 2 * low ? std::sqrt(low * high) : (low + high) / 2;
    if (!(middle > low && middle < high)) break;
    if (LaplaceLoss(secrets, middle) <= epsilon) {
      high = middle;
    } else {
      low = middle;
    }
  }
  return high;
}

namespace {

/// Integral over [0, gap] of the positive part of (a e^{-u/s} + b e^{-(gap-u)/s}) / (2 s).
double PositivePart(double a, double b, double gap, double s) {
  const auto primitive = [&](double u) { return (b * std::exp(-(gap - u) / s) - a * std::exp(-u / s)) / 2; };
  const double whole = primitive(gap) - primitive(0);
  if (a >= 0 && b >= 0) return whole;
  if (a <= 0 && b <= 0) return 0;
  const double root = std::clamp((gap + s * std::log(-a / b)) / 2, 0.0, gap);
  return std::max(0.0, a > 0 ? primitive(root) - primitive(0) : primitive(gap) - primitive(root));
}

double DeltaOf(const Axis& axis, const std::vector<double>& p, const std::vector<double>& q, double scale,
               double epsilon) {
  std::vector<double> weights(p.size());
  for (std::size_t k = 0; k < p.size(); ++k) weights[k] = p[k] - std::exp(epsilon) * q[k];
  const OneSided sums = OneSidedSums(axis, weights, scale);
  double delta = std::max(0.0, sums.right.front() / 2) + std::max(0.0, sums.left.back() / 2);
  for (std::size_t k = 0; k + 1 < axis.size(); ++k) {
    delta += PositivePart(sums.left[k], sums.right[k + 1], axis[k + 1] - axis[k], scale);
  }
  return delta;
}

}  // namespace

double ExactDelta(std::span<const Secret> secrets, double scale, double epsilon) {
  KITH_CHECK(scale > 0 && epsilon >= 0);
  double worst = 0;
  for (const Secret& secret : secrets) {
    KITH_CHECK(secret.axes.size() == 1);
    for (const auto& p : secret.given) {
      for (const auto& q : secret.given) {
        if (&p != &q) worst = std::max(worst, DeltaOf(secret.axes[0], p, q, scale, epsilon));
      }
    }
  }
  return worst;
}

}  // namespace kith::published
