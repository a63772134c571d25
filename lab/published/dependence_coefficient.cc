#include "published/dependence_coefficient.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>

#include "base/check.h"
#include "published/laplace_loss.h"

namespace kith::published {
namespace {

/// Calls f(position on the grid, coordinates).
void ForEachPoint(std::span<const Axis> axes, const std::function<void(std::size_t, const std::vector<double>&)>& f) {
  std::vector<double> at(axes.size());
  for (std::size_t position = 0; position < GridPoints(axes); ++position) {
    std::size_t rest = position;
    for (std::size_t k = axes.size(); k-- > 0;) {
      at[k] = axes[k][rest % axes[k].size()];
      rest /= axes[k].size();
    }
    f(position, at);
  }
}

/// max over t of log of the sum over d of p(d|t) e^{far(d)/scale}, times scale.
double LargestLogMoment(const Secret& pair, const std::vector<double>& far, double scale) {
  const double largest = *std::max_element(far.begin(), far.end());
  double worst = -std::numeric_limits<double>::infinity();
  for (const auto& law : pair.given) {
    double sum = 0;
    for (std::size_t k = 0; k < law.size(); ++k) sum += law[k] * std::exp((far[k] - largest) / scale);
    worst = std::max(worst, largest + scale * std::log(sum));
  }
  return worst;
}

/// Distances from every grid point to the farthest corner, or to the corner whose upper sides `corner` has as bits.
std::vector<double> Distances(const Secret& pair, const Box& domain, std::optional<std::size_t> corner) {
  std::vector<double> far(GridPoints(pair.axes), 0.0);
  ForEachPoint(pair.axes, [&](std::size_t position, const std::vector<double>& at) {
    for (std::size_t k = 0; k < at.size(); ++k) {
      const double to_lower = std::abs(at[k] - domain.lower[k]);
      const double to_upper = std::abs(domain.upper[k] - at[k]);
      if (!corner) far[position] += std::max(to_lower, to_upper);
      if (corner) far[position] += (*corner >> k & 1) != 0 ? to_upper : to_lower;
    }
  });
  return far;
}

}  // namespace

double Box::Diameter() const {
  double sum = 0;
  for (std::size_t k = 0; k < lower.size(); ++k) sum += upper[k] - lower[k];
  return sum;
}

Box Around(std::span<const Axis> axes) {
  Box box;
  for (const Axis& axis : axes) {
    box.lower.push_back(axis.front());
    box.upper.push_back(axis.back());
  }
  return box;
}

double DependenceCoefficient(Coefficient which, const Secret& pair, const Box& domain, double scale) {
  KITH_CHECK(scale > 0);
  const double diameter = domain.Diameter();
  if (diameter == 0) return 0;
  if (which == Coefficient::kEq14) return LaplaceLoss(pair, scale) * scale / diameter;
  if (which == Coefficient::kEq18a) {
    return LargestLogMoment(pair, Distances(pair, domain, std::nullopt), scale) / diameter;
  }
  double worst = -std::numeric_limits<double>::infinity();
  for (std::size_t corner = 0; corner < std::size_t{1} << pair.axes.size(); ++corner) {
    worst = std::max(worst, LargestLogMoment(pair, Distances(pair, domain, corner), scale));
  }
  return worst / diameter;
}

}  // namespace kith::published
