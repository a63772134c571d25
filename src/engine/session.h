// One state of the data, opened: statements in, exact integers out. Foreign exceptions and error messages (which may
// quote data) stop here.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/int128.h"
#include "base/result.h"
#include "loss/loss.h"
#include "sql/dialect.h"
#include "sql/statement.h"

namespace kith {

/// What an engine returns: integers only, so that nothing inexact can be released.
struct IntegerTable {
  std::size_t columns = 0;
  std::vector<std::vector<std::optional<Int128>>> rows;  // nullopt: SQL NULL
};

/// Rows of a statement, some at a time: one span for each column, all of the same length, valid during the call.
using IntegerColumns = std::span<const std::span<const std::int64_t>>;
/// Takes rows; an error from it ends the scan, which returns that error.
using IntegerSink = std::function<Result<void>(IntegerColumns)>;

/// True rows that a one-sided release lets out.
struct RecordCopy {
  sql::Statement select;  // the rows that are not sensitive (query/one_sided_rows.h), nothing else
  PlainUnits epsilon;     // each is released with probability 1 - exp(-epsilon)
  bool parquet = true;    // otherwise CSV with a header
  bool sorted = true;     // otherwise as the engine reads them, more or less in the order of the table
};

/// Made by an engine. Every answer is of the state of the data that was opened, or an error. Thread-safe.
class Session {
 public:
  virtual ~Session() = default;
  virtual const sql::Dialect& dialect() const = 0;
  /// Names the state of the data: sessions with the same text read the same. Nothing: not known. It may follow from the
  /// data, so that no analyst may see it.
  virtual std::optional<std::string> version() const = 0;
  /// False if what was opened has since changed or gone away, so that opening again would read other data; a snapshot
  /// never does. Reads metadata only. A session that holds a transaction of a server is for one answer: it always says
  /// false.
  virtual bool Current() const = 0;
  /// What a check of the data that were opened has shown, so that statements need not sort out what is not there. It
  /// follows from the data: no analyst may see it.
  virtual sql::UnitRows unit_rows() const;
  /// A statement that returns integers.
  /// Fails: kStorage (memory, disk, a file that changed), kCancelled, kInternal (what the engine does not take). No
  /// error text holds a data value. Ensures [ENGINE-4]: an answer was computed on the data that were opened; a
  /// file read in place that changed since is an error, a CSV file that changed since its import is not looked at.
  Result<IntegerTable> Run(const sql::Statement& statement, const CancelFlag& cancel) const;
  /// The same for results that are too many to hold: whole numbers of at most 64 bits, never NULL, handed over in
  /// chunks from the calling thread. In no particular order unless the statement has one: not even the rows of a
  /// snapshot keep the order of their file.
  /// Fails: as Run; kInternal if a column is wider or a value is NULL; what the sink returns.
  Result<void> Scan(const sql::Statement& statement, const IntegerSink& sink, const CancelFlag& cancel) const;
  /// Writes rows to EngineOptions::output, each after its own coin toss. Returns how many were written.
  /// Requires: Capabilities::copies_records.
  /// Fails: as Run; kInternal if the session was opened without an output, or its engine has no coin.
  /// Ensures [OSDP-6]: every row of `select` is written with probability exactly 1 - exp(-epsilon), independently of
  /// all others, and nothing else is; where they are sorted, the file follows from which rows are in it.
  virtual Result<std::int64_t> Copy(const RecordCopy& copy, const CancelFlag& cancel) const;

  /// Run and Scan in the engine's own SQL: what a statement becomes. For engines, tests and benchmarks; everything else
  /// uses statements.
  virtual Result<IntegerTable> RunText(const std::string& sql, const CancelFlag& cancel) const = 0;
  virtual Result<void> ScanText(const std::string& sql, const IntegerSink& sink, const CancelFlag& cancel) const = 0;
};

}  // namespace kith
