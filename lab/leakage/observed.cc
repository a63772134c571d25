#include "leakage/observed.h"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>

#include "base/check.h"

namespace kith::one_sided {
namespace {

using Binomial = boost::math::binomial_distribution<>;

/// P(at most k of n).
double AtMost(std::int64_t k, std::int64_t n, double p) {
  if (k < 0) return 0;
  if (k >= n) return 1;
  return boost::math::cdf(Binomial(static_cast<double>(n), p), static_cast<double>(k));
}

/// P(at least k of n): P(at most n - k of n do not).
double AtLeast(std::int64_t k, std::int64_t n, double p) { return AtMost(n - k, n, 1 - p); }

/// The largest k with P(at most k of n) <= level; -1 if there is none.
std::int64_t Critical(std::int64_t n, double p, double level) {
  std::int64_t low = -1, high = n;
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (AtMost(middle, n, p) <= level ? low : high) = middle;
  }
  return low;
}

}  // namespace

Disagreement Compare(std::int64_t seen, std::int64_t of, Range predicted, double level) {
  KITH_CHECK(0 <= seen && seen <= of && 0 <= predicted.low && predicted.low <= predicted.high && predicted.high <= 1);
  Disagreement found;
  if (of == 0) return found;
  // Few: least surprising under the smallest probability of the set; many: under the largest.
  const double few = AtMost(seen, of, predicted.low), many = AtLeast(seen, of, predicted.high);
  found.p_value = std::min(1.0, 2 * std::min(few, many));
  found.alarm = found.p_value <= level;
  found.false_alarm = AtMost(Critical(of, predicted.low, level / 2), of, predicted.low) +
                      AtMost(Critical(of, 1 - predicted.high, level / 2), of, 1 - predicted.high);
  return found;
}

}  // namespace kith::one_sided
