// Usefulness: the margins of error of numbers compared with all that the numbers could be. Only from question, policy,
// public facts and noisy numbers.
#pragma once
#include <optional>
#include <vector>

#include "query/output/output.h"
#include "query/plan.h"
#include "release/pricing.h"
#include "release/release.h"

namespace kith {

/// How many there are in a group, or in all together; nothing where that is not public, or not known.
struct InGroup {
  std::optional<double> units;
  std::optional<double> households;
};

/// What the statistics of a group of the level can be: intervals for those that have noise there, and what they are for
/// the others.
std::vector<Estimate> PossibleStatistics(const Plan& plan, std::size_t level, const std::vector<Estimate>& given,
                                         const InGroup& most);

/// True if a noisy number's bar covers all that is possible, or is as wide as that: then the number says nothing.
/// False for quantiles, whose bars are of another kind.
bool IsOnlyNoise(const OutputExpr& output, const AnswerCell& cell, const std::vector<Estimate>& possible);

/// Before a question is asked, for those of its outputs whose bars do not depend on the answer, and for averages,
/// shares and quantiles as if all units that can be in one group were in it. Outputs that have no bound are left out.
/// `max_rows`: of one unit.
std::vector<Usefulness> UsefulnessOf(const Plan& plan, const Priced& priced, const InGroup& most,
                                     std::int64_t max_rows = 1);

}  // namespace kith
