#include "loss/loss.h"

#include <algorithm>
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

Result<PlainUnits> PlainUnits::Sum(std::span<const PlainUnits> charges) {
  std::int64_t sum = 0;
  for (const PlainUnits charge : charges) {
    sum += charge.count_;
    if (sum > kMax) return BudgetExhausted("together this costs more than any budget", {}, "ask for less at once");
  }
  return PlainUnits(sum);
}

PlainUnits PlainUnits::CutSum(PlainUnits a, PlainUnits b) { return PlainUnits(std::min(kMax, a.count_ + b.count_)); }

Result<Epsilon> Epsilon::Make(double value) {
  if (!(value > 0.0 && value <= kLargest)) {
    return InvalidArgument("epsilon must be a number above 0 and at most 1048576", {},
                           "name a positive number of at most 1048576, such as 0.1");
  }
  return Epsilon(value);
}

Result<Sensitivity> Sensitivity::Make(std::int64_t steps) {
  if (steps < 0 || steps > kMax) return InvalidArgument("a sensitivity must lie between 0 and 2^31 lattice steps");
  return Sensitivity(steps);
}

Result<Sensitivities> Sensitivities::Make(std::int64_t l1, std::int64_t l2_squared, std::int64_t groups) {
  const auto sum = Sensitivity::Make(l1);
  if (!sum) return sum.error();
  const bool none = l1 == 0;
  if (l2_squared < 0 || l2_squared > l1 * l1 || groups < 0 || groups > l1 || none != (l2_squared == 0) ||
      none != (groups == 0)) {
    return InvalidArgument("the bounds of a change contradict each other");
  }
  return Sensitivities(*sum, l2_squared, groups);
}

Result<Sensitivities> Sensitivities::OfL1(std::int64_t steps) {
  const auto sum = Sensitivity::Make(steps);
  if (!sum) return sum.error();
  return Sensitivities(*sum, steps * steps, steps);
}

Sensitivities Sensitivities::None() { return Sensitivities(Sensitivity::Make(0).value(), 0, 0); }

double Lattice::step() const { return std::ldexp(1.0, exponent); }

}  // namespace kith
