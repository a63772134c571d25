#include "loss/loss.h"

#include <cmath>

#include "base/check.h"

namespace kith {
namespace {
constexpr double kLargest = 1048576.0;  // 2^20
}  // namespace

Result<PlainUnits> PlainUnits::Floor(double epsilon) {
  if (!(epsilon >= 0.0 && epsilon <= kLargest)) {
    return InvalidArgument("a plain loss must be a number from 0 to 1048576");
  }
  return PlainUnits(static_cast<std::int64_t>(std::floor(std::ldexp(epsilon, 32))));  // ldexp is exact here
}

PlainUnits PlainUnits::Of(std::int64_t count) {
  KITH_CHECK(count >= 0 && count <= kMax);
  return PlainUnits(count);
}

Result<Epsilon> Epsilon::Make(double value) {
  if (!(value > 0.0 && value <= kLargest)) {
    return InvalidArgument("epsilon must be a number above 0 and at most 1048576", {},
                           "name a positive number, such as 0.1");
  }
  return Epsilon(value);
}

Result<Sensitivity> Sensitivity::Make(std::int64_t steps) {
  if (steps < 0 || steps > kMax) return InvalidArgument("a sensitivity must lie between 0 and 2^31 lattice steps");
  return Sensitivity(steps);
}

double Lattice::step() const { return std::ldexp(1.0, exponent); }

}  // namespace kith
