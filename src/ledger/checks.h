// What a ledger refuses before it writes anything.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "ledger/cells.h"
#include "ledger/chain.h"
#include "ledger/ledger.h"
#include "ledger/view.h"

namespace kith::ledger {

/// Fails: kInvalidArgument if there are no cells or too many.
Result<void> CheckBinding(const LedgerBinding& binding);

/// Fails: kInvalidArgument if the ledger was created for another identity or other cells.
Result<void> CheckOwner(const Birth& birth, const LedgerBinding& binding, const std::filesystem::path& file);

/// The cells of a request, ascending. Fails: kInvalidArgument if one is named twice or does not exist, or a limit is
/// missing.
Result<CellSet> ChargedCells(const ChargeRequest& request, std::size_t cell_count);

/// Fails: kInvalidArgument if a step is given and the ledger is not a stream's, or the reverse, or it is not a
/// step.
Result<void> CheckStep(const std::optional<StreamStep>& step, bool stream);

/// Fails: kInvalidArgument if a version or the name of an import is too long or has characters that cannot be shown.
Result<void> CheckData(const std::string& label, const std::string& import);
/// The same for the name of the caller.
Result<void> CheckCaller(const std::string& caller);

/// Fails: kBudgetExhausted if a total would exceed its limit, whether this charge touches that cell or not: what
/// depends on an exhausted cell may not be charged either.
Result<void> CheckLimits(const std::vector<std::int64_t>& before, const std::vector<std::int64_t>& after,
                         const std::vector<PlainUnits>& limits, const std::vector<std::string>& names,
                         bool of_presence = false);

/// The same for totals of persons, of presence where the request limits that, and of households, always of any change.
/// Fails: kBudgetExhausted, with the parameter "account.household" if it is a household's loss that would exceed its
/// limit.
Result<void> CheckNested(const View& before, const View& after, const ChargeRequest& request,
                         const std::vector<std::string>& names);
/// Fails: kInvalidArgument if a charge about households is not for all cells or none and for any change, or belongs to
/// a stream or a one-sided release.
Result<void> CheckLevel(const ChargeRequest& request, std::size_t cell_count);
/// Fails: kInvalidArgument if parts are not a partition of the charged cells, the one that pays most paying the units,
/// or if they do not belong there.
Result<void> CheckParts(const ChargeRequest& request, const CellSet& cells);
/// Fails: kInvalidArgument if an amount of presence is more than that of any change, or less than half of it, or out of
/// place, or the limits of a stream are about presence.
Result<void> CheckPresence(const ChargeRequest& request);
/// A charge by Gaussian loss is about persons and any change, and says what caps may be.
Result<void> CheckGaussian(const ChargeRequest& request, bool stream);
/// A charge at its pure value with a delta is about persons, and says what caps of deltas may be.
Result<void> CheckBeside(const ChargeRequest& request, bool stream);
/// Whether no sum exceeds a cap, and no cap what is allowed. `allowed`: as GaussianCharge::caps says.
Result<void> CheckCaps(const LedgerGaussian& before, const LedgerCaps& allowed, const ChargeRequest& request,
                       const std::vector<std::string>& names);
/// The same for deltas only. `allowed`: as DeltaCharge::caps says.
Result<void> CheckDeltaCaps(const LedgerGaussian& before, const std::vector<std::int64_t>& allowed,
                            const ChargeRequest& request, const std::vector<std::string>& names);

/// Fails: kInvalidArgument if a one-sided part charges nothing or names no account, or the ledger is a stream's.
Result<void> CheckOneSided(const ChargeRequest& request, bool stream);
/// Fails: kBudgetExhausted, with the parameter "account.one_sided", if the account's total would exceed its limit.
Result<void> CheckOneSidedLimit(const View& before, const OneSidedCharge& charge);

/// What a charge uses of its caller's allowance. It is one number, not one for each cell, so that neither a change of
/// the policy nor a replacement of the data can make it smaller: the most that any charged cell pays, as any change of
/// a record, and the one-sided part. Limited to PlainUnits::kMax + 1, which no allowance reaches.
std::int64_t UsedOf(const ChargeRequest& request);
/// Fails: kInvalidArgument if somebody without a name has an allowance.
Result<void> CheckAllowance(const ChargeRequest& request);
/// Ensures [ALLOWANCE-1], within one transaction. Fails: kBudgetExhausted.
Result<void> CheckAllowanceLimit(const View& before, const ChargeRequest& request);

}  // namespace kith::ledger
