// The engine on DuckDB, in process.
#pragma once
#include <memory>

#include "engine/engine.h"

namespace kith {

/// Its Open requires policy.engine == "duckdb".
std::shared_ptr<const Engine> DuckDbEngine();

}  // namespace kith
