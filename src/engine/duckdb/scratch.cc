#include "engine/duckdb/scratch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>

#include "base/json.h"
#include "engine/duckdb/duckdb_state.h"
#include "engine/duckdb/lockdown.h"
#include "sql/quote.h"

namespace kith {

struct Scratch::State {
  DuckDb database;
  DuckDbConnection connection;
};

Scratch::Scratch(std::unique_ptr<State> state) : state_(std::move(state)) {}
Scratch::Scratch(Scratch&&) noexcept = default;
Scratch& Scratch::operator=(Scratch&&) noexcept = default;
Scratch::~Scratch() = default;

namespace {

const char* NameOf(ScratchType type) {
  switch (type) {
    case ScratchType::kWhole:
      return "BIGINT";
    case ScratchType::kReal:
      return "DOUBLE";
    case ScratchType::kTruth:
      return "BOOLEAN";
    case ScratchType::kText:
      return "VARCHAR";
  }
  return "VARCHAR";
}

std::string Literal(const Value& value) {
  struct Write {
    std::string operator()(const Null&) const { return "NULL"; }
    std::string operator()(bool yes) const { return yes ? "true" : "false"; }
    std::string operator()(std::int64_t whole) const { return fmt::format("({})", whole); }
    std::string operator()(double number) const {
      return std::isfinite(number) ? fmt::format("('{}'::DOUBLE)", number) : "NULL";
    }
    std::string operator()(const std::string& text) const { return QuotedText(text); }
  };
  return std::visit(Write{}, value);
}

// DuckDB's words, in one line; for a person, about the person's own question.
std::string Complaint(const char* raw) {
  std::string text = raw ? raw : "";
  text = text.substr(0, text.find('\n'));
  if (const auto at = text.find("Error: "); at != text.npos) text = text.substr(at + 7);
  return fmt::format("{:.200}", text);
}

// Of the values that ValueOf makes of it.
ScratchType TypeOf(duckdb_type type) {
  switch (type) {
    case DUCKDB_TYPE_BOOLEAN:
      return ScratchType::kTruth;
    case DUCKDB_TYPE_TINYINT:
    case DUCKDB_TYPE_SMALLINT:
    case DUCKDB_TYPE_INTEGER:
    case DUCKDB_TYPE_BIGINT:
    case DUCKDB_TYPE_UTINYINT:
    case DUCKDB_TYPE_USMALLINT:
    case DUCKDB_TYPE_UINTEGER:
      return ScratchType::kWhole;
    case DUCKDB_TYPE_HUGEINT:
    case DUCKDB_TYPE_UBIGINT:
    case DUCKDB_TYPE_UHUGEINT:
    case DUCKDB_TYPE_FLOAT:
    case DUCKDB_TYPE_DOUBLE:
    case DUCKDB_TYPE_DECIMAL:
      return ScratchType::kReal;
    default:
      return ScratchType::kText;
  }
}

Value ValueOf(duckdb_result* result, idx_t column, idx_t row) {
  if (duckdb_value_is_null(result, column, row)) return Null{};
  const auto real = [&]() -> Value {
    const double number = duckdb_value_double(result, column, row);
    return std::isfinite(number) ? Value(number) : Value(Null{});
  };
  switch (duckdb_column_type(result, column)) {
    case DUCKDB_TYPE_BOOLEAN:
      return duckdb_value_boolean(result, column, row);
    case DUCKDB_TYPE_TINYINT:
    case DUCKDB_TYPE_SMALLINT:
    case DUCKDB_TYPE_INTEGER:
    case DUCKDB_TYPE_BIGINT:
    case DUCKDB_TYPE_UTINYINT:
    case DUCKDB_TYPE_USMALLINT:
    case DUCKDB_TYPE_UINTEGER:
      return duckdb_value_int64(result, column, row);
    case DUCKDB_TYPE_HUGEINT: {
      const double number = duckdb_value_double(result, column, row);
      if (std::fabs(number) < 0x1p62) return duckdb_value_int64(result, column, row);
      return number;
    }
    case DUCKDB_TYPE_UBIGINT:
    case DUCKDB_TYPE_UHUGEINT:
    case DUCKDB_TYPE_FLOAT:
    case DUCKDB_TYPE_DOUBLE:
    case DUCKDB_TYPE_DECIMAL:
      return real();
    default: {
      const std::unique_ptr<char, void (*)(void*)> text(duckdb_value_varchar(result, column, row), duckdb_free);
      return text ? Value(std::string(text.get())) : Value(Null{});
    }
  }
}

// Of a step of DuckDB's plan and those below it, as it ran. Only hash joins compare fewer than all pairs.
double WorkOfStep(const Json& step) {
  const auto rows = [](const Json& of) { return of.value("operator_cardinality", 0.0); };
  const std::string name = step.value("operator_name", std::string());
  const double work = std::max(rows(step), step.value("operator_rows_scanned", 0.0));
  double pairs = 1, below = 0;
  for (const Json& child : step.value("children", Json::array())) {
    below += WorkOfStep(child);
    pairs *= rows(child);
  }
  const bool compares = name.find("JOIN") != name.npos || name.find("PRODUCT") != name.npos;
  const bool hashes = name.find("HASH") != name.npos || name.find("DELIM") != name.npos;
  return work + below + (compares && !hashes ? pairs : 0);
}

}  // namespace

Result<Scratch> Scratch::OpenFor(const std::vector<std::string>& files) {
  DuckDb::Settings settings;
  for (auto& [name, value] : LockedSettings({}, {})) {
    const bool own = name == "memory_limit" || name == "preserve_insertion_order" || name == "threads";
    if (!own) settings.emplace_back(name, value);
  }
  settings.emplace_back("memory_limit", "256MB");
  settings.emplace_back("threads", "1");  // one order of rows, and of sums
  settings.emplace_back("preserve_insertion_order", "true");
  settings.emplace_back("default_null_order", "nulls_last_on_asc_first_on_desc");  // as kith sorts its answers
  settings.emplace_back("ieee_floating_point_ops", "false");                       // a division by zero is NULL
  auto database = DuckDb::Open("", settings);
  if (!database) return database.error();
  auto connection = database->Connect();
  if (!connection) return connection.error();
  if (auto locked = LockDown(*connection, files, CancelFlag()); !locked) return locked.error();
  return Scratch(std::make_unique<State>(State{std::move(*database), std::move(*connection)}));
}

Result<void> Scratch::Create(const std::string& name, const std::vector<ScratchType>& types,
                             const std::vector<std::vector<Value>>& rows) {
  std::string columns;
  for (std::size_t k = 0; k < types.size(); ++k)
    columns += fmt::format("{}c{} {}", k == 0 ? "" : ", ", k, NameOf(types[k]));
  if (auto made = Execute(fmt::format("CREATE OR REPLACE TABLE {} ({})", QuotedName(name), columns)); !made)
    return made;
  constexpr std::size_t kAtOnce = 500;
  for (std::size_t from = 0; from < rows.size(); from += kAtOnce) {
    std::string values;
    for (std::size_t i = from; i < std::min(rows.size(), from + kAtOnce); ++i) {
      values += i == from ? "(" : ", (";
      for (std::size_t k = 0; k < rows[i].size(); ++k) values += (k == 0 ? "" : ", ") + Literal(rows[i][k]);
      values += ")";
    }
    if (auto added = Execute(fmt::format("INSERT INTO {} VALUES {}", QuotedName(name), values)); !added) return added;
  }
  return {};
}

Result<void> Scratch::Execute(const std::string& sql) const { return state_->connection.Execute(sql, CancelFlag()); }

Result<Scratch::Table> Scratch::Rows(const std::string& select, const CancelFlag& cancel) const {
  auto named = Select(select, cancel);
  if (!named) return named.error();
  return std::move(named->rows);
}

Result<Scratch::Named> Scratch::Select(const std::string& select, const CancelFlag& cancel) const {
  return Run(select, Kind::kSelect, cancel);
}

Result<double> Scratch::WorkOf(const std::string& select, const CancelFlag& cancel) const {
  const auto explained = Run(select, Kind::kExplain, cancel);
  if (!explained) return explained.error();
  try {
    return WorkOfStep(Json::parse(ToText(explained->rows.at(0).at(1))));
  } catch (const std::exception&) {
    return InternalError("the steps of a statement cannot be read");
  }
}

Result<Scratch::Named> Scratch::Run(const std::string& select, Kind kind, const CancelFlag& cancel) const {
  duckdb_connection connection = state_->connection.state().connection;
  const auto refused = [&](const char* text) {
    if (cancel.cancelled()) return Cancelled("stopped while computing on the noisy answer");
    return Unsupported(fmt::format("what is computed on the noisy answer does not work: {}", Complaint(text)));
  };
  const Interrupter interrupter(connection, cancel);
  const auto prepare = [&](const std::string& text, duckdb_statement_type wanted, OwnedStatements& statements,
                           OwnedPrepared& prepared) -> Result<void> {
    if (duckdb_extract_statements(connection, text.c_str(), statements.out()) != 1)
      return refused(duckdb_extract_statements_error(statements.get()));
    if (duckdb_prepare_extracted_statement(connection, statements.get(), 0, prepared.out()) != DuckDBSuccess)
      return refused(duckdb_prepare_error(prepared.get()));
    if (duckdb_prepared_statement_type(prepared.get()) != wanted)
      return InternalError("only a SELECT is computed on noisy answers");
    return {};
  };
  OwnedStatements statements, explained;
  OwnedPrepared prepared, as_explained;
  if (auto ready = prepare(select, DUCKDB_STATEMENT_TYPE_SELECT, statements, prepared); !ready) return ready.error();
  if (kind == Kind::kExplain) {  // which runs it
    const std::string text = "EXPLAIN (ANALYZE, FORMAT JSON) " + select;
    if (auto ready = prepare(text, DUCKDB_STATEMENT_TYPE_EXPLAIN, explained, as_explained); !ready)
      return ready.error();
  }
  OwnedResult result;
  if (duckdb_execute_prepared((kind == Kind::kExplain ? as_explained : prepared).get(), result.out()) != DuckDBSuccess)
    return refused(duckdb_result_error(result.out()));
  const idx_t columns = duckdb_column_count(result.out()), rows = duckdb_row_count(result.out());
  if (rows > kMostRows) return Unsupported(fmt::format("the result has more than {} rows", kMostRows));
  Named named;
  for (idx_t column = 0; column < columns; ++column) {
    const char* name = duckdb_column_name(result.out(), column);
    named.columns.push_back({name ? name : "", TypeOf(duckdb_column_type(result.out(), column))});
  }
  named.rows.assign(rows, std::vector<Value>(columns));
  for (idx_t row = 0; row < rows; ++row) {
    for (idx_t column = 0; column < columns; ++column) named.rows[row][column] = ValueOf(result.out(), column, row);
  }
  return named;
}

}  // namespace kith
