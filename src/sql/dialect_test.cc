// Every hook of every dialect, and names and strings that try to get out of their quotes.
#include "sql/dialect.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sql/quote.h"

namespace kith::sql {
namespace {

const Term kX = Name("x"), kY = Name("y");

/// What both dialects write.
std::vector<std::string> Both(const Term& term) { return {DuckDb().Write(term), PostgreSql().Write(term)}; }
std::vector<std::string> Both(const Statement& statement) {
  return {DuckDb().Write(statement), PostgreSql().Write(statement)};
}
std::vector<std::string> Alike(const std::string& text) { return {text, text}; }
using Texts = std::vector<std::string>;

TEST(Quote, NamesAndTextsCannotLeaveTheirQuotes) {
  EXPECT_EQ(QuotedName("age"), "\"age\"");
  EXPECT_EQ(QuotedName("a\"b"), "\"a\"\"b\"");
  EXPECT_EQ(QuotedName("\"; DROP TABLE t; --"), "\"\"\"; DROP TABLE t; --\"");
  EXPECT_EQ(QuotedName("a'b\\"), "\"a'b\\\"");
  EXPECT_EQ(QuotedName(""), "\"\"");
  EXPECT_EQ(QuotedText("it's"), "'it''s'");
  EXPECT_EQ(QuotedText("'; DROP TABLE t; --"), "'''; DROP TABLE t; --'");
  EXPECT_EQ(QuotedText("a\"b\\n"), "'a\"b\\n'");
  EXPECT_EQ(QuotedText(std::string("a\0b", 3)), std::string("'a\0b'", 5));
  EXPECT_EQ(IdentifierText("age_2"), "age_2");
  for (const char* name : {"select", "Age", "2nd", "a b", "", "kith.join.x", "a\"b", "é"})
    EXPECT_EQ(IdentifierText(name), QuotedName(name)) << name;
}

// Whatever is between the quotes: each quote inside is doubled, so that a reader that pairs them comes out at the end.
TEST(Quote, EveryTextOfHostileBytesIsReadBackAsItself) {
  const std::string bytes = "'\"\\;-a";
  for (std::size_t n = 0; n < 6 * 6 * 6 * 6 * 6; ++n) {
    std::string text;
    for (std::size_t rest = n, i = 0; i < 5; ++i, rest /= 6) text.push_back(bytes[rest % 6]);
    const auto read_back = [](const std::string& quoted, char quote, bool escapes) {
      std::string read;
      std::size_t i = 1;
      for (; i + 1 < quoted.size(); ++i) {
        if (quoted[i] == quote || (escapes && quoted[i] == '\\')) {
          if (quoted[i + 1] != quoted[i] || i + 2 >= quoted.size()) return std::string("left its quotes");
          ++i;
        }
        read.push_back(quoted[i]);
      }
      return read;
    };
    EXPECT_EQ(read_back(DuckDb().Text(text), '\'', false), text);
    EXPECT_EQ(read_back(DuckDb().Name(text), '"', false), text);
    EXPECT_EQ(read_back(PostgreSql().Name(text), '"', false), text);
    const std::string postgresql = PostgreSql().Text(text);
    const bool escapes = postgresql[0] == 'E';
    EXPECT_EQ(escapes, text.find('\\') != std::string::npos);
    EXPECT_EQ(read_back(postgresql.substr(escapes ? 1 : 0), '\'', escapes), text);
  }
}

TEST(Dialect, NamesAreQuotedUnlessTheStatementGaveThem) {
  EXPECT_EQ(Both(Name("k0")), Alike("k0"));
  EXPECT_EQ(Both(Name("p", "a")), Alike("p.a"));
  EXPECT_EQ(Both(Column("t", "age")), Alike("t.\"age\""));
  EXPECT_EQ(Both(Column("", "a\"b")), Alike("\"a\"\"b\""));
  EXPECT_EQ(Both(Column("kith.join.regions", "name")), Alike("\"kith.join.regions\".\"name\""));
  EXPECT_EQ(Both(Star()), Alike("*"));
}

TEST(Dialect, ConstantsCarryTheirType) {
  EXPECT_EQ(Both(Constant(std::int64_t{-3}, Type::kInteger)), Alike("CAST(-3 AS BIGINT)"));
  EXPECT_EQ(Both(Literal(std::int64_t{-3}, Type::kInteger)), Alike("-3"));
  EXPECT_EQ(Both(Constant(0.5, Type::kReal)), Alike("CAST(0.5e0 AS DOUBLE PRECISION)"));
  EXPECT_EQ(Both(Literal(1e300, Type::kReal)), Alike("1e+300"));
  EXPECT_EQ(Both(Literal(2.0, Type::kReal)), Alike("2e0"));
  EXPECT_EQ(Both(Constant(true, Type::kBoolean)), Alike("TRUE"));
  EXPECT_EQ(Both(Truth(false)), Alike("FALSE"));
  EXPECT_EQ(Both(Constant(std::int64_t{0}, Type::kDate)), Alike("DATE '1970-01-01'"));
  EXPECT_EQ(Both(Constant(std::int64_t{1'000'000}, Type::kTimestamp)), Alike("TIMESTAMP '1970-01-01 00:00:01'"));
  EXPECT_EQ(Both(Number(Int128{1} << 100)), Alike("1267650600228229401496703205376"));
  EXPECT_EQ(Both(Constant(std::string("it's"), Type::kText)), Alike("'it''s'"));
  EXPECT_EQ(Both(Constant(std::string("a\\'b"), Type::kText)), (Texts{"'a\\''b'", "E'a\\\\''b'"}));
  const std::map<Type, std::string> nulls = {
      {Type::kBoolean, "BOOLEAN"}, {Type::kInteger, "BIGINT"}, {Type::kReal, "DOUBLE PRECISION"},
      {Type::kText, "VARCHAR"},    {Type::kDate, "DATE"},      {Type::kTimestamp, "TIMESTAMP"}};
  for (const auto& [type, name] : nulls) EXPECT_EQ(Both(Constant(Null{}, type)), Alike("CAST(NULL AS " + name + ")"));
  EXPECT_EQ(Both(Cast(kX, Stored::kNarrow)), Alike("CAST(x AS INTEGER)"));
  EXPECT_EQ(Both(Cast(kX, Stored::kWide)), (Texts{"CAST(x AS HUGEINT)", "CAST(x AS NUMERIC)"}));
}

TEST(Dialect, WhatAllEnginesSpellAlike) {
  EXPECT_EQ(Both(Paren(Infix(" + ", {kX, kY, Number(1)}))), Alike("(x + y + 1)"));
  EXPECT_EQ(Both(All({kX, IsNotNull(kY)})), Alike("x AND y IS NOT NULL"));
  EXPECT_EQ(Both(Prefix("NOT ", kX)), Alike("NOT x"));
  EXPECT_EQ(Both(Call("coalesce", {kX, kY})), Alike("coalesce(x, y)"));
  EXPECT_EQ(Both(Case({kX, Number(1)})), Alike("CASE WHEN x THEN 1 END"));
  EXPECT_EQ(Both(Case({kX, Number(1), kY})), Alike("CASE WHEN x THEN 1 ELSE y END"));
  EXPECT_EQ(Both(SimpleCase({kX, Number(1), Number(2), kY})), Alike("CASE x WHEN 1 THEN 2 ELSE y END"));
  EXPECT_EQ(Both(Between(kX, Number(1), Number(2))), Alike("x BETWEEN 1 AND 2"));
  EXPECT_EQ(Both(In(kX, Terms{kY, Number(2)})), Alike("x IN (y, 2)"));
  EXPECT_EQ(Both(In(kX, {std::string("a"), std::string("b'")}, Type::kText)), Alike("x IN ('a', 'b''')"));
  EXPECT_EQ(Both(Position(kX, {std::string("a"), std::string("b")}, Type::kText, 2)),
            Alike("CASE x WHEN 'a' THEN 0 WHEN 'b' THEN 1 ELSE 2 END"));
  EXPECT_EQ(Both(Position(kX, {}, Type::kText, 0)), Alike("0"));
  EXPECT_EQ(Both(Like(kX, "a%", false)), Alike("x LIKE 'a%'"));
  EXPECT_EQ(Both(Like(kX, "a\\%", true)), (Texts{"x LIKE 'a\\%' ESCAPE '\\'", "x LIKE E'a\\\\%' ESCAPE E'\\\\'"}));
  EXPECT_EQ(Both(CountRows()), Alike("count(*)"));
  EXPECT_EQ(Both(Where(CountDistinct(kX), kY)), Alike("count(DISTINCT x) FILTER (WHERE y)"));
  EXPECT_EQ(Both(Where(Count(kX), nullptr)), Alike("count(x)"));
  EXPECT_EQ(Both(Min(kX)), Alike("min(x)"));
  EXPECT_EQ(Both(Max(kX)), Alike("max(x)"));
  EXPECT_EQ(Both(Window("row_number", kX, {kY, kX})), Alike("row_number() OVER (PARTITION BY x ORDER BY y, x)"));
  EXPECT_EQ(Both(Window("dense_rank", nullptr, {kY})), Alike("dense_rank() OVER (ORDER BY y)"));
}

TEST(Dialect, EveryHook) {
  EXPECT_EQ(DuckDb().name(), "duckdb");
  EXPECT_EQ(PostgreSql().name(), "postgresql");
  EXPECT_EQ(Both(Collated(kX)), (Texts{"x", "x COLLATE \"C\""}));
  EXPECT_EQ(Both(Where(Sum(kX), kY)), Alike("sum(x) FILTER (WHERE y)"));
  EXPECT_EQ(Both(IntegerDivide(kX, kY)), (Texts{"x // y", "x / y"}));
  EXPECT_EQ(Both(SumDivide(Sum(kX), CountRows())), (Texts{"sum(x) // count(*)", "div(sum(x), count(*))"}));
  EXPECT_EQ(Both(Greatest({kX, kY})), Alike("greatest(x, y)"));
  EXPECT_EQ(Both(Least({kX, kY})), Alike("least(x, y)"));
  EXPECT_EQ(Both(IsTrue(kX)), Alike("x IS TRUE"));
  EXPECT_EQ(Both(IsNotTrue(kX)), Alike("x IS NOT TRUE"));
  EXPECT_EQ(Both(IsFalse(kX)), Alike("x IS FALSE"));
  EXPECT_EQ(Both(IsFinite(kX)), Alike("isfinite(x)"));
  EXPECT_EQ(Both(DaysBetween(kX, kY)), Alike("CAST(x - y AS BIGINT)"));
  EXPECT_EQ(Both(PartOf(DatePart::kSecond, kX)), Alike("CAST(floor(extract(second FROM x)) AS BIGINT)"));
  EXPECT_EQ(Both(TruncatedTo(DatePart::kWeek, kX, Stored::kDate)),
            Alike("CAST(date_trunc('week', CAST(x AS TIMESTAMP)) AS DATE)"));
  EXPECT_EQ(Both(RowHash({kX, kY})), (Texts{"hash(x, y)", "hash_record_extended(ROW(x, y), 0)"}));
  EXPECT_EQ(Both(Steps(kX, true)), (Texts{"TRY_CAST(x AS INTEGER)", "x"}));
  EXPECT_EQ(Both(Steps(kX, false)), (Texts{"TRY_CAST(x AS BIGINT)", "x"}));
  const std::string cut = "CASE WHEN x BETWEEN -2 AND 5 THEN x WHEN x < -2 THEN -2 WHEN x > 5 THEN 5 END";
  const std::string real =
      "CAST(CASE WHEN x BETWEEN -2e0 AND 5e0 THEN x WHEN x < -2e0 THEN -2e0 WHEN x > 5e0 THEN 5e0 END AS BIGINT)";
  EXPECT_EQ(Both(Within(kX, -2, 5, false)), (Texts{cut, real}));
  EXPECT_EQ(Both(Within(kX, -2, 5, true)), (Texts{"x", real}));  // a double that is not yet whole is cut in any case
  EXPECT_EQ(Both(Either(Feature::kLatticeSteps, kX, kY)), (Texts{"x", "y"}));
  EXPECT_TRUE(DuckDb().Has(Feature::kLatticeSteps));
  EXPECT_FALSE(PostgreSql().Has(Feature::kLatticeSteps));
}

// This many rows of this size fit into 64 bits, and not one more; without a count of rows, or without bounds, nothing
// does.
TEST(Dialect, SumsAreNarrowOnlyWhereNoRowsCanLeaveThem_ENGINE16) {
  const auto sum = [](Int128 most, std::optional<std::int64_t> rows) {
    UnitRows known;
    known.rows = rows;
    return Trino().Write(Selected({.items = {{Sum(kX, most)}}, .from = Table("t")}), known) ==
           "SELECT sum(x) FROM \"t\"";
  };
  constexpr std::int64_t kLargest =
      std::numeric_limits<std::int64_t>::max();  // 7 * 7 * 73 * 127 * 337 * 92737 * 649657
  for (const auto& [most, rows] : {std::pair<Int128, std::int64_t>{kLargest, 1},
                                   {1, kLargest},
                                   {kLargest / 7, 7},
                                   {7, kLargest / 7},
                                   {90, 100'000'000},
                                   {1, 0}})
    EXPECT_TRUE(sum(most, rows)) << ToText(most) << " x " << rows;
  for (const auto& [most, rows] : {std::pair<Int128, std::int64_t>{Int128{kLargest} + 1, 1},
                                   {kLargest / 7 + 1, 7},
                                   {7, kLargest / 7 + 1},
                                   {kLargest, 2},
                                   {2, kLargest},
                                   {0, 1}})
    EXPECT_FALSE(sum(most, rows)) << ToText(most) << " x " << rows;
  EXPECT_FALSE(sum(1, std::nullopt));
}

TEST(Dialect, AColumnIsReadAsItIsOnlyWhereItsOwnClampIsKnown) {
  const Term read = Clamped(kX, Number(0), Number(9), kY, false, "x from 0 to 9");
  const auto written = [&](const std::set<std::string>& within) {
    UnitRows known;
    known.within = within;
    return Trino().Write(Selected({.items = {{read}}, .from = Table("t")}), known);
  };
  EXPECT_EQ(Both(read), Alike("y"));
  EXPECT_EQ(written({}), "SELECT least(greatest(x, 0), 9) FROM \"t\"");
  EXPECT_EQ(written({"x from 0 to 8"}), "SELECT least(greatest(x, 0), 9) FROM \"t\"");
  EXPECT_EQ(written({"x from 0 to 9"}), "SELECT x FROM \"t\"");
  EXPECT_EQ(Trino().Write(Clamped(kX, Number(0), Number(9), kY, true, "")), "coalesce(least(greatest(x, 0), 9), 0)");
}

TEST(Dialect, EveryHookOfTrino) {
  const auto trino = [](const Term& term) { return Trino().Write(term); };
  EXPECT_EQ(Trino().name(), "trino");
  EXPECT_EQ(trino(Column("t", "a\"b")), "t.\"a\"\"b\"");
  EXPECT_EQ(trino(Constant(std::string("it's \\n"), Type::kText)), "'it''s \\n'");
  EXPECT_EQ(trino(Constant(std::int64_t{-3}, Type::kInteger)), "CAST(-3 AS BIGINT)");
  EXPECT_EQ(trino(Constant(0.5, Type::kReal)), "CAST(0.5e0 AS DOUBLE)");
  EXPECT_EQ(trino(Literal(1e300, Type::kReal)), "1e+300");
  EXPECT_EQ(trino(Constant(std::int64_t{0}, Type::kDate)), "DATE '1970-01-01'");
  const std::map<Stored, std::string> types = {{Stored::kBoolean, "BOOLEAN"}, {Stored::kNarrow, "INTEGER"},
                                               {Stored::kWhole, "BIGINT"},    {Stored::kReal, "DOUBLE"},
                                               {Stored::kText, "VARCHAR"},    {Stored::kWide, "DECIMAL(38,0)"},
                                               {Stored::kDate, "DATE"},       {Stored::kTimestamp, "TIMESTAMP(6)"}};
  for (const auto& [stored, name] : types) EXPECT_EQ(trino(Cast(kX, stored)), "CAST(x AS " + name + ")");
  EXPECT_EQ(trino(Collated(kX)), "x");
  EXPECT_EQ(trino(Where(Sum(kX), kY)), "sum(CAST(x AS DECIMAL(38,0))) FILTER (WHERE y)");
  EXPECT_EQ(trino(Sum(kX, 9)), "sum(CAST(x AS DECIMAL(38,0)))");
  EXPECT_EQ(trino(IntegerDivide(kX, kY)), "x / y");
  EXPECT_EQ(trino(SumDivide(kX, kY)), "(x - x % y) / y");
  EXPECT_EQ(trino(Greatest({kX, kY})), "array_max(filter(ARRAY[x, y], v -> v IS NOT NULL))");
  EXPECT_EQ(trino(Least({kX, kY})), "array_min(filter(ARRAY[x, y], v -> v IS NOT NULL))");
  EXPECT_EQ(trino(IsTrue(kX)), "x IS NOT DISTINCT FROM TRUE");
  EXPECT_EQ(trino(IsNotTrue(kX)), "x IS DISTINCT FROM TRUE");
  EXPECT_EQ(trino(IsFalse(kX)), "x IS NOT DISTINCT FROM FALSE");
  EXPECT_EQ(trino(IsFinite(kX)), "x IS NOT NULL");
  EXPECT_EQ(trino(DaysBetween(kX, kY)), "date_diff('day', y, x)");
  EXPECT_EQ(trino(PartOf(DatePart::kSecond, kX)), "extract(second FROM CAST(x AS TIMESTAMP(6)))");
  EXPECT_EQ(trino(PartOf(DatePart::kDayOfWeek, kX)), "(extract(DAY_OF_WEEK FROM CAST(x AS TIMESTAMP(6))) % 7)");
  EXPECT_EQ(trino(PartOf(DatePart::kIsoDayOfWeek, kX)), "extract(DAY_OF_WEEK FROM CAST(x AS TIMESTAMP(6)))");
  EXPECT_EQ(trino(TruncatedTo(DatePart::kWeek, kX, Stored::kDate)),
            "CAST(date_trunc('week', CAST(x AS TIMESTAMP(6))) AS DATE)");
  EXPECT_EQ(trino(RowHash({kX, kY})),
            "md5(to_utf8(concat_ws('|', coalesce(to_hex(md5(to_utf8(CAST(x AS VARCHAR)))), '~'), "
            "coalesce(to_hex(md5(to_utf8(CAST(y AS VARCHAR)))), '~'))))");
  EXPECT_EQ(trino(Steps(kX, true)), "x");
  const std::string rounded = "(x + 6755399441055744e0) - 6755399441055744e0";
  EXPECT_EQ(trino(Within(kX, -2, 5, true)), "CAST(" + rounded + " AS BIGINT)");
  EXPECT_EQ(trino(Within(kX, -2, 5, false)), "CAST(CASE WHEN x BETWEEN -2e0 AND 5e0 THEN " + rounded +
                                                 " WHEN x < -2e0 THEN -2e0 WHEN x > 5e0 THEN 5e0 END AS BIGINT)");
  const Int128 far = (Int128{1} << 51) + 1;  // from here on a sum with a constant does not round to whole numbers
  for (const bool holds : {false, true}) {
    EXPECT_EQ(
        trino(Within(kX, 0, far, holds)),
        "CAST(CASE WHEN x BETWEEN 0e0 AND 2251799813685249e0 THEN CASE WHEN x - floor(x) < 0.5e0 OR (x - floor(x) = "
        "0.5e0 AND floor(x) % 2e0 = 0e0) THEN floor(x) ELSE floor(x) + 1e0 END WHEN x < 0e0 THEN 0e0 WHEN x > "
        "2251799813685249e0 THEN 2251799813685249e0 END AS BIGINT)");
  }
  EXPECT_EQ(trino(Either(Feature::kLatticeSteps, kX, kY)), "y");
  EXPECT_FALSE(Trino().Has(Feature::kLatticeSteps));
  Source numbers;
  numbers.series = 3;
  numbers.name = "i";
  numbers.column = "n";
  const auto inner = Selected({.items = {{Star()}}, .from = Table("t")});
  EXPECT_EQ(Trino().Write(Selected({.with = {{"q", inner, true}}, .items = {{Name("i", "n")}}, .from = numbers})),
            "WITH q AS (SELECT * FROM \"t\") SELECT i.n FROM TABLE(sequence(start => 1, stop => 3)) AS i(n)");
}

TEST(Dialect, Statements) {
  EXPECT_EQ(Both(Statement()), Alike(""));
  EXPECT_TRUE(Statement().empty());
  const auto inner = Selected({.items = {{Star()}}, .from = Table("peo\"ple")});
  EXPECT_FALSE(inner.empty());
  EXPECT_EQ(Both(inner), Alike("SELECT * FROM \"peo\"\"ple\""));
  const auto outer = Selected({.distinct = true,
                               .items = {{kX, "a"}, {kY, "b", true}, {CountRows()}},
                               .from = Rows(inner, "t"),
                               .joins = {{true, Table("r", "kith.join.r"), Infix(" = ", {kX, kY})}},
                               .where = kX,
                               .group_by = {kX, Number(2)},
                               .order_by = {kY}});
  EXPECT_EQ(Both(outer),
            Alike("SELECT DISTINCT x AS a, y AS \"b\", count(*) FROM (SELECT * FROM \"peo\"\"ple\") AS t LEFT "
                  "JOIN \"r\" AS \"kith.join.r\" ON x = y WHERE x GROUP BY x, 2 ORDER BY y"));
  Source numbers;
  numbers.series = 3;
  numbers.name = "i";
  numbers.column = "n";
  const auto listed = Selected({.with = {{"p", inner}, {"q", inner, true}},
                                .items = {{Name("i", "n")}},
                                .from = numbers,
                                .joins = {{false, Own("q", "h"), kX}}});
  EXPECT_EQ(Both(listed),
            Alike("WITH p AS (SELECT * FROM \"peo\"\"ple\"), q AS MATERIALIZED (SELECT * FROM \"peo\"\"ple\") "
                  "SELECT i.n FROM generate_series(1, 3) AS i(n) JOIN q AS h ON x"));
  EXPECT_EQ(Both(United(inner, inner, true)),
            Alike("SELECT * FROM \"peo\"\"ple\" UNION ALL SELECT * FROM \"peo\"\"ple\""));
}

// What a person is shown; and what runs where no unit has more rows, or no constant column two values in one.
TEST(Dialect, RowsOfUnitsAreLimitedUnlessNoneHasMore_ENGINE9) {
  UnitLimit limit{.columns = {"id", "sex", "x"},
                  .constant = {"sex"},
                  .from = Table("people", "t"),
                  .key = Column("t", "id"),
                  .order = {Column("t", "x")},
                  .rows = 2,
                  .number = "kith_row"};
  const auto written = [&](std::optional<std::int64_t> most) {
    UnitRows known;
    known.most = most;
    return DuckDb().Write(Limited(limit), known);
  };
  const std::string first = "first_value(t.\"sex\") OVER (PARTITION BY t.\"id\" ORDER BY t.\"x\") AS \"sex\"";
  const std::string shown = "SELECT * FROM (SELECT t.\"id\", " + first +
                            ", t.\"x\", row_number() OVER (PARTITION BY t.\"id\" ORDER BY t.\"x\") AS \"kith_row\" FROM "
                            "\"people\" AS t WHERE t.\"id\" IS NOT NULL) AS n WHERE \"kith_row\" <= 2";
  const std::string plain = "SELECT t.\"id\", t.\"sex\", t.\"x\" FROM \"people\" AS t WHERE t.\"id\" IS NOT NULL";
  EXPECT_EQ(Both(Limited(limit)), Alike(shown));
  EXPECT_EQ(written(std::nullopt), shown);
  EXPECT_EQ(written(3), shown);
  EXPECT_EQ(written(2), plain);
  EXPECT_EQ(written(1), plain);
  limit.of_unit_table = false;  // nothing is known about another table
  EXPECT_EQ(written(1), shown);
  limit.of_unit_table = true;
  limit.rows.reset();
  EXPECT_EQ(written(std::nullopt),
            "SELECT t.\"id\", " + first + ", t.\"x\" FROM \"people\" AS t WHERE t.\"id\" IS NOT NULL");
  EXPECT_EQ(written(7), plain);
}

// A statement is a value: changing a copy changes nothing else.
TEST(Dialect, ACopyThatIsChangedLeavesTheStatementAlone) {
  const auto statement = Selected({.items = {{kX}}, .from = Table("t"), .where = kY});
  auto copy = std::get<Select>(statement.query().part);
  copy.where = nullptr;
  EXPECT_EQ(DuckDb().Write(Selected(copy)), "SELECT x FROM \"t\"");
  EXPECT_EQ(DuckDb().Write(statement), "SELECT x FROM \"t\" WHERE y");
}

}  // namespace
}  // namespace kith::sql
