// Partition selection: which groups are shown where nobody declared their keys. Each key that occurs gets a noisy
// count, and is shown if that reaches a threshold. That a key is shown says that it occurs; the threshold is so high
// that a key that only one unit has is shown with a probability of at most delta. So this needs a budget with a delta:
// declared keys need none (sparse_counts.h). Rounded normal noise for a Gaussian loss; for a pure one, discrete Laplace
// noise that is never larger than what takes a key of one unit to the threshold. Source:
// docs/theory/mechanisms.md#unknown-keys.  Claims: claims/keys.md
#pragma once
#include <cstdint>
#include <optional>

#include "base/int128.h"
#include "base/result.h"
#include "loss/loss_kinds.h"
#include "mechanism/noise.h"
#include "random/bits.h"

namespace kith {

/// Immutable: safe to use from several threads.
class PartitionSelection {
 public:
  /// `most_keys`: of one unit, which adds at most 1 to each. `share`: a Gaussian loss (LossKind::kMu) or a pure
  /// one, and `delta` (LossKind::kDelta), as charged. Let one unit's keys be replaced by others, at most `most_keys`
  /// before and after. Ensures [KEYS-1]: for a Gaussian loss what is shown before is within delta, in total variation,
  /// of something that no test distinguishes from what is shown after better than the loss says. Ensures [KEYS-4]: for
  /// a pure one no answer is likelier before than after by more than the loss, outside an event of a probability of at
  /// most delta. Fails: kInvalidArgument if a number is not positive, or no threshold up to 2^53 is high enough.
  static Result<PartitionSelection> Make(std::int64_t most_keys, const Loss& share, std::int64_t delta);

  /// What is shown of a key that this many units have; nothing: it stays below the threshold.
  std::optional<Int128> Select(Int128 units, BitSource& bits) const;  // what every release goes through (release.cc)

  std::int64_t threshold() const { return threshold_; }
  const Noise& noise() const { return noise_; }
  /// Whether the noise is drawn again until it is below the threshold: only Laplace noise.
  bool cut() const { return cut_; }
  /// The smallest number of units with which a key is shown with at least this probability.
  /// Requires: 1/2 < confidence < 1.
  double ShownWith(double confidence) const;

 private:
  PartitionSelection(const Noise& noise, std::int64_t threshold, bool cut)
      : noise_(noise), threshold_(threshold), cut_(cut) {}

  Noise noise_;
  std::int64_t threshold_;
  bool cut_;
};

}  // namespace kith
