#include "loss/information.h"

#include <cmath>

#include "base/check.h"

namespace kith {

double InformationBound(double epsilon) {
  KITH_CHECK(epsilon >= 0);
  if (epsilon < 1e-4) return epsilon * epsilon / 8;  // the next term of the series is below 1e-10 of this one
  const double c = epsilon / -std::expm1(-epsilon);
  return c - 1 - std::log(c);
}

}  // namespace kith
