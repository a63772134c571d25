// Makes Parquet and DuckDB files for the blind test, also with values that no SQL text can write. Reads lines:
//   open FILE            a new DuckDB file (or :memory:)
//   sql STATEMENT        run in it
//   raw TABLE V1 V2 ...  appends rows to a table: raw numbers (or NULL) for one row, of columns with 4 or 8 bytes each
#include <duckdb.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

namespace {

duckdb_database database = nullptr;
duckdb_connection connection = nullptr;

void Close() {
  if (connection != nullptr) duckdb_disconnect(&connection);
  if (database != nullptr) duckdb_close(&database);
}

bool Open(const std::string& file) {
  Close();
  return duckdb_open(file.c_str(), &database) == DuckDBSuccess &&
         duckdb_connect(database, &connection) == DuckDBSuccess;
}

bool Sql(const std::string& sql) {
  duckdb_result result;
  const bool done = duckdb_query(connection, sql.c_str(), &result) == DuckDBSuccess;
  if (!done) std::fprintf(stderr, "%s\n", duckdb_result_error(&result));
  duckdb_destroy_result(&result);
  return done;
}

bool Raw(const std::string& line) {
  std::istringstream words(line);
  std::string table, word;
  words >> table;
  std::vector<std::string> values;
  while (words >> word) values.push_back(word);
  duckdb_appender appender = nullptr;
  if (duckdb_appender_create(connection, nullptr, table.c_str(), &appender) != DuckDBSuccess) return false;
  std::vector<duckdb_logical_type> types;
  for (idx_t k = 0; k < duckdb_appender_column_count(appender); ++k)
    types.push_back(duckdb_appender_column_type(appender, k));
  if (types.size() != values.size()) return false;
  duckdb_data_chunk chunk = duckdb_create_data_chunk(types.data(), types.size());
  for (idx_t k = 0; k < types.size(); ++k) {
    duckdb_vector vector = duckdb_data_chunk_get_vector(chunk, k);
    if (values[k] == "NULL") {
      duckdb_vector_ensure_validity_writable(vector);
      duckdb_validity_set_row_invalid(duckdb_vector_get_validity(vector), 0);
      continue;
    }
    const std::int64_t value = std::stoll(values[k]);
    const auto type = duckdb_get_type_id(types[k]);
    const bool narrow = type == DUCKDB_TYPE_DATE || type == DUCKDB_TYPE_INTEGER;
    std::memcpy(duckdb_vector_get_data(vector), &value, narrow ? 4 : 8);  // little-endian: the low half
  }
  duckdb_data_chunk_set_size(chunk, 1);
  const bool done = duckdb_append_data_chunk(appender, chunk) == DuckDBSuccess;
  if (!done) std::fprintf(stderr, "%s\n", duckdb_appender_error(appender));
  duckdb_destroy_data_chunk(&chunk);
  for (auto& type : types) duckdb_destroy_logical_type(&type);
  return duckdb_appender_destroy(&appender) == DuckDBSuccess && done;
}

}  // namespace

int main() {
  std::string line;
  while (std::getline(std::cin, line)) {
    const auto blank = line.find(' ');
    const std::string verb = line.substr(0, blank), rest = line.substr(blank + 1);
    const bool done = verb == "open" ? Open(rest) : verb == "sql" ? Sql(rest) : verb == "raw" && Raw(rest);
    if (!done) {
      std::fprintf(stderr, "failed: %s\n", line.c_str());
      return 1;
    }
  }
  Close();
  return 0;
}
