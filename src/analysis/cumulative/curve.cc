#include "analysis/cumulative/curve.h"

#include <algorithm>
#include <cmath>

#include "analysis/derived/public_draws.h"
#include "analysis/error_bar.h"
#include "analysis/points/isotonic.h"
#include "base/check.h"
#include "transfer/gaussian/probit.h"

namespace kith::cumulative {
namespace {

constexpr long double kMissed = 0.05L;

/// What a standard normal number exceeds in either direction with this probability, or a little more.
double BeyondNormal(long double missed) { return UpperQuantileUp(missed / 2, 1 - missed / 2); }

// Of several joint normal numbers, all are within their bars at least as often as if they were independent (Sidak
// 1967).
long double OfEach(std::size_t points) {
  return -std::expm1(std::log1p(-kMissed) / static_cast<long double>(points)) * (1 - 1e-12L);
}

/// What a sum of Laplace noises with this variance, none with a larger weight times scale than `largest`, exceeds in
/// either direction with at most 2 e^-tail: by Chernoff's inequality, where the worst case is that all are as large as
/// the largest.
double BeyondLaplace(double variance, double largest, double tail) {
  largest = std::min(largest, std::sqrt(variance / 2));
  if (largest <= 0) return 0;
  const double times = variance / (2 * largest * largest);
  const auto bar = [&](double part) { return largest * (tail - times * std::log1p(-part * part)) / part; };
  double low = 1e-6, high = 1 - 1e-9;
  for (int k = 0; k < 100; ++k) {  // bar falls and then grows; any part between 0 and 1 would do
    const double left = low + (high - low) / 3, right = high - (high - low) / 3;
    if (bar(left) < bar(right))
      high = right;
    else
      low = left;
  }
  return bar(low);
}

/// This many of `draws` values or more are below their 95 % quantile with a probability of at most 1e-9.
std::size_t RankOfQuantile(std::size_t draws) {
  const auto n = static_cast<double>(draws);
  double sum = 0;
  std::size_t rank = draws;
  for (; rank > 0; --rank) {
    const auto k = static_cast<double>(rank);
    sum += std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) + k * std::log(0.95) +
                    (n - k) * std::log(0.05));
    if (sum > 1e-9) break;
  }
  return std::min(rank + 1, draws);
}

/// With 95 %, how many of its own standard deviations the sum that is farthest from the truth is away from it: by
/// draws of a public generator, which are the same for every curve with these noises.
double FarthestDeviation(const workload::PrefixTree& tree, std::span<const Noise> noises,
                         std::span<const double> variances, const std::vector<double>& of_sums) {
  constexpr std::size_t kDraws = 2000;
  PublicDraws draws;
  std::vector<double> farthest;
  std::vector<std::vector<double>> noisy;
  for (const auto& level : tree.levels()) noisy.emplace_back(level.blocks);
  for (std::size_t run = 0; run < kDraws; ++run) {
    for (std::size_t k = 0; k < noisy.size(); ++k) {
      const double ratio = std::exp(-1 / noises[k].scale());
      for (double& noise : noisy[k]) noise = draws.Geometric(ratio) - draws.Geometric(ratio);
    }
    const std::vector<double> sums = tree.Sums(noisy, variances);
    double most = 0;
    for (std::size_t k = 0; k < sums.size(); ++k) most = std::max(most, sums[k] * sums[k] / of_sums[k]);
    farthest.push_back(std::sqrt(most));
  }
  std::sort(farthest.begin(), farthest.end());
  return farthest[RankOfQuantile(kDraws) - 1];
}

}  // namespace

// Rounding moves a noise by at most half a step.
CurveBars BarsOf(const workload::PrefixToeplitz& root, const Noise& noise) {
  CurveBars bars;
  const double rounding = root.LargestMove() / 2, one = BeyondNormal(kMissed), all = BeyondNormal(OfEach(root.cells()));
  for (const double variance : root.Variances()) {
    const double deviation = noise.scale() * std::sqrt(variance);
    bars.each.push_back(one * deviation + rounding);
    bars.together.push_back(all * deviation + rounding);
  }
  bars.range = one * noise.scale() * std::sqrt(root.LargestRangeVariance()) + 2 * rounding;
  return bars;
}

CurveBars BarsOf(const workload::PrefixTree& tree, std::span<const Noise> noises) {
  std::vector<double> variances;
  for (const Noise& noise : noises) variances.push_back(noise.variance());
  const auto weights = tree.LargestWeights(variances);
  double largest = 0;
  for (std::size_t k = 0; k < noises.size(); ++k) largest = std::max(largest, weights[k] * noises[k].scale());
  const double tail = std::log(2 * static_cast<double>(tree.cells()) / static_cast<double>(kMissed));
  const auto of_sums = tree.Variances(variances);
  const double deviations = FarthestDeviation(tree, noises, variances, of_sums);
  CurveBars bars;
  double proved = 0, drawn = 0;
  for (const double variance : of_sums) {
    bars.each.push_back(BarOfWeightedSum(variance, 1));
    bars.together.push_back(BeyondLaplace(variance, largest, tail));
    proved += bars.together.back();
    drawn += deviations * std::sqrt(variance);
  }
  // Either of the two holds; the choice between them depends on no data.
  for (std::size_t k = 0; drawn < proved && k < of_sums.size(); ++k)
    bars.together[k] = deviations * std::sqrt(of_sums[k]);
  bars.range = BarOfWeightedSum(tree.LargestRangeVariance(variances), 1);
  return bars;
}

std::vector<CurvePoint> CurveOf(const std::vector<double>& sums, const CurveBars& bars) {
  const std::size_t points = sums.size();
  KITH_CHECK(points > 0 && bars.each.size() == points && bars.together.size() == points);
  constexpr double kRounding = 1e-6;  // of doubles
  std::vector<CurvePoint> curve(points);
  // The exact sums do not fall: what is below one of them is below all that follow.
  double low = 0, high = HUGE_VAL;
  for (std::size_t k = 0; k < points; ++k)
    curve[k].low = low = std::max(low, std::ceil(sums[k] - bars.together[k] - kRounding));
  for (std::size_t k = points; k-- > 0;)
    curve[k].high = high = std::min(high, std::floor(sums[k] + bars.together[k] + kRounding));
  double before = 0;
  for (CurvePoint& point : curve) before = point.high = std::max({point.high, point.low, before});
  const std::vector<double> rising = points::Isotonic(sums);
  for (std::size_t k = 0; k < points; ++k) {
    CurvePoint& point = curve[k];
    point.count = std::clamp(std::round(rising[k]), point.low, point.high);
    // Where the noisy sum is, less or more: a bar covers what it was moved by.
    point.bar = std::floor(bars.each[k] + std::abs(point.count - sums[k]) + kRounding);
  }
  return curve;
}

double RangeBarOf(const std::vector<CurvePoint>& curve, const std::vector<double>& sums, const CurveBars& bars) {
  double up = 0, down = 0;  // a sum of no cells is 0, and is not moved
  for (std::size_t k = 0; k < curve.size(); ++k) {
    up = std::max(up, curve[k].count - sums[k]);
    down = std::min(down, curve[k].count - sums[k]);
  }
  return std::ceil(bars.range + up - down);
}

std::vector<RankPoint> RanksOn(const std::vector<CurvePoint>& curve, std::span<const double> ranks) {
  const std::size_t last = curve.size() - 1;
  const CurvePoint& all = curve.back();
  std::vector<RankPoint> found;
  for (const double rank : ranks) {
    RankPoint at;
    const auto first = [&](double wanted, double CurvePoint::*of) {
      const auto place =
          std::partition_point(curve.begin(), curve.end(), [&](const CurvePoint& point) { return point.*of < wanted; });
      return std::min(last, static_cast<std::size_t>(place - curve.begin()));
    };
    at.low = first(rank * all.low * (1 - 1e-12), &CurvePoint::high);
    at.high = first(rank * all.high * (1 + 1e-12), &CurvePoint::low);
    const double wanted = rank * all.count;
    const std::size_t cell = first(wanted, &CurvePoint::count);
    const double below = cell == 0 ? 0 : curve[cell - 1].count, in = curve[cell].count - below;
    at.value = static_cast<double>(cell) + (in > 0 ? std::clamp((wanted - below) / in, 0.0, 1.0) : 0.5);
    at.value = std::clamp(at.value, static_cast<double>(at.low), static_cast<double>(at.high + 1));
    found.push_back(at);
  }
  return found;
}

}  // namespace kith::cumulative
