// A question that uses numbers of earlier, noisy answers. It is checked, bounded and priced without them: there, such a
// number is a public column about which only the range that it is cut to is known. Only the
// statement for the engine is made with the number itself. Claims: claims/stages.md
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/value.h"
#include "policy/policy.h"
#include "query/plan.h"

namespace kith {

/// A number of an earlier stage. Dates are numbers of days, as in Column.
struct StageConstant {
  std::size_t stage = 0, column = 0;    // which stage, and which column of what it gives
  ColumnType type = ColumnType::kReal;  // kInteger, kReal or kDate
  double low = 0, high = 0;             // what it is cut to
  bool may_null = false;                // it may have no value
  bool operator==(const StageConstant&) const = default;

  /// How a question's text names it: kith_stage_1.value.
  std::string Name() const;
  /// The value as a question has it: of its type, and cut to its range. What is not a number is NULL, or the lower end
  /// where NULL is not allowed.
  Value Cut(const Value& value) const;
};

/// What all such names begin with.
inline constexpr char kStageWord[] = "kith_stage_";
/// The same policy, with these numbers as public columns of the unit's table.
std::shared_ptr<const Policy> WithConstants(const Policy& policy, const std::vector<StageConstant>& constants);

/// Immutable; cheap to copy.
class StagedQuestion {
 public:
  /// `policy`: from WithConstants, with these. Fails: as PlanQuestion; also if a number is used where none can be put.
  static Result<StagedQuestion> Make(const std::string& sql, const Policy& policy,
                                     std::vector<StageConstant> constants);

  /// As PlanQuestion gives it. Its statements are only for inspection: they name the numbers.
  const Plan& plan() const;
  /// What the engine is asked with these numbers in place; `values`: of Cut, one for each of the constants.
  /// Ensures [STAGE-1]: the plan is the same except for its statements, and PLAN-1 holds for it.
  Plan At(const std::vector<Value>& values) const;
  /// At the least that the numbers can be: what can be checked before they are known.
  Plan AtLeast() const;

 private:
  struct Bound;
  explicit StagedQuestion(std::shared_ptr<const Bound> bound) : bound_(std::move(bound)) {}
  std::shared_ptr<const Bound> bound_;
};

/// Gives a plan the statements of another, which is the same but for these.
void TakeStatements(const Plan& from, Plan& plan);

}  // namespace kith
