#include "transfer/gaussian/probit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/check.h"

namespace kith {
namespace {

using Real = long double;

// What is allowed for one call of the C library: erf, erfc, exp, expm1 and tanh of long double are documented to be
// right to 5 units in the last place.
constexpr Real kDoubt = 16 * std::numeric_limits<Real>::epsilon();
constexpr Real kInfinity = std::numeric_limits<Real>::infinity();
constexpr Real kTwoOverRootPi = 2 * std::numbers::inv_sqrtpi_v<Real>;
constexpr Real kRootHalf = std::numbers::sqrt2_v<Real> / 2;

double ToDoubleUp(Real x) {
  const auto rounded = static_cast<double>(x);
  return static_cast<Real>(rounded) >= x ? rounded : std::nextafter(rounded, std::numeric_limits<double>::infinity());
}

/// The inverse of erf, right to about 1e-6 for 1 - y >= 1e-7 (Giles 2010). `y_times`: (1 - y)(1 + y).
Real RoughInverse(Real y, Real y_times) {
  static constexpr double kNear[] = {2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087,
                                     -0.00125372503, -0.00417768164, 0.246640727,    1.50140941};
  static constexpr double kFar[] = {-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773,
                                    -0.0076224613,   0.00943887047,  1.00167406,    2.83297682};
  const auto w = -std::log(static_cast<double>(y_times));
  const double at = w < 5 ? w - 2.5 : std::sqrt(w) - 3;
  double p = 0;
  for (const double c : w < 5 ? kNear : kFar) p = p * at + c;
  return p * y;
}

/// x >= 0 with erf(x) >= y and erfc(x) <= c, where y + c = 1 and each is right in its own last digits. The guess does
/// not matter: it is moved up until the library's value, with all doubt against it, says so.
Real ErfInverseUp(Real y, Real c) {
  if (y <= 0) return 0;
  if (c <= 0) return kInfinity;
  Real x;
  if (c > 1e-7L) {
    x = RoughInverse(y, c * (1 + y));
    const Real off = (y < 0.5L ? std::erf(x) - y : c - std::erfc(x)) / (kTwoOverRootPi * std::exp(-x * x));
    x -= off / (1 + x * off);  // Halley: the error is cubed
  } else {
    x = std::sqrt(-std::log(c));
    for (int round = 0; round < 8; ++round) {  // Newton for log erfc, which is concave
      const Real tail = std::erfc(x);
      x += (std::log(tail) - std::log(c)) * tail / (kTwoOverRootPi * std::exp(-x * x));
    }
  }
  const auto reached = [&](Real at) {
    return y < 0.5L ? std::erf(at) * (1 - kDoubt) >= y : std::erfc(at) * (1 + kDoubt) <= c;
  };
  for (Real widen = 0x1p-60L; !reached(x); widen *= 2) x += std::abs(x) * widen;
  return x;
}

}  // namespace

// 1 - tanh(theta/4) = q = 2 / (e^{theta/2} + 1), and 1 - tanh erf = q + (1 - q) erfc: no digit is lost near one.
double ProbitPhi(double theta, double t) {
  KITH_CHECK(theta >= 0 && t >= 0);
  if (theta == 0 || t == 0) return 0;
  if (std::isinf(theta)) return t;
  const Real tanh_up = std::min<Real>(1, std::tanh(Real{theta} / 4) * (1 + kDoubt));
  const Real erf_up = std::min<Real>(1, std::erf(Real{t} / 2 * kRootHalf) * (1 + kDoubt));
  const Real q_down = 2 / (std::exp(Real{theta} / 2) + 1) * (1 - 2 * kDoubt);
  const Real erfc_down = std::isinf(t) ? 0 : std::erfc(Real{t} / 2 * kRootHalf) * (1 - (1 + Real{t} * t) * kDoubt);
  const Real y = tanh_up * erf_up * (1 + kDoubt);
  const Real c = (q_down + (1 - q_down) * std::max<Real>(0, erfc_down)) * (1 - kDoubt);
  const Real shift = 2 / kRootHalf * ErfInverseUp(y, c) * (1 + kDoubt);
  return std::isnan(shift) ? t : std::min(t, ToDoubleUp(shift));
}

// erf(mu / sqrt 8) = tanh(epsilon / 2): a record that depends as randomised response does, whose kernel may do
// anything.
double MuOfPure(double epsilon) { return ProbitPhi(2 * epsilon, std::numeric_limits<double>::infinity()); }

double DeltaOfMu(double mu, double epsilon) {
  KITH_CHECK(mu >= 0 && std::isfinite(mu) && epsilon >= 0 && std::isfinite(epsilon));
  if (mu == 0) return 0;
  // Both arguments are right to kDoubt of `size`, which moves a tail by at most that times (1 + size) of itself.
  const Real half = Real{mu} / 2, far = Real{epsilon} / mu;
  const Real size = half + far;
  const Real doubt = kDoubt * (2 + (1 + size) * size);
  if (doubt > 0.01L) return size > 1e4L && far > 2 * half ? std::numeric_limits<double>::min() : 1;
  const Real first = std::erfc((far - half) * kRootHalf) / 2 * (1 + doubt);
  const Real second = std::exp(Real{epsilon}) * (std::erfc(size * kRootHalf) / 2) * (1 - doubt);
  const Real delta = std::isfinite(second) ? first - second : first;
  return std::clamp(ToDoubleUp(delta * (1 + kDoubt)), std::numeric_limits<double>::min(), 1.0);
}

double LargestMu(double epsilon, double delta) {
  KITH_CHECK(epsilon >= 0 && std::isfinite(epsilon) && delta >= 0 && delta < 1);
  const auto fits = [&](double mu) { return DeltaOfMu(mu, epsilon) <= delta; };
  double low = 0, high = 1;
  while (fits(high) && high < 0x1p20) high *= 2;
  while (!fits(high / 2) && high > 0x1p-60) high /= 2;
  if (fits(high / 2)) low = high / 2;
  for (int round = 0; round < 60; ++round) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) break;
    (fits(middle) ? low : high) = middle;
  }
  return low;
}

double UpperQuantileUp(long double tail, long double head) {
  KITH_CHECK(tail > 0 && head > 0);
  const Real far = 1 / kRootHalf;
  if (tail <= 0.5L) return ToDoubleUp(far * ErfInverseUp(1 - 2 * tail + kDoubt, 2 * tail) * (1 + kDoubt));
  // Below the median: -z is the quantile of the head, to be rounded down.
  const Real c = std::min<Real>(1, 2 * head * (1 + kDoubt));
  const Real x = ErfInverseUp(1 - c, c);
  return -static_cast<double>(far * x * (1 - 0x1p-48L)) + 0x1p-54;
}

}  // namespace kith
