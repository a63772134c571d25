// Compares what the planner and an engine make of a golden record with what the record says.
#pragma once
#include <string>
#include <vector>

#include "policy/policy.h"
#include "query/plan.h"
#include "tests/golden/golden_file.h"
#include "tests/support/tiny_db.h"
#include "tests/support/tiny_db_engine.h"

namespace kith::testing {

/// Throws std::runtime_error if the policy of the record is refused.
Policy PolicyOf(const Record& record);
TinyTable TableOf(const Record& record, const Policy& policy);
std::vector<TinyTable> PublicsOf(const Record& record, const Policy& policy);

/// What the planner makes of the record's question; with stages: planned without their numbers, to be asked with them.
Result<Plan> PlanOf(const Record& record, const Policy& policy);

/// A record's expectations against a plan (or a refusal), the plan's SQL run on `table`. Empty if all is as written;
/// otherwise one line for each difference.
std::vector<std::string> Differences(const Record& record, const Policy& policy, const Result<Plan>& plan,
                                     const TinyTable& table, SqlRunner& engine);
/// The same for records of two questions.
std::vector<std::string> PairDifferences(const Record& record, const Result<Plan>& first, const Result<Plan>& second);

/// The record against only the reference: the rows, and by trying all neighbours the sensitivities and charged cells.
std::vector<std::string> ReferenceDifferences(const Record& record, const Policy& policy);

}  // namespace kith::testing
