// What `kith import` would find, without importing: for the curator, before the first question.
#pragma once
#include "engine/data_report.h"
#include "engine/engine.h"

namespace kith {

/// Hands over what is found in the tables of a policy, and checks its promises about public facts. Charges nothing,
/// opens no ledger, and leaves nothing behind: snapshots are made in a private folder among the system's temporary
/// files, and removed. Units are not compared with those of an earlier import.
/// Fails: as ImportTables and OpenSession; kStorage.
Result<void> LookAtData(const Policy& policy, const EngineOptions& options, const Call& call,
                        const DataReportSink& report);

}  // namespace kith
