// A step of a stream over a million present units: what the engine takes for the same count, and what all of kith adds:
// the choice of one row for each unit, two durable entries of the ledger, the noise, and the sums of windows.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <vector>

#include "release/release.h"
#include "release/stream/stream.h"

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

double Milliseconds(const std::function<void()>& work) {
  const auto start = Clock::now();
  work();
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// What was made, or the end of the program with the reason.
template <class T>
T Need(kith::Result<T> made) {
  if (made) return std::move(*made);
  fmt::print(stderr, "{}\n", made.error().Text());
  std::exit(1);
}

double Median(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

void Write(const fs::path& folder, std::int64_t units, int steps) {
  std::ofstream rows(folder / "t.csv");
  rows << "id,at,floor\n";
  for (int step = 0; step < steps; ++step) {
    for (std::int64_t i = 0; i < units; ++i)
      rows << 7919 * i % units + units * (step / 3) << ',' << step << ',' << i % 4 << '\n';
  }
  std::ofstream(folder / "policy.toml") << "[data]\ntables.t = \"t.csv\"\n[unit]\ntable = \"t\"\nkey = "
                                           "\"id\"\nmax_rows = 1\npresence = \"secret\"\n[columns.t]\nid = { type = "
                                           "\"integer\" }\nat = { type = \"integer\" }\nfloor = { values = [0, 1, 2, "
                                           "3], required = true }\n[dependence]\nsource = \"public\"\n"
                                           "kind = \"independent\"\n[stream]\ntime = \"at\"\nstep = 1\nwindow = "
                                           "3\n[budget]\nepsilon = 1\nledger = \"t.ledger\"\n";
}

void Measure(const kith::Curator& curator, const kith::Session& engine, const std::string& statistic,
             const std::string& own, int steps) {
  const kith::CancelFlag never;
  kith::StreamRequest request;
  request.statistic = statistic;
  request.epsilon = 0.3;
  const auto stream = Need(curator.OpenStream(request));
  std::vector<double> all, alone;
  for (int step = 0; step < steps; ++step) {
    alone.push_back(Milliseconds([&] { (void)Need(engine.RunText(own + std::to_string(step), never)); }));
    all.push_back(Milliseconds([&] { (void)Need(curator.Release(kith::StepRequest{stream, step}, {}, {}, never)); }));
  }
  fmt::print("{:50} {:7.1f} ms a step (largest {:.1f}); DuckDB's own count {:6.1f} ms; ratio {:.2f}\n", statistic,
             Median(all), *std::max_element(all.begin(), all.end()), Median(alone), Median(all) / Median(alone));
}

}  // namespace

int main() {
  constexpr std::int64_t kUnits = 1'000'000;
  constexpr int kSteps = 5;
  const fs::path folder = fs::temp_directory_path() / fmt::format("kith_stream_bench_{}", getpid());
  fs::create_directories(folder);
  Write(folder, kUnits, kSteps);
  {
    const auto curator = Need(kith::Curator::Open(folder / "policy.toml", {}));
    const auto policy = Need(kith::Policy::Load(folder / "policy.toml"));
    const auto engine = Need(kith::ImportAndOpen(policy, {}, kith::CancelFlag()));
    fmt::print("{} steps of {} present units\n", kSteps, kUnits);
    Measure(curator, *engine, "SELECT count(*) FROM t", "SELECT count(DISTINCT id) FROM t WHERE \"at\" = ", kSteps);
    Measure(curator, *engine, "SELECT count(*) FROM t WHERE floor = 2",
            "SELECT count(DISTINCT id) FROM t WHERE floor = 2 AND \"at\" = ", kSteps);
  }
  fs::remove_all(folder);
  return 0;
}
