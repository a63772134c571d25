// Lengths of time as people write them: "100ms", "30s", "15m", "12h", "90d", "2w".
#pragma once
#include <chrono>
#include <optional>
#include <string_view>

namespace kith {

/// A whole number and a unit, with or without a space between them; nothing if it is anything else or longer than a
/// hundred years.
std::optional<std::chrono::milliseconds> DurationOf(std::string_view text);

}  // namespace kith
