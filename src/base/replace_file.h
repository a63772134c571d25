// A file that several processes write and read at the same moment, each of them the whole of it.
#pragma once
#include <filesystem>
#include <string_view>

#include "base/result.h"

namespace kith {

/// Puts `text` in the place of the file. Whoever reads it meanwhile sees what was there before or all of `text`,
/// however many write at once: each has a draft of its own. Nothing is left of a draft that failed.
Result<void> ReplaceTextFile(const std::filesystem::path& path, std::string_view text);

}  // namespace kith
