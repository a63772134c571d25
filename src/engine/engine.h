// Aggregate SQL in, exact integers out. Foreign exceptions and error texts (which may quote data) stop here.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/int128.h"
#include "base/result.h"
#include "policy/policy.h"
#include "query/plan.h"

namespace kith {

/// What an engine returns: integers only, so that nothing inexact can be released.
struct IntegerTable {
  std::size_t columns = 0;
  std::vector<std::vector<std::optional<Int128>>> rows;  // nullopt: SQL NULL
};

/// Rows of a statement, some at a time: one span for each column, all of the same length, valid during the call.
using IntegerColumns = std::span<const std::span<const std::int64_t>>;
/// Takes rows; an error of its own ends the scan and is what the scan returns.
using IntegerSink = std::function<Result<void>(IntegerColumns)>;

/// Progress of long work, in [0,1]; called from the working thread.
using Progress = std::function<void(double)>;

/// True rows that leave by a one-sided release.
struct RecordCopy {
  std::string select;   // the rows that are not sensitive (query/records.h), nothing else
  PlainUnits epsilon;   // each is released with probability 1 - exp(-epsilon)
  bool parquet = true;  // otherwise CSV with a header
  bool sorted = true;   // otherwise as the engine reads them, more or less in the order of the table
};

/// One data source. Thread-safe: each call uses its own connection.
class Engine {
 public:
  virtual ~Engine() = default;
  virtual Dialect dialect() const = 0;
  /// Identity of the data this engine reads. CSV: of the snapshot, and it follows the file's bytes; a changed CSV file
  /// counts when the engine is opened again. Files read in place: inode, size and time. Reads metadata only.
  /// Fails: kStorage if a file read in place changed since it was opened: open the engine again.
  virtual Result<std::string> DataVersion() const = 0;
  /// False if a file changed or went away since it was opened, so that opening again would read other data. Reads
  /// metadata only.
  virtual bool Current() const = 0;
  /// One SELECT that returns integers.
  /// Fails: kStorage (memory, disk, a file that changed), kCancelled, kInternal (SQL that the engine does not take). No
  /// text of an error holds a data value.
  /// Ensures [ENGINE-4]: an answer was computed on the data that DataVersion() names; a file that changed is an error.
  virtual Result<IntegerTable> Run(const std::string& sql, const CancelFlag& cancel) const = 0;
  /// The same for results that are too many to hold: whole numbers of at most 64 bits, never NULL, handed over in
  /// chunks from the calling thread. In no order unless the statement has one: not even the rows of a snapshot keep the
  /// order of their file.
  /// Fails: as Run; kInternal if a column is wider or a value is NULL; what the sink returns.
  virtual Result<void> Scan(const std::string& sql, const IntegerSink& sink, const CancelFlag& cancel) const = 0;
  /// Writes rows to EngineOptions::output, each after a throw of its own coin. Returns how
  /// many were written.
  /// Fails: as Run; kInternal if the engine was opened without an output, or has no coin.
  /// Ensures [OSDP-6]: every row of `select` is written with probability exactly 1 - exp(-epsilon), independently of
  /// all others, and nothing else is; where they are sorted, the file follows from which rows are in it.
  virtual Result<std::int64_t> Copy(const RecordCopy& copy, const CancelFlag& cancel) const;
};

/// How much of the machine to use, and whom to tell.
struct EngineOptions {
  int threads = 0;                // 0: all cores
  std::int64_t memory_bytes = 0;  // 0: 60 % of the machine
  std::function<void(const std::string&)> notice;
  std::string output;        // the one file that may be written (Engine::Copy); absolute; empty: none
  bool import_anew = false;  // read CSV files again even if there is a snapshot, and tell about it
  Progress progress;
};

/// Fails: kInvalidArgument if the policy names an engine that this version does not have.
Result<void> EngineIsBuilt(const Policy& policy);

/// Opens the policy's engine, locked down to exactly the declared files. Imports CSV tables into a typed read-only
/// snapshot first if there is none for the file as it is now; `notice` is told about it in words (rows read, broken
/// rows dropped: facts about the data, for the curator). Checks public promises.
/// Fails: kStorage, kCancelled, kInvalidArgument (a missing file or column, a promise that public data contradict).
/// Ensures [ENGINE-5]: every value reads as its declared type or as NULL; no value makes a query fail.
/// Ensures [ENGINE-6]: groups and public columns are as the policy promises, in all rows that have a key.
Result<std::unique_ptr<Engine>> OpenEngine(const Policy& policy, const EngineOptions& options,
                                           const CancelFlag& cancel);

/// Names and types of a file's columns, for `kith init`. Reads out no values.
Result<std::vector<ColumnSketch>> SketchFile(const std::string& path);

}  // namespace kith
