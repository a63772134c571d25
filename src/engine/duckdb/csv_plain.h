// CSV files that cannot be read in place, because they are compressed or UTF-16: first written out as raw UTF-8, into a
// file without a name.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "base/cancel.h"
#include "base/result.h"
#include "engine/duckdb/folder.h"

namespace kith {

enum class Packing { kNone, kGzip, kZstd };

/// What the name of a file says: .gz, .zst or neither.
Packing PackingOf(const std::string& name);

struct PlainOptions {
  Packing packing = Packing::kNone;
  std::string encoding = "utf-8";    // one of Encodings(); UTF-16 becomes UTF-8, others stay as they are
  std::filesystem::path scratch;     // the folder in which the plain file is made; empty: in memory
  std::optional<std::int64_t> most;  // bytes of text to stop after
};

/// Does such a file have to be written out?
bool NeedsPlain(const PlainOptions& options);

/// An open file with the plain text of the file `packed`, which is read from its beginning. Nobody else can open it,
/// and it is gone when it is closed. Fails: kInvalidArgument (not compressed as its name says; cut off or damaged),
/// kStorage, kCancelled.
Result<Descriptor> WritePlain(int packed, const std::string& path, const PlainOptions& options,
                              const CancelFlag& cancel);

}  // namespace kith
