// Quantiles: one of the candidates of each group, by its distance from the wanted rank. Claims: claims/quantiles.md
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/int128.h"
#include "mechanism/permute_and_flip.h"
#include "query/plan.h"
#include "random/bits.h"

namespace kith {

/// No table has more rows at one candidate.
inline constexpr std::int64_t kMostRows = std::int64_t{1} << 48;

/// How far each candidate is from the wanted rank, in 1/den rows: the distance from num/den of all rows to the interval
/// from the rows below the candidate to those not above it. The wanted rank is kept `margin` (in 1/den rows) away from
/// both ends of the rows, or in their middle if there are too few: beyond the ends all candidates are as near.
/// Requires: as many counts as candidates, each from 0 to kMostRows; margin >= 0.
std::vector<std::int64_t> RankDistances(const Quantile& quantile, std::int64_t margin,
                                        std::span<const std::int64_t> rows_at);

/// How far from its end a rank is kept, in 1/den rows: so that the chosen rank is then nearly always within the rows.
std::int64_t MarginOf(const Quantile& quantile, const PermuteAndFlip& law);

/// For each group the chosen candidate, in lattice steps. `rows_at`: group by group, each with all candidates.
/// Requires: a law whose spread is the change of the statistic, in L1.
/// Ensures [QUANTILE-1]: no set of results becomes likelier by more than the factor exp(share.count() * 2^-32) when one
/// unit's record is replaced, for the share of the law.
std::vector<Int128> ChooseByRank(const Quantile& quantile, std::span<const std::int64_t> rows_at,
                                 const PermuteAndFlip& law, BitSource& bits);

/// The rank's error in rows that is exceeded with probability at most 1/20, of one group and of all at once; whatever
/// the data are. Ensures [QUANTILE-2].
struct RankErrors {
  double one = 0, all = 0;
};
RankErrors RankErrorsOf(const Quantile& quantile, const PermuteAndFlip& law, std::size_t groups);

/// Whether the noisy quantiles of a plan have intervals.
void SetIntervals(Plan& plan, bool wanted);
/// True if a noisy quantile of the plan has none: such an answer differs from the one with all intervals.
bool LacksIntervals(const Plan& plan);

/// Which ends of a quantile's interval are chosen: none where it is not wanted. The least value is never below the
/// lower bound, and that is all that can be said about it from below; likewise for the largest.
struct RankEnds {
  bool low = true, high = true;
  std::size_t Chosen() const { return (low ? 1u : 0u) + (high ? 1u : 0u); }
};
RankEnds EndsOf(const Quantile& quantile);

/// How many candidates can go wrong: the others of all ends, for each of the statistics that are read together; without
/// an interval those of the value.
std::uint64_t OthersOfEnds(const Quantile& quantile);

enum class End { kLow, kHigh };

/// How far each candidate is from the rank of an end, in 1/den rows: `reach` rows below the row before the wanted rank,
/// or above the row after it. Below all rows the first candidate is at distance 0, above all the last.
/// Requires: as RankDistances; reach >= 0, in 1/den rows.
std::vector<std::int64_t> EndDistances(const Quantile& quantile, End end, std::int64_t reach,
                                       std::span<const std::int64_t> rows_at);

/// For each group the ends of the interval, in lattice steps; an end that is not chosen is the first or last candidate.
/// Ensures [QUANTILE-3]: with probability at least 1 - 1 / (20 * together) the quantile of the values, rounded as the
/// candidates are, is between them, as quantile_disc and as quantile_cont have it, if the group has any; whatever the
/// data are. [QUANTILE-1] holds for each end with the share of the law.
struct ChosenEnds {
  Int128 low = 0, high = 0;
};
std::vector<ChosenEnds> ChooseEnds(const Quantile& quantile, std::span<const std::int64_t> rows_at,
                                   const PermuteAndFlip& law, BitSource& bits);

/// In the quantile's own units: what was rounded can be half a step farther out, but nothing beyond the bounds. The
/// value is in it.
struct ValueInterval {
  double low = 0, high = 0;
  bool everything = false;  // all that the bounds allow
};
ValueInterval IntervalOf(const Quantile& quantile, Lattice lattice, Int128 value, const ChosenEnds& ends);

/// What RankErrors::one means, in words.
std::string RankNote(const Statistic& statistic, double error_95, std::optional<double> most_rows = std::nullopt);

/// What RankErrors::one is with an interval and without one, in words.
std::string IntervalNote(const std::string& name, double with, double without);

/// True if noise can reach all of this many rows: then the chosen value says nothing.
bool ReachesAllRows(const Quantile& quantile, double error_95, double rows);

}  // namespace kith
