// The test's own PostgreSQL server, tables in it, and kith's engine on them.
#pragma once
#include <gtest/gtest.h>
#include <libpq-fe.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "engine/engine.h"
#include "policy/policy.h"

namespace kith::testing {

inline std::string ServerWords() {
  const char* words = std::getenv("KITH_TEST_POSTGRESQL");
  return words == nullptr ? "" : words;  // tests/support/with_postgresql says
}
/// The same under [data] of a policy.
inline std::string ServerPlace() {
  const char* place = std::getenv("KITH_TEST_PLACE");
  return place == nullptr ? "" : place;
}

/// Somebody else who is connected to the server.
class Other {
 public:
  explicit Other(const std::string& more = {}) : connection_(PQconnectdb((ServerWords() + " " + more).c_str())) {
    Do("SET client_min_messages = error; SET TimeZone = 'UTC'");
  }
  ~Other() { PQfinish(connection_); }
  Other(const Other&) = delete;
  Other& operator=(const Other&) = delete;

  /// The first value, or what went wrong.
  std::string Try(const std::string& sql) {
    PGresult* result = PQexec(connection_, sql.c_str());
    const auto status = PQresultStatus(result);
    std::string text = status == PGRES_TUPLES_OK && PQntuples(result) > 0        ? PQgetvalue(result, 0, 0)
                       : status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK ? ""
                                                                                 : PQresultErrorMessage(result);
    failed_ = status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK;
    PQclear(result);
    return text;
  }
  std::string Do(const std::string& sql) {
    std::string text = Try(sql);
    EXPECT_FALSE(failed_) << text << sql;
    return text;
  }
  bool failed() const { return failed_; }

 private:
  PGconn* connection_;
  bool failed_ = false;
};

class PostgreSqlTest : public ::testing::Test {
 protected:
  PostgreSqlTest() {
    folder_ =
        std::filesystem::temp_directory_path() /
        ("kith-pg-" + std::to_string(::getpid()) + ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
    other_.Do("DROP SCHEMA IF EXISTS s CASCADE; CREATE SCHEMA s");
  }
  ~PostgreSqlTest() override { std::filesystem::remove_all(folder_); }

  static std::string Host() {
    const std::string words = ServerWords();
    const auto at = words.find("host=") + 5;
    return words.substr(at, words.find(' ', at) - at);
  }

  /// A policy of table s.t, known as t. `unit`: lines of [unit]; `columns`: of [columns.t].
  static std::string PolicyText(const std::string& columns, const std::string& unit = "row = true",
                                const std::string& dependence = {}, const std::string& user = "kith") {
    return "[data]\nfrozen = true\n" + ServerPlace() + "user = \"" + user +
           "\"\ntables.t = \"s.t\"\n[unit]\ntable = \"t\"\n" + unit +
           (unit.find("presence") == std::string::npos ? "\npresence = \"secret\"\n" : "\n") + "[columns.t]\n" +
           columns + "\n[dependence]\nsource = \"public\"\n" +
           (dependence.empty() ? "kind = \"independent\"" : dependence) +
           "\n[budget]\nepsilon = 10\nledger = \"t.ledger\"\n";
  }
  Policy PolicyOf(const std::string& columns, const std::string& unit = "row = true",
                  const std::string& dependence = {}, const std::string& user = "kith") const {
    const std::string text = PolicyText(columns, unit, dependence, user);
    auto policy = Policy::Parse(text, folder_ / "t.toml");
    EXPECT_TRUE(policy) << policy.error().Text() << text;
    return policy ? *policy : Policy{};
  }

  Result<std::unique_ptr<Session>> Open(const Policy& policy) { return OpenSession(policy, options_, {}); }

  /// All integers of a statement: "1,2;3,NULL", or the error.
  static std::string Ask(const Session& session, const std::string& sql, const CancelFlag& cancel = {}) {
    const auto table = session.RunText(sql, cancel);
    if (!table) return table.error().Text();
    std::string text;
    for (const auto& row : table->rows) {
      if (!text.empty()) text += ";";
      for (std::size_t k = 0; k < row.size(); ++k)
        text += (k == 0 ? "" : ",") + (row[k] ? ToText(*row[k]) : std::string("NULL"));
    }
    return text;
  }

  std::string Ask(const Policy& policy, const std::string& sql) {
    const auto session = Open(policy);
    return session ? Ask(**session, sql) : session.error().Text();
  }

  /// What opening says if it is refused.
  std::string Refusal(const Policy& policy) {
    const auto session = Open(policy);
    return session ? "it was opened" : session.error().Text();
  }

  std::filesystem::path folder_;
  Other other_;
  EngineOptions options_;
};

}  // namespace kith::testing
