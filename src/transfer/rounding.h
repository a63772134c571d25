// Arithmetic that errs on the safe side. A loss may come out too large by a few units in the last place, never too
// small. Sums, products and quotients are rounded in the stated direction exactly (the error of one operation is itself
// a double); results of the C library's exp and log are moved by more than their documented error.
#pragma once
#include <cmath>
#include <limits>

namespace kith::rounding {

/// The GNU C library documents errors of at most 1 unit in the last place for exp, expm1, log and log1p (2 on some
/// machines).
inline constexpr double kLibraryUlps = 4;

inline double NextUp(double x) { return std::nextafter(x, std::numeric_limits<double>::infinity()); }
inline double NextDown(double x) { return std::nextafter(x, -std::numeric_limits<double>::infinity()); }

/// At least x * (1 + ulps * 2^-52) for x >= 0.
inline double Widen(double x, double ulps) { return NextUp(x + x * (ulps * std::numeric_limits<double>::epsilon())); }
/// At most x * (1 - ulps * 2^-52) for x >= 0, and not below 0.
inline double Narrow(double x, double ulps) {
  const double y = NextDown(x - x * (ulps * std::numeric_limits<double>::epsilon()));
  return y > 0 ? y : 0;
}

/// a + b, rounded up; exact sums stay exact.
inline double AddUp(double a, double b) {
  const double sum = a + b;
  if (!std::isfinite(sum)) return sum;
  const double b_part = sum - a;
  const double error = (a - (sum - b_part)) + (b - b_part);
  return error > 0 ? NextUp(sum) : sum;
}

/// a - b for a >= b >= 0, rounded up.
inline double SubtractUp(double a, double b) { return AddUp(a, -b); }

/// a * b for a, b >= 0, rounded up; exact products stay exact.
inline double MulUp(double a, double b) {
  const double product = a * b;
  if (a == 0 || b == 0 || !std::isfinite(product)) return product;
  if (product < 1e-280) return NextUp(product);  // the error term below could vanish
  return std::fma(a, b, -product) > 0 ? NextUp(product) : product;
}

/// a / b for a >= 0, b > 0, rounded up.
inline double DivUp(double a, double b) {
  const double quotient = a / b;
  if (a == 0 || !std::isfinite(quotient) || std::isinf(b)) return quotient;
  if (a < 1e-280 || quotient < 1e-280) return NextUp(quotient);
  return std::fma(-quotient, b, a) > 0 ? NextUp(quotient) : quotient;
}

/// e^x - 1 for x >= 0, rounded up.
inline double Expm1Up(double x) { return x == 0 ? 0 : Widen(std::expm1(x), kLibraryUlps); }
/// e^x, rounded up, for any x.
inline double ExpUp(double x) { return x == 0 ? 1 : Widen(std::exp(x), kLibraryUlps); }
/// log(1 + x) for x >= 0, rounded up.
inline double Log1pUp(double x) { return x == 0 ? 0 : Widen(std::log1p(x), kLibraryUlps); }
/// log(x) for x >= 1, rounded up.
inline double LogUp(double x) { return x == 1 ? 0 : Widen(std::log(x), kLibraryUlps); }

}  // namespace kith::rounding
