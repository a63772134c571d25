// The one place where everything meets: policy, question, transfer, ledger, engine, noise. A library for the command
// line, a server and a Python module: thread-safe, cancellable, no global state.
#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "base/call.h"
#include "base/json.h"
#include "base/note.h"
#include "base/result.h"
#include "engine/engine.h"
#include "ledger/ledger.h"
#include "policy/policy.h"
#include "query/plan.h"
#include "release/guarantee.h"
#include "release/one_sided/one_sided.h"
#include "transfer/transfer.h"

namespace kith {

/// What the analyst offers: a share of the budget, or the precision that is needed.
struct Price {
  std::optional<double> epsilon;  // --epsilon: buys the fraction epsilon / epsilon_total of the plain budget
  std::optional<double>
      error_95;               // --error: largest 95 % error bar accepted for any noisy cell; the cost is solved for
  std::vector<double> split;  // --split: one weight for each noisy statistic; empty: equal shares
};

struct NoiseLine {  // one statistic's share
  std::string statistic;
  PlainUnits share;
  double scale = 0;  // in the statistic's own units
  double lattice = 0;
  double sensitivity = 0;   // in the statistic's own units
  double error_95 = 0;      // per cell
  double error_95_all = 0;  // for all cells at once
  bool in_rows = false;     // a quantile: scale, sensitivity and errors are of its rank, in rows
};

/// How far an average can be off: that follows from its noisy sum and count, and so from how many rows there are.
struct AverageError {
  std::string output;
  struct At {
    double rows = 0;
    double error_95 = 0;
  };
  std::vector<At> at;  // the worst over true averages in the middle and at the ends of the bounds
};

/// What a question would cost and give; computed without touching data.
struct Explanation {
  Plan plan;
  PlainUnits units;  // plain price
  std::vector<NoiseLine> noise;
  std::vector<AverageError> averages;
  std::string sql;                // what the engine will be asked
  double plain_spent_before = 0;  // largest over cells
  double dependent_before = 0;
  Guarantee guarantee;  // afterwards
  std::size_t charged_cells = 0, cells = 0;
  bool affordable = false;
  std::string refusal;  // why not, when not affordable
};

struct AnswerCell {
  Value value;  // key value, or the noisy number
  std::optional<double> error_95;
};

struct Certificate {  // docs/theory/model.md#what-may-leave
  std::vector<NoiseLine> noise;
  double plain_epsilon = 0;  // of this answer
  Guarantee guarantee;       // of all answers so far
  std::vector<std::string> claims;
  std::int64_t ledger_entry = 0;
  std::string ledger_head;
};

struct Answer {
  std::vector<std::string> columns;
  std::vector<std::vector<AnswerCell>> rows;
  Certificate certificate;
  bool stored = false;  // true: this very question was answered before; nothing was charged
  std::vector<Note> notes;
  JsonValue details;  // of an analysis: an object with what does not fit a table; empty for a question
};

/// Whether the answer itself is a one-sided release, which has no plain loss: only its noisy part, if any, has.
inline bool OneSidedItself(const Certificate& certificate) {
  return certificate.guarantee.one_sided.starts_with("One-sided:");
}

/// Stable field names; the inverse reads what the ledger stored.
std::string AnswerToJson(const Answer& answer);
Result<Answer> AnswerFromJson(const std::string& text);

struct BudgetReport {
  double epsilon_total = 0;
  struct Cell {
    std::string name;
    double plain_spent, plain_budget, dependent_spent;
    double plain_any;  // the part of plain_spent that bounds any change of a record, however far
  };
  std::vector<Cell> cells;
  std::vector<HistoryLine> history;
  Guarantee guarantee;  // of all that was spent
  std::string head;
  bool policy_changed = false;
  bool moved = false;              // units may have been in several cells: the strictest limit holds for all
  std::vector<DataLine> versions;  // every replacement of the data
  std::int64_t safe_from = 0;      // of an old ledger: heads of this many first charges are not shown
  struct OneSidedLine {
    OneSidedAccount account;
    std::optional<double> limit;  // nothing: the policy no longer has the attribute
  };
  std::vector<OneSidedLine> one_sided;
};

/// An open policy with its engine and ledger. Safe to use from several threads.
class Curator {
 public:
  /// Reads the policy and inverts its transfer function. Touches neither data nor ledger: both are opened when first
  /// needed. A graph in a file may take minutes the first time: the call hears of it and can be stopped.
  static Result<Curator> Open(const std::filesystem::path& policy, const EngineOptions& options, const Call& call = {});

  /// Touches no data; reads the ledger if there is one.
  Result<Explanation> Explain(const std::string& sql, const Price& price) const;
  /// The same for an analysis: the statistics of all its rounds, as they would be if every answer were zero. `sql` is
  /// the first round's.
  Result<Explanation> Explain(const Analysis& analysis, const Price& price) const;
  Result<Explanation> Explain(const Study& study, const Price& price) const;

  /// Ensures [RELEASE-1]: the plain cost is durably charged before data are read; what leaves is computed from the
  /// noisy integers alone; an error after the charge is an output that costs the same and carries no value. Fails:
  /// kUnsupportedQuery and kInvalidArgument (nothing charged, no data touched), kBudgetExhausted (nothing charged),
  /// kStorage, kCancelled (the error says whether the charge stands).
  Result<Answer> Ask(const std::string& sql, const Price& price, const Call& call) const;

  /// The same for an analysis: its whole price is charged before its first round reads data, and each round sees
  /// nothing but the noisy answers before it.
  /// Fails: as Ask; kInvalidArgument if an error bar is offered instead of an epsilon.
  Result<Answer> Analyse(const Analysis& analysis, const Price& price, const Call& call) const;
  /// The same for a study, which reads data itself: after the charge, and with the shares that were charged.
  Result<Answer> Analyse(const Study& study, const Price& price, const Call& call) const;

  /// Releases true rows that are not sensitive, each with probability 1 - exp(-epsilon), into a new file.
  /// Ensures [OSDP-6], [OSDP-7]: charged in the attribute's own account before data are read; an error after the charge
  /// costs the same. Fails: kInvalidArgument (attribute, rule, epsilon, file), kBudgetExhausted: nothing charged;
  /// kStorage, kCancelled (the error says whether the charge stands).
  Result<RecordsReport> ReleaseRecords(const RecordsRequest& request, const Call& call) const;
  /// A one-sided histogram, through the pipeline of all answers: stored, charged in both accounts in one step.
  /// Ensures [OSDP-8]: see claims/one_sided.md. Fails: as Ask; as ReleaseRecords.
  Result<Answer> ReleaseHistogram(const HistogramRequest& request, const Call& call) const;
  /// The same without data, charge or file.
  Result<RecordsReport> ExplainRecords(const RecordsRequest& request) const;

  /// What was spent on what and what is left, in both losses.
  Result<BudgetReport> Budget() const;

  /// For the curator: says that the data were replaced, and reads CSV tables in. Answers from now on are about a new
  /// version, whether anything changed or not; notices tell what was read.
  /// Fails: as ImportTables; kStorage.
  Result<DataState> Import(const Call& call) const;

  const Policy& policy() const;
  friend class StreamRelease;  // release/stream.h: the same for every step of a stream
  Curator(Curator&&) noexcept;
  Curator& operator=(Curator&&) noexcept;
  ~Curator();

 private:
  struct State;
  explicit Curator(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace kith
