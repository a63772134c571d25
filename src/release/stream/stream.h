// A stream: a statistic of every step, released without end within the budget of every window. Resumes from the ledger.
// Claims: claims/stream.md.  Guide: docs/guide/streams.md
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/stream/shares.h"
#include "base/note.h"
#include "kernel/checked_plan.h"
#include "query/step_question.h"
#include "release/guarantee.h"
#include "release/request.h"
#include "release/stream/stream_step.h"

namespace kith {

struct CuratorState;

/// Makes a study of the rows of one step: `of_step` is the policy as this step sees it (policy/one_step.h). The studies
/// of all steps have the same name, weights and charged cells.
using MakeStepStudy = std::function<Result<std::unique_ptr<Study>>(const Policy& of_step)>;

/// What holds for everybody, however long the stream runs: about everything in the ledger so far, whatever the policy
/// said when it was released, and all that this policy lets in from now on. Known without data.
/// `plain` is that of a stay; `dependent` is at most the policy's epsilon unless exceeded.
struct StreamGuarantee : Guarantee {
  std::int64_t window = 0;     // steps of a stay
  bool single_states = false;  // a chain: the secret is a unit's state at one step, not its whole stay
  double plain_step = 0;       // the most that one step loses
  double allowed = 0;          // what a window (single_states: a step) may lose from now on
  bool exceeded = false;       // some lost more than that before, under another budget or dependence; see notes
  double plain_stream = 0;     // of a stay (single_states: of a step), by this stream only
  double plain_own_step = 0;   // of one step, by this stream only
  struct Stay {
    std::int64_t windows = 0;  // for how many windows a unit is present
    double plain = 0, dependent = 0;
  };
  std::vector<Stay> longer;  // those who stay longer than the policy says
  std::vector<std::string> claims;
  std::vector<Note> notes;
};

/// Fails: kInvalidArgument if the stream has no such step: it is below 0, or its time cannot be written down.
Result<void> CheckTick(const Stream& rules, std::int64_t tick);

/// One statistic by one rule under one policy: parsed, bounded and named once, for all steps (Curator::OpenStream).
/// Immutable. Its steps are released as StepRequest, each once, by whichever process comes first.
class StreamRelease {
 public:
  static Result<std::shared_ptr<const StreamRelease>> Make(const StreamRequest& request, const CuratorState& curator);

  const StreamGuarantee& guarantee() const { return guarantee_; }
  const std::vector<std::string>& columns() const { return columns_; }
  /// Canonical text of the stream: statistic, rule and budget.
  const std::string& normalised() const { return normalised_; }
  /// Fingerprint of the policy that it was opened under.
  const std::string& policy() const { return policy_; }
  const stream::Terms& terms() const { return *terms_; }
  /// What a step is a release of: a question, or a study.
  const std::optional<StepQuestion>& question() const { return question_; }
  /// What is asked of a step, checked. Requires: a question. Fails: as CheckPlan.
  Result<CheckedPlan> PlanAt(std::int64_t tick) const;
  /// The study of a step. Requires: no question. Fails: kInternal if it is not the study that the stream was opened
  /// for.
  Result<std::unique_ptr<Study>> StudyOfStep(std::int64_t tick) const;
  /// The cells that a step charges.
  const std::vector<bool>& charged() const { return charged_; }
  /// The charge that every step has: of an adaptive rule, for its test.
  StepPart MainPart() const;
  /// What the ledger calls a step's charge.
  std::string ChargeName(StepPart part) const;
  /// What the key of a step's charge is made of.
  std::string KeyText(StepPart part, std::int64_t tick) const;

 private:
  StreamRelease() = default;
  Result<std::string> SetContent(const StreamRequest& request, const Policy& policy);
  void CompleteGuarantee(const std::vector<std::string>& claims, const Policy& policy);

  std::optional<stream::Terms> terms_;  // always, once it is made
  std::optional<StepQuestion> question_;
  MakeStepStudy make_study_;
  std::shared_ptr<const Policy> of_steps_;  // what a step is bound to
  std::shared_ptr<const Study> first_;      // of step 0
  std::vector<bool> charged_;
  std::string normalised_, policy_;
  std::vector<std::string> columns_;
  StreamGuarantee guarantee_;
};

/// The last step that the stream was charged for. Fails: as the ledger.
Result<std::optional<std::int64_t>> LastStepOf(const StreamRelease& stream, const CuratorState& curator);

}  // namespace kith
