// The reference itself, against values worked out by hand: a yardstick that nobody measured proves nothing.
#include <gtest/gtest.h>

#include "tests/support/tiny_db.h"
#include "tests/support/tiny_db_neighbours.h"

namespace kith::testing {
namespace {

const char* const kPolicy = R"(
[data]
frozen = true
tables.t = "t.parquet"
[unit]
table = "t"
key = "id"
max_rows = 2
presence = "secret"
[columns.t]
id = { type = "integer" }
g = { values = ["a", "b"], public = true, required = true }
v = { lower = -3, upper = 5 }
r = { lower = 0.0, upper = 1.0 }
k = { values = ["x", "y"] }
[dependence]
source = "public"
kind = "independent"
[budget]
epsilon = 1.0
ledger = "t.ledger"
)";

Policy ThePolicy() { return Policy::Parse(kPolicy, "t.toml").value(); }

std::string Of(const std::string& expression) {
  const TinyTable table{
      "t", {"one", "none", "word"}, {ColumnType::kInteger, ColumnType::kInteger, ColumnType::kText}, {}};
  return ToText(Eval(ParseExpression(expression), table, {IntegerDatum(1), NullDatum(), TextDatum("Zoë")}));
}

TEST(Reference, LogicHasThreeValues) {
  EXPECT_EQ(Of("none = 1"), "NULL");
  EXPECT_EQ(Of("none = 1 AND false"), "false");
  EXPECT_EQ(Of("none = 1 OR true"), "true");
  EXPECT_EQ(Of("NOT (none = 1)"), "NULL");
  EXPECT_EQ(Of("one NOT IN (2, NULL)"), "NULL");
  EXPECT_EQ(Of("one IN (1, NULL)"), "true");
  EXPECT_EQ(Of("none IS DISTINCT FROM 1"), "true");
  EXPECT_EQ(Of("(none > 0) IS NOT TRUE"), "true");
  EXPECT_EQ(Of("CASE WHEN none = 1 THEN 1 ELSE 2 END"), "2");
}

TEST(Reference, ArithmeticIsTotal) {
  EXPECT_EQ(Of("1 / 0"), "NULL");
  EXPECT_EQ(Of("7 % 0"), "NULL");
  EXPECT_EQ(Of("7 / 2"), "3.5");
  EXPECT_EQ(Of("div(-7, 2)"), "-3");
  EXPECT_EQ(Of("-7 % 3"), "-1");
  EXPECT_EQ(Of("round(-2.5)"), "-2");
  EXPECT_EQ(Of("round(0.25, 1)"), "0.3");
  EXPECT_EQ(Of("greatest(none, 1, -2)"), "1");
  EXPECT_EQ(Of("2 - 3 - 4"), "-5");
  EXPECT_EQ(Of("2 + 3 * -4"), "-10");
}

TEST(Reference, TextAndDates) {
  EXPECT_EQ(Of("word LIKE 'Zo_'"), "true");
  EXPECT_EQ(Of("word LIKE '%o%'"), "true");
  EXPECT_EQ(Of("word ILIKE 'z%'"), "true");
  EXPECT_EQ(Of("word LIKE 'Zo\\_'"), "false");
  EXPECT_EQ(Of("extract(week FROM DATE '2021-01-03')"), "53");
  EXPECT_EQ(Of("extract(dow FROM DATE '2020-02-29')"), "6");
  EXPECT_EQ(Of("extract(doy FROM DATE '2020-12-31')"), "366");
  EXPECT_EQ(Of("DATE '2020-03-01' - DATE '2020-02-28'"), "2");
  EXPECT_EQ(Of("extract(hour FROM TIMESTAMP '1969-12-31 23:59:59')"), "23");
}

TEST(Reference, ReadsColumnsAsDeclared) {
  const Policy policy = ThePolicy();
  const Reference reference(policy, ParseQuestion("SELECT count(*) FROM t"), {});
  const TinyTable table = EmptyTable(policy.unit_table());
  const auto read = [&](const Row& raw) {
    std::string text;
    for (const Datum& value : reference.Read(table, raw)) text += ToText(value) + " ";
    return text;
  };
  EXPECT_EQ(read({IntegerDatum(1), TextDatum("z"), IntegerDatum(9), RealDatum(-7), TextDatum("z")}), "1 a 5 0 NULL ");
  EXPECT_EQ(read({IntegerDatum(1), TextDatum("b"), IntegerDatum(-9), RealDatum(1 / 0.0), TextDatum("y")}),
            "1 b -3 NULL y ");
}

TEST(Reference, FindsKnownSensitivities) {
  const Policy policy = ThePolicy();
  const auto sensitivity = [&](const std::string& sql) {
    const Question question = ParseQuestion(sql);
    return static_cast<double>(
        TryAllNeighbours(policy, Reference(policy, question, AggregatesOf(question))).sensitivity[0]);
  };
  EXPECT_EQ(sensitivity("SELECT count(*) FROM t"), 2);            // nobody, or two rows
  EXPECT_EQ(sensitivity("SELECT sum(v) FROM t"), 16);             // 2 * 5 against 2 * -3
  EXPECT_EQ(sensitivity("SELECT sum(v) FROM t GROUP BY g"), 16);  // a unit stays in its group
  EXPECT_EQ(sensitivity("SELECT sum(v) FROM t GROUP BY k"), 20);  // two rows of 5 leave one group for another
  EXPECT_EQ(sensitivity("SELECT sum(r) FROM t WHERE v > 1"), 2);
  EXPECT_EQ(sensitivity("SELECT count(DISTINCT id) FROM t"), 1);
  EXPECT_EQ(sensitivity("SELECT count(DISTINCT id) FROM t GROUP BY k"), 3);  // {x, y} against {NULL}
}

// What is written twice is one key, and is kept wherever one of the two is.
TEST(Reference, LevelsOfKeysThatAreWrittenTwice) {
  const Policy policy = ThePolicy();
  const auto groups = [&](const std::string& by) {
    const Question question = ParseQuestion("SELECT count(*) FROM t GROUP BY " + by);
    return Reference(policy, question, AggregatesOf(question)).groups();
  };
  EXPECT_EQ(groups("g, CUBE(k, g)"), 2u * 3 + 2);  // g has two values, k two and NULL; g, k and g
  EXPECT_EQ(groups("g, CUBE(k)"), 2u * 3 + 2);
  EXPECT_EQ(groups("CUBE(k, g)"), 2u * 3 + 3 + 2 + 1);
  EXPECT_EQ(groups("CUBE(g, g)"), 2u + 1);
  EXPECT_EQ(groups("ROLLUP(g, k, g)"), 2u * 3 + 2 + 1);
}

TEST(Reference, FindsTheCellsThatChange) {
  const Policy policy = ThePolicy();
  const Question question = ParseQuestion("SELECT count(*) FROM t WHERE g = 'b' AND k = 'x'");
  const BruteForce brute = TryAllNeighbours(policy, Reference(policy, question, AggregatesOf(question)));
  EXPECT_EQ(brute.Changed(), (std::vector<bool>{false, true}));
}

}  // namespace
}  // namespace kith::testing
