#include "analysis/one_sided/noisy_dawa.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "base/check.h"

namespace kith::one_sided {
namespace {

/// The counts in a window: how many are below the mean, and their sum. A Fenwick tree over ranks; whole numbers.
class Window {
 public:
  explicit Window(const std::vector<std::int64_t>& counts)
      : sorted_(counts), number_(counts.size() + 1, 0), sum_(counts.size() + 1, 0) {
    std::sort(sorted_.begin(), sorted_.end());
  }

  void Add(std::int64_t count, std::int64_t sign) {
    total_ += sign * count;
    size_ += sign;
    const auto rank = std::lower_bound(sorted_.begin(), sorted_.end(), count) - sorted_.begin();
    for (auto at = static_cast<std::size_t>(rank) + 1; at < number_.size(); at += at & (~at + 1)) {
      number_[at] += sign;
      sum_[at] += sign * count;
    }
  }

  /// size * (sum of |count - mean|): what is below the mean weighs as much as what is above.
  Int128 ScaledDeviation() const {
    const auto below_mean = [this](std::int64_t count) { return static_cast<Int128>(count) * size_ < total_; };
    const auto rank = std::partition_point(sorted_.begin(), sorted_.end(), below_mean) - sorted_.begin();
    std::int64_t number = 0;
    Int128 sum = 0;
    for (auto at = static_cast<std::size_t>(rank); at > 0; at -= at & (~at + 1)) {
      number += number_[at];
      sum += sum_[at];
    }
    return 2 * (total_ * number - sum * size_);
  }

 private:
  std::vector<std::int64_t> sorted_, number_;
  std::vector<Int128> sum_;
  Int128 total_ = 0;
  std::int64_t size_ = 0;
};

std::vector<std::int64_t> Cut(const std::vector<std::int64_t>& counts) {
  std::vector<std::int64_t> cut;
  for (const std::int64_t count : counts) cut.push_back(std::clamp<std::int64_t>(count, 0, NoisyDawa::kLargestCount));
  return cut;
}

}  // namespace

Result<NoisyDawa> NoisyDawa::Make(std::size_t bins, Sensitivity change, PlainUnits for_partition,
                                  PlainUnits for_counts) {
  if (bins == 0 || bins > kMostBins) return InvalidArgument(fmt::format("a partition needs 1 to {} groups", kMostBins));
  if (change.steps() == 0)
    return InvalidArgument("the groups are made of public facts only", {},
                           "ask for them with a question in SQL: it adds no noise")
        .For("question");
  const int depth = static_cast<int>(std::bit_width(bins)) - 1;
  // One row more or less in a bin changes the cost of a bucket by less than 2. The bucket of the partition that was
  // found and the one of any other may both change, so that 4 rows for each unit of change are to be hidden.
  const auto sensitivity = Sensitivity::Make(change.steps() > Sensitivity::kMax >> (depth + 2)
                                                 ? Sensitivity::kMax + 1
                                                 : change.steps() * (std::int64_t{4} << depth));
  if (!sensitivity)
    return InvalidArgument("one unit can change too many rows for a partition of this many groups", {},
                           "declare a smaller max_rows, or use fewer groups");
  const auto cost_noise = DiscreteLaplace::Make(*sensitivity, for_partition);
  if (!cost_noise) return cost_noise.error();
  const auto moved = Sensitivities::OfL1(change.steps());
  if (!moved) return moved.error();
  const auto count_noise = Noise::For(*moved, for_counts);
  if (!count_noise) return count_noise.error();
  // A bucket's total will get noise of this size: that is what one more bucket costs.
  const double rows = std::min(count_noise->scale(), static_cast<double>(kLargestCount));
  const auto per_bucket = static_cast<Int128>(std::llround(std::ldexp(std::max(1.0, rows), depth)));
  return NoisyDawa(bins, depth, per_bucket, *cost_noise, *count_noise);
}

double NoisyDawa::partition_scale() const { return std::ldexp(cost_noise_.scale(), -depth_); }

Int128 NoisyDawa::Cost(const std::vector<std::int64_t>& counts, Bucket bucket) const {
  const auto length = static_cast<Int128>(bucket.last - bucket.first + 1);
  Int128 total = 0, deviation = 0;
  for (std::size_t i = bucket.first; i <= bucket.last; ++i) total += counts[i];
  for (std::size_t i = bucket.first; i <= bucket.last; ++i) {
    const Int128 off = length * counts[i] - total;
    deviation += off < 0 ? -off : off;
  }
  return deviation * ((Int128{1} << depth_) / length) + per_bucket_;
}

// Noise for single bins as well, although their cost is the same in every table: it is what hides a change in the
// buckets that compete with them.
std::vector<Int128> NoisyDawa::NoisyCosts(const std::vector<std::int64_t>& counts, std::size_t length,
                                          BitSource& bits) const {
  std::vector<Int128> costs;
  Window window(counts);
  const Int128 scale = (Int128{1} << depth_) / static_cast<Int128>(length);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    window.Add(counts[i], 1);
    if (i + 1 < length) continue;
    costs.push_back(cost_noise_.Release(window.ScaledDeviation() * scale + per_bucket_, bits));
    window.Add(counts[i + 1 - length], -1);
  }
  return costs;
}

std::vector<Bucket> NoisyDawa::Partition(const std::vector<std::int64_t>& given, BitSource& bits) const {
  KITH_CHECK(given.size() == bins_);
  const auto counts = Cut(given);
  std::vector<std::vector<Int128>> costs;  // by length 1, 2, 4, ...
  for (std::size_t length = 1; length <= bins_; length *= 2) costs.push_back(NoisyCosts(counts, length, bits));
  std::vector<std::optional<Int128>> best(bins_ + 1);  // of the first k bins
  std::vector<std::size_t> last(bins_ + 1, 0);         // the length of the last bucket
  best[0] = 0;
  for (std::size_t bins = 1; bins <= bins_; ++bins) {
    std::size_t length = 1;
    for (std::size_t k = 0; k < costs.size() && length <= bins; ++k, length *= 2) {
      const Int128 all = *best[bins - length] + costs[k][bins - length];
      if (best[bins] && all > *best[bins]) continue;  // among equals the longer last bucket: a fixed order
      best[bins] = all;
      last[bins] = length;
    }
  }
  std::vector<Bucket> buckets;
  for (std::size_t bins = bins_; bins > 0; bins -= last[bins]) buckets.push_back({bins - last[bins], bins - 1});
  std::reverse(buckets.begin(), buckets.end());
  return buckets;
}

NoisyDawa::Buckets NoisyDawa::Release(const std::vector<std::int64_t>& counts, BitSource& bits) const {
  Buckets released{Partition(counts, bits), {}};
  for (const Bucket& bucket : released.buckets) {
    Int128 total = 0;
    for (std::size_t i = bucket.first; i <= bucket.last; ++i) total += counts[i];
    released.totals.push_back(count_noise_.Release(total, bits));
  }
  return released;
}

}  // namespace kith::one_sided
