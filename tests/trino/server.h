// The tests' own Trino (tests/trino/with_trino), tables in it, and kith's engine on them.
#pragma once
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/json.h"
#include "engine/engine.h"
#include "engine/trino/client.h"
#include "policy/policy.h"

namespace kith::testing {

/// What tests/trino/with_trino says.
inline std::string Told(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? "" : text;
}
inline std::string TrinoAddress() { return Told("KITH_TEST_TRINO"); }

/// Somebody else who is connected to the server.
class OtherOnTrino {
 public:
  OtherOnTrino()
      : client_({.url = TrinoAddress(), .user = "other", .catalog = "", .schema = "", .password = "", .token = ""}) {}

  /// The server's name for what went wrong; empty: nothing.
  std::string Try(const std::string& sql) {
    rows_ = Json::array();
    const auto failure = client_.Run(sql,
                                     [this](const auto&, const Json& page) {
                                       for (const auto& row : page) rows_.push_back(row);
                                       return true;
                                     },
                                     {});
    return failure ? failure->name : "";
  }
  void Do(const std::string& sql) { EXPECT_EQ(Try(sql), "") << sql; }
  /// Of the statement before.
  const Json& rows() const { return rows_; }

 private:
  trino::Client client_;
  Json rows_;
};

class TrinoTest : public ::testing::Test {
 protected:
  TrinoTest() {
    const std::string name = ::testing::UnitTest::GetInstance()->current_test_info()->name();
    folder_ = std::filesystem::temp_directory_path() / ("kith-trino-" + std::to_string(::getpid()) + name);
    std::filesystem::create_directories(folder_);
    schema_ = "k" + std::to_string(::getpid());
    for (const char* catalog : {"lake", "memory"})
      other_.Do(std::string("CREATE SCHEMA IF NOT EXISTS ") + catalog + "." + schema_);
    Drop();
  }
  ~TrinoTest() override {
    Drop();
    std::filesystem::remove_all(folder_);
  }

  void Drop() {
    other_.Do("DROP TABLE IF EXISTS " + In("lake"));
    other_.Do("DROP TABLE IF EXISTS " + In("memory"));
  }

  /// The test's table in a catalog.
  std::string In(const std::string& catalog) const { return catalog + "." + schema_ + ".t"; }

  /// Where the test's table is, known as t.
  std::string Data(const std::string& catalog) const {
    return "[data]\nfrozen = true\n" + Told("KITH_TEST_PLACE") + "catalog = \"" + catalog + "\"\nschema = \"" +
           schema_ + "\"\nuser = \"kith\"\ntables.t = \"t\"\n";
  }
  /// A policy of the test's table.
  Policy PolicyOf(const std::string& catalog, const std::string& columns, const std::string& unit = "row = true",
                  const std::string& dependence = {}) const {
    const std::string text = Data(catalog) + "[unit]\ntable = \"t\"\n" + unit +
                             (unit.find("presence") == std::string::npos ? "\npresence = \"secret\"\n" : "\n") +
                             "[columns.t]\n" + columns + "\n[dependence]\nsource = \"public\"\n" +
                             (dependence.empty() ? "kind = \"independent\"" : dependence) +
                             "\n[budget]\nepsilon = 10\nledger = \"t.ledger\"\n";
    auto policy = Policy::Parse(text, folder_ / "t.toml");
    EXPECT_TRUE(policy) << policy.error().Text() << text;
    return policy ? *policy : Policy{};
  }

  static Result<std::unique_ptr<Session>> Open(const Policy& policy) { return OpenSession(policy, {}, {}); }

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
  static std::string Ask(const Policy& policy, const std::string& sql) {
    const auto session = Open(policy);
    return session ? Ask(**session, sql) : session.error().Text();
  }
  /// What opening says if it is refused.
  static std::string Refusal(const Policy& policy) {
    const auto session = Open(policy);
    return session ? "it was opened" : session.error().Text();
  }

  std::filesystem::path folder_;
  std::string schema_;
  OtherOnTrino other_;
};

}  // namespace kith::testing
