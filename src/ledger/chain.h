// The hash chain: what an entry is, the bytes that are hashed, and the view of a ledger that replaying its entries
// gives. Byte layout: docs/guide/ledger_format.md
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ledger/one_sided.h"

namespace kith::ledger {

enum class Kind : std::int64_t { kCharge = 1, kAnswer = 2 };

/// One row of the chain. Borrows its texts from whoever made it.
struct Entry {
  std::int64_t position = 0;  // 1, 2, 3, ... over all entries
  Kind kind = Kind::kCharge;
  std::int64_t number = 0;  // charge: 1, 2, 3, ... over charges; answer: the charge it answers
  std::int64_t unix_seconds = 0;
  std::int64_t units = 0;     // charge: for every charged cell, in units of 2^-32
  std::string_view cells;     // charge: the charged cells (EncodeCells)
  std::string_view policy;    // charge: fingerprint of the policy it was made under
  std::string_view question;  // charge: normalised text, behind its one-sided part if it has one (one_sided.h)
  std::string_view answer_key;
  std::string_view answer_digest;  // answer: SHA-256 of the stored text
  std::int64_t tick = 0;           // charge in the ledger of a stream: the step it pays for; otherwise 0
};

/// What is fixed when a ledger is created; the chain starts from its digest.
struct Birth {
  std::string ledger_id;  // random: tells two ledgers of the same policy apart
  std::int64_t unix_seconds = 0;
  std::string identity;
  std::vector<std::string> cells;
  bool stream = false;  // charges are for steps of a stream (format 2)
};

std::string FirstHead(const Birth& birth);
/// `stream`: as in the ledger's birth.
std::string NextHead(std::string_view head, const Entry& entry, bool stream = false);

using CellSet = std::vector<std::size_t>;  // ascending, without repeats

/// A set of cells in at most 513 bytes: ranges, or a bitmap where that is shorter.
std::string EncodeCells(const CellSet& cells);
/// Nothing if the bytes do not name a set of cells below `cell_count`.
std::optional<CellSet> DecodeCells(std::string_view bytes, std::size_t cell_count);

/// Totals as runs of equal cells.
std::string EncodeTotals(std::span<const std::int64_t> totals);

/// Reads encoded sets. Few different sets are charged again and again: reading each once keeps the opening of a long
/// ledger fast.
class CellReader {
 public:
  explicit CellReader(std::size_t cell_count) : cell_count_(cell_count) {}
  std::size_t cell_count() const { return cell_count_; }
  /// nullptr if the bytes cannot be read. Valid until the next call.
  const CellSet* Read(std::string_view bytes);

 private:
  std::size_t cell_count_;
  std::map<std::string, CellSet, std::less<>> known_;
};

/// What a ledger says after some of its entries.
struct View {
  std::int64_t position = 0;
  std::int64_t charges = 0;
  std::string head;
  std::vector<std::int64_t> totals;  // of a stream: of all its steps, cut at PlainUnits::kMax; no limit is about them
  bool stream = false;
  OneSidedTotals one_sided;
  std::string policy;  // of the last charge; empty before the first

  static View AtBirth(const Birth& birth);
  /// Adds the next entry. Returns what is wrong with it, or nothing; a wrong entry changes nothing.
  std::optional<std::string> Add(const Entry& entry, CellReader& reader);
  /// The same for an entry from the file, whose digest must be `stored_head`.
  std::optional<std::string> AddVerified(const Entry& entry, std::string_view stored_head, CellReader& reader);

 private:
  std::optional<std::string> AddWithHead(const Entry& entry, std::string next_head, CellReader& reader);
};

}  // namespace kith::ledger
