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
  auto insert = connection.Prepare("INSERT INTO birth VALUES (1, ?, ?, ?, ?, ?, ?)");
  if (!insert) return insert.error();
  return insert->BindText(1, birth.ledger_id)
      .Bind(2, birth.unix_seconds)
      .BindText(3, birth.identity)
      .BindText(4, ColumnsText(birth.columns))
      .Bind(5, birth.stream ? 1 : 0)
      .BindText(6, birth.secret)
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

// Appending only ever touches `entries`, `postings`, `cell_sets`, `texts` and the one row of `summary`; the rest is
// written once.
std::vector<std::string> Schema() {
  return {
      "CREATE TABLE birth (id INTEGER PRIMARY KEY CHECK (id = 1), ledger_id TEXT NOT NULL, unix_seconds INTEGER NOT "
      "NULL, identity TEXT NOT NULL, columns TEXT NOT NULL, stream INTEGER NOT NULL CHECK (stream IN (0, 1)), secret "
      "TEXT NOT NULL) STRICT",
      "CREATE TABLE cells (cell INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT",
      "CREATE TABLE entries (position INTEGER PRIMARY KEY, kind INTEGER NOT NULL CHECK (kind BETWEEN 1 AND 7), number "
      "INTEGER NOT NULL CHECK (number > 0), unix_seconds INTEGER NOT NULL, caller TEXT NOT NULL, policy TEXT NOT NULL, "
      "subject TEXT NOT NULL, answer_key TEXT NOT NULL, digest TEXT NOT NULL, merged INTEGER NOT NULL CHECK (merged IN "
      "(0, 1)), once INTEGER NOT NULL CHECK (once IN (0, 1)), carried INTEGER NOT NULL CHECK (carried IN (0, 1)), head "
      "TEXT NOT NULL) STRICT",
      "CREATE UNIQUE INDEX entry_by_number ON entries (number, kind)",
      "CREATE INDEX answer_by_key ON entries (answer_key) WHERE kind = 2",
      // A step is charged once: the database itself refuses a second charge under the same key.
      "CREATE UNIQUE INDEX charge_once ON entries (answer_key) WHERE once = 1",
      "CREATE TABLE cell_sets (digest TEXT PRIMARY KEY, cells TEXT NOT NULL) STRICT, WITHOUT ROWID",
      "CREATE TABLE postings (position INTEGER NOT NULL REFERENCES entries (position), line INTEGER NOT NULL, account "
      "TEXT NOT NULL, level INTEGER NOT NULL, cells TEXT NOT NULL REFERENCES cell_sets (digest), loss INTEGER NOT "
      "NULL, "
      "neighbours INTEGER NOT NULL, covers INTEGER NOT NULL, tick INTEGER NOT NULL, amount INTEGER NOT NULL CHECK "
      "(amount >= 0), rule TEXT NOT NULL, PRIMARY KEY (position, line)) STRICT, WITHOUT ROWID",
      "CREATE TABLE texts (position INTEGER PRIMARY KEY REFERENCES entries (position), text TEXT NOT NULL) STRICT",
      "CREATE TABLE summary (id INTEGER PRIMARY KEY CHECK (id = 1), position INTEGER NOT NULL, charges INTEGER NOT "
      "NULL, head TEXT NOT NULL, totals BLOB NOT NULL) STRICT",
  };
}

Result<void> Fill(const Connection& connection, const Birth& birth) {
  if (auto done = connection.Run(fmt::format("PRAGMA user_version = {}", kFormat).c_str()); !done) return done;
  if (auto done = RunAll(connection, Schema()); !done) return done;
  if (auto done = InsertBirth(connection, birth); !done) return done;
  if (auto done = InsertCells(connection, birth.cells); !done) return done;
  const View view = View::AtBirth(birth);
  auto summary = connection.Prepare("INSERT INTO summary VALUES (1, 0, 0, ?, ?)");
  if (!summary) return summary.error();
  return summary->BindText(1, view.head).BindBlob(2, EncodeTotals(view.totals)).Run();
}

Result<void> DropAll(const Connection& connection) {
  std::vector<std::string> all;
  for (const char* table : {"texts", "postings", "cell_sets", "entries", "cells", "summary", "birth"})
    all.push_back(fmt::format("DROP TABLE {}", table));
  return RunAll(connection, all);
}

}  // namespace kith::ledger
