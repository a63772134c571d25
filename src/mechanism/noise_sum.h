// The law of a sum of noises with weights: what the error bar of a linear combination of noisy answers is made of.
#pragma once
#include <vector>

namespace kith {

/// One noise of a sum: weight * (discrete Laplace noise of this scale on a lattice with this step), in its own units.
struct WeightedNoise {
  double weight = 1;
  double scale = 0;  // of the noise; above 0
  double step = 0;   // of the lattice; above 0
  double count = 1;  // this many of them, all independent
};

/// The smallest distance, up to a relative 1e-6, that the sum of independent noises exceeds with probability at most
/// 1 - confidence, in either direction. Exact where all weights times steps are multiples of the smallest of them, or
/// of a small part of it, and that lattice is not much finer than the noise; otherwise from the continuous laws, plus
/// all that the lattices can add, and so never too small. No noises: 0. Requires: 0 < confidence < 1. Ensures
/// [AFTER-2]: the sum is within the bar with at least this probability, except for the rounding of doubles.
double BarOfSum(const std::vector<WeightedNoise>& noises, double confidence);

}  // namespace kith
