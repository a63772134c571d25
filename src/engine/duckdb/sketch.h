// What SketchFile does, for a source that is resolved already.
#pragma once
#include <vector>

#include "base/cancel.h"
#include "base/result.h"
#include "engine/duckdb/source.h"
#include "policy/policy.h"

namespace kith {

/// Whether only names and types are looked for, the file being written as the source says, or how it is written too.
enum class Look { kAsDeclared, kForFormat };

Result<FileSketch> SketchSource(const Source& source, Look look, const CancelFlag& cancel);

}  // namespace kith
