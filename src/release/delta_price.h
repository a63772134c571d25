// Prices under a policy with a delta: a question stays at its pure value as long as that is the better bargain and no
// caps are fixed; from then on everything is counted as Gaussian loss, with normal noise where there is a law for it.
// Claims: claims/caps.md
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/result.h"
#include "kernel/cost.h"
#include "query/joint_moves.h"
#include "release/curator_state.h"
#include "release/pipeline.h"

namespace kith {

/// The square of the Gaussian loss of a release, rounded up (LossKind::kMu): that of its normal noise, otherwise the
/// smallest that dominates its pure charges, convolved, or their sum. Ensures [CAP-3]: what the release tells is this
/// much Gaussian. [ROW-2]: where a unit may have only k of its n rows in what is charged, k/n of the root.
/// Fails: kBudgetExhausted beyond what can be counted.
Result<std::int64_t> MuSquaredOf(const Release& release, const Policy& policy);

/// The smallest cap of the charged cells. Requires: as many cells.
std::int64_t SmallestCap(const LedgerCaps& caps, const std::vector<bool>& charged);

/// The same for the deltas that are kept for keys that nobody declared.
std::int64_t SmallestDeltaCap(const LedgerCaps& caps, const std::vector<bool>& charged);

/// What a charge by caps counts as for an allowance: the same part of the plain budget as of the cap, rounded up.
PlainUnits UsedOfBudget(std::int64_t mu, std::int64_t cap, PlainUnits budget);

/// The existing caps, and those that would be fixed now in place of missing ones. Fails: as
/// Accountant::CapsAfter.
Result<LedgerCaps> CapsOf(const Accountant& account, const Totals& totals);

/// Totals as they would be once a release is charged at its pure value, with its delta if it has one.
Totals AfterBeside(Totals totals, const Release& release, const Accountant& account);

/// Totals as they would be once a release is charged by caps.
Totals AfterByCaps(Totals totals, const Release& release, std::int64_t mu, const LedgerCaps& caps);

/// A release at its price. `make` makes it with the plain budgets of an account. Decided only by question, policy,
/// price and ledger. Fails: as `make`.
using MakeWith = std::function<Result<std::unique_ptr<Release>>(const Accountant&)>;
Result<std::unique_ptr<Release>> PriceWithDelta(const CuratorState& state, const Price& price, const MakeWith& make);

}  // namespace kith
