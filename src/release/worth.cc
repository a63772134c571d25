#include "release/worth.h"

#include <algorithm>
#include <cmath>

#include "release/average_error.h"

namespace kith {
namespace {

constexpr double kAnyNumber = 1e15;  // of units, where nobody may know it

bool CoversAll(double value, double error, OutputExpr::Reach possible) {
  if (error >= possible.high - possible.low) return true;
  return value - error <= possible.low && value + error >= possible.high;
}

// With so many times the epsilon the bar would be a quarter of what is possible.
template <class ErrorWith>
void Improve(const ErrorWith& error_with, Worth& worth) {
  constexpr double kMost = 1e4;
  const double wanted = (worth.high - worth.low) / 4;
  for (worth.times = 2; worth.times < kMost; worth.times = std::ceil(worth.times * 1.1)) {
    worth.then_95 = error_with(worth.times);
    if (worth.then_95 <= wanted * 1.05) return;
  }
}

}  // namespace

std::vector<Estimate> PossibleStatistics(const Plan& plan, std::size_t level, const std::vector<Estimate>& given,
                                         std::optional<double> units) {
  std::vector<Estimate> possible = given;
  const double most = units.value_or(kAnyNumber);
  for (std::size_t k = 0; k < possible.size(); ++k) {
    const Statistic& statistic = plan.statistics[k];
    if (!statistic.NoisyIn(level)) continue;
    const double low = most * statistic.unit_low, high = most * statistic.unit_high;
    possible[k] = {low / 2 + high / 2, high / 2 - low / 2};
  }
  return possible;
}

bool IsOnlyNoise(const OutputExpr& output, const AnswerCell& cell, const std::vector<Estimate>& possible) {
  if (!cell.error_95) return false;
  double value = 0;
  if (const auto* whole = std::get_if<std::int64_t>(&cell.value)) {
    value = static_cast<double>(*whole);
  } else if (const auto* real = std::get_if<double>(&cell.value)) {
    value = *real;
  } else {
    return false;
  }
  const auto reach = output.ReachOf(possible);
  return reach && reach->low < reach->high && CoversAll(value, *cell.error_95, *reach);
}

std::vector<Worth> WorthOf(const Plan& plan, const Priced& priced, std::optional<double> units) {
  std::vector<Worth> all;
  if (!units || *units <= 0) return all;
  const auto possible = PossibleStatistics(plan, 0, std::vector<Estimate>(plan.statistics.size()), units);
  for (const OutputColumn& output : plan.outputs) {
    const auto& reads = output.expr->Reads();
    const auto chosen = [&](std::size_t k) { return plan.statistics[k].quantile != nullptr; };
    const auto noisy = [&](std::size_t k) { return plan.statistics[k].NoisyIn(0); };
    if (std::none_of(reads.begin(), reads.end(), noisy) || std::any_of(reads.begin(), reads.end(), chosen)) continue;
    const auto statistic = output.expr->Statistic();
    if (!statistic && output.expr->Examples(1).empty()) continue;
    const auto error_with = [&](double times) {
      return statistic ? priced.noise[*statistic].error_95 / times
                       : WorstAverageError(plan, priced, *output.expr, *units, times);
    };
    const auto reach = output.expr->ReachOf(possible);
    if (!reach || !(reach->low < reach->high) || !std::isfinite(reach->high - reach->low)) continue;
    Worth worth{output.name, error_with(1), reach->low, reach->high};
    worth.at_best = !statistic;
    // Bars of averages are cut: in the middle they reach half of what is possible.
    const double all_of_it = (worth.high - worth.low) / (statistic ? 1 : 2);
    worth.only_noise = worth.error_95 >= all_of_it * (1 - 1e-9);
    if (worth.only_noise) Improve(error_with, worth);
    all.push_back(std::move(worth));
  }
  return all;
}

}  // namespace kith
