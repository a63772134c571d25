// Quotients that are cut to what is possible.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "query/output/output.h"
#include "query/plan.h"
#include "query/test_policy.h"
#include "tests/support/stat.h"

namespace kith {
namespace {

double AsReal(const Value& value) {
  const auto* whole = std::get_if<std::int64_t>(&value);
  return whole ? static_cast<double>(*whole) : std::get<double>(value);
}

OutputPtr Share() {
  return CutOutput(ApplyOutput(Op::kDivide, {StatisticOutput(0, true), StatisticOutput(1, true)}), {0, 1});
}

/// How often the truth, a part of a whole, is farther from the value than `share` of the bar, though both noisy counts
/// are within theirs.
int Missed(double share) {
  std::mt19937_64 dice(stat::SeedForThisTest());
  std::uniform_real_distribution<double> unit(0, 1), side(-1, 1);
  int missed = 0;
  for (int i = 0; i < 20000; ++i) {
    const double whole = std::floor(1 + 200 * unit(dice)), part = std::floor(whole * unit(dice));
    const double bar = 150 * unit(dice);
    const double noisy_part = std::round(part + bar * side(dice)), noisy_whole = std::round(whole + bar * side(dice));
    if (std::abs(noisy_part - part) > bar || std::abs(noisy_whole - whole) > bar) continue;
    const Outcome outcome = Share()->Evaluate({}, {{noisy_part, bar}, {noisy_whole, bar}});
    if (std::holds_alternative<Null>(outcome.value)) continue;
    const double value = AsReal(outcome.value);
    EXPECT_GE(value, 0);
    EXPECT_LE(value, 1);
    EXPECT_LE(*outcome.error, 1);
    if (std::abs(value - part / whole) > share * *outcome.error + 1e-12) ++missed;
  }
  return missed;
}

TEST(OutputCut, TheTruthIsNeverFurtherThanTheBar_WORTH1) { EXPECT_EQ(Missed(1), 0); }

TEST(OutputCut, TheCheckAboveSeesBarsThatAreCutTooFar) { EXPECT_GT(Missed(0.5), 100); }

TEST(OutputCut, WhatHadNoBarHasOne) {
  const Outcome outcome = Share()->Evaluate({}, {{-6, 40}, {13, 40}});  // -46 %, and the divisor may be 0
  EXPECT_EQ(outcome.value, Value{0.0});
  EXPECT_EQ(outcome.error, 1.0);
}

/// The first output of a question, with its statistics as given.
Outcome Asked(const std::string& output, const std::vector<Estimate>& statistics,
              const std::string& unit = "row = true\npresence = \"secret\"") {
  const auto plan = PlanQuestion("SELECT " + output + " FROM people", TestPolicy(unit));
  if (!plan) ADD_FAILURE() << plan.error().Text();
  EXPECT_EQ(plan->statistics.size(), statistics.size());
  return plan->outputs.at(0).expr->Evaluate({}, statistics);
}

TEST(Quotients, PartsOfAWholeStayBetweenTheirBounds_WORTH1) {
  const std::vector<Estimate> far = {{500, 100}, {20, 10}};
  EXPECT_EQ(Asked("100.0 * count(*) FILTER (WHERE smoker) / count(*)", far).value, Value{100.0});
  EXPECT_EQ(Asked("count(*) FILTER (WHERE smoker AND age > 5) / count(*) FILTER (WHERE smoker)", far).value,
            Value{1.0});
  EXPECT_EQ(Asked("count(*) FILTER (WHERE smoker) / nullif(count(*), 0)", far).value, Value{1.0});
  EXPECT_EQ(Asked("sum(pulse) / count(*)", {{50000, 100}, {20, 10}}).value, Value{200.0});
  EXPECT_EQ(Asked("sum(age) / count(age)", {{-500, 100}, {20, 10}}).value, Value{0.0});
  EXPECT_EQ(Asked("count(*) / count(DISTINCT id)", far, "key = \"id\"\nmax_rows = 3\npresence = \"secret\"").value,
            Value{3.0});
  EXPECT_EQ(*Asked("100.0 * count(*) FILTER (WHERE smoker) / count(*)", {{22, 60}, {97, 100}}).error,
            100 - 2200.0 / 97);
}

TEST(Quotients, WhatIsNoPartIsNotCut) {
  const std::vector<Estimate> far = {{500, 100}, {20, 10}};
  for (const char* const quotient :
       {"count(*) FILTER (WHERE smoker) / count(*) FILTER (WHERE age > 5)", "count(*) / count(*) FILTER (WHERE smoker)",
        "sum(pulse) / sum(stage)", "sum(age) / count(ill)"})
    EXPECT_EQ(Asked(quotient, far).value, Value{25.0}) << quotient;
}

}  // namespace
}  // namespace kith
