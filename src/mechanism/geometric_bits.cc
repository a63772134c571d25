#include "mechanism/geometric_bits.h"

#include "base/check.h"
#include "mechanism/exp_bounds.h"

namespace kith {
namespace {

using exp_bounds::Big;
using exp_bounds::BigBounds;
using exp_bounds::DivideUp;
using exp_bounds::Exp;
using exp_bounds::ShiftUp;

/// Bounds of r^(2^k). Squaring at most doubles an error, so k more digits than wanted are enough.
BigBounds Power(std::uint64_t num, std::uint64_t den, std::uint64_t threshold, std::size_t k, unsigned precision) {
  if (threshold == 0) return Exp(Big(den) << k, num, precision);
  const unsigned inner = precision + static_cast<unsigned>(k) + 16;
  const Big one = Big(1) << inner;
  const BigBounds q = Exp(den, num, inner);
  const BigBounds tail = Exp(Big(den) * threshold, num, inner);
  const Big most = DivideUp(tail.high << inner, one + q.low), least = (tail.low << inner) / (one + q.high);
  BigBounds bounds{one - most, one - least};
  for (std::size_t i = 0; i < k; ++i) {
    bounds.low = (bounds.low * bounds.low) >> inner;
    bounds.high = ShiftUp(bounds.high * bounds.high, inner);
  }
  return {bounds.low >> (inner - precision), ShiftUp(bounds.high, inner - precision)};
}

/// Bounds of the chance of coin k among `digits` + 1.
BigBounds ChanceOf(std::uint64_t num, std::uint64_t den, std::uint64_t threshold, std::size_t k, std::size_t digits,
                   unsigned precision) {
  const unsigned inner = precision + 4;
  const BigBounds power = Power(num, den, threshold, k, inner);
  if (k == digits) return {power.low >> 4, ShiftUp(power.high, 4)};
  const Big one = Big(1) << inner;  // x / (1 + x) grows with x
  return {(power.low << precision) / (one + power.low), DivideUp(power.high << precision, one + power.high)};
}

UInt128 Narrow(const Big& value) {
  return UInt128{static_cast<std::uint64_t>(Big(value >> 64))} << 64 |
         static_cast<std::uint64_t>(Big(value & ~std::uint64_t{0}));
}

}  // namespace

GeometricBits::GeometricBits(std::uint64_t num, std::uint64_t den, std::uint64_t threshold, int digits)
    : num_(num), den_(den), threshold_(threshold) {
  KITH_CHECK(num >= 1 && den >= 1 && digits >= 1 && digits <= kMostDigits);
  const auto last = static_cast<std::size_t>(digits);
  for (std::size_t k = 0; k <= last; ++k) {
    const BigBounds chance = ChanceOf(num, den, threshold, k, last, 64);
    chances_.push_back({Narrow(chance.low), Narrow(chance.high)});
  }
}

GeometricBits GeometricBits::OfDecay(std::uint64_t num, std::uint64_t den, int digits) {
  return GeometricBits(num, den, 0, digits);
}

GeometricBits GeometricBits::OfMisses(std::uint64_t num, std::uint64_t den, std::uint64_t threshold, int digits) {
  KITH_CHECK(threshold >= 1);
  return GeometricBits(num, den, threshold, digits);
}

bool GeometricBits::Refine(std::size_t k, std::uint64_t prefix, int n, int more, BitSource& bits) const {
  Big digits = prefix;  // U is in [digits, digits + 1) / 2^known
  auto known = static_cast<unsigned>(n);
  for (;;) {  // ends with probability one: each round leaves few of the next 2^more open
    const BigBounds chance = ChanceOf(num_, den_, threshold_, k, chances_.size() - 1, known);
    if (digits + 1 <= chance.low) return true;
    if (digits >= chance.high) return false;
    digits = (digits << more) | Big(bits.Bits(more));
    known += static_cast<unsigned>(more);
  }
}

}  // namespace kith
