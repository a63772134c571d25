// How many rows the units of a table have: checked once for each state of the data, so that questions need not sort
// rows out repeatedly where there is nothing to sort out.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "engine/duckdb/duckdb_session.h"
#include "engine/duckdb/folder.h"
#include "engine/duckdb/kept_index.h"
#include "engine/duckdb/tables.h"
#include "policy/policy.h"
#include "sql/statement.h"

namespace kith {

/// How much is checked in one go.
struct LookSizes {
  std::int64_t rows = 6'000'000;    // keys: a hash table of this many takes some 400 MB
  std::int64_t hashes = 3'000'000;  // hashes of strings, which are also kept until all are counted
  std::int64_t sorted = 4'000'000;  // rows of units that have too many, with whole numbers for keys
  std::int64_t windowed = 500'000;  // the same with other keys
};

struct KnownRows {
  sql::UnitRows rows;
  std::shared_ptr<const KeptIndex> index = {};  // for the view rows.kept, which is not there yet (ShowKept)
};

/// What is known about the unit's table in the state that `tables` are in, from a scan of it or from an earlier scan of
/// the same state: that no unit has too many rows, or which rows are kept. Nothing where units have no key, where
/// constant columns differ within a unit, where rows have no distinct places, for streams whose units have too many
/// rows, or if the scan fails: then questions sort rows out themselves. Fails: kCancelled; kStorage if a file changed
/// in the meantime. Ensures [ENGINE-9]: what it says is true of every row that the views of `tables` have, as long as
/// CheckUnchanged holds for them; the rows in the index are those that any question would sort out itself, up to rows
/// that are the same in all columns.
Result<KnownRows> LookAtUnitRows(const DuckDbConnection& connection, const Policy& policy,
                                 const std::vector<OpenedTable>& tables, const KithFolder& folder,
                                 const CancelFlag& cancel, const LookSizes& sizes = {});

/// All tables as one string that changes as soon as the state of one of them does.
std::string StateOf(const std::vector<OpenedTable>& tables);

}  // namespace kith
