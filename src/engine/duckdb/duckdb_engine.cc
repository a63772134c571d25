#include "engine/duckdb/duckdb_engine.h"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <functional>
#include <mutex>

#include "engine/duckdb/duckdb_session.h"
#include "engine/duckdb/folder.h"
#include "engine/duckdb/key_stream.h"
#include "engine/duckdb/locked_tables.h"
#include "engine/duckdb/records.h"
#include "engine/duckdb/tables.h"
#include "engine/look_at_units.h"

namespace kith {

namespace {

/// Are the files of all tables still the same?
Result<void> CheckAll(const std::vector<OpenedTable>& tables) {
  for (const OpenedTable& table : tables) {
    if (auto unchanged = CheckUnchanged(table); !unchanged) return unchanged.error();
  }
  return {};
}

class DuckDbFiles final : public Session, public KeyScan {
 public:
  DuckDbFiles(LockedTables locked, std::string state, sql::UnitRows unit_rows, std::string output)
      : spill_(std::move(locked.spill)),
        database_(std::move(locked.database)),
        tables_(std::move(locked.tables)),
        state_(std::move(state)),
        unit_rows_(std::move(unit_rows)),
        output_(std::move(output)) {}

  const sql::Dialect& dialect() const override { return sql::DuckDb(); }

  std::optional<std::string> version() const override { return state_; }
  sql::UnitRows unit_rows() const override { return unit_rows_; }

  bool Current() const override { return std::all_of(tables_.begin(), tables_.end(), IsCurrent); }

  Result<IntegerTable> RunText(const std::string& sql, const CancelFlag& cancel) const override {
    if (auto unchanged = CheckAll(tables_); !unchanged) return unchanged.error();
    auto connection = TakeConnection();
    if (!connection) return connection.error();
    auto table = Integers(*connection, sql, cancel);
    if (table) GiveBack(std::move(*connection));
    // Checked whatever came out: a failure can have the same cause.
    if (auto unchanged = CheckAll(tables_); !unchanged) return unchanged.error();
    return table;
  }

  Result<void> ScanText(const std::string& sql, const IntegerSink& sink, const CancelFlag& cancel) const override {
    if (auto unchanged = CheckAll(tables_); !unchanged) return unchanged.error();
    auto connection = database_.Connect();
    if (!connection) return connection.error();
    auto scanned = Stream([&] { return connection->Scan(sql, sink, cancel); });
    if (auto unchanged = CheckAll(tables_); !unchanged) return unchanged.error();
    return scanned;
  }

  Result<void> ScanKeysText(const std::string& sql, const KeySink& sink, const CancelFlag& cancel) const override {
    if (auto unchanged = CheckAll(tables_); !unchanged) return unchanged.error();
    auto connection = database_.Connect();
    if (!connection) return connection.error();
    auto scanned = Stream([&] { return ScanKeys(*connection, sql, sink, cancel); });
    if (auto unchanged = CheckAll(tables_); !unchanged) return unchanged.error();
    return scanned;
  }

  Result<std::int64_t> Copy(const RecordCopy& copy, const CancelFlag& cancel) const override {
    if (output_.empty()) return InternalError("the engine was opened without a file to write to");
    if (auto unchanged = CheckAll(tables_); !unchanged) return unchanged.error();
    auto connection = database_.Connect();
    if (!connection) return connection.error();
    auto written = CopyRecords(*connection, copy, output_, cancel);
    if (auto unchanged = CheckAll(tables_); !unchanged) return unchanged.error();
    return written;
  }

 private:
  static Result<void> Stream(const std::function<Result<void>()>& scan) {
    try {
      return scan();
    } catch (const std::exception&) {
      return StorageError("memory ran out while rows were read");
    }
  }

  static Result<IntegerTable> Integers(const DuckDbConnection& connection, const std::string& sql,
                                       const CancelFlag& cancel) {
    try {
      return connection.Integers(sql, cancel);
    } catch (const std::exception&) {  // its text may quote data as well
      return StorageError("the engine ran out of memory while handing over the result");
    }
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

  std::unique_ptr<SpillFolder> spill_;  // outlives the database
  DuckDb database_;
  std::vector<OpenedTable> tables_;
  std::string state_;
  sql::UnitRows unit_rows_;
  std::string output_;
  mutable std::mutex idle_mutex_;
  mutable std::vector<DuckDbConnection> idle_;  // these end before the database
};

Result<std::unique_ptr<Session>> Open(const Policy& policy, const EngineOptions& options, const Call& call) {
  const Stage stage(call, "checking the data");  // whichever checks there are: that may follow from the data
  const KithFolder folder(std::filesystem::absolute(policy.file).parent_path());
  auto locked = OpenLocked(policy, folder, options, call);
  if (!locked) return locked.error();
  return CheckedSession(std::move(*locked), policy, folder, options, call);
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
  std::string state;
  for (const OpenedTable& table : locked.tables) state.append(table.state).append("\n");
  // What is read belongs to this state only if no file changed in the meantime.
  const auto run = [&](const std::string& sql) -> Result<IntegerTable> {
    auto read = locked.connection.Integers(sql, call.cancel);
    if (auto unchanged = CheckAll(locked.tables); !unchanged) return unchanged.error();
    return read;
  };
  const Asking asking{[](const std::string& sql) { return sql; }, run};
  auto known = LookAtUnits(asking, policy, state, folder);
  if (!known && known.error().code == Code::kCancelled) return known.error();
  if (!known) known = sql::UnitRows();  // then questions limit rows themselves
  if (auto kept = CheckPromises(asking, policy, *known, state, folder); !kept) return kept.error();
  if (auto unchanged = CheckAll(locked.tables); !unchanged) return unchanged.error();
  return std::make_unique<DuckDbFiles>(std::move(locked), std::move(state), std::move(*known), options.output);
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
