// Shows the policy's tables to Trino: looks them up, refuses what cannot be read safely, finds the snapshot that an
// answer reads, and writes the prefix of a statement by which it finds them under the policy's names.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "engine/duckdb/folder.h"
#include "engine/trino/connection.h"
#include "policy/policy.h"

namespace kith::trino {

struct ReadTable {
  struct Part {
    std::string name;  // in the policy
    std::string sql;   // over the table's own columns
    std::string stored;
    std::string type;  // as the server calls it
  };
  std::string name;     // in the policy
  std::string from;     // "catalog"."schema"."table", with its snapshot if it has one
  bool pinned = false;  // it has a snapshot: what is read never changes
  std::vector<Part> columns;
};

/// Looks the policy's tables up, each as of its present snapshot if it has snapshots (Iceberg). What was found about a
/// snapshot, its columns and their types, is remembered in the folder: a snapshot does not change.
/// Fails: kInvalidArgument (what is missing, or cannot be read: by name), kStorage, kCancelled.
/// Ensures [ENGINE-13]: every statement over a table with snapshots sees the one that was found.
Result<std::vector<ReadTable>> OpenTables(Connection& connection, const Policy& policy, const KithFolder& folder,
                                          const CancelFlag& cancel);

/// A table as of a snapshot that was found before (ReadTable::from), with those of its declared columns that were
/// there. Fails: as OpenTables; kStorage also if the snapshot is gone.
Result<ReadTable> OpenAsOf(Connection& connection, const Policy& policy, const Table& table, const std::string& from,
                           const KithFolder& folder, const CancelFlag& cancel);

/// Names and types of a table's columns: no row is read. `table`: one of the policy's. Fails: as OpenTables.
Result<FileSketch> SketchTable(Connection& connection, const Policy& policy, const Table& table,
                               const CancelFlag& cancel);

/// Names the state that is read. Nothing: a table has no snapshot, so states cannot be distinguished.
std::optional<std::string> StateOf(const Policy& policy, const std::vector<ReadTable>& tables);

/// The statement over the tables by their names in the policy: "WITH ... statement". Requires: no name in its own WITH
/// is a table's.
std::string Over(const std::vector<ReadTable>& tables, const std::string& sql);

}  // namespace kith::trino
