#include "mechanism/permute_and_flip.h"

#include <algorithm>

#include "mechanism/exp_bounds.h"

namespace kith {
namespace {

using exp_bounds::Big;
using exp_bounds::BigBounds;

/// An upper bound of ln(n) in the units of log_bounds. Requires: n >= 1.
std::uint64_t LogUp(std::uint64_t n) {
  constexpr std::uint64_t kLogOfWord = 64 * (log_bounds::kLogTwo + 2);  // ln(2^64), up
  return kLogOfWord - log_bounds::MinusLog(n, 64).low;
}

// ln(20 * others), up, times the spread: reach * share, in units of log_bounds and of 2^-32.
UInt128 ReachTimesShare(Sensitivity spread, std::uint64_t others) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max() / 20;
  return UInt128{LogUp(20 * std::min(others, kMost))} * static_cast<UInt128>(spread.steps());
}

UInt128 UpQuotient(UInt128 top, UInt128 bottom) { return (top + bottom - 1) / bottom; }

}  // namespace

Result<PermuteAndFlip> PermuteAndFlip::Make(Sensitivity spread, PlainUnits share) {
  if (spread.steps() > 0 && share.count() == 0) {
    return InvalidArgument("the share of the privacy budget rounds to zero, and nothing can be chosen for that", {},
                           "offer at least a plain loss of 2^-32 for each statistic");
  }
  return PermuteAndFlip(spread, share);
}

PermuteAndFlip::PermuteAndFlip(Sensitivity spread, PlainUnits share) : spread_(spread), share_(share) {
  if (spread.steps() == 0) return;
  // rate = share / (spread * 2^32), in units of 2^-58: share * 2^26 / spread, between 2^-5 and 2^78.
  const UInt128 top = static_cast<UInt128>(share.count()) << 26;
  const auto bottom = static_cast<UInt128>(spread.steps());
  while (shift_ < 67 && (top << (shift_ + 1)) / bottom < UInt128{1} << 62) ++shift_;
  const UInt128 rate = (top << shift_) / bottom;
  // A rate of 32 and more for each step: only the slow way can give heads.
  const bool steep = rate >= UInt128{1} << 63;
  rate_low_ = steep ? std::uint64_t{1} << 63 : static_cast<std::uint64_t>(rate);
  rate_high_ = steep ? kNever : rate_low_ + 1;
}

std::int64_t PermuteAndFlip::Least(std::span<const std::int64_t> distances) {
  const std::int64_t least = *std::min_element(distances.begin(), distances.end());
  KITH_CHECK(least >= 0);
  return Cut(least);
}

bool PermuteAndFlip::Refine(std::int64_t distance, std::uint64_t prefix, int n, int more, BitSource& bits) const {
  const Big top = Big(distance) * share_.count();
  const Big bottom = Big(spread_.steps()) * PlainUnits::kOne;
  Big digits = prefix;
  auto known = static_cast<unsigned>(n);
  for (;;) {  // ends with probability one: each round leaves few of the next 2^more open
    const BigBounds heads = exp_bounds::Exp(top, bottom, known);
    if (digits + 1 <= heads.low) return true;
    if (digits >= heads.high) return false;
    digits = (digits << more) | Big(bits.Bits(more));
    known += static_cast<unsigned>(more);
  }
}

std::int64_t PermuteAndFlip::Reach(std::uint64_t others) const {
  if (spread_.steps() == 0 || others == 0) return 0;
  const UInt128 steps = UpQuotient(ReachTimesShare(spread_, others), static_cast<UInt128>(share_.count()) << 26);
  return steps < static_cast<UInt128>(kFarthest) ? static_cast<std::int64_t>(steps) : kFarthest;
}

Result<PlainUnits> PermuteAndFlip::ShareForReach(Sensitivity spread, std::uint64_t others, std::int64_t reach) {
  KITH_CHECK(reach >= 1);
  if (spread.steps() == 0) return PlainUnits();
  const UInt128 share = UpQuotient(ReachTimesShare(spread, others), static_cast<UInt128>(reach) << 26);
  if (others == 0 || share == 0) return PlainUnits::Of(1);
  if (share > static_cast<UInt128>(PlainUnits::kMax))
    return BudgetExhausted("this precision would cost more than any budget", {}, "accept a larger error");
  return PlainUnits::Of(static_cast<std::int64_t>(share));
}

}  // namespace kith
