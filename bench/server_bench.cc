// What a private question costs on a server, as a ratio to the same server's ordinary aggregate, by the number of rows:
// time, and processor time of all processes of the server, which others on the machine disturb less. Run with its own
// server:
//   tests/support/with_postgresql /usr/lib/postgresql/15/bin build/bench/server_bench [OPTION...] [ROWS...]
//   tests/trino/with_trino third_party/trino build/bench/server_bench [OPTION...] [ROWS...]
// --csv FILE    appends the figures; bench/cost_plot draws the file
// --turns N     this many turns of ordinary and private question, which take turns to be first (5)
// --only NAME   only this question, as often as it is given
// Each of ROWS / 2 people has two rows, in no particular order and in four partitions; in Trino it is an
// Iceberg table of Parquet files.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/servers.h"
#include "engine/engine.h"
#include "query/plan.h"

namespace {

using kith::EngineOptions;
using kith::Policy;
using kith::bench::Cost;
using kith::bench::Server;
using kith::bench::Stop;
using kith::bench::Take;

/// The least of several: other work on the machine only adds.
void Keep(Cost* least, const Cost& one) {
  least->seconds = std::min(least->seconds, one.seconds);
  least->processor = std::min(least->processor, one.processor);
}

/// The middle of the turns' ratios, and an interval that has the true middle in at least 95 of 100 cases if turns are
/// independent (by counting signs; all turns if there are fewer than six).
struct Ratios {
  double least = 0, middle = 0, low = 0, high = 0;
};

Ratios RatiosOf(std::vector<double> ratios) {
  std::sort(ratios.begin(), ratios.end());
  const std::size_t n = ratios.size();
  std::size_t out = 0;  // left out at either end
  double term = std::pow(0.5, static_cast<double>(n)), tail = term;
  while (tail <= 0.025) {
    ++out;
    term *= static_cast<double>(n - out + 1) / static_cast<double>(out);
    tail += term;
  }
  const std::size_t k = out == 0 ? 0 : out - 1;
  return {ratios.front(), (ratios[(n - 1) / 2] + ratios[n / 2]) / 2, ratios[k], ratios[n - 1 - k]};
}

/// The table's name.
std::string Fill(Server& server, std::int64_t rows) {
  const std::string table = fmt::format("t{}", rows), name = server.Name(table);
  if (server.Has(table)) return table;
  if (server.is_trino()) {
    server.Do(
        fmt::format("CREATE TABLE {0} WITH (format = 'PARQUET', partitioning = ARRAY['bucket(id, 4)']) AS "
                    "SELECT (i * 2654435761 % {1}) / 2 AS id, substr('ABCD', i % 4 + 1, 1) AS region, "
                    "i * 7 % 100 AS value FROM TABLE(sequence(start => 1, stop => {1})) AS s(i)",
                    name, rows));
    return table;
  }
  server.Do(
      fmt::format("CREATE TABLE {} (id bigint NOT NULL, region text, value bigint) PARTITION BY HASH (id)", name));
  for (int k = 0; k < 4; ++k) {
    server.Do(fmt::format("CREATE UNLOGGED TABLE {0}_{1} PARTITION OF {0} FOR VALUES WITH (MODULUS 4, REMAINDER {1})",
                          name, k));
  }
  server.Do(
      fmt::format("INSERT INTO {0} SELECT (i * 2654435761 % {1}) / 2, substr('ABCD', CAST(i % 4 AS integer) + 1, 1), "
                  "i * 7 % 100 FROM generate_series(CAST(1 AS bigint), {1}) AS i",
                  name, rows));
  server.Do("VACUUM ANALYZE " + name);
  server.Do("CHECKPOINT");
  return table;
}

Policy PolicyOf(const std::filesystem::path& folder, const std::string& place, const std::string& unit, int upper) {
  const std::string text =
      "[data]\n" + place + "[unit]\ntable = \"t\"\n" + unit +
      "\npresence = \"secret\"\n[columns.t]\nregion = { values = [\"A\", \"B\", \"C\", \"D\"] }\n"
      "value = { type = \"integer\", lower = 0, upper = " +
      std::to_string(upper) +
      " }\n[dependence]\nsource = \"public\"\nkind = \"independent\"\n[budget]\nepsilon = 1\nledger = \"t.ledger\"\n";
  auto policy = Policy::Parse(text, folder / "t.toml");
  if (!policy) Stop(policy.error().Text());
  return *policy;
}

struct Question {
  const char* name;
  const char* unit;
  const char* asked;         // of t
  int upper = 99;            // of the declared values; stored are 0 to 99
  bool seldom_many = false;  // too slow for more rows than ten million
};

constexpr Question kQuestions[] = {
    {"sums", "row = true", "SELECT region, count(*), sum(value) FROM t GROUP BY region"},
    {"sums, values cut", "row = true", "SELECT region, count(*), sum(value) FROM t GROUP BY region", 90},
    {"sums, max_rows = 3", "key = \"id\"\nmax_rows = 3", "SELECT region, count(*), sum(value) FROM t GROUP BY region"},
    {"people, max_rows = 3", "key = \"id\"\nmax_rows = 3", "SELECT count(DISTINCT id) FROM t WHERE value > 30"},
    {"sums, max_rows = 1 exceeded", "key = \"id\"\nmax_rows = 1",
     "SELECT region, count(*), sum(value) FROM t GROUP BY region", 99, true},
};

std::unique_ptr<kith::Session> Open(const Policy& policy, const EngineOptions& options) {
  auto session = kith::OpenSession(policy, options, {});
  if (!session) Stop(session.error().Text());
  return std::move(*session);
}

void Ask(const Question& question, const Policy& policy, const EngineOptions& options) {
  const auto plan = kith::PlanQuestion(question.asked, policy);
  if (!plan) Stop(plan.error().Text());
  const auto session = Open(policy, options);
  if (const auto table = session->Run(plan->statement, {}); !table) Stop(table.error().Text());
}

struct Wanted {
  std::vector<std::int64_t> sizes;
  std::vector<std::string> only;
  int turns = 5;
  std::ofstream csv;
};

void Measure(Server& server, std::int64_t rows, const std::filesystem::path& folder, Wanted* wanted) {
  const std::string table = Fill(server, rows);
  constexpr std::int64_t kMany = 10'000'000;
  const int in_a_row = static_cast<int>(std::clamp<std::int64_t>(2'000'000 / rows, 1, 20));
  for (const Question& question : kQuestions) {
    const auto& only = wanted->only;
    if (only.empty() ? question.seldom_many && rows > kMany
                     : std::find(only.begin(), only.end(), question.name) == only.end())
      continue;
    const Policy policy = PolicyOf(folder, fmt::format("{}tables.t = \"bench.{}\"\n", server.Place(), table),
                                   question.unit, question.upper);
    EngineOptions options;
    options.engine = *kith::EngineFor(policy);
    std::string plain = question.asked;
    plain.replace(plain.find("FROM t"), 6, "FROM " + server.Name(table));
    Cost bare, later, opening;
    std::vector<double> ratios;
    const std::function<void()> works[] = {[&] { server.Do(plain); }, [&] { Ask(question, policy, options); },
                                           [&] { Open(policy, options); }};
    const Cost first = Take(1, server, works[1]);
    for (const auto& work : works) work();
    // By turns, so that all meet the server in the same state: it gets faster, or slower, as it runs.
    for (int k = 0; k < wanted->turns; ++k) {
      Cost costs[3];
      for (int j = 0; j < 3; ++j) {
        const int at = k % 2 == 0 ? j : 2 - j;
        costs[at] = Take(in_a_row, server, works[at]);
      }
      ratios.push_back(costs[1].processor / costs[0].processor);
      Keep(&bare, costs[0]);
      Keep(&later, costs[1]);
      Keep(&opening, costs[2]);
    }
    const Ratios ratio = RatiosOf(ratios);
    fmt::print(
        "{:>11} rows  {:<28} plain {:8.3f} s  first {:8.3f} s  later {:8.3f} s   processor: plain {:7.3f} s  "
        "first {:7.3f} s  later {:7.3f} s  opening {:.3f} s   ratio by turns: {:.2f} ({:.2f} to {:.2f}, least {:.2f})  "
        " "
        "client {} MB\n",
        rows, question.name, bare.seconds, first.seconds, later.seconds, bare.processor, first.processor,
        later.processor, opening.processor, ratio.middle, ratio.low, ratio.high, ratio.least, kith::bench::OwnMemory());
    std::fflush(stdout);
    if (wanted->csv.is_open()) {
      wanted->csv << fmt::format(
          "{},{},\"{}\",{:.4f},{:.4f},{:.4f},{:.4f},{:.4f},{:.4f},{},{:.4f},{},{:.3f},{:.3f},{:.3f}\n", server.name(),
          rows, question.name, bare.seconds, first.seconds, later.seconds, bare.processor, first.processor,
          later.processor, kith::bench::OwnMemory(), opening.processor, wanted->turns, ratio.middle, ratio.low,
          ratio.high);
      wanted->csv.flush();
    }
  }
}

}  // namespace

int main(int count, char** arguments) {
  const auto server = kith::bench::RunningServer();
  if (!server) return 0;
  Wanted wanted;
  for (int k = 1; k < count; ++k) {
    const std::string word = arguments[k];
    if (word == "--csv" && k + 1 < count) {
      const bool is_new = !std::filesystem::exists(arguments[k + 1]);
      wanted.csv.open(arguments[++k], std::ios::app);
      if (is_new) {
        wanted.csv << "engine,rows,question,plain_seconds,first_seconds,later_seconds,plain_processor,first_processor,"
                      "later_processor,client_mb,opening_processor,turns,ratio,ratio_low,ratio_high\n";
      }
    } else if (word == "--turns" && k + 1 < count) {
      wanted.turns = std::max(std::atoi(arguments[++k]), 1);
    } else if (word == "--only" && k + 1 < count) {
      wanted.only.emplace_back(arguments[++k]);
    } else if (const std::int64_t rows = std::atoll(arguments[k]); rows > 0) {
      wanted.sizes.push_back(rows);
    }
  }
  if (wanted.sizes.empty()) wanted.sizes = {100'000, 1'000'000};
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("kith-server-bench-{}", ::getpid());
  std::filesystem::create_directories(folder);
  for (const std::int64_t rows : wanted.sizes) Measure(*server, rows, folder, &wanted);
  std::filesystem::remove_all(folder);
}
