#include "release/usefulness.h"

#include <algorithm>
#include <cmath>

#include "kernel/ranks.h"
#include "release/average_error.h"
#include "release/chosen_rows.h"

namespace kith {
namespace {

constexpr double kAnyNumber = 1e15;  // of units, where it is secret

bool CoversAll(double value, double error, OutputExpr::Reach possible) {
  if (error >= possible.high - possible.low) return true;
  return value - error <= possible.low && value + error >= possible.high;
}

// With this many times the epsilon the bar would be a quarter of what is possible.
template <class ErrorWith>
void Improve(const ErrorWith& error_with, Usefulness& worth) {
  constexpr double kMost = 1e4;
  const double wanted = (worth.high - worth.low) / 4;
  for (worth.times = 2; worth.times < kMost; worth.times = std::ceil(worth.times * 1.1)) {
    worth.then_95 = error_with(worth.times);
    if (worth.then_95 <= wanted * 1.05) return;
  }
}

// With as many rows as there are at most in statistics that have no noise: a share of a public count needs one.
std::optional<OutputExpr::Reach> ReachIn(const Plan& plan, const OutputExpr& output, std::vector<Estimate> possible,
                                         double units) {
  for (const std::size_t k : output.Reads()) {
    if (!plan.statistics[k].NoisyIn(0)) possible[k] = {units * plan.statistics[k].unit_high, 0};
  }
  return output.ReachOf(possible);
}

}  // namespace

std::vector<Estimate> PossibleStatistics(const Plan& plan, std::size_t level, const std::vector<Estimate>& given,
                                         const InGroup& most) {
  std::vector<Estimate> possible = given;
  for (std::size_t k = 0; k < possible.size(); ++k) {
    const Statistic& statistic = plan.statistics[k];
    if (!statistic.NoisyIn(level)) continue;
    if (const Quantile* quantile = statistic.quantile.get()) {
      possible[k] = {quantile->least / 2 + quantile->most / 2, 0,
                     Estimate::Ends{quantile->least, quantile->most, true}};
      continue;
    }
    const bool households = statistic.of_households && most.households;
    const double all = households ? *most.households : most.units.value_or(kAnyNumber);
    const double low = all * statistic.unit_low, high = all * statistic.unit_high;
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
  return reach && CoversAll(value, *cell.error_95, *reach);
}

namespace {

// As the answer will show it: where noise chooses among groups, all of them at once.
double BarOf(const Plan& plan, const Priced& priced, std::size_t statistic) {
  if (!NoiseChooses(plan)) return priced.noise[statistic].error_95;
  return priced.laws[statistic].noise.ErrorBar(ConfidenceOfBar(plan, 1)) * plan.statistics[statistic].lattice.step();
}

// Compared with the rows that it is chosen from.
Usefulness UsefulnessOfQuantile(const std::string& name, const Statistic& statistic, double error_95, double rows) {
  Usefulness worth{name, std::ceil(error_95), 0, rows};
  worth.in_rows = true;
  worth.only_noise = ReachesAllRows(*statistic.quantile, error_95, rows);
  if (worth.only_noise) Improve([&](double times) { return error_95 / times; }, worth);
  return worth;
}

}  // namespace

std::vector<Usefulness> UsefulnessOf(const Plan& plan, const Priced& priced, const InGroup& most,
                                     std::int64_t max_rows) {
  std::vector<Usefulness> all;
  if (!most.units || *most.units <= 0) return all;
  const double rows = *most.units * static_cast<double>(max_rows);
  const auto possible = PossibleStatistics(plan, 0, std::vector<Estimate>(plan.statistics.size()), most);
  for (const OutputColumn& output : plan.outputs) {
    const auto& reads = output.expr->Reads();
    const auto chosen = [&](std::size_t k) { return plan.statistics[k].quantile != nullptr; };
    const auto noisy = [&](std::size_t k) { return plan.statistics[k].NoisyIn(0); };
    if (std::none_of(reads.begin(), reads.end(), noisy)) continue;
    if (const auto quantile = output.expr->Quantile()) {
      const NoiseLine& noise = priced.noise[*quantile];
      const double error_95 = NoiseChooses(plan) ? noise.error_95_all : noise.error_95;
      all.push_back(UsefulnessOfQuantile(output.name, plan.statistics[*quantile], error_95, rows));
      continue;
    }
    if (std::any_of(reads.begin(), reads.end(), chosen)) continue;
    const auto statistic = output.expr->Statistic();
    if (!statistic && output.expr->Examples(1).empty()) continue;
    const auto error_with = [&](double times) {
      return statistic ? BarOf(plan, priced, *statistic) / times
                       : WorstAverageError(plan, priced, *output.expr, *most.units, times);
    };
    const auto reach = ReachIn(plan, *output.expr, possible, *most.units);
    if (!reach || !(reach->low < reach->high) || !std::isfinite(reach->high - reach->low)) continue;
    Usefulness worth{output.name, error_with(1), reach->low, reach->high};
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
