// PostgreSQL's binary values to whole numbers. The types decide whether a result is accepted, never the values.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/int128.h"

namespace kith {

/// Types by the numbers that PostgreSQL gave them for good.
enum class PgType : std::uint32_t {
  kBoolean = 16,
  kByteChar = 18,  // "char": one byte
  kName = 19,
  kInt8 = 20,
  kInt2 = 21,
  kInt4 = 23,
  kText = 25,
  kFloat4 = 700,
  kFloat8 = 701,
  kMoney = 790,
  kChar = 1042,  // char(n)
  kVarchar = 1043,
  kDate = 1082,
  kTimestamp = 1114,
  kTimestampTz = 1184,
  kNumeric = 1700,
  kUuid = 2950,
};

/// Can a value of this type be a whole number?
bool HoldsIntegers(PgType type);
/// And one of at most 64 bits?
bool HoldsNarrowIntegers(PgType type);

/// A value that is not NULL, as the server sends it. Nothing: not whole, not a number, or more than 127 bits and a sign
/// can hold. Requires: HoldsIntegers.
std::optional<Int128> IntegerOf(PgType type, std::string_view bytes);

/// Big endian, like everything that the server sends.
std::int64_t BigEndian(std::string_view bytes);

}  // namespace kith
