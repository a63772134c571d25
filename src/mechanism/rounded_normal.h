// Integer normal noise, sampled exactly: round(sigma N) for a standard normal N and a rational sigma. No floating point
// touches a release.  Source: docs/theory/mechanisms.md#normal-noise; Karney 2016.  Claims: claims/rounded_normal.md
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "base/int128.h"
#include "base/result.h"
#include "mechanism/log_bounds.h"
#include "random/bits.h"

namespace kith {

/// Adds Z = floor(sigma N + 1/2) to an integer, sigma = num / den. Immutable: safe to use from several threads.
class RoundedNormal {
 public:
  /// Values beyond +-2^125 are clamped to it, before and after the noise.
  static constexpr Int128 kLargest = Int128{1} << 125;

  /// Fails: kInvalidArgument unless 1 <= num <= 2^62, 1 <= den <= 2^52 and num / den >= 2^-6.
  static Result<RoundedNormal> Make(std::uint64_t num, std::uint64_t den);

  /// The value plus noise.
  /// Ensures [NORMAL-1]: if the values of all cells together change by at most D in L2, releasing them is
  /// (D / sigma)-Gaussian: no test between the two does better than one between N(0, 1) and N(D / sigma, 1).
  template <RandomBits Source>
  Int128 Release(Int128 value, Source& bits) const {
    return Cut(Cut(value) + Noise(bits));
  }
  Int128 Release(Int128 value, BitSource& bits) const;  // the same: what every release goes through (release.cc)

  /// Releases all values in place.
  void ReleaseAll(std::span<Int128> values, BitSource& bits) const {
    for (Int128& value : values) value = Release(value, bits);
  }

  /// Ensures [NORMAL-2]: P[Z = z] = Phi((z + 1/2) / sigma) - Phi((z - 1/2) / sigma), exactly.
  template <RandomBits Source>
  Int128 Noise(Source& bits) const {
    for (;;) {
      if (const auto noise = Trial(bits)) return *noise;
    }
  }

  /// One trial of the rejection sampler: |N| = k + x with P[k] proportional to exp(-k^2 / 2) and x uniform in [0, 1) is
  /// kept with probability exp(-x (2k + x) / 2). The template arguments are how many binary digits of the three uniform
  /// numbers are drawn first, and how many at a time after that; the law does not depend on them.
  template <int kChoice = 31, int kFraction = 56, int kCoin = 32, int kMore = 64, RandomBits Source>
  std::optional<Int128> Trial(Source& bits) const {
    static_assert(kChoice >= 1 && kCoin >= 1 && kChoice + kCoin <= 63 && kFraction >= 1 && kFraction <= 56);
    const std::uint64_t word = bits.Bits(kChoice + kCoin + 1);
    const bool negative = (word & 1) != 0;
    const std::uint64_t choice = (word >> 1) & ((std::uint64_t{1} << kChoice) - 1);
    const std::uint64_t coin = word >> (kChoice + 1);
    const std::uint64_t fraction = bits.Bits(kFraction);
    const Outcome outcome = Decide({choice, kChoice}, {fraction, kFraction}, {coin, kCoin});
    if (outcome.what == Outcome::kRejected) return std::nullopt;
    if (outcome.what == Outcome::kOpen)
      return Refine({choice, kChoice}, {fraction, kFraction}, {coin, kCoin}, negative, kMore, bits);
    const auto size = static_cast<Int128>(outcome.size);
    return negative ? -size : size;
  }

  /// The smallest whole number of steps that |Z| exceeds with probability at most 1 - confidence.
  /// Requires: 0 < confidence < 1. Ensures [NORMAL-3]: it covers, and one step less does not (up to 2^52 steps).
  double ErrorBar(double confidence) const { return ErrorBarAll(confidence, 1); }
  /// The same for all cells at once: the largest of that many independent errors. Requires: cells >= 1.
  double ErrorBarAll(double confidence, std::uint64_t cells) const;

  double scale() const { return sigma(); }
  double sigma() const { return static_cast<double>(num_) / static_cast<double>(den_); }
  std::uint64_t num() const { return num_; }
  std::uint64_t den() const { return den_; }

 private:
  /// The first `count` binary digits of a number in [0, 1).
  struct Digits {
    std::uint64_t prefix;
    int count;
  };
  struct Outcome {
    enum { kAccepted, kRejected, kOpen } what;
    UInt128 size = 0;
  };
  static constexpr std::size_t kMostChosen = 8;
  /// low <= 2^64 P[k <= at] <= high, up to where the digits of a word end.
  using Choices = std::array<log_bounds::Bounds, kMostChosen>;
  static const Choices& ChoiceBounds();

  RoundedNormal(std::uint64_t num, std::uint64_t den);

  Outcome Decide(Digits choice, Digits fraction, Digits coin) const {
    constexpr Outcome kUndecided = {Outcome::kOpen, 0};
    // k: the interval of the digits must be between two sums of probabilities.
    const std::uint64_t low = choice.prefix << (64 - choice.count);
    const std::uint64_t high = low | (~std::uint64_t{0} >> choice.count);
    std::uint64_t k = 0;
    while (k < kMostChosen && low >= (*choices_)[k].high) ++k;
    if (k == kMostChosen || high >= (*choices_)[k].low || coin.prefix == 0) return kUndecided;
    // Keep if -ln(coin) > x (2k + x) / 2; both in units of 2^-58.
    const int n = fraction.count;
    const UInt128 x = fraction.prefix;
    const UInt128 twice = UInt128{2 * k} << n;
    const UInt128 least = Scaled(x * (twice + x), 2 * n + 1);
    const UInt128 most = Scaled((x + 1) * (twice + x + 1), 2 * n + 1) + 1;
    // -ln(coin) >= 1 - coin, which is nearly always enough.
    const UInt128 beyond = (UInt128{1} << coin.count) - 1 - coin.prefix;
    if (Scaled(beyond, coin.count) <= most) {
      const log_bounds::Bounds log = log_bounds::MinusLog(coin.prefix, coin.count);
      if (log.high < least) return {Outcome::kRejected, 0};
      if (log.low <= most) return kUndecided;
    }
    // floor(sigma (k + x) + 1/2), from below and from above.
    const UInt128 y = (UInt128{k} << n) + x;
    const int shift = n + shift_;
    const UInt128 half = UInt128{1} << (shift - 1);
    const UInt128 from = (y * sigma_low_ + half) >> shift;
    const UInt128 to = ((y + 1) * sigma_high_ + half) >> shift;
    if (from != to) return kUndecided;
    return {Outcome::kAccepted, from};
  }

  /// value / 2^digits in units of 2^-58, rounded down.
  static UInt128 Scaled(UInt128 value, int digits) {
    const int down = digits - log_bounds::kFraction;
    return down >= 0 ? value >> down : value << -down;
  }

  /// The same trial from the same digits and further ones: slow, and exact for every sigma.
  std::optional<Int128> Refine(Digits choice, Digits fraction, Digits coin, bool negative, int more,
                               BitSource& bits) const;

  static Int128 Cut(Int128 value) { return value > kLargest ? kLargest : value < -kLargest ? -kLargest : value; }

  std::uint64_t num_, den_;
  int shift_;  // sigma_low_ / 2^shift_ <= sigma <= sigma_high_ / 2^shift_
  std::uint64_t sigma_low_, sigma_high_;
  const Choices* choices_;
};

}  // namespace kith
