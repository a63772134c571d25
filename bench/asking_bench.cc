// What one process pays for each question that it is asked under a ledger that already has many entries: explanations,
// and fresh questions with their charge and their answer, next to the bare costs in the same run: durable commits of
// one small row, and the same question put to DuckDB. Processor time per request; times depend on the machine, what is
// compared is within this run. Usage: asking_bench [FOLDER], not a memory disk: the current one if left out.
#include <duckdb.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <time.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "base/check.h"
#include "ledger/ledger.h"
#include "release/release.h"

namespace {

namespace fs = std::filesystem;

struct Cost {
  double processor = 0, wall = 0;  // milliseconds each
};

Cost Each(int times, const std::function<void(int)>& work) {
  const auto processor = [] {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
  };
  const double before = processor();
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < times; ++i) work(i);
  const double wall = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return {(processor() - before) / times, wall / times};
}

void Need(bool fine, const std::string& what) {
  if (fine) return;
  fmt::print(stderr, "asking_bench: {}\n", what);
  std::exit(1);
}

// A different question for each number, all about the same table.
std::string Question(long number) {
  return fmt::format("SELECT count(*) FROM people WHERE age >= {} AND age < {} AND ill = 'yes'", number % 100,
                     100 + number / 100);
}

Cost BareCommit(const fs::path& folder) {
  sqlite3* handle = nullptr;
  KITH_CHECK(sqlite3_open((folder / "bare").c_str(), &handle) == SQLITE_OK);
  const auto run = [&](const char* sql) {
    KITH_CHECK(sqlite3_exec(handle, sql, nullptr, nullptr, nullptr) == SQLITE_OK);
  };
  run("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE t (a INTEGER PRIMARY KEY, b INTEGER)");
  const Cost cost = Each(300, [&](int) { run("BEGIN IMMEDIATE; INSERT INTO t (b) VALUES (1); COMMIT"); });
  sqlite3_close(handle);
  return cost;
}

Cost BareQuestion(const fs::path& folder) {
  duckdb_database database;
  duckdb_connection connection;
  duckdb_config config;
  KITH_CHECK(duckdb_create_config(&config) == DuckDBSuccess);
  KITH_CHECK(duckdb_open_ext(nullptr, &database, config, nullptr) == DuckDBSuccess);
  duckdb_destroy_config(&config);
  KITH_CHECK(duckdb_connect(database, &connection) == DuckDBSuccess);
  const std::string load = fmt::format("CREATE TABLE people AS FROM '{}'", (folder / "people.csv").string());
  KITH_CHECK(duckdb_query(connection, load.c_str(), nullptr) == DuckDBSuccess);
  const Cost cost = Each(300, [&](int i) {
    duckdb_result result;
    KITH_CHECK(duckdb_query(connection, Question(i).c_str(), &result) == DuckDBSuccess);
    duckdb_destroy_result(&result);
  });
  duckdb_disconnect(&connection);
  duckdb_close(&database);
  return cost;
}

void WritePolicy(const fs::path& folder) {
  std::ofstream people(folder / "people.csv");
  people << "id,age,ill\n";
  for (int i = 0; i < 1000; ++i) people << i << ',' << i % 90 << ',' << (i % 7 == 0 ? "yes" : "no") << '\n';
  std::ofstream(folder / "people.toml")
      << "[data]\ntables.people = \"people.csv\"\n[unit]\ntable = \"people\"\nkey = \"id\"\nmax_rows = 1\n"
         "presence = \"public\"\n[columns.people]\nid = { type = \"integer\", public = true }\n"
         "age = { lower = 0, upper = 400 }\nill = { values = [\"no\", \"yes\"] }\n[dependence]\nsource = \"public\"\n"
         "kind = \"independent\"\n[budget]\nepsilon = 10.0\nledger = \"people.ledger\"\n";
}

kith::Price SmallPrice() {
  kith::Price price;
  price.epsilon = 0.0001;
  return price;
}

void Ask(const kith::Curator& curator, long number) {
  const auto answer = curator.Release(kith::QuestionRequest{Question(number)}, SmallPrice());
  Need(answer.has_value(), answer ? "" : answer.error().Text());
  KITH_CHECK(!answer->stored);
}

void Explain(const kith::Curator& curator, long number) {
  const auto explained = curator.Explain(kith::QuestionRequest{Question(number)}, SmallPrice());
  Need(explained.has_value(), explained ? "" : explained.error().Text());
  KITH_CHECK(!explained->stored);
}

}  // namespace

int main(int argc, char** argv) {
  std::string pattern = (fs::path(argc > 1 ? argv[1] : ".") / "asking_bench_XXXXXX").string();
  KITH_CHECK(mkdtemp(pattern.data()) != nullptr);
  const fs::path folder = fs::absolute(pattern);
  WritePolicy(folder);
  const Cost commit = BareCommit(folder), question = BareQuestion(folder);
  fmt::print("bare: a commit {:.3f} ms of processor time ({:.2f} ms in all), a question to DuckDB {:.3f} ms ({:.2f})\n",
             commit.processor, commit.wall, question.processor, question.wall);
  kith::EngineOptions options;
  options.threads = 1;
  auto curator = kith::Curator::Open(folder / "people.toml", options);
  Need(curator.has_value(), curator ? "" : curator.error().Text());
  long number = 0;
  for (const long entries : {100, 1700, 10'000}) {
    for (; number < entries / 2; ++number) Ask(*curator, number);  // a charge and an answer each
    const Cost looks = Each(200, [&](int i) { Explain(*curator, number + i); });
    {
      auto anew = kith::Curator::Open(folder / "people.toml", options);
      Need(anew.has_value(), anew ? "" : anew.error().Text());
      const Cost first = Each(20, [&](int i) { Explain(*anew, number + i); });
      fmt::print("{:>6} entries: explain before the first question of a process {:.3f} ms\n", entries, first.processor);
    }
    const Cost asks = Each(200, [&](int i) { Ask(*curator, number + i); });
    number += 200;
    fmt::print(
        "{:>6} entries: explain {:.3f} ms ({:.1f} times a question to DuckDB); charged question {:.3f} ms, {:.2f} in "
        "all ({:.1f} times two commits and a question)\n",
        entries, looks.processor, looks.processor / question.processor, asks.processor, asks.wall,
        asks.wall / (2 * commit.wall + question.wall));
  }
  curator = kith::Curator::Open(folder / "people.toml", options);  // the first one lets go of its files
  fs::remove_all(folder);
  return 0;
}
