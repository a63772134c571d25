// Chooses the engine a policy names.
#include "engine/engine.h"

#include "engine/duckdb/duckdb_engine.h"

namespace kith {

Result<std::int64_t> Engine::Copy(const RecordCopy&, const CancelFlag&) const {
  return InternalError("this engine releases no records");
}

Result<void> EngineIsBuilt(const Policy& policy) {
  if (policy.engine == "duckdb") return {};
  const std::string scheme = policy.engine.substr(0, policy.engine.find("://"));  // what follows may hold a password
  if (scheme == "postgresql" || scheme == "postgres") {
    return InvalidArgument("the PostgreSQL engine is not built in this version", "[data] engine",
                           "use engine = \"duckdb\" with a csv, parquet or duckdb file");
  }
  return InvalidArgument("the engine is not known", "[data] engine", "use engine = \"duckdb\"");
}

Result<std::unique_ptr<Engine>> OpenEngine(const Policy& policy, const EngineOptions& options, const Call& call) {
  if (auto built = EngineIsBuilt(policy); !built) return built.error();
  return OpenDuckDbEngine(policy, options, call);
}

}  // namespace kith
