#include "analysis/points/ordered.h"

#include <algorithm>
#include <cmath>

#include "analysis/points/isotonic.h"
#include "base/check.h"

namespace kith::points {

std::vector<std::int64_t> PrefixCounts(std::span<const std::int64_t> points, std::int64_t width, std::size_t cells) {
  KITH_CHECK(width > 0 && cells > 0);
  std::vector<std::int64_t> bins(cells, 0);
  const auto last = static_cast<std::int64_t>(cells - 1);
  for (const std::int64_t x : points) ++bins[static_cast<std::size_t>(std::clamp<std::int64_t>(x / width, 0, last))];
  std::vector<std::int64_t> prefix(cells - 1);
  std::int64_t sum = 0;
  for (std::size_t c = 0; c + 1 < cells; ++c) prefix[c] = sum += bins[c];
  return prefix;
}

std::int64_t PrefixSensitivity(std::int64_t delta, std::int64_t width) {
  KITH_CHECK(delta > 0 && width > 0);
  return (delta - 1) / width + 1;
}

std::vector<double> Cumulative(const std::vector<double>& noisy_prefix, double n) {
  std::vector<double> cumulative = {0};
  for (const double count : Isotonic(noisy_prefix)) cumulative.push_back(std::clamp(count, 0.0, n));
  cumulative.push_back(n);
  return cumulative;
}

double CountBetween(std::span<const double> cumulative, double low, double high) {
  const double cells = static_cast<double>(cumulative.size() - 1);
  const auto at = [&](double x) {
    const double scaled = std::clamp(x, 0.0, 1.0) * cells;
    const auto cell = std::min(static_cast<std::size_t>(scaled), cumulative.size() - 2);
    const double into = scaled - static_cast<double>(cell);
    return cumulative[cell] + into * (cumulative[cell + 1] - cumulative[cell]);
  };
  return at(high) - at(low);
}

std::vector<double> GroupMeans(std::span<const double> points, std::size_t k) {
  KITH_CHECK(k > 0);
  std::vector<double> sorted(points.begin(), points.end());
  std::sort(sorted.begin(), sorted.end());
  std::vector<double> means;
  for (std::size_t from = 0; from < sorted.size(); from += k) {
    const std::size_t to = std::min(sorted.size(), from + k);
    double sum = 0;
    for (std::size_t i = from; i < to; ++i) sum += sorted[i];
    means.push_back(sum / static_cast<double>(to - from));
  }
  return means;
}

}  // namespace kith::points
