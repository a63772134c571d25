#include "ledger/store.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/digest.h"

namespace kith::ledger {
namespace {

constexpr const char* kApplicationId = "1802073192";  // "kith" as four bytes

// Format 1 counts for ever; format 2 is the ledger of a stream, whose charges are for single steps; format 3 has the
// tables of format 1, and some charges have a one-sided part.
const char* Version(bool stream) { return stream ? "2" : "1"; }
constexpr const char* kOneSidedVersion = "3";

// Appending only ever touches `entries`, `answers` and the one row of `summary`; the rest is written once.
constexpr std::size_t kTables = 8;
using Schema = std::array<std::string, kTables>;

Schema SchemaOf(bool stream) {
  const std::string tick = stream ? "tick INTEGER NOT NULL CHECK (tick >= 0), " : "";
  return {
      "CREATE TABLE birth (id INTEGER PRIMARY KEY CHECK (id = 1), ledger_id TEXT NOT NULL, unix_seconds INTEGER NOT "
      "NULL, "
      "identity TEXT NOT NULL) STRICT",
      "CREATE TABLE cells (cell INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT",
      "CREATE TABLE entries (position INTEGER PRIMARY KEY, kind INTEGER NOT NULL CHECK (kind IN (1, 2)), "
      "number INTEGER NOT NULL CHECK (number > 0), unix_seconds INTEGER NOT NULL, units INTEGER NOT NULL CHECK (units "
      ">= "
      "0), "
      "cells BLOB NOT NULL, policy TEXT NOT NULL, question TEXT NOT NULL, answer_key TEXT NOT NULL, "
      "answer_digest TEXT NOT NULL, " +
          tick + "head TEXT NOT NULL) STRICT",
      "CREATE UNIQUE INDEX entry_by_number ON entries (number, kind)",
      "CREATE INDEX answer_by_key ON entries (answer_key) WHERE kind = 2",
      // A step is charged once: the database itself refuses a second charge under the same key.
      stream ? "CREATE UNIQUE INDEX charge_by_key ON entries (answer_key) WHERE kind = 1" : "",
      "CREATE TABLE answers (position INTEGER PRIMARY KEY REFERENCES entries (position), answer TEXT NOT NULL) STRICT",
      "CREATE TABLE summary (id INTEGER PRIMARY KEY CHECK (id = 1), position INTEGER NOT NULL, charges INTEGER NOT "
      "NULL, "
      "head TEXT NOT NULL, totals BLOB NOT NULL) STRICT",
  };
}

Error NotALedger(const std::filesystem::path& file) {
  return StorageError("this file is not a kith ledger", file.string(),
                      "check the name under [budget] ledger; if the ledger was overwritten, restore it from a backup");
}

Result<void> InsertCells(const Connection& connection, const std::vector<std::string>& cells) {
  auto cell = connection.Prepare("INSERT INTO cells VALUES (?, ?)");
  if (!cell) return cell.error();
  for (std::size_t i = 0; i < cells.size(); ++i) {
    cell->Bind(1, static_cast<std::int64_t>(i)).BindText(2, cells[i]);
    if (auto done = cell->Run(); !done) return done;
  }
  return {};
}

// All tables of a ledger without entries.
Result<void> Fill(const Connection& connection, const Birth& birth) {
  if (auto done = connection.Run(fmt::format("PRAGMA user_version = {}", Version(birth.stream)).c_str()); !done)
    return done;
  for (const std::string& sql : SchemaOf(birth.stream)) {
    if (sql.empty()) continue;
    if (auto done = connection.Run(sql.c_str()); !done) return done;
  }
  auto insert = connection.Prepare("INSERT INTO birth VALUES (1, ?, ?, ?)");
  if (!insert) return insert.error();
  insert->BindText(1, birth.ledger_id).Bind(2, birth.unix_seconds).BindText(3, birth.identity);
  if (auto done = insert->Run(); !done) return done;
  if (auto done = InsertCells(connection, birth.cells); !done) return done;
  const View view = View::AtBirth(birth);
  auto summary = connection.Prepare("INSERT INTO summary VALUES (1, 0, 0, ?, ?)");
  if (!summary) return summary.error();
  return summary->BindText(1, view.head).BindBlob(2, EncodeTotals(view.totals)).Run();
}

}  // namespace

Store::Store(Places places, std::unique_ptr<Connection> connection)
    : places_(std::move(places)), connection_(std::move(connection)) {}

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
  return PrepareAll();
}

Result<std::unique_ptr<Store>> Store::Open(const Places& places, std::chrono::milliseconds patience) {
  const Identity before = Identity::Of(places);
  auto connection = Connection::Open(places.file, patience);
  if (!connection) return connection.error();
  std::unique_ptr<Store> store(new Store(places, std::move(*connection)));
  if (auto done = store->CheckFormat(); !done) return done.error();
  if (auto done = store->PrepareAll(); !done) return done.error();
  if (auto done = store->ReadBirth(); !done) return done.error();
  store->identity_ = Identity::Of(places);
  if (before.file != store->identity_.file || before.device != store->identity_.device) {
    return StorageError("the ledger was replaced while it was being opened", places.file.string(), "ask again");
  }
  return store;
}

Result<void> Store::CheckFormat() {
  const auto application = connection_->Ask("PRAGMA application_id");
  if (!application) return application.error();
  if (*application != kApplicationId) return NotALedger(places_.file);
  const auto version = connection_->Ask("PRAGMA user_version");
  if (!version) return version.error();
  birth_.stream = *version == Version(true);
  if (*version != Version(birth_.stream) && *version != kOneSidedVersion) {
    return StorageError(fmt::format("the ledger has format {}, this kith knows formats 1 to 3", *version),
                        places_.file.string(), "use the kith that wrote it, or a newer one");
  }
  // A full sync of the log at every commit makes a charge durable before it returns.
  for (const char* sql : {"PRAGMA synchronous = FULL", "PRAGMA foreign_keys = ON", "PRAGMA cell_size_check = ON",
                          "PRAGMA mmap_size = 0", "PRAGMA temp_store = MEMORY"}) {
    if (auto done = connection_->Run(sql); !done) return done;
  }
  const auto mode = connection_->Ask("PRAGMA journal_mode = WAL");
  if (!mode) return mode.error();
  const auto synchronous = connection_->Ask("PRAGMA synchronous");
  if (!synchronous) return synchronous.error();
  if (*mode != "wal" || *synchronous != "2") {
    return StorageError("this disk cannot hold a ledger that several processes share safely", places_.file.string(),
                        "keep the ledger on a local disk");
  }
  auto schema =
      connection_->Prepare("SELECT sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid");
  if (!schema) return schema.error();
  const Schema wanted = SchemaOf(birth_.stream);
  std::size_t found = 0;
  const auto skip = [&] {
    if (found < wanted.size() && wanted[found].empty()) ++found;
  };
  while (true) {
    const auto row = schema->Step();
    if (!row) return row.error();
    if (!*row) break;
    skip();
    if (found == wanted.size() || schema->Bytes(0) != wanted[found])
      return Tampered("its tables are not those of a ledger");
    ++found;
  }
  skip();
  if (found != wanted.size()) return Tampered("tables are missing");
  return {};
}

Result<void> Store::PrepareAll() {
  const bool stream = birth_.stream;
  const std::array<std::pair<Statement*, const char*>, 10> all = {{
      {&replay_, stream ? "SELECT position, kind, number, unix_seconds, units, cells, policy, question, answer_key, "
                          "answer_digest, head, tick FROM entries WHERE position > ? ORDER BY position"
                        : "SELECT position, kind, number, unix_seconds, units, cells, policy, question, answer_key, "
                          "answer_digest, head, 0 FROM entries WHERE position > ? ORDER BY position"},
      {&read_summary_, "SELECT position, charges, head, totals FROM summary WHERE id = 1"},
      {&write_summary_, "UPDATE summary SET position = ?, charges = ?, head = ?, totals = ? WHERE id = 1"},
      {&append_,
       stream
           ? "INSERT INTO entries (position, kind, number, unix_seconds, units, cells, policy, question, answer_key, "
             "answer_digest, head, tick) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
           : "INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"},
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
  auto birth = connection_->Prepare("SELECT ledger_id, unix_seconds, identity FROM birth WHERE id = 1");
  if (!birth) return birth.error();
  const auto row = birth->Step();
  if (!row) return row.error();
  if (!*row) return Tampered("it does not say what it belongs to");
  birth_.ledger_id = birth->Bytes(0);
  birth_.unix_seconds = birth->Int(1);
  birth_.identity = birth->Bytes(2);
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

Result<void> Store::StillInPlace() const {
  if (Identity::Of(places_) == identity_) return {};
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
    if (!wrong && windows != nullptr && entry.kind == Kind::kCharge) windows->Add(entry, *reader.Read(entry.cells));
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
  if (birth_.stream) append_.Bind(12, entry.tick);
  return append_.Run();
}

Result<void> Store::HoldsOneSided() {
  return connection_->Run(fmt::format("PRAGMA user_version = {}", kOneSidedVersion).c_str());
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
