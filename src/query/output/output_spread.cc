// Variance, standard deviation, covariance, correlation and lines of regression out of noisy means.
#include <algorithm>
#include <cmath>
#include <limits>

#include "query/output/output.h"

namespace kith {
namespace {

using Number = OutputExpr::Number;
using Row = OutputExpr::Row;
using Kind = Spread::Kind;

std::vector<std::size_t> ReadsOf(const Spread& s) {
  std::vector<std::size_t> reads = {s.x.count, s.x.sum};
  if (s.ReadsXX()) reads.push_back(s.xx.sum);
  if (s.OfTwo()) reads.insert(reads.end(), {s.y.sum, s.xy.sum});
  if (s.ReadsYY()) reads.push_back(s.yy.sum);
  return reads;
}

Number Clipped(Number n, double low, double high) {
  const bool inexact = n.low < n.high;
  n.value = std::clamp(n.value, low, high);
  n.low = std::clamp(n.low, low, high);
  n.high = std::clamp(n.high, low, high);
  // Impossible altogether: the noise was larger than its bar, so that nothing is known, and not everything.
  if (inexact && n.low == n.high) n.low = low, n.high = high;
  return n;
}

double HalfWidth(const Mean& mean) { return mean.upper / 2 - mean.lower / 2; }

// The mean square less the square of the mean. No data within the bounds spread farther than half at each end; and if
// the mean is known, than with all values at the ends.
Number VarianceOf(const Mean& mean, const Mean& mean_square, const Row& row) {
  const Number a = MeanOf(mean, row), square = MeanOf(mean_square, row);
  const auto [least, most] = std::minmax({a.low * a.low, a.high * a.high});
  const bool holds_zero = a.low <= 0 && a.high >= 0;
  const double half = HalfWidth(mean);
  Number n{.value = square.value - a.value * a.value,
           .low = square.low - most,
           .high = square.high - (holds_zero ? 0 : least)};
  n = Clipped(n, 0, half * half);
  n.value = std::min(n.value, std::max(0.0, (mean.upper - a.value) * (a.value - mean.lower)));
  return n;
}

Number CovarianceOf(const Spread& s, const Row& row) {
  const Number x = MeanOf(s.x, row), y = MeanOf(s.y, row), xy = MeanOf(s.xy, row);
  const auto [least, most] = std::minmax({x.low * y.low, x.low * y.high, x.high * y.low, x.high * y.high});
  const double half = HalfWidth(s.x) * HalfWidth(s.y);
  return Clipped({.value = xy.value - x.value * y.value, .low = xy.low - most, .high = xy.high - least}, -half, half);
}

Number CorrelationOf(const Spread& s, const Row& row) {
  const Number vx = VarianceOf(s.x, s.xx, row), vy = VarianceOf(s.y, s.yy, row), top = CovarianceOf(s, row);
  // Roots first: the product of two small variances could underflow.
  const double bottom = std::sqrt(vx.value) * std::sqrt(vy.value);
  const double least = std::sqrt(vx.low) * std::sqrt(vy.low), most = std::sqrt(vx.high) * std::sqrt(vy.high);
  if (bottom == 0) return {.null = true};
  // An end that goes away from zero is divided by the least that the variances can be.
  const auto end = [&](double x, bool away, double limit) {
    const double by = away ? least : most;
    return by > 0 ? x / by : limit;
  };
  return Clipped(
      {.value = top.value / bottom, .low = end(top.low, top.low < 0, -1), .high = end(top.high, top.high > 0, 1)}, -1,
      1);
}

// The covariance by the variance of x. It is at most the deviation of y by that of x, and y spreads no farther than
// half the width of its bounds; where the variance of x can be 0, nothing is known.
Number SlopeOf(const Spread& s, const Row& row) {
  constexpr double kAnything = std::numeric_limits<double>::infinity();
  const Number top = CovarianceOf(s, row), bottom = VarianceOf(s.x, s.xx, row);
  if (bottom.value == 0) return {.null = true};
  const auto steepest = [&](double variance) { return HalfWidth(s.y) / std::sqrt(variance); };
  const double limit = steepest(bottom.value);
  Number slope{.value = std::clamp(top.value / bottom.value, -limit, limit), .low = -kAnything, .high = kAnything};
  if (bottom.low > 0) {
    const double farthest = steepest(bottom.low);
    slope.low = std::max(-farthest, top.low / (top.low < 0 ? bottom.low : bottom.high));
    slope.high = std::min(farthest, top.high / (top.high > 0 ? bottom.low : bottom.high));
  }
  return slope;
}

// y - slope * x at the means, which are distances from the middles.
Number InterceptOf(const Spread& s, const Row& row) {
  const Number slope = SlopeOf(s, row), mean_x = MeanOf(s.x, row), mean_y = MeanOf(s.y, row);
  if (slope.null) return slope;
  const auto at = [&](const Number& mean, double middle) {
    return Number{.value = mean.value + middle, .low = mean.low + middle, .high = mean.high + middle};
  };
  const Number x = at(mean_x, s.x_middle), y = at(mean_y, s.y_middle);
  Number intercept{.value = y.value - slope.value * x.value, .low = slope.low, .high = slope.high};
  if (!std::isfinite(slope.low) || !std::isfinite(slope.high)) return intercept;
  const auto [least, most] =
      std::minmax({slope.low * x.low, slope.low * x.high, slope.high * x.low, slope.high * x.high});
  intercept.low = y.low - most;
  intercept.high = y.high - least;
  return intercept;
}

// The square of the correlation.
Number DeterminationOf(const Spread& s, const Row& row) {
  const Number r = CorrelationOf(s, row);
  if (r.null) return r;
  const auto [least, most] = std::minmax({r.low * r.low, r.high * r.high});
  return {.value = r.value * r.value, .low = r.low <= 0 && r.high >= 0 ? 0 : least, .high = most};
}

// n / (n - 1), falling in n. A sample has at least two rows.
Number SampleFactor(const Estimate& count) {
  const auto factor = [](double n) { return 1 + 1 / (std::max(2.0, n) - 1); };
  return {.value = factor(count.value),
          .low = factor(count.value + count.error),
          .high = factor(count.value - count.error)};
}

class SpreadExpr final : public OutputExpr {
 public:
  explicit SpreadExpr(const Spread& spread) : OutputExpr(ReadsOf(spread)), spread_(spread) {}

  Number Compute(const Row& row) const override {
    if (spread_.kind == Kind::kCorrelation) return CorrelationOf(spread_, row);
    if (spread_.kind == Kind::kSlope) return SlopeOf(spread_, row);
    if (spread_.kind == Kind::kIntercept) return InterceptOf(spread_, row);
    if (spread_.kind == Kind::kDetermination) return DeterminationOf(spread_, row);
    Number n = spread_.kind == Kind::kCovariance ? CovarianceOf(spread_, row) : VarianceOf(spread_.x, spread_.xx, row);
    if (spread_.sample) {
      const Number factor = SampleFactor(row.statistics.at(spread_.x.count));
      n.value *= factor.value;
      n.low *= n.low < 0 ? factor.high : factor.low;
      n.high *= n.high < 0 ? factor.low : factor.high;
    }
    if (spread_.kind == Kind::kDeviation)
      n = {.value = std::sqrt(n.value), .low = std::sqrt(n.low), .high = std::sqrt(n.high)};
    return n;
  }

  // Values that are spread evenly between their bounds, independent of each other.
  std::vector<Example> Examples(double rows) const override {
    const auto square = [&](const Mean& mean, const Mean& mean_square) {
      const double centre = mean.upper / 2 + mean.lower / 2, half = HalfWidth(mean);
      return (centre * centre + half * half / 3 - mean_square.middle) * rows;
    };
    const auto centre = [&](const Mean& mean) { return mean.upper / 2 + mean.lower / 2; };
    Example even = {{spread_.x.count, rows}, {spread_.x.sum, centre(spread_.x) * rows}};
    if (spread_.ReadsXX()) even.emplace_back(spread_.xx.sum, square(spread_.x, spread_.xx));
    if (spread_.OfTwo()) {
      even.emplace_back(spread_.y.sum, centre(spread_.y) * rows);
      even.emplace_back(spread_.xy.sum, (centre(spread_.x) * centre(spread_.y) - spread_.xy.middle) * rows);
    }
    if (spread_.ReadsYY()) even.emplace_back(spread_.yy.sum, square(spread_.y, spread_.yy));
    return {even};
  }

 private:
  Spread spread_;
};

}  // namespace

OutputPtr SpreadOutput(const Spread& spread) { return std::make_shared<SpreadExpr>(spread); }

}  // namespace kith
