// How DuckDB is fenced in: no network, no extensions, no files but the declared ones, no way to change that.
#pragma once
#include <string>
#include <vector>

#include "engine/duckdb/duckdb_session.h"
#include "engine/engine.h"

namespace kith {

/// Settings for opening DuckDB. `spill_folder` may be empty: then nothing is written to disk.
DuckDb::Settings LockedSettings(const EngineOptions& options, const std::string& spill_folder);

/// The last step before data are used: from here on the instance reaches `files`, what is already attached, and its
/// spill folder.
/// Ensures [ENGINE-3]: no later SQL can open another file, load an extension, or change a setting.
Result<void> LockDown(const DuckDbConnection& connection, const std::vector<std::string>& files,
                      const CancelFlag& cancel);

}  // namespace kith
