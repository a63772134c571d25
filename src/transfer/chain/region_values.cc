#include "transfer/chain/region_values.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "transfer/pair/pair.h"

namespace kith {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kTableError = 0x1p-50;
constexpr std::size_t kMostBySets = 8;  // values: 2^8 sets

/// The largest entry between a value that can occur here and one that can occur there.
template <class Here, class There>
double LargestBetween(const Spread& spread, const Here& here, const There& there) {
  double largest = 0;
  for (std::size_t u = 0; u < spread.values(); ++u) {
    for (std::size_t v = 0; v < spread.values(); ++v) {
      if (here(u) && there(v)) largest = std::max(largest, spread(u, v));
    }
  }
  return largest;
}

}  // namespace

SeveralStep::SeveralStep(const TableRegion& table) : table_(table) {
  const std::size_t n = table.low.size();
  for (std::size_t x = 0; x < n; ++x) {
    for (std::size_t y = 0; y < n; ++y) {
      sets_.push_back(SetsOf(x, y));
      // The ratio P(x | u) / P(y | u) as u varies: its largest value over its smallest.
      double up = 0, down = 0;
      for (std::size_t u = 0; u < n; ++u) {
        const auto ratio = [&](std::size_t above, std::size_t below) {
          if (table.high[u][above] == 0) return 0.0;
          return table.low[u][below] == 0 ? kInfinity : table.high[u][above] / table.low[u][below];
        };
        up = std::max(up, ratio(x, y));
        down = std::max(down, ratio(y, x));
      }
      const double strength = up * down;  // 0 or not a number: one of the two cannot occur
      strengths_.push_back(strength >= 1          ? std::log(strength) * (1 + 0x1p-46) + 0x1p-46
                           : std::isnan(strength) ? kInfinity
                                                  : 0);
    }
  }
}

std::vector<std::pair<double, double>> SeveralStep::SetsOf(std::size_t x, std::size_t y) const {
  const std::size_t n = table_.low.size();
  const auto exact = [&](std::size_t a) { return table_.low[a] == table_.high[a]; };
  std::vector<std::pair<double, double>> sets;
  if (x == y || (exact(x) && exact(y)) || n > kMostBySets) return sets;
  for (unsigned set = 1; set + 1 < 1U << n; ++set) {
    double most_in = 0, least_out = 0, least_in = 0, most_out = 0;
    for (std::size_t v = 0; v < n; ++v) {
      const bool in = (set >> v & 1U) != 0;
      (in ? most_in : least_out) += in ? table_.high[x][v] : table_.low[x][v];
      (in ? least_in : most_out) += in ? table_.low[y][v] : table_.high[y][v];
    }
    const double most = std::min(1.0, std::min(most_in, 1 - least_out) + kTableError * 16);
    const double least = std::max(0.0, std::max(least_in, 1 - most_out) - kTableError * 16);
    if (most > least) sets.emplace_back(most, least);
  }
  // Only those that no other beats in both.
  std::sort(sets.begin(), sets.end(),
            [](const auto& a, const auto& b) { return a.first != b.first ? a.first > b.first : a.second < b.second; });
  std::vector<std::pair<double, double>> best;
  for (const auto& set : sets) {
    if (best.empty() || set.second < best.back().second) best.push_back(set);
  }
  return best;
}

Spread SeveralStep::SeenAfter(const Spread& next) const {
  const std::size_t n = table_.low.size();
  const double largest = next.Largest();
  const auto how = n <= 4 ? SeveralValues::kLinearProgramme : SeveralValues::kLargest;
  Spread seen(n, 0);
  for (std::size_t x = 0; x < n; ++x) {
    for (std::size_t y = 0; y < n; ++y) {
      if (x == y) continue;
      const Law &p = table_.low[x], &q = table_.low[y];
      if (p == table_.high[x] && q == table_.high[y]) {
        seen(x, y) = SpreadLoss(next, p, q, kTableError, how);
        continue;
      }
      double loss = LargestBetween(
          next, [&](std::size_t u) { return table_.high[x][u] > 0; },
          [&](std::size_t v) { return table_.high[y][v] > 0; });
      if (n <= kMostBySets) {
        double by_sets = 0;
        for (const auto& [most, least] : sets_[x * n + y]) by_sets = std::max(by_sets, SetLoss(largest, most, least));
        loss = std::min(loss, by_sets);
      }
      seen(x, y) = loss;
    }
  }
  return seen;
}

Spread SeveralStep::SeenBefore(const Spread& before) const {
  const std::size_t n = table_.low.size();
  const double largest = before.Largest();
  Spread seen(n, 0);
  for (std::size_t x = 0; x < n; ++x) {
    for (std::size_t y = 0; y < n; ++y) {
      if (x == y) continue;
      const double apart = LargestBetween(
          before, [&](std::size_t u) { return table_.high[u][x] > 0; },
          [&](std::size_t v) { return table_.high[v][y] > 0; });
      seen(x, y) = std::min(apart, Phi(strengths_[x * n + y], largest));
    }
  }
  return seen;
}

}  // namespace kith
