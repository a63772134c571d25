// Simulated bars: which there are, whose law they have, and what they may cost.
#include "postprocess/simulate.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

#include "engine/duckdb/scratch.h"
#include "postprocess/postprocess_test_tools.h"

namespace kith::postprocess {
namespace {

// The Gini coefficient of groups whose members have the incomes 1, 2 and 3, by its definition.
const std::string kGini =
    "SELECT 1 - sum(n * (2 * cum - n * y)) / (sum(n) * sum(n * y)) AS g FROM (SELECT n, y, sum(n * y) OVER (ORDER BY "
    "y) "
    "AS cum FROM (SELECT n, CASE WHEN zyg = 'mz' THEN 1 WHEN zyg = 'dz' THEN 2 ELSE 3 END AS y FROM " +
    kInner + ") a) b";

// A linear function in a form that hides it has the bar of the sum of noises, except what 199 draws leave open (20 %).
TEST(After, SimulatedBarsAreThoseOfTheKnownNoise_AFTER3) {
  const WeightedNoise one{1, 10, 1};
  const auto rows = Outcome(
                        "SELECT zyg, power(n, 1) AS same, power(n, 1) + power(sum(n) OVER (), 1) AS both, n % 1000 AS "
                        "rest FROM " +
                        kInner)
                        .rows;
  for (const auto& row : rows) {
    ASSERT_TRUE(row[1].error_95 && row[2].error_95);
    EXPECT_NEAR(*row[1].error_95, BarOfSum({one}, 0.95), 0.2 * BarOfSum({one}, 0.95));
    const double both = BarOfSum({{2, 10, 1}, one, one}, 0.95);
    EXPECT_NEAR(*row[2].error_95, both, 0.2 * both);
  }
  Given given = Counts();
  given.laws[0]->scale = 2;
  const auto gini = Outcome(kGini, {given}).rows;
  ASSERT_TRUE(gini.at(0).at(0).error_95);
  EXPECT_GT(*gini[0][0].error_95, 0.01);
  EXPECT_LT(*gini[0][0].error_95, 0.5);
  // The same answer has the same bar.
  EXPECT_EQ(Outcome(kGini, {given}).rows[0][0].error_95, gini[0][0].error_95);
}

TEST(After, WhatNoiseChoosesOrLeavesUndefinedIsNotSimulated_AFTER3) {
  for (const std::string& text : std::vector<std::string>{
           "SELECT power(max(n), 2) AS x FROM " + kInner, "SELECT power(n, 2) AS x FROM " + kInner + " WHERE n > 20",
           "SELECT power(n, 2) AS x FROM " + kInner + " ORDER BY n LIMIT 2",
           "SELECT power(n, 2) / (SELECT power(min(n), 1) FROM " + kInner + ") AS x FROM " + kInner,
           "SELECT power(n, rank() OVER (ORDER BY n)) AS x FROM " + kInner,
           // Its divisor may be 0; so may the argument of the logarithm.
           "SELECT power(n, 2) / (sum(n) OVER () - 100) AS x FROM " + kInner,
           "SELECT log(n - 40) AS x FROM " + kInner}) {
    for (const auto& row : Outcome(text).rows) EXPECT_EQ(row[0].error_95, std::nullopt) << text;
  }
  Given given = Counts();
  given.laws = {std::nullopt};  // the law is not known
  EXPECT_EQ(Outcome(kGini, {given}).rows[0][0].error_95, std::nullopt);
}

// Counts of 200 groups.
Given ManyCounts() {
  Given given;
  for (int k = 0; k < 200; ++k)
    given.rows.push_back({{Value(std::to_string(k)), std::nullopt}, {Value(std::int64_t{40 + k % 50}), 3.0}});
  given.laws = {Given::Law{1, 1}};
  return given;
}

std::string RootOfProducts(int copies) {
  const std::string answer = kInner.substr(0, kInner.size() - 1);
  std::string product, from;
  for (int k = 0; k < copies; ++k) {
    const std::string name(1, static_cast<char>('a' + k));
    product += (k == 0 ? "" : " * ") + name + ".n";
    from += (k == 0 ? "" : ", ") + answer + name;
  }
  return "SELECT power(sum(" + product + "), 0.5) AS x FROM " + from;
}

// 40,000 pairs can be looked at 199 times, eight million triples cannot: whatever the machine does meanwhile.
TEST(After, WhatABarMayCostIsCountedNotTimed_AFTER3) {
  EXPECT_TRUE(Outcome(RootOfProducts(2), {ManyCounts()}).rows.at(0).at(0).error_95);
  EXPECT_FALSE(Outcome(RootOfProducts(3), {ManyCounts()}).rows.at(0).at(0).error_95);
}

// However soon a caller's time is over, there is an error or the whole answer, never one without its bar.
TEST(After, NoDeadlineTakesABarAway_AFTER3) {
  const auto program = PlanOf(RootOfProducts(2));
  ASSERT_TRUE(program && *program);
  const auto whole = Compute(**program, {Counts()}, CancelFlag());
  ASSERT_TRUE(whole && whole->rows[0][0].error_95);
  bool done = false;
  for (auto time = std::chrono::microseconds(1000); !done; time *= 2) {
    const auto hurried = Compute(**program, {Counts()}, CancelFlag().Until(Deadline::In(time)));
    done = hurried.has_value();
    if (done)
      EXPECT_EQ(hurried->rows[0][0].error_95, whole->rows[0][0].error_95);
    else
      EXPECT_EQ(hurried.error().code, Code::kCancelled) << hurried.error().Text();
  }
}

TEST(After, WorkIsTheNumberOfRowsAndOfPairsThatAreCompared) {
  auto scratch = Scratch::Open();
  ASSERT_TRUE(scratch);
  std::vector<std::vector<Value>> rows;
  for (std::int64_t k = 0; k < 300; ++k) rows.push_back({Value(k)});
  ASSERT_TRUE(scratch->Create("t", {ScratchType::kWhole}, rows));
  const auto work = [&](const std::string& select) { return scratch->WorkOf(select, CancelFlag()).value(); };
  const std::string pairs = "SELECT sum(a.c0) FROM t a JOIN t b ON a.c0 < 2 * b.c0 + 1",
                    same = "SELECT sum(a.c0) FROM t a JOIN t b USING (c0)";
  EXPECT_GE(work("SELECT sum(c0) FROM t"), 300);
  EXPECT_GE(work(pairs), 300 * 300);
  EXPECT_LT(work(same), 300 * 30);
  EXPECT_EQ(work(pairs), work(pairs));
  EXPECT_FALSE(scratch->WorkOf("DROP TABLE t", CancelFlag()));
}

// The twin: noise of another law.
TEST(After, TheCheckAboveSeesBarsOfAnotherLaw_AFTER3) {
  Given given = Counts();
  given.laws[0]->scale *= 1.5;
  const double bar = BarOfSum({{1, 10, 1}}, 0.95);
  const auto rows = Outcome("SELECT power(n, 1) AS same FROM " + kInner, {given}).rows;
  EXPECT_GT(std::fabs(*rows[0][0].error_95 - bar), 0.2 * bar);
}

}  // namespace
}  // namespace kith::postprocess
