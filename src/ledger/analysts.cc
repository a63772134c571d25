#include "ledger/analysts.h"

#include <fmt/format.h>

#include <algorithm>

#include "loss/loss_text.h"

namespace kith::ledger {

bool AnalystTotals::Add(const Posting& posting) {
  const std::string_view name = std::string_view(posting.account).substr(kAnalyst.size());
  const std::int64_t before = Of(name);
  if (before > PlainUnits::kMax - posting.amount) return false;
  auto found = std::find_if(accounts_.begin(), accounts_.end(),
                            [&](const AnalystAccount& account) { return account.name == name; });
  if (found == accounts_.end()) found = accounts_.insert(found, {std::string(name), PlainUnits()});
  found->spent = PlainUnits::Of(before + posting.amount);
  return true;
}

std::int64_t AnalystTotals::Of(std::string_view name) const {
  for (const AnalystAccount& other : accounts_) {
    if (other.name == name) return other.spent.count();
  }
  return 0;
}

std::int64_t UsedOf(const ChargeRequest& request) {
  const PlainUnits units = request.gaussian ? request.gaussian->used : request.units;
  std::int64_t used = request.cells.empty() ? 0 : units.count();
  if (request.one_sided) used += request.one_sided->units.count();  // each at most 2^52
  return std::min(used, PlainUnits::kMax + 1);
}

Result<void> CheckAllowance(const ChargeRequest& request) {
  if (!request.allowance || !request.caller.empty()) return {};
  return InvalidArgument("an allowance belongs to somebody with a name");
}

Result<void> CheckAllowanceLimit(const AnalystTotals& before, const ChargeRequest& request) {
  const std::int64_t used = UsedOf(request);
  if (!request.allowance || used == 0) return {};
  const std::int64_t spent = before.Of(request.caller), limit = request.allowance->count();
  if (used <= limit && spent <= limit - used) return {};
  const auto epsilon = [](std::int64_t units) {
    return static_cast<double>(units) / static_cast<double>(PlainUnits::kOne);
  };
  auto refusal = BudgetExhausted(
      fmt::format(
          "the allowance does not cover this charge: {} of plain loss was used, {} is allowed, this would add {}",
          LossText(epsilon(spent)), LeftText(epsilon(limit)), LossText(epsilon(used))),
      fmt::format("'{:.60}'", request.caller),
      spent < limit ? "ask for less, or ask a question that was answered before (free); nothing was charged"
                    : "ask a question that was answered before (free), or ask the curator for a larger allowance");
  return std::move(refusal).For("account.allowance");
}

}  // namespace kith::ledger
