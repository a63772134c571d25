// A question about the rows of one step of a stream. Parsed, checked and bounded once; only the statement differs from
// step to step.
#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "query/plan.h"

namespace kith {

/// Immutable; cheap to copy.
class StepQuestion {
 public:
  /// Fails: as PlanQuestion. Requires: a policy with a stream.
  static Result<StepQuestion> Make(const std::string& sql, const Policy& policy);

  /// Of step 0; the plans of all steps differ only in their statements.
  const Plan& plan() const;
  /// Ensures [PLAN-1] for the rows of this step, and reads no others.
  Plan At(std::int64_t tick) const;

 private:
  struct Bound;
  explicit StepQuestion(std::shared_ptr<const Bound> bound) : bound_(std::move(bound)) {}
  std::shared_ptr<const Bound> bound_;
};

}  // namespace kith
