// Counts of 10^9 declared cells against an ordinary GROUP BY of the same columns in DuckDB, in one run: processor time
// of each in a separate process.
// Usage: cells_bench [--full] [FOLDER]   (--full: 10 million rows instead of 1)
#include <duckdb.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>

#include "analysis/cells/cells.h"
#include "engine/engine.h"
#include "kernel/unbooked.h"
#include "random/bits.h"

namespace kith {
namespace {

namespace fs = std::filesystem;

void Need(bool fine, const char* what) {
  if (fine) return;
  std::fprintf(stderr, "cells_bench: %s failed\n", what);
  std::exit(1);
}

/// DuckDB as its C API gives it, with all its threads; rows are fetched as they are made.
void ByHand(const std::string& sql) {
  duckdb_database database = nullptr;
  duckdb_connection connection = nullptr;
  Need(duckdb_open(nullptr, &database) == DuckDBSuccess && duckdb_connect(database, &connection) == DuckDBSuccess,
       "duckdb");
  duckdb_result result;
  Need(duckdb_query(connection, sql.c_str(), &result) == DuckDBSuccess, sql.c_str());
  while (duckdb_data_chunk chunk = duckdb_fetch_chunk(result)) duckdb_destroy_data_chunk(&chunk);
  duckdb_destroy_result(&result);
  duckdb_disconnect(&connection);
  duckdb_close(&database);
}

struct Cost {
  double seconds = 0, processor = 0, megabytes = 0;
};

Cost Alone(const std::function<void()>& work) {
  rusage used{};
  int status = 0;
  const auto start = std::chrono::steady_clock::now();
  std::fflush(stdout);
  const pid_t child = ::fork();
  Need(child >= 0, "fork");
  if (child == 0) {
    work();
    std::fflush(stdout);
    std::_Exit(0);
  }
  Need(::wait4(child, &status, 0, &used) == child && status == 0, "a part");
  const auto time = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
          time(used.ru_utime) + time(used.ru_stime), static_cast<double>(used.ru_maxrss) / 1024};
}

Policy PolicyFor(const fs::path& folder, const std::string& columns) {
  const std::string text =
      "[data]\nfrozen = true\ntables.people = \"people.parquet\"\n[unit]\ntable = \"people\"\nrow = true\npresence = "
      "\"secret\"\n"
      "[columns.people]\n" +
      columns + "[dependence]\nsource = \"public\"\nkind = \"independent\"\n[budget]\nepsilon = 1\nledger = \"l\"\n";
  auto policy = Policy::Parse(text, folder / "policy.toml");
  Need(policy.has_value(), "policy");
  return *std::move(policy);
}

void Ask(const Policy& policy, const std::vector<std::string>& columns) {
  CellsOptions options;
  options.columns = columns;
  options.false_cells = 1;
  const auto cells = CellCounts::Make(options, policy);
  Need(cells.has_value(), "cells");
  const CancelFlag never;
  auto session = OpenSession(policy, {}, never);
  Need(session.has_value(), "open");
  const PlainUnits share[] = {PlainUnits::Of(PlainUnits::kOne)};
  const Vault vault(policy, **session, SystemBits::ForThisThread(), never);
  Paid paid = Unbooked::Of(share[0], policy.cells.size());
  const auto found = (*cells)->Run(vault, paid, share);
  Need(found.has_value(), "run");
  std::printf("  %.3g cells, %zu shown\n", static_cast<double>((*cells)->plan().cells), found->rows.size());
}

void Compare(const fs::path& folder, const char* name, const std::string& columns,
             const std::vector<std::string>& names, const std::string& hand) {
  std::printf("%s\n", name);
  const Policy policy = PolicyFor(folder, columns);
  const Cost plain = Alone([&] { ByHand(hand); });
  const Cost kith = Alone([&] { Ask(policy, names); });
  std::printf(
      "  plain GROUP BY %.2f s, %.2f s of processor, %.0f MB; kith %.2f s, %.2f s of processor, %.0f MB: %.2f times "
      "the processor time\n",
      plain.seconds, plain.processor, plain.megabytes, kith.seconds, kith.processor, kith.megabytes,
      kith.processor / plain.processor);
}

}  // namespace
}  // namespace kith

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  bool full = false;
  fs::path folder = fs::temp_directory_path() / ("kith_cells_" + std::to_string(::getpid()));
  for (int k = 1; k < argc; ++k) {
    if (std::string(argv[k]) == "--full")
      full = true;
    else
      folder = argv[k];
  }
  fs::create_directories(folder);
  const std::string file = (folder / "people.parquet").string(), rows = full ? "10000000" : "1000000";
  // Half of the rows in few cells, half anywhere.
  kith::Alone([&] {
    kith::ByHand(
        "COPY (SELECT CAST(CASE WHEN i % 2 = 0 THEN hash(i) % 1000 ELSE hash(i) % 1000000000 END AS BIGINT) AS code, "
        "printf('%05d', CAST(hash(i + 7) % 100000 AS BIGINT)) AS zip, CAST(hash(i + 9) % 10000 AS BIGINT) AS dx FROM "
        "range(" +
        rows + ") AS r(i)) TO '" + file + "' (FORMAT parquet)");
  });
  const std::string from = " FROM '" + file + "' GROUP BY ";
  kith::Compare(folder, "whole numbers, 10^9", "code = { lower = 0, upper = 999999999 }\n", {"code"},
                "SELECT code, count(*)" + from + "code");
  kith::Compare(folder, "codes of five digits by numbers, 10^9",
                "zip = { pattern = \"[0-9]{5}\" }\ndx = { lower = 0, upper = 9999 }\n", {"zip", "dx"},
                "SELECT zip, dx, count(*)" + from + "zip, dx");
  fs::remove_all(folder);
  return 0;
}
