// Units with a key against DuckDB by hand, in one run: the first opening of a Parquet file, which counts the rows of all
// units, and questions about it after that, against the same aggregate over all rows; where units have more than
// max_rows, over the first of each, which DuckDB by hand has to choose as well. Each part runs in a separate process,
// with its own memory.
// Usage: units_bench [--full] [FOLDER]   (--full: 20 million rows instead of 4)
#include <duckdb.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "query/plan.h"

namespace kith {
namespace {

namespace fs = std::filesystem;

void Need(bool fine, const char* what) {
  if (fine) return;
  std::fprintf(stderr, "units_bench: %s failed\n", what);
  std::exit(1);
}

/// DuckDB as its C API gives it, with all its threads.
class ByHand {
 public:
  ByHand() {
    Need(duckdb_open(nullptr, &database_) == DuckDBSuccess, "duckdb_open");
    Need(duckdb_connect(database_, &connection_) == DuckDBSuccess, "duckdb_connect");
  }
  ~ByHand() {
    duckdb_disconnect(&connection_);
    duckdb_close(&database_);
  }
  ByHand(const ByHand&) = delete;
  ByHand& operator=(const ByHand&) = delete;

  void Run(const std::string& sql) {
    duckdb_result result;
    Need(duckdb_query(connection_, sql.c_str(), &result) == DuckDBSuccess, sql.c_str());
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

double Best(const std::vector<double>& times) { return *std::min_element(times.begin(), times.end()); }

struct Cost {
  double seconds = 0, processor = 0, megabytes = 0;
};

/// What the work takes in a separate process.
Cost Alone(const std::function<void()>& work) {
  rusage used{};
  int status = 0;
  const double seconds = Seconds([&] {
    std::fflush(stdout);
    const pid_t child = ::fork();
    Need(child >= 0, "fork");
    if (child == 0) {
      work();
      std::fflush(stdout);
      std::_Exit(0);
    }
    Need(::wait4(child, &status, 0, &used) == child && status == 0, "a part");
  });
  const auto time = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return {seconds, time(used.ru_utime) + time(used.ru_stime), static_cast<double>(used.ru_maxrss) / 1024};
}

Policy PolicyFor(const fs::path& folder, const std::string& source, int max_rows) {
  const std::string text =
      "[data]\nfrozen = true\ntables.people = \"" + source +
      "\"\n[unit]\ntable = \"people\"\nkey = \"id\"\nmax_rows = " + std::to_string(max_rows) +
      "\npresence = \"secret\"\n[columns.people]\nregion = { values = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] }\n"
      "sex = { values = [\"f\", \"m\"] }\nage = { lower = 0, upper = 100 }\n"
      "[dependence]\nsource = \"public\"\nkind = \"independent\"\n"
      "[budget]\nepsilon = 1.0\nledger = \"people.ledger\"\n";
  auto policy = Policy::Parse(text, folder / "policy.toml");
  Need(policy.has_value(), "policy");
  return *std::move(policy);
}

struct Asked {
  const char* name;
  const char* sql;   // of an analyst
  const char* hand;  // the same aggregate; p is the file, or the rows of it that are kept
};
constexpr Asked kAsked[] = {
    {"count, two conditions", "SELECT count(*) FROM people WHERE age < 50 AND sex = 'f'",
     "SELECT count(*) FROM p WHERE age < 50 AND sex = 'f'"},
    {"GROUP BY region", "SELECT region, count(*) FROM people GROUP BY region",
     "SELECT region, count(*) FROM p GROUP BY region"},
    {"average by region and sex", "SELECT region, sex, avg(age) FROM people GROUP BY region, sex",
     "SELECT region, sex, avg(greatest(least(age, 100), 0)) FROM p GROUP BY region, sex"},
};

void Warm(const Policy& policy, const fs::path& file, int max_rows, bool over) {
  const CancelFlag never;
  auto session = OpenSession(policy, {}, never);
  Need(session.has_value(), "OpenSession");
  Need((*session)->unit_rows().most.has_value() == !over, "the look at the rows of units");
  ByHand hand;
  hand.Run("CREATE VIEW p AS SELECT * FROM read_parquet('" + file.string() + "')" +
           (over ? " QUALIFY row_number() OVER (PARTITION BY id ORDER BY hash(region, sex, age)) <= " +
                       std::to_string(max_rows)
                 : ""));
  for (const Asked& asked : kAsked) {
    const auto plan = PlanQuestion(asked.sql, policy);
    Need(plan.has_value(), asked.sql);
    std::vector<double> by_hand, by_kith;
    for (int i = 0; i < 11; ++i) {
      by_hand.push_back(Seconds([&] { hand.Run(asked.hand); }));
      by_kith.push_back(Seconds([&] { Need((*session)->Run(plan->statement, never).has_value(), asked.sql); }));
    }
    std::printf("  %s: by hand %.0f ms, kith %.0f ms, ratio %.2f\n", asked.name, 1e3 * Best(by_hand),
                1e3 * Best(by_kith), Best(by_kith) / Best(by_hand));
  }
}

void Bench(const fs::path& folder, const char* name, const std::string& id, std::int64_t rows, int max_rows,
           bool over) {
  const std::string source = std::string(name) + ".parquet";
  const fs::path file = folder / source;
  Alone([&] {
    ByHand().Run(
        "COPY (SELECT " + id + " AS id, (hash(range) % 10)::BIGINT AS region, " +
        "CASE WHEN hash(range + 1) % 2 = 0 THEN 'f' ELSE 'm' END AS sex, (hash(range + 2) % 100)::BIGINT AS age " +
        "FROM range(" + std::to_string(rows) + ")) TO '" + file.string() + "' (FORMAT parquet)");
  });
  std::printf("%s, %lld rows, max_rows = %d\n", name, static_cast<long long>(rows), max_rows);
  const Policy policy = PolicyFor(folder, source, max_rows);
  const CancelFlag never;
  const Cost distinct =
      Alone([&] { ByHand().Run("SELECT count(DISTINCT id) FROM read_parquet('" + file.string() + "')"); });
  const Cost cold = Alone([&] { Need(OpenSession(policy, {}, never).has_value(), "the first opening"); });
  const Cost again = Alone([&] { Need(OpenSession(policy, {}, never).has_value(), "opening again"); });
  std::printf(
      "  count(DISTINCT id) by hand %.2f s (processor %.2f s, %.0f MB), first opening %.2f s (%.2f s, %.0f MB), ratio "
      "%.2f, of "
      "processor time %.2f; opening again %.0f ms\n",
      distinct.seconds, distinct.processor, distinct.megabytes, cold.seconds, cold.processor, cold.megabytes,
      cold.seconds / distinct.seconds, cold.processor / distinct.processor, 1e3 * again.seconds);
  const Cost warm = Alone([&] { Warm(policy, file, max_rows, over); });
  std::printf("  questions together: %.0f MB\n", warm.megabytes);
  fs::remove(file);
}

}  // namespace
}  // namespace kith

int main(int argc, char** argv) {
  std::int64_t rows = 4'000'000;
  std::string parent = ".";
  for (int i = 1; i < argc; ++i) {
    if (std::string(argv[i]) == "--full") {
      rows = 20'000'000;
    } else {
      parent = argv[i];
    }
  }
  std::string name = parent + "/units-bench-XXXXXX";
  kith::Need(::mkdtemp(name.data()) != nullptr, "mkdtemp");
  const std::filesystem::path folder = std::filesystem::canonical(name);
  kith::Bench(folder, "one-row", "hash(range) >> 1", rows, 1, false);
  kith::Bench(folder, "several-rows", "(range // 3)::VARCHAR", rows, 3, false);
  kith::Bench(folder, "one-in-a-hundred-has-too-many", "range - (range % 100 = 1)::BIGINT", rows, 1, true);
  kith::Bench(folder, "all-have-too-many", "range // 4", rows, 3, true);
  std::filesystem::remove_all(folder);
  return 0;
}
