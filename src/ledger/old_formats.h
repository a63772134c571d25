// Formats 1 to 4: their tables, how their rows read as entries with postings, and the digests that they keep. Nothing
// writes them any longer. Byte layout: docs/guide/ledger_format.md, "Older formats"
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ledger/chain.h"
#include "ledger/sqlite.h"

namespace kith::ledger {

/// Format 1 counts over all time; format 2 is the ledger of a stream; format 3 has the tables of format 1, and charges
/// with a one-sided part. Format 4 is for all of them, and has a secret.
std::vector<std::string> OldSchemaOf(std::int64_t format, bool stream);
/// The entries after one position and up to another, from the table of this name; read with ReadOldRow.
std::string OldReplay(std::int64_t format, bool stream, std::string_view table);
/// The row that the statement is at; nothing if it does not have its format. Borrows from it. Its head is column 10.
std::optional<Entry> ReadOldRow(const Statement& row, bool stream, CellBook& book);

std::string OldFirstHead(const Birth& birth);
/// Empty if the entry cannot have this format: then nothing that it says is covered.
std::string OldNextHead(std::string_view head, const Entry& entry, const Formula& formula, std::int64_t format);

/// A set of cells by number, in at most 513 bytes: ranges, or a bitmap where that is shorter.
std::string EncodeCells(const CellSet& cells);
/// Nothing if the bytes do not name a set of cells below `cell_count`.
std::optional<CellSet> DecodeCells(std::string_view bytes, std::size_t cell_count);

/// "one-sided <units> <bytes>:<account> <bytes>:<rule>; <question>".
std::string WithOneSided(std::int64_t units, std::string_view account, std::string_view rule,
                         std::string_view question);
struct OneSidedPart {
  std::int64_t units = 0;
  std::string_view account, rule;
  std::string_view question;  // the rest
};
/// True if the text claims to have such a part: then it must have one.
bool ClaimsOneSided(std::string_view text);
/// Nothing if the text has no such part, or not a valid one.
std::optional<OneSidedPart> ReadOneSided(std::string_view text);

}  // namespace kith::ledger
