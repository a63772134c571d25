// Noisy counts of keys that nobody declared: each key that occurs gets rounded normal noise, and is shown if it reaches
// a threshold. That a key is shown tells that it occurs; the threshold is so high that a key which one unit alone has
// is shown with a probability of at most delta. So this needs a budget with a delta, and there normal noise is the
// smaller one: declared keys need no delta (sparse_counts.h). Source: docs/theory/mechanisms.md#unknown-keys.  Claims:
// claims/keys.md
#pragma once
#include <cstdint>
#include <optional>

#include "base/int128.h"
#include "base/result.h"
#include "mechanism/noise.h"
#include "random/bits.h"

namespace kith {

/// Immutable: safe to use from several threads.
class UnknownKeys {
 public:
  /// `most_keys`: of one unit, each of which it adds at most 1 to. `mu`: the square of the Gaussian loss
  /// (LossKind::kMu) and `delta` (LossKind::kDelta), as charged. Ensures [KEYS-1]: let one unit's keys be replaced by
  /// others, at most `most_keys` before and after. What is shown before is within delta, in total variation, of
  /// something that no test tells from what is shown after better than mu says. Fails: kInvalidArgument if a number is
  /// not positive, or no threshold up to 2^53 is high enough.
  static Result<UnknownKeys> Make(std::int64_t most_keys, std::int64_t mu, std::int64_t delta);

  /// What is shown of a key that so many units have; nothing: it stays below the threshold.
  std::optional<Int128> Occurring(Int128 units, BitSource& bits) const;  // what every release goes through (release.cc)

  std::int64_t threshold() const { return threshold_; }
  const Noise& noise() const { return noise_; }
  /// The smallest number of units with which a key is shown with at least this probability.
  /// Requires: 1/2 < confidence < 1.
  double ShownWith(double confidence) const;

 private:
  UnknownKeys(const Noise& noise, std::int64_t threshold) : noise_(noise), threshold_(threshold) {}

  Noise noise_;
  std::int64_t threshold_;
};

}  // namespace kith
