#include "release/strata.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "release/curator_state.h"
#include "release/presence_price.h"

namespace kith {
namespace {

/// The key that distinguishes strata; nothing if there is none.
std::optional<std::size_t> KeyOfStrata(const Plan& plan, const Policy& policy) {
  if (!policy.HasStrata() || !plan.levels.empty()) return std::nullopt;
  for (std::size_t k = 0; k < plan.keys.size(); ++k) {
    if (!plan.keys[k].secret && plan.keys[k].column == *policy.dependence.strength_column) return k;
  }
  return std::nullopt;
}

/// Classes with one budget.
struct Together {
  std::vector<std::size_t> classes;
  std::vector<bool> cells;    // the charged ones
  std::vector<Value> values;  // of the key
};

/// By budget, the smallest first. Classes of which no cell is charged are in none.
std::map<PlainUnits, Together> ByBudget(const Plan& plan, const Policy& policy, const Accountant& account,
                                        UnitLevel level) {
  std::map<std::size_t, std::vector<bool>> cells;  // of each class
  for (const std::size_t cell : ChargedCells(plan.charged)) {
    auto& of_class = cells.try_emplace(policy.ClassOf(cell), plan.charged.size(), false).first->second;
    of_class[cell] = true;
  }
  std::map<PlainUnits, Together> strata;
  for (const auto& [of_class, charged] : cells) {
    Together& stratum = strata[account.Budget(charged, level)];
    stratum.classes.push_back(of_class);
    stratum.cells.resize(charged.size());
    for (const std::size_t cell : ChargedCells(charged)) stratum.cells[cell] = true;
  }
  return strata;
}

std::int64_t LargestGroup(const Policy& policy, const std::vector<std::size_t>& classes) {
  const auto* group = std::get_if<Group>(&policy.dependence.model);
  std::int64_t largest = 0;
  for (const std::size_t k : classes) largest = std::max(largest, group == nullptr ? 0 : group->SizeOf(k));
  return largest;
}

}  // namespace

std::string StratumName(const std::string& column, const std::vector<Value>& values) {
  constexpr std::size_t kShown = 8;
  std::vector<std::string> names;
  for (std::size_t k = 0; k < values.size() && k < kShown; ++k) names.push_back(Cells::ValueName(values[k]));
  if (values.size() > kShown) names.push_back(fmt::format("{} more", values.size() - kShown));
  return fmt::format("{}={}", column, fmt::join(names, ", "));
}

Result<std::optional<Priced>> PriceByStratum(const Plan& plan, const Price& price, const Policy& policy,
                                             const Accountant& account, UnitLevel level) {
  const auto key = KeyOfStrata(plan, policy);
  if (!key || !price.epsilon || price.error_95 || plan.noisy().empty()) return std::optional<Priced>();
  auto strata = ByBudget(plan, policy, account, level);
  if (strata.size() < 2) return std::optional<Priced>();

  // Groups of units that are not charged say nothing about anybody: they get the noise of the first stratum.
  const auto& values = plan.keys[*key].values;
  std::vector<std::size_t> stratum_of(values.size(), 0);
  for (std::size_t v = 0; v < values.size(); ++v) {
    std::size_t s = 0;
    for (auto& [budget, stratum] : strata) {
      const auto& classes = stratum.classes;
      if (std::find(classes.begin(), classes.end(), policy.ClassOfValue(values[v])) != classes.end()) {
        stratum_of[v] = s;
        stratum.values.push_back(values[v]);
      }
      ++s;
    }
  }
  std::vector<PricedStratum> priced;
  for (auto& [budget, stratum] : strata) {
    auto own = PriceBoth(plan, {}, {price, policy.epsilon_total, budget});
    if (!own) return own.error();
    const std::string name = StratumName(plan.keys[*key].name, stratum.values);
    for (NoiseLine& line : own->noise) line.stratum = name;
    priced.push_back({.name = name,
                      .cells = std::move(stratum.cells),
                      .groups = {},
                      .size = LargestGroup(policy, stratum.classes),
                      .budget = budget,
                      .priced = std::move(*own)});
  }
  for (std::size_t group = 0; group < plan.groups(); ++group)
    priced[stratum_of[*plan.PlaceOf(group).keys[*key]]].groups.push_back(group);

  Priced all = priced.front().priced;
  all.noise.clear();
  for (const PricedStratum& stratum : priced) {
    all.total = std::max(all.total, stratum.priced.total);
    if (all.presence) all.presence = std::max(*all.presence, stratum.priced.OfPresence());
    all.noise.insert(all.noise.end(), stratum.priced.noise.begin(), stratum.priced.noise.end());
  }
  all.strata = std::move(priced);
  return std::optional(std::move(all));
}

std::vector<CellCharge> PartsOf(const std::vector<bool>& charged, const Priced& priced) {
  if (priced.strata.empty()) return {{priced.total, ChargedCells(charged), priced.presence}};
  std::vector<CellCharge> parts;
  for (const PricedStratum& stratum : priced.strata)
    parts.push_back({stratum.priced.total, ChargedCells(stratum.cells), stratum.priced.presence});
  return parts;
}

}  // namespace kith
