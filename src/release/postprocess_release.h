// A question over private answers on its way out: its private questions are handled like all others, and what is
// computed on their answers is added at the end.
#pragma once
#include <memory>

#include "release/pipeline.h"

namespace kith {

/// Nothing: it is not such a question. `about`: the policy that private questions are planned with.
/// Ensures [AFTER-1]: what leaves is a function of the answers to the private questions, and only these are charged.
/// Fails: kUnsupportedQuery, kInvalidArgument, kBudgetExhausted; no data is touched, nothing is charged.
Result<std::unique_ptr<Release>> MakePostprocessRelease(const QuestionRequest& request, const Price& price,
                                                        const ReleaseContext& context, const Policy& about);

}  // namespace kith
