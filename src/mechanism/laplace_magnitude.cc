// The slow half: comparing a uniform real number with a threshold of the law, to any precision.
#include "mechanism/laplace_magnitude.h"

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>

#include "base/check.h"

namespace kith {
namespace {

using Big = boost::multiprecision::cpp_int;

Big ShiftUp(const Big& value, unsigned bits) { return ((value - 1) >> bits) + 1; }  // rounds up; value >= 1
Big DivideUp(const Big& a, const Big& b) { return (a + b - 1) / b; }

/// low <= a real number * 2^precision <= high.
struct BigBounds {
  Big low, high;
};

/// Bounds of exp(-top / bottom) for 0 <= top / bottom <= 1: the alternating series, whose terms shrink, so that what is
/// left out is smaller than the last term taken.
BigBounds ExpOfFraction(const Big& top, const Big& bottom, unsigned precision) {
  const Big one = Big(1) << precision;
  BigBounds term{one, one};
  BigBounds sum{one, one};
  for (unsigned k = 1; term.high > 1; ++k) {
    term.low = term.low * top / (bottom * k);
    term.high = DivideUp(term.high * top, bottom * k);
    if (k % 2 == 1) {
      sum.low -= term.high;
      sum.high -= term.low;
    } else {
      sum.low += term.low;
      sum.high += term.high;
    }
  }
  sum.low -= term.high;
  sum.high += term.high;
  return sum;
}

/// Bounds of exp(-top / bottom) for any top / bottom >= 0.
BigBounds Exp(const Big& top, const Big& bottom, unsigned precision) {
  if (top >= bottom * precision) return {0, 1};  // exp(-p) <= 2^-p
  Big divisor = bottom;
  unsigned squarings = 0;
  while (top > divisor) {
    divisor <<= 1;
    ++squarings;
  }
  const unsigned guard = 16 + 2 * squarings;
  const unsigned inner = precision + guard;
  BigBounds bounds = ExpOfFraction(top, divisor, inner);
  for (unsigned i = 0; i < squarings; ++i) {
    bounds.low = (bounds.low * bounds.low) >> inner;
    bounds.high = ShiftUp(bounds.high * bounds.high, inner);
  }
  return {bounds.low >> guard, ShiftUp(bounds.high, guard)};
}

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
log_bounds::Bounds Offset(std::uint64_t num, std::uint64_t den) {
  const BigBounds q = Exp(den, num, 63);
  const Big half = Big(1) << 63;  // (1 + q) / 2 in units of 2^-64 is 2^63 + q * 2^63
  const Big last = (Big(1) << 64) - 1;
  const auto below = static_cast<std::uint64_t>(Big(half + q.low));
  const auto above = static_cast<std::uint64_t>(std::min(Big(half + q.high), last));
  return {log_bounds::MinusLog(above, 64).low, log_bounds::MinusLog(below, 64).high};
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
  // U lies in [digits, digits + 1) / 2^known.
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
