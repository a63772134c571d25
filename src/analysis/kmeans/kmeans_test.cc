// k-means without data: where it starts, and what it makes of noisy answers.
#include "analysis/kmeans/kmeans.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "analysis/error_bar.h"
#include "mechanism/noise.h"
#include "tests/support/policies.h"

namespace kith {
namespace {

using kmeans::Place;

const Policy& Places() {
  static const Policy policy = testing::MakePolicy(
      "[data]\ntables.t = \"t.csv\"\n[unit]\ntable = \"t\"\nrow = true\npresence = \"secret\"\n[columns.t]\n"
      "x = { type = \"real\", lower = 0, upper = 10 }\ny = { lower = 0, upper = 9 }\nz = { lower = 0, upper = 9, "
      "public "
      "= true }\n[dependence]\nsource = \"public\"\nkind = \"independent\"\n[budget]\nepsilon = 1\nledger = \"l\"\n");
  return policy;
}

// More columns than a grid is for.
const Policy& Wide() {
  std::string columns;
  for (const char* name : {"a", "b", "c", "d", "e"})
    columns += std::string(name) + " = { type = \"real\", lower = 0, upper = 10 }\n";
  static const Policy policy = testing::MakePolicy(
      "[data]\ntables.t = \"t.csv\"\n[unit]\ntable = \"t\"\nrow = true\npresence = \"secret\"\n[columns.t]\n" +
      columns + "[dependence]\nsource = \"public\"\nkind = \"independent\"\n[budget]\nepsilon = 1\nledger = \"l\"\n");
  return policy;
}

// What comes before the first step.
std::vector<NoisyRound> EmptyGrid(const Kmeans& analysis) {
  if (analysis.side() == 0) return {};
  Plan plan = analysis.Round({}).value();
  NoisyGroups cells(plan.groups(), std::vector<Int128>(1, 0));
  return {{std::move(plan), std::move(cells), {1}}};
}

NoisyRound Answered(const Kmeans& analysis, std::vector<std::vector<double>> groups, double scale) {
  NoisyRound round{analysis.Round(EmptyGrid(analysis)).value(), {}, std::vector<double>(groups[0].size(), scale)};
  for (const auto& group : groups) {
    std::vector<Int128> steps;
    for (std::size_t k = 0; k < group.size(); ++k)
      steps.push_back(static_cast<Int128>(group[k] / round.plan.statistics[k].lattice.step()));
    round.noisy.push_back(std::move(steps));
  }
  return round;
}

TEST(Kmeans, StartsSpreadOverTheBoxAndWithoutData) {
  for (const std::size_t dimensions : {1u, 2u, 5u}) {
    const Place low(dimensions, -0.5), high(dimensions, 0.5);
    const auto start = kmeans::Spread(6, low, high);
    ASSERT_EQ(start.size(), 6u);
    EXPECT_EQ(start, kmeans::Spread(6, low, high));
    for (std::size_t c = 0; c < start.size(); ++c) {
      for (const double x : start[c]) EXPECT_TRUE(-0.5 < x && x < 0.5);
      EXPECT_EQ(kmeans::Nearest(start, start[c]), c);
    }
  }
  // On a line the even places are the middles of equal parts.
  auto line = kmeans::Spread(4, {0.0}, {1.0});
  std::sort(line.begin(), line.end());
  for (std::size_t c = 0; c < 4; ++c) EXPECT_NEAR(line[c][0], (static_cast<double>(c) + 0.5) / 4, 0.03);
}

TEST(Kmeans, CentresMoveToNoisyMeansInsideTheBox) {
  const auto analysis = Kmeans::Make({{"x", "y"}, 2, 3, ""}, Places()).value();
  const auto centres = analysis->CentresBefore({});
  // x counts from 5 on and is 10 wide; y counts from 4 on and is 9 wide.
  const auto next = analysis->Next(centres, Answered(*analysis, {{100, 200, -90}, {50, -400, 0}}, 1), false);
  EXPECT_NEAR(next[0][0], 0.2, 1e-9);
  EXPECT_NEAR(next[0][1], -0.1, 1e-9);
  EXPECT_NEAR(next[1][0], -0.5, 1e-9);  // -0.8 is beyond the box
}

TEST(Kmeans, ACentreWithoutAMeanGoesToTheLargestClusterAndStaysInTheEnd) {
  const auto analysis = Kmeans::Make({{"a", "b", "c", "d", "e"}, 3, 3, ""}, Wide()).value();
  ASSERT_EQ(analysis->side(), 0u);
  const auto centres = analysis->CentresBefore({});
  const NoisyRound round = Answered(*analysis, {{100, 200, 0, 0, 0, 0}, {19, 5, 5, 5, 5, 5}, {-30, 5, 5, 5, 5, 5}}, 10);
  const auto next = analysis->Next(centres, round, false);
  for (const std::size_t c : {1u, 2u}) {
    EXPECT_NE(next[c], next[0]);
    EXPECT_NEAR(next[c][0], next[0][0], 0.2);
    for (std::size_t j = 1; j < 5; ++j) EXPECT_NEAR(next[c][j], next[0][j], 0.2);
  }
  EXPECT_NE(next[1], next[2]);
  const auto last = analysis->Next(centres, round, true);
  EXPECT_EQ(last[1], centres[1]);
  EXPECT_EQ(last[2], centres[2]);
}

TEST(Kmeans, EveryStepNoisesRowsAndSumsAndTheInertiaComesLast) {
  const auto analysis = Kmeans::Make({{"x", "y"}, 4, 2, ""}, Places()).value();
  ASSERT_EQ(analysis->Weights().size(), 4u);
  const Plan grid = analysis->Round({}).value();
  EXPECT_EQ(grid.groups(), 400u);
  ASSERT_EQ(grid.statistics.size(), 1u);
  EXPECT_EQ(grid.statistics[0].change.l1().steps(), 2);
  auto before = EmptyGrid(*analysis);
  const Plan plan = analysis->Round(before).value();
  EXPECT_EQ(plan.groups(), 4u);
  ASSERT_EQ(plan.statistics.size(), 3u);
  EXPECT_EQ(plan.statistics[0].change.l1().steps(), 2);
  EXPECT_EQ(static_cast<double>(plan.statistics[1].change.l1().steps()) * plan.statistics[1].lattice.step(), 10);
  EXPECT_EQ(plan.statistics[2].change.l1().steps(), 10);  // 9 is 5 from the whole middle 4
  before.resize(3, Answered(*analysis, {{9, 0, 0}, {9, 0, 0}, {9, 0, 0}, {9, 0, 0}}, 1));
  const Plan inertia = analysis->Round(before).value();
  EXPECT_TRUE(inertia.keys.empty());
  EXPECT_EQ(static_cast<double>(inertia.statistics[0].change.l1().steps()) * inertia.statistics[0].lattice.step(),
            2.0 / 4 / 4);
}

TEST(Kmeans, StartsWhereTheGridHasRows) {
  const auto analysis = Kmeans::Make({{"x", "y"}, 2, std::nullopt, ""}, Places()).value();
  EXPECT_EQ(analysis->Weights().size(), 3u);  // grid, one step, inertia
  auto before = EmptyGrid(*analysis);
  before[0].noisy[2 * 20 + 17][0] = 500;  // the third in x, the last but two in y
  before[0].noisy[3 * 20 + 17][0] = 500;
  before[0].noisy[15 * 20 + 4][0] = 300;
  before[0].noisy[8 * 20 + 8][0] = 2;  // less than noise
  auto centres = analysis->CentresBefore(before);
  ASSERT_EQ(centres.size(), 2u);
  std::sort(centres.begin(), centres.end());
  EXPECT_NEAR(centres[0][0], -0.5 + 3.0 / 20, 1e-6);
  EXPECT_NEAR(centres[1][0], -0.5 + 15.5 / 20, 1e-6);
}

TEST(Kmeans, AGridWithFewCellsLeavesTheRestSpread) {
  std::vector<double> counts(16, 0.0);
  counts[5] = 10;
  const auto start = kmeans::OfGrid(3, 4, counts, 1, {0, 0}, {1, 1});
  ASSERT_EQ(start.size(), 3u);
  EXPECT_EQ(start[0], (Place{0.375, 0.375}));
  EXPECT_EQ(kmeans::OfGrid(3, 4, std::vector<double>(16, -5.0), 1, {0, 0}, {1, 1}), kmeans::Spread(3, {0, 0}, {1, 1}));
}

// After a grid a mean that noise could move by more than half a cell is not taken.
TEST(Kmeans, ACentreOfTheGridStaysWhereAStepKnowsLess) {
  const auto analysis = Kmeans::Make({{"x", "y"}, 2, 2, ""}, Places()).value();
  const auto centres = analysis->CentresBefore({});
  const auto next = analysis->Next(centres, Answered(*analysis, {{100, 200, -90}, {100, 200, -90}}, 30), false);
  EXPECT_EQ(next, centres);
}

TEST(Kmeans, RefusesWhatNeedsNoNoise) {
  const Policy open = testing::MakePolicy(
      "[data]\ntables.t = \"t.csv\"\n[unit]\ntable = \"t\"\nkey = \"id\"\nmax_rows = 1\npresence = \"public\"\n"
      "[columns.t]\nx = { type = \"real\", lower = 0, upper = 10, public = true }\n"
      "[dependence]\nsource = \"public\"\nkind = \"independent\"\n[budget]\nepsilon = 1\nledger = \"l\"\n");
  EXPECT_EQ(Kmeans::Make({{"x"}, 2, 3, ""}, open).error().code, Code::kUnsupportedQuery);
  EXPECT_TRUE(Kmeans::Make({{"z"}, 2, 3, ""}, Places()).has_value());  // presence is secret
}

TEST(ErrorBars, AreThoseOfTheNoise) {
  const auto analysis = Kmeans::Make({{"x", "y"}, 2, 1, ""}, Places()).value();
  for (const double scale : {0.5, 3.0, 70.0}) {
    const NoisyRound round = Answered(*analysis, {{1, 1, 1}, {1, 1, 1}}, scale);
    const auto law = Noise::For(Sensitivities::OfL1(1).value(), PlainUnits::Floor(1 / scale).value()).value();
    for (const double confidence : {0.5, 0.95, 0.999})
      EXPECT_NEAR(ErrorBar(round, 0, confidence), law.ErrorBar(confidence), 1e-9) << scale << " " << confidence;
  }
}

}  // namespace
}  // namespace kith
