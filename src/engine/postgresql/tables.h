// Shows the policy's tables to PostgreSQL: looks them up in the catalog, refuses what cannot be read safely, and writes
// the prefix of a statement by which it finds them under the policy's names.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "engine/postgresql/connection.h"
#include "engine/postgresql/reading.h"
#include "engine/promises.h"
#include "policy/policy.h"

namespace kith {

struct PgReadColumn {
  PgColumn column;
  PgReading reading;
};

struct PgTable {
  std::string name;                // in the policy
  std::string from;                // after FROM: "schema"."table", and exactly those of its parts that are there now
  std::string partitioned;         // "schema"."table", if it has partitions; otherwise empty
  std::vector<std::string> parts;  // numbers in the catalog: its own, and those of all its parts
  std::vector<PgReadColumn> columns;
};

/// "schema.table"; a bare name is a table of the schema public. Fails: kInvalidArgument.
Result<std::string> QuotedTable(const Table& table);

/// Refuses by name what is there and cannot be locked, before anything tries. Fails: kInvalidArgument, kStorage.
Result<void> CheckKinds(PgConnection& connection, const Policy& policy, const CancelFlag& cancel);

/// Looks the policy's tables up. Requires: a transaction that has locked them.
/// Fails: kInvalidArgument (what is missing, or cannot be read: by name), kStorage, kCancelled.
Result<std::vector<PgTable>> OpenTables(PgConnection& connection, const Policy& policy, const CancelFlag& cancel);

/// Names and types of a table's columns, only from the catalog: no row is read. `table`: one of the policy's.
/// Fails: kInvalidArgument (a table that cannot be used), kStorage, kCancelled.
Result<FileSketch> SketchTable(PgConnection& connection, const Policy& policy, const Table& table,
                               const CancelFlag& cancel);

inline bool IsPartitioned(const PgTable& table) { return !table.partitioned.empty(); }

/// Which parts of a partitioned table a statement reads: those that were there when the table was opened, which takes a
/// test of every row; or those that are there when it runs.
enum class Parts { kThose, kAny };

/// True if the partitioned tables have exactly the parts with which they were opened: then every statement that the
/// transaction has run before read these and no others. Fails: kStorage, kCancelled.
Result<bool> HasTheSameParts(PgConnection& connection, const std::vector<PgTable>& tables, const CancelFlag& cancel);

/// The statement over the tables by their names in the policy: "WITH ... (statement)". Requires: no name in its own
/// WITH is a table's.
std::string Over(const std::vector<PgTable>& tables, const std::string& sql, Parts parts = Parts::kThose);

/// The least and greatest value of a column of the unit's table.
Ends EndsOf(const PgTable& table);

}  // namespace kith
