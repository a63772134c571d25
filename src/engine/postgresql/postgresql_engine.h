// Tables of a PostgreSQL server, each answer in a separate transaction.
#pragma once
#include <memory>

#include "engine/data_report.h"
#include "engine/engine.h"

namespace kith {

/// Keeps some idle connections for its next sessions.
std::shared_ptr<const Engine> PostgreSqlEngine();

/// What an import finds in the tables, only for the curator. Checks no promise. Fails: as OpenSession.
Result<DataReport> ReportPostgreSql(const Policy& policy, const Call& call);

/// What the catalog says about the only table of a policy that may have no part other than [data]. Fails: as
/// OpenSession.
Result<FileSketch> SketchPostgreSql(const Policy& data, const Call& call);

}  // namespace kith
