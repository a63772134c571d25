// Exact discrete Laplace and rounded normal noise against unsafe textbook samplers (doubles) on the same random source.
// The last lines print the ratio within this run, which is what is compared; single times depend on the machine.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <vector>

#include "mechanism/discrete_laplace.h"
#include "mechanism/rounded_normal.h"

namespace kith {
namespace {

/// Never release this: the low-order bits of its doubles give the true value away (Mironov 2012). Written to be fast:
/// one word, one logarithm, no branch.
std::int64_t UnsafeLaplace(double scale, SystemBits& bits) {
  const std::uint64_t word = bits.Bits(64);
  const double uniform = static_cast<double>((word >> 11) + 1) * 0x1p-53;
  const auto size = static_cast<std::int64_t>(0.5 - scale * std::log(uniform));
  const auto negative = static_cast<std::int64_t>(word & 1);
  return (size ^ -negative) + negative;
}

/// Never release this either. Box and Muller's pairs: one word each, one logarithm, root, sine and cosine for two.
class UnsafeNormal {
 public:
  explicit UnsafeNormal(double sigma) : sigma_(sigma) {}
  std::int64_t operator()(SystemBits& bits) {
    if (kept_) {
      kept_ = false;
      return std::llrint(sigma_ * second_);
    }
    const double u = static_cast<double>((bits.Bits(64) >> 11) + 1) * 0x1p-53;
    const double turn = 2 * std::numbers::pi * static_cast<double>(bits.Bits(64) >> 11) * 0x1p-53;
    const double radius = std::sqrt(-2 * std::log(u));
    second_ = radius * std::sin(turn);
    kept_ = true;
    return std::llrint(sigma_ * radius * std::cos(turn));
  }

 private:
  double sigma_, second_ = 0;
  bool kept_ = false;
};

DiscreteLaplace OfScale(std::int64_t scale) {
  return DiscreteLaplace::Make(Sensitivity::Make(scale).value(), PlainUnits::Of(PlainUnits::kOne)).value();
}

void Unsafe(benchmark::State& state) {
  SystemBits& bits = SystemBits::ForThisThread();
  for (auto _ : state) benchmark::DoNotOptimize(UnsafeLaplace(static_cast<double>(state.range(0)), bits));
  state.SetItemsProcessed(state.iterations());
}

void Exact(benchmark::State& state) {
  SystemBits& bits = SystemBits::ForThisThread();
  const DiscreteLaplace noise = OfScale(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(noise.Release(1000, bits));
  state.SetItemsProcessed(state.iterations());
}

void ExactBatch(benchmark::State& state) {
  SystemBits& bits = SystemBits::ForThisThread();
  const DiscreteLaplace noise = OfScale(state.range(0));
  std::vector<Int128> cells(4096);
  for (auto _ : state) noise.ReleaseAll(cells, bits);
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(cells.size()));
}

void ExactThroughInterface(benchmark::State& state) {
  BitSource* bits = &SystemBits::ForThisThread();
  benchmark::DoNotOptimize(bits);
  const DiscreteLaplace noise = OfScale(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(noise.Release(1000, *bits));
  state.SetItemsProcessed(state.iterations());
}

void MakeOne(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(OfScale(state.range(0)));
}

void RandomWord(benchmark::State& state) {
  SystemBits& bits = SystemBits::ForThisThread();
  for (auto _ : state) benchmark::DoNotOptimize(bits.Bits(64));
  state.SetBytesProcessed(state.iterations() * 8);
}

BENCHMARK(RandomWord);
BENCHMARK(Unsafe)->Arg(1)->Arg(1000);
BENCHMARK(Exact)->Arg(1)->Arg(10)->Arg(1000)->Arg(1 << 30);
BENCHMARK(ExactBatch)->Arg(1000);
BENCHMARK(ExactThroughInterface)->Arg(1000);
BENCHMARK(MakeOne)->Arg(1000);

/// Nanoseconds for one draw: the best of several short runs, so that a busy machine disturbs less.
template <class Draw>
double Best(Draw draw) {
  constexpr int kDraws = 200000;
  double best = HUGE_VAL;
  for (int run = 0; run < 15; ++run) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < kDraws; ++i) benchmark::DoNotOptimize(draw());
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
    best = std::min(best, took.count() / kDraws);
  }
  return best;
}

void PrintRatios() {
  SystemBits& bits = SystemBits::ForThisThread();
  for (const std::int64_t scale : {1, 10, 1000, 1000000}) {
    const DiscreteLaplace noise = OfScale(scale);
    const double exact = Best([&] { return noise.Release(1000, bits); });
    const double unsafe = Best([&] { return UnsafeLaplace(static_cast<double>(scale), bits); });
    std::printf("scale %8lld: exact %.1f M/s, unsafe %.1f M/s, exact reaches %.0f %% of unsafe (target: 40 %%)\n",
                static_cast<long long>(scale), 1e3 / exact, 1e3 / unsafe, 100 * unsafe / exact);
  }
  for (const std::uint64_t sigma : {1, 10, 1000, 1000000}) {
    const RoundedNormal noise = RoundedNormal::Make(sigma, 1).value();
    UnsafeNormal normal(static_cast<double>(sigma));
    const double exact = Best([&] { return noise.Release(1000, bits); });
    const double unsafe = Best([&] { return normal(bits); });
    std::printf(
        "normal, sigma %8lld: exact %.1f M/s, unsafe %.1f M/s, exact reaches %.0f %% of unsafe (target: 40 %%)\n",
        static_cast<long long>(sigma), 1e3 / exact, 1e3 / unsafe, 100 * unsafe / exact);
  }
}

}  // namespace
}  // namespace kith

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  kith::PrintRatios();
}
