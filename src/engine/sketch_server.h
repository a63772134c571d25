// Names and types of the columns of a server's table, for `kith init`.
#pragma once
#include "base/call.h"
#include "base/result.h"
#include "policy/policy.h"

namespace kith {

/// Of the only table of a data part (policy/data_part.h). Asks the catalog; no row is read, and no value leaves it.
/// Fails: kInvalidArgument, kStorage, kCancelled.
Result<FileSketch> SketchServer(const Policy& data, const Call& call);

}  // namespace kith
