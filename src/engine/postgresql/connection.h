// One connection to a PostgreSQL server behind a small wall: SQL in, integers or metadata out. No word from the server
// passes it, because its messages quote data; a failure is a place in the conversation and five characters (SQLSTATE).
#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/result.h"
#include "engine/postgresql/copy_stream.h"
#include "engine/postgresql/library.h"
#include "engine/session.h"
#include "policy/policy.h"

namespace kith {

/// Told what failed once data may have been read: only for the curator.
using PgFailureLog = std::function<void(const std::string& sqlstate, const std::string& stage)>;

class PgConnection {
 public:
  using Texts = std::vector<std::vector<std::string>>;

  /// Connects, and pins every setting that the meaning of a statement follows from.
  /// Fails: kStorage with SQLSTATE if the server said one, kInvalidArgument (its version or encoding), kCancelled.
  static Result<std::unique_ptr<PgConnection>> Connect(const Server& server, const CancelFlag& cancel);

  PgConnection(const PgConnection&) = delete;
  PgConnection& operator=(const PgConnection&) = delete;
  ~PgConnection();

  /// Told of failures from now on. It must outlive the connection, or be replaced.
  void LogTo(PgFailureLog log) { log_ = std::move(log); }

  /// From here on data are read, or not: this decides what is said about a failure.
  void ReadsData(bool reads) { reads_data_ = reads; }

  /// Begins a transaction that only reads, and sees one state. It pins every setting again: something between kith and
  /// the server (a connection pool) may have led it to a connection other than the one that was set up.
  Result<void> Begin(const CancelFlag& cancel);
  /// A statement without a result.
  Result<void> Execute(const std::string& sql, const CancelFlag& cancel);
  /// A SELECT over metadata, every value as text, NULL as empty text. Never over data.
  Result<Texts> Metadata(const std::string& sql, const CancelFlag& cancel);
  /// One SELECT of whole numbers.
  /// Fails: kCancelled; kInternal with SQLSTATE (the server does not take the statement; not integers); and, whatever
  /// happened while it ran, one kStorage error with one text.
  /// Ensures [ENGINE-10]: once the statement has begun to run, the error does not depend on what the server said.
  Result<IntegerTable> Integers(const std::string& sql, const CancelFlag& cancel);
  /// The same in chunks, streamed in binary (COPY).
  Result<void> Scan(const std::string& sql, const IntegerSink& sink, const CancelFlag& cancel);
  /// Strings with a number at the end, as KeyScan says.
  Result<void> Scan(const std::string& sql, const KeySink& sink, const CancelFlag& cancel);

  /// Ends the transaction, if there is one. False: the connection is no longer usable.
  bool Reset();
  bool broken() const { return broken_ || PQstatus(connection_) != CONNECTION_OK; }

 private:
  explicit PgConnection(PGconn* connection) : connection_(connection) {}

  struct Cleared {
    void operator()(PGresult* result) const { PQclear(result); }
  };
  using Answer = std::unique_ptr<PGresult, Cleared>;

  Result<void> Pin(const CancelFlag& cancel);
  /// Waits until the server has something to say. False: the connection is lost, or was given up.
  bool Wait(const CancelFlag& cancel);
  void AskToStop();
  /// The next result of what was sent, or null.
  Answer Next(const CancelFlag& cancel);
  /// All results of what was sent; the last one that counts.
  Answer Finish(const CancelFlag& cancel);
  /// What is said about a failure.
  Error Failure(const PGresult* result, const CancelFlag& cancel, const char* stage);
  Result<std::vector<unsigned>> Prepare(const std::string& sql, const CancelFlag& cancel);
  Result<void> LimitTime(const CancelFlag& cancel);
  Result<void> CopyOut(const std::string& sql, CopyStream stream, const CancelFlag& cancel);
  Result<void> Receive(CopyStream& stream, const CancelFlag& cancel);

  PGconn* connection_;
  PgFailureLog log_;
  bool reads_data_ = false;
  bool broken_ = false;
  bool limited_ = false;  // a statement_timeout is set
  bool asked_ = false;    // the server was asked to stop
  std::chrono::steady_clock::time_point asked_at_ = {};
};

}  // namespace kith
