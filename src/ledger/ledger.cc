#include "ledger/ledger.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "base/clock.h"
#include "base/digest.h"
#include "base/entropy.h"
#include "ledger/checks.h"
#include "ledger/marker.h"
#include "ledger/state.h"

namespace kith {
namespace {

using ledger::Birth;
using ledger::Places;
using ledger::Store;
using ledger::Transaction;
using ledger::View;

Birth NewBirth(const LedgerBinding& binding, std::string ledger_id, std::int64_t unix_seconds) {
  return {std::move(ledger_id), unix_seconds,   binding.identity, binding.cells,
          binding.columns,      binding.stream, RandomHex(32)};
}

// Nothing was asked yet: nothing is frozen yet. False if there is a charge, even one of nothing: it was answered under
// the old declaration.
Result<bool> BindAnew(Store& store, const LedgerBinding& binding) {
  auto transaction = Transaction::BeginWrite(store.connection());
  if (!transaction) return transaction.error();
  View view = View::AtBirth(store.birth());
  if (auto done = store.CatchUp(view); !done) return done.error();
  if (view.Used()) return false;
  if (auto done = store.Rebind(NewBirth(binding, store.birth().ledger_id, store.birth().unix_seconds)); !done)
    return done.error();
  if (auto done = transaction->Commit(); !done) return done.error();
  return true;
}

Error ReadOnly(const Places& places) {
  return StorageError("the ledger is open for reading only", places.file.string(),
                      "ask in a process that may write to it");
}

}  // namespace

Ledger::State::~State() {
  if (store && getpid() != owner) store->Abandon();
}

void Ledger::State::Restart() {
  view = View::AtBirth(store->birth());
  past = ledger::Past(view);
  known_at.reset();
  windows.reset();
  if (binding.stream) windows.emplace(store->birth().cells.size());
}

Result<void> Ledger::State::Ready() const {
  if (getpid() != owner) {
    return StorageError("the ledger was opened before a fork", places.file.string(),
                        "open it again in the new process");
  }
  if (store->Outdated())
    return StorageError("the ledger is being written to while it is looked at", places.file.string(), "look again");
  return options.read_only ? Result<void>() : store->StillInPlace();
}

Result<void> Ledger::State::CatchUp() {
  const auto version = store->Version();
  if (!version) return version.error();
  if (known_at == *version && !options.read_only) return {};
  known_at.reset();
  auto done = store->CatchUp(view, [this](const ledger::Entry& entry, const View& after) { Follow(entry, after); });
  if (!done) return done;
  known_at = *version;
  // Another caller recorded the binding's policy, which was about to be recorded.
  if (ahead && ahead_of != view.generation && Current()) ahead.reset();
  return {};
}

// From what this one has verified: none of it is read again.
void Ledger::State::MakeBeside() {
  if (!wanted_ || own_beside_ || options.read_only || beside_unable_) return;
  beside_unable_ = true;
  auto other = std::make_unique<State>();
  const std::lock_guard filling(other->mutex);  // a reader takes it, and so sees all that is filled in
  other->binding = binding;
  other->options = options;
  other->places = places;
  other->id = id;
  other->looks_beside = true;
  auto opened = Store::Open(places, options.patience);
  if (!opened || (*opened)->birth().ledger_id != id || !(*opened)->SameFile(*store)) return;
  other->store = std::move(*opened);
  other->store->TakeEras(*store);
  other->view = view;
  other->windows = windows;
  other->past = past;
  other->ahead = ahead;
  other->ahead_of = ahead_of;
  other->ahead_merges = ahead_merges;
  own_beside_ = std::move(other);
  beside_ = own_beside_.get();
}

void Ledger::State::Follow(const ledger::Entry& entry, const View& after) {
  if (entry.kind == ledger::Kind::kGeneration && after.generation == entry.number) store->Enter(entry.position, after);
  past.Follow(entry, after);
  FollowNewest(entry, after);
  if (windows) windows->Follow(entry, after);
}

Result<Transaction> Ledger::State::BeginRead() {
  if (auto ready = Ready(); !ready) return ready.error();
  auto transaction = Transaction::BeginRead(store->connection());
  if (!transaction) return transaction;
  if (auto done = CatchUp(); !done) return done.error();
  return transaction;
}

Result<Transaction> Ledger::State::BeginWrite() {
  if (options.read_only) return ReadOnly(places);
  if (auto ready = Ready(); !ready) return ready.error();
  auto transaction = Transaction::BeginWrite(store->connection());
  if (!transaction) return transaction;
  if (auto done = CatchUp(); !done) return done.error();
  written_at = std::exchange(known_at, std::nullopt);
  return transaction;
}

Result<void> Ledger::State::Reopen() {
  const std::int64_t before = view.charges;
  auto again = Store::Open(places, options.patience, options.read_only);
  if (!again) return again.error();
  if ((*again)->birth().ledger_id != store->birth().ledger_id) return (*again)->Tampered("another file has its name");
  store = std::move(*again);
  const auto owned = ledger::CheckOwner(store->birth(), binding, places.file);
  if (!owned && binding.description.empty()) return owned;
  Restart();
  {
    const auto verified = BeginRead();
    if (!verified) return store->Outdated() ? Result<void>() : verified.error();
  }
  if (auto settled = Settle(owned); !settled) return settled;
  if (view.charges < before) return store->Tampered("it has fewer charges than before");
  return {};
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

Result<void> Ledger::MayWrite(const std::filesystem::path& file) {
  const auto places = Places::Of(file);
  if (!places) return places.error();
  const bool folder = ::access(places->file.parent_path().c_str(), W_OK | X_OK) == 0;
  if (folder && (::access(places->file.c_str(), W_OK) == 0 || errno == ENOENT)) return {};
  return StorageError("the ledger cannot be written to", places->file.string(),
                      "check that this user may write to it and its folder, and that the disk is not read-only");
}

Result<Ledger> Ledger::Open(const std::filesystem::path& file, const LedgerBinding& binding, bool create,
                            const LedgerOptions& options) {
  if (auto fine = ledger::CheckBinding(binding); !fine) return fine.error();
  auto places = Places::Of(file);
  if (!places) return places.error();
  const auto there = ledger::IsThere(*places);
  if (!there) return there.error();
  if (!*there) {
    if (!create || options.read_only) {
      return InvalidArgument("there is no ledger yet", places->file.string(),
                             "ask a first question: it creates the ledger; or correct [budget] ledger");
    }
    const Birth birth = NewBirth(binding, RandomHex(16), UnixSeconds());
    auto made =
        ledger::CreateWhole(*places, [&](const std::filesystem::path& path) { return Store::Create(path, birth); });
    if (!made) return made.error();
  }
  const auto marker = ledger::ReadMarker(*places);  // before the charges are counted
  if (!marker) return marker.error();
  auto state = std::make_unique<State>();
  state->binding = binding;
  state->options = options;
  state->places = *places;
  auto store = Store::Open(*places, options.patience, options.read_only);
  if (!store) return store.error();
  state->store = std::move(*store);
  state->id = state->store->birth().ledger_id;
  if (*marker) {
    if (auto same = ledger::CheckMarker(*places, **marker, state->id); !same) return same.error();
  }
  auto owned = ledger::CheckOwner(state->store->birth(), binding, places->file);
  if (!owned && !options.read_only) {
    const auto bound = BindAnew(*state->store, binding);
    if (!bound) return bound.error();
    if (*bound) owned = {};
  }
  if (!owned && binding.description.empty()) return owned.error();
  state->Restart();
  const auto charges = state->Read([](State& at) -> Result<std::int64_t> { return at.view.charges; });
  if (!charges) return charges.error();
  if (*marker) {
    if (auto whole = ledger::CheckCount(*places, **marker, *charges); !whole) return whole.error();
  }
  if (auto settled = state->Settle(owned); !settled) return settled.error();
  if (auto joined = state->JoinCells(); !joined) return joined.error();
  if (options.read_only) return Ledger(std::move(state));
  if (auto kept = ledger::KeepMarker(*places, *marker, state->id, *charges); !kept) return kept.error();
  return Ledger(std::move(state));
}

std::string Ledger::KeyOf(std::string_view text) const {
  std::unique_lock lock(state_->mutex, std::defer_lock);
  // When only looking, the file is opened again whenever others write to it. Otherwise the secret is the same from the
  // beginning, and a caller does not wait for a commit that is under way.
  if (state_->options.read_only && state_->Looking() == nullptr) lock.lock();
  return HmacSha256(state_->store->birth().secret, text);
}

const std::string& Ledger::id() const { return state_->id; }

Result<QuestionLock> Ledger::Lock(const std::string& answer_key, const CancelFlag& cancel) const {
  // What these look at is the same from the beginning: nobody waits for a commit that is under way.
  if (state_->options.read_only) return ReadOnly(state_->places);
  if (auto ready = state_->Ready(); !ready) return ready.error();
  return ledger::LockQuestion(state_->places.asking, answer_key, cancel);
}

Result<LedgerEntry> Ledger::Charge(const ChargeRequest& request) { return state_->Charge(request); }

Result<void> Ledger::AtOneMoment(const std::function<Result<void>()>& look) const {
  if (state_->Looking() != nullptr) return look();
  return state_->Read([&](State& at) -> Result<void> {
    at.looker = std::this_thread::get_id();
    struct End {
      State& state;
      ~End() { state.looker = std::thread::id(); }
    } const end{at};
    return look();
  });
}

Result<DataState> Ledger::ReplaceData(std::int64_t before, const std::string& label, const std::string& import) {
  const std::lock_guard lock(state_->mutex);
  return state_->ReplaceData(before, label, import);
}

Result<void> Ledger::StoreAnswer(const LedgerEntry& entry, const std::string& answer_key, const std::string& answer) {
  return state_->StoreAnswer(entry, answer_key, answer);
}

Result<void> Ledger::RaiseAlarm(const std::string& about, const std::string& found) {
  const std::lock_guard lock(state_->mutex);
  return state_->RaiseAlarm(about, found);
}

Result<LedgerEntry> Ledger::CopyTo(const std::filesystem::path& file) const {
  const auto to = ledger::Places::Of(file);
  if (!to) return to.error();
  std::error_code ignored;
  const auto taken = [&] {
    return InvalidArgument("there is a file under this name already", to->file.string(),
                           "name another one: a copy replaces nothing");
  };
  if (std::filesystem::exists(std::filesystem::symlink_status(to->file, ignored))) return taken();
  return state_->Read([&](State& at) -> Result<LedgerEntry> {
    ino_t copied = 0;
    auto made = ledger::CreateWhole(*to, [&](const std::filesystem::path& unfinished) {
      struct stat info = {};
      if (::stat(unfinished.c_str(), &info) == 0) copied = info.st_ino;
      return at.store->connection().CopyTo(unfinished);
    });
    if (!made) return made.error();
    if (ledger::Identity::Of(*to).file != copied) return taken();  // another caller made one at the same moment
    return LedgerEntry{at.view.charges, at.view.head};
  });
}

}  // namespace kith
