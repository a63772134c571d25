#include "engine/trino/trino_engine.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <exception>
#include <filesystem>
#include <fstream>
#include <mutex>

#include "base/curl.h"
#include "base/digest.h"
#include "engine/duckdb/folder.h"
#include "engine/look_at_units.h"
#include "engine/moved_units.h"
#include "engine/server_report.h"
#include "engine/trino/connection.h"
#include "engine/trino/failure.h"
#include "engine/trino/login.h"
#include "engine/trino/tables.h"
#include "sql/quote.h"

namespace kith {

namespace {

using trino::Connection;
using trino::ReadTable;

KithFolder FolderOf(const Policy& policy) { return KithFolder(std::filesystem::absolute(policy.file).parent_path()); }

/// What failed and when, in a file that belongs to the curator: the server's name for it, never its message, which may
/// quote data.
trino::FailureLog LogIn(const KithFolder& folder) {
  return [path = folder.path() / "engine.log", folder](const std::string& name, const std::string& stage) {
    if (!folder.Create()) return;
    const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    std::ofstream log(path, std::ios::app);
    log << fmt::format("{:%Y-%m-%dT%H:%M:%SZ} trino {} {}\n", fmt::gmtime(now), stage, name);
  };
}

Result<std::unique_ptr<Connection>> Connect(const Policy& policy) {
  if (auto loaded = curl::libcurl.Load(); !loaded) return loaded.error();
  auto login = trino::LoginOf(policy.server);
  if (!login) return login.error();
  return std::make_unique<Connection>(std::move(*login), policy.server.Text(), LogIn(FolderOf(policy)));
}

Asking AskingOf(Connection& connection, const std::vector<ReadTable>& tables, const CancelFlag& cancel) {
  return {[&tables](const std::string& sql) { return trino::Over(tables, sql); },
          [&connection, &cancel](const std::string& sent) { return connection.Integers(sent, cancel); }};
}

/// What one answer reads: the same snapshots in every statement. A table without snapshots is read as it is at each
/// statement, so nothing that was found about it is kept, and nothing is left out of a statement because of it.
class TrinoSession final : public Session, public KeyScan {
 public:
  explicit TrinoSession(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}

  Result<void> Begin(const Policy& policy, const CancelFlag& cancel) {
    auto tables = trino::OpenTables(*connection_, policy, FolderOf(policy), cancel);
    if (!tables) return tables.error();
    tables_ = std::move(*tables);
    state_ = trino::StateOf(policy, tables_);
    const KithFolder folder = FolderOf(policy);
    connection_->ReadsData();
    const Asking asking = AskingOf(*connection_, tables_, cancel);
    if (state_) {
      auto known = LookAtUnits(asking, policy, state_, folder);
      if (!known) return known.error();
      known = LookAtColumns(asking, sql::Trino(), policy, *state_, folder, std::move(*known));
      if (!known) return known.error();
      unit_rows_ = std::move(*known);
    }
    return CheckPromises(asking, policy, unit_rows_, state_, folder);
  }

  const sql::Dialect& dialect() const override { return sql::Trino(); }
  std::optional<std::string> version() const override { return state_; }
  sql::UnitRows unit_rows() const override { return unit_rows_; }
  bool Current() const override { return false; }

  Result<IntegerTable> RunText(const std::string& sql, const CancelFlag& cancel) const override {
    const std::lock_guard lock(mutex_);
    try {
      return connection_->Integers(trino::Over(tables_, sql), cancel);
    } catch (const std::exception&) {
      return trino::AfterData();
    }
  }
  Result<void> ScanText(const std::string& sql, const IntegerSink& sink, const CancelFlag& cancel) const override {
    const std::lock_guard lock(mutex_);
    try {
      return connection_->Scan(trino::Over(tables_, sql), sink, cancel);
    } catch (const std::exception&) {
      return trino::AfterData();
    }
  }
  Result<void> ScanKeysText(const std::string& sql, const KeySink& sink, const CancelFlag& cancel) const override {
    const std::lock_guard lock(mutex_);
    try {
      return connection_->Scan(trino::Over(tables_, sql), sink, cancel);
    } catch (const std::exception&) {
      return trino::AfterData();
    }
  }

 private:
  mutable std::mutex mutex_;  // one statement at a time
  std::unique_ptr<Connection> connection_;
  std::vector<ReadTable> tables_;
  std::optional<std::string> state_;
  sql::UnitRows unit_rows_;
};

class OnTrino final : public Engine {
 public:
  const sql::Dialect& dialect() const override { return sql::Trino(); }
  /// Whether a table has snapshots is known once it is opened: so nothing is promised here.
  Capabilities CapabilitiesFor(const Policy&) const override {
    return {.copies_records = false, .keeps_snapshot = false, .elsewhere = true};
  }
  Result<std::unique_ptr<Session>> Open(const Policy& policy, const EngineOptions& options,
                                        const Call& call) const override {
    const Stage stage(call, "checking the data");
    if (!options.output.empty()) return InternalError("this engine writes no files");
    try {
      auto connection = Connect(policy);
      if (!connection) return connection.error();
      auto session = std::make_unique<TrinoSession>(std::move(*connection));
      if (auto begun = session->Begin(policy, call.cancel); !begun) return begun.error();
      return session;
    } catch (const std::exception&) {
      return StorageError("the engine could not be opened: memory or the file system failed");
    }
  }
};

std::optional<StepWords> StepsOf(const Policy& policy) {
  if (!policy.stream) return std::nullopt;
  const Stream& stream = *policy.stream;
  const std::string column = QuotedName(stream.time);
  const std::string time =
      stream.type == ColumnType::kDate ? fmt::format("date_diff('day', DATE '1970-01-01', {})", column)
      : stream.type == ColumnType::kTimestamp
          ? fmt::format("date_diff('microsecond', TIMESTAMP '1970-01-01 00:00:00.000000', {})", column)
          : column;
  const std::string since = fmt::format("CAST({} AS DECIMAL(38, 0)) - {}", time, stream.start);
  return StepWords{fmt::format("({0} - ({0}) % {1}) / {1}", since, stream.step),
                   fmt::format(" AND CAST({} AS DECIMAL(38, 0)) >= {}", time, stream.start)};
}

Result<DataReport> Report(const Policy& policy, const Call& call) {
  const auto connection = Connect(policy);
  if (!connection) return connection.error();
  const auto tables = trino::OpenTables(**connection, policy, FolderOf(policy), call.cancel);
  if (!tables) return tables.error();
  std::vector<ServerTable> shown;
  for (const ReadTable& table : *tables) {
    auto& one = shown.emplace_back(ServerTable{table.from, {}});
    for (const ReadTable::Part& column : table.columns) one.columns.push_back({column.name, column.stored, column.sql});
    if (table.pinned) continue;
    call.Tell(
        fmt::format("{}: its catalog has no snapshots. Do not write to the table while questions are asked: the "
                    "statements of one answer, and the check of the policy's promises, read it as it is then",
                    table.name));
  }
  (*connection)->ReadsData();
  const auto texts = [&](const std::string& sql) { return (*connection)->Metadata(sql, call.cancel); };
  return ReportServer({sql::Trino(), AskingOf(**connection, *tables, call.cancel), texts, StepsOf(policy)}, policy,
                      shown);
}

/// Which snapshot an import saw.
std::string SnapshotNote(const Policy& policy, const std::string& import) {
  return Sha256(fmt::format("the unit's table at an import, {}\n{}\n{}", policy.server.Text(),
                            policy.unit_table().source, import));
}

Result<void> Compare(Connection& connection, const Policy& policy, const ReadTable& now, const std::string& before,
                     const Call& call) {
  const auto not_compared = [&](const std::string& why) {
    call.Tell(why + ": whether units kept their groups and public columns was not checked");
  };
  const KithFolder folder = FolderOf(policy);
  const auto from = folder.Recall(SnapshotNote(policy, before));
  if (!from) {
    not_compared("the data before these were not imported from here");
    return {};
  }
  if (*from == now.from) return {};
  const auto old = trino::OpenAsOf(connection, policy, policy.unit_table(), *from, folder, call.cancel);
  if (!old) {
    if (old.error().code == Code::kCancelled) return old.error();
    not_compared("the snapshot of the previous import no longer exists");
    return {};
  }
  std::vector<ReadTable> both = {now, *old};
  both[0].name = "kith_now";
  both[1].name = "kith_before";
  const auto type = [](const ReadTable& table, const std::string& name) -> std::optional<std::string> {
    for (const ReadTable::Part& part : table.columns) {
      if (part.name == name) return part.type;
    }
    return std::nullopt;
  };
  const TwoStates states{both[0].name, both[1].name,
                         [&](const std::string& column) { return type(both[0], column) && type(both[1], column); },
                         [&](const std::string& column) {
                           return type(both[0], column) == type(both[1], column)
                                      ? QuotedName(column)
                                      : fmt::format("CAST({} AS VARCHAR)", QuotedName(column));
                         }};
  connection.ReadsData();
  const auto count = [&](const std::string& sql) -> Result<Int128> {
    const auto counted = connection.Integers(trino::Over(both, sql), call.cancel);
    if (!counted) return counted.error();
    return counted->rows.at(0).at(0).value_or(Int128{0});
  };
  return CheckMovedUnits(policy, states, count, not_compared);
}

}  // namespace

Result<void> CheckMovesOnTrino(const Policy& policy, const std::string& import, const std::string& before,
                               const Call& call) {
  const Stage stage(call, "comparing with the previous import");
  const auto connection = Connect(policy);
  if (!connection) return connection.error();
  const auto tables = trino::OpenTables(**connection, policy, FolderOf(policy), call.cancel);
  if (!tables) return tables.error();
  for (const ReadTable& table : *tables) {
    if (table.name != policy.unit.table) continue;
    if (!table.pinned) {
      if (!before.empty())
        call.Tell("a table without snapshots: whether units kept their groups and public columns was not checked");
      return {};
    }
    if (!before.empty()) {
      if (auto stayed = Compare(**connection, policy, table, before, call); !stayed) return stayed.error();
    }
    FolderOf(policy).Remember(SnapshotNote(policy, import), table.from);
  }
  return {};
}

Result<DataReport> ReportTrino(const Policy& policy, const Call& call) {
  const Stage stage(call, "counting what was read");
  try {
    return Report(policy, call);
  } catch (const std::exception&) {
    return StorageError("the tables could not be looked at: memory failed");
  }
}

Result<FileSketch> SketchTrino(const Policy& data, const Call& call) {
  const auto connection = Connect(data);
  if (!connection) return connection.error();
  return trino::SketchTable(**connection, data, data.tables.front(), call.cancel);
}

std::shared_ptr<const Engine> TrinoEngine() { return std::make_shared<OnTrino>(); }

}  // namespace kith
