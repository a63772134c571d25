// Whole files of text that people name: models, pages, tables.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace kith {

inline constexpr std::uintmax_t kLargestTextFile = std::uintmax_t{64} << 20;

/// Fails: kInvalidArgument if there is no such file, or if it is larger than `largest` bytes; kStorage if it cannot be
/// read.
Result<std::string> ReadTextFile(const std::filesystem::path& path, std::uintmax_t largest = kLargestTextFile);

/// Replaces what was there before. Fails: kStorage.
Result<void> WriteTextFile(const std::filesystem::path& path, std::string_view text);

/// The same, for a file that only its owner may read and write, even if it existed before. Fails: kStorage.
Result<void> WritePrivateFile(const std::filesystem::path& path, std::string_view text);

}  // namespace kith
