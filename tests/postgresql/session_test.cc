// Transactions, what is known about them, and what becomes of failures.
#include <fstream>
#include <thread>

#include "engine/key_scan.h"
#include "engine/postgresql/connection.h"
#include "engine/postgresql/failure.h"
#include "tests/postgresql/server.h"

namespace kith::testing {
namespace {

const std::string kX = "x = { type = \"integer\" }";

TEST_F(PostgreSqlTest, ASessionSeesOneState_ENGINE11) {
  other_.Do("CREATE TABLE s.t (x integer); INSERT INTO s.t VALUES (1), (2)");
  const Policy policy = PolicyOf(kX);
  const auto session = Open(policy);
  ASSERT_TRUE(session) << session.error().Text();
  other_.Do("INSERT INTO s.t VALUES (3); UPDATE s.t SET x = 10 * x");
  EXPECT_EQ(Ask(**session, "SELECT count(*), sum(x) FROM t"), "2,3");
  // Emptying it would have to wait: a table that was emptied looks empty in every transaction.
  other_.Try("SET lock_timeout = 100; TRUNCATE s.t");
  EXPECT_TRUE(other_.failed());
  EXPECT_FALSE((*session)->Current());
  EXPECT_EQ(Ask(policy, "SELECT count(*), sum(x) FROM t"), "3,60");
  EXPECT_EQ(Ask(**session, "SELECT count(*), sum(x) FROM t"), "2,3");
}

// None of this waits for readers of the table, and its rows were committed before the session began.
TEST_F(PostgreSqlTest, WhatBecomesAPartOfTheTableLaterDoesNotCount_ENGINE11) {
  const Policy policy = PolicyOf(kX);
  const auto same = [&](const std::string& made, const std::string& then) {
    other_.Do("DROP SCHEMA IF EXISTS s_old CASCADE; DROP SCHEMA IF EXISTS s_new CASCADE; DROP SCHEMA s CASCADE");
    other_.Do("CREATE SCHEMA s; " + made);
    const auto session = Open(policy);
    ASSERT_TRUE(session) << session.error().Text();
    EXPECT_EQ(Ask(**session, "SELECT count(*), sum(x) FROM t"), "2,3") << made;
    other_.Do(then);
    const std::string after = Ask(**session, "SELECT count(*), sum(x) FROM t");
    EXPECT_TRUE(after == "2,3" || after == "0,NULL") << then << ": " << after;
    EXPECT_EQ(after == "2,3", then.find("RENAME") == std::string::npos) << then;
  };
  same(
      "CREATE TABLE s.t (x integer) PARTITION BY LIST (x); CREATE TABLE s.a PARTITION OF s.t FOR VALUES IN (1, 2); "
      "CREATE TABLE s.b (x integer); INSERT INTO s.t VALUES (1), (2); INSERT INTO s.b VALUES (5), (6)",
      "ALTER TABLE s.t ATTACH PARTITION s.b DEFAULT");
  const std::string plain =
      "CREATE TABLE s.t (x integer); CREATE TABLE s.b (x integer); INSERT INTO s.t VALUES (1), (2); INSERT INTO s.b "
      "VALUES (5), (6)";
  same(plain, "ALTER TABLE s.b INHERIT s.t");
  same(plain + "; CREATE TABLE s.c () INHERITS (s.t)", "ALTER TABLE s.b INHERIT s.t");
  same(plain + "; CREATE SCHEMA s_new; CREATE TABLE s_new.t AS SELECT 7 AS x",
       "ALTER SCHEMA s RENAME TO s_old; ALTER SCHEMA s_new RENAME TO s");
  other_.Do("DROP SCHEMA s_old CASCADE");
}

// The twin: this is what a transaction of the same kind sees without the condition.
TEST_F(PostgreSqlTest, APartitionThatIsAttachedLaterIsSeenByATransaction) {
  other_.Do(
      "CREATE TABLE s.t (x integer) PARTITION BY LIST (x); CREATE TABLE s.b (x integer); INSERT INTO s.b VALUES (5)");
  Other reader;
  reader.Do("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; LOCK TABLE s.t IN ACCESS SHARE MODE");
  EXPECT_EQ(reader.Do("SELECT count(*) FROM s.t"), "0");
  other_.Do("ALTER TABLE s.t ATTACH PARTITION s.b DEFAULT");
  EXPECT_EQ(reader.Do("SELECT count(*) FROM s.t"), "1");
}

// As if a pool of connections had led the transaction to another one.
TEST_F(PostgreSqlTest, EveryTransactionPinsItsSettings) {
  Server server;
  server.socket = Host();
  server.database = "postgres";
  server.user = "kith";
  const auto connection = PgConnection::Connect(server, {});
  ASSERT_TRUE(connection) << connection.error().Text();
  ASSERT_TRUE((*connection)->Execute("SET search_path = s, public; SET row_security = on; SET TimeZone = 'Japan'", {}));
  ASSERT_TRUE((*connection)->Begin({}));
  const auto pinned =
      (*connection)
          ->Metadata(
              "SELECT current_setting('search_path'), current_setting('row_security'), current_setting('TimeZone'), "
              "current_setting('transaction_isolation'), current_setting('transaction_read_only')",
              {});
  ASSERT_TRUE(pinned) << pinned.error().Text();
  const std::vector<std::string> expected = {"pg_catalog, pg_temp", "off", "UTC", "repeatable read", "on"};
  EXPECT_EQ(pinned->at(0), expected);
}

TEST_F(PostgreSqlTest, OnlyOneSelectOverDeclaredTables) {
  other_.Do("CREATE TABLE s.t (x integer, y integer); CREATE TABLE s.u (x integer); INSERT INTO s.t VALUES (1, 5)");
  const Policy policy = PolicyOf(kX);
  for (const std::string sql : {"SELECT y FROM t", "SELECT x FROM s.t; SELECT 1", "DELETE FROM t",
                                "SELECT 1) UNION (SELECT 2); DROP TABLE s.u --", "SELECT x FROM u",
                                "CREATE TABLE v (x integer)", "SELECT CAST(x AS TEXT) FROM t"}) {
    const std::string said = Ask(policy, sql);
    EXPECT_EQ(said.find_first_not_of("0123456789"), 0U) << sql << ": " << said;
  }
  EXPECT_EQ(other_.Do("SELECT count(*) FROM s.t"), "1");
}

const char* const kFailing[] = {
    "SELECT 1 / (x - 4711) FROM t",
    "SELECT CAST(x * 1000000 AS INTEGER) FROM t",
    "SELECT CAST('SECRET' || x AS BIGINT) FROM t",
    "SELECT CAST(CAST('1e-200' AS DOUBLE PRECISION) * CAST('1e-200' AS DOUBLE PRECISION) * x AS BIGINT) FROM t",
    "SELECT sum(x * 1e40) FROM t",
};

TEST_F(PostgreSqlTest, FailuresOfAStatementHaveOneText_ENGINE10) {
  other_.Do("CREATE TABLE s.t (x integer); INSERT INTO s.t VALUES (4711)");
  const Policy policy = PolicyOf(kX);
  for (const char* sql : kFailing) EXPECT_EQ(Ask(policy, sql), AfterData().Text()) << sql;
  std::ifstream log(folder_ / ".kith" / "engine.log");
  const std::string all((std::istreambuf_iterator<char>(log)), std::istreambuf_iterator<char>());
  for (const char* state : {"22012", "22003", "22P02"}) EXPECT_NE(all.find(state), std::string::npos) << all;
  EXPECT_EQ(all.find("4711"), std::string::npos);
  EXPECT_EQ(all.find("SECRET"), std::string::npos);
}

TEST_F(PostgreSqlTest, TheServerItselfQuotesTheValue) {
  const std::string said = other_.Try("SELECT CAST('SECRET' || 4711 AS BIGINT)");
  EXPECT_NE(said.find("SECRET4711"), std::string::npos) << said;
}

TEST_F(PostgreSqlTest, AKilledConnectionHasTheSameText_ENGINE10) {
  other_.Do("CREATE TABLE s.t (x integer); INSERT INTO s.t SELECT generate_series(1, 300000)");
  const Policy policy = PolicyOf(kX);
  options_.engine = *EngineFor(policy);  // one pool for all
  const auto kill = [this] {
    // Waits until they are gone, up to two minutes.
    other_.Do("SELECT count(pg_terminate_backend(pid, 120000)) FROM pg_stat_activity WHERE application_name = 'kith'");
  };
  {
    const auto session = Open(policy);
    ASSERT_TRUE(session);
    kill();
    EXPECT_EQ(Ask(**session, "SELECT count(*) FROM t"), AfterData().Text());
    EXPECT_EQ(Ask(**session, "SELECT count(*) FROM t"), AfterData().Text());
  }
  {
    const auto session = Open(policy);
    ASSERT_TRUE(session) << session.error().Text();
    std::int64_t rows = 0;
    const auto scanned = (*session)->ScanText("SELECT x FROM t",
                                              [&](IntegerColumns columns) -> Result<void> {
                                                if (rows == 0) kill();
                                                rows += static_cast<std::int64_t>(columns[0].size());
                                                return {};
                                              },
                                              {});
    ASSERT_FALSE(scanned);
    EXPECT_EQ(scanned.error().Text(), AfterData().Text());
    EXPECT_LT(rows, 300000);
  }
  {
    ASSERT_TRUE(Open(policy));  // leaves an idle connection
    kill();
    EXPECT_EQ(Ask(policy, "SELECT count(*) FROM t"), "300000");
  }
}

TEST_F(PostgreSqlTest, WhoeverAsksCanStop) {
  other_.Do("CREATE TABLE s.t (x integer); INSERT INTO s.t VALUES (1)");
  const Policy policy = PolicyOf(kX);
  const auto session = Open(policy);
  ASSERT_TRUE(session);
  const auto since = std::chrono::steady_clock::now();
  const auto deadline = CancelFlag().Until(Deadline::In(std::chrono::milliseconds(200)));
  const auto slow = (*session)->RunText("SELECT count(*) FROM t, generate_series(1, 100000000000)", deadline);
  ASSERT_FALSE(slow);
  EXPECT_EQ(slow.error().code, Code::kCancelled) << slow.error().Text();
  EXPECT_LT(std::chrono::steady_clock::now() - since, std::chrono::seconds(60));  // it would take far longer
  EXPECT_EQ(Ask(policy, "SELECT count(*) FROM t"), "1");
}

// Nobody is there to ask the server to stop: it does so itself.
TEST_F(PostgreSqlTest, TheServerKnowsTheDeadline) {
  other_.Do("CREATE TABLE s.t (x integer); INSERT INTO s.t VALUES (1)");
  const auto session = Open(PolicyOf(kX));
  ASSERT_TRUE(session);
  const auto deadline = CancelFlag().Until(Deadline::In(std::chrono::seconds(100)));
  const auto timeout = (*session)->RunText(
      "SELECT CAST(setting AS BIGINT) FROM pg_catalog.pg_settings WHERE name = 'statement_timeout'", deadline);
  ASSERT_TRUE(timeout) << timeout.error().Text();
  EXPECT_GT(timeout->rows.at(0).at(0), Int128{10'000});  // of 102, less what a busy machine took in the meantime
  EXPECT_LE(timeout->rows.at(0).at(0), Int128{102'000});
}

TEST_F(PostgreSqlTest, ScansAreStreamsOfWholeNumbers) {
  other_.Do("CREATE TABLE s.t (x integer); INSERT INTO s.t SELECT generate_series(1, 100000)");
  const auto session = Open(PolicyOf(kX));
  ASSERT_TRUE(session);
  std::int64_t rows = 0, sum = 0;
  std::size_t largest = 0;
  const auto sink = [&](IntegerColumns columns) -> Result<void> {
    largest = std::max(largest, columns[0].size());
    for (std::size_t k = 0; k < columns[0].size(); ++k, ++rows) sum += columns[0][k] - columns[1][k];
    return {};
  };
  ASSERT_TRUE((*session)->ScanText("SELECT x, -x FROM t", sink, {}));
  EXPECT_EQ(rows, 100000);
  EXPECT_EQ(sum, 100000LL * 100001);
  EXPECT_LT(largest, 20000U);
  rows = 0;
  ASSERT_TRUE((*session)->ScanText("SELECT x, x FROM t WHERE x < 0", sink, {}));
  EXPECT_EQ(rows, 0);
  EXPECT_FALSE((*session)->ScanText("SELECT sum(x), 1 FROM t", sink, {}));
  EXPECT_EQ(Ask(**session, "SELECT count(*) FROM t"), "100000");
  const auto missing = (*session)->ScanText("SELECT x, nullif(x, 77777) FROM t", sink, {});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().Text(), AfterData().Text());
}

TEST_F(PostgreSqlTest, HandsOverKeysWithTheirCounts) {
  other_.Do("CREATE TABLE s.t (x integer); INSERT INTO s.t SELECT generate_series(1, 40000)");
  const auto session = Open(PolicyOf(kX));
  ASSERT_TRUE(session);
  std::int64_t rows = 0, sum = 0;
  std::string largest;
  const KeySink sink = [&](const CountedKeys& all) -> Result<void> {
    for (std::size_t k = 0; k < all.counts.size(); ++k, ++rows) {
      sum += all.counts[k];
      largest = std::max(largest, std::string(all.keys[1][k]));
    }
    return {};
  };
  ASSERT_TRUE(dynamic_cast<const KeyScan&>(**session).ScanKeysText(
      "SELECT 'key', CAST(x AS TEXT) || '\xc3\xa9', CAST(x AS BIGINT) FROM t", sink, {}));
  EXPECT_EQ(rows, 40000);
  EXPECT_EQ(sum, 40000LL * 40001 / 2);
  EXPECT_EQ(largest, "9\xc3\xa9");
  for (const char* sql :
       {"SELECT x, x FROM t", "SELECT CAST(x AS TEXT) FROM t", "SELECT CAST(x AS TEXT), sum(x) FROM t GROUP BY x"})
    EXPECT_FALSE(dynamic_cast<const KeyScan&>(**session).ScanKeysText(sql, sink, {})) << sql;
  EXPECT_EQ(Ask(**session, "SELECT count(*) FROM t"), "40000");
  const auto missing =
      dynamic_cast<const KeyScan&>(**session).ScanKeysText("SELECT nullif(CAST(x AS TEXT), '777'), 1 FROM t", sink, {});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().Text(), AfterData().Text());
}

const std::string kKeyed = "key = \"id\"\nmax_rows = 2";

TEST_F(PostgreSqlTest, WhatIsKnownOfUnitsIsTrueOfTheState_ENGINE11) {
  const auto known = [&](const Policy& policy) -> std::string {
    const auto session = Open(policy);
    if (!session) return session.error().Text();
    const sql::UnitRows rows = (*session)->unit_rows();
    return rows.most ? std::to_string(*rows.most) : "unknown";
  };
  const Policy policy = PolicyOf(kX, kKeyed);
  other_.Do("CREATE TABLE s.t (id integer, x integer)");
  other_.Do("INSERT INTO s.t VALUES (1, 1), (2, 2)");
  EXPECT_EQ(known(policy), "1");
  EXPECT_EQ(known(policy), "1");  // remembered, or not
  other_.Do("INSERT INTO s.t VALUES (1, 3)");
  EXPECT_EQ(known(policy), "2");
  other_.Do("INSERT INTO s.t VALUES (NULL, 3)");
  EXPECT_EQ(known(policy), "2");
  other_.Do("INSERT INTO s.t VALUES (1, 4)");
  EXPECT_EQ(known(policy), "unknown");
  other_.Do("DELETE FROM s.t WHERE x = 4");
  EXPECT_EQ(known(policy), "2");
  other_.Do("BEGIN; INSERT INTO s.t VALUES (1, 5)");
  EXPECT_EQ(known(policy), "2");
  other_.Do("ROLLBACK; DELETE FROM s.t WHERE x = 3; CREATE UNIQUE INDEX one ON s.t (id)");
  EXPECT_EQ(known(policy), "1");
  // The index is only about the parent.
  other_.Do("CREATE TABLE s.c () INHERITS (s.t); INSERT INTO s.c VALUES (1, 7), (1, 8)");
  EXPECT_EQ(known(policy), "unknown");
}

TEST_F(PostgreSqlTest, AStateIsNamedByWhatItSees) {
  other_.Do("CREATE TABLE s.t (id integer, x integer); INSERT INTO s.t VALUES (1, 1)");
  const Policy policy = PolicyOf(kX, kKeyed);
  const auto first = Open(policy), second = Open(policy);
  ASSERT_TRUE(first && second);
  ASSERT_TRUE((*first)->version().has_value());
  EXPECT_EQ((*first)->version(), (*second)->version());
  other_.Do("INSERT INTO s.t VALUES (1, 2)");
  const auto third = Open(policy);
  ASSERT_TRUE(third);
  EXPECT_NE((*first)->version(), (*third)->version());
}

// Databases of one server share their transaction numbers, and a copy of one also has the same numbers in its catalog.
TEST_F(PostgreSqlTest, AStateIsOneOfItsDatabase_ENGINE11) {
  other_.Do("DROP DATABASE IF EXISTS kith_two");
  other_.Do("DROP DATABASE IF EXISTS kith_one");
  other_.Do("CREATE DATABASE kith_one");
  { Other("dbname=kith_one").Do("CREATE SCHEMA s; CREATE TABLE s.t (id integer, x integer)"); }
  other_.Do("CREATE DATABASE kith_two TEMPLATE kith_one");
  { Other("dbname=kith_one").Do("INSERT INTO s.t VALUES (1, 1)"); }
  { Other("dbname=kith_two").Do("INSERT INTO s.t VALUES (1, 1), (1, 2)"); }
  const auto in = [&](const std::string& database) {
    Policy policy = PolicyOf(kX, kKeyed);
    policy.server.database = database;
    return Open(policy);
  };
  const auto one = in("kith_one"), two = in("kith_two");
  ASSERT_TRUE(one && two);
  EXPECT_NE((*one)->version(), (*two)->version());
  EXPECT_EQ((*one)->unit_rows().most, 1);
  EXPECT_EQ((*two)->unit_rows().most, 2);
}

// The twin: were findings kept by the declared version, the second session would believe the first.
TEST_F(PostgreSqlTest, TheCheckAboveSeesAStateThatIsNamedByVersion) {
  other_.Do("CREATE TABLE s.t (id integer, x integer); INSERT INTO s.t VALUES (1, 1)");
  const Policy policy = PolicyOf(kX, "key = \"id\"\nmax_rows = 1");
  const auto before = Open(policy);
  ASSERT_TRUE(before);
  const sql::UnitRows kept_by_version = (*before)->unit_rows();
  other_.Do("INSERT INTO s.t VALUES (1, 2)");
  const auto after = Open(policy);
  ASSERT_TRUE(after);
  EXPECT_EQ(policy.data_version, "");  // the same for both
  EXPECT_NE(kept_by_version.most, (*after)->unit_rows().most);
}

TEST_F(PostgreSqlTest, PromisesAreCheckedInTheServer) {
  other_.Do("CREATE TABLE s.t (id integer, house uuid, x integer, f boolean)");
  const std::string house = "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'";
  other_.Do("INSERT INTO s.t VALUES (1, " + house + ", 1, true), (1, " + house + ", 2, true), (2, " + house +
            ", 3, NULL)");
  const std::string columns =
      kX + "\nhouse = { type = \"text\", public = true }\nf = { type = \"boolean\", public = true }";
  const auto with = [&](int size) {
    return PolicyOf(columns, kKeyed + "\npresence = \"public\"",
                    "kind = \"group\"\nby = \"house\"\nsize = " + std::to_string(size) + "\nodds_ratio = 2");
  };
  EXPECT_EQ(Ask(with(2), "SELECT count(*) FROM t"), "3");
  other_.Do("INSERT INTO s.t VALUES (3, " + house + ", 3, NULL)");
  EXPECT_NE(Refusal(with(2)).find("more than 2 members"), std::string::npos);
  EXPECT_EQ(Ask(with(3), "SELECT count(*) FROM t"), "4");
  other_.Do("UPDATE s.t SET f = false WHERE x = 2");
  EXPECT_NE(Refusal(with(3)).find("differs between rows"), std::string::npos) << Refusal(with(3));
  other_.Do("UPDATE s.t SET f = true WHERE x = 2; UPDATE s.t SET house = NULL WHERE id = 3");
  EXPECT_NE(Refusal(with(3)).find("no group"), std::string::npos);
}

}  // namespace
}  // namespace kith::testing
