// A stream: a statistic of every step, released for ever within the budget of every window. Resumes from the ledger.
// Claims: claims/stream.md.  Guide: docs/guide/streams.md
#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/stream/shares.h"
#include "base/note.h"
#include "query/step_question.h"
#include "release/release.h"
#include "release/stream/stream_step.h"

namespace kith {

struct StreamRequest {
  std::string statistic;  // SELECT ... FROM the unit's table: of the rows of one step
  double epsilon = 0;     // this part of the policy's epsilon, for every window
  stream::Sharing sharing = stream::Sharing::kUniform;
  double rate = 1;                  // for the rule of that name
  std::vector<std::int64_t> asked;  // for offline: all steps that will ever be released, ascending
};

/// What holds for everybody, however long the stream runs: about everything in the ledger so far, whatever the policy
/// said when it was released, and all that this policy lets in from now on. Known without data.
/// `plain` is that of a stay; `dependent` is at most the policy's epsilon unless exceeded.
struct StreamGuarantee : Guarantee {
  std::int64_t window = 0;     // steps of a stay
  bool single_states = false;  // a chain: the secret is a unit's state at one step, not its whole stay
  double plain_step = 0;       // the most that one step loses
  double allowed = 0;          // what a window (single_states: a step) may lose from now on
  bool exceeded = false;       // some lost more than that before, under another budget or dependence; see notes
  double plain_stream = 0;     // of a stay (single_states: of a step), by this stream alone
  struct Stay {
    std::int64_t windows = 0;  // how many windows a unit is present
    double plain = 0, dependent = 0;
  };
  std::vector<Stay> longer;  // those who stay longer than the policy says
  std::vector<std::string> claims;
  std::vector<Note> notes;
};

struct StepRelease {
  std::int64_t tick = 0;
  std::string time;  // when the step begins
  StepState state = StepState::kLost;
  std::vector<std::vector<AnswerCell>> rows;  // empty if skipped or lost; error bars are those of the noise
  PlainUnits charged;                         // plain loss of this step
  PlainUnits window_spent;                    // the most of any window with this step, all streams together
  std::int64_t ledger_entry = 0;
  std::string ledger_head;
  bool stored = false;  // was released before; nothing was charged
};

/// One statistic by one rule under one policy. The curator must outlive it. Safe to use from several processes: a step
/// is charged once.
class StreamRelease {
 public:
  /// Touches no data. Fails: kInvalidArgument (no stream in the policy, a rule that does not fit), kUnsupportedQuery,
  /// kBudgetExhausted (a price beyond the policy's epsilon).
  static Result<StreamRelease> Make(const Curator& curator, const StreamRequest& request);

  const StreamGuarantee& guarantee() const { return guarantee_; }
  const std::vector<std::string>& columns() const { return columns_; }
  /// Canonical text of the stream: statistic, rule and budget.
  const std::string& normalised() const { return normalised_; }
  /// The last step that this stream was charged for. Fails: as the ledger.
  Result<std::optional<std::int64_t>> LastStep() const;

  /// Releases a step, or repeats how it was released.
  /// Ensures [STREAM-1]: whoever is present for at most `window` consecutive steps loses at most guarantee().plain by
  /// all steps of all streams of the policy together, for ever. [STREAM-7] and [STREAM-8]: and at most
  /// guarantee().dependent against somebody who knows the declared dependence.
  /// Fails: kInvalidArgument (a step before one that was released already, or that does not exist), kStorage,
  /// kCancelled, kInternal. A step that failed after its charge is lost: the error says so.
  Result<StepRelease> Step(std::int64_t tick, const Call& call) const;

 private:
  struct Keys;
  StreamRelease(const Curator& curator, stream::Terms terms, StepQuestion question)
      : curator_(&curator), terms_(std::move(terms)), question_(std::move(question)) {}
  std::string Question(StepPart part) const;
  std::string Key(const Ledger& book, StepPart part, std::int64_t tick) const;
  std::string KeyText(StepPart part, std::int64_t tick) const;
  Result<std::optional<std::string>> OldKey(const Ledger& book, StepPart part, std::int64_t tick) const;
  StepPart MainPart() const;
  Result<std::optional<std::string>> FindStored(Ledger& book, std::int64_t tick) const;
  Result<StreamPast> Past(Ledger& book, std::int64_t tick) const;
  Result<StepRelease> Again(Ledger& book, std::int64_t tick, const LedgerEntry& entry) const;
  Result<StepRelease> Now(Ledger& book, std::int64_t tick, const Call& call) const;
  Result<StepRelease> Compose(Ledger& book, std::int64_t tick, const StepNumbers& numbers,
                              const LedgerEntry& entry) const;

  const Curator* curator_;
  stream::Terms terms_;
  StepQuestion question_;
  std::string normalised_;
  std::vector<std::string> columns_;
  std::vector<std::size_t> cells_;
  StreamGuarantee guarantee_;
};

}  // namespace kith
