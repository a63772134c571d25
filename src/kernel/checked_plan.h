// A plan whose statements the checker has passed: what is run is what was checked, and noise is derived from the claims
// that were compared.  Claims: claims/kernel_check.md
#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "kernel/check/check.h"
#include "policy/policy.h"
#include "query/plan.h"

namespace kith {

/// Immutable; cheap to copy. Made only by CheckPlan.
class CheckedPlan {
 public:
  const Plan& plan() const { return *plan_; }
  const std::shared_ptr<const Plan>& shared() const { return plan_; }

 private:
  friend Result<CheckedPlan> CheckPlan(Plan plan, const Policy& policy);
  explicit CheckedPlan(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)) {}
  std::shared_ptr<const Plan> plan_;
};

/// `policy`: the one that it was planned with, which says whom it is about (Unit::level). Touches no data.
/// Ensures [KERNEL-8]: every statement of the plan passes check::Check under what the plan says of its numbers: its own
/// under the changes of all that is added up, over all levels that get noise, and that of each quantile under its rank.
/// Its groups are those that its keys declare. Fails: kUnsupportedQuery with what no rule of the checker knows.
Result<CheckedPlan> CheckPlan(Plan plan, const Policy& policy);

/// The same, after what the plan says was raised to what the checker finds where that is more: such an answer has more
/// noise instead of being refused. It must be priced afterwards. `raised`: whether anything was.
Result<CheckedPlan> RaiseAndCheck(Plan plan, const Policy& policy, bool& raised);

/// What a plan says of one of its statements.
struct PlanClaim {
  sql::Statement statement;
  check::Claim claim;
  std::string about;                    // which statistics
  std::vector<std::size_t> statistics;  // their positions, one for each number
};
/// One for each quantile, and one for all that is added up.
std::vector<PlanClaim> ClaimsOf(const Plan& plan, UnitLevel level);

}  // namespace kith
