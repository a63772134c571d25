// What can be seen of keys that nobody declared, exactly: laws over all answers, and the delta between two of them.
#pragma once
#include <cstdint>
#include <vector>

namespace kith::testing {

/// Keys with this many units each, with the probability of this.
struct PossibleKeys {
  long double probability = 1;
  std::vector<std::int64_t> units;
};

/// Noise and threshold as they are, or with a fault.
struct KeyLaw {
  std::int64_t threshold = 1;
  long double scale = 1;  // sigma of rounded normal noise, or the scale of discrete Laplace noise
  bool laplace = false;
  bool cut = false;  // drawn again until it is below the threshold
};

/// The largest P[S] - e^loss P'[S] over sets of answers, where a key that occurs is shown if its noisy count reaches
/// the threshold, and no other is. Exact except for noise beyond 9 sigma or 40 scales, which is one answer. Requires:
/// the same keys everywhere.
long double DeltaOfKeys(const std::vector<PossibleKeys>& before, const std::vector<PossibleKeys>& after,
                        const KeyLaw& law, long double loss);

}  // namespace kith::testing
