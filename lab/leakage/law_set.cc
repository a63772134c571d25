#include "leakage/law_set.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "base/check.h"
#include "leakage/leakage.h"

namespace kith::one_sided {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kRounding = 1e-12;

/// The largest (or smallest) sum of likelihood * p over some cells, given the sum of p: concave (or convex) and linear
/// between its corners, since cells are filled one after the other, the best first.
struct Filling {
  std::vector<double> sum, value;  // corners, in order of the sum

  double first() const { return sum.front(); }
  double last() const { return sum.back(); }
  double At(double s) const {
    const auto above = std::lower_bound(sum.begin(), sum.end(), s);
    if (above == sum.begin()) return value.front();
    if (above == sum.end()) return value.back();
    const auto k = static_cast<std::size_t>(above - sum.begin());
    const double part = (s - sum[k - 1]) / (sum[k] - sum[k - 1]);
    return value[k - 1] + part * (value[k] - value[k - 1]);
  }
};

Filling Fill(const LawSet& set, const std::vector<bool>& marked, bool which, const std::vector<double>& likelihood,
             bool largest) {
  std::vector<std::size_t> order;
  double sum = 0, value = 0;
  for (std::size_t k = 0; k < set.size(); ++k) {
    if (marked[k] != which) continue;
    order.push_back(k);
    sum += set.cells()[k].low;
    value += set.cells()[k].low * likelihood[k];
  }
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return largest ? likelihood[a] > likelihood[b] : likelihood[a] < likelihood[b];
  });
  Filling filling{{sum}, {value}};
  for (const std::size_t k : order) {
    const double room = set.cells()[k].high - set.cells()[k].low;
    if (!(room > 0)) continue;
    sum += room;
    value += room * likelihood[k];
    filling.sum.push_back(sum);
    filling.value.push_back(value);
  }
  return filling;
}

/// One mass against the rest: how much of the law the marked cells can have, and both fillings.
struct Sides {
  Filling marked, rest;
  double least = 0, most = 0;  // of the marked cells

  /// Where something changes its slope, in order, with both ends.
  std::vector<double> Corners() const {
    std::vector<double> corners = {least, most};
    for (const double s : marked.sum) corners.push_back(s);
    for (const double t : rest.sum) corners.push_back(1 - t);
    std::erase_if(corners, [&](double s) { return s < least || s > most; });
    std::sort(corners.begin(), corners.end());
    corners.erase(std::unique(corners.begin(), corners.end()), corners.end());
    return corners;
  }
};

Sides SidesOf(const LawSet& set, const std::vector<bool>& marked, const std::vector<double>& likelihood) {
  Sides sides{Fill(set, marked, true, likelihood, true), Fill(set, marked, false, likelihood, false)};
  sides.least = std::max(sides.marked.first(), 1 - sides.rest.last());
  sides.most = std::min(sides.marked.last(), 1 - sides.rest.first());
  sides.most = std::clamp(sides.most, 0.0, 1.0);
  sides.least = std::clamp(sides.least, 0.0, sides.most);  // rounding may cross them where one law is left
  return sides;
}

/// The largest of P(seen, marked) / P(seen, rest). On each piece it is a ratio of linear functions of the mass, so that
/// corners are enough.
std::optional<double> LargestOdds(const LawSet& set, const std::vector<bool>& marked,
                                  const std::vector<double>& likelihood) {
  const Sides sides = SidesOf(set, marked, likelihood);
  std::optional<double> best;
  for (const double s : sides.Corners()) {
    const double above = sides.marked.At(s), below = sides.rest.At(1 - s);
    if (!(above > 0) && !(below > 0)) continue;
    const double odds = below > 0 ? above / below : kInfinity;
    if (!best || odds > *best) best = odds;
  }
  return best;
}

/// value / sum, and its limit where the sum is 0: the first cell that is filled.
double Mean(const Filling& filling, double s) {
  if (s > kRounding) return filling.At(s) / s;
  if (filling.sum.size() < 2) return 0;
  return (filling.value[1] - filling.value[0]) / (filling.sum[1] - filling.sum[0]);
}

/// The same for (P(seen, marked) / P(marked)) / (P(seen, rest) / P(rest)). On a piece with numerators A + B s and
/// C + D (1 - s) its derivative vanishes where A (C + D) - 2 A D s + (A D + B C) s^2 = 0.
std::optional<double> LargestFactor(const LawSet& set, const std::vector<bool>& marked,
                                    const std::vector<double>& likelihood) {
  const Sides sides = SidesOf(set, marked, likelihood);
  if (!(sides.most > 0) || !(sides.least < 1)) return std::nullopt;
  std::optional<double> best;
  const auto look = [&](double s) {
    const double above = Mean(sides.marked, s), below = Mean(sides.rest, 1 - s);
    if (!(above > 0) && !(below > 0)) return;
    const double factor = below > 0 ? above / below : kInfinity;
    if (!best || factor > *best) best = factor;
  };
  const auto corners = sides.Corners();
  for (std::size_t k = 0; k < corners.size(); ++k) {
    look(corners[k]);
    if (k == 0) continue;
    const double from = corners[k - 1], to = corners[k];
    const double b = (sides.marked.At(to) - sides.marked.At(from)) / (to - from);
    const double a = sides.marked.At(from) - b * from;
    const double d = (sides.rest.At(1 - from) - sides.rest.At(1 - to)) / (to - from);
    const double c = sides.rest.At(1 - to) - d * (1 - to);
    const double square = a * d + b * c, half = a * d, constant = a * (c + d);
    const double root = half * half - square * constant;
    if (!(root >= 0)) continue;
    for (const double sign : {-1.0, 1.0}) {
      const double s = (half + sign * std::sqrt(root)) / square;
      if (s > from && s < to) look(s);
    }
    if (half != 0 && constant / (2 * half) > from && constant / (2 * half) < to) look(constant / (2 * half));
  }
  return best;
}

std::vector<bool> Not(std::vector<bool> marked) {
  marked.flip();
  return marked;
}

}  // namespace

Result<LawSet> LawSet::Make(std::vector<Range> cells, std::vector<double> inside) {
  if (cells.empty() || cells.size() > kMostCells)
    return InvalidArgument("a set of laws has between 1 and 4096 cells", {}, "look at fewer attributes or values");
  double low = 0, high = 0;
  for (const Range& cell : cells) {
    if (!(cell.low >= 0 && cell.low <= cell.high && cell.high <= 1))
      return InvalidArgument("limits of a probability must lie between 0 and 1, the lower one first");
    low += cell.low;
    high += cell.high;
  }
  if (!(low <= 1 + 1e-9 && high >= 1 - 1e-9))
    return InvalidArgument("no law lies between these limits: they cannot add up to 1", {},
                           "make the limits wider, or list what is missing");
  if (inside.empty()) {
    const double part = high > low ? std::clamp((1 - low) / (high - low), 0.0, 1.0) : 0;
    for (const Range& cell : cells) inside.push_back(cell.low + part * (cell.high - cell.low));
  }
  if (inside.size() != cells.size()) return InvalidArgument("a law and its limits have different numbers of cells");
  for (std::size_t k = 0; k < cells.size(); ++k) {
    if (!(inside[k] >= cells[k].low - 1e-9 && inside[k] <= cells[k].high + 1e-9))
      return InvalidArgument("a probability lies outside of its own limits");
  }
  return LawSet(std::move(cells), std::move(inside));
}

LawSet LawSet::Merged(const std::vector<std::size_t>& into, std::size_t cells) const {
  KITH_CHECK(into.size() == size());
  std::vector<Range> merged(cells);
  std::vector<double> inside(cells, 0.0);
  for (std::size_t k = 0; k < size(); ++k) {
    KITH_CHECK(into[k] < cells);
    merged[into[k]].low += cells_[k].low;
    merged[into[k]].high += cells_[k].high;
    inside[into[k]] += inside_[k];
  }
  for (Range& cell : merged) {
    cell.low = std::min(1.0, cell.low);
    cell.high = std::min(1.0, cell.high);
  }
  return LawSet(std::move(merged), std::move(inside));
}

Range LawSet::Share(const std::vector<bool>& marked) const {
  const Sides sides = SidesOf(*this, marked, std::vector<double>(size(), 1.0));
  return {sides.least, sides.most};
}

std::optional<Range> OddsOver(const LawSet& set, const std::vector<bool>& marked,
                              const std::vector<double>& likelihood) {
  KITH_CHECK(marked.size() == set.size() && likelihood.size() == set.size());
  const auto high = LargestOdds(set, marked, likelihood);
  const auto against = LargestOdds(set, Not(marked), likelihood);
  if (!high || !against) return std::nullopt;
  return Range{1 / *against, *high};
}

std::optional<Range> FactorOver(const LawSet& set, const std::vector<bool>& marked,
                                const std::vector<double>& likelihood) {
  KITH_CHECK(marked.size() == set.size() && likelihood.size() == set.size());
  const auto high = LargestFactor(set, marked, likelihood);
  const auto against = LargestFactor(set, Not(marked), likelihood);
  if (!high || !against) return std::nullopt;
  return Range{1 / *against, *high};
}

Range SuppressedOver(const PairLimits& pair, double epsilon) {
  return {SuppressedFactor({pair.d1.low, pair.d2.high}, epsilon),
          SuppressedFactor({pair.d1.high, pair.d2.low}, epsilon)};
}

Range ReleasedOver(const PairLimits& pair) {
  return {ReleasedFactor({pair.d1.high, pair.d2.low}), ReleasedFactor({pair.d1.low, pair.d2.high})};
}

}  // namespace kith::one_sided
