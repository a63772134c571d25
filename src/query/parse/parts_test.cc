// Text in place of a part of a question: exactly one expression, or refused.
#include "query/parse/parts.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "query/rows.h"
#include "query/test_policy.h"

namespace kith {
namespace {

std::string Meaning(const std::string& text) {
  const auto bound = BindCondition(text, TestPolicy());
  return bound ? CanonicalText(**bound, TestPolicy().unit_table()) : bound.error().Text();
}

// None of these is one self-contained expression.
const char* const kHostile[] = {
    "TRUE) OR (TRUE",
    "TRUE) --",
    "TRUE)--",
    "TRUE) /* */ OR (TRUE",
    "age > 1 -- and more",
    "age > 1 --",
    "TRUE /*",
    "*/ TRUE",
    "age > 1; SELECT 1",
    "age > 1;",
    ";",
    "age > 1, age > 2",
    "age) FROM people WHERE (smoker",
    "CASE WHEN smoker THEN NULL ELSE 1 END) FROM people WHERE age = 34 --",
    "smoker AS y",
    "smoker y",
    "DISTINCT smoker",
    "ALL smoker",
    "*",
    "people.*",
    "smoker FROM people",
    "smoker WHERE TRUE",
    "smoker GROUP BY sex",
    "smoker GROUP BY ()",
    "smoker HAVING TRUE",
    "smoker ORDER BY 1",
    "smoker LIMIT 1",
    "smoker LIMIT ALL",
    "smoker OFFSET 0",
    "smoker FETCH FIRST ROW ONLY",
    "smoker FOR UPDATE",
    "smoker FOR READ ONLY",  // leaves no trace in the tree
    "smoker WINDOW w AS ()",
    "smoker UNION SELECT 1",
    "smoker INTERSECT SELECT 1",
    "smoker INTO other",
    "SELECT TRUE",
    "WITH a AS (SELECT 1) SELECT TRUE",
    "VALUES (TRUE)",
    "TABLE people",
    "'",
    "name = 'x",
    "\"smoker",
    "name = $$x",
    "name = $a$x$b$",
    "name = U&'\\00",
    "name = E'x\\'",
    "(smoker",
    "smoker)",
    ")(",
    "",
    " ",
    "\n",
    "-- smoker",
    "/* smoker */",
    "AND smoker",
    "smoker AND",
};

// One expression each, but none that kith computes.
const char* const kNotComputed[] = {
    "$1",
    "age > $1",
    "age > (SELECT max(age) FROM people)",
    "EXISTS (SELECT 1)",
    "age IN (SELECT 1)",
    "row_number() OVER () = 1",
    "sum(age) OVER () > 1",
    "count(*) > 3",
    "age > ALL (ARRAY[1])",
    "(age, pulse) = (1, 2)",
    "ROW(age) IS NULL",
    "random() < 0.5",
    "CURRENT_USER = 'x'",
    "nothing > 1",
    "regions.rain > 1",
    "age > 1 COLLATE \"C\"",
};

TEST(Parts, WhatIsNotOneExpressionIsRefused_TEXT1) {
  for (const char* text : kHostile) {
    const auto condition = BindCondition(text, TestPolicy());
    ASSERT_FALSE(condition) << text;
    EXPECT_TRUE(condition.error().code == Code::kInvalidArgument || condition.error().code == Code::kUnsupportedQuery)
        << text;
    EXPECT_FALSE(BindExpression(text, TestPolicy())) << text;
    EXPECT_FALSE(PlanRows({text}, {}, TestPolicy())) << text;
    if (*text != '\0') {
      EXPECT_FALSE(PlanRows({"age"}, text, TestPolicy())) << text;
      EXPECT_FALSE(PlanCondition(text, TestPolicy())) << text;
    }
  }
  for (const char* text : kNotComputed) {
    EXPECT_FALSE(BindCondition(text, TestPolicy())) << text;
    EXPECT_FALSE(PlanRows({"age"}, text, TestPolicy())) << text;
  }
  EXPECT_FALSE(BindCondition(std::string("smoker\0) --", 11), TestPolicy()));
  EXPECT_FALSE(BindCondition(std::string("\0", 1), TestPolicy()));
  EXPECT_FALSE(BindCondition("name = '\xFF'", TestPolicy()));
}

TEST(Parts, OneExpressionIsTakenAsItIsMeant_TEXT1) {
  EXPECT_EQ(Meaning("smoker"), "smoker");
  EXPECT_EQ(Meaning("(smoker)"), "smoker");
  EXPECT_EQ(Meaning("people.smoker"), "smoker");
  EXPECT_EQ(Meaning(" \n ((age > 1)) OR\n(smoker)\t"), Meaning("age > 1 OR smoker"));
  EXPECT_EQ(Meaning("smoker /* they say */ AND /* ) */ age > 1"), Meaning("smoker AND age > 1"));
  EXPECT_EQ(Meaning("smoker -- they say\n AND age > 1"), Meaning("smoker AND age > 1"));
  EXPECT_EQ(Meaning("name = ') --'"), "name = ') --'");
  EXPECT_EQ(Meaning("name = $$) OR ($$"), "name = ') OR ('");
  EXPECT_EQ(Meaning("name = $a$x$b$ $a$"), "name = 'x$b$ '");
  EXPECT_EQ(Meaning("name = U&'\\0041'"), "name = 'A'");
  EXPECT_EQ(Meaning("name = U&'!0041' UESCAPE '!'"), "name = 'A'");
  EXPECT_EQ(Meaning("name = E'\\''"), "name = ''''");
  EXPECT_EQ(Meaning("CASE WHEN age > 1 THEN smoker END"), "CASE WHEN 1 < age THEN smoker ELSE NULL END");
}

TEST(Parts, PrecedenceEndsAtTheEdgeOfAText_TEXT1) {
  // OR binds less tightly than the AND that is put after it: as trees, that does not depend on signs.
  const auto rows = PlanRows({"age"}, "smoker OR sex = 'f'", TestPolicy());
  ASSERT_TRUE(rows) << rows.error().Text();
  EXPECT_NE(rows->normalised.find("((sex = 'f') OR smoker)"), std::string::npos) << rows->normalised;
}

TEST(Parts, LongAndDeepTextsAreRefused_TEXT1) {
  EXPECT_FALSE(BindCondition("smoker" + std::string(kMaxQuestionBytes, ' '), TestPolicy()));
  EXPECT_FALSE(BindCondition(fmt::format("{}smoker{}", std::string(5000, '('), std::string(5000, ')')), TestPolicy()));
  EXPECT_FALSE(BindCondition(std::string(100000, '('), TestPolicy()));
  std::string chain = "smoker";
  for (int i = 0; i < 3000; ++i) chain += " OR smoker";
  EXPECT_FALSE(BindCondition(chain, TestPolicy()));
}

TEST(Parts, ListsAreTakenApartAtTheirOutermostCommas_TEXT1) {
  using Texts = std::vector<std::string>;
  EXPECT_EQ(SplitList("age, pulse ,weight"), (Texts{"age", "pulse", "weight"}));
  EXPECT_EQ(SplitList("coalesce(age, 1), \"a,b\", 'x,y', $$,$$, /*,*/ z"),
            (Texts{"coalesce(age, 1)", "\"a,b\"", "'x,y'", "$$,$$", "/*,*/ z"}));
  EXPECT_EQ(SplitList("hours-per-week, age"), (Texts{"hours-per-week", "age"}));
  EXPECT_EQ(SplitList("a,,b"), (Texts{"a", "", "b"}));
  EXPECT_EQ(SplitList(""), (Texts{""}));
  EXPECT_EQ(SplitList("O'Brien, x"), (Texts{"O'Brien, x"}));  // no words of SQL
  EXPECT_EQ(SplitList("a), (b, c"), (Texts{"a), (b", "c"}));  // neither is an expression
  EXPECT_EQ(BindKeys("sex, width_bucket(age, 0, 100, 5)", TestPolicy())->size(), 2U);
  for (const char* text : {"", "sex,", ",", "sex, *", "ROLLUP(sex, zyg)", "()", "sex) , (zyg", "GROUPING SETS (sex)"})
    EXPECT_FALSE(BindKeys(text, TestPolicy())) << text;
}

TEST(Parts, AConditionThatCanFailForSomeRowIsRefused_TEXT1) {
  const auto condition = PlanCondition("code * 3 > 5", TestPolicy());
  ASSERT_FALSE(condition);
  EXPECT_EQ(condition.error().code, Code::kUnsupportedQuery);
}

TEST(Rows, NothingThatLeavesTheStatementIsNull_ROWS1) {
  const auto good = PlanRows({"age", "score / (pulse - 50)", "CASE ill WHEN 'yes' THEN NULL ELSE 1 END"}, "smoker",
                             TestPolicy("key = \"id\"\nmax_rows = 2\npresence = \"secret\""));
  ASSERT_TRUE(good) << good.error().Text();
  for (const sql::Dialect* dialect : {&sql::DuckDb(), &sql::PostgreSql()}) {
    const std::string text = dialect->Write(good->statement);
    EXPECT_TRUE(text.ends_with("AS n WHERE v0 IS NOT NULL AND v1 IS NOT NULL AND v2 IS NOT NULL")) << text;
  }
}

}  // namespace
}  // namespace kith
