// The durable account of plain loss, shared by processes: a charge is on disk before any data is read, and never comes
// back. SQLite in WAL mode with synchronous=FULL; every change is one BEGIN IMMEDIATE transaction.  Claims:
// claims/ledger.md Format and files: docs/guide/ledger_format.md
#pragma once
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/cancel.h"
#include "base/result.h"
#include "base/unit_level.h"
#include "ledger/question_lock.h"
#include "loss/loss.h"

namespace kith {

/// A public column whose values divide the units into cells.
struct LedgerColumn {
  std::string name;
  std::vector<std::string> values;  // as strings, each once
  bool operator==(const LedgerColumn&) const = default;
};

/// For a column that divides units into cells before and after a policy changed: for each present value, the earlier
/// values that share a raw value with it.
struct LedgerOrigins {
  std::string column;
  std::map<std::string, std::vector<std::string>> from;
};

/// What an accepted change of the policy does to what was spent.
struct LedgerGrowth {
  std::vector<LedgerOrigins> origins;  // of the columns in both; any value of any other column shares a raw value
  bool other_data = false;             // charges from now on are about other data
  bool was_fixed = false;              // cells were already promised to be fixed before
};

struct OneSidedAccount;

/// What a changed policy is judged by.
struct LedgerPast {
  std::string description;      // of the policy of the last generation; LedgerBinding::description
  std::int64_t generation = 1;  // the number that the new one would have
  const std::vector<OneSidedAccount>& released;
};

/// What a ledger belongs to. A ledger of another identity (its first line decides) is refused once anything has been
/// asked under it; before that, it can be rebound. A changed policy fingerprint is recorded and reported.
/// With a description every policy that is accepted is a generation, with its own entry: a description other than the
/// last generation's is judged by `grow`, and refused or recorded when the ledger is opened for writing.
struct LedgerBinding {
  std::string identity;            // Policy::identity_fingerprint(); then, for messages, Policy::identity_words()
  std::string policy;              // Policy::fingerprint()
  std::vector<std::string> cells;  // names of the cells, in order
  bool stream = false;             // charges are for single steps of a stream
  bool fixed_cells = false;        // the policy promises that no unit ever changes its cell
  bool one_version = false;        // the same, of one version of the data alone: no other one begins after a charge
  bool joined = false;             // a unit may be in any cell whenever it is asked about: all are charged, or none
  // What the cells are, by value: all combinations, those of the first column slowest. None: there is one cell.
  std::vector<LedgerColumn> columns;
  std::string description;  // one line, opaque to the ledger; empty: no generations are recorded
  std::function<Result<LedgerGrowth>(const LedgerPast& past)> grow = {};
};

/// Which data the questions are about. Public: it says nothing about the bytes of any file.
struct DataState {
  std::int64_t number = 0;  // 1, 2, 3, ...; 0: none was ever recorded
  std::string label;        // the declared version; may be empty
  std::string import;       // names the snapshots of CSV files; may be empty
  /// The label, otherwise the number as text ("1" for 0).
  std::string Shown() const;
  bool operator==(const DataState&) const = default;
};

/// One replacement of the data, for the history.
struct DataLine {
  std::int64_t number = 0;
  std::string label;
  std::int64_t unix_seconds = 0;
  std::int64_t after_charge = 0;  // number of the last charge before it; 0: none
  bool merged = false;            // from here on every cell's total starts with the largest of any cell
};

/// One generation of the policy, for the history.
struct GenerationLine {
  std::int64_t number = 0;
  std::int64_t unix_seconds = 0;
  std::int64_t after_charge = 0;  // number of the last charge before it; 0: none
  std::string policy;             // fingerprint
};

/// The data were found to contradict what is declared about how records depend.
struct AlarmLine {
  std::int64_t number = 0;  // 1, 2, 3, ...
  std::int64_t unix_seconds = 0;
  std::string about;  // a digest of the declaration: 64 hexadecimal characters
  std::string found;  // in words
};

/// What the loss of a charge bounds under a metric policy.
enum class Covers : std::int64_t {
  kMove = 0,  // a move of a record by one unit of distance; other moves in proportion
  kAny = 1,   // any change of a record, however far
};

/// A step of a stream, and how many consecutive steps a limit holds for.
struct StreamStep {
  std::int64_t tick = 0;    // 0, 1, 2, ...
  std::int64_t window = 1;  // at least 1
};

/// The loss of a one-sided release. True records have no bounded plain loss, so they have separate accounts, which
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
  std::vector<std::string> rules;  // all that releases were made under: only rows sensitive under each are covered
};

/// What one analyst has used of an allowance. It repeats what was charged to cells and is not a further loss
/// (claims/people.md).
struct AnalystAccount {
  std::string name;
  PlainUnits spent;  // for each charge the most that any cell pays, and its one-sided part
  bool operator==(const AnalystAccount&) const = default;
};

/// Persons in households, under one account. A cell's total a + b has two parts: a, of charges about persons, and b, of
/// charges about households. What a household of at most `size` persons lost is at most size * a + b, with the largest
/// a and the largest b of any cell, since its members may be in different cells (claims/nested_units.md).
struct NestedLimits {
  std::int64_t size = 1;
  PlainUnits limit = PlainUnits::Of(PlainUnits::kMax);  // a household's loss may not exceed it
  // Where a household's loss does not exceed this, every person's is small enough, whatever the limits of cells say.
  std::optional<PlainUnits> enough = std::nullopt;
};
/// size * a + b as above, limited to PlainUnits::kMax. `spent`: a + b per cell; `household`: b, or empty for none.
PlainUnits HouseholdLoss(const std::vector<PlainUnits>& spent, const std::vector<PlainUnits>& household,
                         std::int64_t size);

/// What some of the charged cells pay.
struct CellCharge {
  PlainUnits units;
  std::vector<std::size_t> cells;
  std::optional<PlainUnits> presence = std::nullopt;  // as in ChargeRequest
};

/// What Gaussian loss, and the probability of losing more, are limited by: amounts of LossKind::kMu (squares) and
/// LossKind::kDelta, for each cell (claims/caps.md).
struct LedgerCaps {
  std::vector<std::int64_t> mu, delta;
  bool operator==(const LedgerCaps&) const = default;
};

/// The state of a ledger that counts with a delta: from the entry that fixes its caps on, which is never undone.
struct LedgerGaussian {
  LedgerCaps caps;
  // Only deltas have caps: charges are still at their pure value, against the limits, and Gaussian loss has no cap yet.
  bool open = false;
  std::vector<PlainUnits> before;       // what was spent at its pure value: before Gaussian loss had caps, or so far
  std::vector<std::int64_t> mu, delta;  // spent since, in the same amounts as the caps
  bool pure = true;                     // every charge since then was a pure one as well: Spent() is their pure total
  // Cells whose caps differed were merged or divided again: what was answered under the larger cap keeps its guarantee.
  bool mixed = false;
  std::int64_t largest_mu = 0, largest_delta = 0;  // of the caps as they were fixed
};

/// What the entries of a ledger add up to. Per cell, except for accounts and alarms.
struct LedgerTotals {
  // Of a stream: of all its steps together (limited to PlainUnits::kMax): no unit is present in all.
  std::vector<PlainUnits> spent;
  // The same for a unit that comes or goes, instead of any change of a record: at most `spent`.
  std::vector<PlainUnits> presence;
  // The part of `spent` that was charged with Covers::kAny. Merging takes the largest of this part and the largest of
  // the rest, each by itself, so that a move by any distance d costs at most any + d * (spent - any) for every unit.
  std::vector<PlainUnits> any;
  // The part of `spent` that was charged about households. Merged like the rest, separately.
  std::vector<PlainUnits> households;
  std::optional<LedgerGaussian> gaussian;  // nothing as long as there are no caps at all, not even of deltas
  // Every account that was ever charged, in the order of first charges. A change of the data or of the policy leaves
  // them as they are.
  std::vector<OneSidedAccount> one_sided;
  std::vector<AnalystAccount> analysts;
  std::vector<AlarmLine> alarms;  // in order
  bool by_cell =
      false;  // some charge was to some cells and not to others: what a unit lost by it rests on where it was
  bool carried = false;  // another ledger's losses were carried to this one; then by_cell is true as well
};

/// With a charge at its pure value, under a policy with a delta.
struct DeltaCharge {
  std::int64_t delta = 0;  // the probability that this answer loses more, LossKind::kDelta; 0: never
  // The largest caps of deltas that the policy allows where that much was spent. The first charge with a delta makes
  // them the ledger's, in the same step. If the ledger's are larger, the charge is refused.
  std::function<Result<std::vector<std::int64_t>>(const std::vector<PlainUnits>& spent)> caps = {};
  std::string words;  // what the caps are for, in one line
};

/// A charge by Gaussian loss, for a ledger with caps.
struct GaussianCharge {
  std::int64_t mu = 0;     // the square, LossKind::kMu
  std::int64_t delta = 0;  // in addition: the probability that this answer loses more, LossKind::kDelta
  bool pure = false;       // it also loses no more than the units of the request
  PlainUnits used;         // what it counts as for an allowance
  // The largest caps that the policy allows where that much was spent before at its pure value. If the ledger has none
  // yet, these become its caps, in the same step. If the ledger's are larger, the charge is refused.
  std::function<Result<LedgerCaps>(const std::vector<PlainUnits>& before)> caps = {};
  std::string words;  // what the caps are for, in one line
};

struct ChargeRequest {
  PlainUnits units;                // for every charged cell; with `parts` the most that any of them pays
  std::vector<std::size_t> cells;  // which cells are charged; may be empty (public facts only)
  std::vector<PlainUnits> limits;  // per cell of the ledger: the total may not exceed it
  std::string question;            // normalised text, kept for the history
  std::string answer_key;          // Ledger::KeyOf of question, policy, data version and scale
  // In the ledger of a stream, and only there: the step that is paid for. The limits then hold for every window of that
  // many consecutive steps, instead of over all time, and a key can be charged once.
  std::optional<StreamStep> step = std::nullopt;
  std::optional<OneSidedCharge> one_sided = std::nullopt;  // besides the plain units, in one step; not for a stream
  std::int64_t data = 0;                                   // DataState::number of the data that will be read
  Covers covers = Covers::kMove;
  std::string caller;  // who asked, for the history; may be empty
  // What the caller, who must then be named, may use over all time, of everything that is charged with an allowance.
  std::optional<PlainUnits> allowance = std::nullopt;
  // Whose record the units bound. About households: all cells or none, and any change (Covers::kAny); not for a stream.
  UnitLevel level = UnitLevel::kPerson;
  std::optional<NestedLimits> nested = std::nullopt;  // in addition to the limits
  // Where cells pay different amounts: every charged cell is in exactly one. Empty: all pay `units`. For persons; not
  // for a stream.
  std::vector<CellCharge> parts;
  // What is lost if one unit comes or goes; `units` bound any change of its record. Nothing: the same. At most `units`,
  // and at least half of them. Given for charges about persons that cover any change, not for a stream.
  std::optional<PlainUnits> presence = std::nullopt;
  bool limits_presence = false;  // the limits are about totals of presence, not of any change
  // Set: counted against caps instead of the limits. About persons and any change; not for a stream, without parts.
  std::optional<GaussianCharge> gaussian = std::nullopt;
  // Set: counted against the limits, and its delta against the caps of deltas. About persons; not for a stream.
  std::optional<DeltaCharge> beside = std::nullopt;
};

struct LedgerEntry {
  std::int64_t number = 0;  // 1, 2, 3, ...
  std::string head;         // head of the hash chain after this entry
};

struct HistoryLine {
  std::int64_t number = 0;
  std::int64_t unix_seconds = 0;
  std::string question;
  PlainUnits units;  // of any change
  std::vector<std::size_t> cells;
  std::string policy;     // fingerprint of the policy that it was asked under
  std::string head;       // head of the hash chain after this charge
  bool answered = false;  // false: charged, but no answer was stored (crash, error or cancellation after the charge)
  std::int64_t tick = 0;  // in the ledger of a stream: the step it paid for
  std::string one_sided_account;  // empty: not one-sided
  PlainUnits one_sided_units;
  std::int64_t data = 0;  // DataState::number of the data that it was about
  Covers covers = Covers::kMove;
  std::string caller;                    // who asked; empty if nobody said
  bool whole = true;                     // false: it also charges what this version cannot account for
  UnitLevel level = UnitLevel::kPerson;  // whom it was about
  PlainUnits presence = {};              // as units, for a unit that comes or goes
  std::int64_t mu = 0, delta = 0;        // amounts as in GaussianCharge and DeltaCharge
};

/// What one ledger hands over to another.
struct LedgerCarry {
  std::string from, name;              // the id of the ledger that was sealed, and its file for the history
  std::vector<PlainUnits> moves, any;  // for each cell of the ledger that takes it: by moves, and by any change
  std::vector<OneSidedAccount> released;
  bool moved = false;                // units may have been in several cells
  std::vector<PlainUnits> presence;  // by a unit that comes or goes; empty: as by moves and by any change
  std::vector<AnalystAccount> analysts;
};

/// Which charges of the history, by number.
struct HistoryPage {
  std::int64_t from = 0;  // the first of the page; 0: the first of all, or the last of all if newest_first
  std::int64_t count = std::numeric_limits<std::int64_t>::max();  // at most this many
  bool newest_first = false;                                      // from, from - 1, ... instead of from, from + 1, ...
  std::string caller;                                             // only charges of this caller; empty: everybody's
  // Of the page: charges whose question has one of these in its text; none: all of them.
  std::vector<std::string> parts;
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
  // Read-only: nothing is written, not even the marker, so that a full or read-only disk is not an obstacle.
  // Whatever would write fails with kStorage.
  bool read_only = false;
};

/// Safe to use from several threads and processes. After a fork only the parent may continue to use it; the child opens
/// its own.
class Ledger {
 public:
  static constexpr std::size_t kMaxCells = 4096;

  /// Opens and verifies the hash chain and the totals; creates where `create` is true and there never was a ledger.
  /// Where cells are joined and charges were to some of them, an entry merges all, unless it is open for reading only.
  /// Fails: kStorage (unreadable, read-only, damaged, of another format, chain broken, lost, swapped, known under two
  /// names, older than what its marker counted, locked too long), kInvalidArgument
  /// (belongs to another identity and has entries; a changed policy that is not accepted; or missing although `create`
  /// is false), each with what to do next.
  /// Ensures [GROWTH-3]: after a generation every cell's total is at least that of each earlier cell that shares a raw
  /// value with it; nothing is charged or stated under an earlier generation any more. Ensures [LEDGER-3]: entries,
  /// totals or bindings changed without recomputing the whole chain are refused.
  static Result<Ledger> Open(const std::filesystem::path& file, const LedgerBinding& binding, bool create,
                             const LedgerOptions& options = {});
  /// Whether there is a ledger to open; false if there never was one.
  /// Fails: kStorage if there was one and it is lost, or the file cannot be one.
  static Result<bool> Exists(const std::filesystem::path& file);
  /// Fails: kStorage if this user may not write to the file, or make files in its folder.
  static Result<void> MayWrite(const std::filesystem::path& file);
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
  /// Ensures [LEDGER-7]: whichever cell a unit was in while each of the data were asked about, it lost no more than the
  /// total (of a stream: the window's sum) of whichever cell it is in now, or of any cell if it is in none.
  /// Ensures [LEDGER-9]: if the binding says that cells are joined, the same for a unit that was in another cell for
  /// each charge since it said so; a charge to some of the cells is refused.
  /// Ensures [NEST-2]: with `nested`, when this returns an entry, no household's loss exceeds its limit, and every
  /// cell's total is within its own unless a household's loss is at most `enough`.
  /// Ensures [ADDREM-3]: with `limits_presence`, when this returns an entry, no cell's total of presence exceeds its
  /// limit; what households lose is limited by totals of any change even then.
  /// Ensures [ALLOWANCE-1]: with `allowance`, when this returns an entry, all that was charged with an allowance under
  /// the caller's name, this included, is at most that, whatever other processes do. A charge of nothing uses nothing.
  /// Ensures [CAP-6]: once only deltas have caps, no charge but one of nothing is counted without what it says besides
  /// its pure value; when this returns an entry, no cell's sum of deltas exceeds its cap.
  /// Ensures [CAP-1]: once there are all caps, no charge but one of nothing is counted without its Gaussian loss; when
  /// this returns an entry, no cell's sum of squares and no cell's sum of deltas exceeds its cap, in whatever order
  /// charges come and whatever they were chosen by.
  /// Fails: kBudgetExhausted, with the parameter "account.one_sided" if it is the one-sided account that is exhausted,
  /// and "account.allowance" if it is the caller's allowance;
  /// kStorage, also if `data` is not the current number (the data were replaced; nothing is charged); kInvalidArgument
  /// if a cell is named twice or does not exist, parts are not those of the charged cells, a limit is missing, a step
  /// is missing or given where none belongs, its key was charged before, or the ledger is sealed or holds entries of a
  /// later version that this one cannot account for.
  /// Charges and answers that threads of one process bring while an earlier one is being made durable share the next
  /// commit; each is checked against the totals after those before it.
  Result<LedgerEntry> Charge(const ChargeRequest& request);

  /// HMAC-SHA-256 of the text under this ledger's secret, 64 hexadecimal characters: the key of an answer.
  /// Ensures [LEDGER-6]: neither a key nor a head that this ledger gives out can be computed, or tested against a
  /// guess, without the secret: 256 random bits that are in the file and nowhere else.
  std::string KeyOf(std::string_view text) const;

  /// Waits until no other thread or process holds the lock of this key, and takes it. The holder looks for the
  /// answer, and charges, computes and stores it if there is none. The kernel drops the lock when its holder dies.
  /// Ensures [LEDGER-8]: no two locks of one key are held at the same time, and one that is dropped or whose holder
  /// died is free at once. Fails: kCancelled; kStorage.
  Result<QuestionLock> Lock(const std::string& answer_key, const CancelFlag& cancel) const;

  /// Calls `look`, which may ask this ledger anything and changes nothing: all of it is answered as of one moment,
  /// brought up to date once. Others that ask or charge in this process wait. If others wrote to a ledger that is open
  /// only for reading, `look` is called again. Fails: kStorage; as `look` does.
  Result<void> AtOneMoment(const std::function<Result<void>()>& look) const;

  /// Looks at every page of the file, once: a damaged one of an index would be met only by a charge. Fails: kStorage.
  Result<void> LookAtPages() const;

  /// Which data the ledger counts for now.
  Result<DataState> Data() const;
  /// Says that the charges from now on are about other data, unless the current number is no longer `before`: then
  /// another caller came first. Returns the current state in either case. Cells are merged (every total becomes the
  /// largest of any) unless the binding has fixed_cells or no units were charged yet. If fixed_cells is withdrawn
  /// later, the next charge merges, and counts for each of the data the cell that lost most. Fails: kStorage;
  /// kInvalidArgument (not a valid label or import; or units were charged under the only version that the binding
  /// makes a promise about).
  Result<DataState> ReplaceData(std::int64_t before, const std::string& label, const std::string& import);
  /// Nothing more is charged to this ledger; `successor` says where it continues. Does nothing if it was sealed
  /// with the same successor before. Fails: kInvalidArgument if it was sealed with another; kStorage.
  Result<void> Seal(const std::string& successor);
  /// Where a sealed ledger continues; nothing if it is not sealed.
  Result<std::optional<std::string>> Successor() const;
  /// Counts what another ledger lost, whatever the limits are. Does nothing if it was carried over before.
  /// Ensures [GROWTH-5]: when this returns, every cell's total was raised by what was carried to it, once, however
  /// often it was interrupted and called again. Fails: kInvalidArgument (a stream; or sealed itself); kBudgetExhausted
  /// if a total would exceed every limit; kStorage.
  Result<void> Carry(const LedgerCarry& carry);
  /// Keeps an alarm; it is never taken back. Does nothing if an earlier one about the declaration found the same.
  /// Ensures [CHECK-3]: when this returns, Totals() has it, for good. Fails: kStorage; kInvalidArgument (no digest, no
  /// words, or nothing may be added to this ledger).
  Result<void> RaiseAlarm(const std::string& about, const std::string& found);
  /// Every replacement of the data, in order.
  Result<std::vector<DataLine>> DataHistory() const;
  /// Which generation of its policy the ledger is used under; 1 as long as nothing changed. For a ledger that is open
  /// only for reading under a policy that is not recorded yet: what it would be.
  Result<std::int64_t> Generation() const;
  /// Every recorded generation, in order.
  Result<std::vector<GenerationLine>> Generations() const;
  /// True if cells were merged after units were charged: a unit may have been in several cells, so the strictest limit
  /// of any cell and the worst class hold for all.
  Result<bool> Moved() const;

  /// Keeps the answer to a charge. Storing the same answer again does nothing.
  /// Fails: kStorage; kInvalidArgument if the charge is not in this ledger, has another key, or already has another
  /// answer.
  Result<void> StoreAnswer(const LedgerEntry& entry, const std::string& answer_key, const std::string& answer);
  /// The first answer stored under the key.
  /// Ensures [LEDGER-3]: a changed answer is refused.
  Result<std::optional<StoredAnswer>> FindAnswer(const std::string& answer_key) const;
  /// The same by the number of its charge; nothing: none was stored.
  Result<std::optional<StoredAnswer>> AnswerTo(std::int64_t number) const;

  /// Of a stream: the charge under a key, answered or not.
  Result<std::optional<LedgerEntry>> FindCharge(const std::string& answer_key) const;
  /// Of a stream: what a step could be charged now, and no less. Another process may charge first.
  Result<PlainUnits> Room(const StreamStep& step, const std::vector<std::size_t>& cells,
                          const std::vector<PlainUnits>& limits) const;
  /// Of a stream: what a question was charged for steps `from` to `to` under this ledger's policy, in order of steps.
  Result<std::vector<StepCharge>> Charges(const std::string& question, std::int64_t from, std::int64_t to) const;
  /// Of a stream: for each cell, the largest sum of `window` consecutive steps; of those that hold `tick`, if given.
  Result<std::vector<PlainUnits>> LargestWindows(std::int64_t window, std::optional<std::int64_t> tick) const;

  /// This and everything else that states a loss fails with kInvalidArgument if an entry of a later version would make
  /// it wrong.
  /// Ensures [ADDREM-2]: presence is the sum of what charges say about it, and of the whole amount of those that say
  /// nothing about it; merged and mapped like the rest, separately. Ensures [NEST-1]: a person of a cell lost no more
  /// than its total, the part of households included; a household of at most n persons no more than HouseholdLoss of
  /// both with size n. Ensures [LEDGER-5]: one-sided accounts are the sums of the one-sided parts of all charges.
  Result<LedgerTotals> Totals() const;
  /// Charges in order. Opening verifies the whole chain; a page is read again and verified between two heads that were
  /// remembered then, at most 256 entries before its first charge and after its last. The newest 256 charges are
  /// remembered, and read again only if something else has written to the file since.
  /// Fails: kStorage; kInvalidArgument if there can be no such page.
  Result<std::vector<HistoryLine>> History(const HistoryPage& page = {}) const;
  /// Number of the last charge (0 before the first) and the current head of the chain.
  Result<LedgerEntry> Head() const;
  /// Random text that distinguishes this ledger from others, for names of files. Not secret.
  const std::string& id() const;
  /// Writes the present state into a new file, durably, while others go on charging; returns the last charge in it.
  /// The copy holds the secret as well. Nothing is made beside it, not even a marker.
  /// Fails: kInvalidArgument if there is something under this name; kStorage.
  Result<LedgerEntry> CopyTo(const std::filesystem::path& file) const;
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
