#include "mechanism/unknown_keys.h"

#include <algorithm>
#include <cmath>

#include "mechanism/exp_bounds.h"

namespace kith {
namespace {

using exp_bounds::Big;
using exp_bounds::BigBounds;
using exp_bounds::DivideUp;
using exp_bounds::Exp;

constexpr std::int64_t kMostThreshold = std::int64_t{1} << 53;
constexpr unsigned kPrecision = 192;

/// Whether a key of one unit is shown so rarely that all its keys together stay within delta, and the noise of a key
/// that comes or goes hides that it does: pi = q^(threshold - 1) / (1 + q), most_keys * pi <= delta and pi <= 1 - q.
/// In integers, every quotient rounded up.
bool IsEnough(const DiscreteLaplace& noise, std::int64_t most_keys, std::int64_t delta, std::int64_t threshold) {
  const Big one = Big(1) << kPrecision;
  const BigBounds q = Exp(noise.den(), noise.num(), kPrecision);
  const BigBounds tail = Exp(Big(noise.den()) * (threshold - 1), noise.num(), kPrecision);
  const Big pi = DivideUp(tail.high << kPrecision, one + q.low);
  return pi * most_keys <= Big(delta) << (kPrecision - 60) && pi + q.high <= one;
}

}  // namespace

Result<UnknownKeys> UnknownKeys::Make(std::int64_t most_keys, PlainUnits share, std::int64_t delta) {
  if (most_keys < 1 || delta < 1)
    return InvalidArgument("keys that nobody declared are shown only at a delta above 0", {},
                           "declare the values of the column, or a pattern: then no delta is needed")
        .For("keys.delta");
  const auto change = Sensitivity::Make(2 * most_keys);
  if (!change) return change.error();
  const auto noise = DiscreteLaplace::Make(*change, share);
  if (!noise) return noise.error();
  std::int64_t too_low = 0, enough = 1;  // thresholds; doubled first
  while (!IsEnough(*noise, most_keys, delta, enough)) {
    too_low = enough;
    if (enough > kMostThreshold / 2)
      return InvalidArgument("no threshold would be high enough at this price", {}, "offer more").For("price");
    enough *= 2;
  }
  while (enough - too_low > 1) {
    const std::int64_t middle = too_low + (enough - too_low) / 2;
    (IsEnough(*noise, most_keys, delta, middle) ? enough : too_low) = middle;
  }
  return UnknownKeys(*noise, enough);
}

double UnknownKeys::ShownWith(double confidence) const {
  const double scale = noise_.scale();
  const double above = -scale * (std::log1p(-confidence) + std::log1p(std::exp(-1 / scale))) - 1;
  return static_cast<double>(threshold_) + std::max(0.0, std::ceil(above - 1e-9));
}

}  // namespace kith
