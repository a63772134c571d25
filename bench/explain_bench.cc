// What `kith explain` costs under a policy whose graph has ten million edges: the first time, when the transfer
// function is computed, and every time after, when its table is read; compared with a policy without a graph. Usage:
// explain_bench [EDGES]
#include <duckdb.h>
#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "base/check.h"
#include "release/release.h"

namespace {

namespace fs = std::filesystem;

double Milliseconds(int rounds, const std::function<void()>& work) {
  double best = 1e300;
  for (int round = 0; round < rounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    work();
    best = std::min(best, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

// Ten neighbours ahead of everybody in a ring, under names that are far apart: no pair twice, no locality.
constexpr long kAhead = 10;
constexpr long kSpread = 7'919;

void WriteEdges(const fs::path& file, long nodes) {
  duckdb_database database;
  duckdb_connection connection;
  KITH_CHECK(duckdb_open(nullptr, &database) == DuckDBSuccess);
  KITH_CHECK(duckdb_connect(database, &connection) == DuckDBSuccess);
  const std::string sql = fmt::format(
      "COPY (SELECT i * {2} % {0} AS a, (i + k) * {2} % {0} AS b FROM range({0}) r(i), range(1, {1}) s(k)) TO '{3}' "
      "(FORMAT parquet)",
      nodes, kAhead + 1, kSpread, file.string());
  KITH_CHECK(duckdb_query(connection, sql.c_str(), nullptr) == DuckDBSuccess);
  duckdb_disconnect(&connection);
  duckdb_close(&database);
}

std::string PolicyText(const std::string& dependence) {
  return "[data]\ntables.people = \"people.csv\"\n[unit]\ntable = \"people\"\nkey = \"id\"\nmax_rows = 1\n"
         "presence = \"public\"\n[columns.people]\nid = { type = \"integer\", public = true }\n"
         "ill = { values = [\"no\", \"yes\"] }\n[dependence]\nsource = \"public\"\n" +
         dependence + "[budget]\nepsilon = 1.0\nledger = \"people.ledger\"\n";
}

void Explain(const fs::path& policy) {
  const auto curator = kith::Curator::Open(policy, {});
  if (!curator) {
    fmt::print(stderr, "explain_bench: {}\n", curator.error().Text());
    std::exit(1);
  }
  kith::Price price;
  price.epsilon = 0.1;
  const auto explained =
      curator->Explain(kith::QuestionRequest{"SELECT count(*) FROM people WHERE ill = 'yes'"}, price);
  KITH_CHECK(explained.has_value() && explained->affordable);
}

}  // namespace

int main(int argc, char** argv) {
  const long asked = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 0;
  const long nodes = std::max(asked > 0 ? asked : 10'000'000, 1000L) / kAhead;
  const long edges = nodes * kAhead;
  std::string pattern = (fs::temp_directory_path() / "explain_bench_XXXXXX").string();
  KITH_CHECK(mkdtemp(pattern.data()) != nullptr);
  const fs::path folder = pattern;
  WriteEdges(folder / "friends.parquet", nodes);
  std::ofstream(folder / "graph.toml") << PolicyText(
      fmt::format("kind = \"field\"\nnodes = {}\nedges = \"friends.parquet\"\ntheta = 0.05\n", nodes));
  std::ofstream(folder / "none.toml") << PolicyText("kind = \"independent\"\n");
  const double without = Milliseconds(20, [&] { Explain(folder / "none.toml"); });
  const double first = Milliseconds(1, [&] { Explain(folder / "graph.toml"); });
  const double after = Milliseconds(20, [&] { Explain(folder / "graph.toml"); });
  fmt::print(
      "explain, graph of {} edges: first {:.0f} ms, after that {:.2f} ms (allowed: 30); without a graph {:.2f} ms\n",
      edges, first, after, without);
  fs::remove_all(folder);
  return after <= 30 ? 0 : 1;
}
