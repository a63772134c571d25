// The mechanism of each statistic of a plan: which noise is added to its integers, or how one of its candidates is
// chosen. Made once for an answer, when it is priced: the same object adds the noise, states its margin of error and
// names it.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "kernel/rank_curve.h"
#include "loss/loss.h"
#include "mechanism/noise.h"
#include "mechanism/noise_sum.h"
#include "mechanism/permute_and_flip.h"
#include "query/plan.h"

namespace kith {

struct StatisticMechanism {
  Noise noise;                           // for the integer of each group; none for a quantile
  std::optional<PermuteAndFlip> choice;  // of a quantile: how one of its candidates is chosen
  std::optional<PermuteAndFlip> ends;    // of a quantile: how each end of its interval is chosen; nothing: it has none
  std::optional<RankCurve> curve;        // of a quantile: instead of both, where its interval is the shorter one
  // Set: the noisy rows of the curve are those of this statistic, another rank of the same values or this one itself,
  // and the noise is for the shares of all of them together [QUANTILE-5].
  std::optional<std::size_t> measured_with;
  // Not empty: the number is a mean of several noisy numbers, rounded to its lattice, and these are the noises in it,
  // in steps; what is said above is only about the last measurement [FREE-3].
  std::vector<WeightedNoise> mean_of;

  /// In steps: how far the number of a group is off with at most this confidence. Requires: not for a quantile.
  double ErrorBar(double confidence) const;
};

/// One for each statistic. Requires: as many shares as statistics.
/// Ensures [RELEASE-2]: each law is derived from the integer share that is charged for it, or from the sum of the
/// shares of all ranks that are read from one measurement [QUANTILE-5]. Which of the two is decided by the plan and the
/// shares. Fails: kInvalidArgument if a share is zero although a secret can change its statistic.
Result<std::vector<StatisticMechanism>> MechanismsOf(const Plan& plan, std::span<const PlainUnits> shares);

/// Normal noise for each statistic, for the square of its Gaussian loss (LossKind::kMu); nothing where a quantile or
/// groups of several levels have no such noise.
/// Ensures [CAP-4]: each law is derived from the whole amount that is charged for it, and all of them together lose
/// at most the root of their sum. Requires: as many as statistics. Fails: as MechanismsOf.
Result<std::optional<std::vector<StatisticMechanism>>> NormalMechanismsOf(const Plan& plan,
                                                                          std::span<const std::int64_t> mu);

/// Statistics that are ranks of one column with the same candidates, two or more of them, each in at most one set.
std::vector<std::vector<std::size_t>> RanksOfOneColumn(const Plan& plan);

/// The law of each of them if all are read from one measurement at this share. Requires: one set of RanksOfOneColumn.
/// Fails: as MechanismsOf.
Result<std::vector<StatisticMechanism>> MechanismsOfRanks(const Plan& plan, const std::vector<std::size_t>& ranks,
                                                          PlainUnits share);

/// Of a quantile that was measured with its interval: what is known about just the value [FREE-2].
StatisticMechanism WithoutInterval(const Quantile& without, const StatisticMechanism& law);

/// The law of one quantile for a share. Ensures [QUANTILE-6]: without an interval all of it is for one choice.
/// Fails: as MechanismsOf.
Result<StatisticMechanism> MechanismOfQuantile(const Statistic& statistic, PlainUnits share);

/// How far a quantile's rank is off with its law, in rows; the ends of its interval, if any, are no farther from their
/// ranks.
/// Requires: the law of a quantile.
RankErrors RankErrorsOf(const Quantile& quantile, const StatisticMechanism& law, std::size_t groups);

/// Adds the claims that the laws rest on, each once; a plan's own (how far its numbers can move) before them.
void AddPlanClaims(std::span<const StatisticMechanism> laws, std::vector<std::string>& claims);
void AddClaims(std::span<const StatisticMechanism> laws, std::vector<std::string>& claims);

}  // namespace kith
