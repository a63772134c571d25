// Units with several rows: constant columns, the table of units, and statements for data whose rows were checked.
#include <gtest/gtest.h>

#include "query/plan.h"
#include "query/rows.h"
#include "query/test_policy.h"

namespace kith {
namespace {

constexpr char kKeyed[] = "key = \"id\"\nmax_rows = 4\npresence = \"secret\"";

Policy WithConstant(std::initializer_list<const char*> names, const std::string& unit = kKeyed) {
  Policy policy = TestPolicy(unit);
  for (Column& column : policy.tables[0].columns) {
    for (const char* name : names) column.constant = column.constant || column.name == name;
  }
  return policy;
}

std::int64_t ChangeOf(const std::string& sql, const Policy& policy) {
  const auto plan = PlanQuestion(sql, policy);
  if (!plan) ADD_FAILURE() << sql << "\n" << plan.error().Text();
  return plan ? plan->statistics.at(0).change.l1().steps() : -1;
}

std::string Refused(const std::string& sql, const Policy& policy) {
  const auto plan = PlanQuestion(sql, policy);
  return plan ? "accepted" : plan.error().Text();
}

bool Has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(ConstantColumns, AUnitLeavesOneGroupAndEntersAnother_PLAN6) {
  const Policy policy = WithConstant({"ill", "age", "name"});
  EXPECT_EQ(ChangeOf("SELECT ill, count(DISTINCT id) FROM people GROUP BY ill", policy), 2);
  EXPECT_EQ(ChangeOf("SELECT ill, count(DISTINCT id) FROM people GROUP BY ill", WithConstant({"age"})), 3);
  EXPECT_EQ(ChangeOf("SELECT zyg, ill, count(DISTINCT id) FROM people GROUP BY zyg, ill", policy), 2);
  EXPECT_EQ(ChangeOf("SELECT count(DISTINCT id) FROM people GROUP BY age > 50 AND ill = 'yes'", policy), 2);
  EXPECT_EQ(ChangeOf("SELECT ill, stage, count(DISTINCT id) FROM people GROUP BY ill, stage", policy), 8);
  EXPECT_EQ(ChangeOf("SELECT ill, count(DISTINCT id) FROM people WHERE stage = 2 GROUP BY ill", policy), 2);
  EXPECT_EQ(
      ChangeOf("SELECT name, count(DISTINCT id) FROM (SELECT id, r.name FROM people AS p LEFT JOIN regions AS r ON "
               "p.name = r.code) AS x GROUP BY name",
               policy),
      2);
  EXPECT_EQ(
      ChangeOf("SELECT name, count(DISTINCT id) FROM (SELECT id, r.name FROM people AS p LEFT JOIN regions AS r ON "
               "p.name = r.code) AS x GROUP BY name",
               WithConstant({"ill"})),
      3);
}

TEST(ConstantColumns, RowsStillCountAsOften_PLAN6) {
  const Policy policy = WithConstant({"ill", "age"});
  EXPECT_EQ(ChangeOf("SELECT ill, count(*) FROM people GROUP BY ill", policy), 8);
  EXPECT_EQ(ChangeOf("SELECT sum(age) FROM people", policy), 480);
  EXPECT_EQ(ChangeOf("SELECT count(*) FROM people WHERE ill = 'yes'", policy), 4);
}

TEST(ConstantColumns, AreReadFromTheFirstRow) {
  const Policy policy = WithConstant({"ill"});
  const auto plan = PlanQuestion("SELECT ill, count(*) FROM people WHERE stage = 2 GROUP BY ill", policy);
  ASSERT_TRUE(plan);
  const std::string shown = DuckDbText(*plan);
  EXPECT_TRUE(Has(shown, "first_value(t.\"ill\") OVER (PARTITION BY t.\"id\"")) << shown;
  EXPECT_FALSE(Has(shown, "first_value(t.\"stage\")")) << shown;
  const auto rows = PlanRows({"age"}, "ill = 'yes'", policy);
  ASSERT_TRUE(rows);
  EXPECT_TRUE(Has(DuckDbText(*rows), "first_value(t.\"ill\")"));
  const auto all = PlanRows({"age"}, "ill = 'yes'", policy, RowsOfUnit::kAll);
  ASSERT_TRUE(all);
  EXPECT_TRUE(Has(DuckDbText(*all), "first_value(t.\"ill\")"));
  EXPECT_FALSE(Has(DuckDbText(*all), "row_number"));
}

TEST(TableOfUnits, IsChargedOnce_PLAN6) {
  const Policy policy = WithConstant({"ill", "age"});
  EXPECT_EQ(ChangeOf("SELECT count(*) FROM people_units", policy), 1);
  EXPECT_EQ(ChangeOf("SELECT sum(age) FROM people_units", policy), 120);
  EXPECT_EQ(ChangeOf("SELECT ill, sum(age) FROM People_Units GROUP BY ill", policy), 240);
  EXPECT_EQ(ChangeOf("SELECT count(*) FROM (SELECT * FROM people_units WHERE ill = 'yes') AS u WHERE age > 3", policy),
            1);
  EXPECT_EQ(ChangeOf("SELECT sum(age) FROM people_units",
                     WithConstant({"age"}, "key = \"id\"\nmax_rows = 4\npresence = \"public\"")),
            120);
  EXPECT_EQ(ChangeOf("SELECT count(*) FROM people_units",
                     WithConstant({"age"}, "key = \"id\"\nmax_rows = 4\npresence = \"public\"")),
            0);
}

TEST(TableOfUnits, HasPublicAndConstantColumnsAlone) {
  const Policy policy = WithConstant({"ill"});
  EXPECT_TRUE(Has(Refused("SELECT sum(age) FROM people_units", policy), "people_units has no column age"));
  EXPECT_TRUE(Has(Refused("SELECT sum(age) FROM people_units", policy), "between rows of a unit are in people"));
  EXPECT_TRUE(Has(Refused("SELECT count(*) FROM people_units WHERE stage = 2", policy), "stage"));
  EXPECT_EQ(Refused("SELECT zyg, count(*) FROM people_units GROUP BY zyg", policy), "accepted");
  EXPECT_TRUE(Has(Refused("SELECT count(*) FROM people_units", TestPolicy(kKeyed)), "not about people_units"));
  EXPECT_TRUE(Has(Refused("SELECT count(*) FROM people_units_units", policy), "not about people_units_units"));
  EXPECT_TRUE(Has(Refused("SELECT count(*) FROM people JOIN people_units ON people.id = people_units.id", policy),
                  "people_units"));
  EXPECT_TRUE(Has(Refused("WITH a AS (SELECT * FROM people_units) SELECT count(*) FROM people", policy), "people"));
}

TEST(TableOfUnits, AQueryOfThisNameComesFirst) {
  const Policy policy = WithConstant({"ill"});
  const std::string own = "WITH people_units AS (SELECT * FROM people) SELECT sum(age) FROM people_units";
  EXPECT_EQ(ChangeOf(own, policy), 480);
}

// What is shown never follows from the data; what runs is shorter where a check of them allows it.
TEST(KnownRows, SortOutNothingWhereNothingIsToBeSortedOut_ENGINE9) {
  const auto plan = PlanQuestion("SELECT ill, count(*) FROM people WHERE age > 3 GROUP BY ill", TestPolicy(kKeyed));
  ASSERT_TRUE(plan);
  const auto text = [&](std::optional<std::int64_t> most) {
    return sql::DuckDb().Write(plan->statement, {.most = most});
  };
  const std::string shown = DuckDbText(*plan);
  EXPECT_TRUE(Has(shown, "row_number"));
  EXPECT_EQ(text(std::nullopt), shown);
  EXPECT_EQ(text(5), shown);
  for (const std::int64_t most : {1, 4}) {
    EXPECT_FALSE(Has(text(most), "row_number"));
    EXPECT_TRUE(Has(text(most), "t.\"id\" IS NOT NULL")) << text(most);
  }
}

TEST(KnownRows, OfTheTableOfUnitsOneRowMustBeKnown_ENGINE9) {
  const auto plan = PlanQuestion("SELECT count(*) FROM people_units WHERE ill = 'yes'", WithConstant({"ill"}));
  ASSERT_TRUE(plan);
  const std::string shown = DuckDbText(*plan);
  EXPECT_TRUE(Has(shown, "FROM \"people\" AS t")) << shown;
  EXPECT_EQ(sql::DuckDb().Write(plan->statement, {.most = 4}), shown);
  EXPECT_NE(sql::DuckDb().Write(plan->statement, {.most = 1}), shown);
}

}  // namespace
}  // namespace kith
