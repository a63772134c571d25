// The parts of the inference attack: published vectors, patterns, grid, priors, noise of each method.
#include "attack/attack.h"

#include <gtest/gtest.h>

#include <cmath>

#include "attack/inference.h"
#include "attack/noise.h"
#include "attack/student.h"
#include "published/information.h"
#include "tests/support/vectors.h"
#include "transfer/transfer.h"

namespace kith::attack {
namespace {

using kith::testing::Vectors;

std::vector<Point> PointsOf(const kith::testing::Json& pairs) {
  std::vector<Point> points;
  for (const auto& pair : pairs) points.push_back({pair[0], pair[1]});
  return points;
}

TEST(AttackVectors, GreatCircleDistances) {
  const auto v = Vectors("papers", "ndss.eq5").front();
  const auto a = PointsOf(v.inputs["d_i"]), b = PointsOf(v.inputs["d_j"]);
  for (std::size_t l = 0; l < a.size(); ++l) {
    EXPECT_NEAR(GreatCircleKm(a[l], b[l]), v.expected["per_place"][l].get<double>(), v.tolerance);
  }
  EXPECT_NEAR(PatternDistanceKm(a, b), v.expected["Dist"].get<double>(), v.tolerance);
}

void ExpectLaw(const std::vector<double>& law, const kith::testing::Json& expected, double tolerance) {
  ASSERT_EQ(law.size(), expected.size());
  for (std::size_t c = 0; c < law.size(); ++c) EXPECT_NEAR(law[c], expected[c].get<double>(), tolerance);
}

TEST(AttackVectors, FourCellsAndOneMean) {
  const auto v = Vectors("papers", "ndss.attack").front();
  const auto cells = v.inputs["cells"].get<std::vector<double>>();
  const auto others = v.inputs["others"].get<std::vector<double>>();
  const auto counts = v.inputs["counts"].get<std::vector<double>>();
  const auto weights = v.inputs["weights"].get<std::vector<double>>();
  const double n = v.inputs["n"], observed = v.inputs["mu_tilde"], delta = v.inputs["delta"];
  const auto alone = Prior(counts, {}, 0), with = Prior(counts, weights, 0);
  ExpectLaw(alone, v.expected["P_inde"], v.tolerance);
  ExpectLaw(with, v.expected["P_de"], v.tolerance);
  EXPECT_NEAR(EntropyOf(alone), v.expected["H_prior_nats"].get<double>(), v.tolerance);
  for (const double epsilon : {0.001, 1.0, 4.0}) {
    const auto& expected = v.expected[epsilon == 0.001 ? "eps=0.001" : epsilon == 1 ? "eps=1" : "eps=4"];
    std::vector<double> log_likelihood;
    for (const double cell : cells) {
      double sum = cell;
      for (const double other : others) sum += other;
      log_likelihood.push_back(-std::abs(observed - sum / n) * epsilon / delta);
    }
    for (const bool friends : {false, true}) {
      const std::string name = friends ? "de" : "inde";
      Inference found;
      Infer(friends ? with : alone, log_likelihood, &found);
      ExpectLaw(found.posterior, expected["post_" + name], v.tolerance);
      EXPECT_EQ(found.estimate, expected["map_" + name].get<std::size_t>());
      EXPECT_NEAR(EntropyOf(alone) - found.entropy, expected["leak_" + name + "_nats"].get<double>(), v.tolerance);
      EXPECT_NEAR(found.divergence, DivergenceOf(found.posterior, friends ? with : alone), 1e-12);
    }
  }
}

TEST(AttackPlaces, MostVisitedFirstTiesByIdShortListsRepeat) {
  Visits visits{2, {{1, 1}, {2, 2}, {3, 3}}, {{0, 2, 1}, {0, 1, 1}, {0, 0, 1}, {0, 2, 1}, {1, 1, 5}}};
  const auto patterns = TopPlaces(visits, 4).value();
  const std::vector<double> first = {3, 1, 2, 3}, second = {2, 2, 2, 2};
  for (std::size_t l = 0; l < 4; ++l) {
    EXPECT_EQ(patterns.Of(0)[l].lat, first[l]);
    EXPECT_EQ(patterns.Of(1)[l].lat, second[l]);
  }
  EXPECT_FALSE(TopPlaces(visits, 0));
  visits.users = 3;
  EXPECT_FALSE(TopPlaces(visits, 1)) << "a user without a visit";
  visits.users = 2;
  visits.places[0].lat = 91;
  EXPECT_FALSE(TopPlaces(visits, 1)) << "off the globe";
}

TEST(AttackPlaces, InactiveUsersLeaveWithTheirFriendships) {
  Visits visits{3, {{0, 0}}, {{0, 0, 3}, {1, 0, 1}, {2, 0, 2}}};
  Friends friends = {{1, 2}, {0}, {0}};
  KeepActive(2, &visits, &friends);
  EXPECT_EQ(visits.users, 2u);
  ASSERT_EQ(visits.visits.size(), 2u);
  EXPECT_EQ(visits.visits[1].user, 1u);
  EXPECT_EQ(friends, (Friends{{1}, {0}}));
}

TEST(AttackPlaces, EveryCentreIsInItsCell) {
  const std::vector<Point> corners = {{40.5, -74.2}, {40.9, -73.7}};
  const Grid grid(corners, 7);
  for (std::size_t cell = 0; cell < grid.cells(); ++cell) EXPECT_EQ(grid.CellOf(grid.Centre(cell)), cell);
  EXPECT_EQ(grid.CellOf(corners[0]), 0u);
  EXPECT_EQ(grid.CellOf(corners[1]), grid.cells() - 1);
  // Against trying every cell, for several radii.
  for (const double radius : {0.0, 3.0, 8.0, 100.0}) {
    const Point p{40.61, -73.99};
    std::vector<std::uint32_t> expected;
    for (std::uint32_t cell = 0; cell < grid.cells(); ++cell) {
      if (cell == grid.CellOf(p) || GreatCircleKm(p, grid.Centre(cell)) <= radius) expected.push_back(cell);
    }
    EXPECT_EQ(grid.CellsNear(p, radius), expected) << radius;
  }
  const std::vector<Point> two = {{40.5, -74.2}, {40.9, -73.7}, {37.6, -122.5}, {37.9, -122.2}};
  const std::vector<Point> centres = {{40.7, -74}, {37.7, -122.4}};
  const Grid cities(two, centres, 3);
  std::size_t real = 0;
  for (std::size_t cell = 0; cell < cities.cells(); ++cell) {
    if (!cities.IsCell(cell)) continue;
    ++real;
    const Point centre = cities.Centre(cell);
    EXPECT_EQ(cities.CellOf(centre), cell);
    EXPECT_NEAR(cities.ScaledRow(cell / cities.side()), cities.ScaledLat(centre.lat), 1e-12);
    EXPECT_NEAR(cities.ScaledColumn(cell % cities.side()), cities.ScaledLon(centre.lon), 1e-12);
    for (const std::uint32_t near : cities.CellsNear(centre, 30)) EXPECT_TRUE(cities.IsCell(near));
  }
  EXPECT_EQ(real, 18u) << "a grid of nine for each city";
  const std::vector<Point> one = {{10, 10}};
  EXPECT_EQ(Grid(one, 3).CellOf(one[0]), 4u) << "a single place is in the middle";
}

TEST(AttackInference, NoLikelihoodIsTooSmall) {
  const std::vector<double> prior = {0.5, 0, 0.5};
  Inference found;
  Infer(prior, std::vector<double>{-1e6, 0, -1e6 - 1}, &found);
  EXPECT_NEAR(found.posterior[0], 1 / (1 + std::exp(-1.0)), 1e-12);
  EXPECT_EQ(found.posterior[1], 0);
  Infer(prior, std::vector<double>{-5000, 0, 0}, &found);
  EXPECT_EQ(found.estimate, 2u);
  EXPECT_NEAR(found.divergence, std::log(2), 1e-12);
}

TEST(AttackInference, LossesOfFollowersAreFiniteWhereTheirExponentialsAreNot) {
  EXPECT_EQ(FollowedLoss(800, 3, 0), 800) << "nobody follows";
  EXPECT_NEAR(FollowedLoss(800, 2, 0.5), 800 + 2 * (800 + std::log(0.5)), 1e-9);
  EXPECT_NEAR(FollowedLoss(30.000001, 1, 0.3), FollowedLoss(30, 1, 0.3), 1e-5) << "one formula goes on from the other";
}

TEST(AttackInference, SmoothingKeepsEmptyCellsPossible) {
  EXPECT_EQ(Prior(std::vector<double>{3, 0}, {}, 0)[1], 0);
  EXPECT_NEAR(Prior(std::vector<double>{3, 0}, {}, 0.5)[1], 0.5 / 4, 1e-15);
  EXPECT_EQ(Prior(std::vector<double>{0, 0}, {}, 0), (std::vector<double>{0.5, 0.5}));
}

TEST(AttackInference, IntervalsAreStudents) {
  // Mean 3, standard deviation sqrt(2.5), five values: half width 2.776445 sqrt(2.5 / 5).
  const Estimate e = EstimateOf({1, 2, 3, 4, 5});
  EXPECT_NEAR(e.mean, 3, 1e-15);
  EXPECT_NEAR(e.high - e.mean, 2.776445105 * std::sqrt(0.5), 1e-8);
  EXPECT_EQ(EstimateOf({7}).low, 7);
  const std::pair<std::size_t, double> known[] = {{1, 12.706204736174694},  {2, 4.3026527297494619},
                                                  {3, 3.1824463052837086},  {6, 2.4469118511449794},
                                                  {149, 1.976013177689192}, {9999, 1.9602012636213573}};
  for (const auto& [freedom, t] : known) EXPECT_NEAR(StudentAt975(freedom), t, 1e-11) << freedom;
}

// A path of three and a lonely fourth.
const Friends kPath = {{1}, {0, 2}, {1}, {}};

TEST(AttackNoise, MethodsFollowTheirFormulas) {
  auto noise = Calibration::Make(kPath, Strength{}).value();
  EXPECT_EQ(noise.largest_degree(), 2u);
  EXPECT_EQ(noise.largest_component(), 3u);
  EXPECT_EQ(noise.PlainLoss("laplace", 0.7).value(), 0.7);
  EXPECT_DOUBLE_EQ(noise.PlainLoss("group", 0.6).value(), 0.2);
  EXPECT_DOUBLE_EQ(noise.PlainLoss("baseline", 0.6).value(), 0.15);
  // Vector ndss.eq26.2d: at scale 4, 2, 1 the coefficients are 0.2189, 0.2181, 0.2150 and 0.7822, 0.7851, 0.7908. The
  // fixed points are at scales 1.9 x 1.44 = 2.7 and 1.9 x 2.56 = 4.9; Eq. 18 falls in the scale.
  const double eq14 = 1 / noise.PlainLoss("dpm-eq14", 1).value();
  EXPECT_GT(eq14, 1 + 2 * 0.2180);
  EXPECT_LT(eq14, 1 + 2 * 0.2190);
  const double eq18 = 1 / noise.PlainLoss("dpm-eq18", 1).value();
  EXPECT_GT(eq18, 1 + 2 * 0.778);
  EXPECT_LT(eq18, 1 + 2 * 0.7823);
  EXPECT_LT(1 / noise.PlainLoss("dpm-eq18-0.8", 1).value(), 1 / noise.PlainLoss("dpm-eq18-0.9", 1).value());
  EXPECT_LT(1 / noise.PlainLoss("dpm-eq18-0.9", 1).value(), eq18);
  for (const Method& method : Methods()) {
    const double plain = noise.PlainLoss(method.name, 0.5).value();
    EXPECT_GT(plain, 0) << method.name;
    EXPECT_LE(plain, 0.5) << method.name;
  }
  EXPECT_FALSE(noise.PlainLoss("magic", 1));
  EXPECT_FALSE(noise.PlainLoss("laplace", 0));
}

TEST(AttackNoise, StarAgreesWithTheTransferFunction) {
  // Two friends with Eq. 26 on 5 x 5 points: the same table as a declared star.
  Strength strength;
  strength.side = 5;
  auto noise = Calibration::Make(kPath, strength).value();
  LawTable table;
  for (int t = 0; t < 25; ++t) {
    Law& row = table.emplace_back();
    double sum = 0;
    for (int d = 0; d < 25; ++d) {
      const double apart = (std::abs(t / 5 - d / 5) + std::abs(t % 5 - d % 5)) / 5.0;
      row.push_back(std::pow(apart + 0.196, -1.05));
      sum += row.back();
    }
    for (double& p : row) p /= sum;
  }
  const auto transfer = Transfer::Make(Star{{table, table}}).value();
  for (const double epsilon : {0.1, 1.0, 5.0}) {
    const double plain = noise.PlainLoss("star", epsilon).value();
    EXPECT_NEAR(transfer.Loss(plain).value().dependent, epsilon, 1e-6 * epsilon);
  }
}

TEST(AttackNoise, AnOddsRatioReplacesTheDistanceLaw) {
  Strength strength;
  strength.odds_ratio = 2;
  auto noise = Calibration::Make(kPath, strength).value();
  const double plain = noise.PlainLoss("field", 1).value();
  Field field;
  field.nodes = 4;
  field.edges = {{0, 1, std::log(2)}, {1, 2, std::log(2)}};
  EXPECT_LE(Transfer::Make(field).value().Loss(plain).value().dependent, 1 + 1e-12);
  EXPECT_GT(noise.PlainLoss("star", 1).value(), plain * 0.999) << "star knows more, so it may spend more";
  strength.odds_ratio = 0.5;
  EXPECT_FALSE(Calibration::Make(kPath, strength));
  strength.odds_ratio.reset();
  strength.side = 41;
  EXPECT_FALSE(Calibration::Make(kPath, strength));
}

}  // namespace
}  // namespace kith::attack
