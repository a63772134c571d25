#include "query/bind/possible_values.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "query/plan.h"
#include "query/test_policy.h"

namespace kith {
namespace {

/// The values of the first key, as they are shown.
std::string Listed(const std::string& sql) {
  const auto plan = PlanQuestion(sql, TestPolicy());
  if (!plan) return plan.error().Text();
  std::string text;
  for (const Value& value : plan->keys.at(0).values) text += (text.empty() ? "" : " ") + ToText(value);
  return text;
}

std::string By(const std::string& key, const std::string& where) {
  return Listed(fmt::format("SELECT {0}, count(*) FROM people WHERE {1} GROUP BY {0}", key, where));
}

TEST(PossibleValues, DeclaredValuesThatWhereExcludesAreNotListed_PLAN5) {
  EXPECT_EQ(By("sex", "sex = 'm'"), "m");
  EXPECT_EQ(By("sex", "sex <> 'm'"), "f");
  EXPECT_EQ(By("sex", "sex IS NULL"), "NULL");
  EXPECT_EQ(By("sex", "sex IS NOT NULL"), "f m");
  EXPECT_EQ(By("ill", "ill IN ('yes', 'never')"), "yes");
  EXPECT_EQ(By("zyg", "zyg LIKE '%z' AND ill = 'yes'"), "mz dz");
  EXPECT_EQ(By("stage", "stage > 1"), "2 4");
  EXPECT_EQ(By("smoker", "NOT smoker"), "false");
  EXPECT_EQ(By("sex", "sex = 'm' OR smoker"), "f m NULL");
}

TEST(PossibleValues, RangesAreCutAtBothEnds_PLAN5) {
  EXPECT_EQ(By("age", "age < 3"), "0 1 2");
  EXPECT_EQ(By("age", "age BETWEEN 118 AND 400"), "118 119 120");
  EXPECT_EQ(By("age", "age < 5 AND age % 2 = 0"), "0 2 4");
  EXPECT_EQ(By("age", "age <= 2 AND age <> 1"), "0 2");
  EXPECT_EQ(By("seen", "seen < '2020-01-03'"), "2020-01-01 2020-01-02");
  EXPECT_EQ(By("seen", "seen >= DATE '2021-12-31' OR seen < DATE '1999-01-01'"), "2021-12-31");
  EXPECT_EQ(By("extract(year FROM seen)", "seen < '2021-01-01'"), "2020");
  EXPECT_EQ(By("date_trunc('month', seen)", "seen < '2020-02-10'"), "2020-01-01 2020-02-01");
  EXPECT_EQ(By("width_bucket(score, -1.0, 3.0, 4)", "score < 0.5"), "1 2");
}

TEST(PossibleValues, PartsOfDatesAndRoundedNumbersAreThoseThatOccur_PLAN5) {
  EXPECT_EQ(By("extract(month FROM seen)", "seen < '2020-03-10'"), "1 2 3");
  EXPECT_EQ(By("extract(month FROM seen)", "seen > '2021-11-10' OR seen < '2020-01-02'"), "1 2 3 4 5 6 7 8 9 10 11 12");
  EXPECT_EQ(By("extract(day FROM seen)", "seen BETWEEN '2020-01-30' AND '2020-02-02'"), "1 2 30 31");
  EXPECT_EQ(By("floor(weight / 10) * 10", "weight < 40"), "0 10 20 30");
  EXPECT_EQ(By("floor(weight / 10) * 10", "weight >= 220"), "220 230 240 250");
  EXPECT_EQ(By("floor(score)", "score < 1"), "-1 0");
  EXPECT_EQ(By("round(weight / 100)", "weight > 60"), "1 2 3");
}

/// How many groups an answer shows.
std::size_t Shown(const std::string& rest) {
  const auto plan = PlanQuestion("SELECT count(*) FROM people" + rest, TestPolicy());
  return plan ? plan->shown_groups() : 0;
}

TEST(PossibleValues, PairsThatNoRowHasAreNotShown_PLAN5) {
  EXPECT_EQ(Shown(" WHERE sex = 'm' AND stage = 1 OR sex = 'f' AND stage = 2 GROUP BY sex, stage"), 2u);
  EXPECT_EQ(Shown(" GROUP BY smoker, coalesce(smoker, false)"), 3u);
  // July 2020 to June 2021.
  const std::string year = "seen BETWEEN '2020-07-01' AND '2021-06-30'";
  EXPECT_EQ(Shown(" WHERE " + year + " GROUP BY extract(year FROM seen), extract(month FROM seen)"), 24u);
  EXPECT_EQ(Shown(" GROUP BY extract(quarter FROM seen), extract(month FROM seen)"), 13u);  // and one of NULL
  EXPECT_EQ(Shown(" GROUP BY ROLLUP (extract(quarter FROM seen), extract(month FROM seen))"), 13u + 5 + 1);
  EXPECT_EQ(Shown(" GROUP BY sex, stage"), 9u);
}

TEST(PossibleValues, ExpressionsAreSeenThrough_PLAN5) {
  EXPECT_EQ(By("CASE WHEN age < 18 THEN 'young' ELSE 'old' END", "age >= 18"), "old");
  EXPECT_EQ(By("age % 7", "age % 7 = 3"), "3");
  EXPECT_EQ(By("extract(month FROM seen)", "extract(month FROM seen) IN (2, 3)"), "2 3");
  EXPECT_EQ(By("age > 30", "age > 40"), "true");
  EXPECT_EQ(By("coalesce(ill, 'unknown')", "ill IS NULL"), "unknown");
}

TEST(PossibleValues, EveryKeyAndEveryLevelIsCut_PLAN5) {
  const auto plan = PlanQuestion(
      "SELECT sex, ill, count(*) FROM people WHERE sex = 'm' AND ill IS NOT NULL GROUP BY ROLLUP (sex, ill)",
      TestPolicy());
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(plan->groups(), 4u);
}

TEST(PossibleValues, FilterListsWhatSqlWouldList) {
  EXPECT_EQ(Listed("SELECT sex, count(*) FILTER (WHERE sex = 'm') FROM people GROUP BY sex"), "f m NULL");
}

// Nobody can be both: the answer is 0 everywhere, exactly and for nothing.
TEST(PossibleValues, WhereThatNobodyPassesIsAnsweredWithZeros) {
  const auto plan =
      PlanQuestion("SELECT ill, count(*) FROM people WHERE ill = 'yes' AND ill = 'no' GROUP BY ill", TestPolicy());
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(plan->groups(), 3u);
  EXPECT_TRUE(plan->noisy().empty());
  EXPECT_EQ(plan->charged, std::vector<bool>(plan->charged.size(), false));
}

// One group is left: nobody can move to another.
TEST(PossibleValues, FewerGroupsNeverCostMore) {
  const auto steps = [](const std::string& sql) {
    return PlanQuestion(sql, TestPolicy()).value().statistics.at(0).change.l1().steps();
  };
  EXPECT_EQ(steps("SELECT ill, count(*) FROM people GROUP BY ill"), 2);
  EXPECT_EQ(steps("SELECT ill, count(*) FROM people WHERE ill = 'yes' GROUP BY ill"), 1);
  EXPECT_EQ(steps("SELECT ill, count(*) FROM people WHERE ill IS NOT NULL GROUP BY ill"), 2);
}

// What would take too long stays listed: the question is still planned in time.
TEST(PossibleValues, TheWorkIsLimited) {
  std::string where = "age >= 0";
  for (int k = 0; k < 20; ++k) where += fmt::format(" AND (age + {} > seen - DATE '2019-01-01' OR smoker)", k);
  const auto plan =
      PlanQuestion(fmt::format("SELECT seen, count(*) FROM people WHERE {} GROUP BY seen", where), TestPolicy());
  ASSERT_TRUE(plan.has_value()) << plan.error().Text();
  EXPECT_GE(plan->groups(), 731u);
}

}  // namespace
}  // namespace kith
