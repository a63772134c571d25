// Keys with their counts out of DuckDB, as KeyScan says. Only for .cc files of this folder.
#pragma once
#include <string>

#include "engine/duckdb/duckdb_session.h"
#include "engine/duckdb/library.h"
#include "engine/key_scan.h"

namespace kith {

/// A SELECT of strings and, last, a whole number; in chunks. Fails: as DuckDbConnection::Scan.
Result<void> ScanKeys(const DuckDbConnection& connection, const std::string& sql, const KeySink& sink,
                      const CancelFlag& cancel);

/// Hands on what a streaming query returns, chunk by chunk.
Result<void> StreamKeys(duckdb_result* result, const KeySink& sink, const CancelFlag& cancel);

}  // namespace kith
