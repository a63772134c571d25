// The two losses of a linear classifier: convex, falling, with slopes between -1 and 0 and bounded curvature. They are
// functions of the margin t = side * w.x.
#pragma once
#include <cmath>
#include <type_traits>

namespace kith::learn {

enum class Loss { kLogistic, kHinge };

/// The hinge max(0, 1 - t) has a corner at t = 1; within this distance of it a parabola is put in its place.
inline constexpr double kSmooth = 0.5;

/// Largest curvature: an exact double.
inline constexpr double CurvatureOf(Loss loss) { return loss == Loss::kLogistic ? 0.25 : 1 / (2 * kSmooth); }

/// exp(-a) for a >= 0. double: the C library's, whose documented error transfer/rounding.h takes as 4 units in the last
/// place. Others, with u >= 2^-240: the series of exp(-a / 2^16), squared 16 times. For a <= 256 its first 24 terms
/// leave out less than 2^-280 of it; each squaring doubles the relative error, which stays below 2^20 u. Beyond,
/// exp(-a) < 2^-369.
template <class Real>
Real MinusExp(const Real& a) {
  if constexpr (std::is_same_v<Real, double>) {
    return std::exp(-a);
  } else {
    if (a > 256) return 0;
    const Real y = a / 65536;
    Real e = 1;
    for (int k = 24; k >= 1; --k) e = 1 - e * y / k;
    for (int k = 0; k < 16; ++k) e = e * e;
    return e;
  }
}

/// How far Slope() may be from the truth for the margin it is given, in units of roundoff u.
template <class Real>
inline constexpr double kSlopeErrors = std::is_same_v<Real, double> ? 64 : 1 << 21;

/// -loss'(t), in [0, 1].
template <class Real>
Real Slope(Loss loss, const Real& t) {
  if (loss == Loss::kLogistic) {
    const Real e = MinusExp<Real>(t < 0 ? Real(-t) : t);
    return t < 0 ? Real(1 / (1 + e)) : Real(e / (1 + e));
  }
  if (t >= 1 + kSmooth) return 0;
  if (t <= 1 - kSmooth) return 1;
  return (1 + kSmooth - t) / (2 * kSmooth);
}

/// loss''(t); the hinge's is that of one side where it jumps.
inline double Curvature(Loss loss, double t) {
  if (loss == Loss::kLogistic) {
    const double e = std::exp(-std::abs(t));
    return e / ((1 + e) * (1 + e));
  }
  return t > 1 - kSmooth && t < 1 + kSmooth ? 1 / (2 * kSmooth) : 0;
}

inline double LossAt(Loss loss, double t) {
  if (loss == Loss::kLogistic) return std::log1p(std::exp(-std::abs(t))) + (t < 0 ? -t : 0);
  if (t >= 1 + kSmooth) return 0;
  if (t <= 1 - kSmooth) return 1 - t;
  return (1 + kSmooth - t) * (1 + kSmooth - t) / (4 * kSmooth);
}

}  // namespace kith::learn
