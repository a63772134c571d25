// Valid conditions with rubbish before, after and inside: what is accepted means the same wherever it is.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "query/bind/typing.h"
#include "query/parse/parts.h"
#include "query/question.h"
#include "query/test_policy.h"
#include "tests/support/stat.h"

namespace kith {
namespace {

using Random = std::mt19937_64;
/// The condition of the rows that pass `text` and have an age, as canonical text; nothing if the text is refused.
using Asker = std::function<std::optional<std::string>(const std::string& text, const Policy& policy)>;

const char* const kRubbish[] = {
    ")",
    "(",
    " --",
    "--",
    "/*",
    "*/",
    "/* */",
    ";",
    ", age",
    " OR (TRUE",
    ") OR (TRUE",
    ") AND (TRUE",
    " AS y",
    " y",
    " LIMIT 1",
    " GROUP BY 1",
    " ORDER BY 1",
    " UNION ",
    " SELECT 1",
    "ALL ",
    "DISTINCT ",
    " FOR READ ONLY",
    " FOR UPDATE",
    "'",
    "\"",
    "$$",
    "$1",
    "U&'",
    "E'\\'",
    "\n",
    " HAVING TRUE",
    " FROM people",
    " WHERE ",
    " NOT ",
    " OR smoker",
    " AND smoker",
    " IS NOT TRUE",
    "TRUE",
    " = ",
    "smoker",
    "\\",
    "::text",
    "[1]",
    ".x",
    "%",
    " WINDOW w AS ()",
    " OFFSET 0",
    " COLLATE \"C\"",
};

std::string Term(Random& random) {
  static const char* const kTerms[] = {
      "smoker",          "age > 17",    "sex = 'f'",           "name LIKE '(%'", "ill IN ('yes')", "score IS NULL",
      "pulse - 1 < age", "name = '--'", "age BETWEEN 1 AND 9", "TRUE",           "(age > 3)",      "name = ') OR ('"};
  return kTerms[random() % std::size(kTerms)];
}

std::string Condition(Random& random, int depth) {
  if (depth == 0 || random() % 3 == 0) return Term(random);
  const std::string a = Condition(random, depth - 1), b = Condition(random, depth - 1);
  switch (random() % 5) {
    case 0:
      return a + " AND " + b;
    case 1:
      return a + " OR " + b;
    case 2:
      return "NOT (" + a + ")";
    case 3:
      return "CASE WHEN " + a + " THEN " + b + " ELSE FALSE END";
    default:
      return "(" + a + " OR " + b + ")";
  }
}

std::string WithRubbish(std::string text, Random& random) {
  for (std::size_t i = 0; i < 1 + random() % 3; ++i) {
    const char* rubbish = kRubbish[random() % std::size(kRubbish)];
    const std::size_t places[] = {0, text.size(), text.size(), random() % (text.size() + 1)};
    text.insert(places[random() % 4], rubbish);
  }
  return text;
}

std::string Behind(const ExprPtr& condition, const Policy& policy) {
  const ExprPtr age = BindExpression("age", policy).value();
  const ExprPtr there = MakeExpr(Op::kNot, Type::kBoolean, {MakeExpr(Op::kIsNull, Type::kBoolean, {age})});
  return CanonicalText(*BothConditions(condition, there), policy.unit_table());
}

std::optional<std::string> AskedByTrees(const std::string& text, const Policy& policy) {
  const auto bound = BindCondition(text, policy);
  if (!bound) return std::nullopt;
  const auto question = AskParts({*bound, {BindExpression("age", policy).value()}, {}}, policy);
  if (!question) return std::nullopt;
  return CanonicalText(*question->where, policy.unit_table());
}

// The fault: the text between parentheses, in the text of a question of which only the shape of the clauses is checked.
std::optional<std::string> AskedByPasting(const std::string& text, const Policy& policy) {
  const auto question =
      BindQuestion(fmt::format("SELECT count(*), sum(age) FROM people WHERE ({}) AND age IS NOT NULL", text), policy,
                   2 * kMaxQuestionBytes);
  const bool plain = question && question->counters.size() == 2 && question->keys.empty() &&
                     question->order_by.empty() && !question->limit && question->offset == 0 && question->where;
  if (!plain) return std::nullopt;
  return CanonicalText(*question->where, policy.unit_table());
}

// What the text is as the last thing of a question, where there is nothing to close or to swallow: another way through
// the parser and the binder. Nothing if it is more than a condition.
ExprPtr MeaningAtTheEnd(const std::string& text, const Policy& policy) {
  const auto question = BindQuestion("SELECT count(*) FROM people WHERE " + text, policy, 2 * kMaxQuestionBytes);
  const bool plain = question && question->counters.size() == 1 && question->keys.empty() &&
                     question->order_by.empty() && !question->limit && question->offset == 0;
  return plain ? question->where : nullptr;
}

struct Tally {
  int accepted = 0, refused = 0, wrong = 0;
  std::string example;
};

Tally Try(const Asker& ask, int rounds, std::uint64_t seed) {
  Random random(seed);
  const Policy policy = TestPolicy();
  Tally tally;
  for (int i = 0; i < rounds; ++i) {
    const std::string text = WithRubbish(Condition(random, 2), random);
    const auto asked = ask(text, policy);
    ++(asked ? tally.accepted : tally.refused);
    if (!asked) continue;
    const ExprPtr meant = MeaningAtTheEnd(text, policy);
    if (meant && *asked == Behind(meant, policy)) continue;
    ++tally.wrong;
    tally.example = text;
  }
  return tally;
}

TEST(PartsProperty, WhatIsAcceptedMeansTheSameEverywhere_TEXT1) {
  const Tally tally = Try(AskedByTrees, 30000, stat::SeedForThisTest());
  EXPECT_EQ(tally.wrong, 0) << tally.example;
  EXPECT_GT(tally.accepted, 1000);
  EXPECT_GT(tally.refused, 10000);
}

TEST(PartsProperty, TheCheckSeesTextsThatArePasted) {
  const Tally tally = Try(AskedByPasting, 30000, stat::SeedForThisTest());
  EXPECT_GT(tally.wrong, 20);
}

TEST(PartsProperty, ATextWithoutRubbishIsAccepted_TEXT1) {
  Random random(stat::SeedForThisTest());
  const Policy policy = TestPolicy();
  for (int i = 0; i < 2000; ++i) {
    const std::string text = Condition(random, 3);
    const auto bound = BindCondition(text, policy);
    ASSERT_TRUE(bound) << text << bound.error().Text();
    // In parentheses, in a CASE and at the end it is the same tree.
    const ExprPtr within =
        MeaningAtTheEnd(fmt::format("(CASE WHEN {} THEN 1 ELSE 0 END) = 1 AND ({})", text, text), policy);
    const std::string once = CanonicalText(**bound, policy.unit_table());
    const auto pasted = BindCondition(fmt::format("(CASE WHEN ({0}) THEN 1 ELSE 0 END) = 1 AND ({0})", text), policy);
    ASSERT_TRUE(pasted) << text;
    EXPECT_EQ(CanonicalText(**pasted, policy.unit_table()), CanonicalText(*within, policy.unit_table())) << text;
    EXPECT_EQ(once, CanonicalText(*MeaningAtTheEnd(text, policy), policy.unit_table())) << text;
  }
}

}  // namespace
}  // namespace kith
