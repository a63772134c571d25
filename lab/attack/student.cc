#include "attack/student.h"

#include <cmath>
#include <numbers>

namespace kith::attack {
namespace {

// P(|T| <= t): a finite sum for whole degrees of freedom (Abramowitz and Stegun 26.7.3 and 26.7.4).
double Within(double t, std::size_t freedom) {
  const double theta = std::atan(t / std::sqrt(static_cast<double>(freedom)));
  const double sine = std::sin(theta), cosine = std::cos(theta);
  const bool odd = freedom % 2 == 1;
  double sum = 0, term = odd ? cosine : 1;
  for (std::size_t k = odd ? 3 : 2; k <= freedom; k += 2) {
    sum += term;
    term *= cosine * cosine * static_cast<double>(k - 1) / static_cast<double>(k);
  }
  return odd ? 2 / std::numbers::pi * (theta + sine * sum) : sine * sum;
}

}  // namespace

double StudentAt975(std::size_t freedom) {
  double low = 1.9, high = 12.8;  // for one degree 12.71, for infinitely many 1.96
  for (;;) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) return middle;
    (Within(middle, freedom) < 0.95 ? low : high) = middle;
  }
}

}  // namespace kith::attack
