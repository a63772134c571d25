// SQLite behind Result: a connection, its statements and its transactions. Storage errors are put into words here,
// once.
#pragma once
#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace kith::ledger {

class Statement;

/// What a connection is for.
enum class Use {
  kWrite,
  kLook,    // reads only, while others write
  kFrozen,  // reads only, a file without a log that nobody changes: no lock and no other file is made
};

/// One connection to one file. Not thread-safe: the owner holds a lock.
class Connection {
 public:
  /// Opens an existing file; waits up to `patience` for locks of others, then and in every later call.
  /// Fails: kStorage.
  static Result<std::unique_ptr<Connection>> Open(const std::filesystem::path& file, std::chrono::milliseconds patience,
                                                  Use use = Use::kWrite);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  Result<Statement> Prepare(const char* sql) const;
  Result<void> Run(const char* sql) const;
  /// The first column of the first row, as text; empty when there is no row.
  Result<std::string> Ask(const char* sql) const;
  bool in_transaction() const;
  /// The same, of statements without rows that are run often: prepared once.
  enum class Often { kBeginRead, kBeginWrite, kCommit, kRollback };
  Result<void> Run(Often which) const;
  /// The present state into an empty file, durably. Fails: kStorage, about either file.
  Result<void> CopyTo(const std::filesystem::path& file) const;
  /// Forgets the connection without closing it: after a fork it belongs to the parent.
  void Abandon();

  /// What went wrong, in words, from a SQLite result code.
  Error Failure(int code) const;
  const std::filesystem::path& file() const { return file_; }

 private:
  Connection(std::filesystem::path file, std::chrono::milliseconds patience, Use use);
  Error Damaged() const;
  std::filesystem::path file_;
  std::chrono::milliseconds patience_;
  Use use_;
  sqlite3* handle_ = nullptr;
  mutable std::array<std::unique_ptr<Statement>, 4> often_;
};

/// A prepared statement. Must not outlive its connection.
class Statement {
 public:
  Statement() = default;
  Statement(const Connection* connection, sqlite3_stmt* handle) : connection_(connection), handle_(handle) {}
  Statement(Statement&& other) noexcept;
  Statement& operator=(Statement&& other) noexcept;
  ~Statement();

  Statement& Bind(int index, std::int64_t value);
  Statement& BindText(int index, std::string_view text);
  Statement& BindBlob(int index, std::string_view bytes);
  /// True: there is a row. At the end, and on failure, the statement is reset and can be used again.
  Result<bool> Step();
  /// Steps to the end.
  Result<void> Run();
  void Reset();

  std::int64_t Int(int column) const;
  /// TEXT or BLOB; valid until the next Step or Reset.
  std::string_view Bytes(int column) const;

 private:
  const Connection* connection_ = nullptr;
  sqlite3_stmt* handle_ = nullptr;
  int bind_failure_ = 0;
};

/// Resets a statement at the end of a scope, so that no read transaction stays open after an early return.
class ResetAtEnd {
 public:
  explicit ResetAtEnd(Statement& statement) : statement_(statement) {}
  ~ResetAtEnd() { statement_.Reset(); }
  ResetAtEnd(const ResetAtEnd&) = delete;
  ResetAtEnd& operator=(const ResetAtEnd&) = delete;

 private:
  Statement& statement_;
};

/// Rolls back at the end of its scope unless committed.
class Transaction {
 public:
  /// Takes the write lock at once, so that what is read inside stays true until the commit.
  static Result<Transaction> BeginWrite(const Connection& connection);
  static Result<Transaction> BeginRead(const Connection& connection);
  Result<void> Commit();
  Transaction(Transaction&& other) noexcept : connection_(other.connection_) { other.connection_ = nullptr; }
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();

 private:
  explicit Transaction(const Connection* connection) : connection_(connection) {}
  const Connection* connection_;
};

}  // namespace kith::ledger
