// Geometric whole numbers, drawn exactly: P[G >= g] = r^g. The binary digits of G are independent, digit k is one with
// probability r^(2^k) / (1 + r^(2^k)), and G reaches 2^K with probability r^(2^K): so K + 1 coins with known chances
// give G, however large it is. Each coin compares a uniform number with its chance, digit by digit as far as it takes.
// Internal to mechanism.  Claims: claims/sparse.md
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "base/int128.h"
#include "random/bits.h"

namespace kith {

/// Immutable: safe to use from several threads.
class GeometricBits {
 public:
  static constexpr int kMostDigits = 126;

  /// r = exp(-den / num). Requires: num, den >= 1, 1 <= digits <= kMostDigits.
  static GeometricBits OfDecay(std::uint64_t num, std::uint64_t den, int digits);
  /// r = 1 - pi, where pi = q^threshold / (1 + q) with q = exp(-den / num): the chance that discrete Laplace noise of
  /// the scale num / den reaches the threshold. Requires: threshold >= 1, and as above.
  static GeometricBits OfMisses(std::uint64_t num, std::uint64_t den, std::uint64_t threshold, int digits);

  /// G, or nothing if it is 2^digits or more. A coin is decided by kDigits binary digits, or by kMore further ones at a
  /// time; the law does not depend on these numbers.
  /// Ensures [SPARSE-2]: P[G = g] = (1 - r) r^g, exactly.
  template <int kDigits = 64, int kMore = 64, RandomBits Source>
  std::optional<UInt128> Draw(Source& bits) const {
    const auto coin = [&](std::size_t k) {
      const std::uint64_t prefix = bits.Bits(kDigits);
      const UInt128 low = UInt128{prefix} << (64 - kDigits), width = UInt128{1} << (64 - kDigits);
      if (low + width <= chances_[k].low) return true;
      if (low >= chances_[k].high) return false;
      return Refine(k, prefix, kDigits, kMore, bits);
    };
    const std::size_t digits = chances_.size() - 1;
    if (coin(digits)) return std::nullopt;
    UInt128 drawn = 0;
    for (std::size_t k = 0; k < digits; ++k) drawn |= UInt128{coin(k) ? 1U : 0U} << k;
    return drawn;
  }

 private:
  /// low <= chance * 2^64 <= high.
  struct Chance {
    UInt128 low, high;
  };
  GeometricBits(std::uint64_t num, std::uint64_t den, std::uint64_t threshold, int digits);
  /// The same coin from the same digits and further ones: slow, and exact for every chance.
  bool Refine(std::size_t k, std::uint64_t prefix, int n, int more, BitSource& bits) const;

  std::uint64_t num_, den_, threshold_;  // threshold 0: r = exp(-den / num)
  std::vector<Chance> chances_;          // of the digits, then that of 2^digits and more
};

}  // namespace kith
