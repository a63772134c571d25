// Accounts of true records after some charges: kept next to plain loss, never mixed with it.
#pragma once
#include <string_view>
#include <vector>

#include "ledger/chain.h"
#include "ledger/ledger.h"

namespace kith::ledger {

class OneSidedTotals {
 public:
  /// False if the posting exceeds every limit; then nothing changes. Requires: posting.one_sided().
  bool Add(const Posting& posting);
  std::int64_t Of(std::string_view name) const;
  const std::vector<OneSidedAccount>& accounts() const { return accounts_; }

 private:
  std::vector<OneSidedAccount> accounts_;
};

}  // namespace kith::ledger
