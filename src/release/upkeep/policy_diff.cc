#include "release/upkeep/policy_diff.h"

#include <fmt/format.h>

#include "release/curator_state.h"
#include "release/guarantee.h"
#include "release/release.h"

namespace kith {
namespace {

// What the ledger of the one says about the declaration of the other.
Result<std::string> AlarmAfter(const Curator& before, const Policy& after) {
  const Policy& policy = before.policy();
  const auto exists = Ledger::Exists(policy.ledger);
  if (!exists) return exists.error();
  if (!*exists) return std::string();
  constexpr bool kCreate = false;
  LedgerOptions looking;
  looking.read_only = true;
  const auto book = Ledger::Open(policy.ledger, BindingOf(policy, before.account().version()), kCreate, looking);
  if (!book) return book.error();
  const auto totals = book->Totals();
  if (!totals) return totals.error();
  return AlarmUnder(totals->alarms, after.dependence);
}

/// The old policy is not the one that the ledger was last used under: the ledger itself judges the new one.
void AskLedger(const std::filesystem::path& after, std::int64_t last, const Call& call, PolicyDiff* diff) {
  const auto curator = Curator::Open(after, EngineOptions{}, call);
  const auto judged = curator ? curator->Budget() : Result<BudgetReport>(curator.error());
  diff->accepted = judged.has_value();
  if (!judged) {
    diff->reason = judged.error().what + "; " + judged.error().next;
    return;
  }
  diff->generation = judged->guarantee.generation;
  diff->reason =
      *diff->generation == last
          ? "the ledger was last used under the new policy already"
          : fmt::format("compared with the policy that the ledger was last used under (generation {}), not the old one",
                        last);
}

}  // namespace

Result<PolicyDiff> DiffPolicies(const std::filesystem::path& before, const std::filesystem::path& after,
                                const Call& call) {
  const auto now = Policy::Load(after);
  if (!now) return now.error();
  const auto curator = Curator::Open(before, EngineOptions{}, call);
  if (!curator) return curator.error();
  const auto budget = curator->Budget();
  if (!budget) return budget.error();
  std::vector<ReleasedAttribute> released;
  for (const auto& line : budget->one_sided) {
    if (line.account.spent.count() > 0) released.push_back({line.account.name, line.account.rules});
  }
  auto growth = CompareGenerations(DescribePolicy(curator->policy()), DescribePolicy(*now), released);
  if (!growth) return growth.error();
  PolicyDiff diff{before.string(), after.string(), std::move(*growth), {}, std::nullopt, true, false, {}};
  auto alarm = AlarmAfter(*curator, *now);
  if (!alarm) return alarm.error();
  diff.alarm = std::move(*alarm);
  for (const CellColumn& column : now->cells.columns()) diff.columns.push_back(column.name);
  if (now->ledger != curator->policy().ledger) {
    diff.accepted = false;
    diff.reason = fmt::format("the new policy names another ledger, '{}', which does not know what was spent",
                              now->ledger.filename().string());
    return diff;
  }
  if (budget->history.empty()) {
    diff.reason = "nothing was asked yet: before the first answer everything may change";
    return diff;
  }
  if (diff.growth.changes.empty()) {
    diff.generation = budget->guarantee.generation;
    return diff;
  }
  // The old policy need not be the one that the ledger was last used under: it would then be a generation itself.
  const std::int64_t last =
      budget->generations.empty() ? budget->guarantee.generation : budget->generations.back().number;
  diff.generation = last + 1;
  const auto accepted = AcceptGrowth(diff.growth, *diff.generation, now->dependence.reviewed);
  diff.accepted = accepted.has_value();
  diff.reviewed = now->dependence.reviewed == *diff.generation;
  if (!accepted) diff.reason = accepted.error().what + "; " + accepted.error().next;
  if (budget->guarantee.generation != last) AskLedger(after, last, call, &diff);
  return diff;
}

}  // namespace kith
