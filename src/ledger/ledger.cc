#include "ledger/ledger.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/digest.h"
#include "ledger/chain.h"
#include "ledger/checks.h"
#include "ledger/files.h"
#include "ledger/store.h"
#include "ledger/windows.h"

namespace kith {
namespace {

using ledger::Birth;
using ledger::CellReader;
using ledger::Entry;
using ledger::Kind;
using ledger::Places;
using ledger::Store;
using ledger::Transaction;
using ledger::View;
using ledger::Windows;

std::int64_t Now() {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// Nothing was asked yet: nothing is frozen yet. False if there is an entry, even one that charged nothing: it was
// answered under the old declaration.
Result<bool> BindAnew(Store& store, const LedgerBinding& binding) {
  auto transaction = Transaction::BeginWrite(store.connection());
  if (!transaction) return transaction.error();
  View view = View::AtBirth(store.birth());
  CellReader reader(store.birth().cells.size());
  if (auto done = store.CatchUp(view, reader); !done) return done.error();
  if (view.position > 0) return false;
  const Birth birth{store.birth().ledger_id, store.birth().unix_seconds, binding.identity, binding.cells,
                    binding.stream};
  if (auto done = store.Rebind(birth); !done) return done.error();
  if (auto done = transaction->Commit(); !done) return done.error();
  return true;
}

}  // namespace

struct Ledger::State {
  std::mutex mutex;
  LedgerBinding binding;
  Places places;
  std::unique_ptr<Store> store;
  View view;                       // the verified prefix of the chain; later entries are verified as they are met
  std::optional<Windows> windows;  // of a stream; always what `view` says
  std::optional<CellReader> reader;
  pid_t owner = getpid();

  ~State() {
    if (store && getpid() != owner) store->Abandon();
  }

  // Every operation starts here: the right process, the right files.
  Result<void> Ready() const {
    if (getpid() != owner) {
      return StorageError("the ledger was opened before a fork", places.file.string(),
                          "open it again in the new process");
    }
    return store->StillInPlace();
  }

  Windows* steps() { return windows ? &*windows : nullptr; }

  Result<Transaction> BeginRead() {
    if (auto ready = Ready(); !ready) return ready.error();
    auto transaction = Transaction::BeginRead(store->connection());
    if (!transaction) return transaction;
    if (auto done = store->CatchUp(view, *reader, steps()); !done) return done.error();
    return transaction;
  }

  Result<Transaction> BeginWrite() {
    if (auto ready = Ready(); !ready) return ready.error();
    auto transaction = Transaction::BeginWrite(store->connection());
    if (!transaction) return transaction;
    if (auto done = store->CatchUp(view, *reader, steps()); !done) return done.error();
    return transaction;
  }

  // Appends the entry that leads from `view` to `next`, commits, and only then takes `next` over.
  Result<void> Seal(Transaction& transaction, const Entry& entry, View next, const std::string* answer = nullptr) {
    if (auto done = store->Append(entry, next.head); !done) return done;
    if (answer != nullptr) {
      if (auto done = store->AppendText(entry.position, *answer); !done) return done;
    }
    if (auto done = store->WriteSummary(next); !done) return done;
    if (auto done = transaction.Commit(); !done) return done;
    view = std::move(next);
    if (windows && entry.kind == Kind::kCharge) windows->Add(entry, *reader->Read(entry.cells));
    return store->StillInPlace();  // a commit to a file that nobody will find again is no charge
  }

  Result<LedgerEntry> Charge(const ChargeRequest& request);
  /// Whether a step may be charged, given all that was charged so far.
  Result<void> CheckSteps(const ChargeRequest& request, const ledger::CellSet& cells);
  Result<void> StoreAnswer(const LedgerEntry& entry, const std::string& answer_key, const std::string& answer);
  Result<std::optional<StoredAnswer>> FindAnswer(const std::string& answer_key);
  Result<void> VerifyAll();
};

Result<void> Ledger::State::CheckSteps(const ChargeRequest& request, const ledger::CellSet& cells) {
  const auto before = store->FindChargeByKey(request.answer_key);
  if (!before) return before.error();
  if (*before) {
    return InvalidArgument(fmt::format("this step was charged before (entry {})", (*before)->number), {},
                           "a step is released once: its answer is stored, or was lost in a crash");
  }
  if (request.units.count() == 0 || cells.empty()) return {};
  const auto largest = windows->Around(request.step->tick, request.step->window);
  auto after = largest;
  for (const std::size_t cell : cells) after[cell] += request.units.count();  // every such window holds the step
  return ledger::CheckLimits(largest, after, request.limits, binding.cells);
}

Result<LedgerEntry> Ledger::State::Charge(const ChargeRequest& request) {
  const auto cells = ledger::ChargedCells(request, view.totals.size());
  if (!cells) return cells.error();
  if (auto fine = ledger::CheckStep(request.step, windows.has_value()); !fine) return fine.error();
  if (auto fine = ledger::CheckOneSided(request, windows.has_value()); !fine) return fine.error();
  const std::string question =
      request.one_sided ? ledger::WithOneSided(*request.one_sided, request.question) : request.question;
  auto transaction = BeginWrite();
  if (!transaction) return transaction.error();
  const std::string encoded = ledger::EncodeCells(*cells);
  Entry entry;
  entry.position = view.position + 1;
  entry.kind = Kind::kCharge;
  entry.number = view.charges + 1;
  entry.unix_seconds = Now();
  entry.units = request.units.count();
  entry.cells = encoded;
  entry.policy = binding.policy;
  entry.question = question;
  entry.answer_key = request.answer_key;
  if (request.step) entry.tick = request.step->tick;
  View next = view;
  if (const auto beyond = next.Add(entry, *reader))
    return BudgetExhausted("the budget does not allow this charge: " + *beyond);
  if (windows) {
    if (auto within = CheckSteps(request, *cells); !within) return within.error();
  } else if (entry.units > 0 && !cells->empty()) {
    auto within = ledger::CheckLimits(view.totals, next.totals, request.limits, binding.cells);
    if (!within) return within.error();
  }
  if (request.one_sided) {
    auto within = ledger::CheckOneSidedLimit(view.one_sided, *request.one_sided);
    if (!within) return within.error();
    if (auto done = store->HoldsOneSided(); !done) return done.error();
  }
  LedgerEntry charged{entry.number, next.head};
  if (auto done = Seal(*transaction, entry, std::move(next)); !done) return done.error();
  return charged;
}

Result<void> Ledger::State::StoreAnswer(const LedgerEntry& entry, const std::string& answer_key,
                                        const std::string& answer) {
  auto transaction = BeginWrite();
  if (!transaction) return transaction.error();
  const auto charge = store->FindCharge(entry.number);
  if (!charge) return charge.error();
  if (!*charge || (*charge)->head != entry.head || (*charge)->answer_key != answer_key) {
    return InvalidArgument(fmt::format("entry {} of the ledger is not the charge of this answer", entry.number),
                           places.file.string());
  }
  const std::string digest = Sha256(answer);
  const auto old = store->FindAnswerTo(entry.number);
  if (!old) return old.error();
  if (*old) {
    if ((*old)->digest == digest) return {};
    return InvalidArgument(fmt::format("entry {} of the ledger has another answer already", entry.number),
                           places.file.string());
  }
  Entry added;
  added.position = view.position + 1;
  added.kind = Kind::kAnswer;
  added.number = entry.number;
  added.unix_seconds = Now();
  added.answer_key = answer_key;
  added.answer_digest = digest;
  View next = view;
  if (const auto wrong = next.Add(added, *reader)) return InternalError(*wrong);
  return Seal(*transaction, added, std::move(next), &answer);
}

Result<std::optional<StoredAnswer>> Ledger::State::FindAnswer(const std::string& answer_key) {
  const auto transaction = BeginRead();
  if (!transaction) return transaction.error();
  const auto found = store->FindAnswerByKey(answer_key);
  if (!found) return found.error();
  if (!*found) return std::optional<StoredAnswer>();
  const auto charge = store->FindCharge((*found)->number);
  if (!charge) return charge.error();
  if (!*charge) return store->Tampered(fmt::format("charge {} is missing", (*found)->number));
  auto text = store->ReadText((*found)->position, (*found)->digest);
  if (!text) return text.error();
  return std::optional<StoredAnswer>({{(*found)->number, (*charge)->head}, std::move(*text)});
}

Result<void> Ledger::State::VerifyAll() {
  if (auto ready = Ready(); !ready) return ready.error();
  const auto transaction = Transaction::BeginRead(store->connection());
  if (!transaction) return transaction.error();
  const auto structure = store->connection().Ask("PRAGMA integrity_check(1)");
  if (!structure) return structure.error();
  if (*structure != "ok") return store->Tampered("its structure is damaged");
  const auto orphans = store->connection().Ask("SELECT count(*) FROM pragma_foreign_key_check");
  if (!orphans) return orphans.error();
  if (*orphans != "0") return store->Tampered("answers without an entry");
  View fresh = View::AtBirth(store->birth());
  if (auto done = store->CatchUp(fresh, *reader); !done) return done;
  Result<void> texts;
  auto replayed = store->Replay(0, [&](const Entry& entry, std::string_view) -> std::optional<std::string> {
    if (!texts || entry.kind != Kind::kAnswer) return std::nullopt;
    const auto text = store->ReadText(entry.position, entry.answer_digest);
    if (!text) texts = text.error();
    return std::nullopt;
  });
  if (!replayed) return replayed;
  return texts;
}

Ledger::Ledger(std::unique_ptr<State> state) : state_(std::move(state)) {}
Ledger::Ledger(Ledger&&) noexcept = default;
Ledger& Ledger::operator=(Ledger&&) noexcept = default;
Ledger::~Ledger() = default;

Result<bool> Ledger::Exists(const std::filesystem::path& file) {
  const auto places = Places::Of(file);
  if (!places) return places.error();
  return ledger::IsThere(*places);
}

Result<Ledger> Ledger::Open(const std::filesystem::path& file, const LedgerBinding& binding, bool create,
                            const LedgerOptions& options) {
  if (auto fine = ledger::CheckBinding(binding); !fine) return fine.error();
  auto places = Places::Of(file);
  if (!places) return places.error();
  const auto there = ledger::IsThere(*places);
  if (!there) return there.error();
  if (!*there) {
    if (!create) {
      return InvalidArgument("there is no ledger yet", places->file.string(),
                             "ask a first question: it creates the ledger; or correct [budget] ledger");
    }
    const Birth birth{ledger::RandomHex(16), Now(), binding.identity, binding.cells, binding.stream};
    auto made =
        ledger::CreateWhole(*places, [&](const std::filesystem::path& path) { return Store::Create(path, birth); });
    if (!made) return made.error();
  }
  auto state = std::make_unique<State>();
  state->binding = binding;
  state->places = *places;
  auto store = Store::Open(*places, options.patience);
  if (!store) return store.error();
  state->store = std::move(*store);
  if (auto owned = ledger::CheckOwner(state->store->birth(), binding, places->file); !owned) {
    const auto bound = BindAnew(*state->store, binding);
    if (!bound) return bound.error();
    if (!*bound) return owned.error();
  }
  state->view = View::AtBirth(state->store->birth());
  state->reader.emplace(binding.cells.size());
  if (binding.stream) state->windows.emplace(binding.cells.size());
  if (auto verified = state->BeginRead(); !verified) return verified.error();
  if (auto kept = ledger::KeepMarker(*places, state->store->birth().ledger_id); !kept) return kept.error();
  return Ledger(std::move(state));
}

Result<LedgerEntry> Ledger::Charge(const ChargeRequest& request) {
  const std::lock_guard lock(state_->mutex);
  return state_->Charge(request);
}

Result<void> Ledger::StoreAnswer(const LedgerEntry& entry, const std::string& answer_key, const std::string& answer) {
  const std::lock_guard lock(state_->mutex);
  return state_->StoreAnswer(entry, answer_key, answer);
}

Result<std::optional<StoredAnswer>> Ledger::FindAnswer(const std::string& answer_key) const {
  const std::lock_guard lock(state_->mutex);
  return state_->FindAnswer(answer_key);
}

Result<std::optional<LedgerEntry>> Ledger::FindCharge(const std::string& answer_key) const {
  const std::lock_guard lock(state_->mutex);
  if (!state_->windows) return InternalError("a ledger that counts for ever has no steps");
  const auto transaction = state_->BeginRead();
  if (!transaction) return transaction.error();
  const auto found = state_->store->FindChargeByKey(answer_key);
  if (!found) return found.error();
  if (!*found) return std::optional<LedgerEntry>();
  return std::optional<LedgerEntry>({(*found)->number, (*found)->head});
}

Result<PlainUnits> Ledger::Room(const StreamStep& step, const std::vector<std::size_t>& cells,
                                const std::vector<PlainUnits>& limits) const {
  if (auto fine = ledger::CheckStep(step, true); !fine) return fine.error();
  const auto largest = LargestWindows(step.window, step.tick);
  if (!largest) return largest.error();
  if (limits.size() != largest->size()) return InvalidArgument("a limit is missing");
  std::int64_t room = PlainUnits::kMax;
  for (std::size_t cell = 0; cell < limits.size(); ++cell) {
    if ((*largest)[cell] > limits[cell]) return PlainUnits();  // beyond its limit already: nothing may be charged
  }
  for (const std::size_t cell : cells) room = std::min(room, limits.at(cell).count() - (*largest)[cell].count());
  return PlainUnits::Of(room);
}

Result<std::vector<StepCharge>> Ledger::Charges(const std::string& question, std::int64_t from, std::int64_t to) const {
  const std::lock_guard lock(state_->mutex);
  if (!state_->windows) return InternalError("a ledger that counts for ever has no steps");
  if (auto current = state_->BeginRead(); !current) return current.error();
  std::vector<StepCharge> charges;
  for (const auto& spend : state_->windows->Of(question, state_->binding.policy, from, to))
    charges.push_back({spend.tick, PlainUnits::Of(spend.units), spend.number});
  return charges;
}

Result<std::vector<PlainUnits>> Ledger::LargestWindows(std::int64_t window, std::optional<std::int64_t> tick) const {
  const std::lock_guard lock(state_->mutex);
  if (!state_->windows) return InternalError("a ledger that counts for ever has no steps");
  if (auto current = state_->BeginRead(); !current) return current.error();
  std::vector<PlainUnits> sums;
  for (const std::int64_t sum : tick ? state_->windows->Around(*tick, window) : state_->windows->Largest(window))
    sums.push_back(PlainUnits::Of(std::min(sum, PlainUnits::kMax)));
  return sums;
}

Result<std::vector<PlainUnits>> Ledger::Spent() const {
  const std::lock_guard lock(state_->mutex);
  if (auto current = state_->BeginRead(); !current) return current.error();
  std::vector<PlainUnits> spent;
  spent.reserve(state_->view.totals.size());
  for (const std::int64_t total : state_->view.totals) spent.push_back(PlainUnits::Of(total));
  return spent;
}

Result<std::vector<OneSidedAccount>> Ledger::OneSided() const {
  const std::lock_guard lock(state_->mutex);
  if (auto current = state_->BeginRead(); !current) return current.error();
  return state_->view.one_sided.accounts();
}

Result<std::vector<HistoryLine>> Ledger::History() const {
  const std::lock_guard lock(state_->mutex);
  const auto transaction = state_->BeginRead();
  if (!transaction) return transaction.error();
  std::vector<HistoryLine> lines;
  View view = View::AtBirth(state_->store->birth());
  auto replayed = state_->store->Replay(0, [&](const Entry& entry, std::string_view head) {
    auto wrong = view.AddVerified(entry, head, *state_->reader);
    if (wrong) return wrong;
    if (entry.kind == Kind::kAnswer) {
      lines[static_cast<std::size_t>(entry.number - 1)].answered = true;
    } else {
      const auto part = ledger::ReadOneSided(entry.question);
      lines.push_back({entry.number, entry.unix_seconds, std::string(part ? part->question : entry.question),
                       PlainUnits::Of(entry.units), *state_->reader->Read(entry.cells), std::string(entry.policy),
                       std::string(head), false, entry.tick, std::string(part ? part->account : ""),
                       PlainUnits::Of(part ? part->units : 0)});
    }
    return wrong;
  });
  if (!replayed) return replayed.error();
  if (view.head != state_->view.head) return state_->store->Tampered("entries were changed while it was open");
  return lines;
}

Result<LedgerEntry> Ledger::Head() const {
  const std::lock_guard lock(state_->mutex);
  if (auto current = state_->BeginRead(); !current) return current.error();
  return LedgerEntry{state_->view.charges, state_->view.head};
}

Result<void> Ledger::Verify() const {
  const std::lock_guard lock(state_->mutex);
  return state_->VerifyAll();
}

bool Ledger::policy_changed() const {
  const std::lock_guard lock(state_->mutex);
  return state_->view.charges > 0 && state_->view.policy != state_->binding.policy;
}

}  // namespace kith
