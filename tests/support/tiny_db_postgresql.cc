// PostgreSQL for tests: tables go in by libpq, questions are asked as kith's engine asks them.
#include <libpq-fe.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <stdexcept>
#include <utility>

#include "engine/postgresql/connection.h"
#include "engine/postgresql/tables.h"
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

/// PostgreSQL's text holds no zero byte: it becomes the byte that sorts next.
std::string Quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? "''" : std::string(1, c == '\0' ? '\x01' : c);
  return quoted + "'";
}

/// Times that are farther away than an engine reads (engine/postgresql/reading.h) become the farthest that it does: for
/// a question both are beyond every bound.
long double InReach(const Datum& value) {
  constexpr long double kFirst = -2440550, kLast = 100'000'000, kDay = 86'400'000'000;  // days, microseconds
  if (value.kind == Datum::Kind::kDate) return std::clamp(value.number, kFirst, kLast);
  if (value.kind == Datum::Kind::kTimestamp) return std::clamp(value.number, kFirst * kDay, kLast * kDay);
  return value.number;
}

std::string Literal(const Datum& value, ColumnType type) {
  if (value.null()) return "NULL";
  const std::string cast = std::string("::") + TypeName(type);
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%.17g", static_cast<double>(value.number));
  if (value.kind == Datum::Kind::kText || !std::isfinite(value.number)) return Quoted(ToText(value)) + cast;
  if (value.kind == Datum::Kind::kReal) return Quoted(buffer) + cast;
  std::snprintf(buffer, sizeof buffer, "%.0Lf", InReach(value));
  if (value.kind == Datum::Kind::kDate) return std::string("(DATE '1970-01-01' + ") + buffer + ")";
  if (value.kind == Datum::Kind::kTimestamp)
    return std::string("(TIMESTAMP '1970-01-01' + ") + buffer + " * INTERVAL '1 microsecond')";
  return Quoted(ToText(value)) + cast;
}

/// Where libpq's words say the server is.
Server ServerOf(const std::string& words) {
  Server server;
  PQconninfoOption* all = PQconninfoParse(words.c_str(), nullptr);
  for (PQconninfoOption* one = all; one != nullptr && one->keyword != nullptr; ++one) {
    if (one->val == nullptr) continue;
    const std::string name = one->keyword;
    if (name == "host") server.socket = one->val;
    if (name == "user") server.user = one->val;
    if (name == "dbname") server.database = one->val;
  }
  PQconninfoFree(all);
  return server;
}

/// Tables go in on one connection. Questions are asked on another, as a session asks them: over the tables as the
/// catalog describes them, and each value read as declared. What a session does besides when it opens (locks, promises)
/// would take most of the time, and has its own tests.
class PostgreSql final : public SqlRunner {
 public:
  explicit PostgreSql(const std::string& connection) : puts_(PQconnectdb(connection.c_str())) {
    if (PQstatus(puts_) != CONNECTION_OK) throw std::runtime_error(PQerrorMessage(puts_));
    Execute("SET client_min_messages = error; SET TimeZone = 'UTC'");
    auto asks = PgConnection::Connect(ServerOf(connection), {});
    if (!asks) throw std::runtime_error("postgresql: " + asks.error().Text());
    asks_ = std::move(*asks);
  }
  ~PostgreSql() override { PQfinish(puts_); }
  PostgreSql(const PostgreSql&) = delete;
  PostgreSql& operator=(const PostgreSql&) = delete;

  const sql::Dialect& dialect() const override { return sql::PostgreSql(); }
  using SqlRunner::Run;

  void Load(const TinyTable& table) override {
    const std::string name = "public." + QuotedName(table.name);
    std::string sql = Declare(table) ? "DROP TABLE IF EXISTS " + name + "; CREATE UNLOGGED TABLE " + name + " (" +
                                           ColumnsOf(table) + ")"
                                     : (++loads_ % kRenewed == 0 ? "TRUNCATE " : "DELETE FROM ") + name;
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      const Row& row = table.rows[r];
      sql += r == 0 ? "; INSERT INTO " + name + " VALUES (" : ", (";
      for (std::size_t i = 0; i < row.size(); ++i) sql += (i ? ", " : "") + Literal(row[i], table.types[i]);
      sql += ")";
    }
    Execute(sql);
  }

  IntegerRows Run(const std::string& sql) override {
    if (tables_.empty()) {
      auto tables = OpenTables(*asks_, policy_, {});
      if (!tables) throw std::runtime_error("postgresql: " + tables.error().Text());
      tables_ = std::move(*tables);
    }
    auto table = asks_->Integers(Over(tables_, sql), {});
    if (!table) throw std::runtime_error("postgresql: " + table.error().Text() + "\n" + sql);
    return std::move(table->rows);
  }

 private:
  static std::string ColumnsOf(const TinyTable& table) {
    std::string columns;
    for (std::size_t i = 0; i < table.columns.size(); ++i)
      columns += (i ? ", " : "") + QuotedName(table.columns[i]) + " " + TypeName(table.types[i]);
    return columns;
  }

  /// Puts it into the policy. False: it was already there, with the same columns.
  bool Declare(const TinyTable& table) {
    const std::string columns = ColumnsOf(table);
    if (std::exchange(shapes_[table.name], columns) == columns) return false;
    tables_.clear();
    std::erase_if(policy_.tables, [&](const Table& other) { return other.name == table.name; });
    Table declared;
    declared.name = declared.source = table.name;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      Column column;
      column.name = table.columns[i];
      column.type = table.types[i];
      declared.columns.push_back(std::move(column));
    }
    policy_.tables.push_back(std::move(declared));
    policy_.unit.table = table.name;
    return true;
  }

  void Execute(const std::string& sql) {
    PGresult* result = PQexec(puts_, sql.c_str());
    const bool done = PQresultStatus(result) == PGRES_COMMAND_OK;
    PQclear(result);
    if (!done) throw std::runtime_error(std::string("postgresql: ") + PQerrorMessage(puts_) + sql);
  }

  static constexpr std::size_t kRenewed = 64;  // rows that were deleted stay in the way for this long
  PGconn* puts_;
  std::size_t loads_ = 0;
  std::unique_ptr<PgConnection> asks_;
  Policy policy_;
  std::map<std::string, std::string> shapes_;  // columns of each table
  std::vector<PgTable> tables_;                // empty: not looked up yet
};

}  // namespace

std::unique_ptr<SqlRunner> OpenPostgreSql(const std::string& connection) {
  return std::make_unique<PostgreSql>(connection);
}

}  // namespace kith::testing
