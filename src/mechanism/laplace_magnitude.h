// The size of discrete Laplace noise, P[M >= m] = 2 q^m / (1 + q) for m >= 1 with q = exp(-den / num), drawn exactly: M
// counts the thresholds of the law above a uniform real number U, whose binary digits are drawn as far as it takes to
// decide. Claims: claims/discrete_laplace.md
#pragma once
#include <cstdint>
#include <optional>

#include "base/int128.h"
#include "mechanism/log_bounds.h"
#include "random/bits.h"

namespace kith {

/// Immutable, so safe to use from several threads.
class LaplaceMagnitude {
 public:
  /// Larger results are clamped to this: beyond every value that a release can show (discrete_laplace.h).
  static constexpr UInt128 kCut = UInt128{1} << 126;

  /// Requires: 1 <= num <= 2^63, 1 <= den <= 2^52, num / den >= 2^-20.
  LaplaceMagnitude(std::uint64_t num, std::uint64_t den);

  /// M from the first n binary digits of U, if these decide it. They nearly always do: for n = 63 they leave it open
  /// with a probability of about scale * 2^-49. Requires: prefix < 2^n, 1 <= n <= 64.
  std::optional<std::uint64_t> Decide(std::uint64_t prefix, int n) const {
    if (prefix == 0 || wide_) return std::nullopt;
    // M = floor(scale * (-ln U + offset)), because U < 2 q^m / (1 + q) means m < scale * (-ln U + ln(2 / (1 + q))).
    const log_bounds::Bounds log = log_bounds::MinusLog(prefix, n);
    const std::uint64_t least = log_bounds::HighProduct(log.low + offset_.low, scale_low_) >> (shift_ - 6);
    const std::uint64_t most = log_bounds::HighProduct(log.high + offset_.high, scale_high_) >> (shift_ - 6);
    if (least != most) return std::nullopt;
    return least;
  }

  /// M from the same digits and further ones, drawn `more` at a time. Slow, and exact for every scale.
  UInt128 Refine(std::uint64_t prefix, int n, int more, BitSource& bits) const;

  std::uint64_t num() const { return num_; }
  std::uint64_t den() const { return den_; }

 private:
  struct Range {
    UInt128 least, most;
  };
  Range Candidates(std::uint64_t prefix, int n) const;

  std::uint64_t num_, den_;
  int shift_;                             // scale_low_ / 2^shift_ <= num / den <= scale_high_ / 2^shift_
  std::uint64_t scale_low_, scale_high_;  //
  log_bounds::Bounds offset_;             // of ln(2 / (1 + q))
  bool wide_;                             // results may need more than 64 bits: always refine
};

}  // namespace kith
