// What an open ledger keeps between calls, and what every call starts and ends with.
#pragma once
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/wake.h"
#include "ledger/chain.h"
#include "ledger/files.h"
#include "ledger/ledger.h"
#include "ledger/past.h"
#include "ledger/store.h"
#include "ledger/view.h"
#include "ledger/windows.h"

namespace kith {

struct Ledger::State {
  std::mutex mutex;
  LedgerBinding binding;
  LedgerOptions options;
  ledger::Places places;
  std::string id;
  std::unique_ptr<ledger::Store> store;
  ledger::View view;  // the verified prefix of the chain; later entries are verified as they are met
  // SQLite's number of the file that the view is of [Store::Version]: as long as it is the same, there is nothing to
  // catch up with. Nothing: not known, as from the beginning of a write until it is known to be durable.
  std::optional<std::int64_t> known_at, written_at;
  std::optional<ledger::Windows> windows;  // of a stream; always what `view` says
  ledger::Past past;                       // the same
  std::optional<ledger::CellMap> ahead;    // what accepting the binding's policy will do to cells
  std::int64_t ahead_of = 0;               // the generation that it comes after
  bool ahead_merges = false;               // cells are merged before that
  bool looks_beside = false;               // it is the one next to another [Read]
  pid_t owner = getpid();

  ~State();

  /// Starts from the birth that the store has; nothing is verified yet.
  void Restart();
  /// Every operation starts here: the right process, the right files.
  Result<void> Ready() const;
  Result<ledger::Transaction> BeginRead();
  Result<ledger::Transaction> BeginWrite();
  /// Brings everything up to date with the file. Requires: a transaction.
  Result<void> CatchUp();
  /// An entry was added to the chain.
  void Follow(const ledger::Entry& entry, const ledger::View& after);
  /// Read-only: opens the ledger again, because others wrote to it.
  Result<void> Reopen();

  /// Calls `look` with a state whose view is up to date, in a read transaction: this one or, while others write with
  /// it, the one next to it. A commit that is under way is not a charge yet, and nothing waits for its end to see what
  /// was there before.
  template <class Look>
  auto Read(const Look& look) -> decltype(look(*this)) {
    if (State* const at = Looking()) return look(*at);
    std::unique_lock lock(mutex, std::try_to_lock);
    if (!lock.owns_lock()) {
      if (State* const other = beside_.load()) {
        const std::lock_guard own(other->mutex);
        return other->ReadAgain(look);
      }
      wanted_ = true;
      lock.lock();
    }
    return ReadAgain(look);
  }

  /// The state in which this thread is inside a look at one moment: it has its mutex, a transaction and a view that is
  /// up to date. Nullptr: none.
  State* Looking() {
    State* const other = beside_.load();
    const auto self = std::this_thread::get_id();
    if (looker.load(std::memory_order_relaxed) == self) return this;
    return other != nullptr && other->looker.load(std::memory_order_relaxed) == self ? other : nullptr;
  }
  std::atomic<std::thread::id> looker{};
  /// Makes the state for looks, if something had to wait. Requires: the mutex. Where it cannot be made, looks wait.
  void MakeBeside();

  /// As it is, or, if the promise of fixed cells was withdrawn, as the next charge will make it.
  /// `room`: for what it is then.
  const ledger::View& Counted(ledger::View& room) const;
  ledger::Windows CountedWindows() const;
  /// The binding's policy is the last generation, or none was ever recorded and it is the one that the ledger was made
  /// for.
  bool Current() const;
  /// Fails: kInvalidArgument if it is not, and will not be: another policy was accepted since the ledger was opened.
  Result<void> MayGoOn() const;
  /// After opening: makes the binding's policy the last generation if it is not, or, reading only, counts as if it
  /// were. `made_for`: whether the ledger was made for it. Fails: kInvalidArgument if the policy is not accepted.
  Result<void> Settle(const Result<void>& made_for);
  Result<LedgerGrowth> Judge() const;
  /// True if totals are not those of the last entry.
  bool Ahead() const { return MustMerge() || ahead.has_value(); }
  /// True if the next charge has to merge cells first.
  bool MustMerge() const { return (view.apart && !binding.fixed_cells) || (view.uneven && binding.joined); }
  /// Merges cells that are joined from now on. It is an entry as soon as the ledger is opened, so that a later promise
  /// is not about what was charged before it. Requires: Settle came first.
  Result<void> JoinCells();
  /// Fails: kInvalidArgument if the binding's promise is about the present version alone, and units were charged.
  Result<void> MayBeginVersion() const;

  /// An entry and what the ledger says after it.
  struct Step {
    ledger::Entry entry;
    ledger::View after;
  };
  /// One more step: the entry gets its place and time. What is wrong with it, or nothing.
  std::optional<std::string> Next(std::vector<Step>& steps, ledger::Entry entry) const;
  /// Appends the entries, commits, and only then takes over what the last one says.
  Result<void> Write(ledger::Transaction& transaction, std::vector<Step> steps, const std::string* answer = nullptr);

  /// Fails: kInvalidArgument if the ledger is sealed, or an entry says what this version cannot account for.
  Result<void> MayCharge() const;
  /// The same where totals, or what is said about them, would be wrong without that entry.
  Result<void> MayTotal() const;
  Result<std::vector<HistoryLine>> History(const HistoryPage& page);
  /// Charges of these numbers between a mark and a position, in order; the mark moves there. Every entry on the way is
  /// verified.
  Result<void> ReadCharges(ledger::Past::Mark& at, std::int64_t until, std::int64_t low, std::int64_t high,
                           const std::function<void(HistoryLine)>& take);
  /// An entry was added to the chain: the newest charges are those with it.
  void FollowNewest(const ledger::Entry& entry, const ledger::View& after);
  HistoryLine LineAt(const ledger::Entry& entry, std::string_view head, std::int64_t data) const;
  /// Brings what is remembered of the newest charges up to date. Entries that this process verified and nothing else
  /// can have touched are not read again.
  Result<void> ReadNewest();
  /// The same for one caller: reads as much of the chain as it takes.
  Result<std::vector<HistoryLine>> HistoryOf(const HistoryPage& page);

  /// The entry that says that the data were replaced; borrows from its arguments and the binding.
  ledger::Entry Replacement(const DataState& data, bool merged) const;

  /// The entry of a charge; borrows from the request and the binding.
  ledger::Entry ChargeEntry(const ChargeRequest& request, const ledger::CellSet& cells);
  /// What is wrong with a request by itself, whatever was charged.
  Result<ledger::CellSet> CheckRequest(const ChargeRequest& request) const;
  Result<LedgerEntry> Charge(const ChargeRequest& request);
  /// Whether a charge by Gaussian loss fits; if the ledger has no caps yet, a step that fixes them comes first.
  Result<void> FixCaps(const ChargeRequest& request, std::vector<Step>& steps);
  /// The same for a charge at its pure value with a delta, and caps of deltas.
  Result<void> FixDeltaCaps(const ChargeRequest& request, std::vector<Step>& steps);
  Result<void> AddCapEntry(const LedgerCaps& caps, const std::string& words, std::vector<Step>& steps);
  /// Requires: a write transaction that will be committed, or thrown away with all that came before.
  Result<LedgerEntry> AddCharge(const ChargeRequest& request, const ledger::CellSet& cells);
  Result<void> AddAnswer(const LedgerEntry& entry, const std::string& answer_key, const std::string& answer);

  /// What one thread adds, together with others [sharing.cc]. It borrows from its thread until it is done.
  struct Addition {
    std::function<Result<void>()> add;  // refuses, or hands its steps to Add
    bool charges = false;               // the binding's policy has to be accepted first
    Error no_memory = {};               // what it is told if there is nothing else to say
    Result<void> result = {};
    bool leads = false;  // when it is called: it is not done, and has to write itself
    Wake turn = {};
  };
  // Guards the queue, who leads and what is done; never held while the ledger's own mutex is waited for.
  std::mutex queueing;
  std::vector<Addition*> queue;
  bool leading = false;
  // By the transaction that is under way: its entries in order, what they borrow from, and why it cannot be committed.
  std::vector<Step> under_way;
  std::deque<std::string> lent_texts;
  std::deque<DataState> lent_data;
  std::optional<Error> broken;
  /// Waits until the addition was refused, or is durable. Not for a holder of the mutex.
  Result<void> Share(std::function<Result<void>()> add, bool charges);
  void WriteTogether(const std::vector<Addition*>& together);
  /// All of them in one transaction. Fails: none of them is certain to be durable.
  Result<void> WriteBatch(const std::vector<Addition*>& batch);
  /// Appends the entries; the view is that after the last one.
  Result<void> Add(std::vector<Step> steps, const std::string* answer = nullptr);
  /// Whether a step may be charged, given all that was charged so far.
  Result<void> CheckSteps(const ChargeRequest& request, const ledger::CellSet& cells, const ledger::Windows& sums);
  Result<void> Seal(const std::string& successor);
  Result<void> RaiseAlarm(const std::string& about, const std::string& found);
  Result<void> Carry(const LedgerCarry& carry);
  /// What is carried, as one charge.
  std::vector<ledger::Posting> CarriedPostings(const LedgerCarry& carry);
  Result<void> WriteGeneration();
  bool Merges(const LedgerGrowth& growth) const;
  /// Records the binding's policy as a generation if it is a new one: before the first entry that is made under it.
  Result<void> Accept();
  LedgerGrowth AsItIs() const;
  Result<DataState> ReplaceData(std::int64_t before, const std::string& label, const std::string& import);
  Result<void> StoreAnswer(const LedgerEntry& entry, const std::string& answer_key, const std::string& answer);
  /// An answer with its text and its charge.
  Result<std::optional<StoredAnswer>> Whole(const Result<std::optional<ledger::Store::AnswerRow>>& found);
  Result<void> VerifyAll();
  Result<void> CheckStructure(const char* check) const;
  bool pages_seen = false;  // every page was looked at since it was opened

 private:
  // And again if others wrote to the file in the meantime. Requires: the mutex.
  template <class Look>
  auto ReadAgain(const Look& look) -> decltype(look(*this)) {
    for (int tries = 0;; ++tries) {
      auto found = ReadOnce(look);
      // A look that fails is tried once more: a change within one step of the file's clock cannot be seen.
      if (found || tries == 5 || !(store->Outdated() || (options.read_only && tries == 0))) return found;
      auto again = Reopen();
      for (int more = 0; more < 3 && !again; ++more) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        again = Reopen();
      }
      if (!again) return again.error();
    }
  }

  template <class Look>
  auto ReadOnce(const Look& look) -> decltype(look(*this)) {
    const auto transaction = BeginRead();
    if (!transaction) return transaction.error();
    return look(*this);
  }

  // Like another process, with its own connection: it only looks, and catches up with what is committed.
  std::unique_ptr<State> own_beside_;
  std::atomic<State*> beside_{nullptr};  // the same, once it is ready
  std::atomic<bool> wanted_{false};
  bool beside_unable_ = false;  // it was tried
};

}  // namespace kith
