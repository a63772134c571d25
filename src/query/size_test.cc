// Questions that would take long or much memory to plan are refused before they do.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/meter.h"
#include "query/plan.h"
#include "query/question.h"
#include "query/test_policy.h"

namespace kith {
namespace {

/// A column with as many declared values as there can be, one with many numbers, and others with wide bounds.
const Policy& LongLists() {
  static const Policy policy = [] {
    std::string texts, numbers;
    for (std::size_t i = 0; i + 1 < Plan::kMaxGroups; ++i) {
      texts += fmt::format("{}\"v{}\"", i == 0 ? "" : ", ", i);
      if (i < 40000) numbers += fmt::format("{}{}", i == 0 ? "" : ", ", i);
    }
    return Policy::Parse(
               "[data]\ntables.t = \"t.csv\"\n[unit]\ntable = \"t\"\nrow = true\npresence = \"public\"\n"
               "[columns.t]\na = { values = [" +
                   texts + "] }\nk = { values = [" + numbers +
                   "] }\n"
                   "x = { lower = 0, upper = 65000 }\nr = { lower = 0.0, upper = 1.0 }\n"
                   "g = { values = [\"p\", \"q\"], public = true, required = true }\n"
                   "[dependence]\nsource = \"public\"\nkind = \"independent\"\n[budget]\nepsilon = 1\nledger = \"l\"\n",
               "t.toml")
        .value();
  }();
  return policy;
}

std::string List(std::size_t count, const char* form, std::size_t first = 0) {
  std::string list;
  for (std::size_t i = first; i < first + count; ++i)
    list += (i == first ? "" : ", ") + fmt::format(fmt::runtime(form), i);
  return list;
}

std::string Nested(std::size_t levels) {
  std::string from = "t";
  for (std::size_t i = 0; i < levels; ++i) from = fmt::format("(SELECT coalesce(a, a) AS a FROM {}) AS s{}", from, i);
  return fmt::format("SELECT a, count(*) FROM {} GROUP BY a", from);
}

TEST(Size, LongListsThatAreReadOftenAreRefusedAtOnce) {
  Result<Plan> plan = Error{};
  plan = PlanQuestion(Nested(14), LongLists());
  ASSERT_FALSE(plan);
  EXPECT_NE(plan.error().what.find("too often"), std::string::npos) << plan.error().Text();
  plan = PlanQuestion("SELECT " + List(150, "median(k % {})", 65000) + " FROM t", LongLists());
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().code, Code::kUnsupportedQuery);
  plan = PlanQuestion(Nested(1), LongLists());
  ASSERT_TRUE(plan) << plan.error().Text();
  EXPECT_EQ(plan->keys[0].values.size(), Plan::kMaxGroups);
}

TEST(Size, WhatGrowsInSubSelectsIsRefusedBeforeItIsWrittenOut) {
  std::string from = "t";
  for (std::size_t i = 0; i < 14; ++i) from = fmt::format("(SELECT coalesce(x, x) AS x FROM {}) AS s{}", from, i);
  std::string any = "x = 0";
  for (int i = 1; i < 250; ++i) any += fmt::format(" OR x = {}", i);
  for (const std::string& sql :
       {fmt::format("SELECT {} FROM {}", List(60, "sum(coalesce(x, {}))"), from),
        fmt::format("SELECT count(*) FROM {} WHERE {}", from, any),
        fmt::format("SELECT coalesce({}), count(*) FROM {} GROUP BY 1", List(600, "x"), from)}) {
    Result<Plan> plan = Error{};
    plan = PlanQuestion(sql, LongLists());
    ASSERT_FALSE(plan);
    EXPECT_NE(plan.error().what.find("grows too large"), std::string::npos) << plan.error().Text();
  }
}

TEST(Size, LongListsOfConstantsAreLookedUp) {
  Result<Plan> plan = Error{};
  plan = PlanQuestion("SELECT count(*) FROM t WHERE a IN (" + List(1000, "'v{}'") + ")", LongLists());
  ASSERT_TRUE(plan) << plan.error().Text();
  EXPECT_NE(DuckDbText(*plan).find("'v999')"), std::string::npos);
  EXPECT_EQ(DuckDbText(*plan).find("'v1000'"), std::string::npos);
  plan = PlanQuestion("SELECT count(*) FROM t WHERE k NOT IN (" + List(1000, "{}") + ")", LongLists());
  ASSERT_TRUE(plan) << plan.error().Text();
  EXPECT_EQ(DuckDbText(*plan).find(" 999,"), std::string::npos);
  EXPECT_NE(DuckDbText(*plan).find("1000, 1001"), std::string::npos);
  // NULL among them: never false, so that its negation is never true.
  plan = PlanQuestion("SELECT count(*) FROM t WHERE g NOT IN ('p', NULL)", LongLists());
  ASSERT_TRUE(plan) << plan.error().Text();
  EXPECT_NE(DuckDbText(*plan).find("FALSE"), std::string::npos) << DuckDbText(*plan);
}

TEST(Size, ManyQuantilesOfDifferentValuesAreRefused) {
  Result<Plan> plan = PlanQuestion("SELECT " + List(205, "median(x + {})") + " FROM t", LongLists());
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().code, Code::kUnsupportedQuery);
  EXPECT_NE(plan.error().what.find("choose among too many values"), std::string::npos) << plan.error().Text();
  EXPECT_FALSE(plan.error().next.empty());
  plan = PlanQuestion("SELECT " + List(16, "median(x + {})") + " FROM t", LongLists());
  EXPECT_TRUE(plan) << plan.error().Text();
}

TEST(Size, ManyQuantilesOfOneValueShareItsGrid) {
  Result<Plan> plan =
      PlanQuestion("SELECT g, " + List(90, "quantile_disc(x, 0.{:03})", 1) + " FROM t GROUP BY g", LongLists());
  ASSERT_TRUE(plan) << plan.error().Text();
  EXPECT_EQ(plan->statistics.size(), 90U);
  // In all groups together there are too many.
  plan = PlanQuestion("SELECT g, " + List(200, "quantile_disc(x, 0.{:03})", 1) + " FROM t GROUP BY g", LongLists());
  ASSERT_FALSE(plan);
  EXPECT_NE(plan.error().what.find("choose among too many values"), std::string::npos) << plan.error().Text();
  // Asking for the same one again costs nothing.
  plan = PlanQuestion("SELECT g, " + List(200, "median(x)") + " FROM t GROUP BY g", LongLists());
  EXPECT_TRUE(plan) << plan.error().Text();
}

TEST(Size, QuestionsShareTheDeclaredValues) {
  const auto question = BindQuestion("SELECT count(*) FROM t WHERE a = 'a0'", LongLists(), 1000);
  ASSERT_TRUE(question) << question.error().Text();
  const auto first = [](const Policy& policy) { return &policy.unit_table().columns[0].values[0]; };
  EXPECT_EQ(first(*question->policy), first(LongLists()));
}

// Everything that is tried for each declared value counts against one number of steps, whatever it is made of.
TEST(Size, WhatIsTriedForEachValueIsCounted) {
  const auto planned = [](const std::string& condition, std::uint64_t most) {
    return Metered(most, CancelFlag(),
                   [&] { return PlanQuestion("SELECT count(*) FROM t WHERE " + condition, LongLists()); });
  };
  const auto pattern = [](int parts) {
    std::string like;
    for (int k = 0; k < parts; ++k) like += "%a_";
    return "a LIKE '" + like + "'";
  };
  for (const std::string& condition : {pattern(400), "NOT (" + pattern(400) + ")", pattern(300) + " OR " + pattern(300),
                                       "CASE WHEN " + pattern(400) + " THEN k END = 1", std::string("a < a")}) {
    const auto plan = planned(condition, Meter::kPlanning);
    ASSERT_FALSE(plan) << condition.substr(0, 60);
    EXPECT_EQ(plan.error().code, Code::kUnsupportedQuery);
    EXPECT_NE(plan.error().what.find("too many steps"), std::string::npos) << plan.error().Text();
  }
  // It is the number of steps that decides, not the form.
  EXPECT_TRUE(planned(pattern(10), Meter::kPlanning)) << "an ordinary pattern is still planned";
  EXPECT_FALSE(planned(pattern(10), 100'000));
  EXPECT_TRUE(planned("x > 1", 100'000)) << "declared values are not copied";
  CancelFlag left;
  left.Cancel();
  const auto stopped = Metered(
      Meter::kNoLimit, left, [&] { return PlanQuestion("SELECT count(*) FROM t WHERE " + pattern(400), LongLists()); });
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, Code::kCancelled);
}

}  // namespace
}  // namespace kith
