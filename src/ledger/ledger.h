// The durable account of plain loss, shared by processes: a charge is on disk before any data is read, and never comes
// back. SQLite in WAL mode with synchronous=FULL; every change is one BEGIN IMMEDIATE transaction.  Claims:
// claims/ledger.md Format and files: docs/guide/ledger_format.md
#pragma once
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "loss/loss.h"

namespace kith {

/// What a ledger belongs to. A ledger of another identity (its first line decides) is refused once anything was asked
/// under it; before, it is bound anew. A changed policy fingerprint is recorded and reported.
struct LedgerBinding {
  std::string identity;            // Policy::identity_fingerprint(); then, for messages, Policy::identity_words()
  std::string policy;              // Policy::fingerprint()
  std::vector<std::string> cells;  // names of the cells, in order
  bool stream = false;             // charges are for single steps of a stream
};

/// A step of a stream, and how many consecutive steps a limit holds for.
struct StreamStep {
  std::int64_t tick = 0;    // 0, 1, 2, ...
  std::int64_t window = 1;  // at least 1
};

/// The loss of a one-sided release. True records have no bounded plain loss, so they have accounts of their own, which
/// never mix with plain units (claims/one_sided.md).
struct OneSidedCharge {
  std::string account;  // the attribute
  std::string rule;     // which rows are sensitive, as canonical text
  PlainUnits units;
  PlainUnits limit;  // the account's total may not exceed it
};

/// What one-sided releases of an attribute have lost so far.
struct OneSidedAccount {
  std::string name;
  PlainUnits spent;
  std::vector<std::string> rules;  // all that releases were made under: only rows sensitive by each of them are covered
};

struct ChargeRequest {
  PlainUnits units;                // for every charged cell
  std::vector<std::size_t> cells;  // which cells are charged; may be empty (public facts only)
  std::vector<PlainUnits> limits;  // per cell of the ledger: the total may not exceed it
  std::string question;            // normalised text, kept for the history
  std::string answer_key;          // digest of question, policy, data version and scale
  // In the ledger of a stream, and only there: the step that is paid for. The limits then hold for every window of that
  // many consecutive steps, instead of for ever, and a key can be charged once.
  std::optional<StreamStep> step = std::nullopt;
  std::optional<OneSidedCharge> one_sided = std::nullopt;  // beside the plain units, in one step; not of a stream
};

struct LedgerEntry {
  std::int64_t number = 0;  // 1, 2, 3, ...
  std::string head;         // head of the hash chain after this entry
};

struct HistoryLine {
  std::int64_t number = 0;
  std::int64_t unix_seconds = 0;
  std::string question;
  PlainUnits units;
  std::vector<std::size_t> cells;
  std::string policy;     // fingerprint of the policy that it was asked under
  std::string head;       // head of the hash chain after this charge, as printed with the answer
  bool answered = false;  // false: charged, but no answer was stored (crash, error or cancellation after the charge)
  std::int64_t tick = 0;  // in the ledger of a stream: the step it paid for
  std::string one_sided_account;  // empty: not one-sided
  PlainUnits one_sided_units;
};

/// A charge for one step of a stream.
struct StepCharge {
  std::int64_t tick = 0;
  PlainUnits units;
  std::int64_t number = 0;
};

struct StoredAnswer {
  LedgerEntry entry;
  std::string answer;  // as given to StoreAnswer
};

struct LedgerOptions {
  std::chrono::milliseconds patience{10'000};  // how long to wait for a lock that another process holds
};

/// Safe to use from several threads and processes. After a fork only the parent may go on using it; the child opens its
/// own.
class Ledger {
 public:
  static constexpr std::size_t kMaxCells = 4096;

  /// Opens and verifies the hash chain and the totals; creates where `create` is true and there never was a ledger.
  /// Fails: kStorage (unreadable, read-only, damaged, chain broken, lost, swapped, locked too long), kInvalidArgument
  /// (belongs to another identity and has entries; or missing although `create` is false), each with what to do next.
  /// Ensures [LEDGER-3]: entries, totals or bindings changed without recomputing the whole chain are refused.
  static Result<Ledger> Open(const std::filesystem::path& file, const LedgerBinding& binding, bool create,
                             const LedgerOptions& options = {});
  /// Whether there is a ledger to open; false if there never was one.
  /// Fails: kStorage if there was one and it is lost, or the file cannot be one.
  static Result<bool> Exists(const std::filesystem::path& file);
  Ledger(Ledger&&) noexcept;
  Ledger& operator=(Ledger&&) noexcept;
  ~Ledger();

  /// Counts a charge. A charge of nothing (no cells, or no units) is recorded whatever the limits are; a one-sided part
  /// is counted in its own account, whatever the cells are.
  /// Ensures [LEDGER-1]: when this returns an entry, the charge is durable and, unless it is a charge of nothing, no
  /// cell's total exceeds its limit, whatever other processes do.
  /// Ensures [LEDGER-2]: whenever the process or the machine stops, every returned entry is counted afterwards; when
  /// this fails, either nothing was charged or too much is counted, never too little.
  /// Ensures [LEDGER-4]: in the ledger of a stream, when this returns an entry, no window of `step.window` consecutive
  /// steps that holds `step.tick` exceeds the limit of any cell, in whatever order steps are charged and whatever other
  /// processes do; and no key is charged twice.
  /// Fails: kBudgetExhausted; kStorage; kInvalidArgument if a cell is named twice or is none, a limit is missing, a
  /// step is missing or out of place, or its key was charged before.
  Result<LedgerEntry> Charge(const ChargeRequest& request);

  /// Keeps the answer to a charge. Storing the same answer again does nothing.
  /// Fails: kStorage; kInvalidArgument if the charge is not in this ledger, has another key, or has another answer
  /// already.
  Result<void> StoreAnswer(const LedgerEntry& entry, const std::string& answer_key, const std::string& answer);
  /// The first answer stored under the key. Ensures [LEDGER-3]: a changed answer is refused.
  Result<std::optional<StoredAnswer>> FindAnswer(const std::string& answer_key) const;

  /// Of a stream: the charge under a key, answered or not.
  Result<std::optional<LedgerEntry>> FindCharge(const std::string& answer_key) const;
  /// Of a stream: what a step could be charged now, and no less. Another process may be faster.
  Result<PlainUnits> Room(const StreamStep& step, const std::vector<std::size_t>& cells,
                          const std::vector<PlainUnits>& limits) const;
  /// Of a stream: what a question was charged for steps `from` to `to` under this ledger's policy, in order of steps.
  Result<std::vector<StepCharge>> Charges(const std::string& question, std::int64_t from, std::int64_t to) const;
  /// Of a stream: for each cell, the largest sum of `window` consecutive steps; of those that hold `tick`, if given.
  Result<std::vector<PlainUnits>> LargestWindows(std::int64_t window, std::optional<std::int64_t> tick) const;

  /// Total units per cell; of a stream, of all its steps together (cut at PlainUnits::kMax): nobody is present in all.
  Result<std::vector<PlainUnits>> Spent() const;
  /// Every one-sided account that was ever charged, in the order of first charges.
  /// Ensures [LEDGER-5]: the sums of the one-sided parts of all charges; a ledger with one is refused by older
  /// versions.
  Result<std::vector<OneSidedAccount>> OneSided() const;
  /// All charges in order, re-verified while they are read.
  Result<std::vector<HistoryLine>> History() const;
  /// Number of the last charge (0 before the first) and the current head of the chain.
  Result<LedgerEntry> Head() const;
  /// Reads the whole file again: structure, chain, totals and every stored answer.
  Result<void> Verify() const;
  /// True if the last charge under this ledger was made under another policy fingerprint (History has it).
  bool policy_changed() const;

 private:
  struct State;
  explicit Ledger(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace kith
