#include "kernel/checked_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernel/check/rows.h"

namespace kith {
namespace {

// The larger of both in each part; nothing if it is too large for any claim.
std::optional<Sensitivities> Larger(const Sensitivities& claimed, const check::Moved& found) {
  const Int128 l1 = std::max<Int128>(claimed.l1().steps(), found.l1);
  const Int128 l2 = std::max<Int128>(claimed.l2_squared(), found.l2_squared);
  const Int128 groups = std::max<Int128>(claimed.groups(), found.groups);
  constexpr Int128 kMost = Int128{1} << 62;
  if (l1 > kMost || l2 > kMost) return std::nullopt;
  const auto change = Sensitivities::Make(static_cast<std::int64_t>(l1), static_cast<std::int64_t>(l2),
                                          static_cast<std::int64_t>(std::min(groups, l1)));
  return change ? std::optional(*change) : std::nullopt;
}

bool Raise(Statistic& statistic, const check::Found::Of& found) {
  const auto change = Larger(statistic.change, found.change);
  const auto presence = statistic.presence ? Larger(*statistic.presence, found.presence) : change;
  if (!change || !presence) return false;
  if (*change != statistic.change) statistic.reason = "what the checker of statements finds in it";
  statistic.change = *change;
  if (statistic.presence) statistic.presence = *presence;
  return true;
}

}  // namespace

std::vector<PlanClaim> ClaimsOf(const Plan& plan, UnitLevel level) {
  std::vector<std::size_t> sizes;
  for (const GroupKey& key : plan.keys) sizes.push_back(key.values.size());
  const check::Claim of_all = {.keys = plan.keys.size(),
                               .sizes = std::move(sizes),
                               .numbers = {},
                               .use = {plan.levels, level == UnitLevel::kHousehold, {}},
                               .charged = plan.charged,
                               .rows = plan.unit_rows};
  std::vector<PlanClaim> all;
  PlanClaim sums{plan.statement, of_all, {}, {}};
  for (std::size_t k = 0; k < plan.statistics.size(); ++k) {
    const Statistic& s = plan.statistics[k];
    if (!s.quantile) {
      sums.statistics.push_back(k);
      sums.claim.numbers.push_back({s.change, s.presence, s.open_levels});
      sums.about += (sums.about.empty() ? "" : ", ") + s.name;
      continue;
    }
    PlanClaim& rank = all.emplace_back(PlanClaim{s.quantile->statement, of_all, s.name, {k}});
    rank.claim.keys += 1;
    rank.claim.sizes.push_back(s.quantile->candidates.size() + 1);  // the last: NULL
    rank.claim.numbers = {{s.change, s.presence, {}}};
    rank.claim.use.levels.clear();
    rank.claim.use.rank = check::Rank{s.quantile->num, s.quantile->den};
  }
  if (!sums.claim.numbers.empty() || !plan.statement.empty()) all.push_back(std::move(sums));
  return all;
}

Result<CheckedPlan> CheckPlan(Plan plan, const Policy& policy) {
  const auto facts = check::FactsOf(policy);
  if (!facts) return facts.error();
  const auto ranked = [](const Statistic& s) { return s.quantile != nullptr; };
  if (!plan.levels.empty() && std::any_of(plan.statistics.begin(), plan.statistics.end(), ranked))
    return Unsupported("no rule is about ranks in several levels", {}, "ask for them by the finest groups");
  for (const PlanClaim& of : ClaimsOf(plan, policy.unit.level)) {
    const auto checked = check::Check(of.statement, *facts, of.claim);
    if (checked) continue;
    const Error& why = checked.error();
    return Unsupported(fmt::format("no rule shows how far one unit can move {}: {}", of.about,
                                   why.where.empty() ? why.what : why.where),
                       {}, "ask for it in another way, or for its parts one by one");
  }
  return CheckedPlan(std::make_shared<const Plan>(std::move(plan)));
}

Result<CheckedPlan> RaiseAndCheck(Plan plan, const Policy& policy, bool& raised) {
  auto checked = CheckPlan(plan, policy);
  raised = !checked;
  const auto facts = check::FactsOf(policy);
  if (checked || !facts) return checked;
  for (PlanClaim& of : ClaimsOf(plan, policy.unit.level)) {
    const auto levels = check::FindChange(of.statement, *facts, of.claim);
    if (!levels || levels->numbers.size() != of.statistics.size()) return checked;
    for (std::size_t k = 0; k < of.statistics.size(); ++k) {  // a level that something moves gets noise
      std::vector<bool>& open = of.claim.numbers[k].open_levels;
      for (std::size_t level = 0; level < open.size(); ++level)
        open[level] = open[level] && levels->numbers[k].open_levels[level];
      plan.statistics[of.statistics[k]].open_levels = open;
    }
    const auto found = check::FindChange(of.statement, *facts, of.claim);
    if (!found) return checked;
    for (std::size_t k = 0; k < of.statistics.size(); ++k)
      if (!Raise(plan.statistics[of.statistics[k]], found->numbers[k])) return checked;
    for (std::size_t cell = 0; cell < plan.charged.size(); ++cell)
      plan.charged[cell] = plan.charged[cell] || found->charged[cell];
    if (found->rows < check::kUnlimited)
      plan.unit_rows = std::max(plan.unit_rows, static_cast<std::int64_t>(found->rows));
  }
  return CheckPlan(std::move(plan), policy);
}

}  // namespace kith
