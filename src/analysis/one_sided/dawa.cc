#include "analysis/one_sided/dawa.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kith::one_sided {
namespace {

/// How many of the values in a window are below a threshold, and their sum: a Fenwick tree over ranks.
class Window {
 public:
  explicit Window(const std::vector<double>& x) : sorted_(x), count_(x.size() + 1, 0.0), sum_(x.size() + 1, 0.0) {
    std::sort(sorted_.begin(), sorted_.end());
  }

  void Add(double value, double sign) {
    total_ += sign * value;
    size_ += sign;
    for (std::size_t at = Rank(value) + 1; at < count_.size(); at += at & (~at + 1)) {
      count_[at] += sign;
      sum_[at] += sign * value;
    }
  }

  /// The sum of |x - mean| over the window.
  double Deviation() const {
    const double mean = total_ / size_;
    double below = 0;
    double sum = 0;
    for (std::size_t at = Rank(mean); at > 0; at -= at & (~at + 1)) {
      below += count_[at];
      sum += sum_[at];
    }
    return std::max(0.0, 2 * (mean * below - sum));  // what is below the mean weighs as much as what is above
  }

 private:
  std::size_t Rank(double value) const {
    return static_cast<std::size_t>(std::lower_bound(sorted_.begin(), sorted_.end(), value) - sorted_.begin());
  }

  std::vector<double> sorted_, count_, sum_;
  double total_ = 0, size_ = 0;
};

/// costs[first] for all buckets of one length.
std::vector<double> Costs(const std::vector<double>& x, std::size_t length, double per_bucket, const CostNoise& noise) {
  std::vector<double> costs;
  Window window(x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    window.Add(x[i], 1);
    if (i + 1 < length) continue;
    const std::size_t first = i + 1 - length;
    costs.push_back(std::max(per_bucket, window.Deviation() + per_bucket + noise(first, length)));
    window.Add(x[first], -1);
  }
  return costs;
}

}  // namespace

Result<Partition> CheapestPartition(const std::vector<double>& x, double per_bucket, const CostNoise& noise) {
  if (x.empty()) return InvalidArgument("a histogram without bins has no partition");
  if (!(per_bucket > 0 && std::isfinite(per_bucket)))
    return InvalidArgument("the cost of a bucket must be a positive number");
  if (!std::all_of(x.begin(), x.end(), [](double value) { return std::isfinite(value); }))
    return InvalidArgument("a bin is not a finite number");
  std::vector<std::vector<double>> costs;  // by length 2, 4, 8, ...
  for (std::size_t length = 2; length <= x.size(); length *= 2) costs.push_back(Costs(x, length, per_bucket, noise));
  std::vector<double> best(x.size() + 1, std::numeric_limits<double>::infinity());  // of the first k bins
  std::vector<std::size_t> last(x.size() + 1, 0);                                   // the length of the last bucket
  best[0] = 0;
  for (std::size_t bins = 1; bins <= x.size(); ++bins) {
    const auto consider = [&](std::size_t length, double cost) {
      const double all = best[bins - length] + cost;
      if (all > best[bins]) return;
      best[bins] = all;
      last[bins] = length;
    };
    consider(1, per_bucket);
    std::size_t length = 2;
    for (std::size_t k = 0; k < costs.size() && length <= bins; ++k, length *= 2) {
      consider(length, costs[k][bins - length]);
    }
  }
  Partition partition;
  partition.cost = best.back();
  for (std::size_t bins = x.size(); bins > 0; bins -= last[bins]) {
    partition.buckets.push_back({bins - last[bins], bins - 1});
  }
  std::reverse(partition.buckets.begin(), partition.buckets.end());
  return partition;
}

Result<std::vector<double>> PutZeros(const std::vector<double>& x, const std::vector<Bucket>& buckets,
                                     const std::vector<std::size_t>& zeros) {
  std::vector<bool> zero(x.size(), false);
  for (const std::size_t bin : zeros) {
    if (bin >= x.size()) return InvalidArgument("a zero is not a bin of the histogram");
    zero[bin] = true;
  }
  std::vector<double> spread(x.size(), 0.0);
  std::size_t next = 0;
  for (const Bucket& bucket : buckets) {
    if (bucket.first != next || bucket.last < bucket.first || bucket.last >= x.size())
      return InvalidArgument("the buckets do not cover the bins in order");
    next = bucket.last + 1;
    double total = 0;
    double others = 0;
    for (std::size_t bin = bucket.first; bin <= bucket.last; ++bin) {
      total += x[bin];
      others += zero[bin] ? 0 : 1;
    }
    for (std::size_t bin = bucket.first; bin <= bucket.last; ++bin) spread[bin] = zero[bin] ? 0 : total / others;
  }
  if (next != x.size()) return InvalidArgument("the buckets do not cover the bins in order");
  return spread;
}

}  // namespace kith::one_sided
