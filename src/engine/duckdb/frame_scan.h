// Shows a frame in memory to DuckDB as a table, two thousand rows at a time: integers, numbers and times pass through
// the engine's own vectors, longer strings stay where they are.
#pragma once
#include <memory>
#include <string>

#include "engine/duckdb/duckdb_session.h"
#include "engine/frame.h"

namespace kith {

/// Makes the table function `name`, whose rows are those of the frame, and which holds it as long as the database
/// lives. Strings that are not UTF-8, numbers that do not fit their own declaration and references that lead nowhere are
/// NULL. Fails: kInternal.
Result<void> ShowFrame(const DuckDbConnection& connection, const std::string& name, std::shared_ptr<const Frame> frame);

}  // namespace kith
