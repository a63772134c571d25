// The hash chain: what an entry is and the bytes that are hashed. Byte layout: docs/guide/ledger_format.md
// Claims: claims/ledger.md, LEDGER-3 and LEDGER-6
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kith::ledger {

enum class Kind : std::int64_t {
  kCharge = 1,
  kAnswer = 2,
  kData = 3,    // the charges after it are about other data
  kFormat = 4,  // the ledger got a secret here; everything before it is of an older format
};

/// One row of the chain. Borrows its texts from whoever made it.
struct Entry {
  std::int64_t position = 0;  // 1, 2, 3, ... over all entries
  Kind kind = Kind::kCharge;
  std::int64_t number =
      0;  // charge, data: 1, 2, 3, ... over its kind; answer: the charge it answers; format: the old one
  std::int64_t unix_seconds = 0;
  std::int64_t units = 0;       // charge: for every charged cell, in units of 2^-32; format: how many entries are older
  std::string_view cells;       // charge: the charged cells (EncodeCells)
  std::string_view policy;      // charge, data: fingerprint of the policy it was made under
  std::string_view question;    // charge: normalised text, behind its one-sided part if it has one (one_sided.h);
                                // data: the declared version
  std::string_view answer_key;  // charge, answer: as given; data: the import
  std::string_view answer_digest;  // answer: SHA-256 of the stored text
  std::int64_t tick = 0;           // charge in the ledger of a stream: the step it pays for; otherwise 0
  std::int64_t how = 0;            // charge: 1 if it covers any change (Covers); data: 1 if cells were merged
};

/// What is fixed when a ledger is created; the chain starts from its digest.
struct Birth {
  std::string ledger_id;  // random: tells two ledgers of the same policy apart
  std::int64_t unix_seconds = 0;
  std::string identity;
  std::vector<std::string> cells;
  bool stream = false;           // charges are for steps of a stream
  std::string secret;            // 256 random bits, hexadecimal; empty only in a ledger of an older format
  std::int64_t old_format = 0;   // 1 to 3 if the ledger was born in that format
  std::int64_t old_entries = 0;  // positions up to this one have digests of the old format
};

/// `old_entries` of a ledger that is still of an older format: all of them are.
inline constexpr std::int64_t kAllOld = std::int64_t{1} << 62;

/// How the digest of an entry is made.
struct Formula {
  std::string secret;
  bool stream = false;
  std::int64_t old_format = 0, old_entries = 0;

  static Formula Of(const Birth& birth) { return {birth.secret, birth.stream, birth.old_format, birth.old_entries}; }
};

std::string FirstHead(const Birth& birth);
std::string NextHead(std::string_view head, const Entry& entry, const Formula& formula);

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

}  // namespace kith::ledger
