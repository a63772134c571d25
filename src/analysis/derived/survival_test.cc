#include "analysis/derived/survival.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "query/test_policy.h"

namespace kith {
namespace {

// Twenty units: hand-computed product of (n - d) / n.
const std::vector<SurvivalStep> kSmall = {{4, 1}, {0, 3}, {6, 0}, {1, 5}};

TEST(Survival, WithoutNoiseItIsTheProductLimitCurve) {
  const auto points = SurvivalCurve(kSmall, {}, {});
  ASSERT_EQ(points.size(), 4u);
  const double expected[] = {16.0 / 20, 16.0 / 20, 16.0 / 20 * 6 / 12, 16.0 / 20 * 6 / 12 * 5 / 6};
  const double risk[] = {20, 15, 12, 6};
  // Greenwood: the sum of d / (n (n - d)).
  const double greenwood[] = {4.0 / (20 * 16), 4.0 / (20 * 16), 4.0 / (20 * 16) + 6.0 / (12 * 6),
                              4.0 / (20 * 16) + 6.0 / (12 * 6) + 1.0 / (6 * 5)};
  for (std::size_t j = 0; j < 4; ++j) {
    EXPECT_EQ(points[j].at_risk, risk[j]);
    ASSERT_TRUE(points[j].survival.has_value());
    EXPECT_NEAR(*points[j].survival, expected[j], 1e-12);
    EXPECT_EQ(points[j].noise_95, 0);
    const double half = 1.959963984540054 * std::sqrt(greenwood[j]);
    EXPECT_NEAR(points[j].low, expected[j] * std::exp(-half), 1e-12);
    EXPECT_NEAR(points[j].high, std::min(1.0, expected[j] * std::exp(half)), 1e-12);
  }
}

// Whole noise with q = e^(-1/scale): the difference of two geometric numbers.
double DrawNoise(double scale, std::mt19937_64& engine) {
  std::geometric_distribution<int> draw(1 - std::exp(-1 / scale));
  const int up = draw(engine);
  return up - draw(engine);
}

std::vector<SurvivalStep> Trial() {
  std::vector<SurvivalStep> steps;
  for (int i = 0; i < 12; ++i)
    steps.push_back({std::floor(600 * std::exp(-0.3 * i)), std::floor(240 * std::exp(-0.2 * i))});
  return steps;
}

/// How often the noiseless curve lies within the bar of the noisy one, at the points that have a value.
double Coverage(double scale, double part_of_bar) {
  const auto truth = SurvivalCurve(Trial(), {}, {});
  std::mt19937_64 engine(7);
  double inside = 0, all = 0;
  for (int run = 0; run < 600; ++run) {
    std::vector<SurvivalStep> noisy = Trial();
    for (SurvivalStep& step : noisy) step.events += DrawNoise(scale, engine), step.censored += DrawNoise(scale, engine);
    const auto points = SurvivalCurve(noisy, {scale, 1}, {scale, 1});
    for (std::size_t j = 0; j < points.size(); ++j) {
      if (!points[j].survival) continue;
      ++all;
      inside += std::fabs(*points[j].survival - *truth[j].survival) <= part_of_bar * points[j].noise_95 ? 1 : 0;
    }
  }
  EXPECT_GT(all, 3000);
  return inside / all;
}

TEST(Survival, BarsHoldTheCurveWithoutNoise_SURVIVAL1) {
  for (const double scale : {0.8, 2.0, 6.0, 15.0}) EXPECT_GT(Coverage(scale, 1), 0.945) << scale;
}

TEST(Survival, TheCheckAboveSeesBarsOfHalfTheNoise) {
  for (const double scale : {0.8, 2.0, 6.0, 15.0}) EXPECT_LT(Coverage(scale, 0.5), 0.85) << scale;
}

TEST(Survival, CurvesFallWhateverNoiseDoes) {
  std::mt19937_64 engine(3);
  for (int run = 0; run < 200; ++run) {
    std::vector<SurvivalStep> noisy = Trial();
    for (SurvivalStep& step : noisy) step.events += DrawNoise(40, engine), step.censored += DrawNoise(40, engine);
    double before = 1;
    bool ended = false;
    for (const SurvivalPoint& point : SurvivalCurve(noisy, {40, 1}, {40, 1})) {
      ended = ended || !point.survival;
      EXPECT_EQ(ended, !point.survival);  // once too few are left there are no more points
      if (ended) continue;
      EXPECT_LE(*point.survival, before);
      EXPECT_GE(*point.survival, point.low);
      EXPECT_LE(*point.survival, point.high);
      before = *point.survival;
    }
  }
}

TEST(Survival, AsksOneQuestionOfCounts) {
  const auto made = Survival::Make({"age", "ill = 'yes'", 20, "sex", "", ""}, TestPolicy());
  ASSERT_TRUE(made.has_value()) << made.error().what;
  const Plan& plan = (*made)->question().plan;
  ASSERT_EQ(plan.keys.size(), 2u);
  EXPECT_EQ(plan.keys[1].values.size(), 7u);  // 0 to 120 in steps of 20
  EXPECT_EQ((*made)->question().statistics, (std::vector<std::size_t>{0, 1}));
  const Findings found = (*made)->Conclude({2, {}, {{1, 1}, {1, 1}}});
  EXPECT_TRUE(found.rows.empty());
}

TEST(Survival, RefusesWhatIsNoTimeOrNoText) {
  const Policy policy = TestPolicy();
  const auto refused = [&](SurvivalOptions options) { return !Survival::Make(options, policy).has_value(); };
  EXPECT_TRUE(refused({"score", "ill = 'yes'", 1, "", "", ""}));  // may be negative
  EXPECT_TRUE(refused({"age", "ill = 'yes'", 0, "", "", ""}));
  EXPECT_TRUE(refused({"weight", "ill = 'yes'", 0.01, "", "", ""}));  // too many steps
  EXPECT_TRUE(refused({"age", "ill = 'yes') OR (TRUE", 20, "", "", ""}));
  EXPECT_TRUE(refused({"age", "ill = 'yes' -- ", 20, "", "", ""}));
  EXPECT_TRUE(refused({"age", "", 20, "", "", ""}));
  EXPECT_TRUE(refused({"level", "ill = 'yes'", 20, "", "", ""}));  // no bounds
  EXPECT_FALSE(refused({"age", "ill = 'yes'", 20, "", "sex = 'f'", ""}));
  const Policy several = TestPolicy("key = \"id\"\nmax_rows = 5\npresence = \"secret\"");
  EXPECT_FALSE(Survival::Make({"age", "ill = 'yes'", 20, "", "", ""}, several).has_value());
  const std::string worst = "SELECT id, max(age) AS age, bool_or(ill = 'yes') AS ill FROM people GROUP BY id";
  const auto each = Survival::Make({"age", "ill", 20, "", "", worst}, several);
  EXPECT_TRUE(each.has_value()) << each.error().what;
}

}  // namespace
}  // namespace kith
