// Bounds of exp(-x) for fractions x, in integers of any length: what the exact samplers compare uniform numbers with
// when short arithmetic cannot decide. Internal to mechanism; includes boost: only for .cc files.
#pragma once
#include <boost/multiprecision/cpp_int.hpp>

namespace kith::exp_bounds {

using Big = boost::multiprecision::cpp_int;

/// low <= a real number * 2^precision <= high.
struct BigBounds {
  Big low, high;
};

/// Rounds up. Requires: value >= 1.
Big ShiftUp(const Big& value, unsigned bits);
Big DivideUp(const Big& a, const Big& b);

/// Bounds of exp(-top / bottom), a few units of 2^-precision apart. Requires: top >= 0, bottom >= 1.
BigBounds Exp(const Big& top, const Big& bottom, unsigned precision);

}  // namespace kith::exp_bounds
