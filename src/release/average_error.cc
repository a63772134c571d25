#include "release/average_error.h"

#include <algorithm>
#include <limits>

#include "base/check.h"
#include "mechanism/discrete_laplace.h"
#include "query/output.h"

namespace kith {
namespace {

struct Parts {
  std::size_t sum = 0, count = 0;
};

// The planner names the sum of an average so; its other part is the count.
std::optional<Parts> PartsOf(const Plan& plan, const OutputExpr& output) {
  const auto& reads = output.Reads();
  if (reads.size() != 2) return std::nullopt;
  for (const bool swapped : {false, true}) {
    const Parts parts{reads[swapped ? 1 : 0], reads[swapped ? 0 : 1]};
    const bool is_sum = plan.statistics[parts.sum].name.find(" for avg(") != std::string::npos;
    if (is_sum && plan.statistics[parts.count].name.starts_with("count(")) return parts;
  }
  return std::nullopt;
}

// Both bars hold at once with 95 % if each holds with 97.5 %, as in the answer.
double Bar(const Plan& plan, const Priced& priced, std::size_t k) {
  const Statistic& statistic = plan.statistics[k];
  if (statistic.sensitivity.steps() == 0) return 0;
  const auto law = DiscreteLaplace::Make(statistic.sensitivity, priced.shares[k]);
  KITH_CHECK(law.has_value());  // the same call gave the noise
  return law->ErrorBar(0.975) * statistic.lattice.step();
}

double Number(const Value& value) {
  const auto* real = std::get_if<double>(&value);
  return real != nullptr ? *real : 0;
}

class Average {
 public:
  Average(const Plan& plan, const OutputExpr& output, Parts parts)
      : output_(output), parts_(parts), estimates_(plan.statistics.size()) {}

  Outcome At(Estimate sum, Estimate count) {
    estimates_[parts_.sum] = sum;
    estimates_[parts_.count] = count;
    return output_.Evaluate({}, estimates_);
  }

  // The largest sum of differences from the middle that one row can have: where the average stops to grow.
  double Reach() {
    constexpr double kHuge = 1e300;
    return std::max(Number(At({kHuge, 0}, {1, 0}).value) - Number(At({0, 0}, {1, 0}).value), 0.0);
  }

 private:
  const OutputExpr& output_;
  Parts parts_;
  std::vector<Estimate> estimates_;
};

}  // namespace

std::vector<AverageError> AverageErrors(const Plan& plan, const Priced& priced) {
  std::vector<AverageError> found;
  for (const auto& output : plan.outputs) {
    const auto parts = PartsOf(plan, *output.expr);
    if (!parts) continue;
    const double sum = Bar(plan, priced, parts->sum), count = Bar(plan, priced, parts->count);
    if (sum == 0 && count == 0) continue;
    Average average(plan, *output.expr, *parts);
    const double reach = average.Reach();
    AverageError line{output.name, {}};
    for (const double rows : {100.0, 1e3, 1e4, 1e5, 1e6}) {
      double worst = 0;
      for (const double middle : {-reach, 0.0, reach}) {
        const auto error = average.At({middle * rows, sum}, {rows, count}).error;
        worst = error ? std::max(worst, *error) : std::numeric_limits<double>::infinity();
      }
      line.at.push_back({rows, worst});
    }
    found.push_back(std::move(line));
  }
  return found;
}

}  // namespace kith
