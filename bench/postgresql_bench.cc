// What a private question costs on a PostgreSQL server, as a ratio to the same server's plain aggregate: GROUP BY, and
// a count of units, by the number of rows. Run beside a server of its own:
//   tests/support/with_postgresql /usr/lib/postgresql/15/bin build/bench/postgresql_bench [ROWS...]
#include <fmt/format.h>
#include <libpq-fe.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "query/plan.h"

namespace {

using kith::EngineOptions;
using kith::Policy;

std::string Words() {
  const char* words = std::getenv("KITH_TEST_POSTGRESQL");
  return words == nullptr ? "" : words;
}

[[noreturn]] void Stop(const std::string& why) {
  fmt::print(stderr, "postgresql_bench: {}\n", why);
  std::exit(1);
}

class Plain {
 public:
  Plain() : connection_(PQconnectdb(Words().c_str())) { Do("SET jit = off"); }
  ~Plain() { PQfinish(connection_); }
  Plain(const Plain&) = delete;
  Plain& operator=(const Plain&) = delete;
  void Do(const std::string& sql) {
    PGresult* result = PQexec(connection_, sql.c_str());
    const auto status = PQresultStatus(result);
    PQclear(result);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) Stop(PQerrorMessage(connection_));
  }

 private:
  PGconn* connection_;
};

double Seconds(const std::function<void()>& work) {
  const auto since = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - since).count();
}

/// The best of three: other work on the machine only adds.
double Best(const std::function<void()>& work) {
  double best = 1e9;
  for (int k = 0; k < 3; ++k) best = std::min(best, Seconds(work));
  return best;
}

Policy PolicyOf(const std::filesystem::path& folder, const std::string& unit) {
  const std::string words = Words();
  const auto at = words.find("host=") + 5;
  const std::string text =
      "[data]\nengine = \"postgresql\"\nsocket = \"" + words.substr(at, words.find(' ', at) - at) +
      "\"\ndatabase = \"postgres\"\nuser = \"kith\"\ntables.t = \"public.t\"\n[unit]\ntable = \"t\"\n" + unit +
      "\npresence = \"secret\"\n[columns.t]\nward = { values = [\"A\", \"B\", \"C\", \"D\"] }\nage = "
      "{ type = \"integer\", lower = 0, upper = 110 }\n[dependence]\nsource = \"public\"\nkind = "
      "\"independent\"\n[budget]\nepsilon = 1\nledger = \"t.ledger\"\n";
  auto policy = Policy::Parse(text, folder / "t.toml");
  if (!policy) Stop(policy.error().Text());
  return *policy;
}

struct Question {
  const char* name;
  const char* unit;
  const char* asked;
  const char* plain;
};

constexpr Question kQuestions[] = {
    {"GROUP BY, rows are units", "row = true", "SELECT ward, count(*), sum(age) FROM t GROUP BY ward",
     "SELECT ward, count(*), sum(age) FROM t GROUP BY ward"},
    {"GROUP BY, max_rows = 3", "key = \"id\"\nmax_rows = 3", "SELECT ward, count(*), sum(age) FROM t GROUP BY ward",
     "SELECT ward, count(*), sum(age) FROM t GROUP BY ward"},
    {"units, max_rows = 3", "key = \"id\"\nmax_rows = 3", "SELECT count(DISTINCT id) FROM t WHERE age > 30",
     "SELECT count(DISTINCT id) FROM t WHERE age > 30"},
    {"GROUP BY, max_rows = 1, exceeded", "key = \"id\"\nmax_rows = 1",
     "SELECT ward, count(*), sum(age) FROM t GROUP BY ward", "SELECT ward, count(*), sum(age) FROM t GROUP BY ward"},
};

void Ask(const Question& question, const Policy& policy, const EngineOptions& options) {
  const auto plan = kith::PlanQuestion(question.asked, policy);
  if (!plan) Stop(plan.error().Text());
  const auto session = kith::OpenSession(policy, options, {});
  if (!session) Stop(session.error().Text());
  if (const auto table = (*session)->Run(plan->statement, {}); !table) Stop(table.error().Text());
}

void Measure(std::int64_t rows, const std::filesystem::path& folder) {
  Plain plain;
  plain.Do("DROP TABLE IF EXISTS t");
  plain.Do("CREATE TABLE t (id bigint, ward text, age integer, cost double precision) PARTITION BY HASH (id)");
  for (int k = 0; k < 4; ++k)
    plain.Do(fmt::format("CREATE UNLOGGED TABLE t{0} PARTITION OF t FOR VALUES WITH (MODULUS 4, REMAINDER {0})", k));
  plain.Do(fmt::format(
      "INSERT INTO t SELECT i / 2, substr('ABCD', i % 4 + 1, 1), i * 7 % 100, i FROM generate_series(1, {}) AS i",
      rows));
  plain.Do("ALTER ROLE kith SET work_mem = '128MB'; SET work_mem = '128MB'");
  plain.Do("VACUUM ANALYZE t");
  for (const Question& question : kQuestions) {
    const Policy policy = PolicyOf(folder, question.unit);
    EngineOptions options;
    options.engine = *kith::EngineFor(policy);
    const double bare = Best([&] { plain.Do(question.plain); });
    const double first = Seconds([&] { Ask(question, policy, options); });
    const double later = Best([&] { Ask(question, policy, options); });
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    fmt::print(
        "{:>10} rows  {:<34} plain {:8.3f} s  first {:8.3f} s ({:.2f})  later {:8.3f} s ({:.2f})  memory {} MB\n", rows,
        question.name, bare, first, first / bare, later, later / bare, used.ru_maxrss / 1024);
    std::fflush(stdout);
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (Words().empty()) Stop("KITH_TEST_POSTGRESQL does not say where a server is (tests/support/with_postgresql)");
  const auto folder = std::filesystem::temp_directory_path() / "kith-postgresql-bench";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  std::vector<std::int64_t> sizes;
  for (int k = 1; k < count; ++k) sizes.push_back(std::atoll(arguments[k]));
  if (sizes.empty()) sizes = {100'000, 1'000'000};
  for (const std::int64_t rows : sizes) Measure(rows, folder);
  std::filesystem::remove_all(folder);
}
