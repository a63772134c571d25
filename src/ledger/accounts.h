// Accounts by name beside the totals of cells: of true records, by attribute, which are never mixed with plain loss;
// and of what analysts have used of their allowances. Exact, and in the order of first charges.
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "loss/loss.h"

namespace kith::ledger {

/// `Account` has a name and what was spent.
template <class Account>
class Accounts {
 public:
  /// The account after it was charged. Nullptr if that would be beyond every limit; then nothing changes.
  Account* Charge(std::string_view name, std::int64_t amount) {
    const std::int64_t before = Of(name);
    if (before > PlainUnits::kMax - amount) return nullptr;
    auto found = std::find_if(all_.begin(), all_.end(), [&](const Account& account) { return account.name == name; });
    if (found == all_.end()) found = all_.insert(found, Account{.name = std::string(name)});
    found->spent = PlainUnits::Of(before + amount);
    return &*found;
  }
  std::int64_t Of(std::string_view name) const {
    for (const Account& account : all_) {
      if (account.name == name) return account.spent.count();
    }
    return 0;
  }
  const std::vector<Account>& all() const { return all_; }

 private:
  std::vector<Account> all_;
};

}  // namespace kith::ledger
