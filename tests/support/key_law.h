// What can be seen of keys that nobody declared, exactly: laws over all answers, and the delta between two of them.
#pragma once
#include <cstdint>
#include <vector>

namespace kith::testing {

/// Keys with so many units each, with the probability of this being so.
struct PossibleKeys {
  long double probability = 1;
  std::vector<std::int64_t> units;
};

/// The largest P[S] - e^loss P'[S] over sets of answers, where a key that occurs is shown if its count with rounded
/// normal noise reaches the threshold, and no other is. Exact but for noise beyond 9 sigma, which is one answer.
/// Requires: the same keys everywhere.
long double DeltaOfKeys(const std::vector<PossibleKeys>& before, const std::vector<PossibleKeys>& after,
                        std::int64_t threshold, long double sigma, long double loss);

}  // namespace kith::testing
