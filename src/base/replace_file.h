// A file that several processes write and read at the same time, each of them as a whole.
#pragma once
#include <filesystem>
#include <string_view>

#include "base/result.h"

namespace kith {

/// Replaces the file by `text`. A concurrent reader sees what was there before or all of `text`, however many write at
/// once: each has its own draft. Nothing is left of a draft that failed.
Result<void> ReplaceTextFile(const std::filesystem::path& path, std::string_view text);

}  // namespace kith
