// UTF-8, strictly: no overlong forms, no surrogates, nothing above U+10FFFF.
#pragma once
#include <cstddef>
#include <string_view>

namespace kith {

/// Bytes of the character at the front; 0 if there is none (the text is empty or does not begin with UTF-8).
std::size_t Utf8Length(std::string_view text);

bool IsUtf8(std::string_view text);

}  // namespace kith
