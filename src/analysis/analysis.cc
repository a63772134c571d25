#include "analysis/analysis.h"

#include <cmath>
#include <utility>

namespace kith {

double NoisyRound::At(std::size_t group, std::size_t statistic) const {
  return std::ldexp(static_cast<double>(noisy[group][statistic]), plan.statistics[statistic].lattice.exponent);
}

NoisePart PartOf(std::string name, const Noise& noise, double step, std::uint64_t numbers) {
  return {.name = std::move(name),
          .scale = noise.scale() * step,
          .lattice = step,
          .sensitivity = static_cast<double>(noise.change().l1().steps()) * step,
          .error_95 = noise.ErrorBar(0.95) * step,
          .error_95_all = noise.ErrorBarAll(0.95, numbers) * step,
          .law = std::string(noise.Name().id)};
}

}  // namespace kith
