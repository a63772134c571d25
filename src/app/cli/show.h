// The one place that writes to the terminal. Everything that is shown is made as text first.
#pragma once
#include <string_view>

namespace kith::cli {

/// To standard output. Throws std::system_error if it cannot be written.
void Show(std::string_view text);

/// To standard error: what is about the run, not part of its result.
void Tell(std::string_view text);

}  // namespace kith::cli
