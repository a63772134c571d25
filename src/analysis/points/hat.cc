#include "analysis/points/hat.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace kith::points {
namespace {

/// The interval that holds x, and how far into it x is.
struct Place {
  std::size_t cell;
  double into;
};
Place Find(double x, std::size_t cells) {
  const double scaled = std::clamp(x, 0.0, 1.0) * static_cast<double>(cells);
  const auto cell = std::min(static_cast<std::size_t>(scaled), cells - 1);
  return {cell, scaled - static_cast<double>(cell)};
}

/// How much of the cell around node c, in units of cells, is in [low, high].
double Share(std::size_t node, std::size_t cells, double low, double high) {
  const auto c = static_cast<double>(node);
  const double from = std::max(0.0, c - 0.5);
  const double to = std::min(static_cast<double>(cells), c + 0.5);
  const double inside = std::min(to, high) - std::max(from, low);
  return inside > 0 ? inside / (to - from) : 0;
}

/// Nodes whose cells can meet [low, high].
struct Nodes {
  std::size_t first, last;
};
Nodes Meeting(double low, double high, std::size_t cells) {
  const double top = static_cast<double>(cells);
  return {static_cast<std::size_t>(std::clamp(std::floor(low), 0.0, top)),
          static_cast<std::size_t>(std::clamp(std::ceil(high) + 1, 0.0, top))};
}

}  // namespace

double HatSensitivity1(double delta, std::size_t cells) {
  KITH_CHECK(delta > 0 && cells > 0);
  return std::min(2.0, 2 * delta * static_cast<double>(cells));
}

double HatSensitivity2(double delta, std::size_t cells, Metric metric) {
  // The sum of both coordinates' moves is at most this many times delta.
  const double both = metric == Metric::kL1 ? 1 : metric == Metric::kEuclidean ? std::sqrt(2.0) : 2;
  return std::min(2.0, both * HatSensitivity1(delta, cells));
}

std::vector<double> HatCounts1(std::span<const double> points, std::size_t cells) {
  std::vector<double> counts(cells + 1, 0.0);
  for (const double x : points) {
    const Place at = Find(x, cells);
    counts[at.cell] += 1 - at.into;
    counts[at.cell + 1] += at.into;
  }
  return counts;
}

std::vector<double> HatCounts2(std::span<const Point> points, std::size_t cells) {
  const std::size_t side = cells + 1;
  std::vector<double> counts(side * side, 0.0);
  for (const Point& point : points) {
    const Place x = Find(point.x, cells);
    const Place y = Find(point.y, cells);
    double* corner = &counts[x.cell * side + y.cell];
    corner[0] += (1 - x.into) * (1 - y.into);
    corner[1] += (1 - x.into) * y.into;
    corner[side] += x.into * (1 - y.into);
    corner[side + 1] += x.into * y.into;
  }
  return counts;
}

double RangeCount1(std::span<const double> counts, double low, double high) {
  const std::size_t cells = counts.size() - 1;
  const double scale = static_cast<double>(cells);
  const Nodes nodes = Meeting(low * scale, high * scale, cells);
  double sum = 0;
  for (std::size_t c = nodes.first; c <= nodes.last; ++c) sum += counts[c] * Share(c, cells, low * scale, high * scale);
  return sum;
}

double RangeCount2(std::span<const double> counts, std::size_t cells, const Box& box) {
  KITH_CHECK(counts.size() == (cells + 1) * (cells + 1));
  const double scale = static_cast<double>(cells);
  const Nodes across = Meeting(box.low.x * scale, box.high.x * scale, cells);
  const Nodes up = Meeting(box.low.y * scale, box.high.y * scale, cells);
  double sum = 0;
  for (std::size_t a = across.first; a <= across.last; ++a) {
    const double wide = Share(a, cells, box.low.x * scale, box.high.x * scale);
    if (wide == 0) continue;
    for (std::size_t b = up.first; b <= up.last; ++b)
      sum += wide * Share(b, cells, box.low.y * scale, box.high.y * scale) * counts[a * (cells + 1) + b];
  }
  return sum;
}

double NodeLoss::worst() const {
  double worst = appears;
  for (const double loss : moves) worst = std::max(worst, loss);
  return worst;
}

NodeLoss LossOfScales(std::span<const double> scales, double delta, std::span<const double> sources) {
  KITH_CHECK(scales.size() >= 2 && delta > 0);
  const std::size_t cells = scales.size() - 1;
  const double per_cell = delta * static_cast<double>(cells);
  NodeLoss loss;
  // Weights move by delta / width at both ends of an interval; a move over several intervals spends part of delta in
  // each. A point that leaves a node altogether moves by at most 1.
  for (std::size_t c = 0; c < cells; ++c)
    loss.moves.push_back(std::min(1.0, per_cell) * (1 / scales[c] + 1 / scales[c + 1]));
  if (per_cell > 1) {
    // Moves from node to node farther away: both nodes' whole weight.
    const auto reach = static_cast<std::size_t>(std::ceil(per_cell));
    double largest = 0;
    for (std::size_t c = 0; c <= cells; ++c)
      for (std::size_t d = c + 1; d <= std::min(cells, c + reach + 1); ++d)
        largest = std::max(largest, 1 / scales[c] + 1 / scales[d]);
    for (double& one : loss.moves) one = largest;
  }
  // An added point at x loses sum of phi_c(x) / scale_c: piecewise linear, so the ends of each piece are enough.
  const auto at = [&](double x) {
    const Place place = Find(x, cells);
    return (1 - place.into) / scales[place.cell] + place.into / scales[place.cell + 1];
  };
  for (const double source : sources) {
    const double low = std::clamp(source - delta, 0.0, 1.0);
    const double high = std::clamp(source + delta, 0.0, 1.0);
    loss.appears = std::max({loss.appears, at(low), at(high)});
    for (std::size_t c = 0; c <= cells; ++c) {
      const double node = static_cast<double>(c) / static_cast<double>(cells);
      if (node >= low && node <= high) loss.appears = std::max(loss.appears, 1 / scales[c]);
    }
  }
  return loss;
}

}  // namespace kith::points
