// PostgreSQL for tests: tables go in by libpq, questions are asked through the engine.
#include <libpq-fe.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <stdexcept>

#include "engine/engine.h"
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

class PostgreSql final : public SqlRunner {
 public:
  explicit PostgreSql(const std::string& connection) : connection_(PQconnectdb(connection.c_str())) {
    if (PQstatus(connection_) != CONNECTION_OK) throw std::runtime_error(PQerrorMessage(connection_));
    Execute("SET client_min_messages = error; SET TimeZone = 'UTC'");
    policy_.file = std::filesystem::temp_directory_path() / "no.toml";
    policy_.engine = "postgresql";
    policy_.server = ServerOf(connection);
    options_.engine = *EngineFor(policy_);
  }
  ~PostgreSql() override {
    session_.reset();
    PQfinish(connection_);
  }
  PostgreSql(const PostgreSql&) = delete;
  PostgreSql& operator=(const PostgreSql&) = delete;

  const sql::Dialect& dialect() const override { return sql::PostgreSql(); }
  using SqlRunner::Run;

  void Load(const TinyTable& table) override {
    session_.reset();  // its transaction holds the tables
    const std::string name = "public." + QuotedName(table.name);
    std::string sql = "DROP TABLE IF EXISTS " + name + "; CREATE UNLOGGED TABLE " + name + " (";
    for (std::size_t i = 0; i < table.columns.size(); ++i)
      sql += (i ? ", " : "") + QuotedName(table.columns[i]) + " " + TypeName(table.types[i]);
    sql += ")";
    for (const Row& row : table.rows) {
      sql += "; INSERT INTO " + name + " VALUES (";
      for (std::size_t i = 0; i < row.size(); ++i) sql += (i ? ", " : "") + Literal(row[i], table.types[i]);
      sql += ")";
    }
    Execute(sql);
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
  }

  IntegerRows Run(const std::string& sql) override {
    if (!session_) {
      auto session = OpenSession(policy_, options_, {});
      if (!session) throw std::runtime_error("postgresql: " + session.error().Text());
      session_ = std::move(*session);
    }
    auto table = session_->RunText(sql, {});
    if (!table) throw std::runtime_error("postgresql: " + table.error().Text() + "\n" + sql);
    return std::move(table->rows);
  }

 private:
  void Execute(const std::string& sql) {
    PGresult* result = PQexec(connection_, sql.c_str());
    const bool done = PQresultStatus(result) == PGRES_COMMAND_OK;
    PQclear(result);
    if (!done) throw std::runtime_error(std::string("postgresql: ") + PQerrorMessage(connection_) + sql);
  }

  PGconn* connection_;  // puts tables in; what is asked goes through the engine
  Policy policy_;
  EngineOptions options_;
  std::unique_ptr<Session> session_;
};

}  // namespace

std::unique_ptr<SqlRunner> OpenPostgreSql(const std::string& connection) {
  return std::make_unique<PostgreSql>(connection);
}

}  // namespace kith::testing
