// The time of day, from one place: whatever kith writes down or prints of it comes from here, so that a test can stop
// it.
#pragma once
#include <cstdint>

namespace kith {

/// Since 1970, UTC.
std::int64_t UnixMicroseconds();
std::int64_t UnixSeconds();

/// Of a clock that never jumps and starts at an arbitrary time: only differences mean anything.
std::int64_t SteadyMicroseconds();

}  // namespace kith
