// Parquet and DuckDB files, used in place.
#include <sys/stat.h>

#include <chrono>
#include <thread>

#include "engine/duckdb/engine_fixture.h"

namespace kith {
namespace {

namespace fs = std::filesystem;

class InPlaceTest : public EngineFixture {
 protected:
  void Use(const std::string& source) { policy_.tables[0].source = source; }
  std::string Error() {
    auto engine = Open();
    return engine ? "opened" : engine.error().Text();
  }
};

TEST_F(InPlaceTest, ParquetIsReadWithDeclaredTypes) {
  WithDuckDb(
      "COPY (SELECT i::INTEGER AS id, (i * 1.5)::FLOAT AS weight, (i / 4)::DECIMAL(9,2) AS price, 'n' || i AS name, "
      "i % 2 = 0 AS even, DATE '2024-01-01' + i::INTEGER AS day, TIMESTAMP '2024-01-01 00:00:00' AS at_time, "
      "i::VARCHAR AS digits, TIMESTAMPTZ '2024-01-01 02:00:00+02' AS zoned, 7 AS hidden FROM range(3) t(i)) "
      "TO '{}/people.parquet'");
  Use("people.parquet");
  Declare("id", ColumnType::kInteger);
  Declare("weight", ColumnType::kReal);
  Declare("price", ColumnType::kReal);
  Declare("name", ColumnType::kText);
  Declare("even", ColumnType::kBoolean);
  Declare("day", ColumnType::kDate);
  Declare("at_time", ColumnType::kTimestamp);
  Declare("digits", ColumnType::kInteger);
  Declare("zoned", ColumnType::kTimestamp);
  auto engine = Open();
  ASSERT_TRUE(engine) << engine.error().Text();
  EXPECT_EQ(Ask(**engine,
                "SELECT sum(id), sum(weight * 2)::BIGINT, sum(price * 4)::BIGINT, count(DISTINCT name), "
                "count(*) FILTER (even), sum(digits) FROM people"),
            "3,9,3,3,2,3");
  EXPECT_EQ(Ask(**engine, "SELECT count(*) FROM people WHERE zoned = TIMESTAMP '2024-01-01 00:00:00'"), "3");
  EXPECT_EQ(
      Ask(**engine,
          "SELECT count(*) FROM (DESCRIBE people) WHERE column_type = ["
          "'BIGINT','DOUBLE','DOUBLE','VARCHAR','BOOLEAN','DATE','TIMESTAMP','BIGINT','TIMESTAMP'"
          "][list_position(['id','weight','price','name','even','day','at_time','digits','zoned'], column_name)]"),
      "9");
  EXPECT_EQ(Ask(**engine, "SELECT count(hidden) FROM people").substr(0, 5), "error");
}

// No value of any type may make a query fail: an error would reveal that value.
class ExtremeValuesTest : public InPlaceTest {
 protected:
  void MakeFile() {
    WithDuckDb(
        "COPY (SELECT * FROM (VALUES "
        "(1::HUGEINT, 'x', DATE 'infinity', TIMESTAMP '-infinity', 'nan'::DOUBLE, TIMESTAMPTZ 'infinity', TIMESTAMP_NS "
        "'2262-04-11 00:00:00'), "
        "('170141183460469231731687303715884105727'::HUGEINT, '12', DATE '5874897-12-31', TIMESTAMP '294246-12-31 "
        "23:59:59', "
        "'infinity'::DOUBLE, TIMESTAMPTZ '294246-12-31 23:59:59+00', TIMESTAMP_NS '1677-09-22 00:00:00'), "
        "(NULL, '', DATE '-infinity', TIMESTAMP '290309-12-22 (BC) 00:00:00', '-infinity'::DOUBLE, TIMESTAMPTZ "
        "'-infinity', NULL)"
        ") t(big, word, day, time, number, zoned, nano)) TO '{}/people.parquet'");
  }
};

TEST_F(ExtremeValuesTest, ReadAsMissing_ENGINE5) {
  MakeFile();
  Use("people.parquet");
  Declare("big", ColumnType::kInteger);
  Declare("word", ColumnType::kInteger);
  Declare("day", ColumnType::kDate);
  Declare("time", ColumnType::kTimestamp);
  Declare("number", ColumnType::kInteger);
  Declare("zoned", ColumnType::kTimestamp);
  Declare("nano", ColumnType::kTimestamp);
  auto engine = Open();
  ASSERT_TRUE(engine) << engine.error().Text();
  EXPECT_EQ(Ask(**engine,
                "SELECT count(*), sum(big), sum(word), count(day), count(time), count(number), count(zoned), "
                "count(nano) FROM people"),
            "3,1,12,0,0,0,0,2");  // no date or time near the ends of its type
}

// The twin: an ordinary cast fails on each of these columns.
TEST_F(ExtremeValuesTest, APlainCastFails) {
  MakeFile();
  auto database = DuckDb::Open("", {});
  ASSERT_TRUE(database);
  auto connection = database->Connect();
  ASSERT_TRUE(connection);
  for (const char* column : {"big", "word", "number"}) {
    const std::string from = " FROM read_parquet('" + (folder_ / "people.parquet").string() + "')";
    const std::string name(column);
    EXPECT_TRUE(connection->Integers("SELECT count(TRY_CAST(" + name + " AS BIGINT))" + from, cancel_)) << name;
    EXPECT_FALSE(connection->Integers("SELECT count(CAST(" + name + " AS BIGINT))" + from, cancel_)) << name;
  }
}

TEST_F(InPlaceTest, DuckDbTablesAreReadInPlace) {
  WithDuckDb(
      "ATTACH '{}/data.duckdb' AS d; CREATE TABLE d.people AS SELECT range AS id FROM range(10); CREATE SCHEMA "
      "d.other; "
      "CREATE TABLE d.other.\"odd \"\"name\" AS SELECT range::TINYINT AS id FROM range(4); DETACH d");
  Declare("id", ColumnType::kInteger);
  for (const auto& [source, rows] : std::vector<std::pair<std::string, std::string>>{
           {"data.duckdb", "10"}, {"data.duckdb:people", "10"}, {"data.duckdb:other.odd \"name", "4"}}) {
    Use(source);
    EXPECT_EQ(OpenAndAsk("SELECT count(id) FROM people"), rows) << source;
  }
  // Two tables of one file.
  Use("data.duckdb:people");
  DeclareTable("more", "data.duckdb:main.people", "id", ColumnType::kReal);
  EXPECT_EQ(OpenAndAsk("SELECT (SELECT count(*) FROM people) + (SELECT count(*) FROM more)"), "20");
}

TEST_F(InPlaceTest, SeveralEnginesShareAFile) {
  WithDuckDb("ATTACH '{}/data.duckdb' AS d; CREATE TABLE d.people AS SELECT range AS id FROM range(10); DETACH d");
  Declare("id", ColumnType::kInteger);
  Use("data.duckdb");
  auto first = Open();
  auto second = Open();
  ASSERT_TRUE(first) << first.error().Text();
  ASSERT_TRUE(second) << second.error().Text();
  EXPECT_EQ(Ask(**first, "SELECT sum(id) FROM people"), "45");
  EXPECT_EQ(Ask(**second, "SELECT sum(id) FROM people"), "45");
}

TEST_F(InPlaceTest, DuckDbFilesThatAreRefused) {
  WithDuckDb(
      "ATTACH '{}/data.duckdb' AS d; CREATE TABLE d.base AS SELECT 1 AS id; CREATE VIEW d.people AS SELECT 1 AS id; "
      "CREATE TABLE d.folded (id VARCHAR COLLATE NOCASE); DETACH d");
  Declare("id", ColumnType::kInteger);
  Use("data.duckdb");
  EXPECT_TRUE(Has(Error(), "has no table"));
  Use("data.duckdb:nothing");
  EXPECT_TRUE(Has(Error(), "has no table"));
  Use("data.duckdb:folded");
  EXPECT_TRUE(Has(Error(), "collation"));
  Use("data.duckdb:a.b.c");
  EXPECT_TRUE(Has(Error(), "file.duckdb:schema.table"));
  Use("data.duckdb:");
  EXPECT_TRUE(Has(Error(), "file.duckdb:schema.table"));
  Use("data.duckdb:base");
  EXPECT_EQ(Error(), "opened");
  Write("data.duckdb.wal", "unfinished");
  EXPECT_TRUE(Has(Error(), "CHECKPOINT"));
  Write("junk.duckdb", "this is no database, whatever it is called");
  Use("junk.duckdb");
  EXPECT_TRUE(Has(Error(), "not a DuckDB database file"));
}

TEST_F(InPlaceTest, SourcesThatAreRefused) {
  Declare("id", ColumnType::kInteger);
  Use("people.xlsx");
  EXPECT_TRUE(Has(Error(), "unknown kind of data file"));
  Use("missing.parquet");
  EXPECT_TRUE(Has(Error(), "there is no such file"));
  Write("junk.parquet", "SECRETVALUE, not a Parquet file");
  Use("junk.parquet");
  EXPECT_TRUE(Has(Error(), "cannot be read"));
  EXPECT_FALSE(Has(Error(), "SECRETVALUE"));
  WithDuckDb("COPY (SELECT 1 AS id) TO '{}/p[1].parquet'");
  Use("p[1].parquet");
  EXPECT_TRUE(Has(Error(), "rename it"));
  WithDuckDb("COPY (SELECT [1, 2] AS id) TO '{}/list.parquet'");
  Use("list.parquet");
  EXPECT_TRUE(Has(Error(), "lists, structures or binary"));
  EXPECT_TRUE(Has(Error(), "people.id"));
  WithDuckDb("COPY (SELECT 1 AS other) TO '{}/other.parquet'");
  Use("other.parquet");
  EXPECT_TRUE(Has(Error(), "has no column \"id\""));
  policy_.tables[0].columns.clear();
  EXPECT_TRUE(Has(Error(), "no declared column"));
}

// Text that is not UTF-8 makes DuckDB fail in the middle of a query. It has to show when the file is opened, not when
// somebody asks.
TEST_F(InPlaceTest, AChangedFileIsNoticedBeforeTheRun) {
  WithDuckDb("COPY (SELECT range AS id FROM range(10)) TO '{}/people.parquet'");
  Use("people.parquet");
  Declare("id", ColumnType::kInteger);
  auto engine = Open();
  ASSERT_TRUE(engine) << engine.error().Text();
  EXPECT_TRUE((*engine)->Current());
  WithDuckDb("COPY (SELECT range AS id FROM range(20)) TO '{}/people.parquet'");
  auto result = (*engine)->RunText("SELECT count(*) FROM people", cancel_);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Code::kStorage);
  EXPECT_TRUE(Has(result.error().Text(), "changed after it was opened"));
  EXPECT_FALSE((*engine)->Current());
  auto again = Open();
  ASSERT_TRUE(again);
  EXPECT_EQ(Ask(**again, "SELECT count(*) FROM people"), "20");
  EXPECT_TRUE((*again)->Current());
}

TEST_F(InPlaceTest, AFileThatChangesDuringTheRunDiscardsTheAnswer_ENGINE4) {
  WithDuckDb("COPY (SELECT range AS id FROM range(10)) TO '{}/people.parquet'");
  Use("people.parquet");
  Declare("id", ColumnType::kInteger);
  auto engine = Open();
  ASSERT_TRUE(engine) << engine.error().Text();
  const auto change = [this](int hours) {
    fs::last_write_time(folder_ / "people.parquet", fs::file_time_type::clock::now() + std::chrono::hours(hours));
  };
  int parts = 0;
  const auto scanned = (*engine)->ScanText(
      "SELECT id FROM people",
      [&](IntegerColumns) -> Result<void> {
        if (parts++ == 0) change(1);
        return {};
      },
      cancel_);
  EXPECT_GT(parts, 0);
  ASSERT_FALSE(scanned);
  EXPECT_TRUE(Has(scanned.error().Text(), "changed after it was opened"));

  // A statement that would take days is stopped once the file has changed: what is said is the cause, not the stop.
  auto again = Open();
  ASSERT_TRUE(again) << again.error().Text();
  std::thread writer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    change(2);
    cancel_.Cancel();
  });
  auto result = (*again)->RunText("SELECT sum(p.id * a.range % 7) FROM people p, range(50000000000000) a", cancel_);
  writer.join();
  ASSERT_FALSE(result);
  EXPECT_TRUE(Has(result.error().Text(), "changed after it was opened")) << result.error().Text();
}

// The twin: DuckDB itself does not mind, so the test above sees what kith adds.
TEST_F(InPlaceTest, WithoutTheCheckAChangedFileGivesAnAnswer) {
  WithDuckDb("COPY (SELECT range AS id FROM range(10)) TO '{}/people.parquet'");
  auto database = DuckDb::Open("", {});
  ASSERT_TRUE(database);
  auto connection = database->Connect();
  ASSERT_TRUE(connection);
  const std::string sql = "SELECT count(*) FROM read_parquet('" + (folder_ / "people.parquet").string() + "')";
  ASSERT_EQ(connection->Integers(sql, cancel_)->rows[0][0], Int128{10});
  WithDuckDb("COPY (SELECT range AS id FROM range(20)) TO '{}/people.parquet'");
  auto changed = connection->Integers(sql, cancel_);
  ASSERT_TRUE(changed) << changed.error().Text();
  EXPECT_EQ(changed->rows[0][0], Int128{20});
}

TEST_F(InPlaceTest, ADeletedFileIsAStorageError) {
  WithDuckDb("COPY (SELECT range AS id FROM range(10)) TO '{}/people.parquet'");
  Use("people.parquet");
  Declare("id", ColumnType::kInteger);
  auto engine = Open();
  ASSERT_TRUE(engine) << engine.error().Text();
  fs::remove(folder_ / "people.parquet");
  EXPECT_EQ((*engine)->RunText("SELECT count(*) FROM people", cancel_).error().code, Code::kStorage);
}

}  // namespace
}  // namespace kith
