// PREFIX-4, PREFIX-5: how often exact cumulative sums are within the bars and the band of the noisy curve, with every
// noise that a curve can have; and that bars of half the length are noticed.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "analysis/cumulative/curve.h"
#include "tests/support/stat.h"

namespace kith::cumulative {
namespace {

using workload::MovedRows;
using workload::PrefixToeplitz;
using workload::PrefixTree;

constexpr std::size_t kRuns = 3000;
constexpr double kRanks[] = {0.05, 0.5, 0.9};

std::vector<std::int64_t> CountsOf(std::size_t cells) {
  std::vector<std::int64_t> counts;
  for (std::size_t k = 0; k < cells; ++k)  // some are empty, and some are alone
    counts.push_back(
        k % 7 == 3 ? 0 : static_cast<std::int64_t>(200 * std::exp(-std::pow(static_cast<double>(k) / 20 - 1, 2))));
  return counts;
}

/// How often an exact sum was beyond the bar of its point, any of them was beyond the band, a difference was beyond its
/// bar, and a rank was elsewhere.
struct Missed {
  std::vector<std::uint64_t> each;
  std::uint64_t any = 0, range = 0, rank = 0;
};

template <class Draw>
Missed Count(const std::vector<std::int64_t>& counts, CurveBars bars, double times, const Draw& draw) {
  for (double& bar : bars.each) bar *= times;
  for (double& bar : bars.together) bar *= times;
  bars.range *= times;
  std::vector<double> exact;
  double sum = 0;
  for (const std::int64_t count : counts) exact.push_back(sum += static_cast<double>(count));
  Missed missed;
  missed.each.assign(counts.size(), 0);
  for (std::size_t run = 0; run < kRuns; ++run) {
    const std::vector<double> sums = draw();
    const auto curve = CurveOf(sums, bars);
    bool any = false;
    for (std::size_t k = 0; k < curve.size(); ++k) {
      missed.each[k] += std::abs(curve[k].count - exact[k]) > curve[k].bar ? 1 : 0;
      any = any || exact[k] < curve[k].low || exact[k] > curve[k].high;
      if (k > 0) {
        EXPECT_GE(curve[k].count, curve[k - 1].count);
        EXPECT_GE(curve[k].low, curve[k - 1].low);
        EXPECT_GE(curve[k].high, curve[k - 1].high);
      }
      EXPECT_LE(curve[k].low, curve[k].count);
      EXPECT_LE(curve[k].count, curve[k].high);
    }
    missed.any += any ? 1 : 0;
    const std::size_t from = counts.size() / 3, to = 2 * counts.size() / 3;
    const double between = curve[to].count - curve[from].count;
    missed.range += std::abs(between - (exact[to] - exact[from])) > RangeBarOf(curve, sums, bars) ? 1 : 0;
    bool elsewhere = false;
    const auto ranks = RanksOn(curve, kRanks);
    for (std::size_t k = 0; k < ranks.size(); ++k) {
      std::size_t cell = 0;
      while (exact[cell] < kRanks[k] * exact.back()) ++cell;
      elsewhere = elsewhere || cell < ranks[k].low || cell > ranks[k].high;
    }
    missed.rank += elsewhere ? 1 : 0;
    EXPECT_TRUE(any || !elsewhere) << "a rank is elsewhere although all sums are in the band";
  }
  return missed;
}

Missed OfToeplitz(std::size_t cells, double mu, double times) {
  const auto root = PrefixToeplitz::Root(cells, MovedRows{1, 2}).value();
  const auto loss = Loss::Ceil(LossKind::kMu, mu * mu).value();
  const Noise noise = Noise::For(root.change(), loss).value();
  const auto counts = CountsOf(cells);
  const auto measured = root.Measure(counts);
  stat::SeededBits bits(stat::SeedForThisTest());
  return Count(counts, BarsOf(root, noise), times, [&] {
    auto noisy = measured;
    noise.ReleaseAll(noisy, bits);
    return root.Sums(noisy);
  });
}

Missed OfTree(std::size_t cells, double epsilon, double times) {
  const auto tree = PrefixTree::Best(cells, MovedRows{1, 2});
  const auto counts = CountsOf(cells);
  std::vector<Noise> noises;
  std::vector<double> variances;
  for (const auto& level : tree.levels()) {
    noises.push_back(
        Noise::For(Sensitivities::OfL1(level.l1).value(), PlainUnits::Floor(epsilon * level.share).value()).value());
    variances.push_back(noises.back().variance());
  }
  stat::SeededBits bits(stat::SeedForThisTest());
  return Count(counts, BarsOf(tree, noises), times, [&] {
    std::vector<std::vector<double>> noisy;
    for (std::size_t k = 0; k < noises.size(); ++k) {
      auto measured = tree.Measure(k, counts);
      noises[k].ReleaseAll(measured, bits);
      noisy.emplace_back(measured.begin(), measured.end());
    }
    return tree.Sums(noisy, variances);
  });
}

void ExpectRight(const Missed& missed) {
  for (std::size_t k = 0; k < missed.each.size(); ++k)
    EXPECT_LE(stat::LowerBound(missed.each[k], kRuns), 0.05) << k << ": " << missed.each[k];
  EXPECT_LE(stat::LowerBound(missed.any, kRuns), 0.05) << missed.any;
  EXPECT_LE(stat::LowerBound(missed.range, kRuns), 0.05) << missed.range;
  EXPECT_LE(stat::LowerBound(missed.rank, kRuns), 0.05) << missed.rank;
}

TEST(CumulativeCurve, BarsHoldTheExactSumsWithNormalNoise_PREFIX4) {
  ExpectRight(OfToeplitz(60, 0.2, 1));
  ExpectRight(OfToeplitz(25, 4, 1));
}

TEST(CumulativeCurve, BarsHoldTheExactSumsWithLaplaceNoise_PREFIX4) {
  ExpectRight(OfTree(60, 0.5, 1));
  ExpectRight(OfTree(100, 8, 1));
  ExpectRight(OfTree(2, 1, 1));
}

TEST(CumulativeCurve, TheChecksAboveSeeBarsOfHalfTheLength) {
  for (const Missed& missed : {OfToeplitz(60, 0.2, 0.5), OfTree(60, 0.5, 0.5)}) {
    EXPECT_GT(stat::LowerBound(*std::max_element(missed.each.begin(), missed.each.end()), kRuns), 0.05);
    EXPECT_GT(stat::LowerBound(missed.any, kRuns), 0.05);
  }
}

// The root mean square of all errors is what was predicted: the noise of one run is correlated, that of runs is not.
TEST(CumulativeCurve, TheErrorIsThePredictedOne) {
  constexpr std::size_t kCells = 50;
  const auto root = PrefixToeplitz::Root(kCells, MovedRows{1, 2}).value();
  const Noise noise = Noise::For(root.change(), Loss::Ceil(LossKind::kMu, 0.04).value()).value();
  const auto counts = CountsOf(kCells);
  const auto measured = root.Measure(counts);
  const double exact = static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}));
  const double deviation = std::sqrt(root.Variances().back()) * noise.scale();
  stat::SeededBits bits(stat::SeedForThisTest());
  std::vector<double> errors;
  for (std::size_t run = 0; run < 10 * kRuns; ++run) {
    auto noisy = measured;
    noise.ReleaseAll(noisy, bits);
    errors.push_back((root.Sums(noisy).back() - exact) / deviation);
  }
  // Its law is the normal one, so the empirical one is too, up to stat::Radius.
  std::sort(errors.begin(), errors.end());
  double distance = 0;
  for (std::size_t k = 0; k < errors.size(); ++k) {
    const double law = std::erfc(-errors[k] / std::sqrt(2.0)) / 2, n = static_cast<double>(errors.size());
    distance = std::max(
        {distance, std::abs(static_cast<double>(k + 1) / n - law), std::abs(static_cast<double>(k) / n - law)});
  }
  EXPECT_LE(distance, stat::Radius(errors.size()) + 1e-4);
}

}  // namespace
}  // namespace kith::cumulative
