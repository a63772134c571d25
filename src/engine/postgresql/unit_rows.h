// How many rows the units of a table have, checked in the transaction that answers, so that a question need not sort
// rows out where there is nothing to sort out.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "engine/duckdb/folder.h"
#include "engine/look_at_units.h"
#include "engine/postgresql/connection.h"
#include "engine/postgresql/tables.h"
#include "policy/policy.h"
#include "sql/statement.h"

namespace kith {

/// What is known about the unit's table in this transaction: by a unique index on the key, from a scan of it, or from
/// an earlier scan of the same state (`state`; nothing: states cannot be distinguished). Nothing where units have no
/// key.
/// Fails: kCancelled, kStorage. Ensures [ENGINE-11]: what it says is true of every row that the transaction sees.
Result<sql::UnitRows> LookAtUnitRows(PgConnection& connection, const Policy& policy, const std::vector<PgTable>& tables,
                                     const std::optional<std::string>& state, const KithFolder& folder,
                                     const CancelFlag& cancel);

/// How the server is asked in this transaction. What it is made of must outlive it.
Asking AskingOf(PgConnection& connection, const Policy& policy, const std::vector<PgTable>& tables,
                const CancelFlag& cancel);

/// The unit's table among them.
const PgTable& UnitTable(const Policy& policy, const std::vector<PgTable>& tables);

}  // namespace kith
