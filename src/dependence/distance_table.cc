#include "dependence/distance_table.h"

#include <cmath>
#include <numeric>

namespace kith {

LawTable DistanceTable(const std::vector<std::vector<double>>& axes, double b, double c) {
  std::size_t places = 1;
  for (const auto& axis : axes) places *= axis.size();
  const auto distance = [&](std::size_t d, std::size_t t) {
    double sum = 0;
    for (std::size_t k = axes.size(); k-- > 0; d /= axes[k].size(), t /= axes[k].size())
      sum += std::abs(axes[k][d % axes[k].size()] - axes[k][t % axes[k].size()]);
    return sum;
  };
  LawTable table;
  for (std::size_t t = 0; t < places; ++t) {
    Law row;
    for (std::size_t d = 0; d < places; ++d) row.push_back(std::pow((distance(d, t) + b) / b, -c));
    const double sum = std::accumulate(row.begin(), row.end(), 0.0);
    for (double& weight : row) weight /= sum;
    table.push_back(std::move(row));
  }
  return table;
}

}  // namespace kith
