// What programs over vector registers may be about (engine/memory), and those that read frames.
#pragma once
#include <optional>
#include <vector>

#include "engine/duckdb/tables.h"
#include "engine/memory/program.h"
#include "engine/session.h"

namespace kith {

/// One for each table. For a frame, the columns that are shown as they are stored, or widened.
std::vector<FramedTable> FramedTables(const Policy& policy, const EngineOptions& options,
                                      const std::vector<OpenedTable>& tables);

/// The statement as a program over the rows of a frame. Nothing: it is not one. Ensures [ENGINE-18].
std::optional<Result<IntegerTable>> RunInFrames(const sql::Statement& statement, const sql::UnitRows& known,
                                                const std::vector<FramedTable>& tables, int threads,
                                                const CancelFlag& cancel);

/// How many may run at once: at least one.
int ThreadsOf(const EngineOptions& options);

}  // namespace kith
