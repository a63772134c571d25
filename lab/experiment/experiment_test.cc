// The parts of the experiments on cases small enough to know the answer.
#include <gtest/gtest.h>

#include <cmath>

#include "experiment/accuracy.h"
#include "experiment/adult.h"
#include "experiment/catalogue.h"
#include "experiment/clustering.h"
#include "experiment/degree_counts.h"
#include "experiment/methods.h"
#include "experiment/networks.h"
#include "experiment/sources.h"
#include "experiment/world.h"

namespace kith::experiment {
namespace {

TEST(Experiment, AgreementRenamesClustersInTheBestWay) {
  EXPECT_EQ(Agreement({0, 0, 1, 1, 2}, {2, 2, 0, 0, 1}, 3), 1);
  EXPECT_EQ(Agreement({0, 0, 1, 1}, {0, 1, 1, 0}, 2), 0.5);
  EXPECT_EQ(Agreement({0, 0, 0, 0}, {0, 1, 2, 2}, 3), 0.5);
}

TEST(Experiment, SharesHaveIntervalsThatStayShares) {
  const Estimate none = ShareOf(0, 100), all = ShareOf(100, 100), half = ShareOf(50, 100);
  EXPECT_EQ(none.low, 0);
  EXPECT_GT(none.high, 0.01);
  EXPECT_EQ(all.high, 1);
  EXPECT_NEAR(half.low, 0.404, 0.001);  // Wilson's interval, from a table
  EXPECT_NEAR(half.high, 0.596, 0.001);
}

TEST(Experiment, CorrelationsBelowTheThresholdAreLeftOut) {
  // Rows 0 and 1 rise together, row 2 falls, row 3 is flat; row 4 has a correlation of 1/2 with row 0.
  const std::vector<double> rows = {1, 2, 3, 10, 20, 30, 3, 2, 1, 7, 7, 7, 1, 3, 2};
  EXPECT_NEAR(CorrelatedFactor(rows, 3, 0.9, 1), 3, 1e-6);
  EXPECT_NEAR(CorrelatedFactor(rows, 3, 0.4, 2), 3.5, 1e-6);
}

Adult TwoColumns() { return {{{"age", true, {20, 30, 60}}, {"sex", false, {0, 1, 1}}}, {false, true, false}}; }

TEST(Experiment, ProfilesFollowTheirEncoding) {
  const auto categories = ProfilesOf(TwoColumns(), Encoding::kCategories);
  EXPECT_EQ(categories.categories.size(), 2u);
  const auto mixed = ProfilesOf(TwoColumns(), Encoding::kMixed);
  EXPECT_EQ(mixed.unit, 1000u);
  EXPECT_EQ(mixed.categories, (std::vector<std::vector<std::uint32_t>>{{0, 1, 1}}));
  EXPECT_EQ(mixed.numbers, (std::vector<std::vector<std::uint32_t>>{{0, 250, 1000}}));
  const auto raw = ProfilesOf(TwoColumns(), Encoding::kRaw);
  EXPECT_EQ(raw.numbers, (std::vector<std::vector<std::uint32_t>>{{20, 30, 60}, {1, 2, 2}}));
}

TEST(Experiment, NeighboursAreThoseOfBothSides) {
  const auto similar = Affinity::Make({{{1, 2, 1, 1}}, {}, 1}, Similarity::kCosine, {4, 5}).value();
  EXPECT_EQ(NeighboursOf(similar, 2, {}).value(), (attack::Friends{{2, 3}, {}, {0, 3}, {0, 2}}));
}

/// A path of three people, and one alone.
Noise SmallNoise() { return Noise::Make(attack::Calibration::Make({{1}, {0, 2}, {1}, {}}, {}).value(), 2.5).value(); }

TEST(Experiment, MethodsSpendWhatTheyPromise) {
  Noise noise = SmallNoise();
  EXPECT_DOUBLE_EQ(noise.PlainLoss(MethodCalled("plain"), 1).value(), 1);
  EXPECT_DOUBLE_EQ(noise.PlainLoss(MethodCalled("group"), 1).value(), 1.0 / 3);
  EXPECT_DOUBLE_EQ(noise.PlainLoss(MethodCalled("baseline"), 1).value(), 0.25);
  EXPECT_DOUBLE_EQ(noise.PlainLoss(MethodCalled("zhu"), 1).value(), 0.4);
  for (const Method& method : Methods()) {
    const double plain = noise.PlainLoss(method, 1).value();
    EXPECT_NEAR(noise.Promised(method, plain).value(), 1, method.name == "field" ? 0.02 : 1e-6) << method.name;
    EXPECT_GE(plain, 0.25 - 1e-9) << method.name;
    EXPECT_LE(plain, 1) << method.name;
  }
}

const Point& PointOf(const Panel& panel, const std::string& method, double x) {
  for (const Point& point : panel.points) {
    if (point.method == method && point.x == x) return point;
  }
  ADD_FAILURE() << method << " has no point there";
  return panel.points.front();
}

TEST(Experiment, WithinAlphaFollowsTheLawOfTheNoise) {
  Noise noise = SmallNoise();
  Settings settings;
  settings.repetitions = 100;  // 10,000 draws: a standard deviation of half a percent
  const auto figure = Fig8a(noise, {2, 4}, settings, {}).value();
  // The sum of two exponentials of mean 1 stays within x with probability 1 - exp(-x)(1 + x).
  EXPECT_NEAR(PointOf(figure.panels[0], "plain", 1).y.mean, 1 - std::exp(-4.0) * 5, 0.04);
  EXPECT_NEAR(PointOf(figure.panels[0], "baseline", 1).y.mean, 1 - std::exp(-1.0) * 2, 0.04);
  EXPECT_NEAR(PointOf(figure.panels[1], "baseline", 1).y.mean, 1 - std::exp(-1.0), 0.04);
  const auto other = Fig8b(noise, {2, 4}, settings, {}).value();
  // One number: epsilon alpha = -ln(beta).
  EXPECT_NEAR(PointOf(other.panels[1], "plain", 0.9).y.mean, std::log(10) / 4, 1e-6);
  EXPECT_NEAR(PointOf(other.panels[1], "baseline", 0.9).y.mean, std::log(10), 1e-5);
}

Settings Few() {
  Settings settings;
  settings.repetitions = 3;
  settings.epsilons = {0.5, 1000};
  return settings;
}

TEST(Experiment, NearlyExactCentroidsSortNearlyEverybodyAlike) {
  Cloud cloud{{}, 2};
  for (int i = 0; i < 300; ++i) {
    const double wobble = 0.0001 * (i % 20);
    cloud.points.push_back((i % 3 == 0 ? 0.1 : i % 3 == 1 ? 0.5 : 0.9) + wobble);
    cloud.points.push_back((i % 3 == 1 ? 0.9 : 0.2) - wobble);
  }
  Noise noise = SmallNoise();
  const auto figure = Fig9a(cloud, 3, noise, Few(), {}).value();
  EXPECT_GT(PointOf(figure.panels[0], "plain on centroids", 1000).y.mean, 0.99);
  EXPECT_GT(PointOf(figure.panels[0], "kith plain", 1000).y.mean, 0.99);
  EXPECT_LT(PointOf(figure.panels[0], "baseline", 0.5).y.mean,
            PointOf(figure.panels[0], "baseline", 1000).y.mean + 1e-9);
  EXPECT_FALSE(Fig9a({{0, 0, 1, 1}, 2}, 3, noise, Few(), {}));
}

TEST(Experiment, DegreeCountsComeNearTheTruthWithoutNoise) {
  attack::Friends circle(40);
  for (std::uint32_t i = 0; i < 40; ++i) circle[i] = {(i + 39) % 40, (i + 1) % 40};
  Noise noise = SmallNoise();
  const auto figure = Fig9c(circle, 5, noise, Few(), {}).value();
  EXPECT_LT(PointOf(figure.panels[0], "kith plain", 1000).y.mean, 1);
  EXPECT_GT(PointOf(figure.panels[0], "baseline", 0.5).y.mean, 5);
  EXPECT_EQ(PointOf(figure.panels[0], "all counts zero", 0.5).y.mean, 40);
}

TEST(Experiment, AWordStandsForFigures) {
  EXPECT_EQ(FiguresCalled("fig8"), (std::vector<std::string>{"fig8a", "fig8b"}));
  EXPECT_EQ(FiguresCalled("fig5b"), (std::vector<std::string>{"fig5"}));
  EXPECT_EQ(FiguresCalled("all").size(), Catalogue().size());
  EXPECT_TRUE(FiguresCalled("fig99").empty());
}

TEST(Experiment, NumbersForPeople) {
  EXPECT_EQ(Compact(1180.4), "1,180");
  EXPECT_EQ(Compact(47502), "47,502");
  EXPECT_EQ(Compact(-1180.4), "-1,180");
  EXPECT_EQ(Compact(0.03171), "0.0317");
  const Panel panel{"f", "t", "x", "y", false, false, {{"a", 0.5, {2, 1.5, 2.5}, 1}, {"a", 3, {4, 4, 4}, 1}}};
  EXPECT_EQ(ValueText(panel, "a", 0.9), "2 (1.5 to 2.5)");
  EXPECT_EQ(ValueText(panel, "a", 2.9), "4");
  EXPECT_EQ(ValueText(panel, "b", 1), "none");
}

TEST(Experiment, ACityHasANameAPlaceAndAReach) {
  const auto cities = ParseCities({"A:1:2", "B:-3.5:4:10"}).value();
  EXPECT_EQ(cities[0].radius_km, 25);
  EXPECT_EQ(cities[1].name, "B");
  EXPECT_EQ(cities[1].centre.lat, -3.5);
  for (const char* wrong : {"A", "A:1", ":1:2", "A:91:0", "A:1:2:0", "A:x:2", "A:1:2:3:4"})
    EXPECT_FALSE(ParseCities({wrong})) << wrong;
}

TEST(Experiment, SimulatedNoiseFollowsItsSeed) {
  const auto asked = [](std::uint64_t seed) {
    const auto world = World::Make("v\n1\n0\n1\n", "row = true\npresence = \"public\"",
                                   "v = { type = \"integer\", values = [0, 1], required = true }", seed, {});
    double sum = 0;
    for (int k = 1; k <= 4; ++k)
      sum += k * NumberIn(world->Ask("SELECT count(*) FROM t WHERE v = 1", 0.01, {})->rows[0][0]);
    return sum;
  };
  EXPECT_EQ(asked(1), asked(1));
  EXPECT_NE(asked(1), asked(2));
}

TEST(Experiment, TablesHaveAMethodAPlaceAndAnInterval) {
  const Panel panel{"f", "t", "x", "y", false, false, {{"a", 1, {2, 1.5, 2.5}, 0.5}, {"b", 1, {3, 3, 3}, 0}}};
  EXPECT_EQ(CsvOf(panel), "method,x,mean,low,high,plain_epsilon\na,1,2,1.5,2.5,0.5\nb,1,3,3,3,0\n");
  const Panel commas{"f", "t", "x", "y", false, false, {{"a, \"b\"", 1, {2, 2, 2}, 0}}};
  EXPECT_EQ(CsvOf(commas), "method,x,mean,low,high,plain_epsilon\n\"a, \"\"b\"\"\",1,2,2,2,0\n");
}

/// A ring of 40 people who know the next two on each side, close to the next one.
Network Ring() {
  Network ring{"ring", 40, {}};
  for (std::uint32_t i = 0; i < 40; ++i) {
    ring.pairs.push_back({i, (i + 1) % 40, 5});
    ring.pairs.push_back({i, (i + 2) % 40, 1});
  }
  return ring;
}

TEST(Experiment, TheClosestStayWhenDegreesAreCut) {
  const auto kept = ClosestOnly(Ring(), 2);
  EXPECT_EQ(kept.size(), 40u);
  for (const auto& pair : kept) EXPECT_EQ(pair.weight, 5u);
  EXPECT_EQ(ClosestOnly(Ring(), 0).size(), 80u);
  EXPECT_EQ(ClosestOnly(Ring(), 4).size(), 80u);
  EXPECT_EQ(ClosestOnly(Ring(), 1).size(), 20u);
}

TEST(Experiment, NoiseOnANetworkGrowsWithStrengthUpToGroupPrivacy) {
  const auto figure = NoiseOnNetworks({Ring()}, {}, {}).value();
  ASSERT_EQ(figure.panels.size(), 1u);
  const Panel& panel = figure.panels[0];
  EXPECT_EQ(PointOf(panel, "group privacy", 2).y.mean, 40);
  double last = 1;
  for (const double odds_ratio : {1.02, 1.1, 1.5, 2.0, 4.0, 8.0}) {
    const double all = PointOf(panel, "all pairs", odds_ratio).y.mean;
    EXPECT_GE(all, last);
    EXPECT_LE(all, 40 * (1 + 1e-3));
    EXPECT_LE(PointOf(panel, "at most 3", odds_ratio).y.mean, all * (1 + 1e-3));
    EXPECT_NEAR(PointOf(panel, "all pairs", odds_ratio).plain * all, 1, 1e-9);
    last = all;
  }
  // Four neighbours, odds ratio 1.02: 4 tanh(theta / 4), and a little more for those beyond them.
  EXPECT_NEAR(PointOf(panel, "all pairs", 1.02).y.mean, 1 + 4 * std::tanh(std::log(1.02) / 4), 2e-3);
  EXPECT_NE(figure.notes[0].find("all pairs"), std::string::npos);
}

}  // namespace
}  // namespace kith::experiment
