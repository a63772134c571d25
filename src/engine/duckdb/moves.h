// Units that are in two imports: did they stay where they were?
#pragma once
#include <string>

#include "base/call.h"
#include "base/result.h"
#include "engine/duckdb/folder.h"
#include "engine/engine.h"

namespace kith {

/// Compares the unit table's snapshots of two imports. Rows are matched by the unit's key: without one, nothing is
/// compared. Where the previous one cannot be compared, `call.notice` says so.
/// Fails: kInvalidArgument if units in both have a different group or value in the column that picks the strength, or,
/// where the policy promises fixed public columns, a different value in one of them; kStorage,
/// kCancelled.
/// Requires: both imports passed the checks of public promises, so that these columns are the same in all rows of a
/// unit.
Result<void> CheckMoves(const Policy& policy, const KithFolder& folder, const std::string& import,
                        const std::string& before, const EngineOptions& options, const Call& call);

}  // namespace kith
