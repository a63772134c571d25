// True rows for one-sided privacy: which rows are sensitive, and the statement that reads those that are not. Made only
// from the policy; no data is touched.  Claims: claims/one_sided.md
#pragma once
#include <string>
#include <vector>

#include "base/note.h"
#include "base/result.h"
#include "policy/policy.h"
#include "query/plan.h"

namespace kith {

struct Records {
  std::string rule;          // the condition as canonical text: two spellings of one rule agree
  std::vector<Note> notes;   // values that are clamped, comparisons that look like slips
  sql::Statement statement;  // SELECT the served columns of the rows that are not sensitive
};

/// Fails: kUnsupportedQuery or kInvalidArgument with the line of the policy, if the condition can fail for some row (an
/// overflow, a cast), is not a condition, or reads anything but declared columns of the row itself.
/// Ensures [OSDP-5]: the statement reads a row iff the condition is false for it (neither true nor NULL), whatever
/// other rows there are, with values as declared (clamped to bounds, NULL where they are not among the declared ones);
/// no snapshot makes it fail.
Result<Records> PlanRecords(const OneSidedAttribute& attribute, const Policy& policy);

/// The non-sensitive rows of each group, counted: a plan whose keys and statement are for a one-sided histogram.
/// `by`: what follows GROUP BY. Every row is a record by itself, whatever the unit is: no row is dropped because
/// of others. Its sensitivity and charges are not those of a question: do not use them.
/// Fails: as PlanRecords and PlanQuestion.
Result<Plan> PlanOpenCounts(const OneSidedAttribute& attribute, const std::string& by, const Policy& policy);

/// All rows, grouped by the rules under which they are sensitive, one key for each rule (true: not sensitive), and by
/// the values of `by` (may be empty: none). For tables that everybody may see: the exact counts are not for release.
/// Fails: as PlanRecords and PlanQuestion; too many groups.
Result<Plan> PlanStateCounts(const std::vector<OneSidedAttribute>& attributes, const std::string& by,
                             const Policy& policy);

/// All rows of each group, sensitive or not, as a question counts them: with its sensitivity and charges (PLAN-1).
/// Fails: as PlanQuestion; kInvalidArgument if `by` is more than what to group by.
Result<Plan> PlanAllCounts(const std::string& by, const Policy& policy);

}  // namespace kith
