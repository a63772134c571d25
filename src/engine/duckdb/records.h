// A one-sided release inside DuckDB: rows that are not sensitive, a coin for each, sorted, into one file.
#pragma once
#include <cstdint>
#include <string>

#include "engine/duckdb/duckdb_session.h"
#include "engine/engine.h"

namespace kith {

/// The statement whose rows are written.
std::string RecordsSql(const RecordCopy& copy);

/// Writes them; returns how many.
Result<std::int64_t> CopyRecords(const DuckDbConnection& connection, const RecordCopy& copy, const std::string& file,
                                 const CancelFlag& cancel);

}  // namespace kith
