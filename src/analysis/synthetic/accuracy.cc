// Claims: claims/synthetic.md
#include "analysis/synthetic/accuracy.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kith::synthetic {
namespace {

/// The logarithm of the moments of discrete Laplace noise. Requires: |at| * scale < 1.
double LogMoment(double at, double scale) {
  const auto log_rest = [](double x) { return std::log(-std::expm1(x)); };  // of 1 - e^x
  return 2 * log_rest(-1 / scale) - log_rest(at - 1 / scale) - log_rest(-at - 1 / scale);
}

}  // namespace

// By Chernoff: every point gives a bound, so a coarse search for the best one costs only width.
CountedRows RowsOf(std::span<const NoisyTable> tables, double confidence) {
  for (const NoisyTable& table : tables) {
    if (table.scale == 0) return {table.sum, 0};
  }
  double weights = 0, sum = 0, end = std::numeric_limits<double>::infinity();
  std::vector<double> weight;
  for (const NoisyTable& table : tables) {
    const double rest = -std::expm1(-1 / table.scale), variance = 2 * (1 - rest) / (rest * rest);
    weight.push_back(1 / (std::max(variance, 1e-300) * static_cast<double>(table.cells)));
    weights += weight.back();
    sum += weight.back() * table.sum;
  }
  for (std::size_t k = 0; k < tables.size(); ++k) {
    weight[k] /= weights;
    end = std::min(end, 1 / (tables[k].scale * weight[k]));
  }
  const double log_tail = std::log(2 / (1 - confidence));
  CountedRows out{sum / weights, std::numeric_limits<double>::infinity()};
  constexpr int kPoints = 400;
  for (int point = 1; point <= kPoints; ++point) {
    const double at = end * std::pow(0.97, point);
    double log_moment = 0;
    for (std::size_t k = 0; k < tables.size(); ++k)
      log_moment += static_cast<double>(tables[k].cells) * LogMoment(at * weight[k], tables[k].scale);
    if (const double error = (log_moment + log_tail) / at; error < out.error) out.error = error;
  }
  return out;
}

Apart::Apart(double rows) : rows_(std::max(1.0, std::round(rows))) {}

void Apart::Add(std::span<const std::int64_t> exact, std::span<const std::int64_t> drawn) {
  double all = 0;
  for (const std::int64_t count : drawn) all += static_cast<double>(count);
  for (std::size_t cell = 0; cell < exact.size(); ++cell) {
    const double expected = static_cast<double>(drawn[cell]) * (rows_ / std::max(all, 1.0));
    const Int128 whole = std::llround(expected);
    rounding_ += std::fabs(expected - std::round(expected));
    sum_ += exact[cell] > whole ? exact[cell] - whole : whole - exact[cell];
  }
}

Variation VariationOf(const Apart& apart, Int128 noisy, const Noise& noise, const CountedRows& counted,
                      std::size_t tables) {
  const double each = 2 * apart.rows() * static_cast<double>(tables);
  const double raw = static_cast<double>(noisy) / each;
  const double rows_off = std::fabs(apart.rows() - counted.rows) + counted.error;
  Variation out;
  out.error_95 = (noise.ErrorBar(kEachPart) + apart.rounding()) / each + rows_off / (2 * apart.rows());
  out.nothing = raw - out.error_95 <= 0 && raw + out.error_95 >= 1;
  out.value = std::clamp(raw, 0.0, 1.0);
  out.error_95 = std::min(out.error_95, 1.0);  // neither the value nor the truth is farther
  return out;
}

}  // namespace kith::synthetic
