#include "analysis/points/blur.h"

#include <algorithm>
#include <cmath>

namespace kith::points {

RangeSide SideOf(Basis basis, int log2_cells, double low, double high) {
  RangeSide side{InsideOf(basis, log2_cells, low, high), {}};
  const auto& inside = side.inside;
  const std::size_t n = inside.size();
  side.spread.assign(n, 0.0);
  const double cells = std::ldexp(1.0, log2_cells);
  for (std::size_t k = 0; k < n; ++k) {
    if (basis == Basis::kCells) {
      side.spread[k] = inside[k] * (1 - inside[k]);
      continue;
    }
    const auto at = static_cast<double>(k);
    const bool near = std::abs(low * cells - at) < 2 || std::abs(high * cells - at) < 2;
    if (!near) continue;
    // A point between two nodes is counted by the line between their shares; it is inside or not.
    constexpr int kPieces = 16;
    double sum = 0, weights = 0;
    for (int piece = -kPieces; piece < kPieces; ++piece) {
      const double away = (piece + 0.5) / kPieces, place = at + away;
      if (place < 0 || place > cells) continue;
      const std::size_t other = away < 0 ? k - 1 : k + 1;
      const double weight = 1 - std::abs(away), counted = weight * inside[k] + (1 - weight) * inside[other];
      const double truth = place >= low * cells && place < high * cells ? 1 : 0;
      sum += weight * (truth - counted) * (truth - counted);
      weights += weight;
    }
    side.spread[k] = sum / weights;
  }
  return side;
}

double BlurOf(const RangeSide& x, const RangeSide& y, const std::vector<double>& counts) {
  const std::size_t side = x.inside.size();
  double squares = 0;
  if (y.inside.empty()) {
    for (std::size_t k = 0; k < side; ++k) squares += x.spread[k] * counts[k] * counts[k];
    return 2 * std::sqrt(squares);
  }
  for (std::size_t a = 0; a < side; ++a) {
    if (x.inside[a] == 0 && x.spread[a] == 0) continue;
    for (std::size_t b = 0; b < side; ++b) {
      const double spread = x.spread[a] * y.inside[b] + x.inside[a] * x.inside[a] * y.spread[b];
      squares += spread * counts[a * side + b] * counts[a * side + b];
    }
  }
  return 2 * std::sqrt(squares);
}

}  // namespace kith::points
