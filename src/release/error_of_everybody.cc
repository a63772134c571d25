#include "release/error_of_everybody.h"

#include <algorithm>
#include <cmath>

namespace kith {

std::optional<WantedBar> BarWanted(const Plan& plan, const OutputExpr& output, double error, double units) {
  std::optional<std::size_t> noisy;
  std::vector<Estimate> estimates(plan.statistics.size());
  for (const std::size_t k : output.Reads()) {
    const Statistic& statistic = plan.statistics[k];
    if (statistic.quantile) return std::nullopt;
    if (statistic.noisy()) {
      if (noisy) return std::nullopt;
      noisy = k;
      continue;
    }
    if (statistic.name != "count(*)") return std::nullopt;  // of public facts, but not about everybody
    estimates[k].value = units;
  }
  if (!noisy || !(units > 0)) return std::nullopt;
  const double low = units * plan.statistics[*noisy].unit_low, high = units * plan.statistics[*noisy].unit_high;
  const auto error_at = [&](double value, double bar) {
    estimates[*noisy] = {value, bar};
    return output.Evaluate({}, estimates).error;
  };
  // Averages and shares follow their statistic in proportion. Whatever does not is caught afterwards.
  const double small = 1e-6 * (high - low);
  const auto at_small = error_at(low / 2 + high / 2, small);
  if (!at_small || !(*at_small > 0)) return std::nullopt;
  const WantedBar wanted{*noisy, error * (small / *at_small) * (1 - 1e-9)};
  if (!std::isfinite(wanted.error)) return std::nullopt;
  for (const double value : {low, low / 2 + high / 2, high}) {
    const auto then = error_at(value, wanted.error);
    if (!then || *then > error) return std::nullopt;
  }
  return wanted;
}

}  // namespace kith
