// How far counts change when a point moves: bounds against moves at random, at nodes, at borders and across cells.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <numeric>

#include "analysis/points/blur.h"
#include "analysis/points/depth.h"
#include "analysis/points/fit.h"
#include "analysis/points/hat.h"
#include "analysis/points/isotonic.h"
#include "analysis/points/ordered.h"
#include "analysis/points/pyramid.h"
#include "analysis/points/smooth.h"
#include "base/symmetric_matrix.h"
#include "tests/support/small_laws.h"
#include "tests/support/stat.h"

namespace kith::points {
namespace {

using testing::Dice;
using Numbers = std::vector<double>;

double L1(const Numbers& a, const Numbers& b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += std::abs(a[k] - b[k]);
  return sum;
}

// As often on a node or a border as anywhere.
double Somewhere(Dice& dice, std::size_t cells) {
  if (dice.Chance(0.5)) return dice.Uniform();
  return static_cast<double>(dice.Below(static_cast<int>(cells) + 1)) / static_cast<double>(cells);
}

Point Moved(Dice& dice, Point from, double delta, Metric metric) {
  const double angle =
      dice.Chance(0.5) ? (2 * dice.Below(4) + 1) * std::numbers::pi / 4 : dice.Between(0, 2 * std::numbers::pi);
  Point by{std::cos(angle), std::sin(angle)};
  const double size = metric == Metric::kL1          ? std::abs(by.x) + std::abs(by.y)
                      : metric == Metric::kEuclidean ? 1
                                                     : std::max(std::abs(by.x), std::abs(by.y));
  const double length = dice.Chance(0.7) ? delta : delta * dice.Uniform();
  return {std::clamp(from.x + by.x / size * length, 0.0, 1.0), std::clamp(from.y + by.y / size * length, 0.0, 1.0)};
}

struct Ratios {
  double line = 0, plane = 0, prefix = 0, sorted = 0;  // largest change / bound
};
Ratios LargestChanges(double forgets) {
  Dice dice(stat::SeedForThisTest());
  Ratios ratios;
  for (int trial = 0; trial < 20'000; ++trial) {
    const auto cells = static_cast<std::size_t>(1 + dice.Below(16));
    const double delta = dice.Chance(0.2) ? 1.0 / static_cast<double>(cells) : dice.Between(0.001, 0.4);
    const double bound = delta * forgets;  // a planted fault takes delta too small
    const Point from{Somewhere(dice, cells), Somewhere(dice, cells)};
    const double to = std::clamp(from.x + (dice.Chance(0.5) ? delta : -delta), 0.0, 1.0);
    const Numbers before = {0.3, from.x, 0.8}, after = {0.3, to, 0.8};
    ratios.line =
        std::max(ratios.line, L1(HatCounts1(before, cells), HatCounts1(after, cells)) / HatSensitivity1(bound, cells));
    const std::int64_t width = 1 + dice.Below(20), jump = 1 + dice.Below(60), at = dice.Below(200) - 10;
    const std::int64_t landed = at + (dice.Chance(0.5) ? jump : -jump);
    const auto prefix = PrefixCounts(std::vector{at}, width, cells);
    const auto prefix_after = PrefixCounts(std::vector{landed}, width, cells);
    double crossed = 0;
    for (std::size_t k = 0; k < prefix.size(); ++k)
      crossed += static_cast<double>(std::abs(prefix[k] - prefix_after[k]));
    const auto jump_bound = std::max<std::int64_t>(1, static_cast<std::int64_t>(static_cast<double>(jump) * forgets));
    ratios.prefix = std::max(ratios.prefix, crossed / static_cast<double>(PrefixSensitivity(jump_bound, width)));
    ratios.sorted = std::max(ratios.sorted, L1(GroupMeans(before, 1), GroupMeans(after, 1)) / bound);
    const Metric metric =
        std::vector{Metric::kL1, Metric::kEuclidean, Metric::kMax}[static_cast<std::size_t>(dice.Below(3))];
    const Point moved = Moved(dice, from, delta, metric);
    ratios.plane =
        std::max(ratios.plane, L1(HatCounts2(std::vector{from}, cells), HatCounts2(std::vector{moved}, cells)) /
                                   HatSensitivity2(bound, cells, metric));
  }
  return ratios;
}

TEST(PointsProperty, NoMoveChangesMoreThanTheBound) {
  const Ratios ratios = LargestChanges(1);
  EXPECT_LE(ratios.line, 1 + 1e-9);
  EXPECT_LE(ratios.plane, 1 + 1e-9);
  EXPECT_LE(ratios.prefix, 1);
  EXPECT_LE(ratios.sorted, 1 + 1e-9);
  EXPECT_GT(ratios.line, 0.99);  // tight
  EXPECT_GT(ratios.plane, 0.9);
}

TEST(PointsProperty, TheCheckSeesADeltaThatIsTooSmall) {
  const Ratios ratios = LargestChanges(0.5);
  EXPECT_GT(ratios.line, 1.5);
  EXPECT_GT(ratios.plane, 1.5);
  EXPECT_GT(ratios.prefix, 1.5);
  EXPECT_GT(ratios.sorted, 1.5);
}

/// Largest loss of moves and additions by trying them, over what LossOfScales says.
double LossRatio(bool forgets_sources) {
  Dice dice(stat::SeedForThisTest());
  double worst = 0;
  for (int trial = 0; trial < 5000; ++trial) {
    const auto cells = static_cast<std::size_t>(1 + dice.Below(8));
    const double delta = dice.Between(0.01, 0.5);
    Numbers scales, sources = {Somewhere(dice, cells)};
    for (std::size_t c = 0; c <= cells; ++c) scales.push_back(dice.Between(0.1, 3));
    const double claimed = LossOfScales(scales, delta, forgets_sources ? Numbers{} : sources).worst();
    const auto weighted = [&](const Numbers& a, const Numbers& b) {
      double sum = 0;
      for (std::size_t c = 0; c <= cells; ++c) sum += std::abs(a[c] - b[c]) / scales[c];
      return sum;
    };
    const double x = Somewhere(dice, cells);
    const double to = std::clamp(x + dice.Between(-delta, delta), 0.0, 1.0);
    worst = std::max(worst, weighted(HatCounts1(Numbers{x}, cells), HatCounts1(Numbers{to}, cells)) / claimed);
    const double added = std::clamp(sources[0] + dice.Between(-delta, delta), 0.0, 1.0);
    worst = std::max(worst, weighted(Numbers(cells + 1, 0.0), HatCounts1(Numbers{added}, cells)) / claimed);
  }
  return worst;
}

TEST(PointsProperty, ScalesOfTheirOwnLoseNoMoreThanSaid) { EXPECT_LE(LossRatio(false), 1 + 1e-9); }

TEST(PointsProperty, TheCheckSeesAForgottenSource) { EXPECT_GT(LossRatio(true), 1.5); }

TEST(PointsProperty, CoarserEqualsCountingAgain) {
  Dice dice(stat::SeedForThisTest());
  std::vector<Point> points(200);
  for (Point& point : points) point = {Somewhere(dice, 16), Somewhere(dice, 16)};
  const Ladder ladder(Basis::kHats, 2);
  EXPECT_LE(L1(ladder.SumsOfCoarserLevel(HatCounts2(points, 16), 4), HatCounts2(points, 8)), 1e-9);
}

// With no noise the solution is the truth; with noise it is nearer to the truth than only the finest level.
TEST(PointsProperty, LeastSquaresUsesEveryLevel) {
  Dice dice(stat::SeedForThisTest());
  std::vector<Point> points(5000);
  for (Point& point : points) point = {dice.Uniform() * dice.Uniform(), dice.Uniform()};
  const auto levels = PyramidLevels(1, 5, 0.02, Metric::kEuclidean, 0.2).value();
  const Ladder ladder(Basis::kHats, 2);
  std::vector<NoisyLevel> exact, noisy;
  for (const Level& level : levels) {
    const Numbers counts = HatCounts2(points, level.cells());
    exact.push_back({level.log2_cells, counts, Numbers(counts.size(), 1 / (2 * level.scale * level.scale))});
    noisy.push_back(exact.back());
    for (double& count : noisy.back().counts) {
      const double u = dice.Uniform() - 0.5;
      count -= level.scale * std::copysign(std::log1p(-2 * std::abs(u)), u);
    }
  }
  const Numbers& truth = exact.back().counts;
  EXPECT_LE(L1(FitLevels(ladder, exact, 5000).counts, truth), 0.05);
  EXPECT_LE(L1(FitLevels(ladder, exact, std::nullopt).counts, truth), 0.05);
  const Fit with = FitLevels(ladder, noisy, 5000), without = FitLevels(ladder, noisy, std::nullopt);
  double sum = 0, least = 0;
  for (const double count : with.not_negative) {
    sum += count;
    least = std::min(least, count);
  }
  EXPECT_NEAR(sum, 5000, 1e-6);
  EXPECT_GE(least, 0);
  EXPECT_NEAR(std::accumulate(with.counts.begin(), with.counts.end(), 0.0), 5000, 1e-3);
  EXPECT_LT(L1(with.not_negative, truth), L1(with.counts, truth));
  EXPECT_LT(L1(without.not_negative, truth), 0.7 * L1(noisy.back().counts, truth));
  EXPECT_LT(L1(with.not_negative, truth), 0.7 * L1(noisy.back().counts, truth));
  const Box box{{0.1, 0.1}, {0.8, 0.7}};
  const double inside = RangeCount2(truth, 32, box);
  EXPECT_LT(std::abs(RangeCount2(with.counts, 32, box) - inside),
            std::abs(RangeCount2(noisy.back().counts, 32, box) - inside));
}

// Levels may be left out, and what remains is solved to the same: against least squares by elimination.
TEST(PointsProperty, FewStepsSolveAnyLevels) {
  Dice dice(stat::SeedForThisTest());
  for (const Basis basis : {Basis::kHats, Basis::kCells}) {
    for (const int dimensions : {1, 2}) {
      const Ladder ladder(basis, dimensions);
      for (const std::vector<int>& chosen : {std::vector<int>{3}, {1, 3}, {2, 3}, {0, 1, 3}}) {
        std::vector<NoisyLevel> levels;
        const std::size_t size = ladder.Size(3);
        SymmetricMatrix normal(size);
        Numbers right(size, 0.0);
        for (const int l : chosen) {
          NoisyLevel level{l, Numbers(ladder.Size(l)), Numbers(ladder.Size(l))};
          const double about = std::exp(dice.Between(-6, 6));  // levels of very different precision
          for (double& count : level.counts) count = dice.Between(-5, 50);
          for (double& precision : level.precision) precision = about * dice.Between(0.5, 2);
          std::vector<Numbers> down;  // of each cell of the finest level, what is in those of this one
          for (std::size_t k = 0; k < size; ++k) {
            Numbers unit(size, 0.0);
            unit[k] = 1;
            for (int from = 3; from > l; --from) unit = ladder.SumsOfCoarserLevel(unit, from);
            down.push_back(std::move(unit));
          }
          for (std::size_t i = 0; i < size; ++i) {
            for (std::size_t c = 0; c < level.counts.size(); ++c) {
              if (down[i][c] == 0) continue;
              const double weight = level.precision[c] * down[i][c];
              right[i] += weight * level.counts[c];
              for (std::size_t j = i; j < size; ++j) normal(i, j) += weight * down[j][c];
            }
          }
          levels.push_back(std::move(level));
        }
        const auto solver = Cholesky::Of(normal);
        ASSERT_TRUE(solver);
        const Numbers solved = solver->Solve(right);
        const Fit fit = FitLevels(ladder, levels, std::nullopt);
        EXPECT_LE(fit.residual, 1e-6);
        for (std::size_t k = 0; k < size; ++k)
          EXPECT_NEAR(fit.counts[k], solved[k], 1e-3) << dimensions << " " << chosen.size();
        Numbers range(size, 0.0);
        for (std::size_t k = 0; k < size; k += 2) range[k] = 1;
        const Numbers of_range = solver->Solve(range);
        const double variance = std::inner_product(range.begin(), range.end(), of_range.begin(), 0.0);
        EXPECT_NEAR(VarianceOf(ladder, levels, range, false) / variance, 1, 1e-4);
      }
    }
  }
}

// Blur covers: points in clumps, ranges anywhere, exact counts.
TEST(PointsProperty, BlurCoversWhatGridCellsHide) {
  Dice dice(stat::SeedForThisTest());
  for (const Basis basis : {Basis::kHats, Basis::kCells}) {
    int inside = 0;
    constexpr int kRanges = 400;
    for (int trial = 0; trial < kRanges; ++trial) {
      Numbers points;
      for (int clump = 0; clump < 60; ++clump) {
        const double at = dice.Uniform();
        for (int k = 1 + dice.Below(40); k > 0; --k) points.push_back(at);
      }
      const double a = dice.Uniform(), b = dice.Uniform(), low = std::min(a, b), high = std::max(a, b);
      Numbers counts(basis == Basis::kHats ? 17 : 16, 0.0);
      double truth = 0, counted = 0;
      for (const double x : points) {
        truth += x >= low && x < high ? 1 : 0;
        if (basis == Basis::kCells) ++counts[static_cast<std::size_t>(x * 16)];
      }
      if (basis == Basis::kHats) counts = HatCounts1(points, 16);
      const RangeSide side = SideOf(basis, 4, low, high);
      for (std::size_t k = 0; k < counts.size(); ++k) counted += side.inside[k] * counts[k];
      inside += std::abs(counted - truth) <= BlurOf(side, {}, counts) + 1e-9 ? 1 : 0;
    }
    EXPECT_GE(inside, kRanges * 95 / 100);
  }
}

// More points, a larger epsilon and shorter moves make a grid finer, never coarser.
TEST(PointsProperty, DepthGrowsWithPointsAndPrice) {
  Dice dice(stat::SeedForThisTest());
  for (int trial = 0; trial < 200; ++trial) {
    const Ladder ladder(dice.Chance(0.5) ? Basis::kHats : Basis::kCells, 1 + dice.Below(2));
    const double points = std::exp(dice.Between(0, 14)), epsilon = std::exp(dice.Between(-3, 1));
    const double delta = std::exp(dice.Between(-7, 0));
    const auto depth = [&](double n, double e, double d) {
      return DepthFor(
          ladder, n, e, [&](int l) { return std::min(1.0, std::ldexp(d, l)); }, 9);
    };
    const int chosen = depth(points, epsilon, delta);
    EXPECT_LE(chosen, depth(2 * points, epsilon, delta));
    EXPECT_LE(chosen, depth(points, 2 * epsilon, delta));
    EXPECT_LE(chosen, depth(points, epsilon, delta / 2));
    EXPECT_GE(chosen, 3);
    EXPECT_LE(chosen, 9);
  }
  EXPECT_EQ(PyramidTo(7), (std::vector<int>{1, 3, 5, 7}));
  EXPECT_EQ(PyramidTo(2), (std::vector<int>{2}));
}

// The variance that bars are made of, against the errors of many fits to noise alone.
TEST(PointsProperty, BarsAreAsWideAsTheNoise) {
  Dice dice(stat::SeedForThisTest());
  const Ladder ladder(Basis::kHats, 2);
  std::vector<NoisyLevel> levels;
  for (int l = 1; l <= 3; ++l) levels.push_back({l, Numbers(ladder.Size(l), 0), Numbers(ladder.Size(l), 1 / 8.0)});
  Numbers range(ladder.Size(3), 0);
  const Numbers x = InsideOf(Basis::kHats, 3, 0.1, 0.6), y = InsideOf(Basis::kHats, 3, 0.3, 0.9);
  for (std::size_t k = 0; k < range.size(); ++k) range[k] = x[k / 9] * y[k % 9];
  const double variance = VarianceOf(ladder, levels, range, false);
  EXPECT_LT(VarianceOf(ladder, levels, range, true), variance);
  double squares = 0;
  constexpr int kRuns = 400;
  for (int run = 0; run < kRuns; ++run) {
    for (NoisyLevel& level : levels) {
      for (double& count : level.counts) {
        const double u = dice.Uniform() - 0.5;
        count = -2 * std::copysign(std::log1p(-2 * std::abs(u)), u);
      }
    }
    const Numbers fit = FitLevels(ladder, levels, std::nullopt).counts;
    double error = 0;
    for (std::size_t k = 0; k < fit.size(); ++k) error += range[k] * fit[k];
    squares += error * error / kRuns;
  }
  EXPECT_NEAR(squares / variance, 1, 0.35);
}

TEST(PointsProperty, SmoothingFindsTheCurve) {
  Dice dice(stat::SeedForThisTest());
  Numbers truth, noisy;
  double before = 0, after = 0;
  for (int k = 1; k < 200; ++k) {
    truth.push_back(1000 / (1 + std::exp(-(k - 90) / 12.0)) - 1000 / (1 + std::exp(7.5)));
    const double u = dice.Uniform() - 0.5;
    noisy.push_back(truth.back() - 10 * std::copysign(std::log1p(-2 * std::abs(u)), u));
  }
  const Numbers smooth = Smooth(noisy, 200, 0, 1000);
  for (std::size_t k = 0; k < truth.size(); ++k) {
    before += (noisy[k] - truth[k]) * (noisy[k] - truth[k]);
    after += (smooth[k] - truth[k]) * (smooth[k] - truth[k]);
  }
  EXPECT_LT(after, before / 6);
}

TEST(PointsProperty, IsotonicIsTheNearestSequenceInOrder) {
  Dice dice(stat::SeedForThisTest());
  const auto distance = [](const Numbers& a, const Numbers& b) {
    double sum = 0;
    for (std::size_t k = 0; k < a.size(); ++k) sum += (a[k] - b[k]) * (a[k] - b[k]);
    return sum;
  };
  for (int trial = 0; trial < 300; ++trial) {
    Numbers noisy;
    for (int k = 0; k < 8; ++k) noisy.push_back(dice.Between(0, 5) + k * 0.5);
    const Numbers fit = Isotonic(noisy);
    for (std::size_t k = 1; k < fit.size(); ++k) EXPECT_LE(fit[k - 1], fit[k]);
    Numbers other = fit;  // any other sequence in order is farther away
    for (double& y : other) y += dice.Between(-0.3, 0.3);
    std::sort(other.begin(), other.end());
    EXPECT_LE(distance(noisy, fit), distance(noisy, other) + 1e-12);
  }
}

}  // namespace
}  // namespace kith::points
