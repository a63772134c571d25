// A quantile from a noisy cumulative curve: noise on the rows at every candidate. Its interval is shorter than that of
// choices by rank where there are few candidates. Claims: claims/quantiles.md
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "base/int128.h"
#include "base/result.h"
#include "kernel/ranks.h"
#include "mechanism/noise.h"
#include "query/plan.h"
#include "random/bits.h"

namespace kith {

/// Immutable: safe to use from several threads.
class RankCurve {
 public:
  /// What one candidate's law is called in certificates.
  static constexpr const char* kName = "discrete laplace, rows at every value";

  /// By how much a unit can change the rows at all candidates together, at most, where distances from a rank change by
  /// `change`.
  static Result<Sensitivities> ChangeOfRows(const Quantile& quantile, const Sensitivities& change);

  /// Requires: noise for ChangeOfRows.
  RankCurve(const Quantile& quantile, const Noise& noise);

  /// From noisy rows at all candidates of each group: the value, and the ends of its interval.
  /// Ensures [QUANTILE-4]: the loss is at most that of the noise; with probability at least 1 - 1 / (20 * together) the
  /// quantile is between the ends, as in QUANTILE-3; and with 19/20 the value's distance from the wanted rank is at
  /// most rank_error(1), whatever the data are.
  struct Chosen {
    Int128 value = 0;
    ChosenEnds ends;
  };
  std::vector<Chosen> Release(const Quantile& quantile, std::span<const std::int64_t> rows_at, BitSource& bits) const;
  /// Its two parts: noise on the rows at all candidates of each group, and what follows from the noisy rows. Several
  /// ranks may be read from the noisy rows of one of them. Ensures [QUANTILE-5]: Read loses nothing.
  std::vector<Int128> Measure(std::span<const std::int64_t> rows_at, BitSource& bits) const;
  std::vector<Chosen> Read(const Quantile& quantile, std::span<const Int128> noisy_rows) const;

  /// In rows, for this many groups at once; never less than the reach of the interval.
  double rank_error(std::size_t groups) const;
  /// How far the interval reaches beyond the wanted rank, in rows; 0: there is none.
  double reach() const { return reach_; }
  const Noise& noise() const { return noise_; }

  /// What a sum of `terms` noises, each times at most `weight`, exceeds with probability at most `chance`, in rows.
  static double Beyond(const Noise& noise, double weight, std::size_t terms, double chance);

 private:
  Noise noise_;
  double weight_ = 1;  // of the noise at a candidate in the distance from the wanted rank, at most
  std::size_t candidates_ = 1;
  double reach_ = 0;
};

}  // namespace kith
