#include "engine/duckdb/records.h"

#include <fmt/format.h>

#include "engine/duckdb/duckdb_state.h"

namespace kith {

// Sorted by content, rows reveal nothing about where they were: neighbours in a table that is sorted by person or time
// would otherwise reveal columns that are not released.
std::string RecordsSql(const RecordCopy& copy) {
  return fmt::format("SELECT * FROM ({}) AS o WHERE kith_coin({}){}", sql::DuckDb().Write(copy.select),
                     copy.epsilon.count(), copy.sorted ? " ORDER BY ALL" : "");
}

Result<std::int64_t> CopyRecords(const DuckDbConnection& connection, const RecordCopy& copy, const std::string& file,
                                 const CancelFlag& cancel) {
  const std::string format = copy.parquet ? "FORMAT parquet, COMPRESSION snappy" : "FORMAT csv, HEADER true";
  const std::string sql = fmt::format("COPY ({}) TO {} ({})", RecordsSql(copy), QuotedText(file), format);
  if (cancel.cancelled()) return Cancelled("stopped before the engine had begun");
  const Interrupter interrupter(connection.state().connection, cancel);
  OwnedResult result;
  if (duckdb_query(connection.state().connection, sql.c_str(), result.out()) != DuckDBSuccess)
    return FromDuckDb(duckdb_result_error(result.out()));
  return static_cast<std::int64_t>(duckdb_rows_changed(result.out()));
}

}  // namespace kith
