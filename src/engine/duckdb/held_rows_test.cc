// Rows of small tables that are held: what programs make of strings is what DuckDB makes of them.
#include "engine/duckdb/held_rows.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "query/plan.h"
#include "sql/dialect.h"

namespace kith {
namespace {

class HeldRowsTest : public ::testing::Test {
 protected:
  HeldRowsTest() : database_(DuckDb::Open("", {}).value()), connection_(database_.Connect().value()) {
    const auto made = connection_.Execute(
        "CREATE TABLE people AS SELECT i AS id, CASE WHEN i % 11 = 0 THEN NULL ELSE i % 90 / 2.0 END::DOUBLE AS age, "
        "CASE i % 5 WHEN 0 THEN 'a long name that no vector holds by itself' WHEN 1 THEN NULL WHEN 2 THEN '' WHEN 3 "
        "THEN "
        "'it''s' ELSE 'b' END AS name, CASE i % 3 WHEN 0 THEN 'b' WHEN 1 THEN NULL ELSE 'it''s' END AS other "
        "FROM range(5000) AS r(i)",
        never_);
    EXPECT_TRUE(made);
  }

  static FramedTable Wanted() {
    return {"people",
            nullptr,
            {{"id", 0, ColumnType::kInteger},
             {"age", 1, ColumnType::kReal},
             {"name", 2, ColumnType::kText},
             {"other", 3, ColumnType::kText}}};
  }

  static sql::Term Text(const char* text) { return sql::Literal(Value(std::string(text)), Type::kText); }
  static sql::Term Name() { return sql::Column("t", "name"); }
  static sql::Term Other() { return sql::Column("t", "other"); }

  static sql::Statement Counted(const sql::Term& condition) {
    const auto rows = sql::Selected({.items = {{sql::Column("t", "id"), "v0"}, {Name(), "v1"}, {condition, "f0"}},
                                     .from = sql::Table("people", "t"),
                                     .where = condition});
    return sql::Selected({.items = {{sql::CountRows(), "s0"},
                                    {sql::Call("coalesce", {sql::Sum(sql::Name("v0")), sql::Number(0)}), "s1"},
                                    {sql::Where(sql::Count(sql::Name("v1")), sql::Name("f0")), "s2"}},
                          .from = sql::Rows(rows, "r")});
  }

  std::string FromDuckDb(const sql::Statement& statement) const {
    return TextOf(connection_.Integers(sql::DuckDb().Write(statement), never_).value());
  }
  static std::string TextOf(const IntegerTable& table) {
    std::string text;
    for (const auto& row : table.rows) {
      for (const auto& value : row) text += (value ? ToText(*value) : "NULL") + ",";
    }
    return text;
  }

  const CancelFlag never_;
  DuckDb database_;
  DuckDbConnection connection_;
};

TEST_F(HeldRowsTest, TextsAreToldApartAsDuckDbTellsThem_ENGINE18) {
  const auto held = HeldRows::Read(connection_, Wanted(), never_);
  ASSERT_TRUE(held) << held.error().Text();
  const sql::Term is_b = sql::Infix(" = ", {Name(), Text("b")});
  const sql::Term null = sql::Literal(Value(Null()), Type::kText);
  std::set<std::string> all;
  for (const sql::Term& condition : {
           is_b,
           sql::Infix(" = ", {Text("it's"), Name()}),
           sql::Infix(" <> ", {Name(), Text("b")}),
           sql::Infix(" = ", {Name(), Text("")}),
           sql::Infix(" = ", {Name(), Text("a long name that no vector holds by itself")}),
           sql::Infix(" = ", {Name(), Text("a long name that no vector holds by itsel")}),
           sql::Infix(" <> ", {Name(), Text("nobody")}),
           sql::Infix(" = ", {Name(), Other()}),
           sql::Infix(" <> ", {Name(), Other()}),
           sql::Infix(" = ", {sql::Call("coalesce", {Name(), Text("nobody")}), Text("nobody")}),
           sql::Infix(" = ", {sql::Call("coalesce", {Name(), Text("nobody")}), Text("no one")}),
           sql::Infix(" = ", {sql::Call("nullif", {Name(), Text("b")}), Other()}),
           sql::Paren(sql::In(Name(), {Value(std::string("b")), Value(std::string("nobody"))}, Type::kText)),
           sql::Prefix("NOT ", sql::Paren(sql::In(Name(), {Value(std::string("b"))}, Type::kText))),
           sql::Infix(" = ", {Name(), null}),
           sql::Suffix(Name(), " IS NULL"),
           sql::All({sql::Suffix(Other(), " IS NOT NULL"), sql::Prefix("NOT ", sql::Paren(is_b)),
                     sql::Infix(" < ", {sql::Column("t", "age"), sql::Literal(Value(30.0), Type::kReal)})}),
           sql::IsNotTrue(sql::Paren(is_b)),
       }) {
    const auto statement = Counted(condition);
    const auto program = memory::Compile(statement, {}, (*held)->table());
    ASSERT_TRUE(program) << sql::DuckDb().Write(statement);
    EXPECT_EQ(TextOf((*held)->Run(*program)), FromDuckDb(statement)) << sql::DuckDb().Write(statement);
    all.insert(FromDuckDb(statement));
  }
  EXPECT_GT(all.size(), 9U);  // so that a string that is taken for another would be seen
}

TEST_F(HeldRowsTest, TheCheckAboveSeesATextThatIsTakenForAnother) {
  const auto held = HeldRows::Read(connection_, Wanted(), never_);
  ASSERT_TRUE(held) << held.error().Text();
  const FramedTable& own = (*held)->table();
  FramedTable wrong = own;
  auto texts = *own.texts;
  std::swap(texts.at("b"), texts.at("it's"));
  wrong.texts = std::make_shared<const decltype(texts)>(std::move(texts));
  const auto statement = Counted(sql::Infix(" = ", {Name(), Text("b")}));
  const auto program = memory::Compile(statement, {}, wrong);
  ASSERT_TRUE(program);
  EXPECT_NE(TextOf((*held)->Run(*program)), FromDuckDb(statement));
}

// What is not there as a number is left to DuckDB: these numbers are in no order.
TEST_F(HeldRowsTest, TextsHaveNoOrderAndAreNoNumbers_ENGINE18) {
  const auto held = HeldRows::Read(connection_, Wanted(), never_);
  ASSERT_TRUE(held) << held.error().Text();
  for (const char* sign : {" < ", " <= ", " > ", " >= "}) {
    for (const sql::Term& other : {Text("b"), Other()})
      EXPECT_FALSE(memory::Compile(Counted(sql::Infix(sign, {Name(), other})), {}, (*held)->table())) << sign;
  }
  EXPECT_FALSE(memory::Compile(Counted(sql::Between(Name(), Text("a"), Text("b"))), {}, (*held)->table()));
  EXPECT_FALSE(
      memory::Compile(Counted(sql::Infix(" = ", {sql::Greatest({Name(), Other()}), Text("b")})), {}, (*held)->table()));
  const auto number = [](sql::Term term) { return sql::Infix(" = ", {std::move(term), Name()}); };
  for (const sql::Term& term : {sql::Infix(" + ", {Name(), Other()}), sql::Prefix("- ", Name()),
                                sql::Call("abs", {Name()}), sql::Column("t", "id"), sql::Column("t", "age")})
    EXPECT_FALSE(memory::Compile(Counted(number(term)), {}, (*held)->table()));
  const auto sum = sql::Selected(
      {.items = {{sql::Call("coalesce", {sql::Sum(sql::Name("v0")), sql::Number(0)}), "s0"}},
       .from = sql::Rows(sql::Selected({.items = {{Name(), "v0"}}, .from = sql::Table("people", "t")}), "r")});
  EXPECT_FALSE(memory::Compile(sum, {}, (*held)->table()));
}

// Random questions as people ask them, with strings in conditions.
class TextAsker {
 public:
  explicit TextAsker(std::mt19937_64& bits) : bits_(bits) {}

  std::string Question() {
    const std::string what = One({"count(*)", "sum(age)", "count(name)", "avg(age)", "sum(id)"});
    const std::string filter = bits_() % 2 == 0 ? " FILTER (WHERE " + Condition(1) + ")" : "";
    return "SELECT " + what + filter + " AS c, count(*) AS n FROM people WHERE " + Condition(2);
  }

 private:
  std::string One(const std::vector<std::string>& of) { return of[bits_() % of.size()]; }
  std::string Text() {
    return One({"name", "other", "coalesce(name, 'x')", "coalesce(name, other)", "nullif(other, 'b')"});
  }
  std::string Literal() { return One({"'a'", "'b'", "'it''s'", "''", "'B'", "'nobody'", "'x'"}); }
  std::string Condition(int depth) {
    const std::string sign = One({"=", "<>"}), no = One({"", "NOT "});
    switch (bits_() % (depth > 0 ? 8 : 5)) {
      case 0:
        return Text() + " " + sign + " " + Literal();
      case 1:
        return Text() + " " + no + "IN (" + Literal() + ", " + Literal() + ")";
      case 2:
        return Text() + " IS " + no + "NULL";
      case 3:
        return Text() + " " + sign + " " + Text();
      case 4:
        return "age " + One({"<", ">="}) + " " + std::to_string(bits_() % 60);
      case 5:
        return "(" + Condition(depth - 1) + " AND " + Condition(depth - 1) + ")";
      case 6:
        return "(" + Condition(depth - 1) + " OR " + Condition(depth - 1) + ")";
      default:
        return "NOT (" + Condition(depth - 1) + ")";
    }
  }

  std::mt19937_64& bits_;
};

TEST_F(HeldRowsTest, RandomQuestionsWithTextsGiveWhatDuckDbGives_ENGINE18) {
  const auto policy = Policy::Parse(
      "[data]\ntables.people = \"people.csv\"\n[unit]\ntable = \"people\"\nrow = true\npresence = \"secret\"\n"
      "[columns.people]\nid = { type = \"integer\", lower = 0, upper = 5000 }\nage = { type = \"real\", lower = 0, "
      "upper "
      "= 100 }\nname = { values = [\"a\", \"b\", \"it's\", \"\"] }\nother = { values = [\"b\", \"it's\"] "
      "}\n[dependence]\n"
      "source = \"public\"\nkind = \"independent\"\n[budget]\nepsilon = 1.0\nledger = \"people.ledger\"\n",
      "policy.toml");
  ASSERT_TRUE(policy) << policy.error().Text();
  const auto held = HeldRows::Read(connection_, Wanted(), never_);
  ASSERT_TRUE(held) << held.error().Text();
  std::mt19937_64 bits(20261118);
  int planned = 0, by_program = 0;
  for (int k = 0; k < 600; ++k) {
    const std::string question = TextAsker(bits).Question();
    const auto plan = PlanQuestion(question, *policy);
    if (!plan || plan->statement.empty()) continue;
    ++planned;
    const auto program = memory::Compile(plan->statement, {}, (*held)->table());
    if (!program) continue;
    ++by_program;
    ASSERT_EQ(TextOf((*held)->Run(*program)), FromDuckDb(plan->statement)) << question;
  }
  EXPECT_GT(planned, 300);
  EXPECT_GT(by_program, 200);
}

TEST_F(HeldRowsTest, LargeTablesAndOtherTypesAreNotHeld) {
  ASSERT_TRUE(connection_.Execute("CREATE TABLE large AS SELECT i AS id FROM range(1048577) AS r(i)", never_));
  EXPECT_FALSE(HeldRows::Read(connection_, {"large", nullptr, {{"id", 0, ColumnType::kInteger}}}, never_));
  EXPECT_FALSE(HeldRows::Read(connection_, {"people", nullptr, {{"age", 0, ColumnType::kInteger}}}, never_));
  EXPECT_FALSE(HeldRows::Read(connection_, {"people", nullptr, {}}, never_));
}

}  // namespace
}  // namespace kith
