// What SketchFile does, for a source that is resolved already.
#pragma once
#include <vector>

#include "base/cancel.h"
#include "base/result.h"
#include "engine/duckdb/source.h"
#include "policy/policy.h"

namespace kith {

Result<std::vector<ColumnSketch>> SketchSource(const Source& source, const CancelFlag& cancel);

}  // namespace kith
