// For the engine's tests: a separate folder for each test, files in it, policies by hand.
#pragma once
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "engine/duckdb/duckdb_session.h"
#include "engine/engine.h"

namespace kith {

class EngineFixture : public ::testing::Test {
 protected:
  EngineFixture() {
    std::string name = (std::filesystem::temp_directory_path() / "kith-engine-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    policy_.file = folder_ / "policy.toml";
    policy_.unit.table = "people";
    AddTable("people", "people.csv");
  }
  ~EngineFixture() override {
    std::error_code ignored;
    std::filesystem::permissions(folder_, std::filesystem::perms::owner_all, ignored);
    std::filesystem::remove_all(folder_, ignored);
  }

  std::filesystem::path Write(const std::string& name, const std::string& bytes) {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return folder_ / name;
  }

  /// Declares a column of the unit table.
  Column& Declare(const std::string& name, ColumnType type, bool is_public = false) {
    Column column;
    column.name = name;
    column.type = type;
    column.is_public = is_public;
    policy_.tables[0].columns.push_back(column);
    return policy_.tables[0].columns.back();
  }

  /// Declares a public table with one column.
  void DeclareTable(const std::string& name, const std::string& source, const std::string& column, ColumnType type) {
    Column declared;
    declared.name = column;
    declared.type = type;
    Table& table = AddTable(name, source);
    table.is_public = true;
    table.columns = {declared};
  }

  Table& AddTable(const std::string& name, const std::string& source) {
    Table& table = policy_.tables.emplace_back();
    table.name = name;
    table.source = source;
    return table;
  }

  EngineOptions Options() {
    EngineOptions options;
    options.threads = 2;
    options.memory_bytes = std::int64_t{1} << 30;
    return options;
  }

  /// Notices are kept, and Notices() shows them.
  Call Heard() {
    Call call(cancel_);
    call.notice = [this](const std::string& text) { notices_.push_back(text); };
    return call;
  }

  /// CSV files are imported as they are now.
  Result<std::unique_ptr<Session>> Open() { return ImportAndOpen(policy_, Options(), Heard()); }

  /// An import under an id. Returns the text of the error, or nothing.
  std::string Import(const std::string& id, const std::string& before = {}) {
    const auto lock = ImportLock::Take(policy_, Heard());
    if (!lock) return lock.error().Text();
    const auto done = ImportTables(*lock, policy_, id, before, Options(), Heard());
    return done ? std::string() : done.error().Text();
  }

  Result<std::unique_ptr<Session>> OpenImport(const std::string& id) {
    EngineOptions options = Options();
    options.import = id;
    return OpenSession(policy_, options, Heard());
  }

  /// Opens an import and asks one question.
  std::string AskImport(const std::string& id, const std::string& sql) {
    auto engine = OpenImport(id);
    return engine ? Ask(**engine, sql) : "error: " + engine.error().Text();
  }

  /// The rows of a query as text, "1,NULL;2,3". An error is shown as its text.
  std::string Ask(const Session& engine, const std::string& sql) {
    auto table = engine.RunText(sql, cancel_);
    if (!table) return "error: " + table.error().Text();
    std::string text;
    for (const auto& row : table->rows) {
      if (!text.empty()) text += ";";
      for (std::size_t k = 0; k < row.size(); ++k) text += (k == 0 ? "" : ",") + (row[k] ? ToText(*row[k]) : "NULL");
    }
    return text;
  }

  /// Opens and asks one question.
  std::string OpenAndAsk(const std::string& sql) {
    auto engine = Open();
    return engine ? Ask(**engine, sql) : "error: " + engine.error().Text();
  }

  static ::testing::AssertionResult Has(const std::string& text, const std::string& part) {
    if (text.find(part) != std::string::npos)
      return ::testing::AssertionSuccess() << "\"" << part << "\" is in: " << text;
    return ::testing::AssertionFailure() << "\"" << part << "\" is not in: " << text;
  }

  std::string Notices() const {
    std::string all;
    for (const std::string& notice : notices_) all += notice + "\n";
    return all;
  }

  /// Runs statements in a separate DuckDB, to make Parquet and DuckDB files. {} is the test's folder.
  void WithDuckDb(std::string sql) {
    for (std::size_t at = sql.find("{}"); at != std::string::npos; at = sql.find("{}")) {
      sql.replace(at, 2, folder_.string());
    }
    auto database = DuckDb::Open("", {});
    ASSERT_TRUE(database);
    auto connection = database->Connect();
    ASSERT_TRUE(connection);
    ASSERT_TRUE(connection->Execute(sql, cancel_)) << sql;
  }

  std::filesystem::path folder_;
  Policy policy_;
  std::vector<std::string> notices_;
  CancelFlag cancel_;
};

}  // namespace kith
