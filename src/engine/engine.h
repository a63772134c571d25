// Engines: chosen by the policy, asked what they can do before anything is charged, and opened after that.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/call.h"
#include "base/result.h"
#include "engine/session.h"
#include "policy/policy.h"

namespace kith {

class Engine;
struct DataReport;

/// Takes what an import found in the data: only for the curator (data_report.h).
using DataReportSink = std::function<void(const DataReport&)>;

/// How much of the machine to use, and which files.
struct EngineOptions {
  int threads = 0;                       // 0: all cores
  std::int64_t memory_bytes = 0;         // 0: 60 % of the machine
  std::string output;                    // the one file that may be written (Session::Copy); absolute; empty: none
  std::string import;                    // id of the import whose snapshots replace the CSV tables (ImportTables)
  std::shared_ptr<const Engine> engine;  // instead of the one that the policy names
};

/// What an engine can do with a policy's data. A release that needs what is missing is refused before its charge.
struct Capabilities {
  bool copies_records = false;  // Session::Copy
  bool keeps_snapshot = false;  // a session continues to read what it opened; otherwise it fails once that has changed
  bool elsewhere = false;       // the data are on a server: what Session::Scan hands over has left it
};

/// A kind of data source. Immutable, touches no data until it opens.
class Engine {
 public:
  virtual ~Engine() = default;
  virtual const sql::Dialect& dialect() const = 0;
  virtual Capabilities CapabilitiesFor(const Policy& policy) const = 0;
  /// As OpenSession.
  virtual Result<std::unique_ptr<Session>> Open(const Policy& policy, const EngineOptions& options,
                                                const Call& call) const = 0;
};

/// `options.engine`, or the one that the policy names.
/// Fails: kInvalidArgument if the policy names an engine that this version does not have.
Result<std::shared_ptr<const Engine>> EngineFor(const Policy& policy, const EngineOptions& options = {});

/// True if a table of the policy is a CSV file, which is read from a snapshot and never in place.
bool NeedsImport(const Policy& policy);

/// Opens the policy's engine, locked down to exactly the declared files. CSV tables are read from the snapshots of
/// `options.import`; their files are not touched. Checks public promises.
/// Fails: kStorage (also if a snapshot is missing or damaged: kith import makes one), kCancelled, kInvalidArgument
/// (a missing file or column, a promise that public data contradict).
/// Ensures [ENGINE-5]: every value is read as its declared type or as NULL; no value makes a query fail.
/// Ensures [ENGINE-6]: groups and public columns are as the policy promises, in all rows that have a key.
/// Ensures [ENGINE-7]: what is read of CSV tables follows only from `options.import`, whatever became of the files.
Result<std::unique_ptr<Session>> OpenSession(const Policy& policy, const EngineOptions& options, const Call& call);

/// Held while snapshots are made: one importer at a time in a policy's folder, across threads and processes. The kernel
/// releases it when the holder dies.
class ImportLock {
 public:
  /// Waits for other importers; `call.notice` says so once.
  /// Fails: kStorage (the folder cannot be written to), kCancelled.
  static Result<ImportLock> Take(const Policy& policy, const Call& call);

 private:
  explicit ImportLock(std::shared_ptr<const void> held) : held_(std::move(held)) {}
  std::shared_ptr<const void> held_;
};

/// Error::parameter of an import that is refused because lines cannot be read: its text is only for the curator.
inline constexpr char kUnreadableLines[] = "import.lines";

/// Reads every CSV table of the policy into a typed read-only snapshot with the id `import`, and opens the result,
/// so that promises are checked: returns that session, which is what OpenSession would open with this import and no
/// output, or nothing where there is no CSV table. `call.notice` says in words what was read (rows, broken rows
/// dropped, whether the file has the same bytes as at the import `before`): facts about the data, only for the curator.
/// If `before` is not empty and its snapshots are there, units that are in both must have kept their group and the
/// column that picks a strength, and, where the policy promises it, their public columns. Files read in place are left
/// alone: nothing happens without a CSV table. `options.import` is not used. `report`, if not empty, gets what was
/// found in all tables, including those read in place, before any promise is checked, so that data that break one have
/// a report too. Fails: kInvalidArgument (no such file or column, a broken promise, units that moved; says how many, no
/// values; kUnreadableLines: presence is public and a line of the unit's table is not a row), kStorage, kCancelled.
/// After a failure no snapshot of `import` is left. Requires: an id that was not used before, of letters, digits and
/// '-'.
/// Ensures [ENGINE-8]: after success, no unit that is in both imports has left its group or strength, nor, where public
/// columns are promised to be fixed, its cell.
Result<std::unique_ptr<Session>> ImportTables(const ImportLock& lock, const Policy& policy, const std::string& import,
                                              const std::string& before, const EngineOptions& options, const Call& call,
                                              const DataReportSink& report = {});

/// Removes every snapshot in the policy's folder whose id starts with `prefix`, except those of `keep`, and what
/// earlier versions of kith left of the policy's tables. What cannot be removed stays.
void RemoveImports(const ImportLock& lock, const Policy& policy, const std::string& prefix, const std::string& keep);

/// For data without a ledger (experiments on invented data, tests): imports under a separate id, then opens.
/// Fails: as ImportTables and OpenSession.
Result<std::unique_ptr<Session>> ImportAndOpen(const Policy& policy, EngineOptions options, const Call& call);

/// Names and types of a file's columns and how the file is written, for `kith init`. Looks at the first part of it; no
/// value leaves it except well-known marks for what is missing.
/// Fails: kInvalidArgument, kStorage, kCancelled.
Result<FileSketch> SketchFile(const std::string& path, const CancelFlag& cancel);

}  // namespace kith
