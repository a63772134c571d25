#include "ledger/store.h"

#include <fmt/format.h>

#include <limits>
#include <thread>
#include <utility>
#include <vector>

namespace kith::ledger {
namespace {

constexpr const char* kApplicationId = "1802073192";  // "kith" as four bytes

Error NotALedger(const std::filesystem::path& file) {
  return StorageError("this file is not a kith ledger", file.string(),
                      "check the name under [budget] ledger; if the ledger was overwritten, restore it from a backup");
}

}  // namespace

Store::Store(Places places, Use use, std::unique_ptr<Connection> connection)
    : places_(std::move(places)), use_(use), connection_(std::move(connection)) {}

Result<void> Store::Create(const std::filesystem::path& file, const Birth& birth) {
  auto opened = Connection::Open(file, std::chrono::seconds(1));  // nothing else knows this file
  if (!opened) return opened.error();
  const Connection& connection = **opened;
  if (auto done = connection.Run("PRAGMA synchronous = EXTRA"); !done) return done;
  auto transaction = Transaction::BeginWrite(connection);
  if (!transaction) return transaction.error();
  if (auto done = connection.Run(fmt::format("PRAGMA application_id = {}", kApplicationId).c_str()); !done) return done;
  if (auto done = Fill(connection, birth); !done) return done;
  if (auto done = transaction->Commit(); !done) return done;
  return connection.Run("PRAGMA journal_mode = WAL");
}

Result<void> Store::Rebind(const Birth& birth) {
  DropStatements();
  if (auto done = DropAll(*connection_); !done) return done;
  if (auto done = Fill(*connection_, birth); !done) return done;
  birth_ = birth;
  StartWith(birth.columns);
  return PrepareAll();
}

Result<std::unique_ptr<Store>> Store::Open(const Places& places, std::chrono::milliseconds patience, bool read_only) {
  constexpr std::chrono::milliseconds kPause{5};  // times of files have steps of up to 4 ms
  const auto until = std::chrono::steady_clock::now() + patience;
  for (bool first = true;; first = false) {
    const Stamp before = Stamp::Of(places);
    auto opened = OpenOnce(places, patience, read_only);
    if (opened || !read_only) return opened;
    // A writer that came and went in the meantime has folded a log in: pages of two moments look like damage.
    std::this_thread::sleep_for(kPause);
    const bool changed = !(before == Stamp::Of(places));
    if (!first && (!changed || std::chrono::steady_clock::now() > until)) return opened;
  }
}

Result<std::unique_ptr<Store>> Store::OpenOnce(const Places& places, std::chrono::milliseconds patience,
                                               bool read_only) {
  const Identity before = Identity::Of(places);
  const Stamp stamp = Stamp::Of(places);
  const Use use = !read_only ? Use::kWrite : stamp.log_size > 0 ? Use::kLook : Use::kFrozen;
  auto connection = Connection::Open(places.file, patience, use);
  if (!connection) return connection.error();
  std::unique_ptr<Store> store(new Store(places, use, std::move(*connection)));
  if (auto done = store->CheckSettings(); !done) return done.error();
  if (auto done = store->Load(); !done) return done.error();
  store->stamp_ = stamp;
  store->identity_ = Identity::Of(places);
  if (before.file != store->identity_.file || before.device != store->identity_.device) {
    return StorageError("the ledger was replaced while it was being opened", places.file.string(), "ask again");
  }
  return store;
}

Result<void> Store::CheckSettings() {
  const auto application = connection_->Ask("PRAGMA application_id");
  if (!application) return application.error();
  if (*application != kApplicationId) return NotALedger(places_.file);
  // Before anything is written to it.
  const auto format = connection_->Ask("PRAGMA user_version");
  if (!format) return format.error();
  if (*format != std::to_string(kFormat)) {
    return StorageError(fmt::format("the ledger has format {}, this kith reads format {}", *format, kFormat),
                        places_.file.string(),
                        "use the kith that wrote it; a new ledger would forget what was spent on these data");
  }
  // A full sync of the log at every commit makes a charge durable before it returns.
  for (const char* sql : {"PRAGMA synchronous = FULL", "PRAGMA foreign_keys = ON", "PRAGMA cell_size_check = ON",
                          "PRAGMA mmap_size = 0", "PRAGMA temp_store = MEMORY"}) {
    if (auto done = connection_->Run(sql); !done) return done;
  }
  if (use_ != Use::kWrite) return {};
  const auto mode = connection_->Ask("PRAGMA journal_mode = WAL");
  if (!mode) return mode.error();
  const auto synchronous = connection_->Ask("PRAGMA synchronous");
  if (!synchronous) return synchronous.error();
  if (*mode != "wal" || *synchronous != "2") {
    return StorageError("this disk cannot hold a ledger that several processes share safely", places_.file.string(),
                        "keep the ledger on a local disk");
  }
  return {};
}

Result<void> Store::Load() {
  auto transaction = Transaction::BeginRead(*connection_);  // of one moment: others may bind the ledger anew
  if (!transaction) return transaction.error();
  if (auto done = CheckTables(); !done) return done;
  if (auto done = PrepareAll(); !done) return done;
  return ReadBirth();
}

Result<void> Store::CheckTables() {
  auto schema =
      connection_->Prepare("SELECT sql FROM sqlite_schema WHERE type <> 'index' OR sql IS NOT NULL ORDER BY rowid");
  if (!schema) return schema.error();
  std::vector<std::string> tables;
  while (true) {
    const auto row = schema->Step();
    if (!row) return row.error();
    if (!*row) break;
    tables.emplace_back(schema->Bytes(0));
  }
  return tables == Schema() ? Result<void>() : Tampered("its tables are not those of a ledger");
}

Result<void> Store::PrepareAll() {
  // Replaying starts with position 1: whatever comes before it was not verified.
  const std::pair<Statement*, const char*> all[] = {
      {&replay_,
       "SELECT position, kind, number, unix_seconds, caller, policy, subject, answer_key, digest, merged, once, "
       "carried, head FROM entries WHERE position > ? AND position <= ? ORDER BY position"},
      {&replay_postings_,
       "SELECT position, line, account, level, cells, loss, neighbours, covers, tick, amount, rule FROM postings "
       "WHERE position > ? AND position <= ? ORDER BY position, line"},
      {&read_set_, "SELECT cells FROM cell_sets WHERE digest = ?"},
      {&read_version_, "PRAGMA data_version"},
      {&read_summary_, "SELECT position, charges, head, totals FROM summary WHERE id = 1"},
      {&write_summary_, "UPDATE summary SET position = ?, charges = ?, head = ?, totals = ? WHERE id = 1"},
      {&append_, "INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"},
      {&append_set_, "INSERT OR IGNORE INTO cell_sets VALUES (?, ?)"},
      {&append_posting_, "INSERT INTO postings VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"},
      {&append_text_, "INSERT INTO texts VALUES (?, ?)"},
      {&read_text_, "SELECT text FROM texts WHERE position = ?"},
      {&find_charge_, "SELECT head, answer_key FROM entries WHERE +position > 0 AND number = ? AND kind = 1"},
      {&find_charge_key_,
       "SELECT number, head FROM entries WHERE +position > 0 AND answer_key = ? AND once = 1 ORDER BY position LIMIT "
       "1"},
      {&find_answer_, "SELECT position, number, digest FROM entries WHERE +position > 0 AND kind = 2 AND number = ?"},
      {&find_key_,
       "SELECT position, number, digest FROM entries WHERE +position > 0 AND kind = 2 AND answer_key = ? ORDER BY "
       "position LIMIT 1"},
  };
  for (const auto& [statement, sql] : all) {
    auto prepared = connection_->Prepare(sql);
    if (!prepared) return prepared.error();
    *statement = std::move(*prepared);
  }
  return {};
}

void Store::DropStatements() {
  for (Statement* statement : {&read_version_, &replay_, &replay_postings_, &read_set_, &read_summary_, &write_summary_,
                               &append_, &append_set_, &append_posting_, &append_text_, &read_text_, &find_charge_,
                               &find_answer_, &find_key_, &find_charge_key_}) {
    *statement = Statement();
  }
}

bool Store::Outdated() const {
  if (use_ == Use::kWrite) return false;
  return !(Identity::Of(places_) == identity_) || (use_ == Use::kFrozen && !(Stamp::Of(places_) == stamp_));
}

Result<void> Store::StillInPlace() const {
  const Identity now = Identity::Of(places_);
  if (now.names > 1) return TwoNames(places_);
  if (now == identity_) return {};
  return StorageError("the ledger was moved, deleted or replaced while kith had it open", places_.file.string(),
                      "put the ledger and its -wal file back and start kith again; the question was not answered");
}

void Store::Abandon() {
  // Finalising is harmless; closing would act on locks and logs that the parent still uses.
  connection_->Abandon();
}

Error Store::Tampered(const std::string& why) const {
  return StorageError(
      "the ledger was changed by something other than kith: " + why, places_.file.string(),
      "find out who changed it and restore it from a backup at least as new as the last answer (compare the "
      "head printed on it); kith charges nothing to a ledger that it cannot trust");
}

void Store::StartWith(const std::vector<LedgerColumn>& columns) {
  eras_.clear();
  eras_.push_back({0, CellBook(columns), nullptr});
}

void Store::Enter(std::int64_t position, const View& view) {
  if (position > eras_.back().after) eras_.push_back({position, CellBook(view.columns), view.map});
}

CellBook& Store::BookAt(std::int64_t position) {
  auto era = eras_.end() - 1;
  while (era->after >= position && era != eras_.begin()) --era;
  return era->book;
}

CellSet Store::Today(std::int64_t position, CellSet cells) const {
  for (const Era& era : eras_) {
    if (era.after > position && era.map) cells = era.map->Image(cells);
  }
  return cells;
}

Result<std::int64_t> Store::Version() {
  const ResetAtEnd reset(read_version_);
  const auto row = read_version_.Step();
  if (!row) return row.error();
  return read_version_.Int(0);
}

Result<void> Store::CatchUp(View& view, const Follow& follow) {
  const ResetAtEnd reset(read_summary_);
  const auto row = read_summary_.Step();
  if (!row) return row.error();
  if (!*row) return Tampered("its summary is missing");
  const std::int64_t position = read_summary_.Int(0);
  if (position < view.position) {
    return Tampered(fmt::format("it has {} entries, but had {} before", position, view.position));
  }
  auto replayed =
      Replay(view.position, std::numeric_limits<std::int64_t>::max(), [&](const Entry& entry, std::string_view head) {
        auto wrong = view.AddVerified(entry, head);
        if (!wrong && entry.kind == Kind::kGeneration && view.generation == entry.number) Enter(entry.position, view);
        if (!wrong && follow) follow(entry, view);
        return wrong;
      });
  if (!replayed) return replayed;
  if (position != view.position) {
    return Tampered(fmt::format("its summary counts {} entries, but there are {}", position, view.position));
  }
  if (read_summary_.Int(1) != view.charges || read_summary_.Bytes(2) != view.head) {
    return Tampered("its summary is not that of its last entry");
  }
  if (read_summary_.Bytes(3) != EncodeTotals(view.totals))
    return Tampered("its totals are not the sums of its entries");
  return {};
}

}  // namespace kith::ledger
