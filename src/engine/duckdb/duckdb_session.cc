// Opens DuckDB, runs SQL, turns failures into fixed messages.
#include "engine/duckdb/duckdb_session.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

#include "engine/duckdb/coin.h"
#include "engine/duckdb/duckdb_state.h"
#include "engine/duckdb/key_stream.h"
#include "engine/duckdb/lattice_steps.h"

namespace kith {

namespace {

constexpr auto kCancelPoll = std::chrono::milliseconds(10);

bool StartsWith(std::string_view text, std::string_view start) { return text.substr(0, start.size()) == start; }

bool Contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

}  // namespace

Error FromDuckDb(const char* raw) {
  // Only DuckDB's own words are looked for: the class at the start, and what the operating system said about a write.
  const std::string_view text = raw == nullptr ? "" : raw;
  if (StartsWith(text, "INTERRUPT")) return Cancelled("stopped before the engine had finished");
  if (StartsWith(text, "Out of Memory")) {
    return StorageError("the engine ran out of memory", {}, "give it more memory, or a policy folder it can write to");
  }
  // A failed commit or checkpoint has its own words before those of the write that failed.
  const bool commit = StartsWith(text, "TransactionContext Error") || StartsWith(text, "FATAL Error");
  if (commit || StartsWith(text, "IO Error")) {
    constexpr std::array<std::string_view, 3> kFull = {"No space left on device", "File too large",
                                                       "Disk quota exceeded"};
    for (const std::string_view full : kFull) {
      if (Contains(text, full)) return StorageError("the disk is full", {}, "free some space and ask again");
    }
    if (Contains(text, "Too many open files")) {
      return StorageError("too many files are open", {}, "close some, or raise the limit (ulimit -n)");
    }
  }
  if (StartsWith(text, "IO Error")) {
    if (Contains(text, "Could not set lock")) {
      return StorageError("another program has the database file open for writing", {}, "close it there and ask again");
    }
    if (Contains(text, "not a valid DuckDB database")) return StorageError("this is not a DuckDB database file");
    return StorageError("the engine could not read or write a file");
  }
  return InternalError("the engine refused or could not finish the SQL");
}

/// Looks at the flags of all interrupters that there are. A statement on little data takes less time than a separate
/// thread would take to start and end.
class Watch {
 public:
  /// That of this process: threads do not survive into a child.
  static Watch& Of() {
    static std::atomic<Watch*> current = nullptr;
    Watch* known = current.load();
    while (known == nullptr || known->process_ != ::getpid()) {
      auto made = std::unique_ptr<Watch>(new Watch());
      if (!current.compare_exchange_strong(known, made.get())) continue;
      known = made.release();  // never ends: its thread looks at it until the process ends
    }
    return *known;
  }

  void Add(Interrupter& interrupter) {
    const std::lock_guard lock(mutex_);
    if (!started_) std::thread([this] { Run(); }).detach();
    started_ = true;
    watched_.push_back(&interrupter);
    if (asleep_) woken_.notify_one();
  }

  /// Afterwards its connection is left alone.
  void Remove(Interrupter& interrupter) {
    const std::lock_guard lock(mutex_);
    std::erase(watched_, &interrupter);
  }

 private:
  Watch() = default;

  [[noreturn]] void Run() {
    std::unique_lock lock(mutex_);
    int idle = 0;
    while (true) {
      // One statement often follows another: it sleeps only when there have been none for a while.
      if (idle >= kIdlePolls) {
        asleep_ = true;
        woken_.wait(lock, [this] { return !watched_.empty(); });
        asleep_ = false;
        idle = 0;
      }
      woken_.wait_for(lock, kCancelPoll);
      idle = watched_.empty() ? idle + 1 : 0;
      for (const Interrupter* one : watched_) {
        if (one->cancel_.cancelled()) duckdb_interrupt(one->connection_);
      }
    }
  }

  static constexpr int kIdlePolls = 10;
  const pid_t process_ = ::getpid();
  std::mutex mutex_;
  std::condition_variable woken_;
  bool started_ = false;
  bool asleep_ = false;
  std::vector<Interrupter*> watched_;
};

Interrupter::Interrupter(duckdb_connection connection, const CancelFlag& cancel)
    : connection_(connection), cancel_(cancel), watch_(Watch::Of()) {
  watch_.Add(*this);
}

Interrupter::~Interrupter() { watch_.Remove(*this); }

DuckDb::DuckDb(std::unique_ptr<State> state) : state_(std::move(state)) {}
DuckDb::DuckDb(DuckDb&&) noexcept = default;
DuckDb& DuckDb::operator=(DuckDb&&) noexcept = default;
DuckDb::~DuckDb() = default;

Result<DuckDb> DuckDb::Open(const std::string& path, const Settings& settings) {
  if (auto loaded = duckdb_library.Load(); !loaded) return loaded.error();
  DuckDbOwned<duckdb_config, duckdb_destroy_config> config;
  if (duckdb_create_config(config.out()) != DuckDBSuccess) return InternalError("DuckDB has no configuration");
  for (const auto& [name, value] : settings) {
    if (duckdb_set_config(config.get(), name.c_str(), value.c_str()) != DuckDBSuccess) {
      return InternalError("DuckDB does not know the setting " + name);
    }
  }
  auto state = std::make_unique<State>();
  char* text = nullptr;
  const duckdb_state opened =
      duckdb_open_ext(path.empty() ? nullptr : path.c_str(), &state->database, config.get(), &text);
  const std::unique_ptr<char, void (*)(void*)> owned_text(text, duckdb_free);
  if (opened != DuckDBSuccess) return FromDuckDb(text);
  DuckDb database(std::move(state));
  const auto connection = database.Connect();
  if (!connection) return connection.error();
  if (RegisterSteps(connection->state().connection) != DuckDBSuccess ||
      RegisterClamp(connection->state().connection) != DuckDBSuccess ||
      RegisterCoin(connection->state().connection) != DuckDBSuccess) {
    return InternalError("DuckDB does not take kith's own functions");
  }
  return database;
}

Result<DuckDbConnection> DuckDb::Connect() const {
  auto state = std::make_unique<DuckDbConnection::State>();
  if (duckdb_connect(state_->database, &state->connection) != DuckDBSuccess) {
    return StorageError("the engine takes no more connections");
  }
  return DuckDbConnection(std::move(state));
}

DuckDbConnection::DuckDbConnection(std::unique_ptr<State> state) : state_(std::move(state)) {}
DuckDbConnection::DuckDbConnection(DuckDbConnection&&) noexcept = default;
DuckDbConnection& DuckDbConnection::operator=(DuckDbConnection&&) noexcept = default;
DuckDbConnection::~DuckDbConnection() = default;

Result<void> DuckDbConnection::Execute(const std::string& sql, const CancelFlag& cancel) const {
  if (cancel.cancelled()) return Cancelled("stopped before the engine had begun");
  const Interrupter interrupter(state_->connection, cancel);
  OwnedResult result;
  if (duckdb_query(state_->connection, sql.c_str(), result.out()) != DuckDBSuccess) {
    return FromDuckDb(duckdb_result_error(result.out()));
  }
  return {};
}

namespace {

/// Exactly one SELECT. Anything else is refused before it runs.
Result<void> PrepareSelect(duckdb_connection connection, const std::string& sql, const CancelFlag& cancel,
                           OwnedPrepared* prepared) {
  if (cancel.cancelled()) return Cancelled("stopped before the engine had begun");
  if (sql.find('\0') != std::string::npos) return InternalError("the SQL for the engine contains a zero byte");
  OwnedStatements statements;
  const idx_t count = duckdb_extract_statements(connection, sql.c_str(), statements.out());
  if (count > 1) return InternalError("the engine takes one statement at a time");
  if (count == 0) return FromDuckDb(duckdb_extract_statements_error(statements.get()));
  const Interrupter interrupter(connection, cancel);
  if (duckdb_prepare_extracted_statement(connection, statements.get(), 0, prepared->out()) != DuckDBSuccess) {
    return FromDuckDb(duckdb_prepare_error(prepared->get()));
  }
  if (duckdb_prepared_statement_type(prepared->get()) != DUCKDB_STATEMENT_TYPE_SELECT) {
    return InternalError("the engine takes SELECT only");
  }
  return {};
}

Result<void> RunSelect(duckdb_connection connection, const std::string& sql, const CancelFlag& cancel,
                       OwnedResult* result) {
  OwnedPrepared prepared;
  if (auto ready = PrepareSelect(connection, sql, cancel, &prepared); !ready) return ready.error();
  const Interrupter interrupter(connection, cancel);
  if (duckdb_execute_prepared(prepared.get(), result->out()) != DuckDBSuccess) {
    return FromDuckDb(duckdb_result_error(result->out()));
  }
  return {};
}

std::string TextAt(duckdb_vector vector, idx_t row) {
  auto* strings = static_cast<duckdb_string_t*>(duckdb_vector_get_data(vector));
  return {duckdb_string_t_data(&strings[row]), duckdb_string_t_length(strings[row])};
}

}  // namespace

Result<IntegerTable> DuckDbConnection::Integers(const std::string& sql, const CancelFlag& cancel) const {
  OwnedResult result;
  if (auto ran = RunSelect(state_->connection, sql, cancel, &result); !ran) return ran.error();
  return ToIntegers(result.out());
}

namespace {

Result<void> RunStreaming(duckdb_connection connection, const std::string& sql, const CancelFlag& cancel,
                          const std::function<Result<void>(duckdb_result*)>& take) {
  OwnedPrepared prepared;
  if (auto ready = PrepareSelect(connection, sql, cancel, &prepared); !ready) return ready.error();
  const Interrupter interrupter(connection, cancel);
  DuckDbOwned<duckdb_pending_result, duckdb_destroy_pending> pending;
  OwnedResult result;
  if (duckdb_pending_prepared_streaming(prepared.get(), pending.out()) != DuckDBSuccess) {
    return FromDuckDb(duckdb_pending_error(pending.get()));
  }
  if (duckdb_execute_pending(pending.get(), result.out()) != DuckDBSuccess) {
    return FromDuckDb(duckdb_result_error(result.out()));
  }
  return take(result.out());
}

}  // namespace

Result<void> DuckDbConnection::Scan(const std::string& sql, const IntegerSink& sink, const CancelFlag& cancel) const {
  return RunStreaming(state_->connection, sql, cancel,
                      [&](duckdb_result* result) { return StreamIntegers(result, sink, cancel); });
}

Result<void> ScanKeys(const DuckDbConnection& connection, const std::string& sql, const KeySink& sink,
                      const CancelFlag& cancel) {
  return RunStreaming(connection.state().connection, sql, cancel,
                      [&](duckdb_result* result) { return StreamKeys(result, sink, cancel); });
}

Result<std::vector<std::vector<std::string>>> DuckDbConnection::PublicTexts(const std::string& sql,
                                                                            const CancelFlag& cancel) const {
  OwnedResult result;
  if (auto ran = RunSelect(state_->connection, sql, cancel, &result); !ran) return ran.error();
  const idx_t columns = duckdb_column_count(result.out());
  for (idx_t column = 0; column < columns; ++column) {
    if (duckdb_column_type(result.out(), column) != DUCKDB_TYPE_VARCHAR) return InternalError("metadata is not text");
  }
  std::vector<std::vector<std::string>> rows;
  while (true) {
    const OwnedChunk chunk(duckdb_fetch_chunk(result.get()));
    if (chunk.get() == nullptr) break;
    const idx_t size = duckdb_data_chunk_get_size(chunk.get());
    for (idx_t row = 0; row < size; ++row) {
      auto& texts = rows.emplace_back(columns);
      for (idx_t column = 0; column < columns; ++column) {
        const duckdb_vector vector = duckdb_data_chunk_get_vector(chunk.get(), column);
        if (duckdb_validity_row_is_valid(duckdb_vector_get_validity(vector), row)) {
          texts[column] = TextAt(vector, row);
        }
      }
    }
  }
  return rows;
}

}  // namespace kith
