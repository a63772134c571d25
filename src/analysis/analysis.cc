#include "analysis/analysis.h"

#include <cmath>

namespace kith {

double NoisyRound::At(std::size_t group, std::size_t statistic) const {
  return std::ldexp(static_cast<double>(noisy[group][statistic]), plan.statistics[statistic].lattice.exponent);
}

}  // namespace kith
