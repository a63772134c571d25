// The one place where everything meets: policy, question, transfer, ledger, engine, noise. A library for the command
// line, a server and a Python module: thread-safe, cancellable, no global state.
#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/call.h"
#include "base/interval.h"
#include "base/json.h"
#include "base/note.h"
#include "base/result.h"
#include "engine/engine.h"
#include "ledger/ledger.h"
#include "policy/policy.h"
#include "query/plan.h"
#include "release/accountant.h"
#include "release/guarantee.h"
#include "release/one_sided/one_sided.h"
#include "release/request.h"
#include "release/stream/stream_step.h"
#include "transfer/transfer.h"

namespace kith {

struct NoiseLine {  // one statistic's share
  std::string statistic;
  PlainUnits share;
  double scale = 0;  // in the statistic's own units
  double lattice = 0;
  double sensitivity = 0;   // in the statistic's own units
  double error_95 = 0;      // per cell
  double error_95_all = 0;  // for all cells at once
  bool in_rows = false;     // a quantile: scale, sensitivity and errors are of its rank, in rows
  // The id of its noise (mechanism/noise.h); empty for a quantile that is chosen by rank, and for public facts.
  std::string law;
  std::string stratum = {};  // the groups that it is about ("persons=1"); empty: all
  double mu = 0;             // its Gaussian loss, where it has normal noise: the share is then 0
  // Of a quantile, before it is asked: error_95 at this price if its interval is bought as well, and if it is not.
  struct Choice {
    double with = 0, without = 0;
  };
  std::optional<Choice> interval;
};

/// How far an average can be off: that follows from its noisy sum and count, and so from how many rows there are.
struct AverageError {
  std::string output;
  struct At {
    double rows = 0;
    double error_95 = 0;
  };
  std::vector<At> at;   // the worst over true averages in the middle and at the ends of the bounds
  std::string stratum;  // as in NoiseLine
};

/// What an answer would be worth: its bar compared with all that it could be, which follows from question, policy and
/// public facts.
struct Usefulness {
  std::string output;
  double error_95 = 0;       // of one group; of an average, with the rows of all units
  double low = 0, high = 0;  // no true value is beyond
  bool only_noise = false;   // the bar says no more than that
  bool at_best = false;      // no group has a smaller bar: with all units that can be in the largest one
  bool in_rows = false;      // of a quantile: rows between it and the true one, of this many
  double times = 1;          // of noise: this many times the epsilon ...
  double then_95 = 0;        // ... would make it this bar
  std::int64_t group = 0;    // and so would groups this many times smaller than this declared size; 0: none is
  std::string stratum;       // as in NoiseLine
  double units = 0;          // that can be in the largest group
  bool several = false;      // there are other groups
  bool assumed = false;      // nobody knows how many are in which group: all of them could be
  enum class Beyond { kNothing, kLeft, kBudget };
  Beyond beyond = Beyond::kNothing;  // more epsilon than is left for such a question, or than the whole budget
};

/// What a charge would do to the account.
struct Forecast {
  PlainUnits units;                    // plain price, of any change of a record; 0 where it has none
  double mu = 0;                       // the same as Gaussian loss, where that is counted
  double delta = 0;                    // in addition: the plain probability that this answer loses more
  PlainUnits counted;                  // what it counts as for an allowance or an approval
  std::optional<PlainUnits> presence;  // the same for a unit that comes or goes; nothing: presence is public
  double plain_spent_before = 0;       // largest over cells
  double dependent_before = 0;
  Guarantee guarantee;  // afterwards
  std::size_t charged_cells = 0, cells = 0;
  UnitLevel unit = UnitLevel::kPerson;     // whom it is about
  std::optional<double> household_before;  // of nested units: a household's plain loss
  bool affordable = false;
  std::string refusal;  // why not, if not affordable
  bool stored = false;  // this very thing was released before: it would be given again, and cost nothing
};

/// One of several private questions, or what is computed on their answers.
struct ExplainedStage {
  std::string question;
  std::optional<double> plain;  // what it loses, as a part of the price; nothing: it is free of charge
  // A number of an earlier stage that it uses. The price holds for every such number.
  struct Constant {
    std::string name;
    std::size_t stage = 1;  // whose: the first is 1
    Value low, high;        // what it is cut to
  };
  std::vector<Constant> constants;
};

/// What a release would cost and give; computed without touching data.
struct Explanation : Forecast {
  Plan plan;
  std::vector<NoiseLine> noise;
  std::vector<AverageError> averages;
  std::vector<Usefulness> usefulness;
  std::vector<sql::Statement> statements;  // what the engine will be asked first
  std::string sql;                         // what the engine will be asked
  std::optional<RecordsReport> records;    // of true rows: all but what only the release knows
  std::vector<ExplainedStage> stages;      // in their order; none: it is one private question as it is
  JsonValue details;                       // of a plan: what would be measured, and the bar of every question
};

struct AnswerCell {
  Value value;  // key value, or the noisy number
  std::optional<double> error_95;
  std::optional<Interval> interval_95;  // of a quantile, instead of an error bar
  bool only_noise = false;              // the bar covers all that is possible: the number says nothing
};

/// Which privacy a release itself is under.
enum class Sides {
  kTwo,  // its plain loss bounds any change of a record
  kOne,  // one-sided: it has no plain loss, only its noisy part, if any, has
};

struct Certificate {  // docs/theory/model.md#what-may-leave
  std::vector<NoiseLine> noise;
  double plain_epsilon = 0;              // of this answer; 0 with a Gaussian loss: no pure loss bounds it
  double mu = 0;                         // its Gaussian loss, where that is counted
  double delta = 0;                      // in addition: the plain probability that this answer loses more
  std::optional<double> plain_presence;  // the same for a unit that comes or goes; nothing: no less, or it is public
  Guarantee guarantee;                   // of all answers so far
  Sides sides = Sides::kTwo;             // of this answer; guarantee.one_sided is about all others
  UnitLevel unit = UnitLevel::kPerson;   // whose record plain_epsilon is about
  std::vector<std::string> claims;
  std::int64_t ledger_entry = 0;
  std::string ledger_hash;
};

/// Of this answer, if a unit comes or goes; nothing: presence is public, a one-sided release has no bound on it, or a
/// delta is counted, for which there is no smaller loss.
std::optional<double> PresenceOf(const Certificate& certificate);

/// What a step of a stream is, besides its rows.
struct StepRelease {
  std::int64_t tick = 0;
  std::string time;  // when the step begins
  StepState state = StepState::kLost;
  PlainUnits charged;       // plain loss of this step
  PlainUnits window_spent;  // the most of any window with this step, all streams together
};

struct Answer {
  std::vector<std::string> columns;
  std::vector<std::vector<AnswerCell>> rows;  // of a step that was skipped or lost: none
  std::vector<std::size_t> histograms;        // positions of columns that hold parts of a histogram, and no totals
  Certificate certificate;
  bool stored = false;  // true: this very thing was released before; nothing was charged
  std::vector<Note> notes;
  JsonValue details;  // what does not fit a table: of an analysis, or the private answers that a question is made of
  std::optional<RecordsReport> records;  // of true rows: they are in their file, and this is all that is said about
                                         // them
  std::optional<StepRelease> step;       // of a step
  std::string alarm = {};                // only fresh answers: what the ledger is to keep (Findings::alarm)
};

/// Stable field names; the inverse reads what the ledger stored.
std::string AnswerToJson(const Answer& answer);
Result<Answer> AnswerFromJson(const std::string& text);

struct BudgetReport {
  double epsilon_total = 0;
  double epsilon_left = 0;  // the price that a question about everybody may still have
  struct Cell {
    std::string name;
    double plain_spent, plain_budget, dependent_spent;
    double plain_any;                 // the part of plain_spent that bounds any change of a record, however far
    double plain_household = 0;       // the part of plain_spent that was charged about households
    double epsilon_left = 0;          // the price that a question about only these people may still have
    double plain_presence = 0;        // as plain_spent, for a unit that comes or goes
    double mu_spent = 0, mu_cap = 0;  // Gaussian loss, where that is counted: plain_spent is then that of pure answers
    double delta_spent = 0, delta_cap = 0;  // plain deltas for keys, where they are counted
  };
  std::vector<Cell> cells;
  std::vector<HistoryLine> history;
  Guarantee guarantee;  // of all that was spent
  std::string head;
  bool policy_changed = false;
  std::string continued_in;                 // the ledger is sealed and continues in this one; empty: it is not
  bool moved = false;                       // units may have been in several cells: the strictest limit holds for all
  std::vector<DataLine> versions;           // every replacement of the data
  std::vector<GenerationLine> generations;  // every recorded generation of the policy
  struct OneSidedLine {
    OneSidedAccount account;
    std::optional<double> limit;  // nothing: the policy no longer has the attribute
  };
  std::vector<OneSidedLine> one_sided;
  struct Allowance {
    std::string name;
    PlainUnits allowed, spent;
  };
  std::optional<Allowance> allowance;  // of the caller who looks
};

struct CuratorState;

/// An open policy with its engine and ledger. Safe to use from several threads.
class Curator {
 public:
  /// Reads the policy and inverts its transfer function. Touches neither data nor ledger: both are opened when first
  /// needed. A graph in a file may take minutes the first time: the call is told and can be stopped. `remembered`:
  /// false where the ledger goes with the session, like that of synthetic data: it is not written down beside the data.
  static Result<Curator> Open(const std::filesystem::path& policy, const EngineOptions& options, const Call& call = {},
                              bool remembered = true);

  /// What a release would cost and give. Touches no data; reads the ledger if there is one. Of an analysis: the
  /// statistics of all its rounds, as they would be if every answer were zero; `sql` is the first round's. `caller`:
  /// whose allowance it would have to fit.
  Result<Explanation> Explain(const Request& request, const Price& price = {}, const Call& call = {},
                              const Caller& caller = {}) const;

  /// Ensures [RELEASE-1]: the plain cost is durably charged before data are read; what leaves is computed only from the
  /// noisy integers; an error after the charge is an output that costs the same and carries no value. An
  /// analysis' whole price is charged before its first round reads data, and each round sees nothing but the noisy
  /// answers before it; a study gets the shares that were charged.
  /// Ensures [OSDP-6], [OSDP-7], [OSDP-8] for true rows and one-sided histograms, charged in the attribute's own
  /// account: see claims/one_sided.md.
  /// Ensures [STREAM-1] for steps: a unit present for at most `window` consecutive steps loses at most
  /// StreamGuarantee::plain by all steps of all streams of the policy together, for ever. [STREAM-7] and [STREAM-8]:
  /// and at most its `dependent` against somebody who knows the declared dependence.
  /// Fails: kUnsupportedQuery and kInvalidArgument (nothing charged, no data touched; also a price where the request
  /// holds it, a step before one that was already released, or that does not exist), kBudgetExhausted (nothing
  /// charged), kStorage, kCancelled (also a deadline; the error says which, and whether it was charged). Of a caller
  /// with limits: kBudgetExhausted about "account.allowance", kUnsupportedQuery about "approval" (nothing charged).
  Result<Answer> Release(const Request& request, const Price& price = {}, const Caller& caller = {},
                         const Call& call = {}) const;

  /// A statistic of every step, ready for StepRequest. Touches no data. Fails: kInvalidArgument (no stream in the
  /// policy, a rule that does not fit), kUnsupportedQuery, kBudgetExhausted (a price beyond the policy's epsilon).
  Result<std::shared_ptr<const StreamRelease>> OpenStream(const StreamRequest& request) const;
  /// The last step that the stream was charged for. Fails: as the ledger.
  Result<std::optional<std::int64_t>> LastStep(const StreamRelease& stream) const;

  /// What was spent on what and what is left, in both losses, by everybody. `caller`: who looks; with an allowance,
  /// also what is left of it, and with `own_history` no questions of others. `with_history`: false: the totals alone.
  Result<BudgetReport> Budget(const Caller& caller = {}, bool with_history = true) const;
  /// A page of the history; nothing if nothing was ever asked. Fails: as Ledger::History.
  Result<std::vector<HistoryLine>> History(const HistoryPage& page = {}) const;

  /// Whether a charge could be made: the ledger is whole, no older copy, not lost, and can be written to. Asks nothing
  /// of the data. Fails: kStorage; as Ledger::Open.
  Result<void> Ready() const;

  /// For the curator: says that the data were replaced, and reads CSV tables in. Answers from now on are about a new
  /// version, whether anything changed or not; notices say what was read, and `report`, if not empty, gets what was
  /// found in the data, even by an import that fails because the data break a promise.
  /// Fails: as ImportTables; kStorage.
  Result<DataState> Import(const Call& call, const DataReportSink& report = {}) const;

  const Policy& policy() const;
  /// The transfer function and the limits that charges are held against, for audits.
  const Accountant& account() const;
  const EngineOptions& options() const;

  Curator(Curator&&) noexcept;
  Curator& operator=(Curator&&) noexcept;
  ~Curator();

 private:
  explicit Curator(std::unique_ptr<const CuratorState> state);
  std::unique_ptr<const CuratorState> state_;
};

}  // namespace kith
