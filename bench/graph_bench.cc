// A graph that lives in a server: how many records, links and links of one record there are, counted where the edges
// are (graph/edges_table.h), compared with the server's own count of rows by their first name. Run with its own server:
//   tests/support/with_postgresql /usr/lib/postgresql/15/bin build/bench/graph_bench [--stream] [EDGES...]
//   tests/trino/with_trino third_party/trino build/bench/graph_bench [--stream] [EDGES...]
// --stream: the graph is read as well, as a field needs it. A tenth as many records as edges.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "bench/servers.h"
#include "graph/edges_table.h"

namespace {

using kith::Policy;
using kith::bench::Cost;
using kith::bench::Server;
using kith::bench::Stop;
using kith::bench::Take;

/// The table's name.
std::string Fill(Server& server, std::int64_t edges) {
  const std::string table = fmt::format("edges{}", edges), name = server.Name(table);
  if (server.Has(table)) return table;
  const std::int64_t records = std::max<std::int64_t>(edges / 10, 2);
  const std::string ends =
      fmt::format("SELECT i * 2654435761 % {0} AS a, (i * 48271 + i / {0} * 7919 + 1) % {0} AS b FROM ", records);
  if (server.is_trino()) {
    server.Do(
        fmt::format("CREATE TABLE {} WITH (format = 'PARQUET') AS {}TABLE(sequence(start => 1, stop => {})) AS s(i)",
                    name, ends, edges));
    return table;
  }
  server.Do(
      fmt::format("CREATE UNLOGGED TABLE {} AS {}generate_series(CAST(1 AS bigint), {}) AS i", name, ends, edges));
  server.Do("VACUUM ANALYZE " + name);
  return table;
}

Policy PolicyOf(const std::filesystem::path& folder, const Server& server, const std::string& table,
                std::int64_t records) {
  const std::string text = fmt::format(
      "[data]\n{0}tables.people = \"bench.people\"\ntables.friends = {{ source = \"bench.{1}\", public = true }}\n"
      "[unit]\ntable = \"people\"\nkey = \"id\"\nmax_rows = 1\npresence = \"public\"\n[columns.people]\n"
      "age = {{ type = \"integer\", lower = 0, upper = 99 }}\n[columns.friends]\na = {{ type = \"integer\" }}\n"
      "b = {{ type = \"integer\" }}\n[dependence]\nsource = \"public\"\nkind = \"field\"\nnodes = {2}\n"
      "edges = {{ table = \"friends\", from = \"a\", to = \"b\" }}\ntheta = 0.01\n[budget]\nepsilon = 1\n"
      "ledger = \"g.ledger\"\n",
      server.Place(), table, records);
  auto policy = Policy::Parse(text, folder / "g.toml");
  if (!policy) Stop(policy.error().Text());
  return *policy;
}

kith::EdgesTable Open(const Policy& policy) {
  auto opened = kith::EdgesTable::Open(policy, {}, {});
  if (!opened) Stop(opened.error().Text());
  return *std::move(opened);
}

void Measure(Server& server, std::int64_t edges, bool stream, const std::filesystem::path& folder) {
  const std::string table = Fill(server, edges);
  const std::int64_t records = std::max<std::int64_t>(edges / 10, 2);
  const Policy policy = PolicyOf(folder, server, table, records);
  const Cost plain = Take(1, server, [&] {
    server.Do(fmt::format("SELECT max(n) FROM (SELECT count(*) AS n FROM {} GROUP BY a) AS d", server.Name(table)));
  });
  kith::LinkCounts counts;
  const Cost counting = Take(1, server, [&] {
    const auto counted = Open(policy).Count({});
    if (!counted) Stop(counted.error().Text());
    counts = *counted;
  });
  fmt::print(
      "{:>11} edges  {} links of {} records, at most {} of one: {:.1f} s, processor {:.1f} s (plain count by one "
      "end {:.1f} s, processor {:.1f} s)   client {} MB, server {} MB\n",
      counts.rows, counts.links, counts.records, counts.largest_degree, counting.seconds, counting.processor,
      plain.seconds, plain.processor, kith::bench::OwnMemory(), server.Memory());
  std::fflush(stdout);
  if (!stream) return;
  const Cost reading = Take(1, server, [&] {
    kith::GraphFile wanted;
    wanted.records = records;
    const auto graph = Open(policy).Load(wanted, {}, {});
    if (!graph) Stop(graph.error().Text());
  });
  fmt::print("{:>11} edges  read as a stream: {:.1f} s, processor {:.1f} s   client {} MB\n", edges, reading.seconds,
             reading.processor, kith::bench::OwnMemory());
}

}  // namespace

int main(int count, char** arguments) {
  const auto server = kith::bench::RunningServer();
  if (!server) return 0;
  std::vector<std::int64_t> sizes;
  bool stream = false;
  for (int k = 1; k < count; ++k) {
    if (std::string(arguments[k]) == "--stream") stream = true;
    if (const std::int64_t edges = std::atoll(arguments[k]); edges > 0) sizes.push_back(edges);
  }
  if (sizes.empty()) sizes = {1'000'000};
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("kith-graph-bench-{}", ::getpid());
  std::filesystem::create_directories(folder);
  for (const std::int64_t edges : sizes) Measure(*server, edges, stream, folder);
  std::filesystem::remove_all(folder);
}
