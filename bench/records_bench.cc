// Releasing records against copying the same rows to Parquet with DuckDB by hand, in one run. The table is a DuckDB
// file of office, day, arrival, people; three rows in four are not sensitive. The copy has the same columns and the
// rows that are not sensitive, so that both read the same table, and it writes more rows than the release. Usage:
// records_bench [--full] [FOLDER]   (--full: 100 million rows instead of 10)
#include <duckdb.h>
#include <stdlib.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "release/release.h"

namespace {

namespace fs = std::filesystem;

void Need(bool fine, const std::string& what) {
  if (fine) return;
  std::fprintf(stderr, "records_bench: %s failed\n", what.c_str());
  std::exit(1);
}

/// DuckDB by hand, with the settings that kith uses and all its threads.
double Run(const fs::path& file, const std::string& sql) {
  duckdb_database database = nullptr;
  duckdb_connection connection = nullptr;
  Need(duckdb_open(file.c_str(), &database) == DuckDBSuccess, "duckdb_open");
  Need(duckdb_connect(database, &connection) == DuckDBSuccess, "duckdb_connect");
  duckdb_query(connection, "SET preserve_insertion_order = false", nullptr);
  const auto start = std::chrono::steady_clock::now();
  Need(duckdb_query(connection, sql.c_str(), nullptr) == DuckDBSuccess, sql);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  duckdb_disconnect(&connection);
  duckdb_close(&database);
  return seconds;
}

constexpr const char* kPolicy = R"(
[data]
frozen = true
tables.days = "days.duckdb:days"
[unit]
table = "days"
row = true
presence = "public"
[columns.days]
office = { type = "integer", public = true }
day = { type = "integer", public = true }
arrival = { lower = 0, upper = 1440 }
people = { lower = 0, upper = 20 }
[dependence]
source = "public"
kind = "independent"
[budget]
epsilon = 1
ledger = "days.ledger"
[one_sided]
sensitive = "arrival > 600"
epsilon = 10000
)";

}  // namespace

int main(int argc, char** argv) {
  const bool full = argc > 1 && std::strcmp(argv[1], "--full") == 0;
  const fs::path above = argc > (full ? 2 : 1) ? argv[full ? 2 : 1] : fs::temp_directory_path();
  const long rows = full ? 100'000'000 : 10'000'000;
  const fs::path folder = above / ("kith_records_bench_" + std::to_string(getpid()));
  fs::create_directories(folder);
  std::ofstream(folder / "policy.toml") << kPolicy;
  const fs::path data = folder / "days.duckdb";
  Run(data,
      "CREATE TABLE days AS SELECT CAST(i // 250 AS BIGINT) AS office, CAST(i % 250 AS BIGINT) AS day, "
      "CAST(400 + hash(i) % 267 AS BIGINT) AS arrival, CAST(hash(i + 1) % 9 AS BIGINT) AS people FROM range(" +
          std::to_string(rows) + ") AS r(i)");
  const std::string copy = (folder / "copy.parquet").string();
  const double by_hand =
      Run(data, "COPY (SELECT office, day, arrival, people FROM days WHERE (arrival > 600) IS FALSE) TO '" + copy +
                    "' (FORMAT parquet, COMPRESSION snappy)");
  std::printf("copy by hand: %.2f s, %.1f Mrow/s read, %.0f MB\n", by_hand, static_cast<double>(rows) / by_hand / 1e6,
              static_cast<double>(fs::file_size(copy)) / 1e6);
  const auto curator = kith::Curator::Open(folder / "policy.toml", {});
  Need(curator.has_value(), "Curator::Open");
  const kith::CancelFlag never;
  Need(curator->Import(never).has_value(), "Import");
  for (const bool sorted : {false, true})
    for (const double epsilon : {0.1, 1.0, 20.0}) {
      const fs::path out = folder / ("out_" + std::to_string(epsilon) + (sorted ? "s" : "") + ".parquet");
      const auto start = std::chrono::steady_clock::now();
      const auto report = curator->Release(kith::RecordsRequest{"", epsilon, out, !sorted}, {}, {}, never);
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      Need(report.has_value(), "Release");
      std::printf("release at epsilon %-4g, %s: %.2f s, %lld rows, %.2f of the copy's speed (at least 0.5 is wanted)\n",
                  epsilon, sorted ? "sorted" : "in the table's order", seconds,
                  static_cast<long long>(report->records->released), by_hand / seconds);
    }
  fs::remove_all(folder);
  return 0;
}
