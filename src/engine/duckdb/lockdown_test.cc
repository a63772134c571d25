// What SQL cannot do, with the SELECT fence and without it.
#include "engine/duckdb/lockdown.h"

#include "engine/duckdb/engine_fixture.h"
#include "engine/duckdb/folder.h"
#include "engine/duckdb/tables.h"

namespace kith {
namespace {

class LockdownTest : public EngineFixture {
 protected:
  LockdownTest() {
    Declare("id", ColumnType::kInteger);
    Declare("name", ColumnType::kText);
    Write("people.csv", "id,name\n1,ann\n2,bob\n");
    Write("other.csv", "id,name\n7,SECRETVALUE\n");
    WithDuckDb("COPY (SELECT 1::BIGINT AS id) TO '{}/declared.parquet'");
    WithDuckDb("COPY (SELECT 7::BIGINT AS id) TO '{}/other.parquet'");
    DeclareTable("stays", "declared.parquet", "id", ColumnType::kInteger);
  }
  std::string In(const std::string& text) const {
    std::string filled = text;
    for (std::size_t at = filled.find("{}"); at != std::string::npos; at = filled.find("{}")) {
      filled.replace(at, 2, folder_.string());
    }
    return filled;
  }
};

TEST_F(LockdownTest, DeclaredTablesCanBeRead) {
  auto engine = Open();
  ASSERT_TRUE(engine) << engine.error().Text();
  EXPECT_EQ(Ask(**engine, "SELECT count(*), sum(id) FROM people"), "2,3");
  EXPECT_EQ(Ask(**engine, "SELECT count(*), sum(id) FROM stays"), "1,1");
}

// Statements an attacker would like to run. None of them may do anything through Run.
const char* const kForbidden[] = {
    "SELECT count(*) FROM read_csv('{}/other.csv')",
    "SELECT count(*) FROM '{}/other.csv'",
    "SELECT count(*) FROM read_text('/etc/passwd')",
    "SELECT count(*) FROM read_blob('/proc/self/environ')",
    "SELECT count(*) FROM read_parquet('{}/other.parquet')",
    "SELECT count(*) FROM read_parquet('{}/declared.parquet/../other.parquet')",
    "SELECT count(*) FROM read_parquet(['{}/declared.parquet', '{}/other.parquet'])",
    "SELECT count(*) FROM read_json('{}/other.csv')",
    "SELECT count(*) FROM sniff_csv('{}/other.csv')",
    "SELECT count(*) FROM parquet_metadata('{}/other.parquet')",
    "SELECT count(*) FROM glob('/etc/*')",
    "SELECT count(*) FROM read_csv('https://127.0.0.1:9/x.csv')",
    "SELECT count(*) FROM read_parquet('s3://bucket/x.parquet')",
    "COPY (SELECT * FROM people) TO '{}/stolen.csv'",
    "COPY people TO '{}/stolen.parquet' (FORMAT parquet)",
    "COPY (SELECT 1) TO '/dev/stdout'",
    "EXPORT DATABASE '{}/stolen'",
    "IMPORT DATABASE '{}'",
    "ATTACH '{}/stolen.duckdb' AS stolen",
    "ATTACH 'https://127.0.0.1:9/x.duckdb' AS remote",
    "INSTALL httpfs",
    "FORCE INSTALL httpfs FROM 'http://127.0.0.1:9'",
    "LOAD httpfs",
    "LOAD '{}/evil.duckdb_extension'",
    "SET enable_external_access = true",
    "SET lock_configuration = false",
    "RESET lock_configuration",
    "SET allowed_paths = ['{}/other.csv']",
    "SET allowed_directories = ['{}']",
    "SET threads = 1",
    "SET memory_limit = '100GB'",
    "SET temp_directory = '{}'",
    "SET TimeZone = 'Asia/Tokyo'",
    "SET SESSION TimeZone = 'Asia/Tokyo'",
    "SET default_collation = 'nocase'",
    "PRAGMA threads = 1",
    "PRAGMA enable_profiling = 'json'",
    "PRAGMA profiling_output = '{}/stolen.json'",
    "CREATE PERSISTENT SECRET s (TYPE http)",
    "CREATE SECRET s (TYPE s3)",
    "INSERT INTO kith_0.main.data VALUES (9, 'eve')",
    "DELETE FROM kith_0.main.data",
    "CREATE TABLE kith_0.main.more (a INT)",
};

// These do no harm to files, so only the first fence stops them.
const char* const kNotSelect[] = {
    "DROP VIEW people",
    "CREATE TABLE extra (a INT)",
    "DETACH kith_0",
    "CALL enable_logging()",
    "SET VARIABLE x = 1",
    "EXPLAIN ANALYZE SELECT 1",
    "BEGIN TRANSACTION",
    "SELECT 1; SELECT 2",
    "SELECT 1; DROP VIEW people",
    "",
    "not sql at all",
};

TEST_F(LockdownTest, RunDoesNothingButOneSelectOnDeclaredTables_ENGINE3) {
  auto engine = Open();
  ASSERT_TRUE(engine) << engine.error().Text();
  const auto check = [&](const char* statement) {
    auto result = (*engine)->RunText(In(statement), cancel_);
    ASSERT_FALSE(result) << statement;
    EXPECT_EQ(result.error().code, Code::kInternal) << statement;
    EXPECT_FALSE(Has(result.error().Text(), folder_.string())) << statement;
  };
  for (const char* statement : kForbidden) check(statement);
  for (const char* statement : kNotSelect) check(statement);
  EXPECT_EQ(Ask(**engine, "SELECT count(*), sum(id) FROM people"), "2,3");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "stolen.csv"));
}

/// Only the second fence: statements run without the check that they are SELECTs. Returns those that went through.
std::vector<std::string> GoThrough(const DuckDbConnection& connection, const std::vector<std::string>& statements) {
  const CancelFlag never;
  std::vector<std::string> passed;
  for (const std::string& statement : statements) {
    if (connection.Execute(statement, never)) passed.push_back(statement);
  }
  return passed;
}

TEST_F(LockdownTest, TheConfigurationHoldsWithoutTheFirstFence_ENGINE3) {
  auto database = DuckDb::Open("", LockedSettings({}, {}));
  ASSERT_TRUE(database) << database.error().Text();
  auto connection = database->Connect();
  ASSERT_TRUE(connection);
  ASSERT_EQ(Import("a-1"), "");
  EngineOptions options;
  options.import = "a-1";
  auto tables = OpenTables(*connection, policy_, KithFolder(folder_), options, cancel_);
  ASSERT_TRUE(tables) << tables.error().Text();
  ASSERT_TRUE(LockDown(*connection, {(*tables)[1].source.path}, cancel_));
  for (const OpenedTable& table : *tables) ASSERT_TRUE(connection->Execute(table.view_sql, cancel_)) << table.view_sql;
  std::vector<std::string> statements;
  for (const char* statement : kForbidden) statements.push_back(In(statement));
  EXPECT_EQ(GoThrough(*connection, statements), std::vector<std::string>());
  EXPECT_TRUE(connection->Execute("SELECT count(*) FROM people, stays", cancel_));
  auto second = database->Connect();
  ASSERT_TRUE(second);
  EXPECT_EQ(GoThrough(*second, statements), std::vector<std::string>());
}

// The twin: the same statements without LockDown. If they failed for some other reason, the test above would show
// nothing.
TEST_F(LockdownTest, TheStatementsAboveDoHarmWithoutTheLock) {
  auto database = DuckDb::Open("", LockedSettings({}, {}));
  ASSERT_TRUE(database);
  auto connection = database->Connect();
  ASSERT_TRUE(connection);
  ASSERT_EQ(Import("a-1"), "");
  EngineOptions options;
  options.import = "a-1";
  auto tables = OpenTables(*connection, policy_, KithFolder(folder_), options, cancel_);
  ASSERT_TRUE(tables);
  for (const OpenedTable& table : *tables) ASSERT_TRUE(connection->Execute(table.view_sql, cancel_));
  for (const char* statement :
       {"SELECT count(*) FROM read_csv('{}/other.csv')", "SELECT count(*) FROM read_parquet('{}/other.parquet')",
        "SELECT count(*) FROM glob('/etc/*')", "COPY (SELECT * FROM people) TO '{}/stolen.csv'",
        "ATTACH '{}/stolen.duckdb' AS stolen", "SET TimeZone = 'Asia/Tokyo'", "SET threads = 1",
        "SELECT count(*) FROM read_text('/etc/passwd')", "EXPORT DATABASE '{}/stolen'"}) {
    EXPECT_TRUE(connection->Execute(In(statement), cancel_)) << statement;
  }
}

TEST_F(LockdownTest, TimeIsUtcAndTextIsComparedByBytes) {
  Write("people.csv", "id,name\n1,a\n2,B\n3,\xC3\xA9\n4,A\n");
  auto engine = Open();
  ASSERT_TRUE(engine) << engine.error().Text();
  EXPECT_EQ(Ask(**engine, "SELECT id FROM people ORDER BY name"), "4;2;1;3");
  EXPECT_EQ(Ask(**engine, "SELECT count(*) FROM people WHERE name = 'a'"), "1");
  EXPECT_EQ(Ask(**engine, "SELECT hour(TIMESTAMPTZ '2024-07-01 12:00:00+00')"), "12");
}

TEST_F(LockdownTest, OtherEngines) {
  policy_.engine = "oracle://user:SECRETVALUE@localhost/db";
  const auto engine = Open();
  ASSERT_FALSE(engine);
  EXPECT_EQ(engine.error().code, Code::kInvalidArgument);
  EXPECT_TRUE(Has(engine.error().Text(), "unknown engine"));
  EXPECT_FALSE(Has(engine.error().Text(), "SECRETVALUE"));
}

}  // namespace
}  // namespace kith
