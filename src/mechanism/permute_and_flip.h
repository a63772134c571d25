// Permute-and-flip: one of several candidates, the nearer the likelier, chosen exactly: no floating point touches the
// choice. Claims: claims/quantiles.md
// Source: McKenna, Sheldon 2020, "Permute-and-Flip: a new mechanism for differentially private selection".
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/check.h"
#include "base/int128.h"
#include "base/result.h"
#include "loss/loss.h"
#include "mechanism/log_bounds.h"
#include "random/bits.h"

namespace kith {

/// Chooses by distances. In the source candidates are tried in random order, and each is taken with probability
/// exp(-rate * (its distance - the least)). Coins do not depend on the order, so all can be flipped at once: the
/// choice is one of the heads, each as likely. Here rate = share / spread. Immutable: safe to use from several threads.
class PermuteAndFlip {
 public:
  /// Larger distances count as this.
  static constexpr std::int64_t kFarthest = std::int64_t{1} << 60;

  /// `spread`: by how much more the distance of one candidate can change than that of another (with their signs) when
  /// one unit's record is replaced, over all choices together. Zero (only public facts): the first of the nearest.
  /// Fails: kInvalidArgument if the share is zero although the spread is not.
  static Result<PermuteAndFlip> Make(Sensitivity spread, PlainUnits share);

  /// Requires: at least one candidate, distances >= 0.
  /// Ensures [PF-1]: if max(change) - min(change) of the distances, added up over all choices, is at most the spread,
  /// no set of results becomes likelier by more than the factor exp(share.count() * 2^-32). The law does not depend on
  /// how many digits are drawn at once (kDigits, then kMore); tests of the exact law choose few.
  template <int kDigits = 64, int kMore = 64, RandomBits Source>
  std::size_t Choose(std::span<const std::int64_t> distances, Source& bits) const {
    KITH_CHECK(!distances.empty());
    const std::int64_t least = Least(distances);
    std::vector<std::size_t> heads;
    for (std::size_t k = 0; k < distances.size(); ++k) {
      const std::int64_t more = Cut(distances[k]) - least;
      if (more == 0 || (rate_high_ > 0 && Flip<kDigits, kMore>(more, bits))) heads.push_back(k);
    }
    return rate_high_ == 0 ? heads.front() : heads[Below(heads.size(), bits)];
  }
  /// The same: what every choice goes through (release.cc).
  std::size_t Choose(std::span<const std::int64_t> distances, BitSource& bits) const;

  /// True with probability exactly exp(-distance * share / spread).
  /// Requires: 0 <= distance <= kFarthest, and a spread that is not zero.
  template <int kDigits = 64, int kMore = 64, RandomBits Source>
  bool Flip(std::int64_t distance, Source& bits) const {
    static_assert(kDigits >= 1 && kDigits <= 64);
    // U is in [prefix, prefix + 1) / 2^kDigits; heads if U < exp(-x), which is -ln(U) > x.
    const std::uint64_t prefix = bits.Bits(kDigits);
    if (prefix != 0) {
      const auto drawn = log_bounds::MinusLog(prefix, kDigits);
      if (drawn.high < Exponent(distance, rate_low_)) return false;
      const std::uint64_t most = Exponent(distance, rate_high_);
      if (most < kNever && drawn.low > most + 1) return true;
    }
    return Refine(distance, prefix, kDigits, kMore, bits);
  }

  PlainUnits share() const { return share_; }

  /// The choice is farther than this from the nearest with probability at most 1/20, if there are that many candidates
  /// besides the nearest (of several choices: all together), whatever their distances. Rounded up.
  /// Ensures [PF-2].
  std::int64_t Reach(std::uint64_t others) const;
  /// The smallest share whose Reach for that many others is at most `reach`.
  /// Fails: kBudgetExhausted if no share does. Requires: reach >= 1.
  static Result<PlainUnits> ShareForReach(Sensitivity spread, std::uint64_t others, std::int64_t reach);

 private:
  static constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

  PermuteAndFlip(Sensitivity spread, PlainUnits share);
  static std::int64_t Cut(std::int64_t distance) { return distance < kFarthest ? distance : kFarthest; }
  static std::int64_t Least(std::span<const std::int64_t> distances);
  bool Refine(std::int64_t distance, std::uint64_t prefix, int n, int more, BitSource& bits) const;
  // distance * rate in the units of log_bounds, rounded down; kNever if that is too large to occur.
  std::uint64_t Exponent(std::int64_t distance, std::uint64_t rate) const {
    const UInt128 product = (static_cast<UInt128>(distance) * rate) >> shift_;
    return product < kNever ? static_cast<std::uint64_t>(product) : kNever;
  }

  Sensitivity spread_;
  PlainUnits share_;
  std::uint64_t rate_low_ = 0, rate_high_ = 0;  // bounds of rate * 2^(58 + shift_)
  int shift_ = 0;
};

}  // namespace kith
