#include "published/distance_law.h"

#include <cmath>
#include <numeric>

#include "base/check.h"

namespace kith::published {

double DistanceLaw::Weight(std::span<const double> d, std::span<const double> t) const {
  double distance = 0;
  for (std::size_t k = 0; k < d.size(); ++k) distance += std::abs(d[k] - t[k]);
  return a * std::pow(distance + b, -c);
}

Secret DistanceWeights(const DistanceLaw& law, std::vector<Axis> axes) {
  KITH_CHECK(law.b > 0 && law.c > 0);
  const std::size_t points = GridPoints(axes);
  std::vector<std::vector<double>> at(points, std::vector<double>(axes.size()));
  for (std::size_t position = 0; position < points; ++position) {
    std::size_t rest = position;
    for (std::size_t k = axes.size(); k-- > 0;) {
      at[position][k] = axes[k][rest % axes[k].size()];
      rest /= axes[k].size();
    }
  }
  Secret weights;
  weights.axes = std::move(axes);
  for (const auto& t : at) {
    std::vector<double>& row = weights.given.emplace_back();
    for (const auto& d : at) row.push_back(law.Weight(d, t));
  }
  return weights;
}

Secret NormalisedRows(Secret weights) {
  for (auto& row : weights.given) {
    const double sum = std::accumulate(row.begin(), row.end(), 0.0);
    for (double& weight : row) weight /= sum;
  }
  return weights;
}

}  // namespace kith::published
