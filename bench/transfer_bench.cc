// A chain of ten million records in one sweep, compared with the time that just its divisions take; and what small
// models cost. Usage: transfer_bench [STEPS]
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "base/check.h"
#include "transfer/chain/chain_sweep.h"
#include "transfer/transfer.h"

namespace {

double Seconds(const std::function<void()>& work) {
  double best = 1e300;
  for (int round = 0; round < 3; ++round) {
    const auto start = std::chrono::steady_clock::now();
    work();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

// Each message needs the one before it, through two divisions: no program is faster than that chain, once in each
// direction. The two orders of the two values run side by side.
double Divisions(std::size_t steps) {
  double yes = 0.3;
  double no = 0.4;
  for (std::size_t k = 0; k < 2 * steps; ++k) {
    yes = 0.5 / (1 / (yes + 0.4) + 0.2);
    no = 0.5 / (1 / (no + 0.4) + 0.3);
  }
  return yes + no;
}

void Sweeps(std::size_t steps) {
  const kith::Chain chain{{{.8, .2}, {.3, .7}}, {.9, .1}, static_cast<std::int64_t>(steps)};
  std::vector<double> each(steps);
  for (std::size_t i = 0; i < steps; ++i) each[i] = 0.2 + 0.001 * static_cast<double>(i % 100);
  volatile double sink = 0;
  const double limit = Seconds([&] { sink = Divisions(steps); });
  const double same = Seconds([&] { sink = kith::SweepChain(chain, kith::PlainLosses::All(0.33), false).worst; });
  const double own = Seconds([&] { sink = kith::SweepChain(chain, kith::PlainLosses::Each(each), false).worst; });
  KITH_CHECK(sink > 0);
  fmt::print(
      "chain of {} records, seconds: its divisions alone {:.3f}, one plain loss for all {:.3f}, one for each {:.3f}\n",
      steps, limit, same, own);
  fmt::print("  share of the rate of the divisions: {:.0f} %\n", 100 * limit / same);
}

void SmallModel(const std::string& name, const kith::Model& model) {
  const double make = Seconds([&] { KITH_CHECK(kith::Transfer::Make(model).has_value()); });
  const auto transfer = kith::Transfer::Make(model).value();
  const double there = Seconds([&] { KITH_CHECK(transfer.Loss(0.25).has_value()); });
  const double back = Seconds([&] { KITH_CHECK(transfer.PlainBudget(1).has_value()); });
  fmt::print("{:<28} made ready {:8.3f} ms   loss {:8.3f} ms   budget {:8.3f} ms\n", name, 1e3 * make, 1e3 * there,
             1e3 * back);
}

kith::Field Grid(std::uint32_t side) {
  kith::Field grid{side * side, {}, {}, {}, {}, nullptr};
  for (std::uint32_t y = 0; y < side; ++y) {
    for (std::uint32_t x = 0; x < side; ++x) {
      if (x + 1 < side) grid.edges.push_back({side * y + x, side * y + x + 1, std::log(2)});
      if (y + 1 < side) grid.edges.push_back({side * y + x, side * y + x + side, std::log(2)});
    }
  }
  return grid;
}

}  // namespace

int main(int argc, char** argv) {
  const long asked = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 0;
  Sweeps(asked > 0 ? static_cast<std::size_t>(asked) : 10'000'000);
  SmallModel("group of 4, odds ratio 2", kith::Group{4, {{"", 2.0}}});
  SmallModel("chain of 1,000, two values", kith::Chain{{{.8, .2}, {.3, .7}}, {.6, .4}, 1000});
  SmallModel("chain of 1,000, three values",
             kith::Chain{{{.8, .1, .1}, {.3, .6, .1}, {.2, .2, .6}}, {.4, .3, .3}, 1000});
  SmallModel("grid of 36, odds ratio 2", Grid(6));
  SmallModel("joint law of 6 records", kith::Joint{std::vector<std::int64_t>(6, 2), kith::Law(64, 1.0 / 64)});
  return 0;
}
