// The coin of one-sided privacy: a record that is not sensitive is released with probability 1 - exp(-epsilon),
// exactly. Claims: claims/one_sided.md
#pragma once
#include <cstdint>
#include <span>

#include "base/result.h"
#include "loss/loss.h"
#include "random/bits.h"

namespace kith {

/// Immutable: safe to use from several threads, each with its own bits.
class RecordRelease {
 public:
  /// Fails: kInvalidArgument if epsilon is 0: nothing would ever be released.
  static Result<RecordRelease> Make(PlainUnits epsilon);

  /// Whether to release a record that is not sensitive. A sensitive one must never come here.
  /// Ensures [OSDP-1]: true with probability exactly 1 - exp(-epsilon.count() * 2^-32). The law does not depend on how
  /// many digits are drawn at once (kDigits, then kMore); tests of the exact law choose few.
  template <int kDigits = 64, int kMore = 64, RandomBits Source>
  bool Draw(Source& bits) const {
    static_assert(kDigits >= 1 && kDigits <= 64);
    // U is in [prefix, prefix + 1) / 2^kDigits; the record is suppressed if U < exp(-epsilon).
    const std::uint64_t prefix = bits.Bits(kDigits);
    const std::uint64_t first = prefix << (64 - kDigits);
    const std::uint64_t last = first | (kDigits == 64 ? 0 : ~std::uint64_t{0} >> kDigits % 64);
    if (last < away_low_) return false;
    if (first >= away_high_) return true;
    return Refine(prefix, kDigits, kMore, bits);
  }
  /// A coin for each of several records: what every release of records goes through (release.cc).
  void DrawAll(std::span<bool> released, SystemBits& bits) const;

  PlainUnits epsilon() const { return epsilon_; }
  /// 1 - exp(-epsilon), for people to read.
  double rate() const;

 private:
  RecordRelease(PlainUnits epsilon, std::uint64_t low, std::uint64_t high)
      : epsilon_(epsilon), away_low_(low), away_high_(high) {}
  bool Refine(std::uint64_t prefix, int n, int more, BitSource& bits) const;

  PlainUnits epsilon_;
  std::uint64_t away_low_, away_high_;  // bounds of exp(-epsilon) * 2^64
};

}  // namespace kith
