#include "engine/postgresql/postgresql_engine.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <filesystem>
#include <fstream>
#include <mutex>

#include "engine/duckdb/folder.h"
#include "engine/postgresql/connection.h"
#include "engine/postgresql/failure.h"
#include "engine/postgresql/tables.h"
#include "engine/postgresql/unit_rows.h"
#include "engine/server_report.h"
#include "sql/quote.h"

namespace kith {

namespace {

/// Connections that are idle at the moment.
class Pool {
 public:
  std::unique_ptr<PgConnection> Take(const std::string& server) {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(idle_.begin(), idle_.end(), [&](const auto& one) { return one.first == server; });
    if (found == idle_.end()) return nullptr;
    auto taken = std::move(found->second);
    idle_.erase(found);
    return taken;
  }
  void Return(const std::string& server, std::unique_ptr<PgConnection> connection) {
    constexpr std::size_t kMost = 4;
    const std::lock_guard lock(mutex_);
    if (idle_.size() < kMost) idle_.emplace_back(server, std::move(connection));
  }

 private:
  std::mutex mutex_;
  std::vector<std::pair<std::string, std::unique_ptr<PgConnection>>> idle_;
};

std::string NameOf(const Server& server) { return fmt::format("{} user={}", server.Text(), server.user); }

KithFolder FolderOf(const Policy& policy) { return KithFolder(std::filesystem::absolute(policy.file).parent_path()); }

/// What failed and when, in a file that belongs to the curator. Never a word from the server, which may quote data.
PgFailureLog LogIn(const KithFolder& folder) {
  return [path = folder.path() / "engine.log", folder](const std::string& sqlstate, const std::string& stage) {
    if (!folder.Create()) return;
    const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    std::ofstream log(path, std::ios::app);
    log << fmt::format("{:%Y-%m-%dT%H:%M:%SZ} postgresql {} {}\n", fmt::gmtime(now), stage, sqlstate);
  };
}

/// Names the state that a transaction sees: its snapshot, in one database and one run of one server. Every change of a
/// table has a transaction number, and a snapshot says which of them count; a server that lost some of them in a crash
/// has written another checkpoint since. Databases of one server share these numbers. Nothing: this server does not say
/// all of it.
struct Incarnation {
  std::string text;
};

std::optional<Incarnation> LookAtServer(PgConnection& connection, const CancelFlag& cancel) {
  const auto rows = connection.Metadata(
      "SELECT s.system_identifier, c.timeline_id, c.checkpoint_lsn, extract(epoch FROM pg_postmaster_start_time()), "
      "d.oid FROM pg_control_system() s, pg_control_checkpoint() c, pg_database d WHERE d.datname = current_database() "
      "AND NOT pg_is_in_recovery()",
      cancel);
  if (!rows || rows->size() != 1) return std::nullopt;
  return Incarnation{fmt::format("{}", fmt::join(rows->front(), " "))};
}

/// Before the first SELECT, which takes the snapshot: otherwise a table that is emptied or rewritten in between would
/// look empty.
Result<void> LockTables(PgConnection& connection, const Policy& policy, const CancelFlag& cancel) {
  std::string names;
  for (const Table& table : policy.tables) {
    const auto name = QuotedTable(table);
    if (!name) return name.error();
    names += (names.empty() ? "" : ", ") + *name;
  }
  return connection.Execute(fmt::format("LOCK TABLE {} IN ACCESS SHARE MODE", names), cancel);
}

/// A transaction that sees one state of the tables.
Result<std::vector<PgTable>> BeginOn(PgConnection& connection, const Policy& policy, const CancelFlag& cancel) {
  if (auto tables = CheckKinds(connection, policy, cancel); !tables) return tables.error();
  if (auto begun = connection.Begin(cancel); !begun) return begun.error();
  if (auto locked = LockTables(connection, policy, cancel); !locked) return locked.error();
  return OpenTables(connection, policy, cancel);
}

/// One transaction: what it was opened on is what every statement sees.
class PgTransaction final : public Session, public KeyScan {
 public:
  PgTransaction(std::unique_ptr<PgConnection> connection, std::shared_ptr<Pool> pool, std::string server)
      : connection_(std::move(connection)), pool_(std::move(pool)), server_(std::move(server)) {}
  ~PgTransaction() override {
    if (connection_->Reset()) pool_->Return(server_, std::move(connection_));
  }
  PgTransaction(const PgTransaction&) = delete;
  PgTransaction& operator=(const PgTransaction&) = delete;

  /// Begins it and checks everything that it rests on.
  Result<void> Begin(const Policy& policy, const Call& call);
  bool broken() const { return connection_->broken(); }

  const sql::Dialect& dialect() const override { return sql::PostgreSql(); }
  std::optional<std::string> version() const override { return state_; }
  sql::UnitRows unit_rows() const override { return unit_rows_; }
  bool Current() const override { return false; }

  Result<IntegerTable> RunText(const std::string& sql, const CancelFlag& cancel) const override {
    const std::lock_guard lock(mutex_);
    try {
      return RunOnParts(sql, cancel);
    } catch (const std::exception&) {  // memory
      return AfterData();
    }
  }
  Result<void> ScanText(const std::string& sql, const IntegerSink& sink, const CancelFlag& cancel) const override {
    const std::lock_guard lock(mutex_);
    try {
      return connection_->Scan(Over(tables_, sql), sink, cancel);
    } catch (const std::exception&) {
      return AfterData();
    }
  }
  Result<void> ScanKeysText(const std::string& sql, const KeySink& sink, const CancelFlag& cancel) const override {
    const std::lock_guard lock(mutex_);
    try {
      return connection_->Scan(Over(tables_, sql), sink, cancel);
    } catch (const std::exception&) {
      return AfterData();
    }
  }

 private:
  /// Naming the parts in the statement costs a test for each row; checking afterwards whether others came costs
  /// nothing.
  Result<IntegerTable> RunOnParts(const std::string& sql, const CancelFlag& cancel) const {
    if (std::any_of(tables_.begin(), tables_.end(), IsPartitioned)) {
      auto answer = connection_->Integers(Over(tables_, sql, Parts::kAny), cancel);
      if (!answer) return answer;
      const auto same = HasTheSameParts(*connection_, tables_, cancel);
      if (!same) return same.error();
      if (*same) return answer;
    }
    return connection_->Integers(Over(tables_, sql), cancel);
  }

  mutable std::mutex mutex_;  // one statement at a time
  std::unique_ptr<PgConnection> connection_;
  std::shared_ptr<Pool> pool_;
  std::string server_;
  std::vector<PgTable> tables_;
  std::optional<std::string> state_;
  sql::UnitRows unit_rows_;
};

Result<void> PgTransaction::Begin(const Policy& policy, const Call& call) {
  const CancelFlag& cancel = call.cancel;
  const KithFolder folder = FolderOf(policy);
  connection_->LogTo(LogIn(folder));
  connection_->ReadsData(false);
  const auto server = LookAtServer(*connection_, cancel);
  if (connection_->broken()) return BeforeData({}, policy.server.Text());
  auto tables = BeginOn(*connection_, policy, cancel);
  if (!tables) return tables.error();
  tables_ = std::move(*tables);
  const auto snapshot = connection_->Metadata("SELECT pg_current_snapshot()", cancel);
  if (!snapshot) return snapshot.error();
  if (server) state_ = fmt::format("{} snapshot {}", server->text, snapshot->at(0).at(0));
  connection_->ReadsData(true);
  auto known = LookAtUnitRows(*connection_, policy, tables_, state_, folder, cancel);
  if (!known) return known.error();
  unit_rows_ = std::move(*known);
  return CheckPromises(AskingOf(*connection_, policy, tables_, cancel), policy, unit_rows_, state_, folder);
}

class OnPostgreSql final : public Engine {
 public:
  const sql::Dialect& dialect() const override { return sql::PostgreSql(); }
  Capabilities CapabilitiesFor(const Policy&) const override {
    return {.copies_records = false, .keeps_snapshot = true, .elsewhere = true};
  }
  Result<std::unique_ptr<Session>> Open(const Policy& policy, const EngineOptions& options,
                                        const Call& call) const override {
    const Stage stage(call, "checking the data");
    if (!options.output.empty()) return InternalError("this engine writes no files");
    try {
      return OpenTransaction(policy, call);
    } catch (const std::exception&) {
      return StorageError("the engine could not be opened: memory or the file system failed");
    }
  }

 private:
  Result<std::unique_ptr<Session>> OpenTransaction(const Policy& policy, const Call& call) const {
    const std::string server = NameOf(policy.server);
    // An idle connection may have been closed in the meantime; one that was just made was not.
    while (auto idle = pool_->Take(server)) {
      auto session = std::make_unique<PgTransaction>(std::move(idle), pool_, server);
      auto begun = session->Begin(policy, call);
      if (begun) return session;
      if (!session->broken()) return begun.error();
    }
    auto connection = PgConnection::Connect(policy.server, call.cancel);
    if (!connection) return connection.error();
    auto session = std::make_unique<PgTransaction>(std::move(*connection), pool_, server);
    if (auto begun = session->Begin(policy, call); !begun) return begun.error();
    return session;
  }

  std::shared_ptr<Pool> pool_ = std::make_shared<Pool>();
};

std::optional<StepWords> StepsOf(const Policy& policy) {
  if (!policy.stream) return std::nullopt;
  const Stream& stream = *policy.stream;
  const std::string column = QuotedName(stream.time);
  const std::string time = stream.type == ColumnType::kDate ? fmt::format("({} - DATE '1970-01-01')", column)
                           : stream.type == ColumnType::kTimestamp
                               ? fmt::format("(extract(epoch FROM {}) * 1000000)", column)
                               : column;
  return StepWords{fmt::format("div(CAST({} AS NUMERIC) - {}, {})", time, stream.start, stream.step),
                   fmt::format(" AND CAST({} AS NUMERIC) >= {}", time, stream.start)};
}

}  // namespace

Result<DataReport> ReportPostgreSql(const Policy& policy, const Call& call) {
  const Stage stage(call, "counting what was read");
  const auto connection = PgConnection::Connect(policy.server, call.cancel);
  if (!connection) return connection.error();
  (*connection)->LogTo(LogIn(FolderOf(policy)));
  const auto tables = BeginOn(**connection, policy, call.cancel);
  if (!tables) return tables.error();
  (*connection)->ReadsData(true);
  std::vector<ServerTable> shown;
  for (const PgTable& table : *tables) {
    auto& one = shown.emplace_back(ServerTable{table.from, {}});
    for (const PgReadColumn& column : table.columns)
      one.columns.push_back({column.column.name, QuotedName(column.column.name), column.reading.sql});
  }
  const auto texts = [&](const std::string& sql) { return (*connection)->Metadata(sql, call.cancel); };
  return ReportServer({sql::PostgreSql(), AskingOf(**connection, policy, *tables, call.cancel), texts, StepsOf(policy)},
                      policy, shown);
}

Result<FileSketch> SketchPostgreSql(const Policy& data, const Call& call) {
  const auto connection = PgConnection::Connect(data.server, call.cancel);
  if (!connection) return connection.error();
  (*connection)->ReadsData(false);
  if (auto kinds = CheckKinds(**connection, data, call.cancel); !kinds) return kinds.error();
  return SketchTable(**connection, data, data.tables.front(), call.cancel);
}

std::shared_ptr<const Engine> PostgreSqlEngine() { return std::make_shared<OnPostgreSql>(); }

}  // namespace kith
