// Continuous Laplace noise as far as a computer can hold it: rounded towards zero to whole steps, drawn exactly.
// Claims: claims/learn.md
#pragma once
#include <cstdint>

#include "base/int128.h"
#include "base/result.h"
#include "mechanism/laplace_magnitude.h"
#include "random/bits.h"

namespace kith {

/// Draws whole numbers S * G, S a fair sign and P[G >= k] = exp(-k * den / num). Immutable: safe to use from several
/// threads.
class LaplaceFloor {
 public:
  /// Fails: kInvalidArgument unless 2 <= num / den and num <= 2^63, den <= 2^52 in lowest terms.
  static Result<LaplaceFloor> Make(std::uint64_t num, std::uint64_t den);

  /// Ensures [LEARN-3]: has exactly the law of a real number with density proportional to exp(-|x| * den / num),
  /// rounded towards zero: so there is such a number less than 1 away from what is returned, on the same side of 0. Cut
  /// at
  /// +-2^126.
  template <int kDigits = 63, int kMore = 64, RandomBits Source>
  Int128 Draw(Source& bits) const {
    const bool negative = bits.Bits(1) != 0;
    for (;;) {  // given M >= 1, M - 1 has the law of G; M = 0 in less than a quarter of all draws
      const std::uint64_t prefix = bits.Bits(kDigits);
      const auto decided = magnitude_.Decide(prefix, kDigits);
      const auto size = decided ? static_cast<Int128>(*decided)
                                : static_cast<Int128>(magnitude_.Refine(prefix, kDigits, kMore, bits));
      if (size > 0) return negative ? 1 - size : size - 1;
    }
  }

  /// In steps, for people to read.
  double scale() const { return static_cast<double>(magnitude_.num()) / static_cast<double>(magnitude_.den()); }

 private:
  explicit LaplaceFloor(LaplaceMagnitude magnitude) : magnitude_(magnitude) {}

  LaplaceMagnitude magnitude_;
};

}  // namespace kith
