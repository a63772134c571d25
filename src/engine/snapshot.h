// Typed snapshots of CSV files: imported once, then opened read-only by every process.
#pragma once
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/result.h"
#include "engine/duckdb_session.h"
#include "engine/folder.h"
#include "engine/source.h"

namespace kith {

/// The file of a snapshot: table `data` with the shown columns, and table `meta` with one row about where it comes
/// from.
struct Snapshot {
  std::string path;
};

/// What `meta` says.
struct SnapshotMeta {
  std::string content_digest;  // of the CSV file's bytes
};

/// The snapshot of the CSV file as it is now; imports it if there is none. The file name holds digests of the CSV's
/// path, of its identity, and of the shown columns with the import rules. Written under another name, synced, then
/// renamed: a crash leaves no half snapshot in use, and of two importers one does the work.
/// Fails: kInvalidArgument (header), kStorage, kCancelled.
Result<Snapshot> EnsureSnapshot(const Source& source, const std::string& table, const std::vector<ShownColumn>& columns,
                                const KithFolder& folder, const EngineOptions& options, const CancelFlag& cancel);

/// Attaches it read-only under `alias`. Fails: kStorage if it is damaged, gone or of another version.
Result<SnapshotMeta> AttachSnapshot(const DuckDbConnection& connection, const Snapshot& snapshot,
                                    const std::string& alias, const CancelFlag& cancel);

}  // namespace kith
