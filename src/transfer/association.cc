#include "transfer/association.h"

#include "base/check.h"
#include "transfer/rounding.h"

namespace kith {

Association::Association(std::int64_t size, double theta) {
  KITH_CHECK(size >= 1 && size <= kMaxSize);
  double strength = theta;
  for (std::int64_t k = 1; k < size; ++k) {
    strengths_.push_back(strength);
    strength = rounding::AddUp(strength, Phi(strength, strength));
  }
}

double Association::Loss(double plain, PassOn pass) const {
  double loss = plain;
  for (const double strength : strengths_) loss = rounding::AddUp(loss, pass(strength, loss));
  return loss;
}

double BlockLoss(double plain, double others, double theta, PassOn pass) {
  return rounding::AddUp(plain, pass(theta, others));
}

double SumUp(std::span<const double> plain) {
  double sum = 0;
  for (const double p : plain) sum = rounding::AddUp(sum, p);
  return sum;
}

}  // namespace kith
