// Roots, logarithms, exponentials and powers. Engines agree on roots, which IEEE defines to the last bit; on the others
// they are within a few units in the last place of the truth, and need not be monotone that finely. So ends are moved
// outwards by far more than that: what a row adds is inside, whatever library computes it.
#include <algorithm>
#include <array>
#include <cmath>

#include "query/range/range_ops.h"
#include "sql/functions.h"

namespace kith {
namespace {

constexpr double kMargin = 0x1p-45;  // of a value: 128 units in the last place
constexpr int kDigits = 54;          // a double of size 2^n or more is a multiple of 2^(n - 53)

Range NullAs(const Range& a, Range result) {
  result.may_null = result.may_null || a.may_null;
  result.secret = result.secret || a.secret;
  return result;
}

double Below(double x) { return x - std::abs(x) * kMargin; }
double Above(double x) { return x + std::abs(x) * kMargin; }

// The part of the argument that is greater than 0, and so no less than its grain.
double LeastPositive(const Range& a) { return std::max(a.real_low, std::min(std::ldexp(1.0, a.grain), a.real_high)); }

}  // namespace

Range Along(const RealCurve& curve, const Range& a) {
  const bool reached = curve.closed ? a.real_high >= curve.from : a.real_high > curve.from;
  const bool before = curve.closed ? a.real_low < curve.from : a.real_low <= curve.from;
  if (a.OnlyNull() || (!reached && !curve.before)) return NullRange();
  const double first = curve.closed ? std::max(a.real_low, curve.from) : LeastPositive(a);
  double low = curve.of(first), high = curve.of(std::max(a.real_high, first));
  if (!curve.exact) low = Below(low), high = Above(high);
  if (before && curve.before) {
    low = std::min(low, *curve.before);
    high = reached ? std::max(high, *curve.before) : *curve.before;
  }
  Range result = RealRange(low, high, curve.nearest(a.grain) - kDigits);
  result.may_null = before && !curve.before;
  return NullAs(a, result);
}

// Monotone in each argument, so that the ends are among the corners.
Range Power(const Range& base, const Range& exponent) {
  if (base.OnlyNull() || exponent.OnlyNull() || base.real_high < 0) return NullRange();
  const bool zero = base.real_low <= 0 && exponent.real_high > 0;  // 0 to the power of more than 0
  Range power = RealRange(0, 0, 0);
  if (base.real_high > 0) {
    const double least = LeastPositive(base);
    const std::array<double, 4> corners = {std::pow(least, exponent.real_low), std::pow(least, exponent.real_high),
                                           std::pow(base.real_high, exponent.real_low),
                                           std::pow(base.real_high, exponent.real_high)};
    const auto [low, high] = std::minmax_element(corners.begin(), corners.end());
    const double below = Below(*low);
    // 0 instead of a tiny number would be an underflow: it has a grain that nothing accepts.
    const int grain = below > 0 ? std::ilogb(below) - kDigits : -10000;
    power = RealRange(zero ? 0 : below, Above(*high), grain);
  } else if (!zero) {
    return NullRange();
  }
  power.may_null = base.real_low < 0 || (base.real_low <= 0 && exponent.real_low <= 0);
  return NullAs(exponent, NullAs(base, power));
}

}  // namespace kith
