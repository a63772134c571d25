#include "analysis/points/scales.h"

#include <cmath>

#include "base/check.h"

namespace kith::points {
namespace {

using Numbers = std::vector<double>;

// Solves L D L^T x = b for every line of an array at once: `step` between neighbours of a line, `lines` lines that
// start one after another `between` apart.
void SolveLines(const Numbers& diagonal, const Numbers& up, double* x, std::size_t step, std::size_t lines,
                std::size_t between) {
  const std::size_t n = diagonal.size();
  if (step == 1) {
    for (std::size_t line = 0; line < lines; ++line) {
      double* at = x + line * between;
      for (std::size_t i = 1; i < n; ++i) at[i] -= up[i] * at[i - 1];
      at[n - 1] /= diagonal[n - 1];
      for (std::size_t i = n - 1; i-- > 0;) at[i] = at[i] / diagonal[i] - up[i + 1] * at[i + 1];
    }
    return;
  }
  // Across lines: whole rows at a time.
  for (std::size_t i = 1; i < n; ++i)
    for (std::size_t k = 0; k < lines; ++k) x[i * step + k] -= up[i] * x[(i - 1) * step + k];
  for (std::size_t k = 0; k < lines; ++k) x[(n - 1) * step + k] /= diagonal[n - 1];
  for (std::size_t i = n - 1; i-- > 0;)
    for (std::size_t k = 0; k < lines; ++k)
      x[i * step + k] = x[i * step + k] / diagonal[i] - up[i + 1] * x[(i + 1) * step + k];
}

}  // namespace

Scales::Scales(const Ladder& ladder, int coarsest, int finest, const std::vector<double>& precision)
    : ladder_(ladder), coarsest_(coarsest), finest_(finest) {
  KITH_CHECK(precision.size() == static_cast<std::size_t>(finest - coarsest) + 1 && precision.back() > 0);
  double sum = 0;
  divisors_.resize(precision.size());
  for (std::size_t l = precision.size(); l-- > 0;) {
    // A count of this level is the sum of this many of the finest.
    sum += precision[l] * std::ldexp(1.0, ladder.dimensions() * static_cast<int>(precision.size() - 1 - l));
    divisors_[l] = sum;
  }
  for (int level = coarsest; level < finest; ++level) {
    // Products of the weights that two counts give to the finest ones, along one coordinate.
    const double m = std::ldexp(1.0, finest - level);
    const std::size_t side = ladder.Side(level);
    const bool hats = ladder.basis() == Basis::kHats;
    Numbers diagonal(side, hats ? (2 * m * m + 1) / (3 * m) : m), up(side, 0.0);
    if (hats) diagonal.front() = diagonal.back() = (m + 1) * (2 * m + 1) / (6 * m);
    const double next = hats ? (m * m - 1) / (6 * m) : 0;
    for (std::size_t i = 1; i < side; ++i) {
      up[i] = next / diagonal[i - 1];
      diagonal[i] -= up[i] * next;
    }
    diagonal_.push_back(std::move(diagonal));
    up_.push_back(std::move(up));
  }
}

void Scales::Nearest(int level, std::vector<double>& sums) const {
  const auto at = static_cast<std::size_t>(level - coarsest_);
  const std::size_t side = ladder_.Side(level);
  const bool plane = ladder_.dimensions() == 2;
  SolveLines(diagonal_[at], up_[at], sums.data(), 1, plane ? side : 1, side);
  if (plane) SolveLines(diagonal_[at], up_[at], sums.data(), side, side, 1);
}

std::vector<double> Scales::Divide(const std::vector<double>& right) const {
  // The projection onto level l is finer of its coefficients; a part is the difference of two projections, so each
  // projection counts with the difference of two factors.
  const auto factor = [&](std::size_t l) {
    return 1 / divisors_[l] - (l + 1 < divisors_.size() ? 1 / divisors_[l + 1] : 0.0);
  };
  std::vector<Numbers> sums(divisors_.size());
  sums.back() = right;
  for (std::size_t l = sums.size() - 1; l-- > 0;)
    sums[l] = ladder_.SumsOfCoarserLevel(sums[l + 1], coarsest_ + static_cast<int>(l) + 1);
  for (std::size_t l = 0; l < sums.size(); ++l) {
    const int level = coarsest_ + static_cast<int>(l);
    if (level < finest_) Nearest(level, sums[l]);
    const double times = factor(l);
    for (double& v : sums[l]) v *= times;
    if (l > 0) ladder_.AddFiner(sums[l - 1], level, sums[l]);
  }
  return std::move(sums.back());
}

}  // namespace kith::points
