// The engine against DuckDB by hand, in one run: a GROUP BY through Run, the import of a CSV file, and the opening of
// its snapshot. Usage: engine_bench [--full] [FOLDER]   (--full: 100 million rows instead of 10)
#include <duckdb.h>
#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "engine/engine.h"

namespace kith {
namespace {

namespace fs = std::filesystem;

void Need(bool fine, const char* what) {
  if (fine) return;
  std::fprintf(stderr, "engine_bench: %s failed\n", what);
  std::exit(1);
}

/// DuckDB as its C API gives it, with all its threads.
class ByHand {
 public:
  explicit ByHand(const fs::path& file) {
    Need(duckdb_open(file.empty() ? nullptr : file.c_str(), &database_) == DuckDBSuccess, "duckdb_open");
    Need(duckdb_connect(database_, &connection_) == DuckDBSuccess, "duckdb_connect");
  }
  ~ByHand() {
    duckdb_disconnect(&connection_);
    duckdb_close(&database_);
  }
  ByHand(const ByHand&) = delete;
  ByHand& operator=(const ByHand&) = delete;

  /// Returns the number of rows.
  idx_t Run(const std::string& sql) {
    duckdb_result result;
    Need(duckdb_query(connection_, sql.c_str(), &result) == DuckDBSuccess, sql.c_str());
    const idx_t rows = duckdb_row_count(&result);
    duckdb_destroy_result(&result);
    return rows;
  }

 private:
  duckdb_database database_ = nullptr;
  duckdb_connection connection_ = nullptr;
};

double Seconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double Median(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

Column Declared(const char* name, ColumnType type) {
  Column column;
  column.name = name;
  column.type = type;
  return column;
}

Policy PolicyFor(const fs::path& folder, const std::string& source) {
  Policy policy;
  policy.file = folder / "policy.toml";
  policy.unit.table = "people";
  policy.tables.push_back(
      {"people", source, false, {Declared("region", ColumnType::kInteger), Declared("age", ColumnType::kInteger)}});
  return policy;
}

void BenchRun(const fs::path& folder, std::int64_t rows) {
  const fs::path file = folder / "people.duckdb";
  ByHand(file).Run(
      "CREATE TABLE people AS SELECT (hash(range) % 100)::BIGINT AS region, (hash(range + 1) % 120)::BIGINT AS age "
      "FROM range(" +
      std::to_string(rows) + ")");
  const std::string sql =
      "SELECT region, count(*), sum(CASE WHEN age < 0 THEN 0 WHEN age > 100 THEN 100 ELSE age END) FROM people GROUP "
      "BY region";
  const CancelFlag never;
  std::vector<double> by_hand, through_run;
  {
    auto engine = OpenSession(PolicyFor(folder, "people.duckdb"), {}, never);
    Need(engine.has_value(), "OpenSession");
    ByHand hand(fs::path{});
    hand.Run("ATTACH '" + file.string() + "' AS d (READ_ONLY)");
    hand.Run("USE d");
    for (int i = 0; i < 9; ++i) {
      by_hand.push_back(Seconds([&] { Need(hand.Run(sql) == 100, "by hand"); }));
      through_run.push_back(Seconds([&] { Need((*engine)->RunText(sql, never)->rows.size() == 100, "Run"); }));
    }
  }
  const double hand = Median(by_hand), run = Median(through_run);
  std::printf("GROUP BY over %lld rows: by hand %.1f ms, through Run %.1f ms, ratio %.3f\n",
              static_cast<long long>(rows), 1e3 * hand, 1e3 * run, run / hand);
}

void BenchImport(const fs::path& folder, std::int64_t rows) {
  const fs::path csv = folder / "people.csv";
  ByHand(fs::path{})
      .Run(
          "COPY (SELECT range AS id, (hash(range) % 100)::BIGINT AS region, (hash(range + 1) % 120)::BIGINT AS age, "
          "'name ' || range AS name FROM range(" +
          std::to_string(rows) + ")) TO '" + csv.string() + "' (HEADER)");
  const double hand = Seconds([&] {
    ByHand(folder / "hand.duckdb")
        .Run("CREATE TABLE people AS SELECT region, age FROM read_csv('" + csv.string() +
             "', auto_detect = false, header = true, columns = {'id': 'BIGINT', 'region': 'BIGINT', "
             "'age': 'BIGINT', 'name': 'VARCHAR'})");
  });
  const CancelFlag never;
  const Policy policy = PolicyFor(folder, "people.csv");
  const auto lock = ImportLock::Take(policy, never);
  Need(lock.has_value(), "lock");
  EngineOptions options;
  options.import = "bench";
  const double import =
      Seconds([&] { Need(ImportTables(*lock, policy, options.import, {}, options, never).has_value(), "import"); });
  std::vector<double> openings;
  for (int i = 0; i < 5; ++i) {
    openings.push_back(Seconds([&] { Need(OpenSession(policy, options, never).has_value(), "opening"); }));
  }
  const double megabytes = static_cast<double>(fs::file_size(csv)) / 1e6;
  std::printf(
      "import of %.0f MB CSV: DuckDB's reader %.0f MB/s, kith %.0f MB/s (with digest, types checked), ratio %.2f\n",
      megabytes, megabytes / hand, megabytes / import, import / hand);
  std::printf("opening an existing snapshot: %.1f ms\n", 1e3 * Median(openings));
}

}  // namespace
}  // namespace kith

int main(int argc, char** argv) {
  std::int64_t rows = 10'000'000;
  std::string parent = ".";
  for (int i = 1; i < argc; ++i) {
    if (std::string(argv[i]) == "--full") {
      rows = 100'000'000;
    } else {
      parent = argv[i];
    }
  }
  std::string name = parent + "/engine-bench-XXXXXX";
  kith::Need(::mkdtemp(name.data()) != nullptr, "mkdtemp");
  const std::filesystem::path folder = std::filesystem::canonical(name);
  kith::BenchRun(folder, rows);
  kith::BenchImport(folder, rows / 2);
  std::filesystem::remove_all(folder);
  return 0;
}
