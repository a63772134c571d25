// Whether a dependence model can speak about a policy's table at all: a law of yes/no records says nothing about
// records with more values.
#pragma once
#include "base/result.h"
#include "policy/policy.h"

namespace kith {

/// How many values a unit's record can take with its public columns fixed: the combinations of its secret columns, NULL
/// and absence included. Nothing: more than can be listed (a column without declared values, several rows for one
/// unit). In a stream: the states of a unit at one step; its time is the step, and no question may then use it.
std::optional<std::int64_t> RecordValues(const Policy& policy);

/// Ensures [RELEASE-6]: a model with tables (chain, tree, star, joint, pairs) is used only if its records have exactly
/// the values that a unit's record can take; metric models, whose losses are per distance, are not used for questions
/// in SQL. Ensures [PAIR-SUM-2]: a formula that is not proved for the model is used only if the policy accepts that.
/// Fails: kInvalidArgument with what to declare instead.
Result<void> ModelFitsTable(const Policy& policy);

}  // namespace kith
