// One client after it was recognised: messages in, messages out. Knows nothing about sockets. One message at a time.
#pragma once
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/call.h"
#include "people/people.h"
#include "pgwire/catalog.h"
#include "pgwire/settings.h"
#include "pgwire/sql_text.h"
#include "pgwire/types.h"
#include "pgwire/wire.h"
#include "server/api.h"

namespace kith::pgwire {

/// Error::parameter of what has its own SQLSTATE.
inline constexpr char kProtocol[] = "protocol", kProtocolName[] = "protocol.name", kFailedBlock[] = "transaction",
                      kRole[] = "role";

/// Of one session; what would go beyond is refused before it is done.
struct SessionLimits {
  std::size_t statements = 1000, portals = 100;
  std::size_t held_bytes = std::size_t{16} << 20;   // of all that is prepared, bound, or waits to be fetched
  std::size_t reply_bytes = std::size_t{64} << 20;  // of the answers to one message, when the next statement begins
};

/// Whose session it is.
struct SessionOf {
  const server::Dataset* dataset = nullptr;
  std::shared_ptr<const people::People> people;  // null: there are no users
  people::Identity person;
  std::shared_ptr<const Catalog> catalog;
  Notice tell;  // a line for those who run the server; may be empty
  SessionLimits limits = {};
};

struct Reply {
  std::string bytes;
  std::chrono::milliseconds tick{0};  // it leaves at a whole number of these after the message came; 0: at once
  bool ends = false;                  // the connection is over
  // For the log: what kind of work it was, and how it ended. Empty: not worth a line.
  std::string what, sqlstate = "00000";
};

class Session {
 public:
  explicit Session(SessionOf of) : of_(std::move(of)) {}

  /// Settings of the startup packet: "options" may hold -c name=value. Returns what the client is told about them.
  /// Fails: kInvalidArgument.
  Result<std::string> Begin(const std::vector<std::pair<std::string, std::string>>& parameters);

  /// Whether it may take long: questions have their own threads.
  static bool MayAsk(char type) { return type == 'Q' || type == 'E' || type == 'D'; }
  /// `body`: without type and length. `cancel`: the client has left, or asked to stop.
  Reply Handle(char type, std::string_view body, const CancelFlag& cancel);

  const std::string& user() const { return of_.person.user; }
  std::chrono::milliseconds tick() const { return of_.dataset->tick(); }
  char status() const { return failed_ ? 'E' : block_ ? 'T' : 'I'; }

 private:
  struct Done {
    std::optional<Rows> rows;
    std::string tag;  // "SET"; of rows: made of their number
  };
  struct Prepared {
    Statement statement;  // without tokens: an empty one
    std::vector<Oid> types;
    std::size_t bytes = 0;
  };
  struct Portal {
    Statement statement;  // with its values
    Formats formats;
    std::optional<Done> done;
    std::size_t sent = 0;  // rows
    std::size_t bytes = 0;
  };

  // session.cc: messages.
  void Query(std::string_view body, const CancelFlag& cancel);
  Result<void> Extended(char type, std::string_view body, const CancelFlag& cancel);
  Result<void> Parse(Reader& in);
  Result<void> Bind(Reader& in);
  Result<void> Describe(Reader& in, const CancelFlag& cancel);
  Result<void> Execute(Reader& in, const CancelFlag& cancel);
  Result<void> Close(Reader& in);
  /// Of statements and portals, without the prepared statement of this name.
  std::size_t Held(const std::string* without = nullptr) const;
  void Send(const Done& done, const Formats& formats);
  void Fail(const Error& error, const Statement* statement);
  void Tell(const char* severity, const char* sqlstate, const std::string& message, const std::string& detail = {},
            const std::string& hint = {});

  // commands.cc: statements.
  Result<Done> Run(const Statement& statement, const CancelFlag& cancel);
  Result<Done> Utility(const Statement& statement);
  Result<Done> Transaction(const Statement& statement);
  Result<Done> SetCommand(const Statement& statement);
  Result<Done> ShowCommand(const Statement& statement);
  Result<Done> Discard(const Statement& statement);
  /// The columns that it will have; nothing: none.
  Result<std::optional<std::vector<Field>>> Columns(const Statement& statement, const CancelFlag& cancel);

  // ask.cc: questions.
  /// Fails: kInvalidArgument if the token has expired, or the dataset is no longer granted.
  Result<people::Identity> WhoNow();
  /// The same, for a client that may ask.
  Result<people::Identity> WhoAsks();
  Result<Done> Ask(const Statement& statement, const CancelFlag& cancel);
  Result<Done> Explain(const Statement& statement, const CancelFlag& cancel);
  void TellCertificate(const Answer& answer);

  const SessionOf of_;
  Settings settings_;
  std::map<std::string, Prepared> prepared_;
  std::map<std::string, Portal> portals_;
  Reply reply_;
  bool block_ = false, failed_ = false;
  bool skipping_ = false;           // after an error, until Sync
  std::size_t asked_in_block_ = 0;  // questions that were charged
};

/// A statement that EXPLAIN is about.
struct Explained {
  Statement statement;
  bool json = false;
};
Result<Explained> ExplainedBy(const Statement& statement);

/// What an error is called in PostgreSQL.
Remark RemarkOf(const Error& error, const Statement* statement);

}  // namespace kith::pgwire
