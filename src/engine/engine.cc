// Chooses the engine a policy names.
#include "engine/engine.h"

#include <exception>

#include "engine/duckdb/duckdb_engine.h"
#include "engine/postgresql/postgresql_engine.h"
#include "engine/sketch_server.h"
#include "engine/trino/trino_engine.h"

namespace kith {

sql::UnitRows Session::unit_rows() const { return {}; }

Result<IntegerTable> Session::Run(const sql::Statement& statement, const CancelFlag& cancel) const {
  return RunText(dialect().Write(statement, unit_rows()), cancel);
}

Result<void> Session::Scan(const sql::Statement& statement, const IntegerSink& sink, const CancelFlag& cancel) const {
  return ScanText(dialect().Write(statement, unit_rows()), sink, cancel);
}

Result<std::int64_t> Session::Copy(const RecordCopy&, const CancelFlag&) const {
  return InternalError("this engine releases no records");
}

Result<std::shared_ptr<const Engine>> EngineFor(const Policy& policy, const EngineOptions& options) {
  if (options.engine) return options.engine;
  if (policy.engine == "duckdb") return DuckDbEngine();
  if (policy.engine == "postgresql") return PostgreSqlEngine();
  if (policy.engine == "trino") return TrinoEngine();
  return InvalidArgument("unknown engine", "[data] engine", "use engine = \"duckdb\", \"postgresql\" or \"trino\"");
}

Result<std::unique_ptr<Session>> OpenSession(const Policy& policy, const EngineOptions& options, const Call& call) {
  const auto engine = EngineFor(policy, options);
  if (!engine) return engine.error();
  return (*engine)->Open(policy, options, call);
}

Result<FileSketch> SketchServer(const Policy& data, const Call& call) {
  try {
    return data.engine == "trino" ? SketchTrino(data, call) : SketchPostgreSql(data, call);
  } catch (const std::exception&) {
    return StorageError("the table could not be looked at: memory failed");
  }
}

}  // namespace kith
