// Integer Laplace noise, sampled exactly: no floating point touches a release.
// Claims: claims/discrete_laplace.md
#pragma once
#include <cstdint>
#include <optional>
#include <span>

#include "base/int128.h"
#include "base/result.h"
#include "loss/loss.h"
#include "mechanism/laplace_magnitude.h"
#include "random/bits.h"

namespace kith {

/// Adds Z to an integer, where P[Z = z] is proportional to exp(-|z| / scale) and scale = sensitivity / share, both
/// integers. A sensitivity of zero (only public facts) means a scale of zero and no noise. Immutable: safe to use from
/// several threads.
class DiscreteLaplace {
 public:
  /// Values beyond +-2^125 are clamped to it, before and after the noise.
  static constexpr Int128 kLargest = Int128{1} << 125;

  /// Fails: kInvalidArgument if the share is zero although the sensitivity is not: no noise would be enough.
  static Result<DiscreteLaplace> Make(Sensitivity sensitivity, PlainUnits share);

  /// The value plus noise. Several values that share one sensitivity (in L1) are released one after another.
  /// Ensures [DL-1]: if the values of all cells together change by at most the sensitivity in L1, no set of outputs
  /// becomes likelier by more than the factor exp(share.count() * 2^-32). Ensures [DL-2]: saturates at +-kLargest;
  /// never wraps, never fails.
  template <int kDigits = 63, int kMore = 64, RandomBits Source>
  Int128 Release(Int128 value, Source& bits) const {
    return Cut(Cut(value) + Noise<kDigits, kMore>(bits));  // the sum stays below 2^126 + 2^125 in size
  }
  Int128 Release(Int128 value, BitSource& bits) const;  // the same: what every release goes through (release.cc)

  /// Releases all values in place.
  template <RandomBits Source>
  void ReleaseAll(std::span<Int128> values, Source& bits) const {
    for (Int128& value : values) value = Release(value, bits);
  }

  /// Only the noise, clamped to +-2^126 (after which Release saturates anyway). One bit is the sign; a uniform number
  /// is known to kDigits binary digits at first and to kMore more whenever these do not decide. The law does not
  /// depend on the two numbers, only the speed does: tests of the exact law choose small ones.
  template <int kDigits = 63, int kMore = 64, RandomBits Source>
  Int128 Noise(Source& bits) const {
    if (!magnitude_) return 0;
    const std::uint64_t drawn = bits.Bits(kDigits + 1);
    const Int128 negative = static_cast<Int128>(drawn & 1);
    const auto decided = magnitude_->Decide(drawn >> 1, kDigits);
    const auto size = decided ? static_cast<Int128>(*decided)
                              : static_cast<Int128>(magnitude_->Refine(drawn >> 1, kDigits, kMore, bits));
    return (size ^ -negative) + negative;
  }

  /// The smallest whole number of steps that the noise exceeds with probability at most 1 - confidence (in either
  /// direction). Requires: 0 < confidence < 1. Ensures [DL-3]: covers; where rounding leaves it open, the next larger
  /// number.
  double ErrorBar(double confidence) const { return ErrorBarAll(confidence, 1); }

  /// The same for all cells at once: the largest of that many independent errors.
  /// Requires: 0 < confidence < 1, cells >= 1.
  double ErrorBarAll(double confidence, std::uint64_t cells) const;

  /// The smallest share whose ErrorBarAll(confidence, cells) is at most error_in_steps.
  /// Requires: 0 < confidence < 1, cells >= 1.
  /// Fails: kInvalidArgument if the error is not a number of at least 0, or not even the largest share reaches it.
  static Result<PlainUnits> ShareForError(Sensitivity sensitivity, double error_in_steps, double confidence,
                                          std::uint64_t cells = 1);

  /// The scale in steps, for people to read.
  double scale() const;
  /// The scale as a fraction in lowest terms; 0/1 if there is no noise.
  std::uint64_t num() const { return magnitude_ ? magnitude_->num() : 0; }
  std::uint64_t den() const { return magnitude_ ? magnitude_->den() : 1; }

 private:
  explicit DiscreteLaplace(std::optional<LaplaceMagnitude> magnitude) : magnitude_(magnitude) {}
  static Int128 Cut(Int128 value) { return value > kLargest ? kLargest : value < -kLargest ? -kLargest : value; }

  std::optional<LaplaceMagnitude> magnitude_;  // none: no noise
};

}  // namespace kith
