#include "transfer/non_negative.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/check.h"
#include "transfer/rounding.h"

namespace kith {
namespace {

using namespace rounding;

constexpr double kUlps = 1e8;  // that a loss which can happen is rounded down by: far more than it can be off

/// What others add, by a formula without cancellation. With n = size - 1 others of spins +1 and -1, whose sum is d,
///   2 log1p(N / D),  N = sum of w_d (cosh((theta + plain) d / 4) - cosh((theta - plain) d / 4)),
///                    D = sum of w_d cosh((theta - plain) d / 4),  w_d = C(n, (n + d) / 2) e^{theta d^2 / 8},
/// over d = n, n - 2, ... > 0 twice (they are alike for -d) and 0. Terms are exponentials divided by the largest one of
/// D, each widened by what the rounding of its exponent can do: up in N, down in D.
class Others {
 public:
  Others(std::int64_t n, double theta, double plain)
      : n_(n), theta_(theta), plain_(plain), apart_(std::abs(theta - plain)) {}

  double Loss() {
    double largest = -std::numeric_limits<double>::infinity(), largest_over = largest;
    Each([&](double d, double weight, double) {
      largest = std::max(largest, weight + apart_ * d / 4);
      largest_over = std::max(largest_over, weight + (theta_ + plain_) * d / 4);
    });
    const double beyond = largest_over - largest > 600 ? largest_over - largest : 0;  // of what a double can hold
    double over = 0, under = 0;
    Each([&](double d, double weight, double scale) {
      // Of the numbers that make up an exponent each is off by at most 3 ulps of its own, and so is the sum.
      const double slack = 3 * (scale + (theta_ + plain_) * d / 4 + std::abs(largest) + beyond) + 16;
      const double twice = d > 0 ? 2 : 1;
      const double more = std::exp(weight + (theta_ + plain_) * d / 4 - largest - beyond) *
                          -std::expm1(-theta_ * d / 2) * -std::expm1(-plain_ * d / 2);
      over = AddUp(over, Widen(twice * more, slack));
      const double less = std::exp(weight + apart_ * d / 4 - largest) * (1 + std::exp(-apart_ * d / 2));
      under = Narrow(under + Narrow(twice * less, slack), 1);
    });
    const double ratio = DivUp(over, under);
    return beyond == 0 ? MulUp(2, Log1pUp(ratio)) : Widen(2 * (std::log(ratio) + beyond), 16);
  }

 private:
  // With d, the logarithm of its weight, and the sum of the two numbers that make it up, both taken as positive.
  template <class Use>
  void Each(const Use& use) const {
    long double combinations = 0;  // log C(n, k)
    for (std::int64_t k = 0; 2 * k <= n_; ++k) {
      const auto d = static_cast<double>(n_ - 2 * k);
      // Measured from that of d = n, so that where it is the heaviest the exponents that matter are small.
      const double spins = theta_ * (d - static_cast<double>(n_)) * (d + static_cast<double>(n_)) / 8;
      const auto ways = static_cast<double>(combinations);
      use(d, ways + spins, ways - spins);
      combinations += std::log(static_cast<long double>(n_ - k) / static_cast<long double>(k + 1));
    }
  }

  std::int64_t n_;
  double theta_, plain_;
  double apart_;
};

/// What the mechanism k e^{plain |x|} loses about one member. All have the log odds base + cause; the cause has two
/// states, range apart, of which the upper one is `odds` times as likely.
double LossOfCause(std::int64_t size, double range, double odds, double base, double plain) {
  double seen[2] = {0, 0}, all[2] = {0, 0};  // by whether the member says yes
  for (const auto& [log_odds, weight] : {std::pair(base - range / 2, 1.0), std::pair(base + range / 2, odds)}) {
    const double yes = 1 / (1 + std::exp(-log_odds)), no = 1 / (1 + std::exp(log_odds));
    // Of one answer e^plain for each yes, divided by its largest: 1 where all say yes.
    const double answer = std::pow(yes + no * std::exp(-plain), static_cast<double>(size - 1));
    seen[0] += weight * no * answer;
    seen[1] += weight * yes * answer;
    all[0] += weight * no;
    all[1] += weight * yes;
  }
  const double loss = plain + std::log(seen[1] / all[1]) - std::log(seen[0] / all[0]);
  return std::isfinite(loss) ? loss : 0;
}

}  // namespace

double ReachedByTwoStates(std::int64_t size, double range, double plain) {
  double largest = plain;  // of those that are tried, each of which can happen
  for (double log_odds = -8; log_odds <= 8; log_odds += 0.5) {
    for (double base = -8; base <= 8; base += 0.25)
      largest = std::max(largest, LossOfCause(size, range, std::exp(log_odds), base, plain));
  }
  return std::max(plain, Narrow(largest, kUlps));
}

double NonNegativeLoss(std::int64_t size, double theta, double plain) {
  KITH_CHECK(size >= 1 && theta >= 0 && std::isfinite(theta));
  if (size == 1 || theta == 0 || plain == 0) return plain;
  const double others = Others(size - 1, theta, plain).Loss();
  if (std::isnan(others)) return std::numeric_limits<double>::infinity();
  return AddUp(plain, others);
}

double ReachedByGroups(std::int64_t size, double theta, double plain) {
  return std::max(plain, Narrow(NonNegativeLoss(size, theta, plain), kUlps));
}

}  // namespace kith
