// Roots, logarithms, exponentials and powers. Engines agree on roots, which IEEE defines to the last bit; on the others
// they are within a few units in the last place of the truth, and need not be monotone that finely. So ends are moved
// outwards by far more than that: what a row adds is inside, whatever library computes it.
#include <algorithm>
#include <array>
#include <cmath>

#include "query/range/range_ops.h"

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

Range Sqrt(const Range& a) {
  if (a.OnlyNull() || a.real_high < 0) return NullRange();
  Range root = RealRange(std::sqrt(std::max(a.real_low, 0.0)), std::sqrt(a.real_high), (a.grain - 1) / 2 - kDigits);
  root.may_null = a.real_low < 0;
  return NullAs(a, root);
}

Range Logarithm(const Range& a, bool decimal) {
  if (a.OnlyNull() || a.real_high <= 0) return NullRange();
  const auto of = [&](double x) { return decimal ? std::log10(x) : std::log(x); };
  // The nearest to 0 that is not 0 is that of a number next to 1, more than 2^-55.
  Range log = RealRange(Below(of(LeastPositive(a))), Above(of(a.real_high)), -55 - kDigits);
  log.may_null = a.real_low <= 0;
  return NullAs(a, log);
}

Range Exp(const Range& a) {
  if (a.OnlyNull()) return NullRange();
  const bool vanishes = a.real_low < kLeastExponent, stays = a.real_high >= kLeastExponent;
  const double low = Below(std::exp(std::max(a.real_low, kLeastExponent)));
  const double high = stays ? Above(std::exp(a.real_high)) : 0;
  return NullAs(a, RealRange(vanishes ? 0 : low, high, std::ilogb(Below(std::exp(kLeastExponent))) - kDigits));
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
