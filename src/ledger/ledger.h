// The durable account of plain loss, shared by processes: a charge is on disk before any data is read, and never comes back.
// SQLite in WAL mode with synchronous=FULL; every change is one BEGIN IMMEDIATE transaction.  Claims: claims/ledger.md
#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "loss/loss.h"

namespace kith {

/// What a ledger belongs to. A ledger of another identity is refused; a changed policy fingerprint is recorded and reported.
struct LedgerBinding {
  std::string identity;            // Policy::identity_fingerprint()
  std::string policy;              // Policy::fingerprint()
  std::vector<std::string> cells;  // names of the cells, in order
};

struct ChargeRequest {
  PlainUnits units;                    // for every charged cell
  std::vector<std::size_t> cells;      // which cells are charged; may be empty (public facts only)
  std::vector<PlainUnits> limits;      // per cell of the ledger: the total may not exceed it
  std::string question;                // normalised text, kept for the history
  std::string answer_key;              // digest of question, policy, data version and scale
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
  bool answered = false;   // false: charged, but the answer was never stored (crash, error or cancellation after the charge)
};

struct StoredAnswer {
  LedgerEntry entry;
  std::string answer;  // as given to StoreAnswer
};

/// Safe to use from several threads and processes.
class Ledger {
 public:
  /// Opens, or creates where `create` is true and there is none.
  /// Fails: kStorage (unreadable, read-only, corrupt, hash chain broken), kInvalidArgument (belongs to another identity; or missing
  /// although `create` is false), each with what to do next.
  static Result<Ledger> Open(const std::filesystem::path& file, const LedgerBinding& binding, bool create);
  Ledger(Ledger&&) noexcept;
  Ledger& operator=(Ledger&&) noexcept;
  ~Ledger();

  /// Ensures [LEDGER-1]: when this returns an entry, the charge is durable and no cell's total exceeds its limit, whatever other
  /// processes do; when it fails, either nothing was charged or (a crash in between) too much is counted, never too little.
  /// Fails: kBudgetExhausted, kStorage.
  Result<LedgerEntry> Charge(const ChargeRequest& request);

  Result<void> StoreAnswer(const LedgerEntry& entry, const std::string& answer_key, const std::string& answer);
  Result<std::optional<StoredAnswer>> FindAnswer(const std::string& answer_key) const;

  /// Total units per cell.
  Result<std::vector<PlainUnits>> Spent() const;
  Result<std::vector<HistoryLine>> History() const;
  Result<LedgerEntry> Head() const;
  /// True if the policy's dependence or budget changed since the last charge under this ledger (the old fingerprint is kept).
  bool policy_changed() const;

 private:
  struct State;
  explicit Ledger(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace kith
