// Tables behind a Trino server. Those in Iceberg are read as of one snapshot for each answer.
#pragma once
#include <memory>

#include "engine/data_report.h"
#include "engine/engine.h"

namespace kith {

std::shared_ptr<const Engine> TrinoEngine();

/// What an import finds in the tables, for the curator alone; `call.notice` hears which of them have no snapshots.
/// Checks no promise. Fails: as OpenSession.
Result<DataReport> ReportTrino(const Policy& policy, const Call& call);

}  // namespace kith
