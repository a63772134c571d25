// A server under load, as its clients see it: explanations and fresh charged questions in a second, how long they take
// at half of that, what it keeps in memory after many, and with a thousand connections that do nothing. Next to them
// the bare costs in the same run, as processor time and in all: a durable commit of one small row, and the same
// question put to DuckDB; what is compared is within this run. Client and server share the machine: one thread drives
// all connections with requests that were written before, and what it takes itself is shown next to what the server
// takes. Usage: load_bench [--questions N] [--clients N] [--tick MS] [--program KITH] [--groups] [--memory] [FOLDER],
// not a memory disk: the current one if left out. --memory: only charged questions, and how much memory the server has
// after each tenth of them.
#include <arpa/inet.h>
#include <duckdb.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/check.h"

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

double Seconds(Clock::duration time) { return std::chrono::duration<double>(time).count(); }

constexpr int kTimes = 300;  // of what is bare

bool in_groups = false;  // each question counts two groups, which is left to DuckDB

// A different question for each number, all about the same table.
std::string Question(long number) {
  const std::string aged = fmt::format("age >= {} AND age < {}", number % 100, 100 + number / 100);
  return in_groups ? fmt::format("SELECT ill, count(*) FROM people WHERE {} GROUP BY ill", aged)
                   : fmt::format("SELECT count(*) FROM people WHERE {} AND ill = 'yes'", aged);
}

struct Cost {
  double processor = 0, wall = 0;  // seconds each
};

// Of this program, in seconds.
double OwnProcessor() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

Cost Each(int times, const std::function<void(int)>& work) {
  const double before = OwnProcessor();
  const auto since = Clock::now();
  for (int i = 0; i < times; ++i) work(i);
  return {(OwnProcessor() - before) / times, Seconds(Clock::now() - since) / times};
}

Cost BareCommit(const fs::path& folder) {
  sqlite3* handle = nullptr;
  KITH_CHECK(sqlite3_open((folder / "bare").c_str(), &handle) == SQLITE_OK);
  const auto run = [&](const char* sql) {
    KITH_CHECK(sqlite3_exec(handle, sql, nullptr, nullptr, nullptr) == SQLITE_OK);
  };
  run("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE t (a INTEGER PRIMARY KEY, b INTEGER)");
  const Cost each = Each(kTimes, [&](int) { run("BEGIN IMMEDIATE; INSERT INTO t (b) VALUES (1); COMMIT"); });
  sqlite3_close(handle);
  return each;
}

Cost BareQuestion(const fs::path& folder) {
  duckdb_database database;
  duckdb_connection connection;
  KITH_CHECK(duckdb_open(nullptr, &database) == DuckDBSuccess);
  KITH_CHECK(duckdb_connect(database, &connection) == DuckDBSuccess);
  const std::string load = fmt::format("CREATE TABLE people AS FROM '{}'", (folder / "people.csv").string());
  KITH_CHECK(duckdb_query(connection, load.c_str(), nullptr) == DuckDBSuccess);
  const Cost each = Each(kTimes, [&](int i) {
    duckdb_result result;
    KITH_CHECK(duckdb_query(connection, Question(i).c_str(), &result) == DuckDBSuccess);
    duckdb_destroy_result(&result);
  });
  duckdb_disconnect(&connection);
  duckdb_close(&database);
  return each;
}

void WritePolicy(const fs::path& folder, int tick) {
  std::ofstream people(folder / "people.csv");
  people << "id,age,ill\n";
  for (int i = 0; i < 1000; ++i) people << i << ',' << i % 90 << ',' << (i % 7 == 0 ? "yes" : "no") << '\n';
  std::ofstream(folder / "people.toml")
      << "[data]\ntables.people = \"people.csv\"\n[unit]\ntable = \"people\"\nkey = \"id\"\nmax_rows = 1\n"
         "presence = \"public\"\n[columns.people]\nid = { type = \"integer\", public = true }\n"
         "age = { lower = 0, upper = 100000 }\nill = { values = [\"no\", \"yes\"] }\n[dependence]\nsource = "
         "\"public\"\n"
         "kind = \"independent\"\n[budget]\nepsilon = 100.0\nledger = \"people.ledger\"\n[server]\ntick = \""
      << tick << "ms\"\n";
}

// The program itself, in a separate process.
class Server {
 public:
  Server(const fs::path& program, const fs::path& folder) {
    const fs::path log = folder / "server.log";
    process_ = fork();
    KITH_CHECK(process_ >= 0);
    if (process_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGTERM);  // it ends with this program, however that ends
      const int out = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
      dup2(out, 2);
      KITH_CHECK(chdir(folder.c_str()) == 0);
      execl(program.c_str(), "kith", "serve", "people.toml", "--listen", "127.0.0.1:0", "--quiet", nullptr);
      _exit(127);
    }
    for (int i = 0; i < 600 && port == 0; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      std::ifstream text(log);
      for (std::string line; std::getline(text, line);) {
        if (line.find("listens on") != std::string::npos) port = std::atoi(line.c_str() + line.rfind(':') + 1);
      }
    }
    KITH_CHECK(port != 0);
  }
  ~Server() {
    kill(process_, SIGTERM);
    waitpid(process_, nullptr, 0);
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Of all its threads, in seconds.
  double Processor() const {
    std::ifstream file(fmt::format("/proc/{}/stat", process_));
    std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    long user = 0, system = 0;
    KITH_CHECK(std::sscanf(text.c_str() + text.rfind(')') + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %ld %ld",
                           &user, &system) == 2);
    return static_cast<double>(user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
  }
  double Megabytes() const {
    std::ifstream file(fmt::format("/proc/{}/statm", process_));
    long all = 0, resident = 0;
    file >> all >> resident;
    return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e6;
  }

  int port = 0;

 private:
  pid_t process_ = 0;
};

std::string RequestText(const char* what, long number) {
  const std::string body = fmt::format("{{\"question\": \"{}\", \"epsilon\": 0.0001}}", Question(number));
  return fmt::format(
      "POST /v1/datasets/people/{} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
      "Content-Length: {}\r\n\r\n{}",
      what, body.size(), body);
}

// A connection that has at most one request under way. It checks only the status and the length of an answer.
class Client {
 public:
  explicit Client(int port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<std::uint16_t>(port));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    KITH_CHECK(connect(socket_, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0);
    const int on = 1;
    setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  }
  ~Client() { close(socket_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  int socket() const { return socket_; }

  void Ask(const std::string& request, long turn, Clock::time_point due) {
    asked = turn;
    since = due;
    got_ = whole_ = 0;
    KITH_CHECK(send(socket_, request.data(), request.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(request.size()));
  }

  /// Takes what there is; true: the answer has come.
  bool Take() {
    static char bytes[1 << 16];
    const ssize_t size = recv(socket_, bytes, sizeof bytes, 0);
    KITH_CHECK(size > 0);
    if (got_ == 0) {  // heads are small, and come at once
      const std::string_view text(bytes, static_cast<std::size_t>(size));
      constexpr std::string_view kLength = "Content-Length: ";
      const std::size_t end = text.find("\r\n\r\n"), length = text.find(kLength);
      const bool fine = text.substr(9, 3) == "200" && end != std::string_view::npos && length < end;
      if (!fine) {
        fmt::print(stderr, "load_bench: {}\n", text);
        std::exit(1);
      }
      whole_ = end + 4 + static_cast<std::size_t>(std::atol(bytes + length + kLength.size()));
    }
    got_ += static_cast<std::size_t>(size);
    KITH_CHECK(got_ <= whole_);
    return got_ == whole_;
  }

  long asked = 0;
  Clock::time_point since;

 private:
  int socket_;
  std::size_t got_ = 0, whole_ = 0;
};

struct Load {
  double each_second = 0, processor = 0, own = 0;  // milliseconds of the server for each, and of this program
  double busy = 0;                                 // of both, compared with what all processors can do
  double median = 0, p99 = 0;                      // milliseconds
};

/// `rate`: this many each second, from the moment that each was due; 0: as fast as all clients together can.
Load Run(const Server& server, const char* what, long count, std::size_t clients, double rate, long& next) {
  std::vector<std::string> requests;
  for (long i = 0; i < count; ++i) requests.push_back(RequestText(what, next++));
  std::vector<double> took(static_cast<std::size_t>(count));
  const int events = epoll_create1(0);
  std::vector<std::unique_ptr<Client>> all;
  std::deque<Client*> idle;
  for (std::size_t k = 0; k < clients; ++k) {
    idle.push_back(all.emplace_back(std::make_unique<Client>(server.port)).get());
    epoll_event event{.events = EPOLLIN, .data = {.ptr = idle.back()}};
    KITH_CHECK(epoll_ctl(events, EPOLL_CTL_ADD, idle.back()->socket(), &event) == 0);
  }
  const double processor = server.Processor(), own = OwnProcessor();
  const auto since = Clock::now();
  const auto due = [&](long turn) {
    return since + std::chrono::nanoseconds(static_cast<long>(1e9 * static_cast<double>(turn) / rate));
  };
  std::vector<epoll_event> come(clients);
  for (long begun = 0, done = 0; done < count;) {
    for (; begun < count && !idle.empty() && (rate == 0 || due(begun) <= Clock::now()); ++begun) {
      idle.front()->Ask(requests[static_cast<std::size_t>(begun)], begun, rate > 0 ? due(begun) : Clock::now());
      idle.pop_front();
    }
    timespec until{};
    const bool waits = rate > 0 && begun < count && !idle.empty();
    if (waits) {
      const auto left = std::max(due(begun) - Clock::now(), Clock::duration::zero());
      until.tv_nsec = std::min(std::chrono::nanoseconds(left), std::chrono::nanoseconds(999'999'999)).count();
    }
    const int ready =
        epoll_pwait2(events, come.data(), static_cast<int>(come.size()), waits ? &until : nullptr, nullptr);
    KITH_CHECK(ready >= 0);
    for (int k = 0; k < ready; ++k) {
      auto* const client = static_cast<Client*>(come[static_cast<std::size_t>(k)].data.ptr);
      if (!client->Take()) continue;
      took[static_cast<std::size_t>(client->asked)] = 1e3 * Seconds(Clock::now() - client->since);
      idle.push_back(client);
      ++done;
    }
  }
  const double wall = Seconds(Clock::now() - since);
  const double servers = server.Processor() - processor, mine = OwnProcessor() - own;
  close(events);
  std::sort(took.begin(), took.end());
  const auto part = [&](double share) {
    return took[static_cast<std::size_t>(share * static_cast<double>(count - 1))];
  };
  const auto each = static_cast<double>(count);
  return {each / wall,       1e3 * servers / each,
          1e3 * mine / each, (servers + mine) / (wall * std::thread::hardware_concurrency()),
          part(0.5),         part(0.99)};
}

// What was measured, next to what its parts cost by themselves.
void Say(const char* what, const Load& load, const Cost& bare, const char* parts) {
  fmt::print(
      "{}: {:.0f} each second ({:.2f} times {} one after another), {:.3f} ms of the server's processor time each "
      "({:.1f} times) and {:.3f} ms of the clients' ({:.0f} % of the machine in all); median {:.1f} ms, p99 {:.1f} "
      "ms\n",
      what, load.each_second, load.each_second * bare.wall, parts, load.processor,
      load.processor / (1e3 * bare.processor), load.own, 100 * load.busy, load.median, load.p99);
  std::fflush(stdout);
}

void Loads(const Server& server, long questions, std::size_t clients, const Cost& commit, const Cost& question) {
  const Cost charged{2 * commit.processor + question.processor, 2 * commit.wall + question.wall};
  constexpr char kQuestion[] = "questions to DuckDB", kCharged[] = "two commits and a question";
  long next = 0;
  Run(server, "release", 100, 4, 0, next);
  const Load explained = Run(server, "explain", questions, clients, 0, next);
  Say("explain", explained, question, kQuestion);
  Say("  at half of it", Run(server, "explain", questions / 2, clients, explained.each_second / 2, next), question,
      kQuestion);
  const double before = server.Megabytes();
  const Load asked = Run(server, "release", questions, clients, 0, next);
  Say("charged question", asked, charged, kCharged);
  Say("  at half of it", Run(server, "release", questions / 2, clients, asked.each_second / 2, next), charged,
      kCharged);
  fmt::print("memory: {:.0f} MB before, {:.0f} MB after {} charged questions\n", before, server.Megabytes(),
             questions + questions / 2);
  std::vector<std::unique_ptr<Client>> idle;
  for (int k = 0; k < 1000; ++k) idle.push_back(std::make_unique<Client>(server.port));
  const Load beside = Run(server, "explain", std::min(questions, 1000L), clients, 0, next);
  fmt::print("beside 1000 idle connections: explain {:.0f} each second, {:.0f} MB\n", beside.each_second,
             server.Megabytes());
}

void Memory(const Server& server, long questions, std::size_t clients) {
  long next = 0;
  Run(server, "release", 100, 4, 0, next);
  fmt::print("memory: {:.0f} MB after 100 charged questions\n", server.Megabytes());
  constexpr long kParts = 10;
  for (long part = 1; part <= kParts; ++part) {
    const Load asked = Run(server, "release", questions / kParts, clients, 0, next);
    fmt::print(
        "memory: {:.0f} MB after {} charged questions; the last of them {:.0f} each second, {:.3f} ms of the "
        "server's processor time\n",
        server.Megabytes(), next, asked.each_second, asked.processor);
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  long questions = 5000;
  int tick = 0;
  std::size_t clients = 0;
  fs::path program = fs::absolute(argv[0]).parent_path().parent_path() / "kith";
  bool memory = false;
  std::string where = ".";
  for (int k = 1; k < argc; ++k) {
    const std::string word = argv[k];
    if (word == "--questions" && k + 1 < argc)
      questions = std::max(100L, std::atol(argv[++k]));
    else if (word == "--tick" && k + 1 < argc)
      tick = std::atoi(argv[++k]);
    else if (word == "--clients" && k + 1 < argc)
      clients = static_cast<std::size_t>(std::clamp(std::atol(argv[++k]), 1L, 500L));
    else if (word == "--program" && k + 1 < argc)
      program = fs::absolute(argv[++k]);
    else if (word == "--groups")
      in_groups = true;
    else if (word == "--memory")
      memory = true;
    else if (argv[k][0] != '-')
      where = argv[k];
  }
  std::string pattern = (fs::path(where) / "load_bench_XXXXXX").string();
  KITH_CHECK(mkdtemp(pattern.data()) != nullptr);
  const fs::path folder = fs::absolute(pattern);
  WritePolicy(folder, tick);
  const Cost commit = BareCommit(folder), question = BareQuestion(folder);
  fmt::print(
      "bare: a commit {:.3f} ms ({:.3f} of processor time), a question to DuckDB {:.3f} ms ({:.3f}); {} processors\n",
      1e3 * commit.wall, 1e3 * commit.processor, 1e3 * question.wall, 1e3 * question.processor,
      std::thread::hardware_concurrency());
  {
    if (clients == 0) clients = tick == 0 ? 16 : 128;
    const Server server(program, folder);
    if (memory) {
      Memory(server, questions, clients);
    } else {
      Loads(server, questions, clients, commit, question);
    }
  }
  fs::remove_all(folder);
  return 0;
}
