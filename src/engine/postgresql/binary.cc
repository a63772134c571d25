#include "engine/postgresql/binary.h"

namespace kith {

namespace {

constexpr std::size_t kHeader = 8;  // digits, weight, sign, scale: two bytes each
constexpr int kBase = 10'000;
constexpr std::int64_t kNegative = 0x4000;

/// digits * 10000^weight, digits of base 10000. NaN and infinities have their own signs.
std::optional<Int128> OfNumeric(std::string_view bytes) {
  if (bytes.size() < kHeader) return std::nullopt;
  const auto field = [&](std::size_t at) { return BigEndian(bytes.substr(at, 2)); };
  const std::int64_t digits = field(0), weight = field(2), sign = field(4);
  if (digits < 0 || (sign != 0 && sign != kNegative) ||
      bytes.size() != kHeader + 2 * static_cast<std::size_t>(digits)) {
    return std::nullopt;
  }
  const Int128 one =
      sign == kNegative ? -1 : 1;  // built with its sign: the smallest number has no positive counterpart
  Int128 value = 0;
  for (std::int64_t k = 0; k < digits || k <= weight; ++k) {
    const std::int64_t digit = k < digits ? field(kHeader + 2 * static_cast<std::size_t>(k)) : 0;
    if (digit < 0 || digit >= kBase) return std::nullopt;
    if (k > weight) {  // after the point
      if (digit != 0) return std::nullopt;
      continue;
    }
    if (__builtin_mul_overflow(value, Int128{kBase}, &value) || __builtin_add_overflow(value, one * digit, &value))
      return std::nullopt;
  }
  return value;
}

}  // namespace

std::int64_t BigEndian(std::string_view bytes) {
  std::uint64_t value = !bytes.empty() && (static_cast<unsigned char>(bytes[0]) & 0x80) != 0 ? ~std::uint64_t{0} : 0;
  for (const char byte : bytes) value = (value << 8) | static_cast<unsigned char>(byte);
  return static_cast<std::int64_t>(value);
}

bool HoldsNarrowIntegers(PgType type) {
  return type == PgType::kBoolean || type == PgType::kInt2 || type == PgType::kInt4 || type == PgType::kInt8;
}

bool HoldsIntegers(PgType type) { return HoldsNarrowIntegers(type) || type == PgType::kNumeric; }

std::optional<Int128> IntegerOf(PgType type, std::string_view bytes) {
  if (type == PgType::kNumeric) return OfNumeric(bytes);
  const std::size_t size = type == PgType::kBoolean ? 1 : type == PgType::kInt2 ? 2 : type == PgType::kInt4 ? 4 : 8;
  if (bytes.size() != size) return std::nullopt;
  return Int128{BigEndian(bytes)};
}

}  // namespace kith
