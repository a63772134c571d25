// Chooses the engine a policy names.
#include "engine/engine.h"

#include "engine/duckdb/duckdb_engine.h"

namespace kith {

Result<std::int64_t> Session::Copy(const RecordCopy&, const CancelFlag&) const {
  return InternalError("this engine releases no records");
}

Result<std::shared_ptr<const Engine>> EngineFor(const Policy& policy, const EngineOptions& options) {
  if (options.engine) return options.engine;
  if (policy.engine == "duckdb") return DuckDbEngine();
  const std::string scheme = policy.engine.substr(0, policy.engine.find("://"));  // what follows may hold a password
  if (scheme == "postgresql" || scheme == "postgres") {
    return InvalidArgument("the PostgreSQL engine is not built in this version", "[data] engine",
                           "use engine = \"duckdb\" with a csv, parquet or duckdb file");
  }
  return InvalidArgument("unknown engine", "[data] engine", "use engine = \"duckdb\"");
}

Result<std::unique_ptr<Session>> OpenSession(const Policy& policy, const EngineOptions& options, const Call& call) {
  const auto engine = EngineFor(policy, options);
  if (!engine) return engine.error();
  return (*engine)->Open(policy, options, call);
}

}  // namespace kith
