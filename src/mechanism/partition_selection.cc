#include "mechanism/partition_selection.h"

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

/// P[Z = steps] of discrete Laplace noise of this scale that is drawn again until it is at most `steps`, rounded up:
/// (1 - q) q^k / (1 + q - q^(k + 1)) with q = e^(-1/scale); steps >= 0. `rate`: 1/scale, correct to a unit in the last
/// place. An exponent that is off by a part of 2^-50 changes the power by a part of (1 + k rate) 2^-50.
double LastUp(double rate, double steps) {
  using namespace rounding;
  const auto power = [&](double k) { return Widen(std::exp(-k * rate), 4 * (kLibraryUlps + k * rate)) + 0x1p-1000; };
  const double miss = Widen(-std::expm1(-rate), 2 * kLibraryUlps);
  const double most = Narrow(1 + Narrow(std::exp(-rate), 4 * (kLibraryUlps + rate)), 1);
  return DivUp(MulUp(miss, power(steps)), Narrow(most - power(steps + 1), 2));
}

/// How high a threshold is enough, for one law of noise.
class Enough {
 public:
  Enough(const Noise& noise, std::int64_t most_keys, std::int64_t delta, std::optional<PlainUnits> pure)
      : sigma_(noise.scale()),
        keys_(static_cast<double>(most_keys)),
        delta_(rounding::Narrow(std::ldexp(static_cast<double>(delta), -60), 2)) {
    if (pure) rate_ = pure->epsilon() / (2 * keys_);
  }

  /// Normal noise: a key of one unit is shown so rarely, as one of nobody would be, that all of them together stay
  /// within delta. Laplace noise of at most threshold - 1: that rarely is it as large as that.
  bool At(std::int64_t threshold) const {
    using namespace rounding;
    const auto at = static_cast<double>(threshold);
    const double one = rate_ ? LastUp(*rate_, at - 1) : AddUp(TailUp(sigma_, at - 1), TailUp(sigma_, at));
    return MulUp(keys_, one) <= delta_;
  }

 private:
  double sigma_, keys_, delta_;
  std::optional<double> rate_;
};

}  // namespace

Result<PartitionSelection> PartitionSelection::Make(std::int64_t most_keys, const Loss& share, std::int64_t delta) {
  const std::int64_t pure = share.amount(LossKind::kPure);
  const bool cut = pure > 0;
  if (most_keys < 1 || delta < 1 || (pure > 0) == (share.amount(LossKind::kMu) > 0))
    return InvalidArgument("keys that nobody declared are shown only at a delta above 0", {},
                           "declare the values of the column, or a pattern: then no delta is needed")
        .For("keys.delta");
  // By 1 in at most this many keys that one unit leaves, and in as many that it comes to.
  const auto change = Sensitivities::Make(2 * most_keys, 2 * most_keys, 2 * most_keys);
  if (!change) return change.error();
  const auto noise = Noise::For(*change, share);
  if (!noise) return noise.error();
  const Enough enough_for(*noise, most_keys, delta, cut ? std::optional(PlainUnits::Of(pure)) : std::nullopt);
  std::int64_t too_low = cut ? 0 : 1, enough = 2;  // thresholds; doubled first
  while (!enough_for.At(enough)) {
    too_low = enough;
    if (enough > kMostThreshold / 2)
      return InvalidArgument("no threshold would be high enough at this price", {}, "offer more").For("price");
    enough *= 2;
  }
  while (enough - too_low > 1) {
    const std::int64_t middle = too_low + (enough - too_low) / 2;
    (enough_for.At(middle) ? enough : too_low) = middle;
  }
  return PartitionSelection(*noise, enough, cut);
}

double PartitionSelection::ShownWith(double confidence) const {
  const auto at = static_cast<double>(threshold_);
  if (cut_) {
    // Hidden with probability P[Z < threshold - units | Z < threshold] = q^(units - threshold + 1) / (1 + q -
    // q^threshold).
    const double rate = 1 / noise_.scale(), all = 1 + std::exp(-rate) - std::exp(-rate * at);
    return at + std::max(0.0, std::ceil(-std::log((1 - confidence) * all) / rate - 1 - 1e-9));
  }
  const double hidden = 2 * (1 - confidence);
  double low = 0, high = 40;  // the quantile of the noise, by bisection
  for (int round = 0; round < 60; ++round) {
    const double middle = (low + high) / 2;
    (std::erfc(middle * kRootHalf) <= hidden ? high : low) = middle;
  }
  return at + std::max(0.0, std::ceil(high * noise_.scale() - 0.5 - 1e-9));
}

}  // namespace kith
