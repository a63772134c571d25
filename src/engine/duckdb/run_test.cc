// Running SQL: integers of every width, failures without data in them, cancelling, changed files.
#include <time.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <thread>

#include "engine/duckdb/duckdb_state.h"
#include "engine/duckdb/engine_fixture.h"
#include "engine/duckdb/lockdown.h"
#include "engine/key_scan.h"

namespace kith {
namespace {

class RunTest : public EngineFixture {
 protected:
  RunTest() {
    Declare("id", ColumnType::kInteger);
    Declare("name", ColumnType::kText);
    Write("people.csv", "id,name\n1,SECRETVALUE\n2,bob\n");
  }
};

TEST_F(RunTest, IntegersOfEveryWidth) {
  auto engine = Open();
  ASSERT_TRUE(engine) << engine.error().Text();
  EXPECT_EQ(Ask(**engine,
                "SELECT (-128)::TINYINT, 255::UTINYINT, (-32768)::SMALLINT, 65535::USMALLINT, "
                "(-2147483648)::INTEGER, 4294967295::UINTEGER, true, NULL::BIGINT"),
            "-128,255,-32768,65535,-2147483648,4294967295,1,NULL");
  EXPECT_EQ(Ask(**engine, "SELECT (-9223372036854775808)::BIGINT, 18446744073709551615::UBIGINT"),
            "-9223372036854775808,18446744073709551615");
  EXPECT_EQ(Ask(**engine,
                "SELECT '170141183460469231731687303715884105727'::HUGEINT, "
                "'-170141183460469231731687303715884105728'::HUGEINT, (-1)::HUGEINT, "
                "'18446744073709551616'::HUGEINT"),
            "170141183460469231731687303715884105727,-170141183460469231731687303715884105728,-1,18446744073709551616");
}

// One group of DuckDB's rows is for one thread: others would be woken for nothing.
TEST_F(RunTest, SmallSnapshotsAreReadByOneThreadAndLargeOnesAsTheCallerSays) {
  constexpr char kThreads[] = "SELECT current_setting('threads')::BIGINT";
  const auto asked_for = [&](int threads) {
    EngineOptions options = Options();
    options.threads = threads;
    auto engine = ImportAndOpen(policy_, options, Heard());
    return engine ? Ask(**engine, kThreads) : engine.error().Text();
  };
  EXPECT_EQ(asked_for(0), "1");
  EXPECT_EQ(asked_for(3), "3");
  std::string rows = "id,name\n";
  for (int id = 0; id < 122'881; ++id) rows += std::to_string(id) + ",x\n";
  Write("people.csv", rows);
  const auto usual = DuckDb::Open("", {});
  ASSERT_TRUE(usual) << usual.error().Text();
  const auto all = usual->Connect()->Integers(kThreads, cancel_);
  ASSERT_TRUE(all) << all.error().Text();
  EXPECT_EQ(asked_for(0), ToText(*all->rows[0][0]));
  EXPECT_EQ(asked_for(3), "3");
}

TEST_F(RunTest, UnsignedBeyondTheSignedRangeSaturates) {
  auto engine = Open();
  ASSERT_TRUE(engine) << engine.error().Text();
  EXPECT_EQ(Ask(**engine,
                "SELECT '340282366920938463463374607431768211455'::UHUGEINT, "
                "'170141183460469231731687303715884105728'::UHUGEINT, "
                "'170141183460469231731687303715884105727'::UHUGEINT, 0::UHUGEINT"),
            "170141183460469231731687303715884105727,170141183460469231731687303715884105727,"
            "170141183460469231731687303715884105727,0");
}

TEST_F(RunTest, DecimalsWithoutFraction) {
  auto engine = Open();
  ASSERT_TRUE(engine) << engine.error().Text();
  EXPECT_EQ(Ask(**engine,
                "SELECT (-42)::DECIMAL(4,0), 42::DECIMAL(9,0), 42::DECIMAL(18,0), "
                "'99999999999999999999999999999999999999'::DECIMAL(38,0)"),
            "-42,42,42,99999999999999999999999999999999999999");
}

TEST_F(RunTest, WhatIsNoIntegerIsRefusedWhateverItsValue) {
  auto engine = Open();
  ASSERT_TRUE(engine) << engine.error().Text();
  for (const char* sql :
       {"SELECT 1.0::DOUBLE", "SELECT 1::FLOAT", "SELECT 1.0::DECIMAL(5,1)", "SELECT 'x'", "SELECT DATE '2024-01-01'",
        "SELECT [1]", "SELECT {'a': 1}", "SELECT sum(id::DOUBLE) FROM people WHERE false", "SELECT INTERVAL 1 DAY",
        "SELECT name FROM people"}) {
    auto result = (*engine)->RunText(sql, cancel_);
    ASSERT_FALSE(result) << sql;
    EXPECT_EQ(result.error().code, Code::kInternal) << sql;
  }
}

TEST_F(RunTest, ScansHandOverAllRowsInTheOrderOfTheStatement) {
  auto engine = Open();
  ASSERT_TRUE(engine) << engine.error().Text();
  std::vector<std::int64_t> seen;
  std::size_t chunks = 0;
  const IntegerSink take = [&](IntegerColumns columns) -> Result<void> {
    ++chunks;
    EXPECT_EQ(columns.size(), 2U);
    for (std::size_t row = 0; row < columns[0].size(); ++row) {
      EXPECT_EQ(columns[1][row], -columns[0][row]);
      seen.push_back(columns[0][row]);
    }
    return {};
  };
  const auto scanned = (*engine)->ScanText(
      "SELECT (9999 - range)::INTEGER AS a, range - 9999 FROM range(10000) ORDER BY a", take, cancel_);
  ASSERT_TRUE(scanned) << scanned.error().Text();
  EXPECT_GT(chunks, 1U);
  ASSERT_EQ(seen.size(), 10000U);
  for (std::size_t k = 0; k < seen.size(); ++k) ASSERT_EQ(seen[k], static_cast<std::int64_t>(k));
}

TEST_F(RunTest, HandsOverKeysWithTheirCounts) {
  auto engine = Open();
  ASSERT_TRUE(engine) << engine.error().Text();
  std::map<std::string, std::int64_t> seen;
  const KeySink take = [&](const CountedKeys& rows) -> Result<void> {
    EXPECT_EQ(rows.keys.size(), 2U);
    for (std::size_t row = 0; row < rows.counts.size(); ++row)
      seen[std::string(rows.keys[0][row]) + "/" + std::string(rows.keys[1][row])] = rows.counts[row];
    return {};
  };
  const auto scanned = dynamic_cast<const KeyScan&>(**engine).ScanKeysText(
      "SELECT 'a long text that does not fit into a word ' || range AS k, '\xc3\xa9' AS l, range FROM range(5000)",
      take, cancel_);
  ASSERT_TRUE(scanned) << scanned.error().Text();
  ASSERT_EQ(seen.size(), 5000U);
  EXPECT_EQ(seen.at("a long text that does not fit into a word 4321/\xc3\xa9"), 4321);
  for (const char* sql : {"SELECT 1, 2", "SELECT 'x'", "SELECT 'x', 1::HUGEINT", "SELECT NULL::VARCHAR, 1",
                          "SELECT 'x', NULL::BIGINT", "SELECT name, CAST(name AS INTEGER) FROM people"}) {
    const auto refused = dynamic_cast<const KeyScan&>(**engine).ScanKeysText(sql, take, cancel_);
    ASSERT_FALSE(refused) << sql;
    EXPECT_EQ(refused.error().Text().find("SECRETVALUE"), std::string::npos) << sql;
  }
}

TEST_F(RunTest, ScansEndWithTheFirstError) {
  auto engine = Open();
  ASSERT_TRUE(engine) << engine.error().Text();
  std::size_t calls = 0;
  const IntegerSink refuse = [&](IntegerColumns) -> Result<void> {
    ++calls;
    return InternalError("enough");
  };
  const auto refused = (*engine)->ScanText("SELECT range FROM range(100000)", refuse, cancel_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what, "enough");
  EXPECT_EQ(calls, 1U);
  const IntegerSink take = [](IntegerColumns) -> Result<void> { return {}; };
  for (const char* sql : {"SELECT 1::HUGEINT", "SELECT 'x'", "SELECT 1.0::DOUBLE", "SELECT NULL::INTEGER",
                          "SELECT NULLIF(range, 7000) FROM range(9000)", "CREATE TABLE t (i INTEGER)",
                          "SELECT CAST(name AS INTEGER) FROM people"}) {
    const auto scanned = (*engine)->ScanText(sql, take, cancel_);
    ASSERT_FALSE(scanned) << sql;
    EXPECT_EQ(scanned.error().Text().find("SECRETVALUE"), std::string::npos) << sql;
  }
  const IntegerSink fail = [](IntegerColumns) -> Result<void> { throw std::bad_alloc(); };
  EXPECT_EQ((*engine)->ScanText("SELECT 1", fail, cancel_).error().code, Code::kStorage);
  CancelFlag stop;
  const IntegerSink stopping = [&](IntegerColumns) -> Result<void> {
    stop.Cancel();
    return {};
  };
  EXPECT_EQ((*engine)->ScanText("SELECT range FROM range(10000000)", stopping, stop).error().code, Code::kCancelled);
}

TEST_F(RunTest, SeveralChunks) {
  auto engine = Open();
  ASSERT_TRUE(engine) << engine.error().Text();
  auto table =
      (*engine)->RunText("SELECT range, CASE WHEN range % 3 > 0 THEN -range END FROM range(5000) ORDER BY 1", cancel_);
  ASSERT_TRUE(table) << table.error().Text();
  ASSERT_EQ(table->rows.size(), 5000U);
  EXPECT_EQ(table->columns, 2U);
  for (std::size_t i = 0; i < 5000; ++i) {
    ASSERT_EQ(table->rows[i][0], static_cast<Int128>(i));
    const auto expected = i % 3 > 0 ? std::optional(-static_cast<Int128>(i)) : std::nullopt;
    ASSERT_EQ(table->rows[i][1], expected);
  }
}

// DuckDB quotes data in its own messages: each of these does so.
const char* const kFailsOnData[] = {
    "SELECT CAST(name AS BIGINT) FROM people",
    "SELECT sum(CAST(name AS BIGINT)) FROM people",
    "SELECT error(name)::BIGINT FROM people",
    "SELECT strptime(name, '%Y')::DATE - DATE '1970-01-01' FROM people",
    "SELECT CAST(name AS DATE) - DATE '1970-01-01' FROM people",
    "SELECT sum(json_extract(name, '$')::BIGINT) FROM people",
};

TEST_F(RunTest, ErrorsHoldNoData_ENGINE1) {
  auto engine = Open();
  ASSERT_TRUE(engine) << engine.error().Text();
  for (const char* sql : kFailsOnData) {
    auto result = (*engine)->RunText(sql, cancel_);
    ASSERT_FALSE(result) << sql;
    EXPECT_FALSE(Has(result.error().Text(), "SECRETVALUE")) << sql;
    EXPECT_TRUE(Has(result.error().Text(), "refused or could not finish the SQL")) << sql;
  }
}

// The twin: the value is in DuckDB's message each time, so the test above would see it if it got through.
TEST_F(RunTest, DuckDbItselfQuotesTheValue) {
  auto database = DuckDb::Open("", {});
  ASSERT_TRUE(database);
  auto connection = database->Connect();
  ASSERT_TRUE(connection);
  ASSERT_TRUE(connection->Execute("CREATE TABLE people AS SELECT 1 AS id, 'SECRETVALUE' AS name", cancel_));
  for (const char* sql : kFailsOnData) {
    OwnedResult result;
    ASSERT_NE(duckdb_query(connection->state().connection, sql, result.out()), DuckDBSuccess) << sql;
    EXPECT_TRUE(Has(duckdb_result_error(result.out()), "SECRETVALUE")) << sql;
  }
}

TEST_F(RunTest, OverflowsDivisionsAndUnknownColumnsFailWithTheSameWords) {
  auto engine = Open();
  ASSERT_TRUE(engine) << engine.error().Text();
  const std::string refused = Ask(**engine, kFailsOnData[0]);
  for (const char* sql : {"SELECT nothing FROM people", "SELECT id + 9223372036854775807 FROM people", "SELECT FROM",
                          "SELECT id FROM elsewhere", "SELECT (id * 100)::TINYINT FROM people"}) {
    EXPECT_EQ(Ask(**engine, sql), refused) << sql;
  }
}

// Processor time of this process: a busy machine does not count.
double Worked() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

TEST_F(RunTest, CancelStopsALongQuerySoon) {
  auto engine = Open();
  ASSERT_TRUE(engine) << engine.error().Text();
  std::vector<double> worked;  // seconds between the wish to stop and the end
  for (const char* sql :
       {"SELECT sum(a.range * b.range) FROM range(100000000) a, range(1000000) b",
        "SELECT count(*) FROM (SELECT DISTINCT hash(range) FROM range(400000000))",
        "SELECT sum(r) FROM (SELECT row_number() OVER (ORDER BY hash(range)) AS r FROM range(100000000))"}) {
    CancelFlag cancel;
    double asked = 0;
    const double begun = Worked();
    std::thread user([&] {
      while (Worked() - begun < 0.3) std::this_thread::sleep_for(std::chrono::milliseconds(5));
      asked = Worked();
      cancel.Cancel();
    });
    auto result = (*engine)->RunText(sql, cancel);
    const double stopped = Worked();
    user.join();
    ASSERT_FALSE(result) << sql;
    EXPECT_EQ(result.error().code, Code::kCancelled) << result.error().Text();
    worked.push_back(stopped - asked);
  }
  // Of two threads together. The middle one has to be fast; a single one may be in the middle of something.
  std::sort(worked.begin(), worked.end());
  EXPECT_LT(worked[1], 0.4);
  EXPECT_LT(worked[2], 4);
}

TEST_F(RunTest, CancelledBeforehandDoesNothing) {
  auto engine = Open();
  ASSERT_TRUE(engine) << engine.error().Text();
  CancelFlag cancel;
  cancel.Cancel();
  auto result = (*engine)->RunText("SELECT 1", cancel);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Code::kCancelled);
  EXPECT_EQ(Ask(**engine, "SELECT count(*) FROM people"), "2");
}

TEST_F(RunTest, ManyThreadsAtOnce) {
  auto engine = Open();
  ASSERT_TRUE(engine) << engine.error().Text();
  std::vector<std::string> answers(16);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    threads.emplace_back(
        [&, i] { answers[i] = Ask(**engine, "SELECT sum(id), " + std::to_string(i) + " FROM people"); });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < answers.size(); ++i) EXPECT_EQ(answers[i], "3," + std::to_string(i));
}

TEST_F(RunTest, TooLittleMemoryIsAClearError) {
  EngineOptions options;
  options.threads = 1;
  options.memory_bytes = 30'000'000;
  auto engine = ImportAndOpen(policy_, options, cancel_);
  ASSERT_TRUE(engine) << engine.error().Text();
  auto result = (*engine)->RunText("SELECT sum(len(l)) FROM (SELECT list(range) AS l FROM range(20000000))", cancel_);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Code::kStorage);
  EXPECT_TRUE(Has(result.error().Text(), "out of memory"));
}

constexpr char kSort[] =
    "SELECT sum(r) FROM (SELECT row_number() OVER (ORDER BY hash(range)) AS r FROM range(6000000))";

TEST_F(RunTest, SpillsIntoTheKithFolderAndCleansUp) {
  EngineOptions options;
  options.threads = 1;
  options.memory_bytes = 80'000'000;
  auto engine = ImportAndOpen(policy_, options, cancel_);
  ASSERT_TRUE(engine) << engine.error().Text();
  EXPECT_EQ(Ask(**engine, kSort), "18000003000000");
  engine->reset();
  for (const auto& entry : std::filesystem::directory_iterator(folder_ / ".kith")) {
    EXPECT_NE(entry.path().filename().string().rfind("spill-", 0), 0U) << entry.path();
  }
  // Without a place to spill to, the same sort does not fit: so the first one did use it.
  auto cramped = DuckDb::Open("", LockedSettings(options, {}));
  ASSERT_TRUE(cramped);
  auto result = cramped->Connect().value().Integers(kSort, cancel_);
  ASSERT_FALSE(result);
  EXPECT_TRUE(Has(result.error().Text(), "out of memory"));
}

TEST_F(RunTest, LeftoversOfProcessesThatDiedAreRemoved) {
  std::filesystem::create_directories(folder_ / ".kith" / "spill-dead00");
  std::ofstream(folder_ / ".kith" / "spill-dead00" / "block") << "SECRETVALUE";
  auto first = Open();
  ASSERT_TRUE(first) << first.error().Text();
  EXPECT_FALSE(std::filesystem::exists(folder_ / ".kith" / "spill-dead00"));
  const auto spills = [this] {
    int count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / ".kith")) {
      if (entry.is_directory() && entry.path().filename().string().rfind("spill-", 0) == 0) ++count;
    }
    return count;
  };
  EXPECT_EQ(spills(), 1);
  auto second = Open();
  ASSERT_TRUE(second);
  EXPECT_EQ(spills(), 2);  // the first one is still in use
}

}  // namespace
}  // namespace kith
