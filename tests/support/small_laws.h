// Random joint laws of a few records, ordinary and nasty, for property tests.
#pragma once
#include <cstdint>
#include <random>
#include <vector>

#include "tests/support/exact_loss.h"

namespace kith::testing {

/// Draws that depend only on the seed, on every machine.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  double Uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  double Between(double low, double high) { return low + (high - low) * Uniform(); }
  int Below(int n) { return static_cast<int>(engine_() % static_cast<std::uint64_t>(n)); }
  bool Chance(double p) { return Uniform() < p; }
  /// Positive, spread over many orders of magnitude when wild.
  double Weight(bool wild);

 private:
  std::mt19937_64 engine_;
};

/// A random law of m values: about as often smooth, extreme (probabilities down to 1e-6) or with zeros.
std::vector<double> RandomLaw(Dice& dice, int values);
/// A random joint law, of the same three kinds.
SmallLaw RandomJoint(Dice& dice, std::vector<int> values);

}  // namespace kith::testing
