// What is read from a table of a PostgreSQL server, and what is refused.
#include "tests/postgresql/server.h"

namespace kith::testing {
namespace {

struct Pair {
  std::string stored;    // type
  std::string declared;  // in the policy
  std::string values;    // of VALUES
  std::string asked;     // of the column x
  std::string answer;
};

TEST_F(PostgreSqlTest, ExtremeValuesReadAsThemselvesOrAsMissing_ENGINE11) {
  const std::string whole = "SELECT count(*), count(x), min(x), max(x) FROM t";
  const std::string real =
      "SELECT count(*), count(x), count(*) FILTER (WHERE x > 0 AND x < CAST('Infinity' AS DOUBLE PRECISION)), count(*) "
      "FILTER (WHERE x = 0) FROM t";
  const std::string days = "SELECT count(x), min(x - DATE '1970-01-01'), max(x - DATE '1970-01-01') FROM t";
  const std::string times =
      "SELECT count(x), CAST(min(floor(extract(epoch FROM x))) AS BIGINT), CAST(max(floor(extract(epoch FROM x))) AS "
      "BIGINT), CAST(max(extract(year FROM date_trunc('week', x))) AS BIGINT) FROM t";
  const std::string texts = "SELECT count(x), max(length(x)), count(DISTINCT x) FROM t";
  const std::string truths = "SELECT count(x), count(*) FILTER (WHERE x) FROM t";
  const Pair pairs[] = {
      {"smallint", "integer", "(32767), (-32768), (NULL)", whole, "3,2,-32768,32767"},
      {"bigint", "integer", "(9223372036854775807), (-9223372036854775808)", whole,
       "2,2,-9223372036854775808,9223372036854775807"},
      {"numeric", "integer",
       "(9223372036854775807), (9223372036854775807.4), (-9223372036854775808), (1e100), ('NaN'), ('Infinity'), "
       "('-Infinity'), (2.5), (-1e-16383)",
       whole, "9,4,-9223372036854775808,9223372036854775807"},
      {"double precision", "integer",
       "(9223372036854775807), (9.2233720368547748e18), (-9223372036854775808), (1e308), ('NaN'), ('Infinity'), (2.5), "
       "(3.5), (5e-324)",
       whole, "9,5,-9223372036854775808,9223372036854774784"},
      {"real", "integer", "(3e38), ('NaN'), (16777217)", whole, "3,1,16777216,16777216"},
      {"boolean", "integer", "(true), (false), (NULL)", whole, "3,2,0,1"},
      {"numeric", "real", "(1e-16383), (-1e-400), (1e400), ('NaN'), ('-Infinity'), (0), (1e307), (123.25)", real,
       "8,5,2,3"},
      {"real", "real", "(1e-45), (3.4e38), ('NaN')", real, "3,3,2,0"},
      {"bigint", "real", "(9223372036854775807), (0)", real, "2,2,1,1"},
      {"date", "date",
       "('infinity'), ('-infinity'), ('0044-03-15 BC'), ('4714-11-24 BC'), ('5874897-12-31'), ('1969-12-31'), "
       "('4713-01-01 BC'), (NULL)",
       days, "3,-2440550,-1"},
      {"timestamp", "timestamp",
       "('infinity'), ('-infinity'), ('1969-12-31 23:59:59.999999'), ('294276-12-31 23:59:59.999999'), "
       "('4714-11-24 00:00:00 BC'), ('4713-01-01 00:00:00 BC')",
       times, "2,-210863520000,-1,1969"},
      {"timestamptz", "timestamp", "('2024-03-31 02:30:00+02'), ('infinity'), ('4714-11-24 00:00:00+00 BC')", times,
       "1,1711845000,1711845000,2024"},
      {"timestamptz", "date", "('2024-03-31 00:30:00+02'), ('-infinity')", days, "1,19812,19812"},
      {"date", "timestamp", "('5874897-12-31'), ('2000-01-01')", times, "1,946684800,946684800,1999"},
      {"timestamp", "date", "('1969-12-31 23:00:00'), ('294276-12-31')", days, "1,-1,-1"},
      {"text", "text", "('ä'), ('a'), ('A'), (''), ('𝒳𝒳'), (NULL)", texts, "5,2,5"},
      {"char(4)", "text", "('a'), ('a  '), ('abcd')", texts, "3,4,2"},
      {"\"char\"", "text", "('a'), ('b')", texts, "2,1,2"},
      {"name", "text", "('abc')", texts, "1,3,1"},
      {"uuid", "text", "('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11')", texts, "1,36,1"},
      {"bigint", "text", "(-9223372036854775808)", texts, "1,20,1"},
      {"boolean", "text", "(true)", texts, "1,4,1"},
      {"integer", "boolean", "(0), (-7), (NULL)", truths, "2,1"},
      {"s.mood", "text", "('sad'), ('ok')", texts, "2,3,2"},
      {"s.small", "integer", "(3), (NULL)", whole, "2,1,3,3"},
      {"s.smaller", "real", "(3)", real, "1,1,1,0"},
  };
  other_.Do(
      "CREATE TYPE s.mood AS ENUM ('sad', 'ok'); CREATE DOMAIN s.small AS integer CHECK (VALUE < 10); "
      "CREATE DOMAIN s.smaller AS s.small CHECK (VALUE < 5)");
  for (const Pair& pair : pairs) {
    other_.Do("DROP TABLE IF EXISTS s.t; CREATE TABLE s.t (x " + pair.stored + "); INSERT INTO s.t VALUES " +
              pair.values);
    const Policy policy = PolicyOf("x = { type = \"" + pair.declared + "\" }");
    EXPECT_EQ(Ask(policy, pair.asked), pair.answer) << pair.stored << " as " << pair.declared;
  }
}

// The twin of the test above: without the guards PostgreSQL stops.
TEST_F(PostgreSqlTest, APlainCastFails) {
  for (const std::string cast :
       {"CAST(CAST(1e100 AS NUMERIC) AS BIGINT)", "CAST(CAST('NaN' AS DOUBLE PRECISION) AS BIGINT)",
        "CAST(CAST('1e-400' AS NUMERIC) AS DOUBLE PRECISION)", "CAST(DATE '5874897-12-31' AS TIMESTAMP)",
        "CAST('infinity'::date - DATE '1970-01-01' AS BIGINT)"}) {
    other_.Try("SELECT " + cast);
    EXPECT_TRUE(other_.failed()) << cast;
  }
}

TEST_F(PostgreSqlTest, TypesThatCannotBeReadAreRefusedByName) {
  other_.Do("CREATE EXTENSION IF NOT EXISTS citext SCHEMA public");
  other_.Do("CREATE COLLATION s.loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false)");
  const struct {
    std::string stored, declared, words;
  } cases[] = {
      {"public.citext", "text", "citext"},
      {"money", "real", "money"},
      {"text COLLATE s.loose", "text", "non-deterministic"},
      {"bytea", "text", "bytea"},
      {"integer[]", "integer", "_int4"},
      {"json", "text", "json"},
      {"interval", "text", "interval"},
      {"time", "timestamp", "time"},
      {"text", "integer", "declares it as integer"},
      {"text", "date", "declares it as date"},
      {"double precision", "text", "declares it as text"},
      {"date", "integer", "declares it as integer"},
  };
  for (const auto& one : cases) {
    other_.Do("DROP TABLE IF EXISTS s.t; CREATE TABLE s.t (x " + one.stored + ")");
    const std::string refusal = Refusal(PolicyOf("x = { type = \"" + one.declared + "\" }"));
    EXPECT_NE(refusal.find(one.words), std::string::npos) << one.stored << ": " << refusal;
    EXPECT_NE(refusal.find("t.x"), std::string::npos) << refusal;
  }
}

TEST_F(PostgreSqlTest, TablesThatCannotBeReadAreRefusedByName) {
  const Policy policy = PolicyOf("x = { type = \"integer\" }");
  const auto refused = [&](const std::string& made, const std::string& words) {
    other_.Do("DROP SCHEMA s CASCADE; CREATE SCHEMA s");
    other_.Do(made);
    const std::string refusal = Refusal(policy);
    EXPECT_NE(refusal.find(words), std::string::npos) << made << ": " << refusal;
  };
  refused("SELECT 1", "42P01");
  refused("CREATE VIEW s.t AS SELECT 1 AS x", "view");
  refused("CREATE MATERIALIZED VIEW s.t AS SELECT 1 AS x", "materialized view");
  refused("CREATE TABLE s.t (y integer)", "no column \"x\"");
  refused(
      "CREATE EXTENSION IF NOT EXISTS file_fdw SCHEMA public; CREATE SERVER IF NOT EXISTS nowhere FOREIGN DATA "
      "WRAPPER file_fdw; CREATE FOREIGN TABLE s.t (x integer) SERVER nowhere OPTIONS (filename '/dev/null')",
      "foreign");
  refused(
      "CREATE TABLE s.t (x integer) PARTITION BY LIST (x); CREATE FOREIGN TABLE s.u PARTITION OF s.t FOR VALUES IN "
      "(1) SERVER nowhere OPTIONS (filename '/dev/null')",
      "foreign");
  const auto read = [&](const std::string& made, const std::string& answer) {
    other_.Do("DROP SCHEMA s CASCADE; CREATE SCHEMA s");
    other_.Do(made);
    EXPECT_EQ(Ask(policy, "SELECT count(*), sum(x) FROM t"), answer) << made;
  };
  read(
      "CREATE TABLE s.t (x integer) PARTITION BY LIST (x); CREATE TABLE s.a PARTITION OF s.t FOR VALUES IN (1); CREATE "
      "TABLE s.b PARTITION OF s.t DEFAULT; INSERT INTO s.t VALUES (1), (5), (6)",
      "3,12");
  read(
      "CREATE TABLE s.t (x integer); CREATE TABLE s.c () INHERITS (s.t); INSERT INTO s.t VALUES (1); INSERT INTO s.c "
      "VALUES (2)",
      "2,3");
  read("CREATE TABLE s.t (y integer, x integer GENERATED ALWAYS AS (2 * y) STORED); INSERT INTO s.t VALUES (4)", "1,8");
}

TEST_F(PostgreSqlTest, RowLevelSecurityIsRefusedUnlessAllRowsAreRead) {
  other_.Do(
      "CREATE TABLE s.t (x integer); INSERT INTO s.t VALUES (1), (2); ALTER TABLE s.t ENABLE ROW LEVEL SECURITY; "
      "CREATE POLICY few ON s.t USING (x = 1); DROP ROLE IF EXISTS reader; CREATE ROLE reader LOGIN");
  const Policy policy = PolicyOf("x = { type = \"integer\" }", "row = true", {}, "reader");
  EXPECT_NE(Refusal(policy).find("42501"), std::string::npos);
  other_.Do("GRANT USAGE ON SCHEMA s TO reader; GRANT SELECT ON s.t TO reader");
  EXPECT_NE(Refusal(policy).find("row-level security"), std::string::npos) << Refusal(policy);
  other_.Do("ALTER ROLE reader BYPASSRLS");
  EXPECT_EQ(Ask(policy, "SELECT count(*) FROM t"), "2");
  other_.Do("REVOKE ALL ON s.t FROM reader; REVOKE ALL ON SCHEMA s FROM reader; DROP ROLE reader");
}

TEST_F(PostgreSqlTest, MarksOfWhatIsMissing) {
  for (const std::string type : {"smallint", "integer", "bigint", "numeric", "real", "double precision"}) {
    other_.Do("DROP TABLE IF EXISTS s.t; CREATE TABLE s.t (x " + type + ", y text)");
    other_.Do("INSERT INTO s.t VALUES (-99, ' NA '), (1, 'b'), (NULL, NULL), (-9999, 'NA')");
    const Policy policy = PolicyOf(
        "x = { type = \"integer\", missing = [\"-99\", \"-9999\", \"999999999\"] }\n"
        "y = { type = \"text\", missing = [\"NA\"] }");
    EXPECT_EQ(Ask(policy, "SELECT count(x), count(y), count(*) FROM t"), "1,1,4") << type;
  }
}

// Operators, functions and tables that somebody put before PostgreSQL's own are not found.
TEST_F(PostgreSqlTest, NothingOfThePublicSchemaIsUsed) {
  other_.Do("CREATE TABLE s.t (x integer); INSERT INTO s.t VALUES (3), (4)");
  other_.Do("CREATE OR REPLACE FUNCTION public.abs(bigint) RETURNS bigint LANGUAGE sql AS 'SELECT 77::bigint'");
  other_.Do("ALTER ROLE kith SET search_path = public, pg_catalog");
  EXPECT_EQ(Ask(PolicyOf("x = { type = \"integer\" }"), "SELECT sum(abs(x)) FROM t"), "7");
  other_.Do("ALTER ROLE kith RESET search_path; DROP FUNCTION public.abs(bigint)");
}

// The owner of an enum says what a cast of it to text does.
TEST_F(PostgreSqlTest, ACastThatBelongsToAnEnumIsNotUsed) {
  other_.Do("CREATE TYPE s.mood AS ENUM ('sad', 'ok'); CREATE DOMAIN s.feeling AS s.mood");
  other_.Do(
      "CREATE FUNCTION s.lie(s.mood) RETURNS text LANGUAGE sql AS $$SELECT 'ok'::text$$; CREATE CAST (s.mood AS text) "
      "WITH FUNCTION s.lie(s.mood)");
  other_.Do(
      "CREATE TABLE s.t (x s.mood, y s.feeling); INSERT INTO s.t VALUES ('sad', 'sad'), ('ok', 'sad'), (NULL, NULL)");
  EXPECT_EQ(other_.Do("SELECT count(*) FROM s.t WHERE CAST(x AS text) = 'ok'"), "3");
  EXPECT_EQ(Ask(PolicyOf("x = { type = \"text\" }\ny = { type = \"text\" }"),
                "SELECT count(*) FILTER (WHERE x = 'ok'), count(x), count(*) FILTER (WHERE y = 'sad') FROM t"),
            "1,2,2");
}

TEST_F(PostgreSqlTest, SumsOf128Bits) {
  other_.Do("CREATE TABLE s.t (x bigint); INSERT INTO s.t SELECT 9223372036854775807 FROM generate_series(1, 5)");
  const Policy policy = PolicyOf("x = { type = \"integer\" }");
  EXPECT_EQ(Ask(policy, "SELECT sum(x), sum(-x) FROM t"), "46116860184273879035,-46116860184273879035");
  EXPECT_EQ(Ask(policy, "SELECT 170141183460469231731687303715884105727 FROM t LIMIT 1"),
            "170141183460469231731687303715884105727");
}

}  // namespace
}  // namespace kith::testing
