// Typed snapshots of CSV files: made by an import under its id, then opened read-only by every process.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/result.h"
#include "engine/duckdb/duckdb_session.h"
#include "engine/duckdb/folder.h"
#include "engine/duckdb/source.h"
#include "engine/duckdb/spellings.h"

namespace kith {

/// What a snapshot says about itself. Its file has a table `data` with the shown columns, and a table `meta` with this.
struct SnapshotMeta {
  std::string content_digest;  // of the CSV file's bytes: only for the next import, which informs the curator
};

/// A snapshot just made, and what was lost on the way: only for the curator.
struct MadeSnapshot : SnapshotMeta {
  std::optional<std::string> content_before;  // the digest in the snapshot `before`, if it could be read
  std::int64_t dropped = 0;                   // lines that are not rows
  std::vector<std::int64_t> dropped_at;       // the numbers of the first of them
  std::vector<std::int64_t> unreadable;       // of each column: values that are not of its type
  std::vector<Spellings> unreadable_as;       // of each column
};

/// Where the snapshot of a table is: .kith/<table>.<digest of its name>-<import>.duckdb. Nothing in the name follows
/// from the file.
std::filesystem::path SnapshotPath(const KithFolder& folder, const std::string& table, const std::string& import);

/// The import that a file name of the kind above belongs to; empty if it is not such a name.
std::string ImportOf(const std::string& file_name);

/// Was it the name of a snapshot in versions of kith that named them after the file's state?
bool IsOutdatedName(const std::string& file_name);

/// Imports the CSV file as it is now. Written under another name, synced, then renamed: a crash leaves no half-written
/// snapshot under its name. Requires: the import lock. `before`: the import before this one, or empty. `spelled`:
/// columns whose unreadable values are reported by spelling, which takes another pass where there are any. Fails:
/// kInvalidArgument (header), kStorage, kCancelled.
Result<MadeSnapshot> MakeSnapshot(const Source& source, const std::string& table,
                                  const std::vector<ShownColumn>& columns, const std::string& import,
                                  const std::string& before, const KithFolder& folder, const EngineOptions& options,
                                  const Call& call, const std::vector<bool>& spelled = {});

/// Attaches a file read-only under `alias`, if it is a snapshot of these columns by this version's rules.
/// Fails: kStorage if it is not, or is damaged or gone: kith import makes one. The error does not say where: names of
/// snapshots are not disclosed.
Result<SnapshotMeta> AttachSnapshot(const DuckDbConnection& connection, const std::filesystem::path& path,
                                    const std::vector<ShownColumn>& columns, const std::string& alias,
                                    const CancelFlag& cancel);

}  // namespace kith
