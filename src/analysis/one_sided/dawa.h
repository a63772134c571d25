// Sparse histograms under one-sided privacy: the partition of DAWA, and how DAWAz puts zeros that a one-sided release
// found into a histogram over a partition. Arithmetic and noise are the caller's: neither function is a release.
// Source: docs/theory/mechanisms.md#sparse-histograms.
#pragma once
#include <cstddef>
#include <functional>
#include <vector>

#include "base/result.h"

namespace kith::one_sided {

/// Bins first..last, both included.
struct Bucket {
  std::size_t first = 0, last = 0;
  bool operator==(const Bucket&) const = default;
};

struct Partition {
  std::vector<Bucket> buckets;  // in order, all bins
  double cost = 0;
};

/// Noise for the cost of a bucket of more than one bin, given its first bin and length.
using CostNoise = std::function<double(std::size_t first, std::size_t length)>;

/// The cheapest partition into buckets of 2^k bins. A bucket costs the sum of |x - mean| plus `per_bucket`
/// (1/epsilon_2) plus its noise, and at least per_bucket. Among equal costs the longer last bucket wins. O(n log^2 n).
/// Fails: kInvalidArgument (no bins, numbers that are not finite, a cost per bucket that is not positive).
Result<Partition> CheapestPartition(const std::vector<double>& x, double per_bucket, const CostNoise& noise);

/// Bins that are listed in `zeros` become 0; what a bucket held is spread evenly over its other bins. A bucket without
/// other bins becomes 0.
/// Fails: kInvalidArgument (buckets that do not cover the bins in order, a zero that is not a bin).
Result<std::vector<double>> PutZeros(const std::vector<double>& x, const std::vector<Bucket>& buckets,
                                     const std::vector<std::size_t>& zeros);

}  // namespace kith::one_sided
