#include "analysis/points/fit.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/check.h"

namespace kith::points {
namespace {

using Numbers = std::vector<double>;

double Dot(const Numbers& a, const Numbers& b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

// One coordinate. Hats: coarse[j] = fine[2j] + (fine[2j-1] + fine[2j+1]) / 2; cells: coarse[j] = fine[2j] + fine[2j+1].
// `at(j)` gives element j of the fine line, which has `fine` of them.
void CoarsenLine(Basis basis, const double* fine, std::size_t count, double* coarse) {
  if (basis == Basis::kCells) {
    for (std::size_t j = 0; j < count / 2; ++j) coarse[j] = fine[2 * j] + fine[2 * j + 1];
    return;
  }
  const std::size_t last = count / 2;
  for (std::size_t j = 0; j <= last; ++j) {
    const double before = j > 0 ? fine[2 * j - 1] : 0, after = j < last ? fine[2 * j + 1] : 0;
    coarse[j] = fine[2 * j] + 0.5 * (before + after);
  }
}

void RefineLine(Basis basis, const double* coarse, std::size_t count, double* fine) {
  if (basis == Basis::kCells) {
    for (std::size_t k = 0; k < count; ++k) fine[k] += coarse[k / 2];
    return;
  }
  for (std::size_t k = 0; k < count; ++k)
    fine[k] += k % 2 == 0 ? coarse[k / 2] : 0.5 * (coarse[k / 2] + coarse[k / 2 + 1]);
}

// sum over levels of R^T precision R, where R makes a level from the finest.
class Normal {
 public:
  Normal(const Ladder& ladder, const std::vector<NoisyLevel>& levels) : ladder_(ladder), levels_(levels) {}

  Numbers operator()(const Numbers& finest) const {
    std::vector<Numbers> down(levels_.size());
    down.back() = finest;
    for (std::size_t l = levels_.size() - 1; l-- > 0;)
      down[l] = ladder_.Coarser(down[l + 1], levels_[l + 1].log2_cells);
    return Gather(std::move(down));
  }

  Numbers RightSide() const {
    std::vector<Numbers> counts;
    for (const NoisyLevel& level : levels_) counts.push_back(level.counts);
    return Gather(std::move(counts));
  }

 private:
  Numbers Gather(std::vector<Numbers> by_level) const {
    for (std::size_t l = 0; l < levels_.size(); ++l) {
      for (std::size_t k = 0; k < by_level[l].size(); ++k) by_level[l][k] *= levels_[l].precision[k];
      if (l > 0) ladder_.AddFiner(by_level[l - 1], levels_[l].log2_cells, by_level[l]);
    }
    return std::move(by_level.back());
  }

  const Ladder& ladder_;
  const std::vector<NoisyLevel>& levels_;
};

struct Solved {
  Numbers x;
  int steps = 0;
  double residual = 0;
};

// Conjugate gradients.
Solved Solve(const Normal& normal, const Numbers& right, Numbers start) {
  Solved solved{std::move(start), 0, 0};
  Numbers residual = normal(solved.x);
  for (std::size_t k = 0; k < residual.size(); ++k) residual[k] = right[k] - residual[k];
  const double size = std::sqrt(Dot(right, right));
  Numbers direction = residual;
  double squared = Dot(residual, residual);
  solved.residual = size > 0 ? std::sqrt(squared) / size : 0;
  while (solved.residual > 1e-8 && solved.steps < 500) {
    const Numbers image = normal(direction);
    const double step = squared / Dot(direction, image);
    for (std::size_t k = 0; k < residual.size(); ++k) {
      solved.x[k] += step * direction[k];
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

// The nearest array without negative counts that adds up to the total, if there is one.
void Project(Numbers& x, std::optional<double> total) {
  if (!total) {
    for (double& v : x) v = std::max(v, 0.0);
    return;
  }
  // All counts fall by one amount and stop at zero: those that stop are put aside until none does.
  double sum = 0;
  std::size_t active = x.size();
  for (const double v : x) sum += v;
  double fall = (sum - *total) / static_cast<double>(active);
  for (int round = 0; round < 100; ++round) {
    double kept = 0;
    std::size_t count = 0;
    for (const double v : x) {
      if (v > fall) {
        kept += v;
        ++count;
      }
    }
    if (count == 0 || count == active) break;
    active = count;
    fall = (kept - *total) / static_cast<double>(active);
  }
  for (double& v : x) v = std::max(v - fall, 0.0);
}

double LargestEigenvalue(const Normal& normal, std::size_t size) {
  Numbers x(size, 1.0);
  double value = 0;
  for (int round = 0; round < 30; ++round) {
    const double length = std::sqrt(Dot(x, x));
    for (double& v : x) v /= length;
    x = normal(x);
    value = std::sqrt(Dot(x, x));
  }
  return 1.05 * value;
}

// Accelerated projected gradients, restarted whenever they go the wrong way.
int Constrain(const Normal& normal, const Numbers& right, std::optional<double> total, Numbers& x) {
  const double step = 1 / LargestEigenvalue(normal, x.size());
  Project(x, total);
  Numbers ahead = x, before = x;
  double momentum = 1;
  constexpr int kMost = 400;
  for (int k = 1; k <= kMost; ++k) {
    const Numbers image = normal(ahead);
    Numbers next = ahead;
    for (std::size_t i = 0; i < x.size(); ++i) next[i] += step * (right[i] - image[i]);
    Project(next, total);
    double wrong = 0, moved = 0, size = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      wrong += (ahead[i] - next[i]) * (next[i] - x[i]);
      moved += (next[i] - x[i]) * (next[i] - x[i]);
      size += next[i] * next[i];
    }
    const double grown = (1 + std::sqrt(1 + 4 * momentum * momentum)) / 2;
    const double beta = wrong > 0 ? 0 : (momentum - 1) / grown;
    momentum = wrong > 0 ? 1 : grown;
    before = std::move(x);
    x = std::move(next);
    for (std::size_t i = 0; i < x.size(); ++i) ahead[i] = x[i] + beta * (x[i] - before[i]);
    if (moved <= 1e-14 * size) return k;
  }
  return kMost;
}

}  // namespace

std::vector<double> Ladder::Coarser(const std::vector<double>& counts, int log2_cells) const {
  const std::size_t side = Side(log2_cells), half = Side(log2_cells - 1);
  KITH_CHECK(counts.size() == Size(log2_cells));
  const std::size_t lines = dimensions_ == 1 ? 1 : side;
  Numbers rows(lines * half);
  for (std::size_t a = 0; a < lines; ++a) CoarsenLine(basis_, &counts[a * side], side, &rows[a * half]);
  if (dimensions_ == 1) return rows;
  Numbers coarse(half * half);
  for (std::size_t a = 0; a < half; ++a) {
    const double* row = &rows[2 * a * half];
    double* out = &coarse[a * half];
    if (basis_ == Basis::kCells) {
      for (std::size_t b = 0; b < half; ++b) out[b] = row[b] + row[b + half];
      continue;
    }
    for (std::size_t b = 0; b < half; ++b) {
      const double above = a > 0 ? (row - half)[b] : 0, below = a + 1 < half ? row[b + half] : 0;
      out[b] = row[b] + 0.5 * (above + below);
    }
  }
  return coarse;
}

void Ladder::AddFiner(const std::vector<double>& coarse, int log2_cells, std::vector<double>& fine) const {
  const std::size_t side = Side(log2_cells), half = Side(log2_cells - 1);
  KITH_CHECK(fine.size() == Size(log2_cells) && coarse.size() == Size(log2_cells - 1));
  if (dimensions_ == 1) {
    RefineLine(basis_, coarse.data(), side, fine.data());
    return;
  }
  Numbers rows(half * side, 0.0);
  for (std::size_t a = 0; a < half; ++a) RefineLine(basis_, &coarse[a * half], side, &rows[a * side]);
  for (std::size_t a = 0; a < side; ++a) {
    const double* low = &rows[a / 2 * side];
    const double* high = basis_ == Basis::kCells || a % 2 == 0 ? low : low + side;
    for (std::size_t b = 0; b < side; ++b) fine[a * side + b] += 0.5 * (low[b] + high[b]);
  }
}

Fit FitLevels(const Ladder& ladder, const std::vector<NoisyLevel>& levels, std::optional<double> total) {
  KITH_CHECK(!levels.empty());
  for (std::size_t l = 0; l < levels.size(); ++l) {
    KITH_CHECK(levels[l].counts.size() == ladder.Size(levels[l].log2_cells));
    KITH_CHECK(levels[l].precision.size() == levels[l].counts.size());
    KITH_CHECK(l == 0 || levels[l].log2_cells == levels[l - 1].log2_cells + 1);
  }
  const Normal normal(ladder, levels);
  const Numbers right = normal.RightSide();
  Solved solved = Solve(normal, right, levels.back().counts);
  if (total) {
    // The best fit with this sum: what is missing is shared as the uncertainty of the sum is.
    const Numbers by_total = Solve(normal, Numbers(right.size(), 1.0), Numbers(right.size(), 0.0)).x;
    const auto sum = [](const Numbers& x) { return std::accumulate(x.begin(), x.end(), 0.0); };
    const double missing = (*total - sum(solved.x)) / sum(by_total);
    for (std::size_t k = 0; k < right.size(); ++k) solved.x[k] += missing * by_total[k];
  }
  Fit fit{solved.x, solved.x, solved.steps, solved.residual};
  if (total && *total <= 0) {
    fit.not_negative.assign(right.size(), 0.0);
  } else {
    fit.steps += Constrain(normal, right, total, fit.not_negative);
  }
  return fit;
}

double VarianceOf(const Ladder& ladder, const std::vector<NoisyLevel>& levels, const std::vector<double>& functional,
                  bool total_known) {
  const Normal normal(ladder, levels);
  const Numbers solved = Solve(normal, functional, Numbers(functional.size(), 0.0)).x;
  double variance = Dot(functional, solved);
  if (total_known) {
    // Given the total, what is known about the sum of all counts is no longer uncertain.
    const Numbers ones(functional.size(), 1.0);
    const Numbers by_total = Solve(normal, ones, Numbers(functional.size(), 0.0)).x;
    const double shared = Dot(functional, by_total);
    variance -= shared * shared / Dot(ones, by_total);
  }
  return std::max(variance, 0.0);
}

std::vector<double> InsideOf(Basis basis, int log2_cells, double low, double high) {
  const auto cells = static_cast<double>(std::size_t{1} << log2_cells);
  const std::size_t side = (std::size_t{1} << log2_cells) + (basis == Basis::kHats ? 1 : 0);
  Numbers inside(side, 0.0);
  for (std::size_t k = 0; k < side; ++k) {
    const double shift = basis == Basis::kHats ? 0.5 : 0;
    const double from = std::max(0.0, static_cast<double>(k) - shift);
    const double to = std::min(cells, static_cast<double>(k) + 1 - shift);
    const double part = std::min(to, high * cells) - std::max(from, low * cells);
    if (part > 0) inside[k] = part / (to - from);
  }
  return inside;
}

}  // namespace kith::points
