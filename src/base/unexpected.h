// Exceptions of others, as errors.
#pragma once
#include <exception>

#include "base/result.h"

namespace kith {

/// What got through everything else. The text of a foreign exception may quote data: only its kind is said, and what
/// the operating system calls it.
Error Unexpected(const std::exception& error);

}  // namespace kith
