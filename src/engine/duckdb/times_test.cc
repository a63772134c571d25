// Raw times that no text can write: whatever they are, every question can be asked.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <limits>
#include <utility>

#include "engine/duckdb/duckdb_state.h"
#include "engine/duckdb/engine_fixture.h"
#include "engine/duckdb/source.h"
#include "query/plan.h"

namespace kith {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();

struct TimeType {
  const char* name;
  duckdb_type type;
  std::int64_t noon;  // 2001-01-01 12:00:00; for DATE the day
};
constexpr TimeType kTypes[] = {
    {"TIMESTAMP_S", DUCKDB_TYPE_TIMESTAMP_S, 978'350'400},
    {"TIMESTAMP_MS", DUCKDB_TYPE_TIMESTAMP_MS, 978'350'400'000},
    {"TIMESTAMP", DUCKDB_TYPE_TIMESTAMP, 978'350'400'000'000},
    {"TIMESTAMP_NS", DUCKDB_TYPE_TIMESTAMP_NS, 978'350'400'000'000'000},
    {"TIMESTAMP WITH TIME ZONE", DUCKDB_TYPE_TIMESTAMP_TZ, 978'350'400'000'000},
    {"TIME", DUCKDB_TYPE_TIME, 43'200'000'000},
    {"DATE", DUCKDB_TYPE_DATE, 11'323},
};

std::vector<std::int64_t> Extremes(duckdb_type type) {
  std::vector<std::int64_t> raw;
  if (type == DUCKDB_TYPE_DATE) {
    constexpr std::int64_t kEnd = std::numeric_limits<std::int32_t>::max();
    for (std::int64_t k : {0, 1, 2}) raw.insert(raw.end(), {kEnd - k, -kEnd + k - 1});
    raw.insert(raw.end(), {106'751'991, 106'751'992, -106'751'991, -106'751'992, 1 << 30});  // the ends of TIMESTAMP
    return raw;
  }
  for (std::int64_t scale : {1, 1'000, 1'000'000, 1'000'000'000}) {
    for (std::int64_t k : {0, 1, 2}) raw.insert(raw.end(), {kMost / scale - k, kLeast / scale + k});
    raw.insert(raw.end(), {kMost / scale / 2, 9'223'372'036'855 / scale, kMost / scale + (scale > 1 ? 1 : 0)});
  }
  raw.insert(raw.end(), {-1, 86'400'000'000, 86'400'000'001, 9'223'372'022'400'000, 9'223'372'022'400'001});
  return raw;
}

class TimesTest : public EngineFixture {
 protected:
  /// Writes table `people` with `id` and `c`, row 0 ordinary, the others raw: to people.duckdb, and to people.parquet
  /// if DuckDB's writer can. Returns whether there is a Parquet file.
  bool MakeFiles(const TimeType& type, const std::vector<std::int64_t>& raw) {
    for (const char* old : {"people.duckdb", "people.parquet"}) std::filesystem::remove(folder_ / old);
    auto database = DuckDb::Open((folder_ / "people.duckdb").string(), {});
    EXPECT_TRUE(database);
    auto connection = database->Connect();
    EXPECT_TRUE(connection->Execute(fmt::format("CREATE TABLE people (id BIGINT, c {})", type.name), cancel_));
    DuckDbOwned<duckdb_appender, Destroy> appender;
    EXPECT_EQ(duckdb_appender_create(connection->state().connection, nullptr, "people", appender.out()), DuckDBSuccess);
    const OwnedType number(duckdb_create_logical_type(DUCKDB_TYPE_BIGINT));
    const OwnedType time(duckdb_create_logical_type(type.type));
    duckdb_logical_type types[] = {number.get(), time.get()};
    const OwnedChunk chunk(duckdb_create_data_chunk(types, 2));
    void* ids = duckdb_vector_get_data(duckdb_data_chunk_get_vector(chunk.get(), 0));
    void* times = duckdb_vector_get_data(duckdb_data_chunk_get_vector(chunk.get(), 1));
    for (std::size_t row = 0; row <= raw.size(); ++row) {
      const std::int64_t value = row == 0 ? type.noon : raw[row - 1];
      static_cast<std::int64_t*>(ids)[row] = static_cast<std::int64_t>(row);
      if (type.type == DUCKDB_TYPE_DATE) {
        static_cast<std::int32_t*>(times)[row] = static_cast<std::int32_t>(value);
      } else {
        static_cast<std::int64_t*>(times)[row] = value;
      }
    }
    duckdb_data_chunk_set_size(chunk.get(), raw.size() + 1);
    EXPECT_EQ(duckdb_append_data_chunk(appender.get(), chunk.get()), DuckDBSuccess);
    EXPECT_EQ(duckdb_appender_flush(appender.get()), DuckDBSuccess);
    const std::string parquet = QuotedText((folder_ / "people.parquet").string());
    return connection->Execute(fmt::format("COPY people TO {} (FORMAT parquet)", parquet), cancel_).has_value();
  }

  void DeclareAs(ColumnType type) {
    policy_.tables[0].columns.clear();
    Declare("c", type);
    policy_.unit.key = "id";
    policy_.unit.max_rows = 1;
  }

  /// Questions as analysts ask them, planned and run. What the first gave: rows whose value is there.
  void AskAll(const std::string& source, ColumnType type, std::size_t rows, const std::string& what) {
    policy_.tables[0].source = source;
    DeclareAs(type);
    policy_.cells = Cells::Of(policy_.unit_table(), "");
    std::vector<std::string> questions = {"count(*) FROM people WHERE c IS NOT NULL", "count(*) FROM people"};
    if (type == ColumnType::kText) {
      questions.emplace_back("count(*) FROM people WHERE c LIKE '%1%'");
      questions.emplace_back("count(*) FROM people WHERE c > 'a'");
    } else {
      for (const char* part : {"year", "month", "week", "day", "isodow", "quarter"}) {
        questions.push_back(fmt::format("count(*) FROM people WHERE extract({} FROM c) > 1", part));
      }
      for (const char* part : {"year", "quarter", "month", "week", "day"}) {
        questions.push_back(fmt::format("count(*) FROM people WHERE date_trunc('{}', c) > DATE '2000-01-01'", part));
      }
      questions.emplace_back("count(*) FROM people WHERE CAST(c AS timestamp) > TIMESTAMP '2000-01-01 00:00:00'");
      questions.emplace_back("count(*) FROM people WHERE CAST(c AS date) - DATE '2000-01-01' > 3");
      questions.emplace_back("count(*) FROM people WHERE c > DATE '2000-01-01'");
    }
    EngineOptions options = Options();
    options.threads = 1;  // so few rows are read by one: another would only wait
    auto engine = ImportAndOpen(policy_, options, Heard());
    ASSERT_TRUE(engine) << what << "\n" << engine.error().Text();
    EXPECT_EQ(Ask(**engine, "SELECT count(*), count(DISTINCT hash(c)) > 0 FROM people"), fmt::format("{},1", rows))
        << what;
    EXPECT_EQ(Ask(**engine, "SELECT count(c) FROM people WHERE id = 0"), "1") << what;
    for (const std::string& question : questions) {
      const auto plan = PlanQuestion("SELECT " + question, policy_);
      if (!plan) {
        EXPECT_EQ(plan.error().code, Code::kUnsupportedQuery) << question << plan.error().Text();
        continue;
      }
      ++asked_;
      EXPECT_FALSE(Has(Ask(**engine, sql::DuckDb().Write(plan->statement)), "error")) << what << ": " << question;
    }
  }

  static void Destroy(duckdb_appender* appender) { duckdb_appender_destroy(appender); }

  int asked_ = 0;
};

TEST_F(TimesTest, ExtremeRawTimesReadAsMissingOrAsThemselves_ENGINE5) {
  int parquet_files = 0;
  for (const TimeType& type : kTypes) {
    const auto all = Extremes(type.type);
    std::vector<std::vector<std::int64_t>> tables = {all};
    tables.push_back({all[0]});  // alone, so that statistics and constants meet it
    tables.push_back({all[1]});
    for (const auto& raw : tables) {
      const bool parquet = MakeFiles(type, raw);
      parquet_files += parquet ? 1 : 0;
      for (const ColumnType declared : {ColumnType::kTimestamp, ColumnType::kDate, ColumnType::kText}) {
        if (type.type == DUCKDB_TYPE_TIME && declared != ColumnType::kText) continue;
        const std::string what =
            fmt::format("{} {} as {}", type.name, raw.size() == 1 ? raw[0] : 0, DuckDbType(declared));
        AskAll("people.duckdb", declared, raw.size() + 1, what);
        if (parquet) AskAll("people.parquet", declared, raw.size() + 1, what + ", Parquet");
        if (HasFatalFailure()) return;
      }
    }
  }
  EXPECT_GT(parquet_files, 8);
  EXPECT_GT(asked_, 500);
}

// A key or group without a declared type is turned into text by some questions.
TEST_F(TimesTest, UndeclaredKeysCanBeTurnedIntoText) {
  for (const TimeType& type : kTypes) {
    MakeFiles(type, Extremes(type.type));
    policy_.tables[0].source = "people.duckdb";
    policy_.tables[0].columns.clear();
    Declare("id", ColumnType::kInteger);
    policy_.unit.key = "c";
    auto engine = Open();
    ASSERT_TRUE(engine) << engine.error().Text();
    EXPECT_EQ(Ask(**engine, "SELECT count(DISTINCT CAST(c AS VARCHAR)) > 0 FROM people"), "1") << type.name;
  }
}

/// True if the statement came through. In a separate process: some raw times crash DuckDB.
bool ComesThrough(const std::filesystem::path& file, const std::string& sql) {
  const pid_t child = ::fork();
  if (child == 0) {
    const CancelFlag never;
    ::signal(SIGSEGV, SIG_DFL);
    auto database = DuckDb::Open(file.string(), {{"threads", "1"}});
    ::_exit(database && database->Connect()->Integers(sql, never) ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// The twin: the same files read only by TRY_CAST.
TEST_F(TimesTest, TryCastAloneStopsTheQuestion) {
  const std::pair<const char*, const char*> stops[] = {
      {"TIMESTAMP_S", "TIMESTAMP"},  {"TIMESTAMP_S", "DATE"},     {"TIMESTAMP_S", "VARCHAR"},
      {"TIMESTAMP_MS", "TIMESTAMP"}, {"TIMESTAMP_MS", "VARCHAR"}, {"TIMESTAMP WITH TIME ZONE", "TIMESTAMP"},
      {"TIMESTAMP", "VARCHAR"},      {"TIMESTAMP_NS", "VARCHAR"}, {"TIME", "VARCHAR"}};
  for (const auto& [name, target] : stops) {
    const TimeType* type =
        std::find_if(std::begin(kTypes), std::end(kTypes),
                     [wanted = std::string(name)](const TimeType& each) { return each.name == wanted; });
    const std::string read = fmt::format("SELECT count(hash(TRY_CAST(c AS {}))) FROM people", target);
    MakeFiles(*type, {});
    EXPECT_TRUE(ComesThrough(folder_ / "people.duckdb", read)) << name << " as " << target;
    MakeFiles(*type, Extremes(type->type));
    EXPECT_FALSE(ComesThrough(folder_ / "people.duckdb", read)) << name << " as " << target;
  }
}

// Text can do it too: this one stopped the import of a whole CSV file.
TEST_F(TimesTest, TextsOfExtremeTimes) {
  Declare("day", ColumnType::kDate);
  Declare("at", ColumnType::kTimestamp);
  Write("people.csv",
        "day,at\n2001-01-01,2001-01-01 12:00:00\n5881580-07-10,294247-01-10 04:00:54.775806\n"
        "5877642-06-25 (BC),290309-12-22 (BC) 00:00:00\n294247-01-10,294247-01-10 04:00:54.775806+00\n");
  EXPECT_EQ(OpenAndAsk("SELECT count(*), count(day), count(\"at\") FROM people"), "4,1,1");
  auto database = DuckDb::Open("", {});
  ASSERT_TRUE(database);
  EXPECT_FALSE(database->Connect()->Integers(
      "SELECT count(TRY_CAST(x AS TIMESTAMP WITH TIME ZONE)) FROM (VALUES ('294247-01-10 04:00:54.775806')) AS t(x)",
      cancel_));
}

}  // namespace
}  // namespace kith
