// Durable charges against bare SQLite commits of one small row: same settings, same disk, in turns. What is compared is
// the ratio within this run; single times depend on the disk. The folder is the first argument, or the current one: not
// a memory disk.
#include <sqlite3.h>
#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "ledger/ledger.h"

namespace kith {
namespace {

namespace fs = std::filesystem;

void Need(bool fine, const char* what) {
  if (fine) return;
  std::fprintf(stderr, "ledger_bench: %s failed\n", what);
  std::exit(1);
}

/// The least that a durable commit can be: BEGIN IMMEDIATE, one INSERT of one small row, COMMIT, all prepared.
class BareSqlite {
 public:
  explicit BareSqlite(const fs::path& file) {
    Need(sqlite3_open(file.c_str(), &handle_) == SQLITE_OK, "sqlite3_open");
    Run("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE t (a INTEGER PRIMARY KEY, b INTEGER NOT "
        "NULL) STRICT");
    begin_ = Prepare("BEGIN IMMEDIATE");
    insert_ = Prepare("INSERT INTO t (b) VALUES (1)");
    commit_ = Prepare("COMMIT");
  }
  ~BareSqlite() {
    for (sqlite3_stmt* statement : {begin_, insert_, commit_}) sqlite3_finalize(statement);
    sqlite3_close(handle_);
  }
  BareSqlite(const BareSqlite&) = delete;
  BareSqlite& operator=(const BareSqlite&) = delete;
  void Commit() {
    for (sqlite3_stmt* statement : {begin_, insert_, commit_}) {
      Need(sqlite3_step(statement) == SQLITE_DONE, "a bare commit");
      sqlite3_reset(statement);
    }
  }

 private:
  void Run(const char* sql) { Need(sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr) == SQLITE_OK, sql); }
  sqlite3_stmt* Prepare(const char* sql) {
    sqlite3_stmt* statement = nullptr;
    Need(sqlite3_prepare_v2(handle_, sql, -1, &statement, nullptr) == SQLITE_OK, sql);
    return statement;
  }
  sqlite3* handle_ = nullptr;
  sqlite3_stmt* begin_ = nullptr;
  sqlite3_stmt* insert_ = nullptr;
  sqlite3_stmt* commit_ = nullptr;
};

LedgerBinding Binding(std::size_t cells) {
  LedgerBinding binding{std::string(64, 'a'), std::string(64, 'b'), {}};
  binding.columns = {{"ward", {}}};
  for (std::size_t i = 0; i < cells; ++i) {
    binding.cells.push_back("ward=" + std::to_string(i));
    binding.columns[0].values.push_back(std::to_string(i));
  }
  return binding;
}

ChargeRequest Request(std::size_t cells, std::size_t step) {
  ChargeRequest request;
  request.units = PlainUnits::Of(42949672);
  for (std::size_t i = 0; i < cells; i += step) request.cells.push_back(i);
  request.limits.assign(cells, PlainUnits::Of(PlainUnits::kMax));
  request.question = "SELECT zyg, sex, count(*), avg(age) FROM twins WHERE stutter = 'yes' GROUP BY zyg, sex";
  request.answer_key = std::string(64, 'c');
  return request;
}

double Seconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Turns of both, so that a busy disk disturbs both alike; the median turn counts.
double PrintRatio(const fs::path& folder, const char* name, std::size_t cells, std::size_t step) {
  constexpr int kTurns = 21, kCommits = 100;
  BareSqlite bare(folder / (std::string("bare") + name));
  Ledger ledger = std::move(Ledger::Open(folder / (std::string("ledger") + name), Binding(cells), true).value());
  const ChargeRequest request = Request(cells, step);
  std::vector<double> bare_times, charge_times, ratios;
  for (int turn = 0; turn < kTurns; ++turn) {
    bare_times.push_back(Seconds([&] {
      for (int i = 0; i < kCommits; ++i) bare.Commit();
    }));
    charge_times.push_back(Seconds([&] {
      for (int i = 0; i < kCommits; ++i) Need(ledger.Charge(request).has_value(), "a charge");
    }));
    ratios.push_back(bare_times.back() / charge_times.back());
  }
  for (auto* times : {&bare_times, &charge_times, &ratios}) std::sort(times->begin(), times->end());
  std::printf("%-22s charges %6.0f/s, bare commits %6.0f/s, charges reach %3.0f %% of bare (target: 60 %%)\n", name,
              kCommits / charge_times[kTurns / 2], kCommits / bare_times[kTurns / 2], 100 * ratios[kTurns / 2]);
  return ratios[kTurns / 2];
}

/// How long opening takes, which verifies the whole chain. Filled in memory: only reading is measured.
void PrintOpening(const fs::path& folder) {
  constexpr int kEntries = 100'000;
  const fs::path file = folder / "long";
  {
    Ledger ledger = std::move(Ledger::Open(file, Binding(12), true).value());
    const ChargeRequest request = Request(12, 1);
    for (int i = 0; i < kEntries; ++i) Need(ledger.Charge(request).has_value(), "a charge");
  }
  std::vector<double> times;
  for (int turn = 0; turn < 5; ++turn) {
    times.push_back(Seconds([&] { Need(Ledger::Open(file, Binding(12), false).has_value(), "opening"); }));
  }
  std::sort(times.begin(), times.end());
  std::printf("opening and verifying %d charges takes %.0f ms\n", kEntries, 1e3 * times[2]);
  const Ledger ledger = std::move(Ledger::Open(file, Binding(12), false).value());
  times.clear();
  for (int turn = 0; turn < 5; ++turn) {
    times.push_back(Seconds([&] { Need(ledger.History({0, 50, true}).has_value(), "a page of the history"); }));
  }
  std::sort(times.begin(), times.end());
  std::printf("the newest 50 of them are shown, verified, in %.2f ms\n", 1e3 * times[2]);
}

}  // namespace
}  // namespace kith

int main(int argc, char** argv) {
  const auto scratch = [](const std::string& parent) {
    std::string name = parent + "/ledger-bench-XXXXXX";
    kith::Need(mkdtemp(name.data()) != nullptr, "making a folder");
    return std::filesystem::path(name);
  };
  const auto folder = scratch(argc > 1 ? argv[1] : ".");
  double worst = 1e9;
  worst = std::min(worst, kith::PrintRatio(folder, "1 cell", 1, 1));
  worst = std::min(worst, kith::PrintRatio(folder, "all of 12 cells", 12, 1));
  worst = std::min(worst, kith::PrintRatio(folder, "all of 4096 cells", 4096, 1));
  worst = std::min(worst, kith::PrintRatio(folder, "every 2nd of 4096", 4096, 2));
  std::filesystem::remove_all(folder);
  const auto memory = scratch(std::filesystem::exists("/dev/shm") ? "/dev/shm" : ".");
  kith::PrintOpening(memory);
  std::filesystem::remove_all(memory);
  return worst >= 0.6 ? 0 : 1;
}
