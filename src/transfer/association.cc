#include "transfer/association.h"

#include "base/check.h"
#include "transfer/rounding.h"

namespace kith {

Association::Association(std::int64_t size, double theta) : size_(size), theta_(theta) {
  KITH_CHECK(size >= 1 && size <= kMaxSize);
}

// The strength of a round is the odds ratio of a pair when k - 1 others are unknown. It is not kept: there can be
// thousands of classes.
double Association::Loss(double plain, PassOn pass) const {
  double loss = plain, strength = theta_;
  for (std::int64_t k = 1; k < size_; ++k) {
    loss = rounding::AddUp(loss, pass(strength, loss));
    strength = rounding::AddUp(strength, Phi(strength, strength));
  }
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
