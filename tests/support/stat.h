// Statistics for tests that never flake: finite-sample bounds at one false-alarm probability, and seeds taken from the
// test's name, so that red means that the code changed.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>

#include "random/bits.h"

namespace kith::stat {

/// The false-alarm probability of one statistical assertion. A thousand of them stay below one in a million.
inline constexpr double kAlpha = 1e-9;

/// Derived from the name of the running test. The environment variable KITH_SEED (a number) overrides it and is
/// printed.
std::uint64_t SeedForThisTest();

/// How often a test runs what it looks at. The environment variable KITH_MORE_TRIALS (a number) multiplies it: `make
/// nightly` looks longer for what must not be found.
std::size_t Runs(std::size_t usually);

/// Bits of the Mersenne twister, only for tests. One word of the engine for each draw.
class SeededBits final : public BitSource {
 public:
  explicit SeededBits(std::uint64_t seed) : engine_(seed) {}
  std::uint64_t Bits(int count) override;
  /// How many draws there were, whatever their size.
  std::uint64_t draws() const { return draws_; }

 private:
  std::mt19937_64 engine_;
  std::uint64_t draws_ = 0;
};

/// The empirical CDF of n samples is farther than this from the true one with probability at most kAlpha, for every n
/// and law. Source: Dvoretzky, Kiefer, Wolfowitz 1956; constant 2: Massart 1990.
double Radius(std::size_t n);

/// Enough samples that a law whose CDF is off by d somewhere stays within Radius(n) with probability at most kAlpha.
std::size_t SamplesToSee(double d);

/// The largest distance between the empirical CDF of n draws and the CDF of an integer law.
double CdfDistance(std::size_t n, const std::function<std::int64_t()>& draw,
                   const std::function<double(std::int64_t)>& cdf);

/// A lower bound for the probability of an event with this many hits; wrong with probability at most kAlpha
/// (probe/bounds.h: Clopper-Pearson).
double LowerBound(std::uint64_t hits, std::uint64_t trials);

}  // namespace kith::stat
