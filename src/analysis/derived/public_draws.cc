#include "analysis/derived/public_draws.h"

#include <algorithm>

namespace kith {

double PublicDraws::Normal() {
  constexpr double kTwoPi = 6.283185307179586;
  const double radius = std::sqrt(-2 * std::log(Uniform()));
  return radius * std::cos(kTwoPi * Uniform());
}

double PublicDraws::Binomial(double n, double chance) {
  if (n <= 0 || chance <= 0) return 0;
  if (chance >= 1) return n;
  if (chance > 0.5) return n - Binomial(n, 1 - chance);
  const double mean = n * chance;
  if (mean > 40) return std::clamp(std::round(mean + std::sqrt(mean * (1 - chance)) * Normal()), 0.0, n);
  // How many failures before each success.
  double trials = 0, successes = 0;
  for (;;) {
    trials += 1 + Geometric(1 - chance);
    if (trials > n) return successes;
    ++successes;
  }
}

}  // namespace kith
