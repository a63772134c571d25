// Questions to a curator whose data are in a PostgreSQL server.
#include <fstream>
#include <thread>

#include "release/release.h"
#include "release/upkeep/ledger_register.h"
#include "tests/postgresql/server.h"
#include "tests/support/rows_leave.h"

namespace kith::testing {
namespace {

class CuratorOnPostgreSql : public PostgreSqlTest {
 protected:
  CuratorOnPostgreSql() {
    ::setenv("XDG_STATE_HOME", (folder_ / "state").c_str(), 1);
    other_.Do(
        "CREATE TABLE s.t (id integer, x integer); INSERT INTO s.t SELECT i / 2, i % 100 FROM generate_series(1, 2000) "
        "AS i");
    std::ofstream(folder_ / "t.toml") << Frozen();
  }

  static std::string Frozen() {
    return PolicyText("x = { type = \"integer\", lower = 0, upper = 100 }", "key = \"id\"\nmax_rows = 2");
  }

  std::string Asked(const Curator& curator, const std::string& question, double epsilon = 0.1) {
    Price price;
    price.epsilon = epsilon;
    const auto answer = curator.Release(QuestionRequest{question}, price);
    return answer ? "answered" : answer.error().Text();
  }

  std::string Connections(const std::string& state) {
    return other_.Do("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'kith' AND state = '" + state +
                     "'");
  }
};

TEST_F(CuratorOnPostgreSql, NoTransactionStaysOpenAndConnectionsAreUsedAgain) {
  const auto curator = Curator::Open(folder_ / "t.toml", {});
  ASSERT_TRUE(curator) << curator.error().Text();
  for (int k = 0; k < 5; ++k)
    EXPECT_EQ(Asked(*curator, "SELECT count(*) FROM t WHERE x > " + std::to_string(k)), "answered");
  EXPECT_EQ(Connections("idle in transaction"), "0");
  EXPECT_EQ(Connections("idle"), "1");
  other_.Do("ALTER TABLE s.t ADD COLUMN y integer");  // nobody holds the table
  // A connection that the server has closed in the meantime is noticed before anything is charged.
  other_.Do("SELECT pg_terminate_backend(pid, 120000) FROM pg_stat_activity WHERE application_name = 'kith'");
  EXPECT_EQ(Asked(*curator, "SELECT sum(x) FROM t"), "answered");
  EXPECT_EQ(curator->Budget()->history.size(), 6U);
}

TEST_F(CuratorOnPostgreSql, WhatNeedsRowsSaysSoAndCanBeForbidden) {
  other_.Do("DROP TABLE s.t; CREATE TABLE s.t (id integer, pal integer, age integer, cost double precision, ill text)");
  other_.Do("INSERT INTO s.t VALUES " + AnalysedRows());
  ExpectRowsLeaveAsSaid(PolicyText(kAnalysedColumns, kAnalysedUnit), folder_ / "all.toml");
}

TEST_F(CuratorOnPostgreSql, ATableHasOneRegisterHoweverItIsWritten) {
  Policy policy = PolicyOf("x = { type = \"integer\" }");
  const auto in = [&](const std::string& source) {
    policy.tables[0].source = source;
    return RegisterOf(policy);
  };
  EXPECT_EQ(in("t"), in("public.t"));
  EXPECT_NE(in("t"), in("s.t"));
  EXPECT_FALSE(in("t").empty());
  const auto at = [&](const std::string& host, std::int64_t port) {
    policy.server.socket.clear();
    policy.server.host = host;
    policy.server.port = port;
    return RegisterOf(policy);
  };
  EXPECT_EQ(at("localhost", 0), at("127.0.0.1", 5432));
  EXPECT_EQ(at("DB.example", 0), at("db.example", 5432));
  EXPECT_NE(at("db.example", 0), at("db.example", 5433));
  EXPECT_NE(at("db.example", 0), at("localhost", 0));
  policy.engine = "trino";
  policy.server.database = "lake";
  const auto of = [&](const std::string& url, std::int64_t port, const std::string& source) {
    policy.tables[0].source = source;
    return at(url, port);
  };
  EXPECT_EQ(of("https://h", 0, "s.t"), of("https://H", 443, "Lake.s.T"));
  EXPECT_EQ(of("http://localhost", 80, "s.t"), of("http://127.0.0.1", 0, "s.t"));
  EXPECT_NE(of("https://h", 0, "s.t"), of("https://h", 8443, "s.t"));
  EXPECT_NE(of("https://h", 0, "s.t"), of("https://h", 0, "other.s.t"));
}

TEST_F(CuratorOnPostgreSql, QuestionsRunSideBySide) {
  const auto curator = Curator::Open(folder_ / "t.toml", {});
  ASSERT_TRUE(curator) << curator.error().Text();
  std::vector<std::string> said(4);
  std::vector<std::thread> threads;
  for (std::size_t k = 0; k < said.size(); ++k) {
    threads.emplace_back([&, k] {
      for (int round = 0; round < 3; ++round)
        said[k] += Asked(
            *curator, "SELECT count(*) FROM t WHERE x > " + std::to_string(10 * k + static_cast<std::size_t>(round)));
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& one : said) EXPECT_EQ(one, "answeredansweredanswered");
  EXPECT_EQ(Connections("idle in transaction"), "0");
}

// Two tables of the same units, read in one transaction.
TEST_F(CuratorOnPostgreSql, TablesOfTheSameUnitsAreJoined_TABLES2) {
  other_.Do(
      "CREATE TABLE s.v (who integer, y integer); INSERT INTO s.v SELECT i / 4, 1 FROM generate_series(1, 2000) AS i");
  std::string text = PolicyText("id = { type = \"integer\" }\nx = { type = \"integer\", lower = 0, upper = 100 }",
                                "key = \"id\"\nmax_rows = 2");
  text.replace(text.find("[unit]"), 0, "tables.v = { source = \"s.v\", key = \"who\", max_rows = 3 }\n");
  text.replace(text.find("[dependence]"), 0,
               "[columns.v]\nwho = { type = \"integer\" }\ny = { lower = 0, upper = 1 }\n");
  text.replace(text.find("epsilon = 10"), 12, "epsilon = 900");
  std::ofstream(folder_ / "t.toml") << text;
  const auto curator = Curator::Open(folder_ / "t.toml", {});
  ASSERT_TRUE(curator) << curator.error().Text();
  Price price;
  price.epsilon = 100;
  const auto whole = [&](const std::string& sql) {
    const auto answer = curator->Release(QuestionRequest{sql}, price);
    EXPECT_TRUE(answer) << answer.error().Text();
    return answer ? static_cast<double>(std::get<std::int64_t>(answer->rows[0][0].value)) : -1.0;
  };
  // Units 1 to 499 have four rows in v, of which three count, unit 0 has three, unit 500 one; all have two in t, except
  // unit 0 and unit 1000, which have one.
  EXPECT_NEAR(whole("SELECT count(*) FROM v"), 1501, 3);
  EXPECT_NEAR(whole("SELECT sum(v.y) FROM t JOIN v ON t.id = v.who"), 1 * 3 + 499 * 2 * 3 + 2, 6);
  EXPECT_NEAR(whole("SELECT count(*) FROM t LEFT JOIN v ON t.id = v.who WHERE v.who IS NULL"), 999, 6);
}

TEST_F(CuratorOnPostgreSql, NoVersionBeginsWhereDataArePromisedToBeFrozen) {
  const auto curator = Curator::Open(folder_ / "t.toml", {});
  ASSERT_TRUE(curator);
  EXPECT_EQ(Asked(*curator, "SELECT count(*) FROM t"), "answered");
  const auto version = curator->Import({});
  ASSERT_FALSE(version);
  EXPECT_EQ(version.error().code, Code::kInvalidArgument) << version.error().Text();
}

TEST_F(CuratorOnPostgreSql, DataChangeBetweenQuestionsAndAVersionBegins) {
  const std::string promise = "frozen = true\n";
  std::string text = Frozen();
  std::ofstream(folder_ / "t.toml") << text.erase(text.find(promise), promise.size());
  const auto curator = Curator::Open(folder_ / "t.toml", {});
  ASSERT_TRUE(curator);
  Price price;
  price.epsilon = 1;
  const auto before = curator->Release(QuestionRequest{"SELECT count(*) FROM t"}, price);
  ASSERT_TRUE(before) << before.error().Text();
  other_.Do("DELETE FROM s.t");
  const auto again = curator->Release(QuestionRequest{"SELECT count(*) FROM t"}, price);
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->stored);  // the same version, whatever changed
  EXPECT_EQ(std::get<std::int64_t>(again->rows[0][0].value), std::get<std::int64_t>(before->rows[0][0].value));
  ASSERT_TRUE(curator->Import({}));
  const auto after = curator->Release(QuestionRequest{"SELECT count(*) FROM t"}, price);
  ASSERT_TRUE(after);
  EXPECT_FALSE(after->stored);
  EXPECT_LT(std::get<std::int64_t>(after->rows[0][0].value), 1000);
}

}  // namespace
}  // namespace kith::testing
