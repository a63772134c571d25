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

/// What would be measured, and the bar of every question: {"questions": ..., "tables": ...}. Touches no data.
Result<JsonValue> DescribeWorkload(const Curator& curator, const QuestionRequest& request, const Price& price);

}  // namespace kith
