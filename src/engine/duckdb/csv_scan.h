// Reads a CSV file line by line, several threads at once, and shows it to DuckDB as a table of strings.
#pragma once
#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/cancel.h"
#include "base/result.h"
#include "engine/duckdb/csv_line.h"
#include "engine/duckdb/csv_plain.h"
#include "engine/duckdb/csv_text.h"
#include "engine/duckdb/duckdb_session.h"
#include "engine/duckdb/folder.h"
#include "engine/duckdb/source.h"

namespace kith {

/// How a CSV file is opened.
struct CsvOpening {
  CsvShape shape = {};
  std::filesystem::path scratch;     // a folder for the plain text of a compressed or UTF-16 file; empty: in memory
  std::optional<std::int64_t> most;  // bytes of plain text to stop after, for a look at the start of such a file
};

/// An open CSV file with its header. Blank lines are not rows; CRLF and LF end lines; a byte order mark is skipped.
/// Ensures [ENGINE-2]: how lines are read follows from the opening and the first line.
class CsvFile {
 public:
  static constexpr std::size_t kLongestLine = std::size_t{1} << 20;

  /// Fails: kInvalidArgument (no header, not the encoding or packing stated), kStorage, kCancelled.
  static Result<CsvFile> Open(const std::string& path, const CsvOpening& opening, const CancelFlag& cancel);
  /// A plain UTF-8 file.
  static Result<CsvFile> Open(const std::string& path, char delimiter);

  const std::string& path() const { return path_; }
  char delimiter() const { return shape_.separator; }
  /// The names, some of which may be empty.
  const std::vector<std::string>& header() const { return header_; }
  /// Fields of a record: one for each name, and before them the row's name if there is one.
  std::size_t fields() const { return header_.size() + first_field(); }
  std::size_t first_field() const { return shape_.row_names ? 1 : 0; }
  const FileIdentity& identity() const { return identity_; }  // when it was opened
  std::int64_t size() const { return size_; }                 // of the plain text
  std::int64_t data_begin() const { return data_begin_; }
  /// Set: how the bytes of fields become text; not set: they are UTF-8.
  const UpperCharacters* upper() const { return upper_; }

  /// The position of a column in the header. Fails: kInvalidArgument if the header does not name it exactly once.
  Result<std::size_t> Find(const std::string& column) const;

  /// Is the file what it was when it was opened, under its name as well?
  bool Unchanged() const;

  /// Fills `bytes` from `offset`. Fails: kStorage if it cannot be read or the file has become shorter.
  Result<void> Read(std::int64_t offset, std::size_t size, std::string* bytes) const;

 private:
  Result<void> OpenText(const CsvOpening& opening, const CancelFlag& cancel);

  std::string path_;
  CsvShape shape_;
  const UpperCharacters* upper_ = nullptr;
  Descriptor file_;
  std::optional<Descriptor> plain_;  // its text, if it cannot be read as it is
  FileIdentity identity_;
  std::int64_t size_ = 0;
  std::vector<std::string> header_;
  std::int64_t data_begin_ = 0;
};

/// One pass over the records of a CSV file. Shared by the threads that take part.
class CsvScan {
 public:
  static constexpr std::int64_t kRange = std::int64_t{8} << 20;

  /// How a file is divided: bytes in a range, and how many ranges are read (nothing: all).
  struct Cut {
    std::int64_t range = kRange;
    std::optional<std::size_t> most;
  };

  /// Reads the columns at `wanted` only.
  CsvScan(const CsvFile& file, std::vector<std::size_t> wanted, const CancelFlag& cancel, const Progress& progress)
      : CsvScan(file, std::move(wanted), cancel, progress, Cut{}) {}
  CsvScan(const CsvFile& file, std::vector<std::size_t> wanted, const CancelFlag& cancel, const Progress& progress,
          Cut cut);

  /// Fields of column k of `wanted` that hold one of these strings, ignoring surrounding blanks, are read as if empty.
  /// A whole number also matches itself with zeros after the point. Call before the pass.
  void SetMissing(std::size_t k, std::vector<std::string> marks) { missing_[k] = std::move(marks); }

  /// Makes `FROM name()` a table with VARCHAR columns c0, c1, … in the order of `wanted`: NULL where the field is empty
  /// and not quoted, a mark for what is missing, or not text. The scan must outlive every query on it, and can be read
  /// once.
  Result<void> Register(const DuckDbConnection& connection, const std::string& name);

  const CsvFile& file() const { return file_; }
  std::size_t columns() const { return wanted_.size(); }
  std::size_t ranges() const { return ranges_; }
  /// Stops the pass: every query on it fails.
  void Fail(Error error);

  // After the pass:
  /// Lines that are not rows. Blank lines are not counted, except in a file with one column: there a blank line may
  /// have been meant as a row without a value.
  std::int64_t broken_lines() const { return broken_; }
  /// The numbers of the first of them in the (plain) text, whose first line is the header.
  std::vector<std::int64_t> FirstBroken() const;
  static constexpr std::size_t kShownBroken = 10;
  /// Records in which the column was neither empty nor a mark for what is missing.
  std::int64_t filled(std::size_t k) const { return filled_[k]; }
  /// Digest of the whole file's bytes. Requires: a complete pass.
  std::string ContentDigest() const;
  /// Why reading stopped, if it did.
  std::optional<Error> error() const;

  class Reader;  // of one thread

 private:
  friend class Reader;
  /// The lines of a range.
  struct Lines {
    std::int64_t all = 0, broken = 0;
    std::vector<std::int64_t> first_broken;  // counted within the range, from 0
  };
  std::optional<std::size_t> TakeRange();
  void FinishRange(std::size_t range, std::string_view bytes, Lines lines, const std::vector<std::int64_t>& filled);

  const CsvFile& file_;
  const std::vector<std::size_t> wanted_;
  std::vector<std::vector<std::string>> missing_;  // of each of them
  const CancelFlag& cancel_;
  const Progress& progress_;
  const std::int64_t range_;
  std::size_t ranges_ = 0;
  std::atomic<std::size_t> next_range_{0};
  mutable std::mutex mutex_;  // guards all below
  std::int64_t broken_ = 0;
  std::vector<std::int64_t> filled_;
  std::vector<std::string> range_digests_;
  std::vector<Lines> range_lines_;
  std::size_t finished_ = 0;
  std::optional<Error> error_;
};

}  // namespace kith
