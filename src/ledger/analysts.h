// What analysts have used of their allowances after some charges, next to the totals of cells, which count everybody.
#pragma once
#include <string_view>
#include <vector>

#include "ledger/chain.h"
#include "ledger/ledger.h"

namespace kith::ledger {

class AnalystTotals {
 public:
  /// False if the posting exceeds every limit; then nothing changes. Requires: posting.analyst().
  bool Add(const Posting& posting);
  std::int64_t Of(std::string_view name) const;
  const std::vector<AnalystAccount>& accounts() const { return accounts_; }

 private:
  std::vector<AnalystAccount> accounts_;
};

/// What a charge uses of its caller's allowance. It is one number, not one for each cell, so that neither a change of
/// the policy nor a replacement of the data can make it smaller: the most that any charged cell pays, as any change of
/// a record, and the one-sided part. Limited to PlainUnits::kMax + 1, which no allowance reaches.
std::int64_t UsedOf(const ChargeRequest& request);
/// Fails: kInvalidArgument if somebody without a name has an allowance.
Result<void> CheckAllowance(const ChargeRequest& request);
/// Ensures [ALLOWANCE-1], within one transaction. Fails: kBudgetExhausted.
Result<void> CheckAllowanceLimit(const AnalystTotals& before, const ChargeRequest& request);

}  // namespace kith::ledger
