// Tables, percentiles and lines from noisy counts and sums.
#include "analysis/derived/derived.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

#include "analysis/derived/contingency.h"
#include "analysis/derived/percentiles.h"
#include "analysis/derived/regression.h"
#include "analysis/error_bar.h"
#include "query/test_policy.h"

namespace kith {
namespace {

double DrawNoise(double scale, std::mt19937_64& engine) {
  std::geometric_distribution<int> draw(1 - std::exp(-1 / scale));
  const int up = draw(engine);
  return up - draw(engine);
}

TEST(Derived, TextsCannotEndTheirParentheses) {
  for (const char* good : {"age", "f(x) + (1)", "name = ')'", "\"a;b\" = 'it''s'", "a - -b"})
    EXPECT_TRUE(IsOnePart(good, "x").has_value()) << good;
  for (const char* bad :
       {"", " ", "a) OR (b", "(a", "a -- b", "a /* b", "'a", "\"a", "a; b", "$$a$$", "')", "a = E'\\'' --'"})
    EXPECT_FALSE(IsOnePart(bad, "x").has_value()) << bad;
}

// P(|Z| > bar) of discrete Laplace noise with step 1, by its definition.
double MissOf(double scale, double bar) {
  const double q = std::exp(-1 / scale);
  double inside = 0;
  for (int k = -2000; k <= 2000; ++k) inside += std::abs(k) <= bar ? (1 - q) / (1 + q) * std::pow(q, std::abs(k)) : 0;
  return 1 - inside;
}

TEST(Derived, BarsOfOneNoiseAreThoseOfItsExactLaw) {
  for (double scale = 0.1; scale < 60; scale *= 1.03) {
    const double bar = NoiseDistribution{scale, 1}.Bar95();
    EXPECT_EQ(bar, std::floor(bar));
    EXPECT_LE(MissOf(scale, bar), 0.05 + 1e-12) << scale;
    if (bar > 0) {
      EXPECT_GT(MissOf(scale, bar - 1), 0.05) << scale;  // and no smaller one
    }
    EXPECT_EQ(10 * bar, (NoiseDistribution{10 * scale, 10}).Bar95());
  }
  EXPECT_EQ((NoiseDistribution{0.4, 1}).Bar95(), 1);
  EXPECT_GT(MissOf(0.4, BarOfVariance(NoiseDistribution{0.4, 1}.Variance())), 0.15);  // the continuous bar, 0.935
  EXPECT_EQ(NoiseDistribution{}.Bar95(), 0);
}

/// The chance that a sum of noises with these weights (in tenths) is beyond its bar plus `more` steps of the largest.
double MissOfSum(const std::vector<int>& tenths, double scale, bool continuous) {
  const double q = std::exp(-1 / scale), one = NoiseDistribution{scale, 1}.Variance();
  const int most = static_cast<int>(std::ceil(scale * 11)) + 1;
  std::map<int, double> law = {{0, 1}};
  double variance = 0;
  int largest = 0;
  for (const int weight : tenths) {
    std::map<int, double> next;
    for (const auto& [at, chance] : law) {
      if (chance < 1e-8) continue;
      for (int k = -most; k <= most; ++k)
        next[at + weight * k] += chance * (1 - q) / (1 + q) * std::pow(q, std::abs(k));
    }
    law = std::move(next);
    variance += weight * weight * one / 100;
    largest = std::max(largest, weight);
  }
  const double bar = continuous ? BarOfVariance(variance) : BarOfWeightedSum(variance, largest / 10.0);
  double beyond = 0;
  for (const auto& [at, chance] : law) beyond += std::abs(at) > 10 * bar + 1e-9 ? chance : 0;
  return beyond;
}

TEST(Derived, SumsOfFewNoisesStayWithinTheirBars) {
  const std::vector<std::vector<int>> sums = {{10},          {10, 10},         {10, 9},           {10, 5},
                                              {10, 3, 3},    {10, 10, 10},     {10, 7, 6},        {10, 10, 10, 10},
                                              {10, 1, 1, 1}, {10, 8, 6, 5, 4}, {7, 7, 7, 3, 3, 3}};
  double worst_continuous = 0;
  for (const auto& weights : sums) {
    for (double scale = 0.1; scale < 1.6; scale *= 1.06) {
      EXPECT_LE(MissOfSum(weights, scale, false), 0.05) << weights.size() << " " << scale;
      worst_continuous = std::max(worst_continuous, MissOfSum(weights, scale, true));
    }
  }
  EXPECT_GT(worst_continuous, 0.12);  // what the bars were before: the check sees it
  EXPECT_EQ(BarOfWholeSum(2 * NoiseDistribution{2, 1}.Variance(), 1),
            std::floor(BarOfWeightedSum(2 * NoiseDistribution{2, 1}.Variance(), 1)));
}

TEST(Derived, NumbersForPeople) {
  EXPECT_EQ(Grouped(2844), "2,844");
  EXPECT_EQ(Grouped(-1234567.4), "-1,234,567");
  EXPECT_EQ(Grouped(94), "94");
  EXPECT_EQ(Grouped(1.4182), "1.418");
}

// How often the test finds an association where there is none, at 5 %.
double FalseAlarms(double noise_known) {
  std::mt19937_64 engine(11);
  const double scale = 6;
  int alarms = 0;
  const int runs = 150;
  for (int run = 0; run < runs; ++run) {
    NoisyCounts table{2, 3, std::vector<double>(6), 0};
    for (int unit = 0; unit < 400; ++unit) ++table.counts[(engine() % 10 < 3 ? 0 : 3) + engine() % 3];
    for (double& count : table.counts) count += DrawNoise(scale, engine);
    const NoiseDistribution law{scale * noise_known, 1};
    table.variance = law.Variance();
    if (TestIndependence(table, law).p_value <= 0.05) ++alarms;
  }
  return alarms / static_cast<double>(runs);
}

TEST(Contingency, NoiseIsNotTakenForAnAssociation_CHISQ1) { EXPECT_LT(FalseAlarms(1), 0.12); }

TEST(Contingency, TheCheckAboveSeesATestThatForgetsTheNoise) { EXPECT_GT(FalseAlarms(0), 0.17); }

TEST(Contingency, AnAssociationIsFoundTheSameWayEveryTime) {
  NoisyCounts table{2, 2, {300, 100, 110, 290}, 8};
  const IndependenceTest test = TestIndependence(table, {2, 1});
  EXPECT_EQ(test.p_value, 1.0 / (IndependenceTest::kDraws + 1));
  EXPECT_EQ(test.p_value, TestIndependence(table, {2, 1}).p_value);
  // Without noise it is Pearson's: 800 (300 * 290 - 100 * 110)^2 / (400 * 400 * 410 * 390).
  table.variance = 0;
  EXPECT_NEAR(ChiSquare(table), 800 * std::pow(300.0 * 290 - 100 * 110, 2) / (400.0 * 400 * 410 * 390), 1e-9);
  ASSERT_TRUE(test.cramers_v.has_value());
  EXPECT_NEAR(*test.cramers_v, std::sqrt(ChiSquare(table) / 800), 0.01);
  for (const double lost : {0.0, -5.0}) {  // whatever noise has made of it
    const NoisyCounts nothing{2, 2, {lost, lost, lost, lost}, 8};
    EXPECT_GT(TestIndependence(nothing, {2, 1}).p_value, 0.0);
  }
}

TEST(Contingency, AsksForOneTable) {
  const auto made = Contingency::Make({"sex", "ill", "age > 30", ""}, TestPolicy());
  ASSERT_TRUE(made.has_value()) << made.error().what;
  EXPECT_EQ((*made)->question().plan.statistics.size(), 1u);
  EXPECT_FALSE(Contingency::Make({"sex", "sex", "", ""}, TestPolicy()).has_value());
  EXPECT_FALSE(Contingency::Make({"age", "pulse", "", ""}, TestPolicy()).has_value());  // too many cells
  EXPECT_FALSE(Contingency::Make({"sex", "name", "", ""}, TestPolicy()).has_value());
}

TEST(Contingency, SaysWhatItLeavesOutAndWhereTheTestDoesNotHold) {
  const NoisyTable table{2,
                         {{std::string("f"), std::string("no"), 40.0},
                          {std::string("f"), std::string("yes"), 30.0},
                          {std::string("m"), std::string("no"), 20.0},
                          {std::string("m"), std::string("yes"), 35.0}},
                         {{0.4, 1}}};
  for (const bool dependent : {false, true}) {
    Policy policy = TestPolicy();
    if (dependent) policy.dependence.model = Group{4, {{"", 2.0}}};
    const auto made = Contingency::Make({"sex", "ill", "", ""}, policy);
    ASSERT_TRUE(made.has_value()) << made.error().what;
    const Findings found = (*made)->Conclude(table);
    EXPECT_EQ(found.errors_95[0][2], 1.0);
    const auto says = [&](const char* words) {
      return std::any_of(found.notes.begin(), found.notes.end(),
                         [&](const Note& note) { return note.text.find(words) != std::string::npos; });
    };
    EXPECT_EQ(says("p is too small"), dependent);
    EXPECT_TRUE(says("left out"));
  }
}

std::vector<double> Hill() {
  std::vector<double> counts;
  for (int b = 0; b < 50; ++b) counts.push_back(std::floor(120 * std::exp(-(b - 18) * (b - 18) / 90.0)));
  return counts;
}

// How often the noiseless cell of a rank is in its interval.
double RankCoverage(double said) {
  const std::vector<double> ranks = {0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95}, truth = Hill();
  const auto exact = FindRanks(truth, {}, ranks);
  std::mt19937_64 engine(5);
  double inside = 0, all = 0;
  for (int run = 0; run < 500; ++run) {
    std::vector<double> noisy = truth;
    for (double& count : noisy) count += DrawNoise(8, engine);
    const auto found = FindRanks(noisy, {8 * said, 1}, ranks);
    for (std::size_t k = 0; k < ranks.size(); ++k) {
      ++all;
      inside += found[k].low <= exact[k].low && exact[k].low <= std::max(found[k].low, found[k].high) ? 1 : 0;
      if (k == 0) continue;
      EXPECT_GE(found[k].value, found[k - 1].value);
      EXPECT_GE(found[k].low, found[k - 1].low);
      EXPECT_GE(found[k].high, found[k - 1].high);
    }
  }
  return inside / all;
}

TEST(Percentiles, IntervalsHoldTheCellWithoutNoise_PERCENTILES1) { EXPECT_GT(RankCoverage(1), 0.945); }

TEST(Percentiles, TheCheckAboveSeesIntervalsOfATenthOfTheNoise) { EXPECT_LT(RankCoverage(0.1), 0.8); }

TEST(Percentiles, WithoutNoiseRanksAreWhereTheyAre) {
  const auto found = FindRanks({10, 0, 20, 10}, {}, {0.1, 0.25, 0.5, 0.75, 0.9});
  const std::size_t cells[] = {0, 0, 2, 2, 3};
  for (std::size_t k = 0; k < 5; ++k) {
    EXPECT_EQ(found[k].low, cells[k]) << k;
    EXPECT_EQ(found[k].high, cells[k]) << k;
  }
  EXPECT_NEAR(found[2].value, 2.5, 1e-12);
  EXPECT_EQ(FindRanks({-3}, {1, 1}, {0.5})[0].high, 0u);
  const auto made = Percentiles::Make({"age", {}, 200, ""}, TestPolicy());
  ASSERT_TRUE(made.has_value()) << made.error().what;
  EXPECT_EQ((*made)->question().plan.shown_groups(), 121u);
  EXPECT_TRUE(Percentiles::Make({"score", {0.5}, 64, "sex = 'f'"}, TestPolicy()).has_value());
  EXPECT_FALSE(Percentiles::Make({"score", {0.5, 0.5}, 64, ""}, TestPolicy()).has_value());
  EXPECT_FALSE(Percentiles::Make({"name", {}, 64, ""}, TestPolicy()).has_value());
  EXPECT_FALSE(Percentiles::Make({"seen", {}, 64, ""}, TestPolicy()).has_value());
}

// y = 0.2 + 0.5 x1 - 0.3 x2 and some scatter.
NoisyMoments Moments(double variance, unsigned rows_of = 2) {
  std::mt19937_64 engine(rows_of);
  std::uniform_real_distribution<double> draw(-1, 1);
  NoisyMoments moments{
      2, std::vector<NoisySum>(6, {0, variance}), std::vector<NoisySum>(3, {0, variance}), {0, variance}};
  for (int row = 0; row < 3000; ++row) {
    const double x[] = {1, draw(engine), draw(engine)}, y = 0.2 + 0.5 * x[1] - 0.3 * x[2] + 0.2 * draw(engine);
    for (std::size_t j = 0, place = 0; j < 3; ++j) {
      for (std::size_t k = 0; k <= j; ++k) moments.products[place++].value += x[j] * x[k];
      moments.target[j].value += x[j] * y;
    }
    moments.square.value += y * y;
  }
  return moments;
}
const std::vector<std::vector<double>> kEach = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, -2, 1}};

TEST(Regression, WithoutNoiseItIsLeastSquares) {
  const auto line = FitLine(Moments(0), kEach);
  ASSERT_TRUE(line.has_value());
  const double truth[] = {0.2, 0.5, -0.3, 0.2 - 1.0 - 0.3};
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_NEAR(line->wanted[k].value, truth[k], 0.04);
    EXPECT_EQ(line->wanted[k].noise_95, 0);
  }
  // The scatter is uniform in -0.2 to 0.2, x uniform in -1 to 1.
  EXPECT_NEAR(line->deviation, 0.2 / std::sqrt(3), 0.005);
  EXPECT_NEAR(line->wanted[1].sampling_95, 1.96 * 0.2 / std::sqrt(3000.0), 0.0005);
}

double LineCoverage(double part_of_bar) {
  const auto truth = FitLine(Moments(0), kEach);
  std::mt19937_64 engine(9);
  double inside = 0, all = 0;
  const double scale = 12;
  const NoisyMoments exact = Moments(NoiseDistribution{scale, 1}.Variance());
  for (int run = 0; run < 600; ++run) {
    NoisyMoments noisy = exact;
    for (NoisySum& sum : noisy.products) sum.value += DrawNoise(scale, engine);
    for (NoisySum& sum : noisy.target) sum.value += DrawNoise(scale, engine);
    noisy.square.value += DrawNoise(scale, engine);
    const auto line = FitLine(noisy, kEach);
    if (!line) continue;
    for (std::size_t k = 0; k < 4; ++k) {
      ++all;
      const double apart = std::fabs(line->wanted[k].value - truth->wanted[k].value);
      inside += apart <= part_of_bar * line->wanted[k].noise_95 ? 1 : 0;
    }
  }
  EXPECT_GT(all, 2000);
  return inside / all;
}

TEST(Regression, BarsHoldTheCoefficientsWithoutNoise_REGRESSION1) { EXPECT_GT(LineCoverage(1), 0.945); }

TEST(Regression, TheCheckAboveSeesBarsOfHalfTheNoise) { EXPECT_LT(LineCoverage(0.5), 0.85); }

// With other rows each time: the whole interval is about what they were drawn from. How often, at three sizes of noise.
double WholeCoverage(double part_of_interval) {
  const double truth[] = {0.2, 0.5, -0.3, 0.2 - 1.0 - 0.3};
  std::mt19937_64 engine(11);
  double inside = 0, all = 0;
  for (unsigned run = 0; run < 240; ++run) {
    const double scale = run % 3 == 0 ? 0.5 : run % 3 == 1 ? 4 : 12;
    NoisyMoments noisy = Moments(NoiseDistribution{scale, 1}.Variance(), 100 + run);
    for (NoisySum& sum : noisy.products) sum.value += DrawNoise(scale, engine);
    for (NoisySum& sum : noisy.target) sum.value += DrawNoise(scale, engine);
    noisy.square.value += DrawNoise(scale, engine);
    const auto line = FitLine(noisy, kEach);
    if (!line) continue;
    for (std::size_t k = 0; k < 4; ++k) {
      ++all;
      const double apart = std::fabs(line->wanted[k].value - truth[k]);
      inside += apart <= part_of_interval * (line->wanted[k].noise_95 + line->wanted[k].sampling_95) ? 1 : 0;
    }
  }
  EXPECT_GT(all, 900);
  return inside / all;
}

TEST(Regression, WholeIntervalsHoldWhatRowsWereDrawnFrom_REGRESSION1) { EXPECT_GT(WholeCoverage(1), 0.95); }

TEST(Regression, TheCheckAboveSeesIntervalsOfAThird) { EXPECT_LT(WholeCoverage(0.33), 0.85); }

TEST(Regression, SaysNothingWhereNoiseIsTooLarge) {
  EXPECT_FALSE(FitLine(Moments(NoiseDistribution{400, 1}.Variance()), kEach).has_value());
  NoisyMoments nothing{1, {{3, 1}, {0, 1}, {-2, 1}}, {{1, 1}, {1, 1}}, {1, 1}};
  EXPECT_FALSE(FitLine(nothing, {{1, 0}, {0, 1}}).has_value());
}

TEST(Regression, AsksForAllSumsAtOnce) {
  const auto made = Regression::Make({"weight", {"age", "pulse"}, "sex = 'f'"}, TestPolicy());
  ASSERT_TRUE(made.has_value()) << made.error().what;
  EXPECT_EQ((*made)->question().numbers, 10u);
  EXPECT_FALSE(Regression::Make({"weight", {"age", "age"}, ""}, TestPolicy()).has_value());
  EXPECT_FALSE(Regression::Make({"weight", {}, ""}, TestPolicy()).has_value());
  EXPECT_FALSE(Regression::Make({"weight", {"level"}, ""}, TestPolicy()).has_value());  // no bounds
}

}  // namespace
}  // namespace kith
