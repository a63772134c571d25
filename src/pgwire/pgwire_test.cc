#include <gtest/gtest.h>

#include "pgwire/catalog.h"
#include "pgwire/scram.h"
#include "pgwire/session.h"
#include "pgwire/settings.h"
#include "pgwire/sql_text.h"
#include "pgwire/types.h"
#include "pgwire/wire.h"

namespace kith::pgwire {
namespace {

std::vector<std::string> Texts(const std::string& text) {
  const auto statements = StatementsIn(text);
  std::vector<std::string> texts;
  if (statements) {
    for (const Statement& each : *statements) texts.push_back(each.text);
  }
  return texts;
}

TEST(SqlText, StatementsEndAtSemicolonsOutsideOfQuotes) {
  EXPECT_EQ(
      Texts(" SELECT ';' ; ; SELECT \";\" ;SELECT $$;$$; SELECT $a$;$$;$a$; SELECT E'\\';' ; /* ; /* ; */ ; */ "),
      (std::vector<std::string>{"SELECT ';'", "SELECT \";\"", "SELECT $$;$$", "SELECT $a$;$$;$a$", "SELECT E'\\';'"}));
  EXPECT_TRUE(Texts("-- nothing\n").empty());
  for (const char* broken :
       {"SELECT '", "SELECT \"a", "/* ", "SELECT $$", "SELECT '\xff'", "SELECT $0", "SELECT $99999"})
    EXPECT_FALSE(StatementsIn(broken)) << broken;
}

TEST(SqlText, PositionsStayWhatTheyAre) {
  const auto statements = StatementsIn("SELECT 'ü'; /* é */ SELECT /* x */ 2");
  ASSERT_TRUE(statements && statements->size() == 2);
  EXPECT_EQ((*statements)[1].before, 20u);
  EXPECT_EQ((*statements)[1].text, "SELECT         2");
}

TEST(SqlText, HintsAreThePricesOfTheirStatements) {
  const auto statements = StatementsIn("-- kith: epsilon 0.5\nSELECT 1; SELECT 2; SELECT 3 -- kith: error 40\n");
  ASSERT_TRUE(statements && statements->size() == 3);
  EXPECT_EQ((*statements)[0].price.epsilon, 0.5);
  EXPECT_TRUE((*statements)[1].price.none());
  EXPECT_EQ((*statements)[2].price.error_95, 40);
  for (const char* wrong :
       {"-- kith: epsilon\nSELECT 1", "-- kith: epsilon -1\nSELECT 1", "-- kith: epslion 1\nSELECT 1",
        "-- kith: weight 2\nSELECT 1", "-- kith: epsilon 1\n-- kith: error 2\nSELECT 1"})
    EXPECT_FALSE(StatementsIn(wrong)) << wrong;
  EXPECT_TRUE(StatementsIn("SELECT '-- kith: epsilon 1'")->front().price.none());
}

TEST(SqlText, IntervalsAreAHintBesideThePrice) {
  const auto statements = StatementsIn(
      "-- kith: intervals off\n-- kith: epsilon 0.5\nSELECT 1; SELECT 2; SELECT 3 -- kith: intervals on\n");
  ASSERT_TRUE(statements && statements->size() == 3);
  EXPECT_EQ((*statements)[0].intervals, false);
  EXPECT_EQ((*statements)[0].price.epsilon, 0.5);
  EXPECT_FALSE((*statements)[1].intervals);
  EXPECT_EQ((*statements)[2].intervals, true);
  for (const char* wrong : {"-- kith: intervals\nSELECT 1", "-- kith: intervals 0\nSELECT 1"})
    EXPECT_FALSE(StatementsIn(wrong)) << wrong;
  // A hint counts before what is set.
  Settings settings;
  EXPECT_TRUE(settings.WantedOf((*statements)[1])->price.intervals);
  ASSERT_TRUE(settings.Set("kith.intervals", "off"));
  EXPECT_FALSE(settings.Set("kith.intervals", "maybe"));
  EXPECT_FALSE(settings.WantedOf((*statements)[1])->price.intervals);
  EXPECT_TRUE(settings.WantedOf((*statements)[2])->price.intervals);
  // What a curator approved without intervals is a different question.
  EXPECT_NE(settings.WantedOf((*statements)[1])->text.find("intervals"), std::string::npos);
}

TEST(SqlText, ParametersAreReplacedWhereTheyStand) {
  const auto statement = StatementsIn("SELECT '$1', $1, $2 -- $3\n, $1")->front();
  EXPECT_EQ(statement.parameters, 2);
  EXPECT_EQ(WithValues(statement, {"(-1)", "'$1'"}), "SELECT '$1', (-1), '$1'      \n, (-1)");
}

TEST(SqlText, TablesStandAfterFromAndJoin) {
  const auto found = RelationsOf(
      StatementsIn("SELECT * FROM a JOIN public.\"B\" ON true, (SELECT 1 FROM ONLY c) WHERE x IN (TABLE d)")->front());
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].name, "a");
  EXPECT_EQ(found[1].schema + "." + found[1].name, "public.B");
  EXPECT_EQ(found[2].name, "c");
  EXPECT_TRUE(RelationsOf(StatementsIn("SELECT * FROM f(1)")->front())[0].function);
}

TEST(Types, ParametersAreLiteralsOfTheirTypesOrNothing) {
  const auto literal = [](Oid type, std::int16_t format, const std::string& bytes) {
    return LiteralOf(type, format, bytes).value_or("-");
  };
  EXPECT_EQ(*LiteralOf(kInt4, 0, std::nullopt), "NULL");
  EXPECT_EQ(literal(kInt4, 0, "-5"), "(-5)");
  EXPECT_EQ(literal(kInt2, 1, std::string("\xff\xfe", 2)), "(-2)");
  EXPECT_EQ(literal(kInt8, 1, std::string("\0\0\0\0\0\0\1\0", 8)), "256");
  EXPECT_EQ(literal(kFloat8, 0, "1e3"), "1000.0");
  EXPECT_EQ(literal(kFloat8, 1, std::string("\x3f\xf8\0\0\0\0\0\0", 8)), "1.5");
  EXPECT_EQ(literal(kBool, 0, "t"), "true");
  EXPECT_EQ(literal(kNumeric, 0, "12.50"), "12.50");
  EXPECT_EQ(literal(kText, 0, "it's \\ $1 --"), "'it''s \\ $1 --'");
  EXPECT_EQ(literal(0, 0, "5"), "'5'");
  for (const char* wrong : {"", "1;", "1 OR 1", "0x10", "1e", "--1", "+"}) {
    EXPECT_EQ(literal(kInt4, 0, wrong), "-") << wrong;
    EXPECT_EQ(literal(kNumeric, 0, wrong), "-") << wrong;
    EXPECT_EQ(literal(kFloat8, 0, wrong), "-") << wrong;
  }
  EXPECT_EQ(literal(kFloat8, 0, "inf"), "-");
  EXPECT_EQ(literal(kText, 0, "\xc3"), "-");
  EXPECT_EQ(literal(kDate, 0, "2000-01-01'"), "-");
  EXPECT_EQ(literal(600, 0, "(1,2)"), "-");
}

TEST(Types, ValuesAreOfTheTypeThatWasDescribed) {
  const std::vector<Field> fields = {{"n", kInt8}, {"x", kFloat8}, {"b", kBool}, {"t", kText}};
  const std::vector<Value> row = {std::int64_t{258}, std::int64_t{1}, true, 0.5};
  const std::string binary = DataRow(fields, row, {1});
  EXPECT_NE(binary.find(std::string("\0\0\0\x08\0\0\0\0\0\0\1\2", 12)), std::string::npos);
  EXPECT_NE(binary.find(std::string("\0\0\0\x08\x3f\xf0\0\0\0\0\0\0", 12)), std::string::npos);
  const std::string text = DataRow(fields, row, {});
  EXPECT_NE(text.find("258"), std::string::npos);
  EXPECT_NE(text.find("0.5"), std::string::npos);
}

TEST(Scram, Base64ThereAndBack) {
  for (const std::string& bytes :
       {std::string(), std::string("f"), std::string("fo"), std::string("foo"), std::string("\0\xff\x10\x80", 4)})
    EXPECT_EQ(FromBase64(Base64(bytes)).value_or("-"), bytes);
  EXPECT_EQ(Base64("foob"), "Zm9vYg==");
  for (const char* wrong : {"Zg", "Z===", "Zg=a", "=g==", "Zg==Zg==", "Z g="}) EXPECT_FALSE(FromBase64(wrong)) << wrong;
}

TEST(Wire, WhatIsMissingStaysMissing) {
  Reader in(std::string_view("\0\0\0\5ab", 6));
  EXPECT_EQ(in.Int32(), 5);
  EXPECT_EQ(in.Text(), "");  // no zero ends it
  EXPECT_FALSE(in.ok());
  EXPECT_EQ(in.Int16(), 0);
  EXPECT_FALSE(in.AtEnd());
  EXPECT_EQ(CommandComplete("SET"), std::string("C\0\0\0\x08SET\0", 9));
}

TEST(Catalog, IsAskedForItsOwnTablesAndForNone) {
  document::TableFacts people;
  people.name = "people";
  people.columns.emplace_back();
  people.columns.back().name = "age";
  people.columns.back().type = "integer";
  const Catalog catalog("clinic", "1.0", {people});
  const auto is_for = [&](const std::string& sql) { return catalog.IsFor(StatementsIn(sql)->front()); };
  EXPECT_TRUE(is_for("SELECT 1"));
  EXPECT_TRUE(is_for("SELECT * FROM pg_catalog.pg_class"));
  EXPECT_TRUE(is_for("SELECT * FROM information_schema.tables t JOIN pg_class c ON true"));
  EXPECT_FALSE(is_for("SELECT count(*) FROM people"));
  EXPECT_FALSE(is_for("SELECT count(*) FROM pg_class JOIN people ON true"));
  EXPECT_FALSE(is_for("SELECT count(*) FROM persons"));
  const auto rows = [&](const std::string& sql) {
    const auto found = catalog.Select(StatementsIn(sql)->front(), "ada", CancelFlag());
    EXPECT_TRUE(found) << sql << ": " << (found ? "" : found.error().Text());
    return found ? found->rows : std::vector<std::vector<Value>>();
  };
  using Table = std::vector<std::vector<Value>>;
  EXPECT_EQ(rows("SELECT current_database(), current_user, current_schema"),
            (Table{{std::string("clinic"), std::string("ada"), std::string("public")}}));
  EXPECT_EQ(rows("SELECT relname FROM pg_catalog.pg_class WHERE relname OPERATOR(pg_catalog.~) '^(people)$' COLLATE "
                 "pg_catalog.default AND oid = 'public.people'::pg_catalog.regclass"),
            (Table{{std::string("people")}}));
  EXPECT_EQ(rows("SELECT data_type FROM information_schema.columns WHERE table_schema = ANY(current_schemas(false))"),
            (Table{{std::string("bigint")}}));
}

// A session that asks only catalogs: it needs no curator.
class Sessions : public ::testing::Test {
 protected:
  Session With(const SessionLimits& limits) {
    SessionOf of;
    of.dataset = &dataset_;
    of.catalog = std::make_shared<const Catalog>("clinic", "1.0", std::vector<document::TableFacts>());
    of.person = people::Identity::Anybody();
    of.limits = limits;
    return Session(std::move(of));
  }
  // SQLSTATE of the first error among the messages; "" if there is none.
  static std::string ErrorIn(const std::string& bytes) {
    for (std::size_t at = 0; at + 5 <= bytes.size();) {
      Reader head(std::string_view(bytes).substr(at));
      const char type = head.Byte();
      const auto size = static_cast<std::size_t>(head.Int32());
      const std::string body = bytes.substr(at + 5, size - 4);
      if (type == 'E') return body.substr(body.find(std::string("\0C", 2)) + 2, 5);
      at += 1 + size;
    }
    return {};
  }
  static std::string Ask(Session& session, const std::string& sql) {
    return session.Handle('Q', sql + '\0', CancelFlag()).bytes;
  }
  static std::string Parse(Session& session, const std::string& name, const std::string& sql) {
    return ErrorIn(session.Handle('P', name + '\0' + sql + std::string("\0\0\0", 3), CancelFlag()).bytes);
  }
  static std::string Bind(Session& session, const std::string& portal, const std::string& statement) {
    return ErrorIn(
        session.Handle('B', portal + '\0' + statement + std::string("\0\0\0\0\0\0\0", 7), CancelFlag()).bytes);
  }
  static std::string Execute(Session& session, const std::string& portal, char most) {
    return session.Handle('E', portal + std::string("\0\0\0\0", 4) + most, CancelFlag()).bytes;
  }
  static void Sync(Session& session) { (void)session.Handle('S', {}, CancelFlag()); }

 private:
  server::Dataset dataset_{"clinic", nullptr};
};

TEST_F(Sessions, AnswersToOneMessageAreNotEndless) {
  const std::string sql = "SELECT repeat('x', 3000); SELECT repeat('y', 3000); SELECT repeat('z', 3000)";
  SessionLimits limits;
  limits.reply_bytes = 5000;
  Session small = With(limits);
  const std::string cut = Ask(small, sql);
  EXPECT_EQ(ErrorIn(cut), "0A000");
  EXPECT_NE(cut.find("yyy"), std::string::npos) << "what was answered before that is there";
  EXPECT_EQ(cut.find("zzz"), std::string::npos);
  EXPECT_EQ(ErrorIn(Ask(small, "SELECT 1")), "") << "the session goes on";
  limits.reply_bytes = 20'000;
  Session large = With(limits);
  EXPECT_EQ(ErrorIn(Ask(large, sql)), "") << "the limit alone was in the way";
}

TEST_F(Sessions, WhatIsPreparedIsNotEndless) {
  std::string sql = "SELECT 1";
  for (int k = 0; k < 1000; ++k) sql += " + 1";  // of many tokens
  SessionLimits limits;
  limits.held_bytes = 500'000;
  for (const std::string& text : {sql, "SELECT '" + std::string(100'000, 'x') + "'"}) {
    Session small = With(limits);
    int prepared = 0;
    while (prepared < 50 && Parse(small, "s" + std::to_string(prepared), text).empty()) ++prepared;
    EXPECT_GE(prepared, 1);
    EXPECT_LT(prepared, 50);
    Sync(small);
    EXPECT_EQ(Parse(small, "again", text), "22023");
    Sync(small);
    (void)small.Handle('C', std::string("Ss0\0", 4), CancelFlag());
    EXPECT_EQ(Parse(small, "again", text), "") << "after one was closed";
    Session large = With(SessionLimits());
    for (int k = 0; k < 50; ++k) EXPECT_EQ(Parse(large, "s" + std::to_string(k), text), "") << k;
    for (int k = 0; k < 50; ++k) EXPECT_EQ(Parse(large, "", text), "") << "without a name it takes the other's place";
  }
}

TEST_F(Sessions, WhatIsBoundIsNotEndless) {
  SessionLimits limits;
  limits.held_bytes = 500'000;
  Session small = With(limits), large = With(SessionLimits());
  for (Session* each : {&small, &large}) ASSERT_EQ(Parse(*each, "", "SELECT '" + std::string(50'000, 'x') + "'"), "");
  int bound = 0;
  while (bound < 50 && Bind(small, "p" + std::to_string(bound), "").empty()) ++bound;
  EXPECT_GE(bound, 1);
  EXPECT_LT(bound, 10);
  for (int k = 0; k < 50; ++k) EXPECT_EQ(Bind(large, "p" + std::to_string(k), ""), "") << k;
}

// Rows that wait to be fetched count as well, but only for what comes next.
TEST_F(Sessions, RowsThatWaitCountUntilTheyWereFetched) {
  SessionLimits limits;
  limits.held_bytes = 200'000;
  Session session = With(limits);
  ASSERT_EQ(Parse(session, "", "SELECT repeat('x', 1000) FROM generate_series(1, 400)"), "");
  ASSERT_EQ(Bind(session, "one", ""), "");
  ASSERT_EQ(Bind(session, "two", ""), "");
  const std::string some = Execute(session, "one", 10);
  EXPECT_EQ(ErrorIn(some), "") << "one answer may be longer: it was paid for";
  EXPECT_GT(some.size(), 10'000U);
  EXPECT_EQ(ErrorIn(Execute(session, "two", 10)), "22023");
  // An error skips what follows until Sync, which closes portals: the same without the error.
  Session other = With(limits);
  ASSERT_EQ(Parse(other, "", "SELECT repeat('x', 1000) FROM generate_series(1, 400)"), "");
  ASSERT_EQ(Bind(other, "one", ""), "");
  ASSERT_EQ(Bind(other, "two", ""), "");
  EXPECT_EQ(ErrorIn(Execute(other, "one", 0)), "");
  EXPECT_EQ(ErrorIn(Execute(other, "two", 10)), "") << "everything of the first was sent";
  EXPECT_NE(Execute(other, "one", 0).find("SELECT 0"), std::string::npos) << "and is not sent twice";
}

TEST_F(Sessions, HaveOnlySoManyStatementsAndPortals) {
  SessionLimits limits;
  limits.statements = 3;
  limits.portals = 2;
  Session session = With(limits);
  for (const char* name : {"a", "b", "c"}) EXPECT_EQ(Parse(session, name, "SELECT 1"), "");
  EXPECT_EQ(Parse(session, "d", "SELECT 1"), "22023");
  Sync(session);
  for (const char* name : {"a", "b"}) EXPECT_EQ(Bind(session, name, "a"), "");
  EXPECT_EQ(Bind(session, "c", "a"), "22023");
}

}  // namespace
}  // namespace kith::pgwire
