#include "ledger/one_sided.h"

#include <algorithm>

namespace kith::ledger {

bool OneSidedTotals::Add(const Posting& posting) {
  const std::string_view name = std::string_view(posting.account).substr(kOneSided.size());
  const std::int64_t before = Of(name);
  if (before > PlainUnits::kMax - posting.amount) return false;
  auto found = std::find_if(accounts_.begin(), accounts_.end(),
                            [&](const OneSidedAccount& account) { return account.name == name; });
  if (found == accounts_.end()) found = accounts_.insert(found, {std::string(name), PlainUnits(), {}});
  found->spent = PlainUnits::Of(before + posting.amount);
  if (std::find(found->rules.begin(), found->rules.end(), posting.rule) == found->rules.end())
    found->rules.push_back(posting.rule);
  return true;
}

std::int64_t OneSidedTotals::Of(std::string_view name) const {
  for (const OneSidedAccount& other : accounts_) {
    if (other.name == name) return other.spent.count();
  }
  return 0;
}

}  // namespace kith::ledger
