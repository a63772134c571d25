// Tables behind a Trino server. Those in Iceberg are read as of one snapshot for each answer.
#pragma once
#include <memory>

#include "engine/data_report.h"
#include "engine/engine.h"

namespace kith {

std::shared_ptr<const Engine> TrinoEngine();

/// What an import finds in the tables, only for the curator; `call.notice` is told which of them have no snapshots.
/// Checks no promise. Fails: as OpenSession.
Result<DataReport> ReportTrino(const Policy& policy, const Call& call);

/// Compares the unit's table with what it was at the import `before` (empty: there was none), by its snapshots, and
/// remembers the present one as that of `import`. Where they cannot be compared, `call.notice` says so.
/// Fails: as CheckMovedUnits and OpenSession.
Result<void> CheckMovesOnTrino(const Policy& policy, const std::string& import, const std::string& before,
                               const Call& call);

/// What the server says about the only table of a policy that may have no part other than [data]. Fails: as
/// OpenSession.
Result<FileSketch> SketchTrino(const Policy& data, const Call& call);

}  // namespace kith
