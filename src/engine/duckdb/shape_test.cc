// Plans that are kept by the shape of a statement: whatever columns are compared with, the result is the statement's.
#include "engine/duckdb/engine_fixture.h"
#include "engine/shape_runner.h"

namespace kith {
namespace {

class ShapeRunTest : public EngineFixture {
 protected:
  ShapeRunTest() {
    Declare("id", ColumnType::kInteger);
    Declare("age", ColumnType::kInteger);
    Declare("name", ColumnType::kText);
    std::string rows = "id,age,name\n";
    for (int id = 0; id < 500; ++id)
      rows += std::to_string(id) + "," + (id % 7 == 0 ? "" : std::to_string(id % 90)) + "," +
              (id % 3 == 0 ? "it's" : "x" + std::to_string(id % 5)) + "\n";
    Write("people.csv", rows);
  }

  // Of rows with an age from `low` up to below `high`, or with one of the names.
  static sql::Statement Counts(std::int64_t low, std::int64_t high, std::vector<Value> names, int alike = 0) {
    const sql::Term age = sql::Column("t", "age"), name = sql::Column("t", "name");
    const auto whole = [](std::int64_t n) { return sql::Literal(n, Type::kInteger); };
    const sql::Term aged =
        sql::Paren(sql::All({sql::Infix(" <= ", {whole(low), age}), sql::Infix(" < ", {age, whole(high)})}));
    const sql::Term named = sql::Paren(sql::In(name, std::move(names), Type::kText));
    const auto rows = sql::Selected({.items = {{age, "v0"}, {named, "f0"}},
                                     .from = sql::Table("people", "t"),
                                     .where = sql::Infix(" OR ", {aged, named})});
    std::vector<sql::Item> items = {{sql::CountRows(), "s0"},
                                    {sql::Call("coalesce", {sql::Sum(sql::Name("v0")), sql::Number(0)}), "s1"},
                                    {sql::Where(sql::Count(sql::Name("v0")), sql::Name("f0")), "s2"}};
    for (int k = 0; k < alike; ++k) items.push_back({sql::CountRows(), "more" + std::to_string(k)});
    return sql::Selected({.items = std::move(items), .from = sql::Rows(rows, "r")});
  }

  static std::string TextOf(const Result<IntegerTable>& table) {
    if (!table) return table.error().Text();
    std::string text;
    for (const auto& row : table->rows) {
      for (const auto& value : row) text += (value ? ToText(*value) : "NULL") + ",";
      text += ";";
    }
    return text;
  }
};

TEST_F(ShapeRunTest, ResultsAreThoseOfTheStatement) {
  const auto engine = Open();
  ASSERT_TRUE(engine) << engine.error().Text();
  const auto* runner = dynamic_cast<const ShapeRunner*>(engine->get());
  ASSERT_NE(runner, nullptr);
  std::set<std::string> all;
  for (std::int64_t low = 0; low < 90; low += 7) {
    for (const std::int64_t high : {std::int64_t{1}, std::int64_t{40}, std::int64_t{9'223'372'036'854'775'807}}) {
      for (const std::vector<Value>& names : {std::vector<Value>{"it's"}, std::vector<Value>{"x1"},
                                              std::vector<Value>{"x1", "x2"}, std::vector<Value>{"nobody"}}) {
        const auto statement = Counts(low, high, names);
        const std::string expected = TextOf((*engine)->Run(statement, cancel_));
        EXPECT_EQ(TextOf(runner->RunShape(statement, cancel_)), expected) << sql::DuckDb().Write(statement);
        all.insert(expected);
      }
    }
  }
  EXPECT_GT(all.size(), 50U);  // so that a value that is not bound would be seen
}

TEST_F(ShapeRunTest, MoreShapesThanAreKeptAreAnsweredAsWell) {
  const auto engine = Open();
  ASSERT_TRUE(engine) << engine.error().Text();
  const auto& runner = dynamic_cast<const ShapeRunner&>(**engine);
  for (int round = 0; round < 2; ++round) {
    for (int shape = 0; shape < 40; ++shape) {
      const auto statement = Counts(round + shape, 60, {"x3"}, shape);
      EXPECT_EQ(TextOf(runner.RunShape(statement, cancel_)), TextOf((*engine)->Run(statement, cancel_)));
    }
  }
}

TEST_F(ShapeRunTest, APlanIsMadeAnewAfterManyUses) {
  const auto engine = Open();
  ASSERT_TRUE(engine) << engine.error().Text();
  const auto& runner = dynamic_cast<const ShapeRunner&>(**engine);
  for (int k = 0; k < 250; ++k) {
    const auto statement = Counts(k % 90, 80, {"x3"});
    ASSERT_EQ(TextOf(runner.RunShape(statement, cancel_)), TextOf((*engine)->Run(statement, cancel_))) << k;
  }
}

TEST_F(ShapeRunTest, ACancelledOneIsNotRunAndTheNextOneIs) {
  const auto engine = Open();
  ASSERT_TRUE(engine) << engine.error().Text();
  const auto& runner = dynamic_cast<const ShapeRunner&>(**engine);
  const auto statement = Counts(5, 60, {"x3"});
  const std::string expected = TextOf(runner.RunShape(statement, cancel_));
  CancelFlag stopped;
  stopped.Cancel();
  const auto none = runner.RunShape(statement, stopped);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Code::kCancelled);
  EXPECT_EQ(TextOf(runner.RunShape(statement, cancel_)), expected);
}

}  // namespace
}  // namespace kith
