#include "published/laplace_mixture.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kith::published {
namespace {

/// Below this many scales from end to end, e^{-distance/scale} and sums of probabilities stay far from underflow.
constexpr double kWithoutLogarithms = 500;

double LogAdd(double a, double b) {
  const double larger = std::max(a, b);
  if (larger == -std::numeric_limits<double>::infinity()) return larger;
  return larger + std::log1p(std::exp(std::min(a, b) - larger));
}

/// line[k] <- sum over j of line[j] e^{-|q_k - q_j|/scale}.
void Smooth(const Axis& axis, double scale, std::vector<double>& line) {
  const std::size_t n = axis.size();
  std::vector<double> left(n);
  double sum = 0;
  for (std::size_t k = 0; k < n; ++k) {
    sum = (k == 0 ? 0 : sum * std::exp(-(axis[k] - axis[k - 1]) / scale)) + line[k];
    left[k] = sum;
  }
  sum = 0;
  for (std::size_t k = n; k-- > 0;) {
    const double own = line[k];
    line[k] = left[k] + sum;
    if (k > 0) sum = (sum + own) * std::exp(-(axis[k] - axis[k - 1]) / scale);
  }
}

/// The same with logarithms.
void SmoothLogs(const Axis& axis, double scale, std::vector<double>& line) {
  const std::size_t n = axis.size();
  std::vector<double> left(n);
  double sum = -std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < n; ++k) {
    if (k > 0) sum -= (axis[k] - axis[k - 1]) / scale;
    sum = LogAdd(sum, line[k]);
    left[k] = sum;
  }
  sum = -std::numeric_limits<double>::infinity();
  for (std::size_t k = n; k-- > 0;) {
    const double own = line[k];
    line[k] = LogAdd(left[k], sum);
    if (k > 0) sum = LogAdd(sum, own) - (axis[k] - axis[k - 1]) / scale;
  }
}

template <class F>
void AlongEveryAxis(std::span<const Axis> axes, double scale, std::vector<double>& grid, F smooth) {
  std::size_t stride = grid.size();
  std::vector<double> line;
  for (const Axis& axis : axes) {
    const std::size_t block = stride;
    stride /= axis.size();
    for (std::size_t start = 0; start < grid.size(); start += block) {
      for (std::size_t offset = 0; offset < stride; ++offset) {
        line.resize(axis.size());
        for (std::size_t k = 0; k < axis.size(); ++k) line[k] = grid[start + offset + k * stride];
        smooth(axis, scale, line);
        for (std::size_t k = 0; k < axis.size(); ++k) grid[start + offset + k * stride] = line[k];
      }
    }
  }
}

}  // namespace

OneSided OneSidedSums(const Axis& axis, std::span<const double> weights, double scale) {
  const std::size_t n = axis.size();
  OneSided sums{std::vector<double>(weights.begin(), weights.end()),
                std::vector<double>(weights.begin(), weights.end())};
  for (std::size_t k = 1; k < n; ++k) sums.left[k] += sums.left[k - 1] * std::exp(-(axis[k] - axis[k - 1]) / scale);
  for (std::size_t k = n - 1; k-- > 0;) sums.right[k] += sums.right[k + 1] * std::exp(-(axis[k + 1] - axis[k]) / scale);
  return sums;
}

std::vector<double> LogMixture(std::span<const Axis> axes, std::span<const double> law, double scale) {
  std::vector<double> grid(law.begin(), law.end());
  double spans = 0;
  for (const Axis& axis : axes) spans += axis.back() - axis.front();
  if (spans <= kWithoutLogarithms * scale) {
    AlongEveryAxis(axes, scale, grid, Smooth);
    for (double& value : grid) value = std::log(value);
  } else {
    for (double& value : grid) value = std::log(value);
    AlongEveryAxis(axes, scale, grid, SmoothLogs);
  }
  return grid;
}

}  // namespace kith::published
