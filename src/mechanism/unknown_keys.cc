#include "mechanism/unknown_keys.h"

#include <algorithm>
#include <cmath>

#include "loss/loss_kinds.h"
#include "transfer/rounding.h"

namespace kith {
namespace {

constexpr std::int64_t kMostThreshold = std::int64_t{1} << 53;
constexpr double kRootHalf = 0.70710678118654752;

/// P[Z >= steps] = P[sigma N >= steps - 1/2] for rounded normal noise, rounded up; steps >= 1. An argument that is off
/// by a part of 2^-51 changes the tail by at most a part of (1 + x^2) 2^-50.
double TailUp(double sigma, double steps) {
  const double x = (steps - 0.5) / sigma;
  return rounding::Widen(std::erfc(x * kRootHalf) / 2, 16 * (1 + x * x)) + 0x1p-1000;
}

/// A key of one unit is shown so rarely, and one of nobody would be, that all of them together stay within delta:
/// most_keys (P[1 + Z >= threshold] + P[Z >= threshold]) <= delta.
bool IsEnough(const Noise& noise, std::int64_t most_keys, std::int64_t delta, std::int64_t threshold) {
  using namespace rounding;
  const auto at = static_cast<double>(threshold);
  const double both = AddUp(TailUp(noise.scale(), at - 1), TailUp(noise.scale(), at));
  return MulUp(static_cast<double>(most_keys), both) <= Narrow(std::ldexp(static_cast<double>(delta), -60), 2);
}

}  // namespace

Result<UnknownKeys> UnknownKeys::Make(std::int64_t most_keys, std::int64_t mu, std::int64_t delta) {
  if (most_keys < 1 || mu < 1 || delta < 1)
    return InvalidArgument("keys that nobody declared are shown only at a delta above 0", {},
                           "declare the values of the column, or a pattern: then no delta is needed")
        .For("keys.delta");
  // By 1 in at most so many keys that one unit leaves, and in as many that it comes to.
  const auto change = Change::Make(2 * most_keys, 2 * most_keys, 2 * most_keys);
  if (!change) return change.error();
  const auto share = Loss::Of(LossKind::kMu, mu);
  if (!share) return share.error();
  const auto noise = Noise::For(*change, *share);
  if (!noise) return noise.error();
  std::int64_t too_low = 1, enough = 2;  // thresholds; doubled first
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
  const double hidden = 2 * (1 - confidence);
  double low = 0, high = 40;  // the quantile of the noise, by bisection
  for (int round = 0; round < 60; ++round) {
    const double middle = (low + high) / 2;
    (std::erfc(middle * kRootHalf) <= hidden ? high : low) = middle;
  }
  return static_cast<double>(threshold_) + std::max(0.0, std::ceil(high * noise_.scale() - 0.5 - 1e-9));
}

}  // namespace kith
