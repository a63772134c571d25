// Random numbers for simulations on noisy answers: always the same ones. They hide nothing and need hide nothing: what
// is simulated is a function of answers already released, and anybody who has these can recompute it.
#pragma once
#include <cmath>
#include <cstdint>

namespace kith {

/// SplitMix64 from a fixed start; the same numbers on every machine.
class PublicDraws {
 public:
  std::uint64_t Word() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  /// Above 0, at most 1.
  double Uniform() { return (static_cast<double>(Word() >> 11) + 1) * 0x1p-53; }
  double Normal();
  /// 0, 1, 2, ... with the ratio q from each to the next. Requires: 0 <= q < 1.
  double Geometric(double q) { return q <= 0 ? 0 : std::floor(std::log(Uniform()) / std::log(q)); }
  /// How often an event of this chance happens in n trials: exact for rare ones, and otherwise a rounded normal number,
  /// between 0 and n.
  double Binomial(double n, double chance);

 private:
  std::uint64_t state_ = 0;
};

}  // namespace kith
