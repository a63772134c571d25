#include "ledger/store.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/digest.h"
#include "ledger/schema.h"

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
  auto opened = Connection::Open(file, std::chrono::seconds(1));  // nobody else knows this file
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
  for (const char* table : {"answers", "entries", "cells", "summary", "birth"}) {
    if (auto done = connection_->Run(fmt::format("DROP TABLE {}", table).c_str()); !done) return done;
  }
  if (auto done = Fill(*connection_, birth); !done) return done;
  birth_ = birth;
  format_ = kFormat;
  return PrepareAll();
}

Result<std::unique_ptr<Store>> Store::Open(const Places& places, std::chrono::milliseconds patience, bool read_only) {
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
  // A full sync of the log at every commit makes a charge durable before it returns.
  for (const char* sql : {"PRAGMA synchronous = FULL", "PRAGMA foreign_keys = ON", "PRAGMA cell_size_check = ON",
                          "PRAGMA mmap_size = 0", "PRAGMA temp_store = MEMORY"}) {
    if (auto done = connection_->Run(sql); !done) return done;
  }
  if (use_ != Use::kWrite) return {};
  const auto version = connection_->Ask("PRAGMA user_version");  // before anything is written to it
  if (!version) return version.error();
  if (version->size() != 1 || *version < "1" || *version > std::to_string(kFormat)) return Load();
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
  std::optional<Transaction> transaction;  // what is read here must be of one moment: others may upgrade the ledger
  if (!connection_->in_transaction()) {
    auto begun = Transaction::BeginRead(*connection_);
    if (!begun) return begun.error();
    transaction.emplace(std::move(*begun));
  }
  DropStatements();
  if (auto done = CheckTables(); !done) return done;
  if (auto done = PrepareAll(); !done) return done;
  return ReadBirth();
}

Result<void> Store::CheckTables() {
  const auto version = connection_->Ask("PRAGMA user_version");
  if (!version) return version.error();
  if (version->size() != 1 || *version < "1" || *version > std::to_string(kFormat)) {
    return StorageError(fmt::format("the ledger has format {}, this kith knows formats 1 to {}", *version, kFormat),
                        places_.file.string(), "use the kith that wrote it, or a newer one");
  }
  format_ = version->front() - '0';
  auto schema =
      connection_->Prepare("SELECT sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid");
  if (!schema) return schema.error();
  std::vector<std::string> tables;
  while (true) {
    const auto row = schema->Step();
    if (!row) return row.error();
    if (!*row) break;
    tables.emplace_back(schema->Bytes(0));
  }
  birth_.stream = tables == SchemaOf(format_, true);
  const bool lawful = birth_.stream ? format_ == 2 || format_ == kFormat : format_ != 2;
  if (lawful && tables == SchemaOf(format_, birth_.stream)) return {};
  return Tampered("its tables are not those of a ledger");
}

Result<void> Store::PrepareAll() {
  const std::string columns =
      "position, kind, number, unix_seconds, units, cells, policy, question, answer_key, answer_digest, head";
  const std::string replay = fmt::format("SELECT {}, {}, {} FROM entries WHERE position > ? ORDER BY position", columns,
                                         old() && !birth_.stream ? "0" : "tick", old() ? "0" : "how");
  const std::string append = fmt::format("INSERT INTO entries ({}{}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?{})",
                                         columns, old() ? "" : ", tick, how", old() ? "" : ", ?, ?");
  const std::array<std::pair<Statement*, const char*>, 10> all = {{
      {&replay_, replay.c_str()},
      {&read_summary_, "SELECT position, charges, head, totals FROM summary WHERE id = 1"},
      {&write_summary_, "UPDATE summary SET position = ?, charges = ?, head = ?, totals = ? WHERE id = 1"},
      {&append_, append.c_str()},
      {&append_text_, "INSERT INTO answers VALUES (?, ?)"},
      {&read_text_, "SELECT answer FROM answers WHERE position = ?"},
      {&find_charge_, "SELECT head, answer_key FROM entries WHERE number = ? AND kind = 1"},
      {&find_answer_, "SELECT position, number, answer_digest FROM entries WHERE number = ? AND kind = 2"},
      {&find_key_,
       "SELECT position, number, answer_digest FROM entries WHERE answer_key = ? AND kind = 2 ORDER BY position LIMIT "
       "1"},
      {&find_charge_key_,
       "SELECT number, head FROM entries WHERE answer_key = ? AND kind = 1 ORDER BY position LIMIT 1"},
  }};
  for (const auto& [statement, sql] : all) {
    auto prepared = connection_->Prepare(sql);
    if (!prepared) return prepared.error();
    *statement = std::move(*prepared);
  }
  return {};
}

void Store::DropStatements() {
  for (Statement* statement : {&replay_, &read_summary_, &write_summary_, &append_, &append_text_, &read_text_,
                               &find_charge_, &find_answer_, &find_key_, &find_charge_key_}) {
    *statement = Statement();
  }
}

Result<void> Store::ReadBirth() {
  auto birth = connection_->Prepare(old() ? "SELECT ledger_id, unix_seconds, identity FROM birth WHERE id = 1"
                                          : "SELECT ledger_id, unix_seconds, identity, stream, secret, old_format, "
                                            "old_entries FROM birth WHERE id = 1");
  if (!birth) return birth.error();
  const auto row = birth->Step();
  if (!row) return row.error();
  if (!*row) return Tampered("it does not say what it belongs to");
  const bool stream = birth_.stream;
  birth_ = {
      std::string(birth->Bytes(0)), birth->Int(1), std::string(birth->Bytes(2)), {}, stream, {}, format_, kAllOld};
  if (!old()) {
    if ((birth->Int(3) != 0) != stream) return Tampered("it does not say whether it counts steps");
    birth_.secret = birth->Bytes(4);
    birth_.old_format = birth->Int(5);
    birth_.old_entries = birth->Int(6);
    const bool born = birth_.old_format == 0 && birth_.old_entries == 0;
    const bool upgraded = birth_.old_format >= 1 && birth_.old_format < kFormat && birth_.old_entries >= 0;
    if (birth_.secret.size() != 64 || (!born && !upgraded)) return Tampered("its birth is not that of a ledger");
  }
  auto cells = connection_->Prepare("SELECT cell, name FROM cells ORDER BY cell");
  if (!cells) return cells.error();
  while (true) {
    const auto more = cells->Step();
    if (!more) return more.error();
    if (!*more) return {};
    if (cells->Int(0) != static_cast<std::int64_t>(birth_.cells.size())) return Tampered("cells are missing");
    birth_.cells.emplace_back(cells->Bytes(1));
  }
}

bool Store::Outdated() const {
  if (use_ == Use::kWrite) return false;
  if (old()) {
    const auto version = connection_->Ask("PRAGMA user_version");
    if (version && *version != std::to_string(format_)) return true;  // upgraded by somebody else
  }
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

Result<void> Store::Replay(std::int64_t position, const Take& take) {
  const ResetAtEnd reset(replay_);
  replay_.Bind(1, position);
  while (true) {
    const auto row = replay_.Step();
    if (!row) return row.error();
    if (!*row) return {};
    Entry entry;
    entry.position = replay_.Int(0);
    entry.kind = static_cast<Kind>(replay_.Int(1));
    entry.number = replay_.Int(2);
    entry.unix_seconds = replay_.Int(3);
    entry.units = replay_.Int(4);
    entry.cells = replay_.Bytes(5);
    entry.policy = replay_.Bytes(6);
    entry.question = replay_.Bytes(7);
    entry.answer_key = replay_.Bytes(8);
    entry.answer_digest = replay_.Bytes(9);
    entry.tick = replay_.Int(11);
    entry.how = replay_.Int(12);
    if (const auto wrong = take(entry, replay_.Bytes(10))) return Tampered(*wrong);
  }
}

Result<void> Store::CatchUp(View& view, CellReader& reader, Windows* windows) {
  const ResetAtEnd reset(read_summary_);
  const auto row = read_summary_.Step();
  if (!row) return row.error();
  if (!*row) return Tampered("its summary is missing");
  const std::int64_t position = read_summary_.Int(0);
  if (position < view.position) {
    return Tampered(fmt::format("it has {} entries, but had {} before", position, view.position));
  }
  auto replayed = Replay(view.position, [&](const Entry& entry, std::string_view head) {
    auto wrong = view.AddVerified(entry, head, reader);
    if (!wrong && windows != nullptr) windows->Follow(entry, reader);
    return wrong;
  });
  if (!replayed) return replayed;
  if (position != view.position) {
    return Tampered(fmt::format("its summary counts {} entries, but there are {}", position, view.position));
  }
  if (!old() && birth_.old_format != 0 && position <= birth_.old_entries)
    return Tampered("the entry where its format changed is missing");
  if (read_summary_.Int(1) != view.charges || read_summary_.Bytes(2) != view.head) {
    return Tampered("its summary is not that of its last entry");
  }
  if (read_summary_.Bytes(3) != EncodeTotals(view.totals))
    return Tampered("its totals are not the sums of its entries");
  return {};
}

Result<void> Store::Append(const Entry& entry, std::string_view head) {
  append_.Bind(1, entry.position)
      .Bind(2, static_cast<std::int64_t>(entry.kind))
      .Bind(3, entry.number)
      .Bind(4, entry.unix_seconds)
      .Bind(5, entry.units)
      .BindBlob(6, entry.cells)
      .BindText(7, entry.policy)
      .BindText(8, entry.question)
      .BindText(9, entry.answer_key)
      .BindText(10, entry.answer_digest)
      .BindText(11, head);
  if (old()) return InternalError("nothing is appended to a ledger of an older format");
  return append_.Bind(12, entry.tick).Bind(13, entry.how).Run();
}

Result<void> Store::WriteSummary(const View& view) {
  write_summary_.Bind(1, view.position)
      .Bind(2, view.charges)
      .BindText(3, view.head)
      .BindBlob(4, EncodeTotals(view.totals));
  return write_summary_.Run();
}

Result<std::optional<Store::ChargeRow>> Store::FindCharge(std::int64_t number) {
  const ResetAtEnd reset(find_charge_);
  const auto row = find_charge_.Bind(1, number).Step();
  if (!row) return row.error();
  if (!*row) return std::optional<ChargeRow>();
  return std::optional<ChargeRow>({std::string(find_charge_.Bytes(0)), std::string(find_charge_.Bytes(1))});
}

Result<std::optional<Store::NumberRow>> Store::FindChargeByKey(std::string_view answer_key) {
  const ResetAtEnd reset(find_charge_key_);
  const auto row = find_charge_key_.BindText(1, answer_key).Step();
  if (!row) return row.error();
  if (!*row) return std::optional<NumberRow>();
  return std::optional<NumberRow>({find_charge_key_.Int(0), std::string(find_charge_key_.Bytes(1))});
}

Result<std::optional<Store::AnswerRow>> Store::ReadAnswerRow(Statement& statement) {
  const ResetAtEnd reset(statement);
  const auto row = statement.Step();
  if (!row) return row.error();
  if (!*row) return std::optional<AnswerRow>();
  return std::optional<AnswerRow>({statement.Int(0), statement.Int(1), std::string(statement.Bytes(2))});
}

Result<std::optional<Store::AnswerRow>> Store::FindAnswerTo(std::int64_t number) {
  return ReadAnswerRow(find_answer_.Bind(1, number));
}

Result<std::optional<Store::AnswerRow>> Store::FindAnswerByKey(std::string_view answer_key) {
  return ReadAnswerRow(find_key_.BindText(1, answer_key));
}

Result<void> Store::AppendText(std::int64_t position, std::string_view text) {
  return append_text_.Bind(1, position).BindText(2, text).Run();
}

Result<std::string> Store::ReadText(std::int64_t position, std::string_view digest) {
  const ResetAtEnd reset(read_text_);
  const auto row = read_text_.Bind(1, position).Step();
  if (!row) return row.error();
  if (!*row) return Tampered(fmt::format("the answer of entry {} is missing", position));
  std::string text(read_text_.Bytes(0));
  if (Sha256(text) != digest)
    return Tampered(fmt::format("the answer of entry {} does not match its digest", position));
  return text;
}

}  // namespace kith::ledger
