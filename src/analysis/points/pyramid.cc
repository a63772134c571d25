#include "analysis/points/pyramid.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace kith::points {
namespace {

using Grid = std::vector<double>;

/// Adds weight * (the transpose of Coarser): each coarse node reaches its fine neighbours with 1/2, 1, 1/2 each way.
void AddFiner(const Grid& coarse, std::size_t fine_cells, Grid& fine) {
  const std::size_t side = fine_cells + 1;
  const std::size_t half = fine_cells / 2 + 1;
  // First along y into rows that exist at the coarse level, then along x.
  Grid rows(half * side, 0.0);
  for (std::size_t a = 0; a < half; ++a) {
    for (std::size_t b = 0; b < side; ++b) {
      const double* row = &coarse[a * half];
      rows[a * side + b] = b % 2 == 0 ? row[b / 2] : 0.5 * (row[b / 2] + row[b / 2 + 1]);
    }
  }
  for (std::size_t a = 0; a < side; ++a) {
    const double* low = &rows[a / 2 * side];
    const double* high = a % 2 == 0 ? low : low + side;
    for (std::size_t b = 0; b < side; ++b) fine[a * side + b] += 0.5 * (low[b] + high[b]);
  }
}

double Dot(const Grid& a, const Grid& b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

/// sum over levels of R^T R x / scale^2, where R makes level l from the finest. One walk down, one walk up.
class Normal {
 public:
  explicit Normal(const std::vector<Level>& levels) : levels_(levels) {}

  Grid operator()(const Grid& finest) const {
    std::vector<Grid> down(levels_.size());
    down.back() = finest;
    for (std::size_t l = levels_.size() - 1; l-- > 0;) down[l] = Coarser(down[l + 1], levels_[l + 1].cells());
    return Gather(std::move(down));
  }

  /// R^T y / scale^2, summed over levels.
  Grid Gather(std::vector<Grid> by_level) const {
    for (std::size_t l = 0; l < levels_.size(); ++l) {
      const double weight = 1 / (levels_[l].scale * levels_[l].scale);
      for (double& count : by_level[l]) count *= weight;
      if (l > 0) AddFiner(by_level[l - 1], levels_[l].cells(), by_level[l]);
    }
    return std::move(by_level.back());
  }

 private:
  const std::vector<Level>& levels_;
};

}  // namespace

Result<std::vector<Level>> PyramidLevels(int coarsest, int finest, double delta, Metric metric, double epsilon) {
  if (coarsest < 0 || finest > 12 || coarsest > finest)
    return InvalidArgument("the levels of a pyramid lie between 0 and 12, the coarsest first");
  if (!(delta > 0 && std::isfinite(delta))) return InvalidArgument("delta must be a positive number");
  if (!(epsilon > 0 && std::isfinite(epsilon))) return InvalidArgument("epsilon must be a positive number");
  std::vector<Level> levels;
  double sum = 0;
  for (int l = coarsest; l <= finest; ++l) {
    Level level{l, 0, 0, 0};
    level.sensitivity = HatSensitivity2(delta, level.cells(), metric);
    level.epsilon = std::cbrt(static_cast<double>(level.nodes()) * level.sensitivity * level.sensitivity);
    sum += level.epsilon;
    levels.push_back(level);
  }
  for (Level& level : levels) {
    level.epsilon = epsilon * (level.epsilon / sum) * (1 - 1e-15 * static_cast<double>(levels.size()));
    level.scale = level.sensitivity / level.epsilon;
  }
  return levels;
}

std::vector<double> Coarser(const std::vector<double>& counts, std::size_t cells) {
  KITH_CHECK(cells % 2 == 0 && counts.size() == (cells + 1) * (cells + 1));
  const std::size_t side = cells + 1;
  const std::size_t half = cells / 2 + 1;
  Grid rows(half * side);
  for (std::size_t a = 0; a < half; ++a) {
    const double* row = &counts[2 * a * side];
    for (std::size_t b = 0; b < side; ++b) {
      const double before = a > 0 ? row[b - side] : 0;
      const double after = a + 1 < half ? row[b + side] : 0;
      rows[a * side + b] = row[b] + 0.5 * (before + after);
    }
  }
  Grid coarse(half * half);
  for (std::size_t a = 0; a < half; ++a) {
    const double* row = &rows[a * side];
    for (std::size_t b = 0; b < half; ++b) {
      const double before = b > 0 ? row[2 * b - 1] : 0;
      const double after = b + 1 < half ? row[2 * b + 1] : 0;
      coarse[a * half + b] = row[2 * b] + 0.5 * (before + after);
    }
  }
  return coarse;
}

Solved SolvePyramid(const std::vector<Level>& levels, const std::vector<std::vector<double>>& noisy) {
  KITH_CHECK(!levels.empty() && levels.size() == noisy.size());
  for (std::size_t l = 0; l < levels.size(); ++l) KITH_CHECK(noisy[l].size() == levels[l].nodes());
  const Normal normal(levels);
  Solved solved{noisy.back(), 0, 0};
  Grid residual = normal.Gather(noisy);
  const double size = std::sqrt(Dot(residual, residual));
  const Grid start = normal(solved.counts);
  for (std::size_t k = 0; k < residual.size(); ++k) residual[k] -= start[k];
  Grid direction = residual;
  double squared = Dot(residual, residual);
  solved.residual = size > 0 ? std::sqrt(squared) / size : 0;
  while (solved.residual > 1e-8 && solved.steps < 500) {
    const Grid image = normal(direction);
    const double step = squared / Dot(direction, image);
    for (std::size_t k = 0; k < residual.size(); ++k) {
      solved.counts[k] += step * direction[k];
      residual[k] -= step * image[k];
    }
    const double next = Dot(residual, residual);
    for (std::size_t k = 0; k < residual.size(); ++k) direction[k] = residual[k] + next / squared * direction[k];
    squared = next;
    solved.residual = std::sqrt(squared) / size;
    ++solved.steps;
  }
  return solved;
}

}  // namespace kith::points
