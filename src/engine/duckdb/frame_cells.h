// Cells of a frame's column, copied into a vector of DuckDB's. Includes duckdb.h: only for .cc files of this folder.
#pragma once
#include <cstdint>
#include <string>

#include "engine/duckdb/duckdb_state.h"
#include "engine/frame.h"

namespace kith {

/// The type that the engine shows for a column.
duckdb_logical_type TypeOfColumn(const FrameColumn& column);

/// What DuckDB calls it; needs no database.
std::string TypeNameOf(const FrameColumn& column);

/// `count` cells of `array`, from `first` on, counted without its offset. At most a vector's.
void CopyCells(const FrameColumn& column, const ArrowArray& array, std::int64_t first, idx_t count, duckdb_vector into);

}  // namespace kith
