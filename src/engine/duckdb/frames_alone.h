// Policies about frames in memory whose questions need no database, for as long as that is so.
#pragma once
#include <functional>
#include <memory>

#include "engine/engine.h"

namespace kith {

/// Opens a database with the policy's tables.
using OpenNow = std::function<Result<std::unique_ptr<Session>>(const Policy&, const EngineOptions&, const Call&)>;

/// A session that opens the database when a statement is not a program over frames (framed.h). Null if one is needed at
/// once: tables that are not frames, units with keys, promises to check, records to copy. Fails: as OpenSession, where
/// columns are missing or cannot be read as declared.
Result<std::unique_ptr<Session>> OpenFramesAlone(const Policy& policy, const EngineOptions& options, OpenNow open);

}  // namespace kith
