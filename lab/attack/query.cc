#include "attack/query.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "attack/kmeans.h"
#include "base/check.h"

namespace kith::attack {

void Query::Place(const Patterns& patterns, const Grid& grid) {
  users_ = patterns.users;
  q_ = patterns.q;
  for (std::size_t k = 0; k < grid.side(); ++k) {
    rows_.push_back(grid.ScaledRow(k));
    columns_.push_back(grid.ScaledColumn(k));
  }
  scaled_.reserve(2 * patterns.places.size());
  cell_of_.reserve(patterns.places.size());
  for (const Point& p : patterns.places) {
    scaled_.push_back(grid.ScaledLat(p.lat));
    scaled_.push_back(grid.ScaledLon(p.lon));
    cell_of_.push_back(static_cast<std::uint32_t>(grid.CellOf(p)));
  }
}

Result<Query> Query::Centroids(const Patterns& patterns, const Grid& grid, std::size_t clusters, Spread spread,
                               std::uint64_t seed) {
  if (clusters < 1 || clusters > patterns.users)
    return InvalidArgument("there must be at least one user for each cluster", "clusters", "ask for fewer clusters");
  Query query;
  query.question_ = Question::kCentroids;
  query.Place(patterns, grid);
  const std::size_t width = 2 * query.q_;
  query.cluster_of_ = KMeans(query.scaled_, width, clusters, seed);
  query.sizes_.assign(clusters, 0);
  query.answer_.assign(clusters * width, 0);
  for (std::size_t i = 0; i < query.users_; ++i) {
    const std::size_t k = query.cluster_of_[i];
    ++query.sizes_[k];
    for (std::size_t d = 0; d < width; ++d) query.answer_[k * width + d] += query.scaled_[i * width + d];
  }
  const std::size_t smallest = *std::min_element(query.sizes_.begin(), query.sizes_.end());
  query.unit_scales_.resize(query.answer_.size());
  for (std::size_t n = 0; n < query.answer_.size(); ++n) {
    const std::size_t size = query.sizes_[n / width];
    query.answer_[n] /= static_cast<double>(size);
    // Each of 2q coordinates moves by at most 1, the mean by 1/size of it.
    query.unit_scales_[n] =
        static_cast<double>(width) / static_cast<double>(spread == Spread::kUniform ? smallest : size);
  }
  return query;
}

Query Query::CellCounts(const Patterns& patterns, const Grid& grid) {
  Query query;
  query.question_ = Question::kCellCounts;
  query.Place(patterns, grid);
  query.cluster_of_.assign(query.users_, 0);
  query.sizes_.assign(1, query.users_);
  query.answer_.assign(query.q_ * grid.cells(), 0);
  for (std::size_t n = 0; n < query.cell_of_.size(); ++n) {
    ++query.answer_[n % query.q_ * grid.cells() + query.cell_of_[n]];
  }
  // One user leaves a cell and enters another, for every rank.
  query.unit_scales_.assign(query.answer_.size(), 2 * static_cast<double>(query.q_));
  return query;
}

std::vector<double> UnitNoise(std::size_t numbers, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::vector<double> noise(numbers);
  for (double& z : noise) {
    const bool negative = (engine() & 1) != 0;
    const double size = -std::log1p(-Uniform(engine));
    z = negative ? -size : size;
  }
  return noise;
}

Observed Observe(const Query& query, double plain, std::span<const double> unit_noise) {
  KITH_CHECK(plain > 0 && unit_noise.size() == query.answer().size());
  Observed observed{plain, query.answer()};
  for (std::size_t n = 0; n < observed.noisy.size(); ++n) {
    observed.noisy[n] += query.unit_scales()[n] / plain * unit_noise[n];
  }
  return observed;
}

}  // namespace kith::attack
