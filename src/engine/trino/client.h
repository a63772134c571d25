// Trino's protocol: a statement is posted, pages of its result are fetched until there are no more. HTTP or HTTPS.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/json.h"
#include "base/result.h"

namespace kith::trino {

struct Server {
  std::string url;              // http://host:port or https://host:port
  std::string user;             // in whose name questions are asked
  std::string catalog, schema;  // where names without them are looked up; may be empty
  std::string password, token;  // at most one; only over HTTPS
  std::string certificates;     // a file of certificates to trust instead of the system's
};

/// What went wrong with a statement. Messages from the server may quote data: none leaves the client.
struct Failure {
  enum class Kind {
    kRefused,    // the server could not be reached, or did not let us in: nothing was computed
    kStatement,  // the server took the statement and refused it: `name` is its word for why
    kLost,       // the connection or the server went away while the statement ran
    kCancelled,
  } kind = Kind::kLost;
  std::string name;  // "TABLE_NOT_FOUND"; of a refusal, a reason in words. Never a value.
};

struct Column {
  std::string name, type;  // "bigint", "decimal(38,0)"
};

/// Takes a page of rows, each an array of values; the first page, as soon as the columns are known, may have none.
/// False: no more are wanted.
using PageSink = std::function<bool(const std::vector<Column>&, const Json& rows)>;

/// One connection at a time, kept open between statements. Not thread-safe.
class Client {
 public:
  explicit Client(Server server);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  /// Runs a statement to its end. If it is cancelled, or the sink wants no more, the server is told to stop. Only what
  /// the protocol allows is asked twice: a page that was not received, or a statement that was not taken.
  /// Nothing: it was run.
  std::optional<Failure> Run(const std::string& sql, const PageSink& sink, const CancelFlag& cancel);

 private:
  struct State;
  /// Tells the server to stop, and waits a moment at most.
  void GiveUp(const std::string& url);
  std::unique_ptr<State> state_;
};

}  // namespace kith::trino
