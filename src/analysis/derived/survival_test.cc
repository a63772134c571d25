#include "analysis/derived/survival.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "analysis/derived/hazard.h"
#include "query/test_policy.h"

namespace kith {
namespace {

// Twenty units: hand-computed product of (n - d) / n.
const std::vector<SurvivalStep> kSmall = {{4, 1}, {0, 3}, {6, 0}, {1, 5}};

TEST(Survival, WithoutNoiseItIsTheProductLimitCurve) {
  const auto points = SurvivalCurve(kSmall, {}, {});
  ASSERT_EQ(points.size(), 4u);
  const double risk[] = {20, 15, 12, 6};
  // Half of those censored in a step are at risk in it.
  const double middle[] = {15.5 / 19.5, 15.5 / 19.5, 15.5 / 19.5 * 6 / 12, 15.5 / 19.5 * 6 / 12 * 2.5 / 3.5};
  // None, and all of them, with Greenwood's sums of d / (n (n - d)).
  const double early[] = {15.0 / 19, 15.0 / 19, 15.0 / 19 * 6 / 12, 0};
  const double early_greenwood[] = {4.0 / (19 * 15), 4.0 / (19 * 15), 4.0 / (19 * 15) + 6.0 / (12 * 6), 0};
  const double late[] = {16.0 / 20, 16.0 / 20, 16.0 / 20 * 6 / 12, 16.0 / 20 * 6 / 12 * 5 / 6};
  const double late_greenwood[] = {4.0 / (20 * 16), 4.0 / (20 * 16), 4.0 / (20 * 16) + 6.0 / (12 * 6),
                                   4.0 / (20 * 16) + 6.0 / (12 * 6) + 1.0 / (6 * 5)};
  for (std::size_t j = 0; j < 4; ++j) {
    EXPECT_EQ(points[j].at_risk, risk[j]);
    ASSERT_TRUE(points[j].survival.has_value());
    EXPECT_NEAR(*points[j].survival, middle[j], 1e-12);
    EXPECT_EQ(points[j].noise_95, 0);
    const double below = 1.959963984540054 * std::sqrt(early_greenwood[j]);
    const double above = 1.959963984540054 * std::sqrt(late_greenwood[j]);
    EXPECT_NEAR(points[j].low, early[j] * std::exp(-below), 1e-12);
    EXPECT_NEAR(points[j].high, std::min(1.0, std::max(late[j] * std::exp(above), early[j] * std::exp(below))), 1e-12);
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

/// How often the noiseless curve is within the bar of the noisy one, at the points that have a value.
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
  for (const double scale : {0.25, 0.4, 0.8, 2.0, 6.0, 15.0}) EXPECT_GT(Coverage(scale, 1), 0.945) << scale;
}

TEST(Survival, TheCheckAboveSeesBarsOfHalfTheNoise) {
  for (const double scale : {2.0, 6.0, 15.0}) EXPECT_LT(Coverage(scale, 0.5), 0.87) << scale;
}

// Units with exact times, of which most are censored at one place of each step.
struct Followed {
  double time = 0;
  bool event = false;
};

std::vector<Followed> Cohort(double place, std::mt19937_64& engine) {
  std::exponential_distribution<double> draw(1 / 4.0);
  std::vector<Followed> units;
  for (int i = 0; i < 1500; ++i) {
    const double end = static_cast<double>(engine() % 6) + place, event = draw(engine);
    units.push_back({std::min(event, end), event <= end});
  }
  std::sort(units.begin(), units.end(), [](const Followed& a, const Followed& b) { return a.time < b.time; });
  return units;
}

/// Kaplan and Meier's curve of exact times, at the end of each of the first steps of length 1; times are distinct
/// except for those of censored units.
std::vector<double> ExactCurve(const std::vector<Followed>& units, std::size_t steps) {
  std::vector<double> curve(steps, 1);
  double left = 1;
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (units[i].event) left *= 1 - 1 / static_cast<double>(units.size() - i);
    for (auto step = static_cast<std::size_t>(units[i].time); step < steps; ++step) curve[step] = left;
  }
  return curve;
}

/// How often the exact curve is in the band; or only within the noise of the estimate.
double BandCoverage(bool band) {
  std::mt19937_64 engine(21);
  double inside = 0, all = 0;
  for (int run = 0; run < 60; ++run) {
    const auto units = Cohort(run % 3 == 0 ? 0.01 : run % 3 == 1 ? 0.5 : 0.99, engine);
    std::vector<SurvivalStep> noisy(6);
    for (const Followed& unit : units) {
      SurvivalStep& step = noisy[static_cast<std::size_t>(unit.time)];
      ++(unit.event ? step.events : step.censored);
    }
    for (SurvivalStep& step : noisy) step.events += DrawNoise(2, engine), step.censored += DrawNoise(2, engine);
    const auto points = SurvivalCurve(noisy, {2, 1}, {2, 1});
    const auto exact = ExactCurve(units, 6);
    for (std::size_t j = 0; j < points.size(); ++j) {
      if (!points[j].survival) continue;
      ++all;
      const double low = band ? points[j].low : *points[j].survival - points[j].noise_95;
      const double high = band ? points[j].high : *points[j].survival + points[j].noise_95;
      inside += low <= exact[j] && exact[j] <= high ? 1 : 0;
    }
  }
  EXPECT_GT(all, 250);
  return inside / all;
}

TEST(Survival, TheBandHoldsTheCurveOfExactTimes_SURVIVAL1) { EXPECT_GT(BandCoverage(true), 0.97); }

TEST(Survival, TheCheckAboveSeesABandThatForgetsWhenUnitsWereCensored) { EXPECT_LT(BandCoverage(false), 0.7); }

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

TEST(Survival, TimesBelowZeroAreLeftOut) {
  for (const char* time : {"age - 50", "CASE WHEN age - 50 >= 0 THEN age - 50 END"}) {
    const auto made = Survival::Make({time, "ill = 'yes'", 20, "", "", ""}, TestPolicy());
    ASSERT_TRUE(made.has_value()) << made.error().what;
    const NoisyTable table{1, {{-1.0, 4.0, 4.0}, {0.0, 20.0, 30.0}, {1.0, 10.0, 9.0}}, {{}, {}}};
    const Findings found = (*made)->Conclude(table);
    ASSERT_EQ(found.rows.size(), 2u);
    EXPECT_EQ(NumberIn(found.rows[0][1]), 69.0);
    if (std::string(time) != "age - 50") continue;
    EXPECT_NE((*made)->question().sql.find(">= 0"), std::string::npos);
    EXPECT_TRUE(std::any_of(found.notes.begin(), found.notes.end(),
                            [](const Note& note) { return note.kind == NoteKind::kLeftOut; }));
  }
  const auto all = Survival::Make({"age", "ill = 'yes'", 20, "", "", ""}, TestPolicy());
  ASSERT_TRUE(all.has_value());
  EXPECT_EQ((*all)->question().sql.find(">= 0"), std::string::npos);
}

TEST(Survival, RefusesWhatIsNoTimeOrNoText) {
  const Policy policy = TestPolicy();
  const auto refused = [&](SurvivalOptions options) { return !Survival::Make(options, policy).has_value(); };
  EXPECT_TRUE(refused({"-1 - age", "ill = 'yes'", 20, "", "", ""}));  // always below 0
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

// A late step of few units is all noise: it must not move what is known well to a place that its bar does not reach.
TEST(Survival, BarsReachWhatTheFallingCurveWasMovedFrom_SURVIVAL1) {
  const NoiseDistribution law{2, 1};
  for (const double late : {-6.0, -3.0, 0.0, 2.0}) {
    const auto curve = SurvivalCurve({{5000, 4900}, {late, 100}}, law, law);
    const double raw = 1 - 5000 / (10000 + late - 4900 / 2.0);  // actuarial, before it is made to fall
    ASSERT_GE(curve.size(), 1U);
    EXPECT_LE(std::fabs(*curve[0].survival - raw), curve[0].noise_95) << late;
  }
}

// Mantel and Haenszel's ratio of rates over the first steps, by its definition.
double RateRatio(const std::vector<SurvivalStep>& first, const std::vector<SurvivalStep>& second, std::size_t steps) {
  const auto time = [](const std::vector<SurvivalStep>& group, std::size_t i) {
    double exposed = -group[i].censored / 2;
    for (std::size_t k = i; k < group.size(); ++k) exposed += group[k].events + group[k].censored;
    return group[i].events == 0 ? exposed : -group[i].events / std::log(1 - group[i].events / exposed);
  };
  double above = 0, below = 0;
  for (std::size_t i = 0; i < steps; ++i) {
    const double a = time(first, i), b = time(second, i);
    above += second[i].events * a / (a + b);
    below += first[i].events * b / (a + b);
  }
  return above / below;
}

TEST(Hazard, WithoutNoiseItIsTheRatioOfRates) {
  // One step: 6 of 7 have the event, against 3 of 16.5.
  const auto one = CompareHazards({{3, 7}, {0, 10}}, {{6, 2}, {0, 0}}, {}, {});
  ASSERT_TRUE(one.has_value());
  EXPECT_EQ(one->steps, 1u);
  EXPECT_NEAR(one->ratio, std::log(7) / -std::log(1 - 3 / 16.5), 1e-12);
  EXPECT_EQ(one->noise_95, 0);
  const auto variance = [](double d, double exposed) {  // of the logarithm of a hazard
    const double share = d / exposed, hazard = std::log(1 - share);
    return share / ((1 - share) * exposed) / (hazard * hazard);
  };
  const double both = std::sqrt(variance(6, 7) + variance(3, 16.5));
  EXPECT_NEAR(one->high, one->ratio * std::exp(1.959963984540054 * both), 1e-9);
  EXPECT_NEAR(one->low * one->high, one->ratio * one->ratio, 1e-9);
  EXPECT_FALSE(CompareHazards(Trial(), {{0, 3}, {0, 4}, {0, 0}, {0, 9}, {}, {}, {}, {}, {}, {}, {}, {}}, {}, {}));
  const std::vector<SurvivalStep> other = {{2, 9}, {5, 1}, {1, 8}, {3, 3}};
  const auto ratio = CompareHazards(kSmall, other, {}, {}), turned = CompareHazards(other, kSmall, {}, {});
  ASSERT_TRUE(ratio && turned);
  EXPECT_NEAR(ratio->ratio, RateRatio(kSmall, other, 4), 1e-12);
  EXPECT_NEAR(ratio->ratio * turned->ratio, 1, 1e-12);
}

std::vector<SurvivalStep> Slower() {
  std::vector<SurvivalStep> steps;
  for (int i = 0; i < 12; ++i)
    steps.push_back({std::floor(250 * std::exp(-0.15 * i)), std::floor(300 * std::exp(-0.1 * i))});
  return steps;
}

/// How often the ratio without noise, over the same steps, is within a part of the bar of the noisy one.
double RatioCoverage(double scale, double part_of_bar) {
  std::mt19937_64 engine(17);
  double inside = 0, all = 0;
  for (int run = 0; run < 1500; ++run) {
    std::vector<SurvivalStep> first = Trial(), second = Slower();
    for (auto* group : {&first, &second})
      for (SurvivalStep& step : *group)
        step.events += DrawNoise(scale, engine), step.censored += DrawNoise(scale, engine);
    const auto found = CompareHazards(first, second, {scale, 1}, {scale, 1});
    if (!found) continue;
    ++all;
    const double truth = RateRatio(Trial(), Slower(), found->steps);
    inside += std::fabs(found->ratio - truth) <= part_of_bar * found->noise_95 ? 1 : 0;
  }
  EXPECT_GT(all, 1000);
  return inside / all;
}

TEST(Hazard, BarsHoldTheRatioWithoutNoise_HAZARD1) {
  for (const double scale : {0.25, 0.8, 2.0, 6.0, 15.0, 40.0}) EXPECT_GT(RatioCoverage(scale, 1), 0.945) << scale;
}

TEST(Hazard, TheCheckAboveSeesBarsOfHalfTheNoise) {
  for (const double scale : {2.0, 6.0, 15.0, 40.0}) EXPECT_LT(RatioCoverage(scale, 0.5), 0.87) << scale;
}

/// How often the ratio of the hazards that units were drawn from is between both ends; or only within the noise.
double PopulationCoverage(bool whole, double width) {
  std::mt19937_64 engine(5);
  int inside = 0;
  constexpr int kRuns = 400;
  for (int run = 0; run < kRuns; ++run) {
    std::vector<SurvivalStep> groups[2] = {std::vector<SurvivalStep>(10), std::vector<SurvivalStep>(10)};
    for (int i = 0; i < 1200; ++i) {
      const double event = std::exponential_distribution<double>(i % 2 == 0 ? 0.2 : 0.1)(engine);
      const double end = std::uniform_real_distribution<double>(0, 10)(engine);
      SurvivalStep& step = groups[i % 2][static_cast<std::size_t>(std::min(event, end) / width)];
      ++(event < end ? step.events : step.censored);
    }
    for (auto& group : groups)
      for (SurvivalStep& step : group) step.events += DrawNoise(2, engine), step.censored += DrawNoise(2, engine);
    const auto found = CompareHazards(groups[0], groups[1], {2, 1}, {2, 1});
    if (!found) continue;
    inside += (whole ? found->low <= 0.5 && 0.5 <= found->high : std::fabs(found->ratio - 0.5) <= found->noise_95);
  }
  return static_cast<double>(inside) / kRuns;
}

TEST(Hazard, IntervalsHoldWhatUnitsWereDrawnFrom_HAZARD1) {
  for (const double width : {1.0, 3.0}) EXPECT_GT(PopulationCoverage(true, width), 0.94) << width;
}

TEST(Hazard, TheCheckAboveSeesIntervalsWithoutSampling) { EXPECT_LT(PopulationCoverage(false, 1), 0.9); }

TEST(Hazard, SaysNothingWhereNoiseIsTooLarge) {
  EXPECT_FALSE(CompareHazards({{3, 5}}, {{4, 6}}, {4, 1}, {4, 1}));             // at risk
  EXPECT_FALSE(CompareHazards({{3, 5000}}, {{400, 6000}}, {4, 1}, {4, 1}));     // events
  EXPECT_FALSE(CompareHazards({{-300, 5000}}, {{400, 6000}}, {4, 1}, {4, 1}));  // noise can do that
  EXPECT_FALSE(CompareHazards({}, {}, {4, 1}, {4, 1}));
  EXPECT_TRUE(CompareHazards({{300, 5000}}, {{400, 6000}}, {4, 1}, {4, 1}));
}

TEST(Hazard, ComparesTwoGroupsByTheQuestionOfTheirCurves) {
  const Policy policy = TestPolicy();
  const SurvivalOptions compare{"age", "ill = 'yes'", 20, "", "", "", "sex"};
  const auto curves = Survival::Make({"age", "ill = 'yes'", 20, "sex", "", "", ""}, policy);
  const auto made = Survival::Make(compare, policy);
  ASSERT_TRUE(curves && made);
  EXPECT_EQ((*made)->question().sql, (*curves)->question().sql);
  NoisyTable table{2, {}, {{}, {}}};
  const auto add = [&](const Value& group, const std::vector<SurvivalStep>& steps) {
    for (std::size_t k = 0; k < steps.size(); ++k)
      table.rows.push_back({group, static_cast<double>(k), steps[k].events, steps[k].censored});
  };
  add(std::string("f"), kSmall);
  add(std::string("m"), {{2, 9}, {5, 1}, {1, 8}, {3, 3}});
  add(Null{}, {{9, 9}, {9, 9}, {9, 9}, {9, 9}});  // not compared
  const auto found = (*made)->Conclude(table);
  EXPECT_EQ(found.rows.size(), 12u);
  EXPECT_TRUE(std::any_of(found.notes.begin(), found.notes.end(), [](const Note& note) {
    return note.kind == NoteKind::kFinding && note.text.starts_with("hazard ratio of sex = m against f: ");
  }));
  EXPECT_EQ(std::count(found.claims.begin(), found.claims.end(), "HAZARD-1"), 1);
  for (const SurvivalOptions& wrong : {SurvivalOptions{"age", "ill = 'yes'", 20, "sex", "", "", "sex"},
                                       SurvivalOptions{"age", "ill = 'yes'", 20, "", "", "", "floor(age / 40)"},
                                       SurvivalOptions{"age", "ill = 'yes'", 20, "", "", "", "sex) --"}})
    EXPECT_FALSE(Survival::Make(wrong, policy).has_value());
}

}  // namespace
}  // namespace kith
