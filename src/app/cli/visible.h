// What a terminal must not obey.
#pragma once
#include <string>

namespace kith::cli {

/// The text with everything spelled out that would steer a terminal instead of being seen on it: control characters,
/// line and paragraph separators, and marks that change the direction of writing. "\\n", "\\x1b", "\\u202e".
std::string Visible(const std::string& text);

}  // namespace kith::cli
