#include "query/output/output.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "tests/support/stat.h"

namespace kith {
namespace {

Outcome Evaluate(const OutputPtr& expr, const std::vector<Estimate>& statistics) {
  return expr->Evaluate({}, statistics);
}
double AsReal(const Value& value) {
  const auto* whole = std::get_if<std::int64_t>(&value);
  return whole ? static_cast<double>(*whole) : std::get<double>(value);
}
OutputPtr S(std::size_t k) { return StatisticOutput(k, false); }

TEST(Output, CountsAreWholeAndKeysComeThrough) {
  const Outcome count = Evaluate(StatisticOutput(0, true), {{12, 3}});
  EXPECT_EQ(count.value, Value{std::int64_t{12}});
  EXPECT_EQ(count.error, 3);
  const Outcome key = KeyOutput(1)->Evaluate({Value{true}, Value{std::string("mz")}}, {});
  EXPECT_EQ(key.value, Value{std::string("mz")});
  EXPECT_FALSE(key.error.has_value());
}

TEST(Output, ItSaysWhatItReads) {
  const OutputPtr ratio = ApplyOutput(Op::kDivide, {S(3), ApplyOutput(Op::kAdd, {S(1), S(3)})});
  EXPECT_EQ(ratio->Reads(), (std::vector<std::size_t>{1, 3}));
  EXPECT_FALSE(ratio->Statistic().has_value());
  EXPECT_EQ(S(2)->Statistic(), 2u);
  EXPECT_EQ(KeyOutput(1)->Key(), 1u);
}

TEST(Output, DivisionByZeroIsNullAndNearZeroHasNoBar) {
  const OutputPtr ratio = ApplyOutput(Op::kDivide, {S(0), S(1)});
  EXPECT_EQ(Evaluate(ratio, {{5, 1}, {0, 1}}).value, Value{Null{}});
  const Outcome near = Evaluate(ratio, {{5, 1}, {2, 2}});
  EXPECT_EQ(near.value, Value{2.5});
  EXPECT_FALSE(near.error.has_value());
  const Outcome far = Evaluate(ratio, {{10, 2}, {4, 1}});
  EXPECT_EQ(far.value, Value{2.5});
  EXPECT_DOUBLE_EQ(*far.error, 1.5);  // at most 12 / 3 = 4
}

TEST(Output, WhatIsNotFiniteIsNull) {
  const OutputPtr product = ApplyOutput(Op::kMultiply, {S(0), S(0)});
  EXPECT_EQ(Evaluate(product, {{1e200, 0}}).value, Value{Null{}});
  EXPECT_EQ(Evaluate(ApplyOutput(Op::kCoalesce, {product, ConstantOutput(7, true)}), {{1e200, 0}}).value,
            Value{std::int64_t{7}});
}

TEST(Output, MeansStayWithinTheirBoundsAndDivideByAtLeastOne) {
  const OutputPtr mean = MeanOutput({0, 1, 60, 0, 120});
  EXPECT_EQ(Evaluate(mean, {{-100, 0}, {10, 0}}).value, Value{50.0});
  EXPECT_EQ(Evaluate(mean, {{30, 0}, {-5, 0}}).value, Value{90.0});    // as if one
  EXPECT_EQ(Evaluate(mean, {{1000, 0}, {2, 0}}).value, Value{120.0});  // cut
  const Outcome bar = Evaluate(mean, {{10, 20}, {10, 5}});
  EXPECT_DOUBLE_EQ(*bar.error, 5);  // at most 60 + 30/5
  const Outcome beyond = Evaluate(mean, {{1000, 20}, {2, 1}});
  EXPECT_EQ(beyond.value, Value{120.0});
  EXPECT_DOUBLE_EQ(*beyond.error, 120);  // not 0: noise alone can be that large
  EXPECT_EQ(mean->Reads(), (std::vector<std::size_t>{0, 1}));
  const Outcome of_none = Evaluate(mean, {{500, 100}, {4, 5}});
  EXPECT_DOUBLE_EQ(*of_none.error, 120);  // there may be no rows at all
}

TEST(Output, NoMinusInFrontOfZero) {
  const Outcome zero = Evaluate(ApplyOutput(Op::kNegate, {S(0)}), {{0, 0}});
  EXPECT_FALSE(std::signbit(AsReal(zero.value)));
}

TEST(Output, RoundingKeepsWholeNumbersWhole) {
  EXPECT_EQ(Evaluate(ApplyOutput(Op::kRound, {S(0)}), {{2.5, 0}}).value, Value{std::int64_t{3}});
  EXPECT_EQ(Evaluate(ApplyOutput(Op::kRound, {S(0)}, 1), {{2.26, 0}}).value, Value{2.3});
  EXPECT_EQ(Evaluate(ApplyOutput(Op::kRound, {S(0)}, -1), {{26, 0}}).value, Value{std::int64_t{30}});
}

// The bar of an output holds every value that its statistics can give inside theirs.
TEST(Output, BarsHoldForEveryPointInside) {
  std::mt19937_64 dice(stat::SeedForThisTest());
  std::uniform_real_distribution<double> any(-20, 20), width(0, 6), inside(-1, 1);
  const OutputPtr exprs[] = {
      ApplyOutput(Op::kAdd, {S(0), S(1)}),
      ApplyOutput(Op::kSubtract, {S(0), S(1)}),
      ApplyOutput(Op::kMultiply, {S(0), S(1)}),
      ApplyOutput(Op::kDivide, {S(0), S(1)}),
      ApplyOutput(Op::kAbs, {S(0)}),
      ApplyOutput(Op::kRound, {S(0)}, 1),
      ApplyOutput(Op::kFloor, {ApplyOutput(Op::kDivide, {S(0), ConstantOutput(3, true)})}),
      ApplyOutput(Op::kGreatest, {S(0), S(1), ConstantOutput(2, true)}),
      ApplyOutput(Op::kLeast, {S(0), ApplyOutput(Op::kNegate, {S(1)})}),
      MeanOutput({0, 1, 5, -10, 20}),
  };
  int bars = 0;
  for (int round = 0; round < 2000; ++round) {
    const std::vector<Estimate> middle = {{any(dice), width(dice)}, {any(dice), width(dice)}};
    for (const auto& expr : exprs) {
      const Outcome outcome = Evaluate(expr, middle);
      if (!outcome.error) continue;
      ++bars;
      for (int point = 0; point < 5; ++point) {
        std::vector<Estimate> moved = middle;
        for (auto& m : moved) m.value += inside(dice) * m.error;
        const Outcome there = Evaluate(expr, moved);
        ASSERT_LE(std::abs(AsReal(there.value) - AsReal(outcome.value)), *outcome.error * (1 + 1e-12) + 1e-12);
      }
    }
  }
  EXPECT_GT(bars, 10000);
}

}  // namespace
}  // namespace kith
