#include "engine/duckdb/duckdb_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <filesystem>
#include <functional>
#include <mutex>
#include <set>
#include <thread>

#include "engine/duckdb/duckdb_session.h"
#include "engine/duckdb/folder.h"
#include "engine/duckdb/framed.h"
#include "engine/duckdb/frames_alone.h"
#include "engine/duckdb/held_rows.h"
#include "engine/duckdb/key_stream.h"
#include "engine/duckdb/locked_tables.h"
#include "engine/duckdb/records.h"
#include "engine/duckdb/tables.h"
#include "engine/duckdb/totals.h"
#include "engine/duckdb/unit_rows.h"
#include "engine/promises.h"
#include "engine/shape_runner.h"

namespace kith {

namespace {

class DuckDbFiles final : public Session, public KeyScan, public ShapeRunner {
 public:
  DuckDbFiles(std::unique_ptr<SpillFolder> spill, DuckDb database, std::vector<OpenedTable> tables, KnownRows known,
              std::vector<FramedTable> framed, std::vector<FramedTable> small, bool plans_once,
              const EngineOptions& options)
      : spill_(std::move(spill)),
        index_(std::move(known.index)),
        database_(std::move(database)),
        tables_(std::move(tables)),
        unit_rows_(std::move(known.rows)),
        framed_(std::move(framed)),
        small_(std::move(small)),
        plans_once_(plans_once),
        output_(options.output),
        threads_(ThreadsOf(options)) {}

  const sql::Dialect& dialect() const override { return sql::DuckDb(); }

  std::optional<std::string> version() const override { return StateOf(tables_); }
  sql::UnitRows unit_rows() const override { return unit_rows_; }

  bool Current() const override { return std::all_of(tables_.begin(), tables_.end(), IsCurrent); }

  Result<IntegerTable> RunText(const std::string& sql, const CancelFlag& cancel) const override {
    return RunAny(sql, cancel);
  }

  // Where there are many rows, what columns are compared with decides which of them are read: that is worth a separate
  // plan.
  Result<IntegerTable> RunShape(const sql::Statement& statement, const CancelFlag& cancel) const override {
    if (!plans_once_) return Run(statement, cancel);
    if (auto in_frame = RunProgram(statement, /*frames_only=*/true, cancel)) return *std::move(in_frame);
    if (auto held = RunHeld(statement, cancel)) return *std::move(held);
    return RunAny(sql::ShapeOf(statement, unit_rows_, dialect()), cancel);
  }

  Result<void> ScanText(const std::string& sql, const IntegerSink& sink, const CancelFlag& cancel) const override {
    if (auto unchanged = CheckAll(); !unchanged) return unchanged.error();
    auto connection = database_.Connect();
    if (!connection) return connection.error();
    auto scanned = Stream([&] { return connection->Scan(sql, sink, cancel); });
    if (auto unchanged = CheckAll(); !unchanged) return unchanged.error();
    return scanned;
  }

  Result<void> ScanKeysText(const std::string& sql, const KeySink& sink, const CancelFlag& cancel) const override {
    if (auto unchanged = CheckAll(); !unchanged) return unchanged.error();
    auto connection = database_.Connect();
    if (!connection) return connection.error();
    auto scanned = Stream([&] { return ScanKeys(*connection, sql, sink, cancel); });
    if (auto unchanged = CheckAll(); !unchanged) return unchanged.error();
    return scanned;
  }

  Result<std::int64_t> Copy(const RecordCopy& copy, const CancelFlag& cancel) const override {
    if (output_.empty()) return InternalError("the engine was opened without a file to write to");
    if (auto unchanged = CheckAll(); !unchanged) return unchanged.error();
    auto connection = database_.Connect();
    if (!connection) return connection.error();
    auto written = CopyRecords(*connection, copy, output_, cancel);
    if (auto unchanged = CheckAll(); !unchanged) return unchanged.error();
    return written;
  }

 private:
  template <class Sql>
  Result<IntegerTable> RunAny(const Sql& sql, const CancelFlag& cancel) const {
    if (auto unchanged = CheckAll(); !unchanged) return unchanged.error();
    auto connection = TakeConnection();
    if (!connection) return connection.error();
    auto table = Integers(*connection, sql, cancel);
    if (table) GiveBack(std::move(*connection));
    // Checked whatever came out: a failure can have the same cause.
    if (auto unchanged = CheckAll(); !unchanged) return unchanged.error();
    return table;
  }

  static Result<void> Stream(const std::function<Result<void>()>& scan) {
    try {
      return scan();
    } catch (const std::exception&) {
      return StorageError("memory ran out while rows were read");
    }
  }

  template <class Sql>
  static Result<IntegerTable> Integers(const DuckDbConnection& connection, const Sql& sql, const CancelFlag& cancel) {
    try {
      return connection.Integers(sql, cancel);
    } catch (const std::exception&) {  // its text may quote data as well
      return StorageError("the engine ran out of memory while handing over the result");
    }
  }

  std::optional<Result<IntegerTable>> RunShort(const sql::Statement& statement,
                                               const CancelFlag& cancel) const override {
    return RunProgram(statement, /*frames_only=*/false, cancel);
  }

  std::optional<Result<IntegerTable>> RunProgram(const sql::Statement& statement, bool frames_only,
                                                 const CancelFlag& cancel) const {
    if (auto in_frame = RunInFrames(statement, unit_rows_, framed_, threads_, cancel); in_frame || frames_only)
      return in_frame;
    try {
      for (const FramedTable& table : framed_) {
        if (table.frame) continue;
        if (auto program = memory::Compile(statement, unit_rows_, table))
          return AddUp(*std::move(program), table, cancel);
      }
      return std::nullopt;
    } catch (const std::exception&) {
      return StorageError("memory ran out while rows were read");
    }
  }

  // After some questions rows of small tables are held: for a single question that would read more than the question
  // does.
  std::optional<Result<IntegerTable>> RunHeld(const sql::Statement& statement, const CancelFlag& cancel) const {
    constexpr int kBefore = 8;
    if (asked_.fetch_add(1) < kBefore) return std::nullopt;
    try {
      const std::lock_guard lock(held_mutex_);
      for (; tried_ < small_.size() && !cancel.cancelled(); ++tried_) {
        const auto connection = database_.Connect();
        auto held = connection ? HeldRows::Read(*connection, small_[tried_], cancel) : connection.error();
        if (!held && held.error().code == Code::kCancelled) return held.error();
        if (held) held_.push_back(std::move(*held));
      }
    } catch (const std::exception&) {  // then DuckDB is asked
      return std::nullopt;
    }
    return RunHeldNow(statement, cancel);
  }

  std::optional<Result<IntegerTable>> RunHeldNow(const sql::Statement& statement, const CancelFlag& cancel) const {
    if (cancel.cancelled()) return Cancelled("stopped before the engine had begun");
    try {
      for (const auto& held : held_) {
        const auto program = memory::Compile(statement, unit_rows_, held->table());
        if (!program) continue;
        IntegerTable table = held->Run(*program);
        if (auto unchanged = CheckAll(); !unchanged) return unchanged.error();
        return table;
      }
      return std::nullopt;
    } catch (const std::exception&) {
      return StorageError("memory ran out while rows were read");
    }
  }

  std::optional<Result<IntegerTable>> AddUp(memory::Program program, const FramedTable& table,
                                            const CancelFlag& cancel) const {
    const auto call = TotalsCallOf(std::move(program), table);
    if (!call) return std::nullopt;
    if (auto unchanged = CheckAll(); !unchanged) return unchanged.error();
    auto connection = TakeConnection();
    if (!connection) return connection.error();
    if (!KnowsTotals(*connection, call->signature)) return std::nullopt;
    auto sums = RunTotals(*connection, *call, dialect(), cancel);
    if (sums) GiveBack(std::move(*connection));
    if (auto unchanged = CheckAll(); !unchanged) return unchanged.error();
    return sums;
  }

  bool KnowsTotals(const DuckDbConnection& connection, const std::string& signature) const {
    const std::lock_guard lock(totals_mutex_);
    if (totals_.contains(signature)) return true;
    if (!RegisterTotals(connection, signature)) return false;
    totals_.insert(signature);
    return true;
  }

  // Making a connection takes as long as a small question. Nothing is left on one that has answered a SELECT; one that
  // failed or was interrupted is not used again.
  Result<DuckDbConnection> TakeConnection() const {
    {
      const std::lock_guard lock(idle_mutex_);
      if (!idle_.empty()) {
        DuckDbConnection connection = std::move(idle_.back());
        idle_.pop_back();
        return connection;
      }
    }
    return database_.Connect();
  }

  void GiveBack(DuckDbConnection connection) const {
    constexpr std::size_t kMostIdle = 16;
    const std::lock_guard lock(idle_mutex_);
    if (idle_.size() < kMostIdle) idle_.push_back(std::move(connection));
  }

  Result<void> CheckAll() const {
    for (const OpenedTable& table : tables_) {
      if (auto unchanged = CheckUnchanged(table); !unchanged) return unchanged.error();
    }
    return {};
  }

  std::unique_ptr<SpillFolder> spill_;  // these outlive the database
  std::shared_ptr<const KeptIndex> index_;
  DuckDb database_;
  std::vector<OpenedTable> tables_;
  sql::UnitRows unit_rows_;
  std::vector<FramedTable> framed_;
  std::vector<FramedTable> small_;  // that may be held
  mutable std::atomic<int> asked_{0};
  mutable std::mutex held_mutex_;
  mutable std::size_t tried_ = 0;
  mutable std::vector<std::unique_ptr<const HeldRows>> held_;  // only added to before anything reads it
  bool plans_once_;
  std::string output_;
  int threads_;
  mutable std::mutex totals_mutex_;
  mutable std::set<std::string> totals_;  // signatures that the database knows
  mutable std::mutex idle_mutex_;
  mutable std::vector<DuckDbConnection> idle_;  // these end before the database
};

Result<void> CheckPromises(const DuckDbConnection& connection, const Policy& policy,
                           const std::vector<OpenedTable>& tables, const sql::UnitRows& unit_rows,
                           const KithFolder& folder, const CancelFlag& cancel) {
  const std::string states = StateOf(tables);
  for (const Promise& promise : PromisesOf(policy)) {
    if (promise.within_unit && unit_rows.most == 1) continue;  // one row does not differ from itself
    auto kept = Once(folder, "promise " + promise.sql + "\n" + states, [&]() -> Result<void> {
      auto against = connection.Integers(promise.sql, cancel);
      if (!against) return against.error();
      if (against->rows[0][0] != Int128{0}) return promise.broken;
      return {};
    });
    if (!kept) return kept.error();
  }
  return {};
}

Result<void> ShowKeptRows(const DuckDbConnection& connection, const Policy& policy,
                          const std::vector<OpenedTable>& tables, const KnownRows& known, const CancelFlag& cancel) {
  for (std::size_t k = 0; k < tables.size(); ++k) {
    if (policy.tables[k].name != policy.unit.table) continue;
    std::string columns;
    for (const ReadColumn& column : tables[k].columns) {
      columns += (columns.empty() ? "" : ", ") + QuotedName(column.shown.name);
    }
    return ShowKept(connection, known.rows.kept, columns, tables[k].numbered_sql, *known.index, cancel);
  }
  return InternalError("the unit's table is not there");
}

// All numbers and strings of tables that may be held.
std::vector<FramedTable> SmallTables(const Policy& policy) {
  std::vector<FramedTable> small;
  for (const Table& table : policy.tables) {
    FramedTable& own = small.emplace_back(FramedTable{table.name, nullptr, {}});
    for (const Column& column : table.columns) {
      if (HeldRows::IsHeld(column.type)) own.columns.push_back({column.name, own.columns.size(), column.type});
    }
  }
  return small;
}

Result<std::unique_ptr<Session>> OpenNow(const Policy& policy, const EngineOptions& options, const Call& call) {
  const KithFolder folder(std::filesystem::absolute(policy.file).parent_path());
  auto locked = OpenLocked(policy, folder, options, call);
  if (!locked) return locked.error();
  return CheckedSession(std::move(*locked), policy, folder, options, call);
}

Result<std::unique_ptr<Session>> Open(const Policy& policy, const EngineOptions& options, const Call& call) {
  const Stage stage(call, "checking the data");  // whichever checks there are: that may follow from the data
  auto frames = OpenFramesAlone(policy, options, OpenNow);
  if (!frames || *frames) return frames;
  return OpenNow(policy, options, call);
}

class OnFiles final : public Engine {
 public:
  explicit OnFiles(Frames frames) : frames_(std::move(frames)) {}
  const Frames& frames() const { return frames_; }
  const sql::Dialect& dialect() const override { return sql::DuckDb(); }
  Capabilities CapabilitiesFor(const Policy& policy) const override {
    const auto stays = [](const Table& table) { return IsCsv(table) || !FrameNamed(table.source).empty(); };
    return {.copies_records = true, .keeps_snapshot = std::all_of(policy.tables.begin(), policy.tables.end(), stays)};
  }
  Result<std::unique_ptr<Session>> Open(const Policy& policy, const EngineOptions& options,
                                        const Call& call) const override {
    try {
      return kith::Open(policy, options, call);
    } catch (const std::exception&) {
      return StorageError("the engine could not be opened: memory or the file system failed");
    }
  }

 private:
  const Frames frames_;
};

}  // namespace

Result<std::unique_ptr<Session>> CheckedSession(LockedTables locked, const Policy& policy, const KithFolder& folder,
                                                const EngineOptions& options, const Call& call) {
  const CancelFlag& cancel = call.cancel;
  auto& [spill, database, connection, tables, few] = locked;
  auto known = LookAtUnitRows(connection, policy, tables, folder, cancel);
  if (!known) return known.error();
  if (known->index) {
    auto shown = ShowKeptRows(connection, policy, tables, *known, cancel);
    if (!shown && shown.error().code == Code::kCancelled) return shown.error();
    if (!shown) *known = {};
  }
  if (auto kept = CheckPromises(connection, policy, tables, known->rows, folder, cancel); !kept) return kept.error();
  for (const OpenedTable& table : tables) {
    if (auto unchanged = CheckUnchanged(table); !unchanged) return unchanged.error();
  }
  auto framed = FramedTables(policy, options, tables);
  return std::make_unique<DuckDbFiles>(std::move(spill), std::move(database), std::move(tables), std::move(*known),
                                       std::move(framed), few ? SmallTables(policy) : std::vector<FramedTable>(), few,
                                       options);
}

std::shared_ptr<const Engine> DuckDbEngine(Frames frames) { return std::make_shared<OnFiles>(std::move(frames)); }

bool IsDuckDb(const EngineOptions& options) {
  return !options.engine || dynamic_cast<const OnFiles*>(options.engine.get()) != nullptr;
}

const Frames& FramesOf(const EngineOptions& options) {
  static const Frames none;
  const auto* engine = dynamic_cast<const OnFiles*>(options.engine.get());
  return engine == nullptr ? none : engine->frames();
}

}  // namespace kith
