// Bounds of -ln in integers only, for the exact samplers: [DL-1] rests on them (claims/discrete_laplace.md has the
// proof).
#pragma once
#include <array>
#include <bit>
#include <cstdint>

#include "base/int128.h"

namespace kith::log_bounds {

inline constexpr int kFraction = 58;  // a bound counts units of 2^-58; -ln of a positive 64-bit fraction is below 64

/// low <= -ln(u) * 2^58 <= high.
struct Bounds {
  std::uint64_t low, high;
};

/// ln(c / 2^16) in units of 2^-58, rounded down by less than 1.001 units, for 2^16 <= c <= 2^17.
/// By 2 atanh(t) = 2 (t + t^3/3 + ...), t = (c - 2^16)/(c + 2^16) <= 1/3, in units of 2^-88, every step rounded down.
constexpr std::uint64_t LogDown(std::uint64_t c) {
  const UInt128 top = c - 65536;
  const UInt128 bottom = c + 65536;
  UInt128 power = (top << 88) / bottom;
  UInt128 sum = 0;
  for (unsigned k = 1; power != 0; k += 2) {
    sum += power / k;
    power = power * (top * top) / (bottom * bottom);  // below 2^87 * 2^32
  }
  return static_cast<std::uint64_t>(sum >> (88 - kFraction - 1));
}

struct Row {
  std::uint64_t factor;  // at most 2^16 / v for every v of the row, so that v * factor / 2^16 is just below one
  std::uint64_t log;     // LogDown(factor)
};

inline constexpr std::uint64_t kLogTwo = LogDown(131072);

/// Row i is for v in [(256 + i)/512, (257 + i)/512).
inline constexpr auto kRows = [] {
  std::array<Row, 256> rows{};
  for (std::uint64_t i = 0; i < rows.size(); ++i) {
    const std::uint64_t factor = (std::uint64_t{65536} * 512) / (257 + i);
    rows[i] = {factor, LogDown(factor)};
  }
  return rows;
}();

constexpr std::uint64_t HighProduct(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint64_t>((UInt128{a} * b) >> 64);
}

/// How far `low` may be below -ln(prefix / 2^n), in units of 2^-58 (236.5 is proved).
inline constexpr std::uint64_t kSlack = 256;

/// Bounds that hold for every u in [prefix / 2^n, (prefix + 1) / 2^n].
/// Requires: 1 <= prefix < 2^n, 1 <= n <= 64.
constexpr Bounds MinusLog(std::uint64_t prefix, int n) {
  const int zeros = std::countl_zero(prefix);
  const std::uint64_t mantissa = prefix << zeros;  // v = mantissa / 2^64 in [1/2, 1), u = v / 2^halvings
  const auto halvings = static_cast<std::uint64_t>(zeros + n - 64);
  const Row& row = kRows[(mantissa >> 55) & 255];
  // v * factor / 2^16 = 1 - f with 0 <= f < 2^-8; in units of 2^-64, down.
  const auto f = static_cast<std::uint64_t>(((UInt128{1} << 80) - UInt128{mantissa} * row.factor) >> 16);
  // -ln(1 - f) = f + f^2/2 + f^3/3 + ..., the first five terms, down.
  constexpr std::uint64_t kAll = ~std::uint64_t{0};
  std::uint64_t series = HighProduct(f, kAll / 5);
  series = HighProduct(f, kAll / 4 + series);
  series = HighProduct(f, kAll / 3 + series);
  series = HighProduct(f, kAll / 2 + series);
  series = HighProduct(f, series) + f;
  const std::uint64_t at_prefix = halvings * kLogTwo + row.log + (series >> (64 - kFraction));
  // ln((prefix + 1)/prefix) <= 1/prefix <= 2^(zeros - 63).
  const std::uint64_t gap = ((std::uint64_t{1} << zeros) >> (63 - kFraction)) + 1;
  return {at_prefix > gap ? at_prefix - gap : 0, at_prefix + kSlack};
}

}  // namespace kith::log_bounds
