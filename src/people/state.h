// What an open file of users keeps between calls.
#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ledger/sqlite.h"
#include "people/attempts.h"
#include "people/people.h"

namespace kith::people {

using ledger::Connection;
using ledger::ResetAtEnd;
using ledger::Statement;
using ledger::Transaction;

inline constexpr std::size_t kMostTokens = 16;  // of one user that can be used: SCRAM always tries this many
inline constexpr int kScramIterations = 4096;

/// The wrapper's errors are about ledgers; these are about the file of users.
Error OfUsers(const Error& error, const std::filesystem::path& file);

/// One for every reason: somebody who guesses learns nothing more.
Error NotRecognised();
Error TooManyFailures();

struct People::State {
  explicit State(const PeopleOptions& given)
      : options(given),
        by_place(given.most_per_name, given.span.count()),
        by_name(given.most_per_name, given.span.count(), Attempts::Then::kLonger),
        by_address(given.most_per_address, given.span.count()),
        by_token(given.most_per_address, given.span.count()),
        by_scram(given.most_tries, given.span.count()) {}
  ~State();

  std::mutex mutex;  // for the connection and its statements
  PeopleOptions options;
  std::filesystem::path file;
  std::unique_ptr<Connection> connection;
  std::map<const char*, Statement> prepared;  // by the address of their literal; ends before the connection
  std::string secret;                         // for what is invented about users who do not exist
  pid_t owner = 0;
  // Passwords: of a name from an address, of a name from anywhere, of anybody from an address.
  Attempts by_place, by_name, by_address;
  std::mutex counting;          // for looking at several of them and counting
  Attempts by_token, by_scram;  // tokens from an address; the same over the PostgreSQL protocol

  std::int64_t Now() const { return options.clock(); }
  /// For SCRAM, hexadecimal: the same whether there is such a user or not.
  std::string SaltOf(const std::string& name) const;
  /// A statement of a literal, prepared once.
  Result<Statement*> Get(const char* sql);
  Error Ours(const Error& error) const { return OfUsers(error, file); }

  /// Runs `work` in a write transaction; commits if it returns no error. Takes the lock.
  template <class Work>
  auto Write(const Work& work) -> decltype(work()) {
    const std::lock_guard lock(mutex);
    auto transaction = Transaction::BeginWrite(*connection);
    if (!transaction) return Ours(transaction.error());
    auto done = work();
    if (!done) return done;
    if (auto committed = transaction->Commit(); !committed) return Ours(committed.error());
    return done;
  }
  template <class Work>
  auto Read(const Work& work) -> decltype(work()) {
    const std::lock_guard lock(mutex);
    auto transaction = Transaction::BeginRead(*connection);
    if (!transaction) return Ours(transaction.error());
    return work();
  }
  /// Binds strings and numbers in order, and runs to the end. Requires: a transaction.
  template <class... Values>
  Result<void> Run(const char* sql, const Values&... values) {
    const auto statement = Get(sql);
    if (!statement) return statement.error();
    BindAll(**statement, 1, values...);
    if (auto done = (*statement)->Run(); !done) return Ours(done.error());
    return {};
  }
  /// The same for a question; `row` is called for each row.
  template <class Row, class... Values>
  Result<void> Ask(const char* sql, const Row& row, const Values&... values) {
    const auto statement = Get(sql);
    if (!statement) return statement.error();
    const ResetAtEnd reset(**statement);
    BindAll(**statement, 1, values...);
    while (true) {
      const auto there = (*statement)->Step();
      if (!there) return Ours(there.error());
      if (!*there) return {};
      row(**statement);
    }
  }

  /// Requires: a transaction. Fails: kInvalidArgument if there is no such user.
  Result<Role> RoleOfUser(const std::string& name);
  Result<std::vector<Grant>> GrantsOf(std::string_view name);
  Result<User> UserOf(const std::string& name);
  /// Ends sessions: of a user, or those that were opened with one token.
  Result<void> EndSessions(const std::string& user, const std::string& token);

  /// Counts a token that failed from an address (may be empty) and returns what is said.
  Error Failed(std::string_view address);
  /// Addresses are stored as what nobody can read them from without the server's secret.
  std::string PlaceOf(const std::string& name, const std::string& network) const;
  /// Notes that a password was right. Requires: a write transaction.
  Result<void> NotePlace(const std::string& name, const std::string& place);

  Result<Approval> ApprovalOf(std::int64_t id);

 private:
  static void BindAll(Statement&, int) {}
  template <class Value, class... Rest>
  static void BindAll(Statement& statement, int index, const Value& value, const Rest&... rest) {
    if constexpr (std::is_convertible_v<Value, std::string_view>)
      statement.BindText(index, value);
    else
      statement.Bind(index, static_cast<std::int64_t>(value));
    BindAll(statement, index + 1, rest...);
  }
};

}  // namespace kith::people
