// Questions to a curator whose data are in a PostgreSQL server.
#include <fstream>
#include <thread>

#include "release/ledger_register.h"
#include "release/release.h"
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
    std::ofstream(folder_ / "t.toml") << PolicyText("x = { type = \"integer\", lower = 0, upper = 100 }",
                                                    "key = \"id\"\nmax_rows = 2");
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
  // A connection that the server has closed meanwhile is noticed before anything is charged.
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

TEST_F(CuratorOnPostgreSql, DataChangeBetweenQuestionsAndAVersionBegins) {
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
