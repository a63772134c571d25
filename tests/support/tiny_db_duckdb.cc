// DuckDB for tests, through its C API.
#include <duckdb.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <set>
#include <stdexcept>

#include "tests/support/tiny_db_engine.h"

namespace kith::testing {
namespace {

void Need(duckdb_state state, const std::string& what) {
  if (state != DuckDBSuccess) throw std::runtime_error("duckdb: " + what);
}

const char* TypeName(ColumnType type) {
  switch (type) {
    case ColumnType::kBoolean:
      return "BOOLEAN";
    case ColumnType::kInteger:
      return "BIGINT";
    case ColumnType::kReal:
      return "DOUBLE";
    case ColumnType::kText:
      return "VARCHAR";
    case ColumnType::kDate:
      return "DATE";
    case ColumnType::kTimestamp:
      return "TIMESTAMP";
  }
  return "";
}

/// DuckDB keeps the largest and the smallest number (plus one) of dates and timestamps for infinity.
template <class Integer>
Integer OrInfinity(long double value) {
  constexpr Integer kInfinity = std::numeric_limits<Integer>::max();
  return std::isinf(value) ? (value > 0 ? kInfinity : -kInfinity) : static_cast<Integer>(value);
}

void Append(duckdb_appender appender, const Datum& value) {
  switch (value.kind) {
    case Datum::Kind::kNull:
      return Need(duckdb_append_null(appender), "append");
    case Datum::Kind::kBoolean:
      return Need(duckdb_append_bool(appender, value.number != 0), "append");
    case Datum::Kind::kInteger:
      return Need(duckdb_append_int64(appender, static_cast<std::int64_t>(value.number)), "append");
    case Datum::Kind::kReal:
      return Need(duckdb_append_double(appender, static_cast<double>(value.number)), "append");
    case Datum::Kind::kText:
      return Need(duckdb_append_varchar_length(appender, value.text.data(), value.text.size()), "append");
    case Datum::Kind::kDate:
      return Need(duckdb_append_date(appender, duckdb_date{OrInfinity<std::int32_t>(value.number)}), "append");
    case Datum::Kind::kTimestamp:
      return Need(duckdb_append_timestamp(appender, duckdb_timestamp{OrInfinity<std::int64_t>(value.number)}),
                  "append");
  }
}

Int128 IntegerAt(duckdb_type type, const void* data, idx_t row) {
  switch (type) {
    case DUCKDB_TYPE_TINYINT:
      return static_cast<const std::int8_t*>(data)[row];
    case DUCKDB_TYPE_SMALLINT:
      return static_cast<const std::int16_t*>(data)[row];
    case DUCKDB_TYPE_INTEGER:
      return static_cast<const std::int32_t*>(data)[row];
    case DUCKDB_TYPE_UTINYINT:
      return static_cast<const std::uint8_t*>(data)[row];
    case DUCKDB_TYPE_USMALLINT:
      return static_cast<const std::uint16_t*>(data)[row];
    case DUCKDB_TYPE_UINTEGER:
      return static_cast<const std::uint32_t*>(data)[row];
    case DUCKDB_TYPE_BIGINT:
      return static_cast<const std::int64_t*>(data)[row];
    case DUCKDB_TYPE_UBIGINT:
      return static_cast<const std::uint64_t*>(data)[row];
    case DUCKDB_TYPE_HUGEINT: {
      const duckdb_hugeint value = static_cast<const duckdb_hugeint*>(data)[row];
      return static_cast<Int128>((static_cast<UInt128>(static_cast<std::uint64_t>(value.upper)) << 64) | value.lower);
    }
    default:
      throw std::runtime_error("duckdb: a result column is not an integer");
  }
}

/// Down to the signs of zeros.
bool Same(const TinyTable& a, const TinyTable& b) {
  const auto same = [](const Datum& x, const Datum& y) {
    return x.kind == y.kind && x == y && std::signbit(x.number) == std::signbit(y.number);
  };
  const auto same_row = [&](const Row& x, const Row& y) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(), same);
  };
  return a.columns == b.columns && a.types == b.types &&
         std::equal(a.rows.begin(), a.rows.end(), b.rows.begin(), b.rows.end(), same_row);
}

const bool kKeepsPlans = std::getenv("KITH_BRUTEFORCE_CASES") == nullptr;  // which make nightly sets

class DuckDb final : public SqlRunner {
 public:
  DuckDb() {
    Need(duckdb_open(nullptr, &database_), "open");
    Need(duckdb_connect(database_, &connection_), "connect");
    Execute("SET threads = 1");
    Execute("SET TimeZone = 'UTC'");
    // What engine/duckdb/lattice_steps.h says about kith's own functions, in DuckDB's SQL; the test next to it compares
    // them.
    Execute(
        "CREATE MACRO kith_steps(x, low, high, shift, inverse) AS CASE WHEN isfinite(x) THEN "
        "CAST((greatest(low, least(high, x)) - shift) * inverse AS INTEGER) END");
    Execute(
        "CREATE MACRO kith_clamp(x, low, high, tiny) AS CASE WHEN NOT isfinite(x) THEN NULL WHEN x <= low THEN low "
        "WHEN "
        "x >= high THEN high WHEN abs(x) < tiny THEN greatest(low, least(high, 0e0)) ELSE x END");
  }
  ~DuckDb() override {
    Forget();
    duckdb_disconnect(&connection_);
    duckdb_close(&database_);
  }
  DuckDb(const DuckDb&) = delete;
  DuckDb& operator=(const DuckDb&) = delete;

  const sql::Dialect& dialect() const override { return sql::DuckDb(); }
  using SqlRunner::Run;

  void Load(const TinyTable& table) override {
    const auto there = loaded_.find(table.name);
    if (there != loaded_.end() && Same(there->second, table)) return;  // as public tables are, again and again
    if (there != loaded_.end() && there->second.columns == table.columns && there->second.types == table.types &&
        (written_[table.name] += table.rows.size()) < kMostWritten) {
      RunKept("DELETE FROM " + QuotedName(table.name));  // statements stay prepared
    } else {
      Forget();
      std::string columns;
      for (std::size_t i = 0; i < table.columns.size(); ++i)
        columns += (i ? ", " : "") + QuotedName(table.columns[i]) + " " + TypeName(table.types[i]);
      Execute("CREATE OR REPLACE TABLE " + QuotedName(table.name) + " (" + columns + ")");
      written_[table.name] = table.rows.size();
    }
    duckdb_appender appender = nullptr;
    Need(duckdb_appender_create(connection_, nullptr, table.name.c_str(), &appender), "appender");
    for (const Row& row : table.rows) {
      for (const Datum& value : row) Append(appender, value);
      Need(duckdb_appender_end_row(appender), "append a row");
    }
    Need(duckdb_appender_destroy(&appender), "append");
    loaded_[table.name] = table;
  }

  /// As in the product: planned for the rows that are there. Planning takes most of the time, and neighbours are asked
  /// the same, so by day what is asked again of tables with the same columns is run by one plan, which looks at no
  /// rows.
  IntegerRows Run(const std::string& sql) override {
    if (kKeepsPlans && !asked_before_.insert(sql).second) return RunKept(sql);
    duckdb_result result;
    Query(sql, &result);
    return RowsOf(result);
  }

 private:
  static IntegerRows RowsOf(duckdb_result& result) {
    IntegerRows rows;
    try {
      while (duckdb_data_chunk chunk = duckdb_fetch_chunk(result)) {
        AddRows(result, chunk, rows);
        duckdb_destroy_data_chunk(&chunk);
      }
    } catch (...) {
      duckdb_destroy_result(&result);
      throw;
    }
    duckdb_destroy_result(&result);
    return rows;
  }

  IntegerRows RunKept(const std::string& sql) {
    duckdb_prepared_statement& prepared = kept_[sql];
    if (prepared == nullptr) {
      Execute("SET disabled_optimizers = 'statistics_propagation'");
      const bool made = duckdb_prepare(connection_, sql.c_str(), &prepared) == DuckDBSuccess;
      Execute("SET disabled_optimizers = ''");
      if (!made) throw std::runtime_error(std::string("duckdb: ") + duckdb_prepare_error(prepared) + "\n" + sql);
    }
    duckdb_result result{};
    if (duckdb_execute_prepared(prepared, &result) == DuckDBSuccess) return RowsOf(result);
    const std::string error = std::string("duckdb: ") + duckdb_result_error(&result) + "\n" + sql;
    duckdb_destroy_result(&result);
    throw std::runtime_error(error);
  }
  void Forget() {
    for (auto& [sql, prepared] : kept_) duckdb_destroy_prepare(&prepared);
    kept_.clear();
    asked_before_.clear();
  }

  void Query(const std::string& sql, duckdb_result* result) {
    if (duckdb_query(connection_, sql.c_str(), result) == DuckDBSuccess) return;
    const std::string error = std::string("duckdb: ") + duckdb_result_error(result) + "\n" + sql;
    duckdb_destroy_result(result);
    throw std::runtime_error(error);
  }
  void Execute(const std::string& sql) {
    duckdb_result result;
    Query(sql, &result);
    duckdb_destroy_result(&result);
  }
  static void AddRows(duckdb_result& result, duckdb_data_chunk chunk, IntegerRows& rows) {
    const std::size_t first = rows.size();
    const idx_t columns = duckdb_data_chunk_get_column_count(chunk);
    const idx_t size = duckdb_data_chunk_get_size(chunk);
    rows.resize(first + size, std::vector<std::optional<Int128>>(columns));
    for (idx_t c = 0; c < columns; ++c) {
      duckdb_vector vector = duckdb_data_chunk_get_vector(chunk, c);
      std::uint64_t* validity = duckdb_vector_get_validity(vector);
      for (idx_t r = 0; r < size; ++r)
        if (validity == nullptr || duckdb_validity_row_is_valid(validity, r))
          rows[first + r][c] = IntegerAt(duckdb_column_type(&result, c), duckdb_vector_get_data(vector), r);
    }
  }

  duckdb_database database_ = nullptr;
  duckdb_connection connection_ = nullptr;
  static constexpr std::size_t kMostWritten = 2000;  // then the table is replaced: what was deleted is still in it
  std::map<std::string, TinyTable> loaded_;
  std::map<std::string, std::size_t> written_;
  std::set<std::string> asked_before_;
  std::map<std::string, duckdb_prepared_statement> kept_;
};

}  // namespace

std::unique_ptr<SqlRunner> OpenDuckDb() { return std::make_unique<DuckDb>(); }

}  // namespace kith::testing
