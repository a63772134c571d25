// What the DuckDB wall is made of. Includes duckdb.h: only for .cc files of this folder.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/result.h"
#include "engine/duckdb/duckdb_session.h"
#include "engine/duckdb/library.h"

namespace kith {

struct DuckDb::State {
  duckdb_database database = nullptr;
  ~State() { duckdb_close(&database); }
};

/// Frees a DuckDB handle at the end of its scope.
template <class Handle, auto kDestroy>
class DuckDbOwned {
 public:
  DuckDbOwned() = default;
  explicit DuckDbOwned(Handle handle) : handle_(handle) {}
  ~DuckDbOwned() { kDestroy(&handle_); }
  DuckDbOwned(const DuckDbOwned&) = delete;
  DuckDbOwned& operator=(const DuckDbOwned&) = delete;
  Handle get() const { return handle_; }
  Handle* out() { return &handle_; }

 private:
  Handle handle_{};
};
using OwnedResult = DuckDbOwned<duckdb_result, duckdb_destroy_result>;
using OwnedChunk = DuckDbOwned<duckdb_data_chunk, duckdb_destroy_data_chunk>;
using OwnedPrepared = DuckDbOwned<duckdb_prepared_statement, duckdb_destroy_prepare>;
using OwnedStatements = DuckDbOwned<duckdb_extracted_statements, duckdb_destroy_extracted>;
using OwnedType = DuckDbOwned<duckdb_logical_type, duckdb_destroy_logical_type>;

struct DuckDbConnection::State {
  duckdb_connection connection = nullptr;
  ~State() { duckdb_disconnect(&connection); }
};

class Watch;

/// While it lives, a set flag interrupts the connection's query within some 10 ms. It keeps interrupting until it ends,
/// so that a flag set before the query has begun is not lost. One thread of the process watches for all of them.
class Interrupter {
 public:
  Interrupter(duckdb_connection connection, const CancelFlag& cancel);
  ~Interrupter();
  Interrupter(const Interrupter&) = delete;
  Interrupter& operator=(const Interrupter&) = delete;

 private:
  friend class Watch;
  duckdb_connection connection_;
  const CancelFlag& cancel_;
  Watch& watch_;
};

/// An error with a fixed text for what DuckDB reported. `text` is looked at for the kind of failure, never passed on.
Error FromDuckDb(const char* text);

/// Converts whatever a finished query returned.
Result<IntegerTable> ToIntegers(duckdb_result* result);

/// Hands on what a streaming query returns, chunk by chunk.
Result<void> StreamIntegers(duckdb_result* result, const IntegerSink& sink, const CancelFlag& cancel);

}  // namespace kith
