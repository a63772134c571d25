// Tables of public data, as text. Never those that a policy protects: callers ask RefuseProtected first.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/result.h"

namespace kith::estimate {

/// "read_csv(...)" or "read_parquet(...)" for one file. `path`: where it is, absolute.
/// Fails: kInvalidArgument (no such file, unknown kind).
Result<std::string> FromPublicFile(const std::string& shown, std::string& path);

struct PublicTable {
  std::vector<std::vector<std::string>> rows;  // the named columns, in their order
  std::int64_t left_out = 0;                   // rows in which one of them is missing
};
/// Fails: kInvalidArgument (as above; no such column, more than `most_rows` rows), kStorage, kCancelled.
Result<PublicTable> ReadPublicTable(const std::string& file, const std::vector<std::string>& columns,
                                    std::size_t most_rows, const CancelFlag& cancel);

}  // namespace kith::estimate
