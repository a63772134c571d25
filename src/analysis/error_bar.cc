#include "analysis/error_bar.h"

#include <algorithm>
#include <cmath>

namespace kith {

double ErrorBar(const NoisyRound& round, std::size_t statistic, double confidence) {
  const double scale = round.scales[statistic];
  if (scale <= 0) return 0;
  const double step = round.plan.statistics[statistic].lattice.step(), in_steps = scale / step;
  // P(|Z| > m) = 2 q^(m+1) / (1 + q) with q = e^(-1/scale).
  const double q = std::exp(-1 / in_steps), tail = (1 - confidence) * (1 + q) / 2;
  return step * std::max(0.0, std::ceil(-in_steps * std::log(tail) - 1 - 1e-9));
}

double NoiseVariance(const NoisyRound& round, std::size_t statistic) {
  const double scale = round.scales[statistic];
  if (scale <= 0) return 0;
  const double step = round.plan.statistics[statistic].lattice.step(), q = std::exp(-step / scale);
  return step * step * 2 * q / ((1 - q) * (1 - q));
}

double BarOfVariance(double variance) { return std::log(20.0) * std::sqrt(variance / 2); }

}  // namespace kith
