#include "analysis/points/fit.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "analysis/error_bar.h"
#include "analysis/points/scales.h"
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

// sum over levels of R^T precision R, where R makes a level from the finest. Levels without counts add nothing.
class Normal {
 public:
  Normal(const Ladder& ladder, const std::vector<NoisyLevel>& levels)
      : ladder_(ladder), coarsest_(levels.front().log2_cells), by_level_(Count(levels), nullptr) {
    for (const NoisyLevel& level : levels) by_level_[static_cast<std::size_t>(level.log2_cells - coarsest_)] = &level;
  }

  Numbers operator()(const Numbers& finest) const {
    std::vector<Numbers> down(by_level_.size());
    down.back() = finest;
    for (std::size_t l = by_level_.size() - 1; l-- > 0;)
      down[l] = ladder_.SumsOfCoarserLevel(down[l + 1], LevelOf(l + 1));
    return Gather(std::move(down));
  }

  Numbers RightSide() const {
    std::vector<Numbers> counts;
    for (std::size_t l = 0; l < by_level_.size(); ++l)
      counts.push_back(by_level_[l] != nullptr ? by_level_[l]->counts : Numbers(ladder_.Size(LevelOf(l)), 0.0));
    return Gather(std::move(counts));
  }

  /// What nearly solves it.
  Scales Nearly() const {
    std::vector<double> precision;
    for (const NoisyLevel* level : by_level_) {
      const double sum = level == nullptr ? 0 : std::accumulate(level->precision.begin(), level->precision.end(), 0.0);
      precision.push_back(level == nullptr ? 0 : sum / static_cast<double>(level->precision.size()));
    }
    return {ladder_, coarsest_, coarsest_ + static_cast<int>(by_level_.size()) - 1, precision};
  }

 private:
  static std::size_t Count(const std::vector<NoisyLevel>& levels) {
    return static_cast<std::size_t>(levels.back().log2_cells - levels.front().log2_cells) + 1;
  }
  int LevelOf(std::size_t index) const { return coarsest_ + static_cast<int>(index); }

  Numbers Gather(std::vector<Numbers> by_level) const {
    for (std::size_t l = 0; l < by_level_.size(); ++l) {
      Numbers& here = by_level[l];
      if (by_level_[l] == nullptr) {
        std::fill(here.begin(), here.end(), 0.0);
      } else {
        const Numbers& precision = by_level_[l]->precision;
        for (std::size_t k = 0; k < here.size(); ++k) here[k] *= precision[k];
      }
      if (l > 0) ladder_.AddFiner(by_level[l - 1], LevelOf(l), here);
    }
    return std::move(by_level.back());
  }

  const Ladder& ladder_;
  int coarsest_;
  std::vector<const NoisyLevel*> by_level_;
};

struct Solved {
  Numbers x;
  int steps = 0;
  double residual = 0;
};

// Conjugate gradients, each residual divided by what is known at its scale.
Solved Solve(const Normal& normal, const Numbers& right, Numbers start) {
  const Scales nearly = normal.Nearly();
  Solved solved{std::move(start), 0, 0};
  Numbers residual = normal(solved.x);
  for (std::size_t k = 0; k < residual.size(); ++k) residual[k] = right[k] - residual[k];
  const double size = Dot(right, nearly.Divide(right));
  Numbers divided = nearly.Divide(residual), direction = divided;
  double squared = Dot(residual, divided);
  const auto relative = [&] { return size > 0 && squared > 0 ? std::sqrt(squared / size) : 0; };
  solved.residual = relative();
  while (solved.residual > 1e-7 && solved.steps < 200) {
    const Numbers image = normal(direction);
    const double step = squared / Dot(direction, image);
    for (std::size_t k = 0; k < residual.size(); ++k) {
      solved.x[k] += step * direction[k];
      residual[k] -= step * image[k];
    }
    divided = nearly.Divide(residual);
    const double next = Dot(residual, divided);
    for (std::size_t k = 0; k < residual.size(); ++k) direction[k] = divided[k] + next / squared * direction[k];
    squared = next;
    solved.residual = relative();
    ++solved.steps;
  }
  return solved;
}

// The nearest array without negative counts that adds up to the total.
void Project(Numbers& x, double total) {
  // All counts fall by one amount and stop at zero: those that stop are put aside until none does.
  double sum = 0;
  std::size_t active = x.size();
  for (const double v : x) sum += v;
  double fall = (sum - total) / static_cast<double>(active);
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
    fall = (kept - total) / static_cast<double>(active);
  }
  for (double& v : x) v = std::max(v - fall, 0.0);
}

double LargestEigenvalue(const Normal& normal, std::size_t size) {
  Numbers x(size, 1.0);
  double value = 0;
  for (int round = 0; round < 12; ++round) {
    const double length = std::sqrt(Dot(x, x));
    for (double& v : x) v /= length;
    x = normal(x);
    value = std::sqrt(Dot(x, x));
  }
  return 1.05 * value;
}

// Accelerated projected gradients, restarted whenever they go the wrong way.
int Constrain(const Normal& normal, const Numbers& right, double total, Numbers& x) {
  const double step = 1 / LargestEigenvalue(normal, x.size());
  Project(x, total);
  Numbers ahead = x, before = x;
  double momentum = 1;
  // It need not be the very best: a large grid gets fewer steps, so that it takes seconds.
  const int most = std::clamp(static_cast<int>(6e7 / static_cast<double>(x.size())), 60, 200);
  for (int k = 1; k <= most; ++k) {
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
  return most;
}

// Where the search for counts without negative ones starts: the unbiased ones, cut at zero, and then as many in each
// part of the region as the best fit on a coarser level has there.
Numbers StartFrom(const Ladder& ladder, const Numbers& counts, int finest, const Numbers& coarse, int coarser) {
  Numbers start = counts;
  for (double& count : start) count = std::max(count, 0.0);
  Numbers times = start;
  for (int l = finest; l > coarser; --l) times = ladder.SumsOfCoarserLevel(times, l);
  for (std::size_t k = 0; k < times.size(); ++k) times[k] = times[k] > 0 ? std::min(coarse[k] / times[k], 2.0) : 1;
  for (int l = coarser + 1; l <= finest; ++l) {
    Numbers finer(ladder.Size(l), 0.0);
    ladder.AddFiner(times, l, finer);
    times = std::move(finer);
  }
  for (std::size_t k = 0; k < start.size(); ++k) start[k] *= times[k];
  return start;
}

}  // namespace

std::vector<double> Ladder::SumsOfCoarserLevel(const std::vector<double>& counts, int log2_cells) const {
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

std::vector<double> Fit::Nearest() const {
  constexpr double kPart = 0.7;
  Numbers nearest(counts.size());
  for (std::size_t k = 0; k < nearest.size(); ++k) nearest[k] = kPart * not_negative[k] + (1 - kPart) * counts[k];
  return nearest;
}

Fit FitLevels(const Ladder& ladder, const std::vector<NoisyLevel>& levels, std::optional<double> total) {
  KITH_CHECK(!levels.empty());
  for (std::size_t l = 0; l < levels.size(); ++l) {
    KITH_CHECK(levels[l].counts.size() == ladder.Size(levels[l].log2_cells));
    KITH_CHECK(levels[l].precision.size() == levels[l].counts.size());
    KITH_CHECK(l == 0 || levels[l].log2_cells > levels[l - 1].log2_cells);
  }
  const Normal normal(ladder, levels);
  const Numbers right = normal.RightSide();
  Solved solved = Solve(normal, right, normal.Nearly().Divide(right));
  if (total) {
    // The best fit with this sum: what is missing is shared as the uncertainty of the sum is.
    const Numbers by_total = Solve(normal, Numbers(right.size(), 1.0), Numbers(right.size(), 0.0)).x;
    const auto sum = [](const Numbers& x) { return std::accumulate(x.begin(), x.end(), 0.0); };
    const double missing = (*total - sum(solved.x)) / sum(by_total);
    for (std::size_t k = 0; k < right.size(); ++k) solved.x[k] += missing * by_total[k];
  }
  // Without negative counts there are as many in all as the unbiased fit has, where the number is not known: otherwise
  // noise that is cut at zero would add to it.
  const double all = total.value_or(std::accumulate(solved.x.begin(), solved.x.end(), 0.0));
  Fit fit{solved.x, solved.x, solved.steps, solved.residual};
  if (all <= 0) {
    fit.not_negative.assign(right.size(), 0.0);
    return fit;
  }
  if (levels.size() > 1) {
    const std::vector<NoisyLevel> coarse(levels.begin(), levels.end() - 1);
    fit.not_negative = StartFrom(ladder, fit.counts, levels.back().log2_cells,
                                 FitLevels(ladder, coarse, all).not_negative, coarse.back().log2_cells);
  }
  fit.steps += Constrain(normal, right, all, fit.not_negative);
  return fit;
}

Variances::Variances(const Ladder& ladder, const std::vector<NoisyLevel>& levels, bool total_known)
    : ladder_(ladder), levels_(levels) {
  const std::size_t size = ladder.Size(levels.back().log2_cells);
  if (total_known) by_total_ = Solve(Normal(ladder_, levels_), Numbers(size, 1.0), Numbers(size, 0.0)).x;
}

double Variances::Of(const std::vector<double>& functional) const {
  const Numbers solved = Solve(Normal(ladder_, levels_), functional, Numbers(functional.size(), 0.0)).x;
  double variance = Dot(functional, solved);
  if (!by_total_.empty()) {
    // Given the total, what is known about the sum of all counts is no longer uncertain.
    const double shared = Dot(functional, by_total_);
    variance -= shared * shared / std::accumulate(by_total_.begin(), by_total_.end(), 0.0);
  }
  return std::max(variance, 0.0);
}

double VarianceOf(const Ladder& ladder, const std::vector<NoisyLevel>& levels, const std::vector<double>& functional,
                  bool total_known) {
  return Variances(ladder, levels, total_known).Of(functional);
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

double BarOfFit(double variance, const std::vector<NoisyLevel>& levels) {
  double steps = 0;  // the largest step of a count, in deviations of its noise
  for (const NoisyLevel& level : levels)
    for (const double precision : level.precision) steps = std::max(steps, level.step * std::sqrt(precision));
  return BarOfWeightedSum(variance, steps * std::sqrt(variance));
}

}  // namespace kith::points
