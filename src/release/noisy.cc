#include "release/noisy.h"

#include "mechanism/discrete_laplace.h"

namespace kith {
namespace {

Result<NoisyGroups> AllGroups(const Plan& plan, const IntegerTable& exact) {
  NoisyGroups groups(plan.groups(), std::vector<Int128>(plan.statistics.size(), 0));
  std::vector<bool> seen(groups.size(), false);
  const std::size_t keys = plan.keys.size();
  if (exact.columns != keys + plan.statistics.size())
    return InternalError("the engine returned a table of another shape");
  for (const auto& row : exact.rows) {
    std::size_t group = 0;
    for (std::size_t k = 0; k < keys; ++k) {
      const auto size = static_cast<Int128>(plan.keys[k].values.size());
      if (!row[k] || *row[k] < 0 || *row[k] >= size)
        return InternalError("the engine returned a group that was not declared");
      group = group * plan.keys[k].values.size() + static_cast<std::size_t>(*row[k]);
    }
    if (seen[group]) return InternalError("the engine returned a group twice");
    seen[group] = true;
    for (std::size_t s = 0; s < plan.statistics.size(); ++s) groups[group][s] = row[keys + s].value_or(0);
  }
  return groups;
}

}  // namespace

Result<NoisyGroups> AddNoise(const Plan& plan, const IntegerTable& exact, const std::vector<PlainUnits>& shares,
                             BitSource& bits) {
  auto groups = AllGroups(plan, exact);
  if (!groups) return groups.error();
  for (std::size_t s = 0; s < plan.statistics.size(); ++s) {
    if (plan.statistics[s].sensitivity.steps() == 0) continue;
    const auto law = DiscreteLaplace::Make(plan.statistics[s].sensitivity, shares[s]);
    if (!law) return law.error();
    for (auto& group : *groups) group[s] = law->Release(group[s], bits);
  }
  return groups;
}

}  // namespace kith
