// Hat counts, prefix counts, sorted groups and pyramids against vectors and small cases.
#include <gtest/gtest.h>

#include <cmath>

#include "analysis/error_bar.h"
#include "analysis/points/fit.h"
#include "analysis/points/hat.h"
#include "analysis/points/isotonic.h"
#include "analysis/points/ordered.h"
#include "analysis/points/pyramid.h"
#include "tests/support/vectors.h"

namespace kith::points {
namespace {

using Numbers = std::vector<double>;

void ExpectNear(const Numbers& got, const Numbers& expected, double tolerance) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t k = 0; k < got.size(); ++k) EXPECT_NEAR(got[k], expected[k], tolerance) << k;
}

TEST(Points, HatVectors) {
  for (const auto& v : testing::Vectors("papers", "delta.hat1")) {
    const std::size_t cells = v.inputs["B"];
    ExpectNear(HatCounts1(v.inputs["D"].get<Numbers>(), cells), v.expected["f"].get<Numbers>(), v.tolerance);
    ExpectNear(HatCounts1(v.inputs["D_moved"].get<Numbers>(), cells), v.expected["f_moved"].get<Numbers>(),
               v.tolerance);
    EXPECT_NEAR(HatSensitivity1(v.inputs["delta"], cells), v.expected["sens"].get<double>(), v.tolerance);
  }
  for (const auto& v : testing::Vectors("papers", "delta.hat2")) {
    std::vector<Point> points;
    for (const auto& p : v.inputs["D"]) points.push_back({p[0], p[1]});
    const std::size_t cells = v.inputs["B"];
    Numbers expected;
    for (const auto& row : v.expected["M"])
      for (const auto& entry : row) expected.push_back(entry);
    ExpectNear(HatCounts2(points, cells), expected, v.tolerance);
    EXPECT_NEAR(HatSensitivity2(0.1, cells, Metric::kL1), v.expected["sens_L1_delta_01"].get<double>(), v.tolerance);
    EXPECT_NEAR(HatSensitivity2(0.1, cells, Metric::kEuclidean), v.expected["sens_euclid_delta_01"].get<double>(),
                v.tolerance);
    EXPECT_NEAR(HatSensitivity2(0.1, cells, Metric::kMax), v.expected["sens_Linf_delta_01"].get<double>(), v.tolerance);
  }
}

TEST(Points, PrefixAndSortedVectors) {
  for (const auto& v : testing::Vectors("papers", "delta.cumulative")) {
    const std::size_t cells = v.inputs["B"];
    const auto steps = [](double x) { return static_cast<std::int64_t>(std::lround(100 * x)); };
    const std::int64_t width = steps(1 / static_cast<double>(cells));
    std::vector<std::int64_t> points;
    for (const double x : v.inputs["D"]) points.push_back(steps(x));
    EXPECT_EQ(PrefixCounts(points, width, cells), v.expected["prefix"].get<std::vector<std::int64_t>>());
    for (std::size_t k = 0; k < v.inputs["cases_delta"].size(); ++k)
      EXPECT_EQ(PrefixSensitivity(steps(v.inputs["cases_delta"][k]), width), v.expected["sens"][k].get<std::int64_t>());
  }
  for (const auto& v : testing::Vectors("papers", "delta.pava"))
    ExpectNear(Isotonic(v.inputs["y"].get<Numbers>()), v.expected["fit"].get<Numbers>(), v.tolerance);
  for (const auto& v : testing::Vectors("papers", "delta.sorted")) {
    const std::size_t k = v.inputs["k"];
    ExpectNear(GroupMeans(v.inputs["D"].get<Numbers>(), k), v.expected["group_means"].get<Numbers>(), v.tolerance);
    ExpectNear(GroupMeans(v.inputs["moved"].get<Numbers>(), 1), v.expected["sorted_moved"].get<Numbers>(), v.tolerance);
  }
}

TEST(Points, SourcesVector) {
  for (const auto& v : testing::Vectors("papers", "delta.sources")) {
    const Numbers source = {0};
    const NodeLoss loss = LossOfScales(v.inputs["b"].get<Numbers>(), v.inputs["delta"], source);
    ExpectNear(loss.moves, v.expected["move_loss"].get<Numbers>(), v.tolerance);
    EXPECT_NEAR(loss.appears, v.expected["add_loss_x0"].get<double>(), v.tolerance);
    const double alone = v.expected["uniform_scale_without_sources"];
    EXPECT_NEAR(LossOfScales(Numbers(5, alone), v.inputs["delta"], {}).worst(), v.inputs["eps"].get<double>(), 1e-9);
  }
}

TEST(Points, PyramidVector) {
  for (const auto& v : testing::Vectors("papers", "delta.pyramid")) {
    const auto wanted = v.inputs["levels"].get<std::vector<int>>();
    const auto levels =
        PyramidLevels(wanted.front(), wanted.back(), v.inputs["delta"], Metric::kEuclidean, v.inputs["eps"]).value();
    ASSERT_EQ(levels.size(), wanted.size());
    for (std::size_t l = 0; l < levels.size(); ++l) {
      EXPECT_NEAR(levels[l].sensitivity, v.expected["sens"][l].get<double>(), v.tolerance);
      EXPECT_EQ(levels[l].nodes(), v.expected["N"][l].get<std::size_t>());
      EXPECT_NEAR(levels[l].epsilon, v.expected["eps_l"][l].get<double>(), v.tolerance);
      EXPECT_NEAR(levels[l].scale, v.expected["scale"][l].get<double>(), v.tolerance);
    }
  }
  EXPECT_FALSE(PyramidLevels(3, 2, 0.1, Metric::kL1, 1));
  EXPECT_FALSE(PyramidLevels(0, 13, 0.1, Metric::kL1, 1));
  EXPECT_FALSE(PyramidLevels(0, 3, 0, Metric::kL1, 1));
  EXPECT_FALSE(PyramidLevels(0, 3, 0.1, Metric::kL1, std::nan("")));
}

TEST(Points, RangesOfAllPointsHoldThemAll) {
  const Numbers line = {0, 0.1, 0.31, 0.5, 0.77, 1};
  EXPECT_NEAR(RangeCount1(HatCounts1(line, 8), 0, 1), 6, 1e-12);
  EXPECT_NEAR(RangeCount1(HatCounts1(line, 8), -3, 4), 6, 1e-12);
  EXPECT_NEAR(RangeCount1(HatCounts1(line, 8), 0.2, 0.2), 0, 1e-12);
  const std::vector<Point> plane = {{0, 0}, {0.2, 0.9}, {1, 1}, {0.4, 0.4}};
  EXPECT_NEAR(RangeCount2(HatCounts2(plane, 8), 8, {{0, 0}, {1, 1}}), 4, 1e-12);
  EXPECT_NEAR(CountBetween(Cumulative({1, 3, 2, 4}, 6), 0, 1), 6, 1e-12);
}

// The chance that noise of this scale on whole numbers is beyond the bar.
double MissOf(double scale, double bar) {
  const double q = std::exp(-1 / scale);
  return 2 * std::pow(q, std::floor(bar) + 1) / (1 + q);
}

// A single count, with noise that is small compared with its step: the bar of a continuous law would be too short.
TEST(Points, BarsOfAFitKnowTheStepsOfItsCounts) {
  double worst = 0;
  for (double scale = 0.1; scale < 20; scale *= 1.05) {
    const double variance = 2 * scale * scale;
    const std::vector<NoisyLevel> levels = {{0, {0}, {1 / variance}, 1}};
    EXPECT_LE(MissOf(scale, BarOfFit(variance, levels)), 0.05) << scale;
    worst = std::max(worst, MissOf(scale, BarOfVariance(variance)));
    // Fine steps add nothing noticeable.
    const std::vector<NoisyLevel> fine = {{0, {0}, {1 / variance}, 1e-6 * scale}};
    EXPECT_NEAR(BarOfFit(variance, fine), BarOfVariance(variance), 1e-5 * scale);
  }
  EXPECT_GT(worst, 0.08);  // what it was before: the check sees it
}

}  // namespace
}  // namespace kith::points
