#include "mechanism/exp_bounds.h"

namespace kith::exp_bounds {

Big ShiftUp(const Big& value, unsigned bits) { return ((value - 1) >> bits) + 1; }

Big DivideUp(const Big& a, const Big& b) { return (a + b - 1) / b; }

namespace {

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

}  // namespace

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

}  // namespace kith::exp_bounds
