// A conversation with a Trino server behind a small wall: SQL in, integers or metadata out. No word from the server
// passes it, because its messages quote data; a failure is a place in the conversation and the server's name for the
// error.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/json.h"
#include "base/result.h"
#include "engine/key_scan.h"
#include "engine/session.h"
#include "engine/trino/client.h"

namespace kith::trino {

/// Told what failed once data may have been read: only for the curator.
using FailureLog = std::function<void(const std::string& name, const std::string& stage)>;

/// A value of a result: whole and within 127 bits and a sign. Nothing: neither such a number nor NULL.
struct Whole {
  std::optional<Int128> value;  // nothing: NULL
};
std::optional<Whole> WholeOf(const Json& value);

/// Can a value of this type only be a whole number? `narrow`: of at most 64 bits.
bool HoldsIntegers(const std::string& type, bool narrow);

class Connection {
 public:
  using Texts = std::vector<std::vector<std::string>>;

  Connection(Server server, std::string words, FailureLog log);

  /// From here on data are read: this decides what is said about a failure.
  void ReadsData() { reads_data_ = true; }

  /// A SELECT over metadata (or, for the curator's report, over data), every value as text, NULL as empty text.
  Result<Texts> Metadata(const std::string& sql, const CancelFlag& cancel);
  /// The same; nothing if there is no such table.
  Result<std::optional<Texts>> MetadataIfThere(const std::string& sql, const CancelFlag& cancel);
  /// The columns of a SELECT.
  Result<std::vector<Column>> Columns(const std::string& sql, const CancelFlag& cancel);
  /// One SELECT of whole numbers.
  /// Fails: kCancelled; kInternal with the server's name for it (it does not take the statement; not integers); and,
  /// whatever happened while it ran, one kStorage error with one text.
  /// Ensures [ENGINE-12]: once the statement has begun to run, the error does not depend on what the server said.
  Result<IntegerTable> Integers(const std::string& sql, const CancelFlag& cancel);
  /// The same page by page.
  Result<void> Scan(const std::string& sql, const IntegerSink& sink, const CancelFlag& cancel);
  /// Strings with a number at the end, as KeyScan says.
  Result<void> Scan(const std::string& sql, const KeySink& sink, const CancelFlag& cancel);

 private:
  Error Failed(const Failure& failure, const char* stage);

  Client client_;
  std::string words_;  // the policy's, for the server
  FailureLog log_;
  bool reads_data_ = false;
};

}  // namespace kith::trino
