// PostgreSQL for tests, through libpq. Tables are temporary: they end with the session.
#include <libpq-fe.h>

#include <cmath>
#include <cstdio>
#include <stdexcept>

#include "tests/support/tiny_db_engine.h"

namespace kith::testing {
namespace {

const char* TypeName(ColumnType type) {
  switch (type) {
    case ColumnType::kBoolean:
      return "boolean";
    case ColumnType::kInteger:
      return "bigint";
    case ColumnType::kReal:
      return "double precision";
    case ColumnType::kText:
      return "text";
    case ColumnType::kDate:
      return "date";
    case ColumnType::kTimestamp:
      return "timestamp";
  }
  return "";
}

/// PostgreSQL's texts hold no zero byte: it becomes the byte that sorts next.
std::string Quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? "''" : std::string(1, c == '\0' ? '\x01' : c);
  return quoted + "'";
}

std::string Literal(const Datum& value, ColumnType type) {
  if (value.null()) return "NULL";
  const std::string cast = std::string("::") + TypeName(type);
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%.17g", static_cast<double>(value.number));
  if (value.kind == Datum::Kind::kText || !std::isfinite(value.number)) return Quoted(ToText(value)) + cast;
  if (value.kind == Datum::Kind::kReal) return Quoted(buffer) + cast;
  std::snprintf(buffer, sizeof buffer, "%.0Lf", value.number);
  if (value.kind == Datum::Kind::kDate) return std::string("(DATE '1970-01-01' + ") + buffer + ")";
  if (value.kind == Datum::Kind::kTimestamp)
    return std::string("(TIMESTAMP '1970-01-01' + ") + buffer + " * INTERVAL '1 microsecond')";
  return Quoted(ToText(value)) + cast;
}

Int128 IntegerOf(const std::string& text) {
  Int128 value = 0;
  std::size_t i = text.front() == '-' ? 1 : 0;
  if (i == text.size()) throw std::runtime_error("postgresql: not an integer");
  for (; i < text.size(); ++i) {
    if (text[i] < '0' || text[i] > '9') throw std::runtime_error("postgresql: not an integer: " + text);
    value = value * 10 + (text[i] - '0');
  }
  return text.front() == '-' ? -value : value;
}

class PostgreSql final : public SqlRunner {
 public:
  explicit PostgreSql(const std::string& connection) : connection_(PQconnectdb(connection.c_str())) {
    if (PQstatus(connection_) != CONNECTION_OK) throw std::runtime_error(PQerrorMessage(connection_));
    PQclear(Query("SET client_min_messages = error; SET TimeZone = 'UTC'"));
  }
  ~PostgreSql() override { PQfinish(connection_); }
  PostgreSql(const PostgreSql&) = delete;
  PostgreSql& operator=(const PostgreSql&) = delete;

  const sql::Dialect& dialect() const override { return sql::PostgreSql(); }
  using SqlRunner::Run;

  void Load(const TinyTable& table) override {
    const std::string name = QuotedName(table.name);
    std::string sql = "DROP TABLE IF EXISTS pg_temp." + name + "; CREATE TEMPORARY TABLE " + name + " (";
    for (std::size_t i = 0; i < table.columns.size(); ++i)
      sql += (i ? ", " : "") + QuotedName(table.columns[i]) + " " + TypeName(table.types[i]);
    sql += ")";
    for (const Row& row : table.rows) {
      sql += "; INSERT INTO " + name + " VALUES (";
      for (std::size_t i = 0; i < row.size(); ++i) sql += (i ? ", " : "") + Literal(row[i], table.types[i]);
      sql += ")";
    }
    PQclear(Query(sql));
  }

  IntegerRows Run(const std::string& sql) override {
    PGresult* result = Query(sql);
    IntegerRows rows(static_cast<std::size_t>(PQntuples(result)));
    try {
      for (int r = 0; r < PQntuples(result); ++r)
        for (int c = 0; c < PQnfields(result); ++c)
          rows[static_cast<std::size_t>(r)].push_back(
              PQgetisnull(result, r, c) ? std::nullopt : std::optional<Int128>(IntegerOf(PQgetvalue(result, r, c))));
    } catch (...) {
      PQclear(result);
      throw;
    }
    PQclear(result);
    return rows;
  }

 private:
  PGresult* Query(const std::string& sql) {
    PGresult* result = PQexec(connection_, sql.c_str());
    const ExecStatusType status = PQresultStatus(result);
    if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK) return result;
    PQclear(result);
    throw std::runtime_error(std::string("postgresql: ") + PQerrorMessage(connection_) + sql);
  }

  PGconn* connection_;
};

}  // namespace

std::unique_ptr<SqlRunner> OpenPostgreSql(const std::string& connection) {
  return std::make_unique<PostgreSql>(connection);
}

}  // namespace kith::testing
