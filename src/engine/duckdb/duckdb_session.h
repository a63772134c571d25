// DuckDB behind a small wall: SQL in, integers or public text out. No exception and no error text from DuckDB passes
// it, because DuckDB quotes data in its messages.
#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/cancel.h"
#include "base/result.h"
#include "engine/engine.h"
#include "sql/quote.h"

namespace kith {

class DuckDbConnection;

/// One DuckDB instance. Thread-safe; movable.
class DuckDb {
 public:
  using Settings = std::vector<std::pair<std::string, std::string>>;

  /// An empty path is a database in memory. Settings are names and values of DuckDB's configuration.
  /// Fails: kStorage if the file cannot be opened, kInternal if a setting is unknown.
  static Result<DuckDb> Open(const std::string& path, const Settings& settings);

  DuckDb(DuckDb&&) noexcept;
  DuckDb& operator=(DuckDb&&) noexcept;
  ~DuckDb();

  /// Fails: kStorage.
  Result<DuckDbConnection> Connect() const;

  struct State;

 private:
  explicit DuckDb(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// One connection, for one thread at a time. Must end before its DuckDb does.
class DuckDbConnection {
 public:
  DuckDbConnection(DuckDbConnection&&) noexcept;
  DuckDbConnection& operator=(DuckDbConnection&&) noexcept;
  ~DuckDbConnection();

  /// Any statements; results are thrown away. Only for SQL made by the engine itself.
  Result<void> Execute(const std::string& sql, const CancelFlag& cancel) const;

  /// Exactly one SELECT whose columns are all integers (of any width, DECIMAL without fraction, or BOOLEAN).
  /// Fails: kCancelled, kStorage (memory, disk, file), kInternal (not a SELECT, not integers, refused by DuckDB).
  /// Ensures [ENGINE-1]: no text that DuckDB made reaches the error.
  Result<IntegerTable> Integers(const std::string& sql, const CancelFlag& cancel) const;

  /// The same in chunks, as Session::Scan says.
  Result<void> Scan(const std::string& sql, const IntegerSink& sink, const CancelFlag& cancel) const;

  /// A SELECT of VARCHAR columns over metadata, which is public: never over data. NULL is read as empty text.
  Result<std::vector<std::vector<std::string>>> PublicTexts(const std::string& sql, const CancelFlag& cancel) const;

  /// The same over data, for what only the curator sees (engine/data_report.h).
  Result<std::vector<std::vector<std::string>>> CuratorTexts(const std::string& sql, const CancelFlag& cancel) const {
    return PublicTexts(sql, cancel);
  }

  struct State;
  State& state() const { return *state_; }

 private:
  friend class DuckDb;
  explicit DuckDbConnection(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace kith
