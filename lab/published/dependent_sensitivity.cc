#include "published/dependent_sensitivity.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"

namespace kith::published {

Result<Pairs> PairsOf(const ListedLaw& law, std::vector<double> sensitivities, std::vector<Box> domains) {
  const std::size_t n = sensitivities.size();
  const bool declared = !domains.empty();
  KITH_CHECK(!law.empty() && law[0].values.size() == n && (!declared || domains.size() == n));
  Pairs pairs{std::move(sensitivities), std::move(domains),
              std::vector<std::vector<Secret>>(n, std::vector<Secret>(n))};
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      auto pair = SecretOf(law, Value(j), i);
      if (!pair) return pair.error();
      pairs.given[i][j] = std::move(*pair);
      if (!declared && i == 0) pairs.domains.push_back(Around(pairs.given[0][j].axes));
    }
  }
  return pairs;
}

DependentSensitivity DependentSensitivityAt(const Pairs& pairs, Coefficient which, Units units, double scale) {
  DependentSensitivity result;
  const std::size_t n = pairs.sensitivities.size();
  for (std::size_t i = 0; i < n; ++i) {
    double sum = pairs.sensitivities[i];
    for (std::size_t j = 0; j < n; ++j) {
      const double moves = pairs.sensitivities[j];
      const double diameter = pairs.domains[j].Diameter();
      if (j == i || moves == 0 || diameter == 0 || pairs.given[i][j].given.size() < 2) continue;
      const double at = units == Units::kLiteral ? scale : scale * diameter / moves;
      sum += moves * DependenceCoefficient(which, pairs.given[i][j], pairs.domains[j], at);
    }
    result.per_record.push_back(sum);
    result.worst = std::max(result.worst, sum);
  }
  return result;
}

double PublishedScale(const Pairs& pairs, Coefficient which, Units units, double epsilon) {
  KITH_CHECK(epsilon > 0);
  // Coefficients are in [0, 1].
  double low = *std::max_element(pairs.sensitivities.begin(), pairs.sensitivities.end()) / epsilon;
  double high = std::accumulate(pairs.sensitivities.begin(), pairs.sensitivities.end(), 0.0) / epsilon;
  if (high == 0) return 0;
  const auto fits = [&](double scale) {
    return DependentSensitivityAt(pairs, which, units, scale).worst <= scale * epsilon;
  };
  if (fits(low)) return low;
  while (high - low > high * 1e-13) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) break;
    (fits(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace kith::published
