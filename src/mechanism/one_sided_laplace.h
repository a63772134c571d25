// One-sided integer noise for histograms of records that are not sensitive: counts are only ever lowered.
// Claims: claims/one_sided.md
#pragma once
#include <cstdint>
#include <optional>

#include "base/int128.h"
#include "base/result.h"
#include "loss/loss.h"
#include "mechanism/laplace_magnitude.h"
#include "mechanism/record_release.h"
#include "random/bits.h"

namespace kith {

/// Subtracts G from a count, where P[G >= k] = exp(-epsilon * k) for k >= 0. Immutable: safe to use from several
/// threads.
class OneSidedLaplace {
 public:
  /// Fails: kInvalidArgument if epsilon is 0: no noise would be enough.
  static Result<OneSidedLaplace> Make(PlainUnits epsilon);

  /// Requires: count is a number of records that are not sensitive, at most 2^62 in size.
  /// Ensures [OSDP-2]: let one sensitive record be replaced by any other, so that at most one count of a histogram
  /// grows, and by one. The probability of any set of outputs before is at most exp(epsilon.count() * 2^-32) times that
  /// after.
  template <int kDigits = 63, int kMore = 64, RandomBits Source>
  Int128 Release(Int128 count, Source& bits) const {
    return count - Noise<kDigits, kMore>(bits);
  }
  Int128 Release(Int128 count, BitSource& bits) const;  // the same: what every release goes through (release.cc)

  /// Only the noise, never negative.
  template <int kDigits = 63, int kMore = 64, RandomBits Source>
  Int128 Noise(Source& bits) const {
    Int128 noise = 0;
    if (!magnitude_) {  // few heads: count them
      while (!coin_.template Draw<kDigits, kMore>(bits)) ++noise;
      return noise;
    }
    while (noise == 0) {  // given M >= 1, M - 1 has the law of G; M = 0 in less than a quarter of all draws
      const std::uint64_t prefix = bits.Bits(kDigits);
      const auto decided = magnitude_->Decide(prefix, kDigits);
      noise = decided ? static_cast<Int128>(*decided)
                      : static_cast<Int128>(magnitude_->Refine(prefix, kDigits, kMore, bits));
    }
    return noise - 1;
  }

  /// The median of the noise: the smallest m with P[G <= m] >= 1/2, from double arithmetic.
  std::int64_t Median() const;
  /// Post-processing with a small absolute error: what is not positive becomes 0, anything else gets the median back.
  Int128 Debiased(Int128 released) const { return released > 0 ? released + Median() : 0; }

 private:
  OneSidedLaplace(RecordRelease coin, std::optional<LaplaceMagnitude> magnitude) : coin_(coin), magnitude_(magnitude) {}

  RecordRelease coin_;
  std::optional<LaplaceMagnitude> magnitude_;  // for an epsilon below 1/2
};

}  // namespace kith
