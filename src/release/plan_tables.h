// What a plan measured, as the ledger keeps it: later questions that are sums of its cells are answered from it.
// Claims: claims/free.md
#pragma once
#include <optional>

#include "base/json.h"
#include "release/combine.h"
#include "release/question_release.h"
#include "release/workload_plan.h"

namespace kith {

/// Each measured table of each group: its question, its share, where its groups are among the cells, and the key that
/// it would have as a separate question. The noisy counts themselves are kept next to this.
Json TablesToJson(const WorkloadPlan& plan, const Ledger& book, const DataState& data);

/// The statistics of a question as the tables of a stored plan answer them, by least squares.
/// Ensures [FREE-4]: they are those that the question asks for, and the noises are all that is in them. Nothing: the
/// question is not a sum of the cells that one group of tables measured, or the plan was about other declarations or
/// data.
/// Requires: `details` of the stored answer to charge `number`; throws JsonError.
std::optional<KnownStatistics> KnownFromTables(const Json& details, std::int64_t number,
                                               const QuestionRelease& question, const workload::Planned& planned,
                                               const Ledger& book, const DataState& data);

}  // namespace kith
