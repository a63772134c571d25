// What a private question costs on a server, as a ratio to the same server's plain aggregate, by the number of rows:
// time, and processor time of all processes of the server, which others on the machine disturb less. Run beside a
// server of its own:
//   tests/support/with_postgresql /usr/lib/postgresql/15/bin build/bench/server_bench [--csv FILE] [ROWS...]
//   tests/trino/with_trino third_party/trino build/bench/server_bench [--csv FILE] [ROWS...]
// Each of ROWS / 2 people has two rows, in no order and in four partitions; in Trino it is an
// Iceberg table of Parquet files.
// bench/cost_plot draws the file.
#include <dirent.h>
#include <fmt/format.h>
#include <libpq-fe.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "engine/trino/client.h"
#include "query/plan.h"

namespace {

using kith::EngineOptions;
using kith::Policy;

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

[[noreturn]] void Stop(const std::string& why) {
  fmt::print(stderr, "server_bench: {}\n", why);
  std::exit(1);
}

/// Of a process and of those that it has waited for: parent, and seconds of processor time.
struct Process {
  int parent = 0;
  double own = 0, waited_for = 0;
};

Process ProcessOf(int id) {
  std::ifstream file(fmt::format("/proc/{}/stat", id));
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const auto end = text.rfind(')');
  if (end == std::string::npos) return {};
  std::istringstream fields(text.substr(end + 1));
  std::vector<std::string> words;
  for (std::string word; fields >> word;) words.push_back(word);
  if (words.size() < 15) return {};
  const double tick = 1.0 / static_cast<double>(::sysconf(_SC_CLK_TCK));
  const auto number = [&](std::size_t k) { return std::atof(words[k].c_str()) * tick; };
  return {std::atoi(words[1].c_str()), number(11) + number(12), number(13) + number(14)};
}

class Server {
 public:
  virtual ~Server() = default;
  virtual const char* name() const = 0;
  virtual void Do(const std::string& sql) = 0;
  virtual void Fill(std::int64_t rows) = 0;
  virtual std::string Table() const = 0;
  /// What the policy says under [data] of where the table is.
  virtual std::string Place() const = 0;
  /// Of all its processes, in seconds.
  virtual double Processor() const = 0;
};

class OnPostgreSql final : public Server {
 public:
  OnPostgreSql() : words_(Environment("KITH_TEST_POSTGRESQL")), connection_(PQconnectdb(words_.c_str())) {
    const auto at = words_.find("host=") + 5;
    socket_ = words_.substr(at, words_.find(' ', at) - at);
    std::ifstream(socket_ + "/data/postmaster.pid") >> process_;
    Do("SET jit = off");
    Do("ALTER ROLE kith SET work_mem = '128MB'; SET work_mem = '128MB'");
  }
  ~OnPostgreSql() override { PQfinish(connection_); }
  OnPostgreSql(const OnPostgreSql&) = delete;
  OnPostgreSql& operator=(const OnPostgreSql&) = delete;

  const char* name() const override { return "postgresql"; }
  void Do(const std::string& sql) override {
    PGresult* result = PQexec(connection_, sql.c_str());
    const auto status = PQresultStatus(result);
    PQclear(result);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) Stop(PQerrorMessage(connection_));
  }
  void Fill(std::int64_t rows) override {
    Do("DROP TABLE IF EXISTS t");
    Do("CREATE TABLE t (id bigint NOT NULL, region text, value bigint) PARTITION BY HASH (id)");
    for (int k = 0; k < 4; ++k)
      Do(fmt::format("CREATE UNLOGGED TABLE t{0} PARTITION OF t FOR VALUES WITH (MODULUS 4, REMAINDER {0})", k));
    Do(
        fmt::format("INSERT INTO t SELECT (i * 2654435761 % {0}) / 2, substr('ABCD', CAST(i % 4 AS integer) + 1, 1), "
                    "i * 7 % 100 FROM generate_series(CAST(1 AS bigint), {0}) AS i",
                    rows));
    Do("VACUUM ANALYZE t");
    Do("CHECKPOINT");
  }
  std::string Table() const override { return "t"; }
  std::string Place() const override {
    return "engine = \"postgresql\"\nsocket = \"" + socket_ +
           "\"\ndatabase = \"postgres\"\nuser = \"kith\"\ntables.t = \"public.t\"\n";
  }
  double Processor() const override {
    const Process server = ProcessOf(process_);
    double sum = server.own + server.waited_for;
    DIR* all = ::opendir("/proc");
    while (const dirent* entry = ::readdir(all)) {
      const int id = std::atoi(entry->d_name);
      if (id == 0) continue;
      const Process one = ProcessOf(id);
      if (one.parent == process_) sum += one.own;
    }
    ::closedir(all);
    return sum;
  }

 private:
  std::string words_, socket_;
  PGconn* connection_;
  int process_ = 0;
};

class OnTrino final : public Server {
 public:
  OnTrino()
      : url_(Environment("KITH_TEST_TRINO")),
        client_({.url = url_, .user = "bench", .catalog = "", .schema = "", .password = "", .token = ""}) {
    std::istringstream nodes(Environment("KITH_TEST_TRINO_NODES"));
    for (int id = 0; nodes >> id;) nodes_.push_back(id);
    Do("CREATE SCHEMA IF NOT EXISTS lake.bench");
  }
  const char* name() const override { return "trino"; }
  void Do(const std::string& sql) override { Read(sql); }
  // A table of this size that is there already is used as it is: a hundred million rows take long to load.
  void Fill(std::int64_t rows) override {
    table_ = fmt::format("t{}", rows);
    if (Read(fmt::format("SHOW TABLES FROM lake.bench LIKE '{}'", table_)) == 1) return;
    Do(
        fmt::format("CREATE TABLE {0} WITH (format = 'PARQUET', partitioning = ARRAY['bucket(id, 4)']) AS "
                    "SELECT (i * 2654435761 % {1}) / 2 AS id, substr('ABCD', i % 4 + 1, 1) AS region, "
                    "i * 7 % 100 AS value FROM TABLE(sequence(start => 1, stop => {1})) AS s(i)",
                    Table(), rows));
  }
  std::string Table() const override { return "lake.bench." + table_; }
  std::string Place() const override {
    return "engine = \"trino\"\nurl = \"" + url_ +
           "\"\ncatalog = \"lake\"\nschema = \"bench\"\nuser = \"kith\"\ntables.t = \"" + table_ + "\"\n";
  }
  double Processor() const override {
    double sum = 0;
    for (const int id : nodes_) sum += ProcessOf(id).own;
    return sum;
  }

 private:
  // How many rows came.
  std::size_t Read(const std::string& sql) {
    std::size_t rows = 0;
    const auto count = [&rows](const auto&, const nlohmann::json& page) {
      rows += page.size();
      return true;
    };
    if (const auto failure = client_.Run(sql, count, {})) Stop(failure->name + ": " + sql);
    return rows;
  }

  std::string url_, table_;
  kith::trino::Client client_;
  std::vector<int> nodes_;
};

struct Cost {
  double seconds = 1e9, processor = 1e9;
};

/// The mean of `in_a_row`, because processor time is counted in hundredths of a second. The least of this and of what
/// came before: other work on the machine only adds.
void Take(Cost* least, int in_a_row, const Server& server, const std::function<void()>& work) {
  const double before = server.Processor();
  const auto since = std::chrono::steady_clock::now();
  for (int j = 0; j < in_a_row; ++j) work();
  const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - since).count();
  least->seconds = std::min(least->seconds, took / in_a_row);
  ::usleep(100'000);  // processes that helped are counted when they have ended
  least->processor = std::min(least->processor, (server.Processor() - before) / in_a_row);
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

void Ask(const Question& question, const Policy& policy, const EngineOptions& options) {
  const auto plan = kith::PlanQuestion(question.asked, policy);
  if (!plan) Stop(plan.error().Text());
  const auto session = kith::OpenSession(policy, options, {});
  if (!session) Stop(session.error().Text());
  if (const auto table = (*session)->Run(plan->statement, {}); !table) Stop(table.error().Text());
}

void Measure(Server& server, std::int64_t rows, const std::filesystem::path& folder, std::ofstream* csv) {
  server.Fill(rows);
  constexpr std::int64_t kMany = 10'000'000;
  constexpr int kTimes = 5;
  const int in_a_row = static_cast<int>(std::clamp<std::int64_t>(2'000'000 / rows, 1, 20));
  for (const Question& question : kQuestions) {
    if (question.seldom_many && rows > kMany) continue;
    const Policy policy = PolicyOf(folder, server.Place(), question.unit, question.upper);
    EngineOptions options;
    options.engine = *kith::EngineFor(policy);
    std::string plain = question.asked;
    plain.replace(plain.find("FROM t"), 6, "FROM " + server.Table());
    Cost bare, first, later;
    Take(&first, 1, server, [&] { Ask(question, policy, options); });
    // By turns, so that both meet the server in the same state: it gets faster, or slower, as it runs.
    for (int k = 0; k < kTimes; ++k) {
      Take(&bare, in_a_row, server, [&] { server.Do(plain); });
      Take(&later, in_a_row, server, [&] { Ask(question, policy, options); });
    }
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    fmt::print(
        "{:>11} rows  {:<28} plain {:8.3f} s  first {:8.3f} s  later {:8.3f} s ({:.2f})   processor: plain {:7.3f} s  "
        "first {:7.3f} s  later {:7.3f} s ({:.2f})   client {} MB\n",
        rows, question.name, bare.seconds, first.seconds, later.seconds, later.seconds / bare.seconds, bare.processor,
        first.processor, later.processor, later.processor / bare.processor, used.ru_maxrss / 1024);
    std::fflush(stdout);
    if (csv != nullptr) {
      *csv << fmt::format("{},{},\"{}\",{:.4f},{:.4f},{:.4f},{:.4f},{:.4f},{:.4f},{}\n", server.name(), rows,
                          question.name, bare.seconds, first.seconds, later.seconds, bare.processor, first.processor,
                          later.processor, used.ru_maxrss / 1024);
      csv->flush();
    }
  }
}

std::unique_ptr<Server> Running() {
  if (!Environment("KITH_TEST_POSTGRESQL").empty()) return std::make_unique<OnPostgreSql>();
  if (!Environment("KITH_TEST_TRINO").empty()) return std::make_unique<OnTrino>();
  return nullptr;
}

}  // namespace

int main(int count, char** arguments) {
  const auto server = Running();
  if (!server) {
    fmt::print("left out: run it beside a server (tests/support/with_postgresql, tests/trino/with_trino)\n");
    return 0;
  }
  std::vector<std::int64_t> sizes;
  std::ofstream csv;
  for (int k = 1; k < count; ++k) {
    if (std::string(arguments[k]) == "--csv" && k + 1 < count) {
      const bool is_new = !std::filesystem::exists(arguments[k + 1]);
      csv.open(arguments[++k], std::ios::app);
      if (is_new) {
        csv << "engine,rows,question,plain_seconds,first_seconds,later_seconds,plain_processor,first_processor,"
               "later_processor,client_mb\n";
      }
    } else if (const std::int64_t rows = std::atoll(arguments[k]); rows > 0) {
      sizes.push_back(rows);
    }
  }
  if (sizes.empty()) sizes = {100'000, 1'000'000};
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("kith-server-bench-{}", ::getpid());
  std::filesystem::create_directories(folder);
  for (const std::int64_t rows : sizes) Measure(*server, rows, folder, csv.is_open() ? &csv : nullptr);
  std::filesystem::remove_all(folder);
}
