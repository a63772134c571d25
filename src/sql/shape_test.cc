#include "sql/shape.h"

#include <gtest/gtest.h>

namespace kith::sql {
namespace {

Term Age() { return sql::Column("t", "age"); }
Term AtLeast(std::int64_t age) { return Infix(" <= ", {Literal(age, Type::kInteger), Age()}); }

Statement Counted(Term where) {
  const auto rows = Selected({.items = {{Number(1), "one"}}, .from = Table("people", "t"), .where = std::move(where)});
  return Selected({.items = {{CountRows(), "s0"}}, .from = Rows(rows, "r")});
}

TEST(ShapeTest, WhatIsComparedWithIsAParameterWithItsType) {
  const auto rows = Selected(
      {.items = {{Paren(AtLeast(5)), "a"},
                 {In(sql::Column("t", "ill"), {Value("yes"), Value("it's")}, Type::kText), "b"},
                 {Between(Age(), Constant(std::int64_t{1}, Type::kInteger), Constant(std::int64_t{9}, Type::kInteger)),
                  "c"},
                 {Infix(" < ", {sql::Column("t", "x"), Literal(0.5, Type::kReal)}), "d"}},
       .from = Table("people", "t")});
  const Shape shape = ShapeOf(rows, {}, DuckDb());
  EXPECT_EQ(shape.values.size(), 6U);
  for (const char* part : {"<= t.\"age\")", "t.\"ill\" IN (CAST($", " AS VARCHAR)", " AND CAST($", " AS BIGINT)",
                           "t.\"x\" < CAST($", " AS DOUBLE PRECISION)"})
    EXPECT_NE(shape.text.find(part), std::string::npos) << part << " is not in " << shape.text;
  // Each number belongs to its value.
  for (std::size_t k = 0; k < shape.values.size(); ++k) {
    const std::size_t at = shape.text.find("$" + std::to_string(k + 1) + " AS ");
    ASSERT_NE(at, std::string::npos) << shape.text;
    const std::string type = shape.text.substr(at + 6, 6);
    const bool fits = std::holds_alternative<std::string>(shape.values[k]) ? type == "VARCHA"
                      : std::holds_alternative<double>(shape.values[k])    ? type == "DOUBLE"
                                                                           : type == "BIGINT";
    EXPECT_TRUE(fits) << k << " " << shape.text;
  }
}

TEST(ShapeTest, TwoStatementsOfOneShapeHaveOneText) {
  const Shape one = ShapeOf(Counted(AtLeast(5)), {}, DuckDb()), other = ShapeOf(Counted(AtLeast(70)), {}, DuckDb());
  EXPECT_EQ(one.text, other.text);
  EXPECT_EQ(one.values, std::vector<Value>{Value(std::int64_t{5})});
  EXPECT_EQ(other.values, std::vector<Value>{Value(std::int64_t{70})});
}

// What DuckDB finds in WHERE it would plan again for every value.
TEST(ShapeTest, SumsTakeTheRowsThatPassed) {
  EXPECT_EQ(ShapeOf(Counted(AtLeast(5)), {}, DuckDb()).text,
            "SELECT count(*) FILTER (WHERE passed) AS s0 FROM (SELECT 1 AS one, CAST($1 AS BIGINT) <= t.\"age\" AS "
            "passed FROM \"people\" AS t) AS r");
  const auto rows =
      Selected({.items = {{Age(), "v0"}, {IsNotNull(Age()), "f0"}}, .from = Table("people", "t"), .where = AtLeast(5)});
  const Term sum = Call("coalesce", {Where(Sum(Name("v0")), Name("f0")), Number(0)});
  EXPECT_EQ(
      ShapeOf(Selected({.items = {{sum, "s0"}}, .from = Rows(rows, "r")}), {}, DuckDb()).text,
      "SELECT coalesce(sum(v0) FILTER (WHERE (f0) AND passed), 0) AS s0 FROM (SELECT t.\"age\" AS v0, t.\"age\" IS "
      "NOT NULL AS f0, CAST($1 AS BIGINT) <= t.\"age\" AS passed FROM \"people\" AS t) AS r");
}

TEST(ShapeTest, OtherStatementsKeepTheirWhere) {
  const auto rows =
      Selected({.items = {{Age(), "k0"}, {Age(), "v0"}}, .from = Table("people", "t"), .where = AtLeast(5)});
  for (const Statement& statement :
       {rows,  // no sums
        Selected({.items = {{Name("k0")}, {CountRows(), "s0"}}, .from = Rows(rows, "r"), .group_by = {Name("k0")}}),
        Selected({.items = {{CountRows(), "s0"}}, .from = Rows(rows, "r"), .where = IsNotNull(Name("v0"))}),
        Selected({.distinct = true, .items = {{CountRows(), "s0"}}, .from = Rows(rows, "r")}),
        Selected({.items = {{Name("v0"), "s0"}}, .from = Rows(rows, "r")}),
        Counted(IsNotNull(Age()))}) {  // nothing to compare with
    const Shape shape = ShapeOf(statement, {}, DuckDb());
    EXPECT_EQ(shape.text, DuckDb().Write(statement));
    EXPECT_TRUE(shape.values.empty());
  }
}

TEST(ShapeTest, LongListsAreNotOfOneShape) {
  std::vector<Value> many;
  for (std::int64_t k = 0; k < 100; ++k) many.emplace_back(k);
  const Shape shape = ShapeOf(Counted(In(Age(), many, Type::kInteger)), {}, DuckDb());
  EXPECT_EQ(shape.values.size(), 32U);
  EXPECT_NE(shape.text.find(", 99)"), std::string::npos) << shape.text;
}

}  // namespace
}  // namespace kith::sql
