// The engine on DuckDB, in process.
#pragma once
#include <memory>

#include "engine/engine.h"

namespace kith {

/// Fails as OpenEngine does. Requires: policy.engine == "duckdb".
Result<std::unique_ptr<Engine>> OpenDuckDbEngine(const Policy& policy, const EngineOptions& options, const Call& call);

}  // namespace kith
