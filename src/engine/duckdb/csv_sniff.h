// How a CSV file is written, found out from its first part. For `kith init` only: what is found goes into a policy that
// a person reads, and no import follows from anything but the policy.
#pragma once
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/result.h"
#include "engine/duckdb/source.h"

namespace kith {

struct CsvSniff {
  CsvShape shape;
  std::vector<std::string> remarks;  // for the curator
};

/// Requires: a resolved CSV source. Fails: kInvalidArgument (a damaged compressed file), kStorage, kCancelled.
Result<CsvSniff> SniffCsv(const Source& source, const CancelFlag& cancel);

}  // namespace kith
