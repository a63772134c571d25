// The policy's tables in a database that is locked down: what a session and the curator's report begin with.
#pragma once
#include <memory>
#include <vector>

#include "engine/duckdb/duckdb_session.h"
#include "engine/duckdb/folder.h"
#include "engine/duckdb/tables.h"

namespace kith {

/// No promise is checked yet.
struct LockedTables {
  std::unique_ptr<SpillFolder> spill;  // outlives the database, and that the connection
  DuckDb database;
  DuckDbConnection connection;
  std::vector<OpenedTable> tables;  // with a view for each
};

/// Fails: as OpenSession, except for promises.
Result<LockedTables> OpenLocked(const Policy& policy, const KithFolder& folder, const EngineOptions& options,
                                const Call& call);

/// Makes a session of them once everything that the policy promises has been checked, as OpenSession does.
/// Requires: what was given to OpenLocked.
Result<std::unique_ptr<Session>> CheckedSession(LockedTables locked, const Policy& policy, const KithFolder& folder,
                                                const EngineOptions& options, const Call& call);

}  // namespace kith
