// What SketchFile does, for a source that is already resolved.
#pragma once
#include <vector>

#include "base/cancel.h"
#include "base/result.h"
#include "engine/duckdb/source.h"
#include "policy/policy.h"

namespace kith {

/// Whether to look only for names and types, the file being written as the source says, or also for how it is written.
enum class Look { kAsDeclared, kForFormat };

Result<FileSketch> SketchSource(const Source& source, Look look, const CancelFlag& cancel);

}  // namespace kith
