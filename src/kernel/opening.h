// From exact integers to noisy ones: every declared group appears, including empty ones, and each gets its own noise.
// Only for the kernel (and tests): everything else has sealed numbers, and opens them (vault.h).
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/int128.h"
#include "base/result.h"
#include "engine/engine.h"
#include "kernel/statistic_mechanism.h"
#include "query/plan.h"
#include "random/bits.h"

namespace kith {

/// What an engine computed for a plan. Secret: nothing of it leaves except through AddNoise.
struct Exact {
  IntegerTable sums;  // of the plan's own statement
  /// One for each statistic, nullptr where it is not a quantile: rows of group g at candidate c, at g * candidates + c.
  std::vector<std::shared_ptr<const std::vector<std::int64_t>>> rows_at;
};

/// `sums`: how to compute those of the plan's own statement, if not by running it.
/// Fails: as Session::Run; kInternal if a table does not have the shape of the plan (no value is quoted).
Result<Exact> ReadExact(const Plan& plan, const Session& engine, const CancelFlag& cancel,
                        const std::function<Result<IntegerTable>()>& sums = {});

/// Sums of every declared group. Secret as well.
/// Fails: kInternal if the table does not have the shape of the plan (no value is quoted).
Result<NoisyGroups> ExactGroups(const Plan& plan, const IntegerTable& exact);

/// Puts the groups of coarser levels after those of the finest, as exact sums. Requires: groups of the finest level.
void AddLevels(const Plan& plan, NoisyGroups& groups);

/// `laws`: those of MechanismsOf for this plan.
/// Ensures [RELEASE-3]: every group's statistic gets independent noise of its law, whether the group is empty or
/// not, in every level. Quantiles are chosen instead [QUANTILE-1], and so are the ends of their intervals [QUANTILE-3]
/// where they have one [QUANTILE-6]; or both follow from noisy rows at all candidates [QUANTILE-4].
/// Fails: kInternal if the engine's table does not have the shape of the plan (no value is quoted).
Result<NoisyGroups> AddNoise(const Plan& plan, const Exact& exact, std::span<const StatisticMechanism> laws,
                             BitSource& bits);

/// Laws of some groups.
struct GroupMechanisms {
  std::vector<std::size_t> groups;
  std::span<const StatisticMechanism> laws;
};
/// The same where groups have their own laws. Requires: every group is in exactly one part, and no levels if there
/// are several.
Result<NoisyGroups> AddNoise(const Plan& plan, const Exact& exact, std::span<const GroupMechanisms> parts,
                             BitSource& bits);

}  // namespace kith
