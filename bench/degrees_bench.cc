// Degrees where a unit is a person: the pairs sorted by content, projected and counted, compared with DuckDB's own
// degree histogram of the same table without any projection, and with duplicates removed. Half of the ends are
// drawn with a preference, so that there are people with many friends.
// Usage: degrees_bench [PAIRS [distinct]]   (1,000,000 unless told otherwise; the figure is for 100,000,000)
#include <duckdb.h>
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "analysis/degrees/degrees.h"
#include "base/check.h"
#include "engine/engine.h"

namespace {

namespace fs = std::filesystem;

void Run(const fs::path& database, const std::string& sql) {
  duckdb_database db = nullptr;
  duckdb_connection connection = nullptr;
  KITH_CHECK(duckdb_open(database.c_str(), &db) == DuckDBSuccess && duckdb_connect(db, &connection) == DuckDBSuccess);
  KITH_CHECK(duckdb_query(connection, sql.c_str(), nullptr) == DuckDBSuccess);
  duckdb_disconnect(&connection);
  duckdb_close(&db);
}

template <class Work>
double Seconds(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

int main(int argc, char** argv) {
  const auto pairs = argc > 1 ? std::strtoll(argv[1], nullptr, 10) : 1'000'000;
  const auto people = pairs / 10;
  std::string name = (fs::temp_directory_path() / "kith-degrees-XXXXXX").string();
  const fs::path folder = ::mkdtemp(name.data());
  Run(folder / "pairs.duckdb",
      fmt::format(
          "CREATE TABLE t AS SELECT CAST(pow(random(), 3) * {0} AS BIGINT) AS a, CAST(random() * {0} AS BIGINT) "
          "AS b FROM range({1})",
          people, pairs));
  const auto policy =
      kith::Policy::Parse(
          "[data]\nfrozen = true\ntables.t = \"pairs.duckdb:t\"\n[unit]\ntable = \"t\"\nkey = [\"a\", \"b\"]\nmax_rows "
          "= 100\npresence = \"secret\"\n[columns.t]\na = { type = \"integer\" }\nb = { type = "
          "\"integer\" }\n[dependence]\nsource = \"public\"\nkind = \"independent\"\n[budget]\nepsilon "
          "= 1\nledger = \"l\"\n",
          folder / "policy.toml")
          .value();
  const kith::CancelFlag never;
  const auto engine = kith::OpenSession(policy, {}, never).value();
  const auto degrees = kith::Degrees::Make({{"a", "b"}, 50, std::nullopt, false, "", "", ""}, policy).value();
  const std::string own =
      "SELECT n, count(*) FROM (SELECT v, count(*) AS n FROM (SELECT a AS v FROM {0} UNION ALL SELECT b AS v FROM {0}) "
      "GROUP BY v) GROUP BY n";
  const double without =
      Seconds([&] { KITH_CHECK(engine->RunText(fmt::format(fmt::runtime(own), "t"), never).has_value()); });
  const double projected =
      Seconds([&] { KITH_CHECK(degrees->Measure(degrees->Round({}).value(), *engine, never).has_value()); });
  fmt::print(
      "{} pairs of {} people: sorted, projected to 50 and counted in {:.2f} s; DuckDB's histogram {:.2f} s, factor "
      "{:.2f}\n",
      pairs, people, projected, without, projected / without);
  if (argc > 2) {
    const double distinct = Seconds([&] {
      const std::string clean =
          "WITH p AS (SELECT DISTINCT least(a, b) AS a, greatest(a, b) AS b FROM t WHERE a <> b) ";
      KITH_CHECK(engine->RunText(clean + fmt::format(fmt::runtime(own), "p"), never).has_value());
    });
    fmt::print("DuckDB's histogram of distinct pairs {:.2f} s, factor {:.2f}\n", distinct, projected / distinct);
  }
  fs::remove_all(folder);
}
