// 128-bit integers: sums of contributions are exact and cannot overflow in practice; where they could, they saturate.
#pragma once
#include <cstdint>
#include <string>

namespace kith {

__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 UInt128;

std::string ToText(Int128 value);

}  // namespace kith
