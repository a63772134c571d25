// Aggregate SQL in, exact integers out. Foreign exceptions and error texts (which may quote data) stop here.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/call.h"
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
  /// False if a file that is read in place changed or went away since it was opened, so that opening again would read
  /// other data; a snapshot never does. Reads metadata only.
  virtual bool Current() const = 0;
  /// One SELECT that returns integers.
  /// Fails: kStorage (memory, disk, a file that changed), kCancelled, kInternal (SQL that the engine does not take). No
  /// text of an error holds a data value.
  /// Ensures [ENGINE-4]: an answer was computed on the data that were opened; a file read in place that changed since
  /// is an error, a CSV file that changed since its import is not looked at.
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

/// How much of the machine to use, and which files.
struct EngineOptions {
  int threads = 0;                // 0: all cores
  std::int64_t memory_bytes = 0;  // 0: 60 % of the machine
  std::string output;             // the one file that may be written (Engine::Copy); absolute; empty: none
  std::string import;             // id of the import whose snapshots stand for the CSV tables (ImportTables)
};

/// Fails: kInvalidArgument if the policy names an engine that this version does not have.
Result<void> EngineIsBuilt(const Policy& policy);

/// True if a table of the policy is a CSV file, which is read from a snapshot and never in place.
bool NeedsImport(const Policy& policy);

/// Opens the policy's engine, locked down to exactly the declared files. CSV tables are read from the snapshots of
/// `options.import`; their files are not looked at. Checks public promises.
/// Fails: kStorage (also if a snapshot is not there or damaged: kith import makes one), kCancelled, kInvalidArgument
/// (a missing file or column, a promise that public data contradict).
/// Ensures [ENGINE-5]: every value reads as its declared type or as NULL; no value makes a query fail.
/// Ensures [ENGINE-6]: groups and public columns are as the policy promises, in all rows that have a key.
/// Ensures [ENGINE-7]: what is read of CSV tables follows from `options.import` alone, whatever became of the files.
Result<std::unique_ptr<Engine>> OpenEngine(const Policy& policy, const EngineOptions& options, const Call& call);

/// Held while snapshots are made: one importer at a time in a policy's folder, across threads and processes. The kernel
/// lets go of it when the holder dies.
class ImportLock {
 public:
  /// Waits for other importers; `call.notice` is told once that it does.
  /// Fails: kStorage (the folder cannot be written to), kCancelled.
  static Result<ImportLock> Take(const Policy& policy, const Call& call);

 private:
  explicit ImportLock(std::shared_ptr<const void> held) : held_(std::move(held)) {}
  std::shared_ptr<const void> held_;
};

/// Reads every CSV table of the policy into a typed read-only snapshot with the id `import`, and opens the result once,
/// so that promises are checked. `call.notice` is told in words what was read (rows, broken rows dropped, whether the
/// file has the same bytes as at the import `before`): facts about the data, for the curator alone. If `before` is not
/// empty and its snapshots are there, units that are in both must have kept their group and the column that picks a
/// strength, and, where the policy promises it, their public columns. Files read in place are left alone: nothing
/// happens without a CSV table. `options.import` is not used. Fails: kInvalidArgument (no such file or column, a broken
/// promise, units that moved; says how many, no values), kStorage, kCancelled. After a failure no snapshot of `import`
/// is left. Requires: an id that was not used before, of letters, digits and '-'. Ensures [ENGINE-8]: after success, no
/// unit that is in both imports has left its group or strength, nor, where public columns are promised to be fixed, its
/// cell.
Result<void> ImportTables(const ImportLock& lock, const Policy& policy, const std::string& import,
                          const std::string& before, const EngineOptions& options, const Call& call);

/// Removes every snapshot in the policy's folder whose id starts with `prefix`, except those of `keep`, and what
/// earlier versions of kith left of the policy's tables. What cannot be removed stays.
void RemoveImports(const ImportLock& lock, const Policy& policy, const std::string& prefix, const std::string& keep);

/// For data without a ledger (experiments on invented data, tests): imports under an id of its own, then opens.
/// Fails: as ImportTables and OpenEngine.
Result<std::unique_ptr<Engine>> ImportAndOpen(const Policy& policy, EngineOptions options, const Call& call);

/// Names and types of a file's columns, for `kith init`. Reads out no values.
/// Fails: kInvalidArgument, kStorage, kCancelled.
Result<std::vector<ColumnSketch>> SketchFile(const std::string& path, const CancelFlag& cancel);

}  // namespace kith
