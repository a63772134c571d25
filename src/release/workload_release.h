// A workload on its way out: a question whose text begins with the line "-- kith: plan" (workload/entry.h).
#pragma once
#include <memory>
#include <string>

#include "base/json.h"
#include "release/pipeline.h"

namespace kith {

/// Its answer has no rows of its own: details have `plan`, with the answers.
/// Fails: as PlanWorkload; no data is touched, nothing is charged.
Result<std::unique_ptr<Release>> MakeWorkloadRelease(const QuestionRequest& request, const Price& price,
                                                     const Ground& ground);

/// Beside its explanation: what would be measured, and the bar of every question.
struct ExplainedWorkload {
  Explanation explanation;
  JsonValue plan;  // {"questions": ..., "tables": ...}
};

/// As Curator::Explain of a workload's text: touches no data.
Result<ExplainedWorkload> ExplainWorkload(const Curator& curator, const QuestionRequest& request, const Price& price,
                                          const Call& call = {}, const Caller& caller = {});

}  // namespace kith
