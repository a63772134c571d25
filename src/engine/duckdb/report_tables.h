// The curator's report about all tables of a policy (engine/data_report.h), by a few aggregates over each.
#pragma once
#include <optional>
#include <vector>

#include "engine/data_report.h"
#include "engine/duckdb/locked_tables.h"
#include "engine/duckdb/snapshot.h"

namespace kith {

/// `made`: for each table of the policy, what its import lost; nothing for tables that are read in place.
/// Leaves nothing behind in the database. Fails: kStorage, kCancelled.
Result<DataReport> ReportTables(const Policy& policy, const LockedTables& locked,
                                const std::vector<std::optional<MadeSnapshot>>& made, const CancelFlag& cancel);

/// For each shown column: may its values be quoted? Those of keys, which name people, may not.
std::vector<bool> MayBeQuoted(const Table& table, const Policy& policy, const std::vector<ShownColumn>& columns);

}  // namespace kith
