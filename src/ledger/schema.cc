#include "ledger/schema.h"

#include <fmt/format.h>

#include "ledger/view.h"

namespace kith::ledger {
namespace {

Result<void> RunAll(const Connection& connection, const std::vector<std::string>& all) {
  for (const std::string& sql : all) {
    if (auto done = connection.Run(sql.c_str()); !done) return done;
  }
  return {};
}

Result<void> InsertBirth(const Connection& connection, const Birth& birth) {
  auto insert = connection.Prepare("INSERT INTO birth VALUES (1, ?, ?, ?, ?, ?, ?, ?)");
  if (!insert) return insert.error();
  return insert->BindText(1, birth.ledger_id)
      .Bind(2, birth.unix_seconds)
      .BindText(3, birth.identity)
      .Bind(4, birth.stream ? 1 : 0)
      .BindText(5, birth.secret)
      .Bind(6, birth.old_format)
      .Bind(7, birth.old_entries)
      .Run();
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

}  // namespace

// Appending only ever touches `entries`, `answers` and the one row of `summary`; the rest is written once.
std::vector<std::string> SchemaOf(std::int64_t format, bool stream) {
  const bool old = format < 4;
  std::vector<std::string> all = {
      std::string("CREATE TABLE birth (id INTEGER PRIMARY KEY CHECK (id = 1), ledger_id TEXT NOT NULL, unix_seconds "
                  "INTEGER NOT NULL, identity TEXT NOT NULL") +
          (old ? ""
               : ", stream INTEGER NOT NULL CHECK (stream IN (0, 1)), secret TEXT NOT NULL, old_format INTEGER NOT "
                 "NULL, old_entries INTEGER NOT NULL") +
          ") STRICT",
      "CREATE TABLE cells (cell INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT",
      fmt::format("CREATE TABLE entries (position INTEGER PRIMARY KEY, kind INTEGER NOT NULL CHECK (kind IN ({})), "
                  "number INTEGER NOT NULL CHECK (number > 0), unix_seconds INTEGER NOT NULL, units INTEGER NOT NULL "
                  "CHECK (units >= 0), cells BLOB NOT NULL, policy TEXT NOT NULL, question TEXT NOT NULL, answer_key "
                  "TEXT NOT NULL, answer_digest TEXT NOT NULL, {}{}head TEXT NOT NULL) STRICT",
                  old ? "1, 2" : "1, 2, 3, 4", !old || stream ? "tick INTEGER NOT NULL CHECK (tick >= 0), " : "",
                  old ? "" : "how INTEGER NOT NULL CHECK (how IN (0, 1)), "),
      "CREATE UNIQUE INDEX entry_by_number ON entries (number, kind)",
      "CREATE INDEX answer_by_key ON entries (answer_key) WHERE kind = 2",
  };
  // A step is charged once: the database itself refuses a second charge under the same key.
  if (stream) all.emplace_back("CREATE UNIQUE INDEX charge_by_key ON entries (answer_key) WHERE kind = 1");
  all.emplace_back(
      "CREATE TABLE answers (position INTEGER PRIMARY KEY REFERENCES entries (position), answer TEXT NOT NULL) STRICT");
  all.emplace_back(
      "CREATE TABLE summary (id INTEGER PRIMARY KEY CHECK (id = 1), position INTEGER NOT NULL, charges INTEGER NOT "
      "NULL, head TEXT NOT NULL, totals BLOB NOT NULL) STRICT");
  return all;
}

Result<void> Fill(const Connection& connection, const Birth& birth) {
  if (auto done = connection.Run("PRAGMA user_version = 4"); !done) return done;
  if (auto done = RunAll(connection, SchemaOf(4, birth.stream)); !done) return done;
  if (auto done = InsertBirth(connection, birth); !done) return done;
  if (auto done = InsertCells(connection, birth.cells); !done) return done;
  const View view = View::AtBirth(birth);
  auto summary = connection.Prepare("INSERT INTO summary VALUES (1, 0, 0, ?, ?)");
  if (!summary) return summary.error();
  return summary->BindText(1, view.head).BindBlob(2, EncodeTotals(view.totals)).Run();
}

Result<void> Rebuild(const Connection& connection, const Birth& birth) {
  std::vector<std::string> aside = {"PRAGMA user_version = 4"};
  for (const char* table : {"birth", "cells", "entries", "answers", "summary"})
    aside.push_back(fmt::format("ALTER TABLE {} RENAME TO old_{}", table, table));
  for (const char* index : {"entry_by_number", "answer_by_key", "charge_by_key"})
    aside.push_back(fmt::format("DROP INDEX IF EXISTS {}", index));
  if (auto done = RunAll(connection, aside); !done) return done;
  if (auto done = RunAll(connection, SchemaOf(4, birth.stream)); !done) return done;
  if (auto done = InsertBirth(connection, birth); !done) return done;
  return RunAll(
      connection,
      {"INSERT INTO cells SELECT cell, name FROM old_cells ORDER BY cell",
       fmt::format("INSERT INTO entries (position, kind, number, unix_seconds, units, cells, policy, question, "
                   "answer_key, answer_digest, tick, how, head) SELECT position, kind, number, unix_seconds, units, "
                   "cells, policy, question, answer_key, answer_digest, {}, 0, head FROM old_entries ORDER BY position",
                   birth.stream ? "tick" : "0"),
       "INSERT INTO answers SELECT position, answer FROM old_answers ORDER BY position",
       "INSERT INTO summary SELECT id, position, charges, head, totals FROM old_summary", "DROP TABLE old_answers",
       "DROP TABLE old_entries", "DROP TABLE old_cells", "DROP TABLE old_summary", "DROP TABLE old_birth"});
}

}  // namespace kith::ledger
