// The curator's report about all tables of a policy (engine/data_report.h), by a few aggregates over each.
#pragma once
#include <optional>
#include <vector>

#include "engine/data_report.h"
#include "engine/duckdb/folder.h"
#include "engine/duckdb/snapshot.h"
#include "engine/engine.h"

namespace kith {

/// `made`: for each table of the policy, what its import lost; nothing for tables that are read in place.
/// `options.import` names the snapshots. Checks no promise. Fails: as OpenSession, except for promises.
Result<DataReport> ReportTables(const Policy& policy, const KithFolder& folder, const EngineOptions& options,
                                const std::vector<std::optional<MadeSnapshot>>& made, const Call& call);

/// For each shown column: may its values be quoted? Those of keys, which name people, may not.
std::vector<bool> MayBeQuoted(const Table& table, const Policy& policy, const std::vector<ShownColumn>& columns);

}  // namespace kith
