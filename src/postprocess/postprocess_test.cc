#include "postprocess/postprocess.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <pg_query/pg_query.pb-c.h>

#include <cmath>
#include <set>

#include "postprocess/postprocess_test_tools.h"
#include "postprocess/tree.h"
#include "query/parse/syntax.h"
#include "query/test_policy.h"
#include "sql/functions.h"

namespace kith::postprocess {
namespace {

std::string Shown(const std::vector<std::vector<Cell>>& rows) {
  std::string text;
  for (const auto& row : rows) {
    for (const Cell& cell : row) text += (text.empty() || text.back() == '\n' ? "" : " ") + ToText(cell.value);
    text += "\n";
  }
  return text;
}

// Every table that a statement reads.
void AddTables(const PgQuery__SelectStmt& select, std::set<std::string>& tables);
void AddTables(const PgQuery__Node& from, std::set<std::string>& tables) {
  if (from.node_case == PG_QUERY__NODE__NODE_RANGE_VAR) tables.insert(from.range_var->relname);
  if (from.node_case == PG_QUERY__NODE__NODE_RANGE_FUNCTION) tables.insert("(a function)");
  if (from.node_case == PG_QUERY__NODE__NODE_RANGE_SUBSELECT)
    AddTables(*from.range_subselect->subquery->select_stmt, tables);
  if (from.node_case == PG_QUERY__NODE__NODE_JOIN_EXPR) {
    AddTables(*from.join_expr->larg, tables);
    AddTables(*from.join_expr->rarg, tables);
  }
}
void AddTables(const PgQuery__SelectStmt& select, std::set<std::string>& tables) {
  for (const PgQuery__SelectStmt* arm : {select.larg, select.rarg})
    if (arm) AddTables(*arm, tables);
  for (std::size_t k = 0; k < select.n_from_clause; ++k) AddTables(*select.from_clause[k], tables);
  const auto look = [&](const PgQuery__Node& node) {
    Contains(node, [&](const PgQuery__Node& part) {
      if (IsSubSelect(part)) AddTables(*part.sub_link->subselect->select_stmt, tables);
      return false;
    });
  };
  for (std::size_t k = 0; k < select.n_target_list; ++k) look(*select.target_list[k]);
  if (select.where_clause) look(*select.where_clause);
}
bool ReadsAnswersAlone(const std::string& statement, std::size_t answers) {
  const auto tree = SyntaxTree::Parse(statement, 100000);
  if (!tree) return false;
  std::set<std::string> tables, allowed;
  AddTables(tree->select(), tables);
  for (std::size_t k = 0; k < answers; ++k) allowed.insert(AnswerName(k));
  return std::includes(allowed.begin(), allowed.end(), tables.begin(), tables.end());
}

const std::vector<std::string> kQuestions = {
    "SELECT zyg, n, n + 0.0 AS m FROM " + kInner,
    "SELECT zyg, 100.0 * n / sum(n) OVER () AS share FROM " + kInner + " ORDER BY share DESC LIMIT 2",
    "WITH x AS (SELECT zyg, count(*) AS n FROM people WHERE ill = 'yes' GROUP BY zyg), total AS (SELECT sum(n) AS t "
    "FROM x) SELECT zyg, n / t AS share FROM x, total WHERE n > 5",
    "SELECT zyg, count(*) FROM people WHERE ill = 'yes' GROUP BY zyg HAVING count(*) > 20",
    "SELECT zyg, n / (SELECT count(*) FROM people WHERE smoker) FROM " + kInner,
    "SELECT a.zyg, a.n - b.n AS d FROM " + kInner.substr(0, kInner.size() - 1) +
        "a JOIN (SELECT zyg, count(*) AS n FROM people WHERE smoker GROUP BY zyg) b ON a.zyg = b.zyg",
    "SELECT max(n) FILTER (WHERE zyg = 'mz') AS mz, max(n) FILTER (WHERE zyg = 'dz') AS dz FROM " + kInner,
    "SELECT zyg, sum(count(*)) OVER (ORDER BY zyg) FROM people WHERE ill = 'yes' GROUP BY zyg",
};

TEST(After, StatementsReadAnswersAlone_AFTER1) {
  for (const std::string& question : kQuestions) {
    const auto program = PlanOf(question);
    ASSERT_TRUE(program) << question << "\n" << program.error().Text();
    ASSERT_TRUE(*program) << question;
    for (const std::string& statement : {(*program)->outer.chosen, (*program)->outer.all})
      EXPECT_TRUE(ReadsAnswersAlone(statement, (*program)->inner.size())) << statement;
    EXPECT_TRUE(TryOn(**program)) << question;
  }
}

// The twin: a statement that sees the private table next to the answer.
TEST(After, TheCheckAboveSeesAPrivateTable) {
  auto program = PlanOf(kQuestions[0]);
  ASSERT_TRUE(program && *program);
  Outer& outer = (*program)->outer;
  const auto plant = [](std::string text, const std::string& from, const std::string& to) {
    return text.replace(text.find(from), from.size(), to);
  };
  const std::string name = "\"" + AnswerName(0) + "\"";
  EXPECT_FALSE(ReadsAnswersAlone(plant(outer.chosen, name, "people"), 1));
  EXPECT_FALSE(ReadsAnswersAlone(plant(outer.chosen, "FROM", ", (SELECT max(age) FROM people) FROM"), 1));
  outer.chosen = plant(outer.chosen, name, "people");
  EXPECT_FALSE(TryOn(**program));  // nor is there such a table where it would run
}

TEST(After, NothingElseIsReachedByNameOrFunction_AFTER1) {
  for (const std::string text :
       {"read_csv('/etc/passwd')", "random()", "now()", "current_setting('threads')", "getenv('HOME')", "nextval('s')",
        "pg_typeof(n)", "query('SELECT 1')", "(SELECT age FROM people LIMIT 1)", "uuid()", "version()", "kith_coin(1)",
        "current_timestamp", "current_user", "$1", "ARRAY[n]", "x", "other.n"}) {
    const auto program = PlanOf("SELECT " + text + " FROM " + kInner);
    EXPECT_FALSE(program) << text;
  }
  for (const std::string from : {", people", ", read_csv('a.csv') r", ", kith_raw_1", ", information_schema.tables",
                                 " JOIN people ON true", ", generate_series(1, 2) g", ", kith_answer_1"}) {
    const auto program = PlanOf("SELECT n FROM " + kInner + from);
    EXPECT_FALSE(program) << from;
  }
  // Next to a table, an answer is a number of a private question, not a table.
  const auto staged =
      PlanOf("WITH line AS (SELECT median(age) AS v FROM people) SELECT count(*) FROM people, line WHERE age < v");
  ASSERT_TRUE(staged && *staged);
  ASSERT_EQ((*staged)->inner.size(), 2U);
  EXPECT_TRUE((*staged)->inner[1].staged);
  EXPECT_TRUE(ReadsAnswersAlone((*staged)->outer.chosen, 2));
  EXPECT_EQ((*staged)->inner[1].sql, "SELECT count(*) FROM people WHERE age < kith_stage_1.value");
  EXPECT_FALSE(PlanOf("SELECT count(*) FROM people WHERE ill IN (SELECT max(ill) FROM people)").value_or(std::nullopt));
}

TEST(After, TheScratchDatabaseIsFencedIn_AFTER1) {
  auto scratch = Scratch::Open();
  ASSERT_TRUE(scratch);
  ASSERT_TRUE(scratch->Create("t", {ScratchType::kWhole}, {{Value(std::int64_t{1})}}));
  EXPECT_TRUE(scratch->Rows("SELECT c0 FROM t", CancelFlag()));
  for (const char* statement : {"SELECT * FROM read_text('/etc/passwd')", "SELECT * FROM glob('/etc/*')",
                                "COPY t TO '/tmp/kith-stolen.csv'", "ATTACH '/tmp/kith-stolen.duckdb' AS s",
                                "SET threads = 2", "INSTALL httpfs", "DROP TABLE t", "SELECT 1; SELECT 2"})
    EXPECT_FALSE(scratch->Rows(statement, CancelFlag())) << statement;
}

TEST(After, ComputesOnTheAnswer) {
  EXPECT_EQ(Shown(Outcome(kQuestions[1]).rows), "dz 50\nmz 40\n");
  EXPECT_EQ(Shown(Outcome("SELECT zyg, sum(n) OVER (ORDER BY n) AS c FROM " + kInner).rows), "dz 100\nmz 50\nos 10\n");
  EXPECT_EQ(Shown(Outcome("SELECT * FROM " + kInner + " WHERE n > 20 ORDER BY 1").rows), "dz 50\nmz 40\n");
  EXPECT_EQ(Shown(Outcome(kQuestions[2]).rows), "mz 0.4\ndz 0.5\nos 0.1\n");
  EXPECT_EQ(Shown(Outcome(kQuestions[6]).rows), "40 50\n");
  EXPECT_EQ(Shown(Outcome("SELECT n / (n - n) AS q, CASE WHEN zyg = 'mz' THEN n ELSE 0 END AS c FROM " + kInner).rows),
            "NULL 40\nNULL 0\nNULL 0\n");
}

TEST(After, BarsOfSumsAreThoseOfTheirNoise_AFTER2) {
  const auto bar = [](const Computed& computed, std::size_t row, std::size_t column) {
    return computed.rows.at(row).at(column).error_95;
  };
  const WeightedNoise one{1, 10, 1};
  const double alone = BarOfSum({one}, 0.95), all = BarOfSum({one, one, one}, 0.95);
  const auto sums = Outcome(
      "SELECT zyg, n, 2 * n AS twice, sum(n) OVER () AS total, n - n AS nothing, n - sum(n) OVER () AS "
      "rest, n * n AS square, max(n) OVER () AS most, count(*) OVER () AS rows FROM " +
      kInner);
  EXPECT_EQ(bar(sums, 0, 0), std::nullopt);
  EXPECT_EQ(bar(sums, 0, 1), alone);
  EXPECT_EQ(bar(sums, 0, 2), 2 * alone);
  EXPECT_EQ(bar(sums, 0, 3), all);
  EXPECT_EQ(bar(sums, 0, 4), std::nullopt);  // not seen does not prove that there is none
  EXPECT_EQ(bar(sums, 0, 5), BarOfSum({one, one}, 0.95));
  const double half = BarOfSum({one}, 0.975);
  EXPECT_DOUBLE_EQ(*bar(sums, 0, 6), (40 + half) * (40 + half) - 1600);
  EXPECT_EQ(bar(sums, 0, 7), std::nullopt);
  EXPECT_EQ(bar(sums, 0, 8), std::nullopt);
  // A quotient: as far as both bars allow, each at 97.5 %.
  const double total = BarOfSum({one, one, one}, 0.975);
  const auto share = Outcome("SELECT n / sum(n) OVER () AS s FROM " + kInner);
  EXPECT_DOUBLE_EQ(*bar(share, 0, 0), (40 + half) / (100 - total) - 0.4);
  // The same through a sub-select.
  const auto nested = Outcome("SELECT s FROM (SELECT n / sum(n) OVER () AS s FROM " + kInner + ") y");
  EXPECT_EQ(bar(nested, 0, 0), bar(share, 0, 0));
}

// Groups of the unit's key are rows of units, whatever the name; groups of anything else are answers.
TEST(After, RowsOfUnitsAreNoAnswers_AFTER1) {
  const Policy policy = TestPolicy("key = \"id\"\nmax_rows = 3\npresence = \"secret\"");
  const std::string outer = "SELECT worst, count(*) AS n FROM ", having = " GROUP BY worst HAVING count(*) > 3";
  for (const std::string& rows :
       {std::string("(SELECT id, max(stage) AS worst FROM people GROUP BY id) p"),
        std::string("(SELECT id, max(stage) AS worst FROM people GROUP BY 1) p"),
        std::string("(SELECT id, worst FROM (SELECT id, max(stage) AS worst FROM people GROUP BY id) q) p")}) {
    for (const std::string& sql : {outer + rows + having, "SELECT worst, 100.0 * n / sum(n) OVER () AS s FROM (" +
                                                              outer + rows + " GROUP BY worst) x"}) {
      const auto program = PlanProgram(sql, policy);
      ASSERT_TRUE(program) << sql << "\n" << program.error().Text();
      ASSERT_TRUE(program->has_value()) << sql;
      ASSERT_EQ((*program)->inner.size(), 1U);
      EXPECT_NE((*program)->inner[0].sql.find("count(*)"), std::string::npos) << (*program)->inner[0].sql;
    }
  }
  // Names are followed down one way: nesting must not multiply.
  std::string nested = "people";
  for (int k = 0; k < 12; ++k) nested = fmt::format("(SELECT zyg, zyg, zyg, zyg, zyg, zyg FROM {}) x", nested);
  EXPECT_TRUE(PlanProgram("SELECT zyg, count(*) AS n FROM " + nested + " GROUP BY zyg HAVING count(*) > 1", policy));
  const auto window = PlanProgram(
      "SELECT stage, count(*) AS n FROM (SELECT stage, row_number() OVER (PARTITION BY id ORDER BY seen) AS k FROM "
      "people) x WHERE k = 1 GROUP BY stage HAVING count(*) > 3",
      policy);
  ASSERT_TRUE(window) << window.error().Text();
  EXPECT_TRUE(window->has_value());
  const auto other =
      PlanProgram("SELECT sum(n) AS s FROM (SELECT zyg, count(*) AS n FROM people GROUP BY zyg) x", policy);
  ASSERT_TRUE(other && *other);
  EXPECT_NE((*other)->inner[0].sql.find("GROUP BY zyg"), std::string::npos);
}

TEST(After, FunctionsAreNullWhereTheyHaveNoValue) {
  const Computed out = Outcome(
      "SELECT ln(n - 10) AS a, log(n - 10) AS b, log(2, n - 10) AS c, sqrt(n - 11) AS d, power(n - 20, 0.5) AS e, "
      "power(n, 400) AS f, exp(100 * n) AS g, log(n - 9, 8) AS h, ln(n) AS i, sqrt(n - 1) AS j, power(n, 2) AS k, "
      "CAST('x' || n AS int) AS l FROM " +
      kInner + " ORDER BY n LIMIT 1");
  ASSERT_EQ(out.rows.size(), 1U);
  for (std::size_t k = 0; k < 12; ++k) {
    const bool has = k >= 8 && k <= 10;
    EXPECT_EQ(std::holds_alternative<Null>(out.rows[0][k].value), !has) << k << " " << ToText(out.rows[0][k].value);
  }
  EXPECT_DOUBLE_EQ(NumberIn(out.rows[0][8].value).value_or(0), std::log(10));
  EXPECT_DOUBLE_EQ(NumberIn(out.rows[0][9].value).value_or(0), 3);
  EXPECT_DOUBLE_EQ(NumberIn(out.rows[0][10].value).value_or(0), 100);
  // A logarithm has a bar where its argument cannot be zero.
  const Computed logs = Outcome("SELECT ln(n + 1000) AS l FROM " + kInner);
  for (const auto& row : logs.rows) EXPECT_GT(row[0].error_95.value_or(0), 0);
}

// Of 2.5, 3.5 and -0.5, each with a bar of 3.
TEST(After, EveryCurveOfTheTableHasItsValueAndABarThatHolds) {
  for (const SqlFunction& f : SqlFunctions()) {
    if (f.kind != FunctionKind::kCurve) continue;
    const RealCurve& curve = f.curve;
    const auto there = [&](double x) { return curve.closed ? x >= curve.from : x > curve.from; };
    const Computed out =
        Outcome(fmt::format("SELECT n / 10 - 1.5 AS x, {}(n / 10 - 1.5) AS y FROM {}", f.name(), kInner));
    ASSERT_EQ(out.rows.size(), 3U);
    for (const auto& row : out.rows) {
      const double x = NumberIn(row[0].value).value_or(0);
      const auto y = NumberIn(row[1].value);
      ASSERT_EQ(y.has_value(), there(x)) << f.name() << " of " << x;
      if (!y) continue;
      EXPECT_DOUBLE_EQ(*y, curve.of(x)) << f.name();
      if (f.margin != Margin::kInterval) continue;
      EXPECT_EQ(row[1].error_95.has_value(), there(x - 3)) << f.name() << " of " << x;
      if (!row[1].error_95) continue;
      for (const double end : {x - 3, x + 3})
        EXPECT_GE(*row[1].error_95 * (1 + 1e-12), std::abs(curve.of(end) - *y)) << f.name() << " of " << x;
    }
  }
}

TEST(After, FunctionsOfAggregatesAndNumbersWithoutFrom) {
  const Computed direct = Outcome("SELECT zyg, ln(count(*)) AS l FROM people WHERE ill = 'yes' GROUP BY zyg");
  ASSERT_EQ(direct.rows.size(), 3U);
  EXPECT_DOUBLE_EQ(NumberIn(direct.rows[0][1].value).value_or(0), std::log(40));
  const auto one = [](int count) {
    Given given;
    given.rows = {{{Value(std::int64_t{count}), 30.0}}};
    given.laws = {Given::Law{10, 1}};
    return given;
  };
  const Computed quotient = Outcome(
      "SELECT (SELECT count(*) FROM people WHERE ill = 'yes') * 1.0 / (SELECT count(*) FROM people WHERE smoker) AS q",
      {one(300), one(400)});
  ASSERT_EQ(quotient.rows.size(), 1U);
  EXPECT_DOUBLE_EQ(NumberIn(quotient.rows[0][0].value).value_or(0), 0.75);
  EXPECT_GT(quotient.rows[0][0].error_95.value_or(0), 0);
  const auto nothing = PlanOf("SELECT 1");
  EXPECT_TRUE(nothing && !*nothing);
}

TEST(After, AMultipleOfAnIntervalHasOne_AFTER2) {
  Given given;
  given.rows = {{{Value(std::int64_t{40}), std::nullopt, Interval{Value(std::int64_t{30}), Value(std::int64_t{60})}}}};
  const Computed out = Outcome("SELECT 0.5 * m AS a, 1 - m AS b FROM (SELECT median(age) AS m FROM people) x", {given});
  ASSERT_EQ(out.rows.size(), 1U);
  ASSERT_TRUE(out.rows[0][0].interval_95 && out.rows[0][1].interval_95);
  EXPECT_EQ(NumberIn(out.rows[0][0].interval_95->low), 15);
  EXPECT_EQ(NumberIn(out.rows[0][0].interval_95->high), 30);
  EXPECT_EQ(NumberIn(out.rows[0][1].interval_95->low), -59);
  EXPECT_EQ(NumberIn(out.rows[0][1].interval_95->high), -29);
}

TEST(After, WhereNoiseChoosesBarsHoldForAllAtOnce_AFTER2) {
  const double all = BarOfSum({{1, 10, 1}}, 1 - 0.05 / 3);
  for (const std::string text : {" WHERE n > 20", " ORDER BY n DESC LIMIT 2"}) {
    const auto rows = Outcome("SELECT zyg, n FROM " + kInner + text).rows;
    ASSERT_EQ(rows.size(), 2U);
    for (const auto& row : rows) EXPECT_EQ(row[1].error_95, all) << text;
  }
  const auto ordered = Outcome("SELECT zyg, n FROM " + kInner + " ORDER BY n DESC").rows;  // all of them are there
  EXPECT_EQ(ordered[0][1].error_95, BarOfSum({{1, 10, 1}}, 0.95));
  // Chosen first, then computed: nothing is known about it.
  const auto top = Outcome("SELECT sum(n) FROM (SELECT n FROM " + kInner + " ORDER BY n DESC LIMIT 2) y").rows;
  EXPECT_EQ(top[0][0].error_95, std::nullopt);
  EXPECT_EQ(Outcome("SELECT sum(n) FROM " + kInner + " WHERE n > 20").rows[0][0].error_95, std::nullopt);
  const auto ranked = Outcome("SELECT zyg, rank() OVER (ORDER BY n), n FROM " + kInner + " ORDER BY 2").rows;
  EXPECT_EQ(Shown(ranked), "os 1 10\nmz 2 40\ndz 3 50\n");
  EXPECT_EQ(ranked[0][1].error_95, std::nullopt);
  EXPECT_EQ(ranked[0][2].error_95, BarOfSum({{1, 10, 1}}, 0.95));
  const auto best =
      Outcome("SELECT zyg, n FROM (SELECT zyg, n, rank() OVER (ORDER BY n) AS r FROM " + kInner + ") y WHERE r < 3")
          .rows;
  ASSERT_EQ(best.size(), 2U);
  EXPECT_EQ(best[0][1].error_95, all);
}

// Rows in an order that noise made, and numbers that noise makes NULL.
TEST(After, WhatSeesAnOrderOfNoiseHasNoBarOfSingleNumbers_AFTER2) {
  const double alone = BarOfSum({{1, 10, 1}}, 0.95);
  const std::string sorted = "(SELECT zyg, n FROM " + kInner + " ORDER BY n) y";
  const std::string ranked = "(SELECT zyg, n, rank() OVER (ORDER BY n) AS r FROM " + kInner + ") y";
  for (const std::string& text :
       std::vector<std::string>{"SELECT n FROM (SELECT n FROM (SELECT zyg, n, rank() OVER (ORDER BY n) AS r FROM " +
                                    kInner + ") y LIMIT 1) z",
                                "SELECT sum(n) OVER (ROWS UNBOUNDED PRECEDING) AS s FROM " + ranked,
                                "SELECT (SELECT n FROM " + ranked + " LIMIT 1) AS low FROM " + kInner,
                                "SELECT coalesce(n, 0) AS c FROM " + kInner, "SELECT count(n) AS c FROM " + kInner,
                                "SELECT n - 1e16 + 1e16 AS c FROM " + kInner,
                                "SELECT s FROM (SELECT sum(n) OVER (ROWS UNBOUNDED PRECEDING) AS s FROM (SELECT zyg, "
                                "count(*) AS n FROM people "
                                "WHERE ill = 'yes' GROUP BY zyg ORDER BY n) x) y",
                                "SELECT n FROM (SELECT zyg, count(*) AS n FROM people WHERE ill = 'yes' GROUP BY zyg "
                                "ORDER BY n LIMIT 3) x"}) {
    for (const auto& row : Outcome(text).rows) EXPECT_EQ(row[0].error_95, std::nullopt) << text;
  }
  // An order that nothing asks for is not made.
  for (const std::string& text : {"SELECT n FROM (SELECT n FROM " + sorted + " LIMIT 1) z",
                                  "SELECT first_value(n) OVER () AS low FROM " + sorted}) {
    for (const auto& row : Outcome(text).rows) EXPECT_TRUE(!row[0].error_95 || *row[0].error_95 >= alone) << text;
  }
  EXPECT_FALSE(PlanOf("SELECT p FROM (SELECT 5 AS kith_part_1, n * n AS p FROM " + kInner + ") y"));
}

TEST(After, OneAnswerInTwoSpellingsIsAskedOnce_AFTER2) {
  const auto program = PlanOf(
      "SELECT a.n + b.n AS twice FROM (SELECT zyg, count(*) AS n FROM people WHERE ill = 'yes' GROUP BY zyg) a JOIN "
      "(SELECT zyg, count(*) AS n FROM people WHERE (ill = 'yes') GROUP BY 1) b USING (zyg)");
  ASSERT_TRUE(program && *program);
  EXPECT_EQ((*program)->inner.size(), 1U);
  const auto computed = Compute(**program, {Counts()}, CancelFlag());
  ASSERT_TRUE(computed);
  EXPECT_EQ(computed->rows[0][0].error_95, 2 * BarOfSum({{1, 10, 1}}, 0.95));
}

TEST(After, DistinctAndInAreComputedOnAnswers_AFTER2) {
  const std::string parts = "(SELECT CASE WHEN zyg = 'os' THEN 'os' ELSE 'same' END AS part, n FROM " + kInner + ") p";
  EXPECT_EQ(Shown(Outcome("SELECT DISTINCT part FROM " + parts + " ORDER BY part").rows), "os\nsame\n");
  // Noise decides which numbers are equal: no bar.
  const auto numbers = Outcome("SELECT DISTINCT part, n FROM " + parts + " ORDER BY 1, 2").rows;
  ASSERT_EQ(numbers.size(), 3U);
  for (const auto& row : numbers) EXPECT_EQ(row[1].error_95, std::nullopt);
  // A list that no noise made leaves bars as they are; one that noise made is a choice by noise.
  const double alone = BarOfSum({{1, 10, 1}}, 0.95), all = BarOfSum({{1, 10, 1}}, 1 - 0.05 / 3);
  const std::string from = "SELECT zyg, n FROM " + kInner + " WHERE zyg IN ";
  const auto open = Outcome(from + "(SELECT zyg FROM " + kInner + " WHERE zyg <> 'dz') ORDER BY 1").rows;
  EXPECT_EQ(Shown(open), "mz 40\nos 10\n");
  EXPECT_EQ(open[0][1].error_95, alone);
  const auto chosen = Outcome(from + "(SELECT zyg FROM " + kInner + " WHERE n > 20) ORDER BY 1").rows;
  EXPECT_EQ(Shown(chosen), "dz 50\nmz 40\n");
  EXPECT_EQ(chosen[0][1].error_95, all);
  for (const char* refused : {"SELECT DISTINCT ON (zyg) zyg, n FROM ", "SELECT DISTINCT sum(n) FROM ",
                              "SELECT DISTINCT rank() OVER (ORDER BY n) AS r FROM "})
    EXPECT_FALSE(PlanOf(refused + kInner)) << refused;
  EXPECT_FALSE(PlanOf("SELECT n FROM " + kInner + " WHERE zyg IN (SELECT zyg FROM people)"));
  EXPECT_FALSE(PlanOf("SELECT n FROM " + kInner + " WHERE EXISTS (SELECT zyg FROM " + kInner + ")"));
}

TEST(After, UnionsPassBarsOnRowByRow_AFTER2) {
  const double alone = BarOfSum({{1, 10, 1}}, 0.95), sum = BarOfSum({{1, 10, 1}, {1, 10, 1}, {1, 10, 1}}, 0.95);
  const std::string counts = "SELECT zyg, count(*) AS n FROM people WHERE ill = 'yes' GROUP BY zyg";
  const std::string total = "SELECT 'all', sum(n) FROM " + kInner;
  const auto both = Outcome(counts + " UNION ALL " + total + " ORDER BY n DESC").rows;
  EXPECT_EQ(Shown(both), "all 100\ndz 50\nmz 40\nos 10\n");
  EXPECT_EQ(both[0][1].error_95, sum);
  for (std::size_t k = 1; k < 4; ++k) EXPECT_EQ(both[k][1].error_95, alone);
  // One answer twice has one noise.
  const auto twice = Outcome("SELECT zyg, sum(n) AS n FROM (" + counts + " UNION ALL " + counts + ") u GROUP BY zyg");
  for (const auto& row : twice.rows) EXPECT_EQ(row[1].error_95, 2 * alone);
  // Exact numbers in a noisy column have no bar, and noise that chooses rows makes bars those of all rows.
  const auto mixed = Outcome("SELECT n FROM " + kInner + " UNION ALL SELECT 7 FROM " + kInner + " LIMIT 4").rows;
  EXPECT_EQ(Shown(mixed), "40\n50\n10\n7\n");
  EXPECT_EQ(mixed[2][0].error_95, alone);
  EXPECT_EQ(mixed[3][0].error_95, std::nullopt);
  const auto most = Outcome(counts + " UNION ALL " + total + " ORDER BY 2 DESC LIMIT 2").rows;
  EXPECT_EQ(most[1][1].error_95, BarOfSum({{1, 10, 1}}, 1 - 0.05 / 4));
  // Formulas differ between the parts: their bars are simulated; three parts are distinguished.
  const auto shares = Outcome("SELECT sqrt(n) AS s FROM " + kInner + " WHERE zyg = 'mz' UNION ALL SELECT n FROM " +
                              kInner + " WHERE zyg = 'dz' UNION ALL SELECT 2 * n FROM " + kInner + " WHERE zyg = 'dz'");
  ASSERT_EQ(shares.rows.size(), 3U);
  ASSERT_TRUE(shares.rows[1][0].error_95 && shares.rows[2][0].error_95);
  EXPECT_NEAR(*shares.rows[1][0].error_95, alone, 0.35 * alone);
  EXPECT_EQ(*shares.rows[2][0].error_95, 2 * *shares.rows[1][0].error_95);
}

TEST(After, TextsBesideAggregatesAreNoPartOfThePrivateQuestion_AFTER1) {
  const auto program = PlanOf("SELECT 'ill' AS who, count(*) AS n FROM people WHERE ill = 'yes'");
  ASSERT_TRUE(program && *program);
  ASSERT_EQ((*program)->inner.size(), 1U);
  EXPECT_EQ((*program)->inner[0].sql, "SELECT count(*) AS n FROM people WHERE ill = 'yes'");
  const Given count{{{{Value(std::int64_t{70}), 30.0}}}, {Given::Law{10, 1}}};
  const std::string ill = "SELECT 'ill' AS who, count(*) AS n FROM people WHERE ill = 'yes'";
  const auto rows = Outcome(ill + " UNION ALL SELECT 'old', count(*) FROM people WHERE age > 60", {count, count}).rows;
  EXPECT_EQ(Shown(rows), "ill 70\nold 70\n");
  for (const auto& row : rows) EXPECT_EQ(row[1].error_95, BarOfSum({{1, 10, 1}}, 0.95));
  EXPECT_FALSE(PlanOf("SELECT 'x' FROM people GROUP BY zyg"));
}

TEST(After, UnionsWithoutAllAreDistinct_AFTER2) {
  const std::string zyg = "SELECT zyg FROM " + kInner, n = "SELECT n FROM " + kInner;
  EXPECT_EQ(Shown(Outcome(zyg + " UNION " + zyg + " ORDER BY 1").rows), "dz\nmz\nos\n");
  // Noise decides which numbers are equal: no bar.
  for (const auto& row : Outcome(n + " UNION " + n + " ORDER BY 1").rows) EXPECT_EQ(row[0].error_95, std::nullopt);
  EXPECT_EQ(Shown(Outcome(zyg + " UNION ALL (" + zyg + " UNION " + zyg + " ORDER BY 1 LIMIT 1)").rows),
            "mz\ndz\nos\ndz\n");
  for (const std::string& refused : std::vector<std::string>{
           zyg + " UNION SELECT zyg FROM people", "SELECT zyg FROM people UNION ALL SELECT zyg FROM people",
           zyg + " INTERSECT " + zyg, zyg + " EXCEPT " + zyg, zyg + " UNION SELECT zyg, n FROM " + kInner,
           zyg + " UNION ALL SELECT kith_arm FROM " + kInner, zyg + " UNION ALL " + zyg + " ORDER BY kith_arm",
           "SELECT kith_arm FROM (" + zyg + " UNION ALL " + zyg + ") u", zyg + " UNION ALL SELECT 1",
           "SELECT count(*) FROM people, (" + n + " UNION ALL " + n + ") u WHERE age < n"}) {
    const auto program = PlanOf(refused);
    EXPECT_TRUE(!program || !*program) << refused;
  }
}

TEST(After, UnionsReadAnswersAlone_AFTER1) {
  const auto program = PlanOf(
      "WITH a AS (SELECT zyg, count(*) AS n FROM people GROUP BY zyg) SELECT zyg FROM a UNION "
      "ALL SELECT 'x' FROM (SELECT count(*) AS m FROM people WHERE age > 3) b");
  ASSERT_TRUE(program && *program);
  EXPECT_EQ((*program)->inner.size(), 2U);
  for (const std::string& text : {(*program)->outer.all, (*program)->outer.chosen})
    EXPECT_TRUE(ReadsAnswersAlone(text, 2)) << text;
}

// The twin: were the rows not counted, their bars would be those of single numbers.
TEST(After, TheCheckAboveSeesBarsOfSingleNumbers) {
  auto program = PlanOf("SELECT zyg, n FROM " + kInner + " WHERE n > 20");
  ASSERT_TRUE(program && *program);
  (*program)->outer.by_noise = false;
  const auto computed = Compute(**program, {Counts()}, CancelFlag());
  ASSERT_TRUE(computed);
  EXPECT_NE(computed->rows[0][1].error_95, BarOfSum({{1, 10, 1}}, 1 - 0.05 / 3));
}

TEST(After, NumbersWhoseLawIsNotKnownKeepTheirOwnBars) {
  Given given = Counts();
  given.laws = {std::nullopt};
  const auto rows = Outcome("SELECT n, 2 * n AS twice, sum(n) OVER () AS total FROM " + kInner, {given}).rows;
  EXPECT_EQ(rows[0][0].error_95, 30.0);
  EXPECT_EQ(rows[0][1].error_95, 60.0);
  EXPECT_EQ(rows[0][2].error_95, std::nullopt);
}

TEST(After, WhatIsNotAboutAnswersIsLeftAlone) {
  for (const char* text :
       {"SELECT count(*) FROM people", "SELECT age FROM people", "SELECT zyg, count(*) FROM people GROUP BY zyg"}) {
    const auto program = PlanOf(text);
    ASSERT_TRUE(program) << text;
    EXPECT_FALSE(*program) << text;
  }
  EXPECT_FALSE(PlanOf("SELECT avg(c) FROM (SELECT id, count(*) AS c FROM people GROUP BY id) t"));
}

TEST(After, OneQuestionIsAskedOnce) {
  const auto having = PlanOf(kQuestions[3]), shares = PlanOf(
                                                 "SELECT zyg, count FROM (SELECT zyg, count(*) FROM people "
                                                 "WHERE ill = 'yes' GROUP BY zyg) AS x(zyg, count)");
  ASSERT_TRUE(having && *having && shares && *shares);
  EXPECT_EQ((*having)->inner[0].plan.normalised, (*shares)->inner[0].plan.normalised);
  const auto program = PlanOf(kQuestions[2]);
  ASSERT_TRUE(program && *program);
  EXPECT_EQ((*program)->inner.size(), 1U);
  EXPECT_EQ((*PlanOf(kQuestions[5]))->inner.size(), 2U);
}

// A row of each unit is not an answer, whichever of its tables it is made from, and whatever the key is called there.
TEST(After, KnowsTheKeysOfAllTablesOfTheUnits) {
  Policy policy = TestPolicy("key = \"id\"\nmax_rows = 1\npresence = \"public\"");
  Table visits = policy.unit_table();
  visits.name = "visits";
  visits.key = "person";
  visits.max_rows = 3;
  for (Column& column : visits.columns)
    if (column.name == "id") column.name = "person";
  policy.tables.push_back(visits);
  const auto kind = [&](const std::string& sql) {
    const auto parsed = SyntaxTree::Parse(sql);
    const auto names = NamesIn(parsed->select(), {});
    return KindOf(parsed->select(), *names, KeysOfRows(policy)).value();
  };
  EXPECT_EQ(kind("SELECT person, count(*) AS n FROM visits GROUP BY person"), Kind::kRows);
  EXPECT_EQ(kind("SELECT v.person, count(*) AS n FROM people p JOIN visits v ON p.id = v.person GROUP BY v.person"),
            Kind::kRows);
  EXPECT_EQ(kind("SELECT p.id, count(*) AS n FROM visits v JOIN people p ON p.id = v.person GROUP BY p.id"),
            Kind::kRows);
  EXPECT_EQ(kind("SELECT w, count(*) AS n FROM (SELECT person AS w FROM visits) v GROUP BY w"), Kind::kRows);
  EXPECT_EQ(kind("SELECT avg(n) AS m FROM (SELECT person, count(*) AS n FROM visits GROUP BY person) v"),
            Kind::kPrivate);
  EXPECT_EQ(kind("SELECT person, count(*) AS n FROM (SELECT * FROM visits) v GROUP BY person"), Kind::kRows);
  // Not a key of this table.
  EXPECT_EQ(kind("SELECT person, count(*) AS n FROM (SELECT * FROM people) v GROUP BY person"), Kind::kPrivate);
  EXPECT_EQ(kind("SELECT person, count(*) AS n FROM people GROUP BY person"), Kind::kPrivate);
}

}  // namespace
}  // namespace kith::postprocess
