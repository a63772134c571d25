// Trino for tests: tables in the memory catalog, in a schema of the process.
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <map>
#include <stdexcept>

#include "base/json.h"
#include "engine/trino/client.h"
#include "policy/dates.h"
#include "tests/support/tiny_db_engine.h"

namespace kith::testing {
namespace {

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
      return "TIMESTAMP(6)";
  }
  return "";
}

std::string Literal(const Datum& value, ColumnType type) {
  const auto typed = [&](const std::string& text) { return "CAST(" + text + " AS " + TypeName(type) + ")"; };
  if (value.null()) return typed("NULL");
  if (value.kind == Datum::Kind::kText) return sql::Trino().Text(ToText(value));
  if (std::isnan(value.number)) return "nan()";
  // No date is infinite here. Elsewhere such dates are read as missing.
  const bool time = value.kind == Datum::Kind::kDate || value.kind == Datum::Kind::kTimestamp;
  if (time && std::isinf(value.number)) return typed("NULL");
  if (std::isinf(value.number)) return value.number > 0 ? "infinity()" : "(-infinity())";
  char buffer[64];
  if (value.kind == Datum::Kind::kReal) {
    std::snprintf(buffer, sizeof buffer, "%.17e", static_cast<double>(value.number));
    return typed(buffer);
  }
  const auto whole = static_cast<std::int64_t>(value.number);
  // Years beyond 9999 have no text that all engines read alike.
  if (value.kind == Datum::Kind::kDate) return "date_add('day', " + std::to_string(whole) + ", DATE '1970-01-01')";
  if (value.kind == Datum::Kind::kTimestamp) return typed("TIMESTAMP '" + TimestampText(whole) + "'");
  return typed(ToText(value));
}

Int128 IntegerOf(const std::string& text) {
  Int128 value = 0;
  std::size_t i = text.front() == '-' ? 1 : 0;
  if (i == text.size()) throw std::runtime_error("trino: not an integer");
  for (; i < text.size(); ++i) {
    if (text[i] < '0' || text[i] > '9') throw std::runtime_error("trino: not an integer: " + text);
    value = value * 10 + (text[i] - '0');
  }
  return text.front() == '-' ? -value : value;
}

std::optional<Int128> IntegerOf(const Json& value) {
  if (value.is_null()) return std::nullopt;
  if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (value.is_string()) return IntegerOf(value.get<std::string>());
  throw std::runtime_error("trino: not an integer: " + value.dump());
}

class Trino final : public SqlRunner {
 public:
  explicit Trino(const std::string& url)
      : schema_("t" + std::to_string(getpid())),
        client_({.url = url, .user = "kith", .catalog = "memory", .schema = schema_, .password = "", .token = ""}) {
    Execute("CREATE SCHEMA IF NOT EXISTS memory." + schema_);
  }

  const sql::Dialect& dialect() const override { return sql::Trino(); }
  using SqlRunner::Run;

  void Load(const TinyTable& table) override {
    const std::string name = QuotedName(table.name);
    std::string sql = "CREATE TABLE " + name + " AS SELECT * FROM (VALUES ";
    const auto row = [&](const Row* values) {
      sql += "(";
      for (std::size_t i = 0; i < table.columns.size(); ++i)
        sql += (i ? ", " : "") + Literal(values ? (*values)[i] : Datum(), table.types[i]);
      sql += ")";
    };
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      if (r > 0) sql += ", ";
      row(&table.rows[r]);
    }
    if (table.rows.empty()) row(nullptr);
    sql += ") AS t(";
    for (std::size_t i = 0; i < table.columns.size(); ++i) sql += (i ? ", " : "") + QuotedName(table.columns[i]);
    sql += table.rows.empty() ? ") WHERE FALSE" : ")";
    // A statement takes a tenth of a second at best: a table that is already there is left alone.
    static std::map<std::string, std::string> loaded;
    if (loaded[table.name] == sql) return;
    if (!loaded[table.name].empty()) Execute("DROP TABLE IF EXISTS " + name);
    Execute(sql);
    loaded[table.name] = sql;
  }

  IntegerRows Run(const std::string& sql) override {
    IntegerRows rows;
    Execute(sql, [&](const Json& page) {
      for (const auto& from : page) {
        auto& row = rows.emplace_back();
        for (const auto& value : from) row.push_back(IntegerOf(value));
      }
    });
    return rows;
  }

 private:
  void Execute(const std::string& sql, const std::function<void(const Json&)>& take = {}) {
    const auto failure = client_.Run(
        sql,
        [&](const auto&, const Json& page) {
          if (take) take(page);
          return true;
        },
        CancelFlag());
    if (failure) throw std::runtime_error("trino: " + failure->name + ": " + sql);
  }

  std::string schema_;
  trino::Client client_;
};

}  // namespace

std::unique_ptr<SqlRunner> OpenTrino(const std::string& url) { return std::make_unique<Trino>(url); }

}  // namespace kith::testing
