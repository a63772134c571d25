// Parquet files whose annotations make DuckDB's reader stop at a value: read without these annotations.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/cancel.h"
#include "base/result.h"

namespace kith {

/// The footer (FileMetaData, Thrift's compact protocol) with two annotations taken out: strings become raw bytes, and
/// milliseconds raw 64-bit integers. DuckDB checks the one for UTF-8 and multiplies the other while it reads, and fails
/// as a whole if a value does not pass; nothing in SQL can catch that. Everything else stays byte for byte. Nothing if
/// the bytes are not such a footer.
std::optional<std::string> PlainFooter(std::string_view footer);

/// Copies a Parquet file with its footer stripped in this way; pages are shared where the file system can.
/// Fails: kStorage (also if it is not a Parquet file), kCancelled.
Result<void> CopyPlain(const std::filesystem::path& from, const std::filesystem::path& to, const CancelFlag& cancel);

}  // namespace kith
