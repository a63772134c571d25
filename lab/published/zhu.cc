#include "published/zhu.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace kith::published {

CorrelatedSensitivity CorrelatedSensitivityOf(const Matrix& degrees, std::span<const double> sensitivities,
                                              double threshold) {
  CorrelatedSensitivity result;
  for (const auto& row : degrees) {
    KITH_CHECK(row.size() == sensitivities.size());
    double sum = 0;
    for (std::size_t j = 0; j < row.size(); ++j) {
      if (std::abs(row[j]) >= threshold) sum += std::abs(row[j]) * sensitivities[j];
    }
    result.per_record.push_back(sum);
    result.worst = std::max(result.worst, sum);
  }
  return result;
}

Matrix PearsonDegrees(const ListedLaw& law) {
  const std::size_t n = law.empty() ? 0 : law[0].values.size();
  std::vector<double> means(n, 0.0);
  for (const Database& database : law) {
    for (std::size_t i = 0; i < n; ++i) means[i] += database.p * database.values[i];
  }
  Matrix products(n, std::vector<double>(n, 0.0));
  for (const Database& database : law) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        products[i][j] += database.p * (database.values[i] - means[i]) * (database.values[j] - means[j]);
      }
    }
  }
  Matrix degrees(n, std::vector<double>(n, 0.0));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const double scale = std::sqrt(products[i][i] * products[j][j]);
      degrees[i][j] = i == j ? 1 : scale > 0 ? products[i][j] / scale : 0;
    }
  }
  return degrees;
}

}  // namespace kith::published
