// A private GROUP BY over many rows against the same aggregate typed by hand into DuckDB, in one run: what kith's own
// SQL costs. Usage: query_bench [ROWS]   (default 100 million; the table is made in a scratch folder and removed)
#include <duckdb.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "base/check.h"
#include "release/release.h"

namespace {

namespace fs = std::filesystem;

// The peer: one database, one connection, SQL as a person would type it.
class Hand {
 public:
  explicit Hand(const fs::path& file) {
    KITH_CHECK(duckdb_open(file.c_str(), &database_) == DuckDBSuccess);
    KITH_CHECK(duckdb_connect(database_, &connection_) == DuckDBSuccess);
  }
  ~Hand() {
    duckdb_disconnect(&connection_);
    duckdb_close(&database_);
  }
  void Run(const std::string& sql) {
    duckdb_result result;
    if (duckdb_query(connection_, sql.c_str(), &result) != DuckDBSuccess) {
      fmt::print(stderr, "{}\n", duckdb_result_error(&result));
      std::abort();
    }
    duckdb_destroy_result(&result);
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

// The smaller of several alternating runs: noise of the machine only adds.
struct Pair {
  double kith = 1e300, hand = 1e300;
};
Pair Race(int rounds, const std::function<void(int)>& kith, const std::function<void()>& hand) {
  Pair best;
  for (int i = 0; i < rounds; ++i) {
    best.hand = std::min(best.hand, Seconds(hand));
    best.kith = std::min(best.kith, Seconds([&] { kith(i); }));
  }
  return best;
}

void MakeTable(const fs::path& file, long rows) {
  Hand hand(file);
  hand.Run(
      fmt::format("CREATE TABLE t AS SELECT i AS id, ['a','b','c','d','e','f','g','h'][1 + (hash(i) % 8)::INT] AS g, "
                  "(hash(i * 7) % 130)::DOUBLE - 5.25 AS x FROM range({}) r(i)",
                  rows));
}

void WritePolicy(const fs::path& folder, const std::string& name, const std::string& unit) {
  std::ofstream(folder / (name + ".toml"))
      << "[data]\nfrozen = true\ntables.t = \"t.duckdb:t\"\n[unit]\ntable = \"t\"\n"
      << unit << "presence = \"secret\"\n"
      << "[columns.t]\nid = { type = \"integer\" }\ng = { values = [\"a\",\"b\",\"c\",\"d\",\"e\",\"f\",\"g\",\"h\"] "
         "}\n"
      << "x = { type = \"real\", lower = 0, upper = 120 }\n[dependence]\nsource = \"public\"\nkind = \"independent\"\n"
      << "[budget]\nepsilon = 1000\nledger = \"" << name << ".ledger\"\n";
}

void Report(const char* what, const Pair& pair, double target) {
  fmt::print("{:<58} kith {:7.3f} s  by hand {:7.3f} s  ratio {:.3f}  (target {:.2f})\n", what, pair.kith, pair.hand,
             pair.kith / pair.hand, target);
}

}  // namespace

int main(int argc, char** argv) {
  const long rows = argc > 1 && argv[1][0] != '-' ? std::atol(argv[1]) : 100'000'000;
  const fs::path folder = fs::temp_directory_path() / fmt::format("kith_query_bench_{}", getpid());
  fs::create_directories(folder);
  MakeTable(folder / "t.duckdb", rows);
  WritePolicy(folder, "row", "row = true\n");
  WritePolicy(folder, "key", "key = \"id\"\nmax_rows = 1\n");
  const kith::CancelFlag never;
  const auto ask = [&](const kith::Curator& curator, int i) {
    kith::Price price;
    price.epsilon = 1 + 0.001 * i;  // a different price each time: otherwise the stored answer comes back
    const auto answer = curator.Release(kith::QuestionRequest{"SELECT g, sum(x) FROM t GROUP BY g"}, price, {}, never);
    if (!answer) fmt::print(stderr, "{}\n", answer.error().Text());
    KITH_CHECK(answer.has_value());
  };

  // Clamped, on the same lattice, missing and odd values as kith reads them.
  const std::string clamped =
      "CASE WHEN x IS NULL OR isnan(x) THEN 0 ELSE CAST(floor(least(greatest(x, 0.0), 120.0) * 8388608.0 + 0.5) AS "
      "INTEGER) END";
  const auto with_hand = [&](const std::string& name, const std::string& sql, double target, const char* what) {
    const auto curator = kith::Curator::Open(folder / (name + ".toml"), {});
    KITH_CHECK(curator.has_value() && curator->Import(never).has_value());
    Hand hand(":memory:");
    hand.Run(fmt::format("ATTACH '{}' AS d (READ_ONLY)", (folder / "t.duckdb").string()));
    static int round = 0;
    Report(what,
           Race(
               3, [&](int) { ask(*curator, round++); }, [&] { hand.Run(sql); }),
           target);
  };
  with_hand("row", fmt::format("SELECT g, sum({}) FROM d.t GROUP BY g", clamped), 1.10,
            "group by and sum, one row one unit");
  with_hand("row", "SELECT g, sum(x) FROM d.t GROUP BY g", 1.60, "the same against plain sum(double), nothing clamped");
  with_hand("key",
            fmt::format("SELECT g, sum({}) FROM (SELECT g, x FROM d.t QUALIFY row_number() OVER (PARTITION BY id ORDER "
                        "BY hash(g, x)) <= 1) "
                        "GROUP BY g",
                        clamped),
            1.20, "with a unit key, at most one row each");

  const auto curator = kith::Curator::Open(folder / "row.toml", {});
  kith::Price price;
  price.epsilon = 1;
  double explain = 1e300;
  for (int i = 0; i < 20; ++i) {
    explain = std::min(
        explain, Seconds([&] {
          KITH_CHECK(
              curator->Explain(kith::QuestionRequest{"SELECT g, sum(x), avg(x) FROM t WHERE x > 3 GROUP BY g"}, price)
                  .has_value());
        }));
  }
  fmt::print("{:<58} {:.2f} ms  (limit 30)\n", "explain, in process", explain * 1000);
  fs::remove_all(folder);
  return 0;
}
