#include "transfer/association.h"

#include <cmath>
#include <tuple>

#include "base/check.h"
#include "transfer/non_negative.h"
#include "transfer/rounding.h"

namespace kith {

Association::Association(std::int64_t size, double theta, bool yes_no) : size_(size), theta_(theta), yes_no_(yes_no) {
  KITH_CHECK(size >= 1 && size <= kMaxSize);
}

// The strength of a round is the odds ratio of a pair when k - 1 others are unknown. It is not kept: there can be
// thousands of classes.
double Association::Loss(double plain, PassOn pass) const {
  double loss = plain, strength = theta_;
  std::int64_t k = 1;
  if (yes_no_ && size_ >= 3 && pass == Phi) {
    const double exact = NonNegativeLoss(3, theta_, plain), exact_strength = NonNegativeLoss(3, theta_, theta_);
    if (std::isfinite(exact) && std::isfinite(exact_strength))
      std::tie(k, loss, strength) = std::tuple(3, exact, exact_strength);
  }
  for (; k < size_; ++k) {
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
