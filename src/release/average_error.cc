#include "release/average_error.h"

#include <algorithm>
#include <limits>

#include "query/output/output.h"
#include "release/chosen_rows.h"

namespace kith {
namespace {

// The bars of all statistics that the output reads; empty if none of them gets noise. All bars of k statistics hold at
// once with 95 % if each holds with 1 - 0.05/k; where noise chooses the rows, more must hold at once, as in the answer.
std::vector<Estimate> BarsOf(const Plan& plan, const Priced& priced, const OutputExpr& output) {
  const auto noisy = [&](std::size_t s) { return plan.statistics[s].noisy(); };
  const auto k = static_cast<std::size_t>(std::count_if(output.Reads().begin(), output.Reads().end(), noisy));
  if (k == 0) return {};
  std::vector<Estimate> bars(plan.statistics.size());
  const double confidence = ConfidenceOfBar(plan, k);
  for (const std::size_t s : output.Reads())
    bars[s].error = priced.laws[s].noise.ErrorBar(confidence) * plan.statistics[s].lattice.step();
  return bars;
}

}  // namespace

double WorstAverageError(const Plan& plan, const Priced& priced, const OutputExpr& output, double rows, double times) {
  std::vector<Estimate> estimates = BarsOf(plan, priced, output);
  for (Estimate& estimate : estimates) estimate.error /= times;
  double worst = 0;
  for (const auto& example : output.Examples(rows)) {
    for (const auto& [statistic, value] : example) estimates.at(statistic).value = value;
    const auto error = output.Evaluate({}, estimates).error;
    worst = error ? std::max(worst, *error) : std::numeric_limits<double>::infinity();
  }
  return worst;
}

std::vector<AverageError> AverageErrors(const Plan& plan, const Priced& priced) {
  std::vector<AverageError> found;
  for (const auto& output : plan.outputs) {
    if (output.expr->Examples(1).empty()) continue;
    if (BarsOf(plan, priced, *output.expr).empty()) continue;
    AverageError line{output.name, {}};
    for (const double rows : {100.0, 1e3, 1e4, 1e5, 1e6})
      line.at.push_back({rows, WorstAverageError(plan, priced, *output.expr, rows, 1)});
    found.push_back(std::move(line));
  }
  return found;
}

}  // namespace kith
