// How many rows the units of a table have: looked at once for each state of the data, so that questions need not sort
// rows out again and again where there is nothing to sort out.
#pragma once
#include <string>
#include <vector>

#include "engine/duckdb/duckdb_session.h"
#include "engine/duckdb/folder.h"
#include "engine/duckdb/tables.h"
#include "policy/policy.h"
#include "sql/statement.h"

namespace kith {

/// What is known of the unit's table in the state that `tables` are in, from a look at it or from an earlier look at
/// the same state. Nothing where units have no key, where the rows differ from what would have to be known, or if the
/// look fails: then questions sort out themselves. Fails: kCancelled; kStorage if a file changed meanwhile. Ensures
/// [ENGINE-9]: what it says is true of every row that the views of `tables` have, as long as CheckUnchanged holds for
/// them.
Result<sql::UnitRows> LookAtUnitRows(const DuckDbConnection& connection, const Policy& policy,
                                     const std::vector<OpenedTable>& tables, const KithFolder& folder,
                                     const CancelFlag& cancel);

/// All tables as one text that is another one as soon as the state of one of them is.
std::string StateOf(const std::vector<OpenedTable>& tables);

}  // namespace kith
