// Chooses the engine a policy names.
#include "engine/engine.h"

#include "engine/duckdb_engine.h"

namespace kith {

Result<std::unique_ptr<Engine>> OpenEngine(const Policy& policy, const EngineOptions& options,
                                           const CancelFlag& cancel) {
  if (policy.engine == "duckdb") return OpenDuckDbEngine(policy, options, cancel);
  const std::string scheme = policy.engine.substr(0, policy.engine.find("://"));  // what follows may hold a password
  if (scheme == "postgresql" || scheme == "postgres") {
    return InvalidArgument("the PostgreSQL engine is not built in this version", "[data] engine",
                           "use engine = \"duckdb\" with a csv, parquet or duckdb file");
  }
  return InvalidArgument("the engine is not known", "[data] engine", "use engine = \"duckdb\"");
}

}  // namespace kith
