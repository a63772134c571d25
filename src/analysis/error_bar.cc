#include "analysis/error_bar.h"

#include <algorithm>
#include <cmath>

namespace kith {

double NoiseDistribution::Variance() const {
  if (scale <= 0) return 0;
  const double q = std::exp(-step / scale);
  return step * step * 2 * q / ((1 - q) * (1 - q));
}

double NoiseDistribution::Bar(double confidence) const {
  if (scale <= 0) return 0;
  // P(|Z| > m steps) = 2 q^(m + 1) / (1 + q) with q = e^(-step / scale).
  const double in_steps = scale / step, q = std::exp(-1 / in_steps), tail = (1 - confidence) * (1 + q) / 2;
  return step * std::max(0.0, std::ceil(-in_steps * std::log(tail) - 1 - 1e-9));
}

double NoiseDistribution::Bar95() const { return Bar(0.95); }

NoiseDistribution DistributionOf(const NoisyRound& round, std::size_t statistic) {
  return {round.scales[statistic], round.plan.statistics[statistic].lattice.step()};
}

double ErrorBar(const NoisyRound& round, std::size_t statistic, double confidence) {
  return DistributionOf(round, statistic).Bar(confidence);
}

double BarOfVariance(double variance) { return std::log(20.0) * std::sqrt(variance / 2); }

double BarOfWeightedSum(double variance, double largest) {
  constexpr double kOfAStep = 0.55;  // measured with the exact law of many sums: SumsOfFewNoisesStayWithinTheirBars
  return variance > 0 ? BarOfVariance(variance) + kOfAStep * largest : 0;
}

}  // namespace kith
