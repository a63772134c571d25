#include "release/usefulness.h"

#include <gtest/gtest.h>

#include "query/output/output.h"
#include "release/chosen_rows.h"
#include "release/error_of_everybody.h"

namespace kith {
namespace {

/// A noisy count and a noisy sum of ages, and a mean of both.
Plan PlanOfThree() {
  Plan plan;
  Statistic count{"count(*)", {}, Sensitivities::OfL1(1).value(), "by hand"};
  count.unit_high = 1;
  Statistic sum{"sum(age - 9)", {}, Sensitivities::OfL1(9).value(), "by hand"};
  sum.unit_low = -9;
  sum.unit_high = 9;
  plan.statistics = {count, sum};
  plan.outputs = {{"n", StatisticOutput(0, true)}, {"mean", MeanOutput({1, 0, 9, 0, 18})}};
  return plan;
}

bool Marked(const Plan& plan, std::size_t output, const AnswerCell& cell, std::optional<double> units) {
  const std::vector<Estimate> given(plan.statistics.size());
  return IsOnlyNoise(*plan.outputs[output].expr, cell, PossibleStatistics(plan, 0, given, {units}));
}

TEST(Usefulness, OnlyWhatSaysNothingIsMarked_WORTH1) {
  const Plan plan = PlanOfThree();
  EXPECT_TRUE(Marked(plan, 0, {std::int64_t{432}, 240}, 188));
  EXPECT_TRUE(Marked(plan, 0, {std::int64_t{100}, 120}, 188));
  EXPECT_FALSE(Marked(plan, 0, {std::int64_t{100}, 90}, 188));
  EXPECT_FALSE(Marked(plan, 0, {std::int64_t{0}, 100}, 188));  // fewer than 100 of 188
  EXPECT_TRUE(Marked(plan, 1, {6.5, 11.5}, 188));
  EXPECT_FALSE(Marked(plan, 1, {6.5, 6.0}, 188));
}

TEST(Usefulness, WithoutAPublicTotalCountsHaveNoEnd) {
  const Plan plan = PlanOfThree();
  EXPECT_FALSE(Marked(plan, 0, {std::int64_t{432}, 240}, std::nullopt));
  EXPECT_TRUE(Marked(plan, 1, {6.5, 11.5}, std::nullopt));  // bounds are declared
}

TEST(Usefulness, WhatHasNoBarIsNotMarked) {
  const Plan plan = PlanOfThree();
  EXPECT_FALSE(Marked(plan, 0, {std::int64_t{432}, std::nullopt}, 188));
  EXPECT_FALSE(Marked(plan, 0, {Null{}, 240}, 188));
}

Priced PricedAt(const Plan& plan, double epsilon) {
  return PriceQuestion(plan, {epsilon, std::nullopt, {}}, 1.0, PlainUnits::Of(std::int64_t{1} << 32)).value();
}

TEST(Usefulness, AnExplanationSaysWhatWouldHelp) {
  const Plan plan = PlanOfThree();
  const auto poor = UsefulnessOf(plan, PricedAt(plan, 0.02), {188});
  ASSERT_EQ(poor.size(), 2u);
  EXPECT_TRUE(poor[0].only_noise);
  EXPECT_EQ(poor[0].high, 188);
  EXPECT_GT(poor[0].error_95, 188);
  EXPECT_GE(poor[0].times, 5);
  EXPECT_NEAR(poor[0].then_95, poor[0].error_95 / poor[0].times, 1e-9);
  EXPECT_LE(poor[0].then_95, 0.27 * 188);
  EXPECT_TRUE(poor[1].only_noise);
  EXPECT_EQ(poor[1].high, 18);
  const auto rich = UsefulnessOf(plan, PricedAt(plan, 1), {188});
  EXPECT_FALSE(rich[0].only_noise);
  EXPECT_FALSE(rich[1].only_noise);
  EXPECT_TRUE(UsefulnessOf(plan, PricedAt(plan, 1), {}).empty());
}

// The answer shows a bar that holds for all groups at once, and so does what is said before.
TEST(Usefulness, WhereNoiseChoosesBarsAreThoseOfAllGroups) {
  Plan plan = PlanOfThree();
  plan.keys.push_back({});
  for (std::int64_t value = 0; value < 20; ++value) plan.keys.back().values.emplace_back(value);
  const auto all = UsefulnessOf(plan, PricedAt(plan, 1), {188});
  plan.order_by = {{0, true}};
  plan.limit = 3;
  const Priced priced = PricedAt(plan, 1);
  ASSERT_TRUE(NoiseChooses(plan));
  const auto chosen = UsefulnessOf(plan, priced, {188});
  EXPECT_GT(chosen[0].error_95, all[0].error_95);
  EXPECT_EQ(chosen[0].error_95, priced.laws[0].noise.ErrorBar(ConfidenceOfBar(plan, 1)));
  EXPECT_GT(chosen[1].error_95, all[1].error_95);
}

TEST(Usefulness, SharesOfAPublicCountHaveABar) {
  Plan plan = PlanOfThree();
  Statistic everybody{"count(*)", {}, Sensitivities::None(), "by hand"};
  everybody.unit_high = 1;
  plan.statistics.push_back(everybody);
  const auto quotient = ApplyOutput(
      Op::kDivide,
      {ApplyOutput(Op::kMultiply, {ConstantOutput(100, true), StatisticOutput(0, true)}), StatisticOutput(2, true)});
  plan.outputs = {{"share", CutOutput(quotient, {0, 100})}};
  const auto worth = UsefulnessOf(plan, PricedAt(plan, 1), {188});
  ASSERT_EQ(worth.size(), 1u);
  EXPECT_EQ(worth[0].high, 100);
  EXPECT_FALSE(worth[0].only_noise);
  EXPECT_NEAR(worth[0].error_95, 100 * PricedAt(plan, 1).noise[0].error_95 / 188, 1e-9);
  const auto poor = UsefulnessOf(plan, PricedAt(plan, 0.02), {188});
  EXPECT_TRUE(poor[0].only_noise);
  EXPECT_LE(poor[0].then_95, 27);
}

TEST(Usefulness, OfAGroupNobodyIsInThereIsNothingToSay) {
  const Plan plan = PlanOfThree();
  EXPECT_TRUE(Marked(plan, 0, {std::int64_t{-3}, 5}, 0));
  EXPECT_FALSE(Marked(plan, 0, {std::int64_t{-3}, 5}, 40));
}

TEST(Usefulness, ImpossibleRangesOfQuantilesAreMarked) {
  Plan plan;
  auto quantile = std::make_shared<Quantile>();
  quantile->most = 18;
  Statistic chosen{"max(age)", {}, Sensitivities::OfL1(1).value(), "by hand"};
  chosen.quantile = quantile;
  plan.statistics = {chosen, chosen};
  plan.outputs = {
      {"range", CutOutput(ApplyOutput(Op::kSubtract, {QuantileOutput(0, true, false), QuantileOutput(1, true, false)}),
                          {0, 18})}};
  EXPECT_TRUE(Marked(plan, 0, {std::int64_t{0}, 18}, 188));
  EXPECT_FALSE(Marked(plan, 0, {std::int64_t{10}, 4}, 188));
}

// The count is public here: 188 people, all of them.
TEST(ErrorOfEverybody, TheBarOfAnAverageOrAShareCanBeAskedFor) {
  Plan plan = PlanOfThree();
  plan.statistics[0].change = Sensitivities::None();
  const auto wanted = BarWanted(plan, *plan.outputs[1].expr, 0.5, 188);
  ASSERT_TRUE(wanted.has_value());
  EXPECT_EQ(wanted->statistic, 1u);
  EXPECT_NEAR(wanted->error, 0.5 * 188, 1e-3);
  plan.outputs.erase(plan.outputs.begin());
  const auto priced = PriceQuestion(plan, {std::nullopt, 0.5, {}}, 1.0, PlainUnits::Of(std::int64_t{1} << 32), 188);
  ASSERT_TRUE(priced.has_value()) << priced.error().Text();
  EXPECT_LE(priced->noise[1].error_95, 0.5 * 188);
  EXPECT_GT(priced->noise[1].error_95, 0.4 * 188);
}

TEST(ErrorOfEverybody, WhatDependsOnTheAnswerIsRefused) {
  Plan plan = PlanOfThree();  // the count is noisy
  EXPECT_FALSE(BarWanted(plan, *plan.outputs[1].expr, 0.5, 188));
  plan.statistics[0].change = Sensitivities::None();
  const auto quotient = ApplyOutput(Op::kDivide, {StatisticOutput(0, true), StatisticOutput(1, false)});
  EXPECT_FALSE(BarWanted(plan, *quotient, 0.5, 188));
  const auto rounded = ApplyOutput(Op::kRound, {plan.outputs[1].expr});
  EXPECT_FALSE(BarWanted(plan, *rounded, 0.5, 188));
  plan.statistics[0].name = "count(*) FILTER (WHERE ward = 'A')";  // public, but nobody counted them yet
  EXPECT_FALSE(BarWanted(plan, *plan.outputs[1].expr, 0.5, 188));
}

}  // namespace
}  // namespace kith
