// Noisy counts of very many declared cells, most of them empty: every cell gets discrete Laplace noise, and those that
// reach a threshold are shown. The law is that of drawing for each cell separately; the work is only for the cells that
// hold something and those that are shown.  Source: docs/theory/mechanisms.md#sparse-counts
// Claims: claims/sparse.md
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "base/int128.h"
#include "base/result.h"
#include "loss/loss.h"
#include "mechanism/discrete_laplace.h"
#include "mechanism/geometric_bits.h"
#include "random/bits.h"

namespace kith {

/// Immutable: safe to use from several threads.
class SparseCounts {
 public:
  static constexpr UInt128 kMostCells = UInt128{1} << 100;
  static constexpr std::int64_t kMostThreshold = std::int64_t{1} << 53;
  /// Most empty cells that may be expected to be shown: with more, the answer would be mostly noise.
  static constexpr double kMostFalse = 65536;

  /// `change`: by how much one unit can change the counts of all cells together, in L1.
  /// Fails: kInvalidArgument if there is no change or no share, or a number is outside its limits.
  static Result<SparseCounts> Make(Sensitivity change, PlainUnits share, UInt128 cells, std::int64_t threshold);
  /// The smallest threshold at which at most this many empty cells are expected to be shown.
  /// Fails: kInvalidArgument if the number is not positive, or no threshold below the limit does.
  static Result<std::int64_t> ThresholdFor(Sensitivity change, PlainUnits share, UInt128 cells, double expected_false);

  /// The numbers of the cells that would be shown if all were empty, ascending. Those that turn out to hold something
  /// are to be left out: these have their own draws.
  /// Ensures [SPARSE-1]: with OfEmpty for those that are left and Occupied for all cells that hold something, what is
  /// shown has the law of noise for each cell separately.
  template <int kDigits = 64, int kMore = 64, RandomBits Source>
  std::vector<UInt128> Empty(Source& bits) const {
    std::vector<UInt128> shown;
    for (UInt128 at = 0; at < cells_; ++at) {
      const auto gap = misses_.Draw<kDigits, kMore>(bits);
      if (!gap || *gap >= cells_ - at) break;
      at += *gap;
      shown.push_back(at);
    }
    return shown;
  }
  std::vector<UInt128> Empty(BitSource& bits) const;  // the same: what every release goes through (release.cc)

  /// What is shown of one of them.
  template <int kDigits = 64, int kMore = 64, RandomBits Source>
  Int128 OfEmpty(Source& bits) const {
    const auto above = excess_.Draw<kDigits, kMore>(bits);
    const Int128 most = DiscreteLaplace::kLargest - threshold_;
    return threshold_ + (!above || *above > static_cast<UInt128>(most) ? most : static_cast<Int128>(*above));
  }
  Int128 OfEmpty(BitSource& bits) const;

  /// What is shown of a cell that holds something; nothing: it stays below the threshold.
  template <int kDigits = 63, int kMore = 64, RandomBits Source>
  std::optional<Int128> Occupied(Int128 count, Source& bits) const {
    const Int128 noisy = noise_.Release<kDigits, kMore>(count, bits);
    return noisy >= threshold_ ? std::optional(noisy) : std::nullopt;
  }
  std::optional<Int128> Occupied(Int128 count, BitSource& bits) const;

  UInt128 cells() const { return cells_; }
  std::int64_t threshold() const { return threshold_; }
  const DiscreteLaplace& noise() const { return noise_; }
  /// How many cells would be shown if all were empty, on average; rounded up a little.
  double ExpectedFalse() const;
  /// The smallest count that is shown with at least this probability. Requires: 1/2 < confidence < 1.
  double ShownWith(double confidence) const;

 private:
  SparseCounts(DiscreteLaplace noise, GeometricBits misses, GeometricBits excess, UInt128 cells, std::int64_t threshold)
      : noise_(noise), misses_(std::move(misses)), excess_(std::move(excess)), cells_(cells), threshold_(threshold) {}

  DiscreteLaplace noise_;
  GeometricBits misses_;  // how many cells stay below the threshold before one reaches it
  GeometricBits excess_;  // by how much noise that reaches it is above
  UInt128 cells_;
  std::int64_t threshold_;
};

}  // namespace kith
