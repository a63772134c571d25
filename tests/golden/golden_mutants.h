// Planners with one rule missing. A planner that ignores a fact does what the real one does when the policy does not
// state that fact, so most mutants are the real planner on a changed policy, question or table; the rest change the
// plan.
#pragma once
#include <string>
#include <vector>

#include "policy/policy.h"
#include "query/plan.h"
#include "tests/golden/golden_file.h"
#include "tests/support/tiny_db.h"

namespace kith::testing {

/// What a mutant makes of a record: its plan, and the table as its SQL sees it.
struct MutantView {
  Result<Plan> plan;
  TinyTable table;
};

/// Known names (all columns are of the unit table):
///   all_public, all_secret, public_keys   which columns are public
///   never_null, nullable                  whether columns are required
///   one_row, presence_public              what one unit is
///   owners_alone, named_once              who is in rows that name two units
///   wide_bounds, undeclared_kept, nonfinite_kept   how values are read
///   half_sensitivity, charge_all, charge_nobody, unordered, unlimited
///   overlook                              refused questions: sees the question given by `instead`
///   replace A with B                      misreads a part of the question
/// Throws std::runtime_error for other names.
MutantView Mutate(const std::string& mutant, const Record& record, const Policy& policy, const TinyTable& table);

/// Mutants of the normalised text, for records of two questions: raw_text takes the text itself for the question,
/// one_text takes all for one.
bool IsPairMutant(const std::string& mutant);
std::vector<std::string> MutantPairDifferences(const std::string& mutant, const Record& record, const Policy& policy);

}  // namespace kith::testing
