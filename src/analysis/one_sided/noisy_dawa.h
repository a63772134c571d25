// DAWA as a release: a partition of a histogram into buckets that are nearly even, chosen with noise, and noisy totals
// of the buckets. Two-sided: every row counts, sensitive or not. Whole numbers throughout.
// Source: docs/theory/mechanisms.md#sparse-histograms.  Claims: claims/one_sided.md
#pragma once
#include <cstdint>
#include <vector>

#include "analysis/one_sided/dawa.h"
#include "base/int128.h"
#include "base/result.h"
#include "loss/loss.h"
#include "mechanism/discrete_laplace.h"
#include "mechanism/noise.h"
#include "random/bits.h"

namespace kith::one_sided {

/// Immutable.
class NoisyDawa {
 public:
  static constexpr std::size_t kMostBins = 65536;
  static constexpr std::int64_t kLargestCount = std::int64_t{1} << 40;  // larger counts are clamped to it

  /// `change`: the largest L1 change of the counts when one unit's record is replaced. `for_partition` and
  /// `for_counts`: the shares of the two steps. Fails: kInvalidArgument (no bins or too many, a share of 0, no change:
  /// public facts need no noise; a change that is too large for the number of bins).
  static Result<NoisyDawa> Make(std::size_t bins, Sensitivity change, PlainUnits for_partition, PlainUnits for_counts);

  struct Buckets {
    std::vector<Bucket> buckets;
    std::vector<Int128> totals;  // one for each, with noise
  };
  /// Requires: as many counts as bins.
  /// Ensures [OSDP-9]: if the counts change by at most `change` in L1, no set of outputs becomes likelier by more than
  /// the factor exp(for_partition + for_counts).
  Buckets Release(const std::vector<std::int64_t>& counts, BitSource& bits) const;
  /// Only the first step, with the loss of its share.
  std::vector<Bucket> Partition(const std::vector<std::int64_t>& counts, BitSource& bits) const;

  /// What a bucket costs before noise, in steps of 2^-depth(): the sum of |count - mean|, and the price of one bucket.
  Int128 Cost(const std::vector<std::int64_t>& counts, Bucket bucket) const;
  int depth() const { return depth_; }
  /// Scales of the noise, in rows.
  double partition_scale() const;
  double count_scale() const { return count_noise_.scale(); }

 private:
  NoisyDawa(std::size_t bins, int depth, Int128 per_bucket, DiscreteLaplace cost_noise, const Noise& count_noise)
      : bins_(bins), depth_(depth), per_bucket_(per_bucket), cost_noise_(cost_noise), count_noise_(count_noise) {}
  std::vector<Int128> NoisyCosts(const std::vector<std::int64_t>& counts, std::size_t length, BitSource& bits) const;

  std::size_t bins_;
  int depth_;                   // buckets have up to 2^depth bins
  Int128 per_bucket_;           // in steps
  DiscreteLaplace cost_noise_;  // OSDP-9 proves the choice of the least noisy cost for Laplace's law
  Noise count_noise_;
};

}  // namespace kith::one_sided
