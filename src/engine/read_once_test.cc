// Statements that are answered from memory: the same answer, each statement its own.
#include "engine/read_once.h"

#include "engine/duckdb/engine_fixture.h"

namespace kith {
namespace {

class ReadOnceTest : public EngineFixture {
 protected:
  ReadOnceTest() {
    Declare("id", ColumnType::kInteger);
    Write("people.csv", "id\n1\n2\n3\n");
  }
  std::vector<std::int64_t> Rows(const Session& engine, const std::string& sql) {
    std::vector<std::int64_t> rows;
    const auto done = engine.ScanText(
        sql,
        [&](IntegerColumns columns) -> Result<void> {
          rows.assign(columns[0].begin(), columns[0].end());
          return {};
        },
        cancel_);
    EXPECT_TRUE(done) << done.error().Text();
    return rows;
  }
};

TEST_F(ReadOnceTest, AnswersAgainAsBefore) {
  auto opened = Open();
  ASSERT_TRUE(opened) << opened.error().Text();
  const auto engine = ReadOnce(std::move(*opened));
  // A random number shows whether a statement was computed again.
  const std::string random = "SELECT CAST(floor(random() * 1e15) AS BIGINT)";
  EXPECT_EQ(engine->RunText(random, cancel_)->rows, engine->RunText(random, cancel_)->rows);
  EXPECT_EQ(Rows(*engine, random), Rows(*engine, random));
  EXPECT_NE(Rows(*engine, random), Rows(*engine, random + " AS other"));
  EXPECT_EQ(Rows(*engine, "SELECT id FROM people ORDER BY id"), (std::vector<std::int64_t>{1, 2, 3}));
  EXPECT_EQ(Rows(*engine, "SELECT id FROM people WHERE false"), std::vector<std::int64_t>());
  EXPECT_FALSE(engine->RunText("SELECT 'x'", cancel_));
  EXPECT_FALSE(engine->RunText("SELECT 'x'", cancel_));  // an error is not kept as an answer
}

}  // namespace
}  // namespace kith
