// Noisy numbers that were paid for at different times, as one: their mean by inverse variance. Reads noisy numbers and
// the laws of their noise, and so costs nothing. Claims: claims/free.md
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/int128.h"
#include "query/plan.h"
#include "release/group_sizes.h"
#include "release/pricing.h"

namespace kith {

/// The noise in a number, in steps of its lattice; independent of that in any other source.
struct NoiseIn {
  std::optional<Noise> as_it_is;      // of one noisy integer; nothing: of a sum of several
  std::vector<WeightedNoise> noises;  // none: it is exact
  double variance = 0;

  static NoiseIn Of(const Noise& noise);
  static NoiseIn Of(std::vector<WeightedNoise> noises, double variance);
};

/// Statistics of a plan that were paid for by one charge.
struct KnownStatistics {
  std::int64_t number = 0;  // of the charge; 0: of the one that is being made
  struct Number {
    Int128 whole = 0;
    double rest = 0;  // what is computed from several integers need not be whole
    std::size_t noise = 0;
  };
  std::vector<std::vector<Number>> groups;  // per statistic
  std::vector<NoiseIn> noises;
  // As measured by one charge, with both ends of the interval of each quantile; empty: they are computed from tables.
  NoisyGroups measured;
  std::vector<StatisticMechanism> laws;
  std::vector<PlainUnits> shares;
  std::optional<GroupSizes> sizes;  // as the answer was made with
};

/// As they were computed with these laws.
KnownStatistics KnownFrom(std::int64_t number, const NoisyGroups& noisy, const Plan& plan,
                          const std::vector<StatisticMechanism>& laws);

/// What several sources say together.
struct Combined {
  NoisyGroups noisy;
  Priced priced;                      // only laws, for bars; groups with other laws are strata
  std::vector<std::int64_t> numbers;  // the charges whose numbers are in it, ascending, each once
  bool tables = false;                // some are computed from tables
  // Of each statistic, the largest over groups: of the bar with 95 %, in steps, and of the variance.
  std::vector<double> error_95, variance;
};

/// The mean of each number by inverse variance, over those sources with which its 95 % bar is smallest, rounded to its
/// lattice. Weights are multiples of 1/64, so that the law of a mean of integers is known on a lattice.
/// Ensures [FREE-3]: every bar that is made of the laws holds: the truth is no farther from the number, with at least
/// its confidence. Which sources and weights are taken follows only from the laws.
/// Requires: at least one source; each has the groups and statistics of the plan, none of which is a quantile.
Combined Combine(const Plan& plan, const std::vector<StatisticMechanism>& like,
                 const std::vector<KnownStatistics>& sources);

}  // namespace kith
