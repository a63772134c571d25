// Servers to be measured, and what a piece of work costs there: time, and processor time of all processes of the server
// and of this one, which others on the machine disturb less. Where the server is, tests/support/with_postgresql and
// tests/trino/with_trino say.
#pragma once
#include <dirent.h>
#include <fmt/format.h>
#include <libpq-fe.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "base/json.h"
#include "engine/trino/client.h"

namespace kith::bench {

inline std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

[[noreturn]] inline void Stop(const std::string& why) {
  fmt::print(stderr, "{}: {}\n", program_invocation_short_name, why);
  std::exit(1);
}

/// Of a process and of those that it has waited for: parent, and seconds of processor time.
struct Process {
  int parent = 0;
  double own = 0, waited_for = 0;
};

inline Process ProcessOf(int id) {
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

/// Its tables are in a schema called bench.
class Server {
 public:
  virtual ~Server() = default;
  virtual const char* name() const = 0;
  bool is_trino() const { return std::string(name()) == "trino"; }
  virtual void Do(const std::string& sql) = 0;
  /// A table as the server is told about it.
  virtual std::string Name(const std::string& table) const = 0;
  /// One that is already there is used as it is: a hundred million rows take long to load.
  virtual bool Has(const std::string& table) = 0;
  /// What the policy says under [data] about where tables are.
  virtual std::string Place() const = 0;
  /// Of all its processes, in seconds.
  virtual double Processor() const = 0;
  /// The most memory that its processes had, in MB, since they began.
  virtual long Memory() const = 0;
};

/// The most memory that a process had.
inline long MemoryOf(int id) {
  std::ifstream file(fmt::format("/proc/{}/status", id));
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("VmHWM:")) return std::atol(line.c_str() + 6) / 1024;
  }
  return 0;
}

class OnPostgreSql final : public Server {
 public:
  OnPostgreSql() : words_(Environment("KITH_TEST_POSTGRESQL")), connection_(PQconnectdb(words_.c_str())) {
    const auto at = words_.find("host=") + 5;
    std::ifstream(words_.substr(at, words_.find(' ', at) - at) + "/data/postmaster.pid") >> process_;
    Do("SET jit = off");
    Do("ALTER ROLE kith SET work_mem = '128MB'; SET work_mem = '128MB'");
    Do("CREATE SCHEMA IF NOT EXISTS bench");
  }
  ~OnPostgreSql() override { PQfinish(connection_); }
  OnPostgreSql(const OnPostgreSql&) = delete;
  OnPostgreSql& operator=(const OnPostgreSql&) = delete;

  const char* name() const override { return "postgresql"; }
  void Do(const std::string& sql) override { Read(sql); }
  std::string Name(const std::string& table) const override { return "bench." + table; }
  bool Has(const std::string& table) override {
    return Read(fmt::format("SELECT 1 WHERE to_regclass('bench.{}') IS NOT NULL", table)) == 1;
  }
  std::string Place() const override { return Environment("KITH_TEST_PLACE") + "user = \"kith\"\n"; }
  double Processor() const override {
    const Process server = ProcessOf(process_);
    double sum = server.own + server.waited_for;
    for (const int id : Children()) sum += ProcessOf(id).own;
    return sum;
  }
  long Memory() const override {
    long most = 0;
    for (const int id : Children()) most = std::max(most, MemoryOf(id));
    return most;
  }

 private:
  std::vector<int> Children() const {
    std::vector<int> children;
    DIR* all = ::opendir("/proc");
    while (const dirent* entry = ::readdir(all)) {
      const int id = std::atoi(entry->d_name);
      if (id != 0 && ProcessOf(id).parent == process_) children.push_back(id);
    }
    ::closedir(all);
    return children;
  }
  // How many rows came.
  int Read(const std::string& sql) {
    PGresult* result = PQexec(connection_, sql.c_str());
    const auto status = PQresultStatus(result);
    const int rows = PQntuples(result);
    PQclear(result);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) Stop(PQerrorMessage(connection_));
    return rows;
  }

  std::string words_;
  PGconn* connection_;
  int process_ = 0;
};

class OnTrino final : public Server {
 public:
  OnTrino()
      : client_({.url = Environment("KITH_TEST_TRINO"),
                 .user = "bench",
                 .catalog = "",
                 .schema = "",
                 .password = "",
                 .token = ""}) {
    std::istringstream nodes(Environment("KITH_TEST_TRINO_NODES"));
    for (int id = 0; nodes >> id;) nodes_.push_back(id);
    Do("CREATE SCHEMA IF NOT EXISTS lake.bench");
  }
  const char* name() const override { return "trino"; }
  void Do(const std::string& sql) override { Read(sql); }
  std::string Name(const std::string& table) const override { return "lake.bench." + table; }
  bool Has(const std::string& table) override {
    return Read(fmt::format("SHOW TABLES FROM lake.bench LIKE '{}'", table)) == 1;
  }
  std::string Place() const override {
    return Environment("KITH_TEST_PLACE") + "catalog = \"lake\"\nuser = \"kith\"\n";
  }
  double Processor() const override {
    double sum = 0;
    for (const int id : nodes_) {
      clockid_t clock{};
      timespec time{};
      if (::clock_getcpuclockid(id, &clock) != 0 || ::clock_gettime(clock, &time) != 0) Stop("a node has ended");
      sum += static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
    }
    return sum;
  }
  long Memory() const override {
    long sum = 0;
    for (const int id : nodes_) sum += MemoryOf(id);
    return sum;
  }

 private:
  // How many rows came.
  std::size_t Read(const std::string& sql) {
    std::size_t rows = 0;
    const auto count = [&rows](const auto&, const Json& page) {
      rows += page.size();
      return true;
    };
    if (const auto failure = client_.Run(sql, count, {})) Stop(failure->name + ": " + sql);
    return rows;
  }

  kith::trino::Client client_;
  std::vector<int> nodes_;
};

/// Nothing: there is none, and it was said.
inline std::unique_ptr<Server> RunningServer() {
  if (!Environment("KITH_TEST_POSTGRESQL").empty()) return std::make_unique<OnPostgreSql>();
  if (!Environment("KITH_TEST_TRINO").empty()) return std::make_unique<OnTrino>();
  fmt::print("left out: run it beside a server (tests/support/with_postgresql, tests/trino/with_trino)\n");
  return nullptr;
}

struct Cost {
  double seconds = 1e9, processor = 1e9;
};

/// Of this process, in seconds.
inline double OwnProcessor() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

/// The mean of `in_a_row`, because some processor time is counted in hundredths of a second: of the server and of the
/// client.
inline Cost Take(int in_a_row, const Server& server, const std::function<void()>& work) {
  const auto processor = [&] { return server.Processor() + OwnProcessor(); };
  const double before = processor();
  const auto since = std::chrono::steady_clock::now();
  for (int j = 0; j < in_a_row; ++j) work();
  const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - since).count();
  ::usleep(100'000);  // processes that helped are counted when they have ended
  return {took / in_a_row, (processor() - before) / in_a_row};
}

/// The most memory that this process had, in MB.
inline long OwnMemory() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  return used.ru_maxrss / 1024;
}

}  // namespace kith::bench
