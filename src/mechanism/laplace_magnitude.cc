// The slow half: comparing a uniform real number with a threshold of the law, to any precision.
#include "mechanism/laplace_magnitude.h"

#include <algorithm>
#include <array>

#include "base/check.h"
#include "mechanism/exp_bounds.h"

namespace kith {
namespace {

using exp_bounds::Big;
using exp_bounds::BigBounds;
using exp_bounds::DivideUp;
using exp_bounds::Exp;

/// Bounds of P[M >= m] = 2 q^m / (1 + q), m >= 1.
BigBounds Threshold(const Big& m, const Big& num, const Big& den, unsigned precision) {
  const unsigned inner = precision + 4;
  const Big one = Big(1) << inner;
  const BigBounds q = Exp(den, num, inner);
  const BigBounds power = Exp(m * den, num, inner);
  return {(power.low << (precision + 1)) / (one + q.high), DivideUp(power.high << (precision + 1), one + q.low)};
}

Big ToBig(UInt128 value) {
  return (Big(static_cast<std::uint64_t>(value >> 64)) << 64) | Big(static_cast<std::uint64_t>(value));
}

/// Bounds of ln(2 / (1 + q)) in the units of log_bounds.
log_bounds::Bounds ComputeOffset(std::uint64_t num, std::uint64_t den) {
  const BigBounds q = Exp(den, num, 63);
  const Big half = Big(1) << 63;  // (1 + q) / 2 in units of 2^-64 is 2^63 + q * 2^63
  const Big last = (Big(1) << 64) - 1;
  const auto below = static_cast<std::uint64_t>(Big(half + q.low));
  const auto above = static_cast<std::uint64_t>(std::min(Big(half + q.high), last));
  return {log_bounds::MinusLog(above, 64).low, log_bounds::MinusLog(below, 64).high};
}

// The same laws are made again and again, as for the steps of a stream: those made last are remembered. Laws are
// public.
log_bounds::Bounds Offset(std::uint64_t num, std::uint64_t den) {
  struct Made {
    std::uint64_t num = 0, den = 0;  // 0: nothing
    log_bounds::Bounds offset;
  };
  thread_local std::array<Made, 64> last;
  Made& made = last[(num * 0x9E3779B97F4A7C15U + den * 0xC2B2AE3D27D4EB4FU) >> 58];
  if (made.num != num || made.den != den) made = {num, den, ComputeOffset(num, den)};
  return made.offset;
}

}  // namespace

LaplaceMagnitude::LaplaceMagnitude(std::uint64_t num, std::uint64_t den) : num_(num), den_(den) {
  KITH_CHECK(num >= 1 && num <= std::uint64_t{1} << 63 && den >= 1 && den <= std::uint64_t{1} << 52);
  KITH_CHECK(UInt128{num} << 20 >= den);
  shift_ = 0;
  while (shift_ < 69 && (UInt128{num} << (shift_ + 1)) / den < UInt128{1} << 63) ++shift_;
  const UInt128 scaled = UInt128{num} << shift_;  // below 2^63 * 2^52, or num itself
  scale_low_ = static_cast<std::uint64_t>(scaled / den);
  scale_high_ = scale_low_ + (scaled % den == 0 ? 0 : 1);
  offset_ = Offset(num, den);
  wide_ = shift_ < 6;
}

LaplaceMagnitude::Range LaplaceMagnitude::Candidates(std::uint64_t prefix, int n) const {
  if (prefix == 0) return {0, kCut};
  const log_bounds::Bounds log = log_bounds::MinusLog(prefix, n);
  const int shift = log_bounds::kFraction + shift_;
  return {(UInt128{log.low + offset_.low} * scale_low_) >> shift,
          (UInt128{log.high + offset_.high} * scale_high_) >> shift};
}

UInt128 LaplaceMagnitude::Refine(std::uint64_t prefix, int n, int more, BitSource& bits) const {
  // U is in [digits, digits + 1) / 2^known.
  Big digits = prefix;
  auto known = static_cast<unsigned>(n);
  const auto reaches = [&](UInt128 m) {  // ends with probability one: each round leaves few of the next 2^more open
    for (;;) {
      const BigBounds threshold = Threshold(ToBig(m), num_, den_, known);
      if (digits + 1 <= threshold.low) return true;
      if (digits >= threshold.high) return false;
      digits = (digits << more) | Big(bits.Bits(more));
      known += static_cast<unsigned>(more);
    }
  };
  auto [least, most] = Candidates(prefix, n);
  UInt128 step = 1;  // in growing steps first: without a first digit that is one, `most` is far away
  while (step <= most - least && reaches(least + step)) {
    least += step;
    step *= 2;
  }
  most = std::min(most, least + step - 1);
  while (least < most) {
    const UInt128 middle = least + (most - least + 1) / 2;
    if (reaches(middle)) {
      least = middle;
    } else {
      most = middle - 1;
    }
  }
  return least;
}

}  // namespace kith
