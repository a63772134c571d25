// Randomness of experiments: seeded, the same on every machine. No release takes its noise from here.
#pragma once
#include <cmath>
#include <cstdint>
#include <random>

#include "attack/kmeans.h"

namespace kith::experiment {

/// Draws of simulated mechanisms and of stand-ins.
class Simulated {
 public:
  explicit Simulated(std::uint64_t seed) : engine_(seed) {}
  double Uniform() { return attack::Uniform(engine_); }
  double Between(double low, double high) { return low + (high - low) * Uniform(); }
  bool Chance(double probability) { return Uniform() < probability; }
  std::size_t Below(std::size_t n) { return static_cast<std::size_t>(Uniform() * static_cast<double>(n)); }
  double Laplace(double scale) {
    const double size = -std::log1p(-Uniform());
    return Chance(0.5) ? scale * size : -scale * size;
  }
  /// Bell-shaped: three uniform numbers.
  double Bell(double middle, double spread) { return middle + 2 * spread * (Uniform() + Uniform() + Uniform() - 1.5); }

 private:
  std::mt19937_64 engine_;
};

/// Another seed for each part of an experiment, so that parts can be run separately and in any order.
inline std::uint64_t SeedOf(std::uint64_t seed, std::uint64_t part, std::uint64_t repetition = 0) {
  std::uint64_t x = seed + 0x9e3779b97f4a7c15 * (part * 1'000'003 + repetition + 1);
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

}  // namespace kith::experiment
