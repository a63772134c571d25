// Others' maps: they spend what they say, and without noise they are right about ranges along their own borders.
#include "experiment/spatial_peers.h"

#include <gtest/gtest.h>

#include <cmath>

#include "experiment/spatial_figures.h"

namespace kith::experiment {
namespace {

std::vector<Spot> Crowd(std::size_t n, std::uint64_t seed) {
  Simulated draws(seed);
  std::vector<Spot> spots;
  for (std::size_t k = 0; k < n; ++k) {
    const double wide = k % 3 == 0 ? 1 : 0.1;
    spots.push_back({0.3 + (draws.Uniform() - 0.3) * wide, 0.6 + (draws.Uniform() - 0.6) * wide});
  }
  return spots;
}

double TruthOf(const std::vector<Spot>& spots, const Rectangle& range) {
  double sum = 0;
  for (const Spot& spot : spots) sum += range.Holds(spot);
  return sum;
}

TEST(SpatialPeers, SharesAddUpToTheTotal) {
  for (const double epsilon : {0.1, 0.5, 1.0, 7.0}) {
    EXPECT_DOUBLE_EQ(TotalOf(GridShares(epsilon)), epsilon);
    EXPECT_DOUBLE_EQ(TotalOf(AdaptiveGridShares(epsilon)), epsilon);
    for (int height = 1; height <= 9; ++height) {
      EXPECT_NEAR(TotalOf(QuadtreeShares(height, epsilon)), epsilon, 1e-12 * epsilon);
      EXPECT_NEAR(TotalOf(KdTreeShares(height, epsilon)), epsilon, 1e-12 * epsilon);
      EXPECT_EQ(QuadtreeShares(height, epsilon).size(), static_cast<std::size_t>(height));
    }
  }
  // By hand: two levels of a quadtree at epsilon 1 share 1/2 as 1 : 2^(1/3).
  const Shares two = QuadtreeShares(2, 1);
  EXPECT_NEAR(two[1].epsilon / two[0].epsilon, std::cbrt(2.0), 1e-12);
  // A kd-tree of height 3: two levels of medians, x and y each; 30 % of 1/2 in four parts.
  const Shares tree = KdTreeShares(3, 1);
  ASSERT_EQ(tree.size(), 7u);
  EXPECT_DOUBLE_EQ(tree[0].epsilon, 0.15 / 4);
}

TEST(SpatialPeers, WithoutNoiseRangesAlongTheBordersAreExact) {
  const auto spots = Crowd(3000, 5);
  const std::vector<Rectangle> aligned = {
      {0, 0, 1, 1}, {0, 0, 0.5, 0.5}, {0.25, 0.5, 0.75, 1}, {0.25, 0.25, 0.375, 0.875}, {0.875, 0.125, 1, 0.25}};
  for (const Rectangle& range : aligned) {
    const double truth = TruthOf(spots, range);
    EXPECT_NEAR(NoisyGrid(spots, 32, 1, nullptr).Count(range), truth, 1e-6);
    EXPECT_NEAR(NoisyQuadtree(spots, 5, 1, nullptr).Count(range), truth, 1e-6);
  }
  // The first borders of an adaptive grid are tenths; of a kd-tree, medians.
  const TreeCounter adaptive = NoisyAdaptiveGrid(spots, 1, nullptr);
  for (const Rectangle& range : {Rectangle{0, 0, 1, 1}, {0.2, 0.5, 0.4, 0.8}, {0, 0.6, 0.3, 1}})
    EXPECT_NEAR(adaptive.Count(range), TruthOf(spots, range), 1e-6);
  const TreeCounter tree = NoisyKdTree(spots, 4, 1, nullptr);
  EXPECT_NEAR(tree.Count({0, 0, 1, 1}), 3000, 1e-6);
  std::vector<double> xs;
  for (const Spot& spot : spots) xs.push_back(spot.x);
  std::nth_element(xs.begin(), xs.begin() + 1500, xs.end());
  EXPECT_NEAR(tree.Count({0, 0, xs[1500], 1}), 1500, 1e-6);
}

TEST(SpatialPeers, ARangeInsideACellGetsItsPart) {
  const GridCounter grid(2, {8, 0, 0, 4});
  EXPECT_DOUBLE_EQ(grid.Count({0, 0, 0.25, 0.5}), 4);
  EXPECT_DOUBLE_EQ(grid.Count({0.25, 0.25, 0.75, 0.75}), 3);
  const TreeCounter tree({{{}, 12, 1, 2}, {{0, 0, 0.5, 1}, 8, 0, 0}, {{0.5, 0, 1, 1}, 4, 0, 0}});
  EXPECT_DOUBLE_EQ(tree.Count({0.25, 0, 0.75, 0.5}), 3);
  EXPECT_DOUBLE_EQ(tree.Count({0.5, 0, 1, 1}), 4);
}

TEST(SpatialPeers, LeastSquaresOverATreeIsBetterThanItsLeaves) {
  const auto spots = Crowd(2000, 9);
  const Rectangle half{0, 0, 0.5, 1};
  const double truth = TruthOf(spots, half);
  double tree = 0, leaves = 0;
  for (std::uint64_t r = 0; r < 60; ++r) {
    Simulated draws(SeedOf(3, r));
    tree += std::pow(NoisyQuadtree(spots, 5, 1, &draws).Count(half) - truth, 2);
    leaves += std::pow(NoisyGrid(spots, 32, 1, &draws).Count(half) - truth, 2);
  }
  EXPECT_LT(tree, leaves / 2);  // 512 cells of noise against a few nodes
}

TEST(SpatialPeers, NoiseIsOfTheScaleThatWasPaidFor) {
  // Empty cells: the mean size of Laplace noise is its scale, 2 / epsilon.
  Simulated draws(17);
  double sum = 0;
  constexpr int kRuns = 4000;
  for (int r = 0; r < kRuns; ++r) sum += std::abs(NoisyGrid({}, 1, 0.5, &draws).Count({0, 0, 1, 1}));
  EXPECT_NEAR(sum / kRuns, 4, 4 * 6 / std::sqrt(kRuns));
}

TEST(SpatialPeers, FiguresOfPlacesAreRepeatable) {
  attack::Visits visits;
  Simulated draws(2);
  for (int k = 0; k < 60; ++k) visits.places.push_back({draws.Between(40.5, 40.9), draws.Between(-74.2, -73.7)});
  visits.users = 40;
  for (std::uint32_t k = 0; k < 300; ++k)
    visits.visits.push_back({k % 40, static_cast<std::uint32_t>(draws.Below(60)), 1});
  Settings settings;
  settings.repetitions = 2;
  settings.epsilons = {1};
  const auto first = PlacesFigure(visits, settings, {}), second = PlacesFigure(visits, settings, {});
  ASSERT_TRUE(first) << first.error().Text();
  ASSERT_TRUE(second);
  ASSERT_EQ(first->panels.size(), 4u);
  for (std::size_t p = 0; p < 4; ++p) {
    EXPECT_EQ(CsvOf(first->panels[p]), CsvOf(second->panels[p]));
    EXPECT_EQ(first->panels[p].points.size(), 7u);  // five of others, two of kith
    for (const Point& point : first->panels[p].points) EXPECT_EQ(point.method.find(','), std::string::npos);
  }
  EXPECT_EQ(first->here, second->here);
}

}  // namespace
}  // namespace kith::experiment
