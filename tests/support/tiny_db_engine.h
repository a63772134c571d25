// Real engines behind one small interface, for tests: put tables in, run a plan's SQL, get integers out.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/int128.h"
#include "query/plan.h"
#include "sql/dialect.h"
#include "tests/support/tiny_db.h"

namespace kith::testing {

using IntegerRows = std::vector<std::vector<std::optional<Int128>>>;

class SqlRunner {
 public:
  virtual ~SqlRunner() = default;
  virtual const sql::Dialect& dialect() const = 0;
  /// Replaces the table of this name, if there is one. Throws std::runtime_error.
  virtual void Load(const TinyTable& table) = 0;
  /// Throws std::runtime_error with the engine's words if the SQL fails or returns something other than integers.
  virtual IntegerRows Run(const std::string& sql) = 0;
  IntegerRows Run(const sql::Statement& statement, const sql::UnitRows& known = {}) {
    return Run(dialect().Write(statement, known));
  }
};

/// In memory, one thread.
std::unique_ptr<SqlRunner> OpenDuckDb();
/// As kith's engine asks, on tables of the server named by a libpq connection string: its database is the test's own.
std::unique_ptr<SqlRunner> OpenPostgreSql(const std::string& connection);
/// Tables in the memory catalog of the Trino at an address.
std::unique_ptr<SqlRunner> OpenTrino(const std::string& url);
/// DuckDB, unless the environment variable KITH_TEST_POSTGRESQL holds a connection string or KITH_TEST_TRINO an
/// address.
std::unique_ptr<SqlRunner> OpenConfigured();

/// Engine rows as integers by [statistic][group]. Throws if a group index is out of range or a group comes twice.
std::vector<std::vector<Int128>> StatisticsOf(const Plan& plan, const IntegerRows& rows);

/// The values of every key as the reference has them; strings that look like dates are dates.
std::vector<std::vector<Datum>> ImagesOf(const Plan& plan);

/// The answer without noise: outputs over exact statistics, ordered and limited.
std::vector<std::vector<Value>> ExactAnswer(const Plan& plan, const std::vector<std::vector<Int128>>& statistics);

}  // namespace kith::testing
