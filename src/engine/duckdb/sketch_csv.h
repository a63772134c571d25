// The part of a sketch that looks at the values of a CSV file.
#pragma once
#include "base/cancel.h"
#include "base/result.h"
#include "engine/duckdb/duckdb_session.h"
#include "engine/duckdb/sketch.h"
#include "engine/duckdb/source.h"
#include "policy/policy.h"

namespace kith {

/// A database for small questions about public facts.
Result<DuckDb> OpenSmall();

/// Fails: kInvalidArgument (no header), kStorage, kCancelled.
Result<FileSketch> SketchCsv(const Source& source, Look look, const CancelFlag& cancel);

}  // namespace kith
