// Names and secrets that nobody can guess. Not for noise: that is random/bits.h.
#pragma once
#include <cstddef>
#include <string>

namespace kith {

/// That many bytes of the operating system's entropy, in lower-case hexadecimal. If there is none, the process ends.
std::string RandomHex(std::size_t bytes);

}  // namespace kith
