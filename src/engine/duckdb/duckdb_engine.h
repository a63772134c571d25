// The engine on DuckDB, in process.
#pragma once
#include <map>
#include <memory>
#include <string>

#include "engine/engine.h"
#include "engine/frame.h"

namespace kith {

/// Tables in memory, by what follows "frame:" in a policy.
using Frames = std::map<std::string, std::shared_ptr<const Frame>>;

/// Its Open requires policy.engine == "duckdb". A program that has frames passes them as its own engine
/// (EngineOptions::engine).
std::shared_ptr<const Engine> DuckDbEngine(Frames frames = {});

/// Is it this engine that opens data, where a policy names DuckDB?
bool IsDuckDb(const EngineOptions& options);

/// Those of `options.engine`; none if it is a different engine. It must outlive what is returned.
const Frames& FramesOf(const EngineOptions& options);

}  // namespace kith
