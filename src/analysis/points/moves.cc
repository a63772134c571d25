#include "analysis/points/moves.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/check.h"

namespace kith::points {
namespace {

constexpr double kUp = 1 + 1e-12;

// What a displacement of d positions does to the weights along one coordinate: half the L1 change, at most 1.
double Part(double displacement, double width) { return std::min(1.0, displacement / width * kUp); }

}  // namespace

bool MoveReach::Anywhere() const {
  return std::any_of(semi.begin(), semi.end(), [](double s) { return std::isinf(s); });
}

std::int64_t LargestMove(const MoveReach& reach) {
  KITH_CHECK(reach.semi.size() == 1);
  const double most = std::floor((reach.semi[0] + reach.slack[0]) * kUp);
  return most < static_cast<double>(kPositions) ? static_cast<std::int64_t>(most) : kPositions;
}

double HatChange(const MoveReach& reach, std::int64_t width) {
  KITH_CHECK(width > 0 && !reach.semi.empty() && reach.semi.size() <= 2);
  const auto w = static_cast<double>(width);
  if (reach.Anywhere()) return 1;
  if (reach.semi.size() == 1) return Part(reach.semi[0] + reach.slack[0], w);
  // Weights of two coordinates multiply: they are laws of two independent draws, and two such pairs of draws agree with
  // probability at least (1 - a)(1 - b). The border of the reach is divided into pieces, each bounded by its largest
  // displacement along either coordinate.
  constexpr int kPieces = 2048;
  double largest = 0;
  for (int k = 0; k < kPieces; ++k) {
    const double from = static_cast<double>(k) / kPieces, to = static_cast<double>(k + 1) / kPieces;
    const double x = reach.diamond ? to : std::sin(to * std::numbers::pi / 2);
    const double y = reach.diamond ? 1 - from : std::cos(from * std::numbers::pi / 2);
    const double a = Part(x * reach.semi[0] + reach.slack[0], w), b = Part(y * reach.semi[1] + reach.slack[1], w);
    largest = std::max(largest, (a + b - a * b) * kUp);
  }
  return std::min(largest, 1.0);
}

double HatSlope(const MoveReach& reach, std::int64_t width) {
  KITH_CHECK(width > 0 && !reach.Anywhere());
  double squares = 0, most = 0;
  for (const double semi : reach.semi) {
    squares += semi * semi;
    most = std::max(most, semi);
  }
  return (reach.diamond ? most : std::sqrt(squares)) / static_cast<double>(width) * kUp + HatRounding(reach, width);
}

double HatRounding(const MoveReach& reach, std::int64_t width) {
  double sum = 0;
  for (const double slack : reach.slack) sum += slack;
  return sum / static_cast<double>(width) * kUp;
}

}  // namespace kith::points
