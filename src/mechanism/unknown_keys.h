// Noisy counts of keys that nobody declared: each key that occurs gets discrete Laplace noise, and is shown if it
// reaches a threshold. That a key is shown tells that it occurs; the threshold is so high that a key which one unit
// alone has is shown with a probability of at most delta. So this needs a budget with a delta; declared keys need none
// (sparse_counts.h).  Source: docs/theory/mechanisms.md#unknown-keys.  Claims: claims/keys.md
#pragma once
#include <cstdint>
#include <optional>

#include "base/int128.h"
#include "base/result.h"
#include "loss/loss.h"
#include "mechanism/discrete_laplace.h"
#include "random/bits.h"

namespace kith {

/// Immutable: safe to use from several threads.
class UnknownKeys {
 public:
  /// `most_keys`: of one unit, each of which it adds at most 1 to. `delta`: in units of 2^-60, as charged.
  /// Ensures [KEYS-1]: let one unit's keys be replaced by others, at most `most_keys` before and after. No set of
  /// answers becomes likelier by more than the factor e^share, beside a probability of at most delta.
  /// Fails: kInvalidArgument if a number is not positive, or no threshold up to 2^53 is high enough.
  static Result<UnknownKeys> Make(std::int64_t most_keys, PlainUnits share, std::int64_t delta);

  /// What is shown of a key that so many units have; nothing: it stays below the threshold.
  template <int kDigits = 63, int kMore = 64, RandomBits Source>
  std::optional<Int128> Occurring(Int128 units, Source& bits) const {
    const Int128 noisy = noise_.Release<kDigits, kMore>(units, bits);
    return noisy >= threshold_ ? std::optional(noisy) : std::nullopt;
  }
  std::optional<Int128> Occurring(Int128 units, BitSource& bits) const;  // what every release goes through (release.cc)

  std::int64_t threshold() const { return threshold_; }
  const DiscreteLaplace& noise() const { return noise_; }
  /// The smallest number of units with which a key is shown with at least this probability.
  /// Requires: 1/2 < confidence < 1.
  double ShownWith(double confidence) const;

 private:
  UnknownKeys(DiscreteLaplace noise, std::int64_t threshold) : noise_(noise), threshold_(threshold) {}

  DiscreteLaplace noise_;
  std::int64_t threshold_;
};

}  // namespace kith
