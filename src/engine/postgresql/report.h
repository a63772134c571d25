// The curator's report about tables of a PostgreSQL server (engine/data_report.h).
#pragma once
#include "engine/data_report.h"
#include "engine/postgresql/connection.h"
#include "engine/postgresql/tables.h"

namespace kith {

/// Requires: a transaction that has locked the tables. Checks no promise.
/// Fails: kStorage, kCancelled.
Result<DataReport> ReportTables(PgConnection& connection, const Policy& policy, const std::vector<PgTable>& tables,
                                const CancelFlag& cancel);

}  // namespace kith
