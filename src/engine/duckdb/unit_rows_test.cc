// How many rows units have: found once for each state of the data, and found again when they change.
#include "engine/look_at_units.h"

#include <algorithm>
#include <sstream>

#include "engine/duckdb/engine_fixture.h"
#include "query/plan.h"

namespace kith {
namespace {

/// Groups come in no particular order.
std::string Sorted(const std::string& rows) {
  std::vector<std::string> parts;
  std::istringstream in(rows);
  for (std::string part; std::getline(in, part, ';');) parts.push_back(part);
  std::sort(parts.begin(), parts.end());
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ";") + part;
  return text;
}

class UnitRowsTest : public EngineFixture {
 protected:
  UnitRowsTest() {
    Declare("x", ColumnType::kInteger).values = {std::int64_t{1}, std::int64_t{2}};
    Column& sex = Declare("sex", ColumnType::kText);
    sex.values = {std::string("f"), std::string("m")};
    sex.constant = true;
    policy_.unit.key = "id";
    policy_.unit.max_rows = 2;
    policy_.tables[0].source = "people.parquet";
    policy_.data_version = "2024";
    policy_.cells = Cells::Of(policy_.unit_table(), {});
  }

  void MakeParquet(const std::string& rows) {
    WithDuckDb("COPY (SELECT * FROM (VALUES " + rows + ") AS v(id, x, sex)) TO '{}/people.parquet' (FORMAT parquet)");
  }

  /// What is known once the table is opened.
  std::string Known() {
    auto session = Open();
    if (!session) return session.error().Text();
    const sql::UnitRows known = (*session)->unit_rows();
    return known.most ? "at most " + std::to_string(*known.most) : "nothing";
  }

  std::string With(const std::string& rows) {
    MakeParquet(rows);
    return Known();
  }

  /// The answer of the statement that runs, and of the one that a person is shown.
  std::pair<std::string, std::string> Both(const std::string& question) {
    auto session = Open();
    if (!session) return {session.error().Text(), {}};
    const auto plan = PlanQuestion(question, policy_);
    if (!plan) return {plan.error().Text(), {}};
    const auto& quantile = plan->statistics.at(0).quantile;
    const auto text = [&](const sql::UnitRows& known) {
      return Sorted(Ask(**session, sql::DuckDb().Write(quantile ? quantile->statement : plan->statement, known)));
    };
    return {text((*session)->unit_rows()), text({})};
  }

  std::size_t Marks() const {
    std::size_t marks = 0;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / ".kith" / "checked", ignored)) {
      marks += entry.exists() ? 1 : 0;
    }
    return marks;
  }
};

constexpr char kCounts[] = "SELECT sex, count(*) FROM people GROUP BY sex";

TEST_F(UnitRowsTest, WhatIsKnownIsTrueOfTheData_ENGINE9) {
  EXPECT_EQ(With("(1, 1, 'f'), (2, 2, 'm')"), "at most 1");
  EXPECT_EQ(With("(1, 1, 'f'), (2, 2, 'm'), (NULL, 2, 'm')"), "at most 1");
  EXPECT_EQ(With("(1, 1, 'f'), (1, 2, 'f'), (2, 2, NULL), (2, 1, NULL)"), "at most 2");
  EXPECT_EQ(With("(1, 1, 'f'), (1, 2, 'f'), (NULL, 1, 'f'), (NULL, 1, 'm'), (NULL, 1, 'f')"),
            "at most 2");
  EXPECT_EQ(With("(1, 1, 'f'), (1, 2, 'f'), (1, 2, 'f')"), "nothing");  // too many rows
  EXPECT_EQ(With("(1, 1, 'f'), (1, 2, 'm')"), "nothing");                // a constant column differs
  EXPECT_EQ(With("(1, 1, 'f'), (1, 2, NULL)"), "nothing");
  policy_.tables[0].columns[1].constant = false;
  EXPECT_EQ(Known(), "at most 2");  // what is asked of the same file differs
  policy_.unit.max_rows = 1;
  EXPECT_EQ(Known(), "nothing");
}

TEST_F(UnitRowsTest, NothingIsLookedAtWhereUnitsHaveNoKey) {
  policy_.unit.key.reset();
  policy_.unit.max_rows = 1;
  policy_.tables[0].columns[1].constant = false;
  EXPECT_EQ(With("(1, 1, 'f'), (1, 2, 'm')"), "nothing");
}

TEST_F(UnitRowsTest, BothStatementsGiveOneAnswer_ENGINE9) {
  for (const char* rows : {"(1, 1, 'f'), (2, 2, 'm')", "(1, 1, 'f'), (2, 2, 'm'), (NULL, 2, 'm')",
                           "(1, 1, 'f'), (1, 2, 'f'), (2, 2, NULL), (2, 1, NULL), (NULL, 1, 'f')",
                           "(1, 1, 'f'), (1, 2, 'm'), (1, 2, 'f'), (2, 1, 'f')",
                           "(1, 1, 'f'), (1, 2, 'f'), (1, 2, 'f'), (2, 1, 'f'), (NULL, 1, 'm'), (NULL, 1, 'm')",
                           "(1, 2, 'f'), (1, 2, 'f'), (1, 2, 'f'), (1, 2, 'f'), (2, 1, NULL)"}) {
    MakeParquet(rows);
    for (const char* question :
         {kCounts, "SELECT count(*) FROM people WHERE x = 2", "SELECT sex, count(DISTINCT id) FROM people GROUP BY sex",
          "SELECT count(*) FROM people_units WHERE sex = 'f'", "SELECT median(x) FROM people"}) {
      const auto [runs, shown] = Both(question);
      EXPECT_EQ(runs, shown) << rows << ": " << question;
      EXPECT_FALSE(Has(runs, "error")) << question;
    }
  }
}

TEST_F(UnitRowsTest, AnImportIsLookedAtToo) {
  policy_.tables[0].source = "people.csv";
  Write("people.csv", "id,x,sex\n1,1,f\n2,1,m\n");
  EXPECT_EQ(Known(), "at most 1");
  Write("people.csv", "id,x,sex\n1,1,f\n1,1,f\n1,2,f\n");
  EXPECT_EQ(Known(), "nothing");
}

TEST_F(UnitRowsTest, KeysMayBeTexts) {
  EXPECT_EQ(With("('a', 1, 'f'), ('b', 2, 'm'), ('', 2, 'm')"), "at most 1");
  EXPECT_EQ(With("('a', 1, 'f'), ('b', 2, 'm'), ('a', 2, 'f'), (NULL, 2, 'm')"), "at most 2");
  EXPECT_EQ(With("('a', 1, 'f'), ('b', 2, 'm'), ('a', 2, 'f'), ('a', 2, 'f')"), "nothing");
  EXPECT_EQ(With("('a', 1, 'f'), ('b', 2, 'm'), ('a', 2, 'm')"), "nothing");
}

TEST_F(UnitRowsTest, OneLookIsEnoughForOneState) {
  MakeParquet("(1, 1, 'f'), (2, 2, 'm')");
  EXPECT_EQ(Known(), "at most 1");
  const std::size_t marks = Marks();
  EXPECT_GT(marks, 0u);
  EXPECT_EQ(Known(), "at most 1");
  EXPECT_EQ(Marks(), marks);
}

// The declared version stays the same, and so does the name: only the file differs.
TEST_F(UnitRowsTest, AFileThatChangedIsLookedAtAgain_ENGINE9) {
  MakeParquet("(1, 1, 'f'), (2, 2, 'm')");
  EXPECT_EQ(Known(), "at most 1");
  MakeParquet("(1, 1, 'f'), (1, 2, 'f'), (1, 2, 'f'), (2, 2, 'm')");
  EXPECT_EQ(Known(), "nothing");
  const auto [runs, shown] = Both("SELECT count(*) FROM people");
  EXPECT_EQ(runs, "3");
  EXPECT_EQ(shown, "3");
}

// The twin: what was found is kept by the declared version, so that unit 1 counts with all its rows.
TEST_F(UnitRowsTest, TheCheckAboveSeesAFindingThatIsKeptByVersion) {
  MakeParquet("(1, 1, 'f'), (2, 2, 'm')");
  const sql::UnitRows before = Open().value()->unit_rows();
  MakeParquet("(1, 1, 'f'), (1, 2, 'f'), (1, 2, 'f'), (2, 2, 'm')");
  const auto session = Open();
  ASSERT_TRUE(session);
  const auto plan = PlanQuestion("SELECT count(*) FROM people", policy_);
  ASSERT_TRUE(plan);
  EXPECT_EQ(Ask(**session, sql::DuckDb().Write(plan->statement, before)), "4");
}

// Whatever the rows of unit 1 say, it has one sex, which is that of one of them; and its rows are two.
TEST_F(UnitRowsTest, AConstantColumnIsReadFromOneRow_PLAN6) {
  MakeParquet("(1, 1, 'f'), (1, 2, 'm'), (1, 1, 'm'), (2, 2, 'm'), (2, 1, 'm'), (3, 1, NULL), (3, 2, 'f')");
  auto session = Open();
  ASSERT_TRUE(session) << session.error().Text();
  const auto sexes = [&](const std::string& question) {
    const auto plan = PlanQuestion(question, policy_);
    if (!plan) return plan.error().Text();
    const auto table = (*session)->Run(plan->statement, cancel_);
    if (!table) return table.error().Text();
    std::string text;
    for (std::size_t sex = 0; sex < 3; ++sex) {
      Int128 count = 0;
      for (const auto& row : table->rows) count += row[0] == Int128(sex) ? *row[1] : Int128{0};
      text += ToText(count) + (sex < 2 ? "," : "");
    }
    return text;
  };
  const auto one_of = [](const std::string& text, std::initializer_list<const char*> choices) {
    return std::find(choices.begin(), choices.end(), text) != choices.end();
  };
  const std::string units = sexes("SELECT sex, count(DISTINCT id) FROM people GROUP BY sex");
  EXPECT_TRUE(one_of(units, {"1,1,1", "0,2,1", "2,1,0", "1,2,0"})) << units;
  const std::string rows = sexes("SELECT sex, count(*) FROM people GROUP BY sex");
  EXPECT_TRUE(one_of(rows, {"2,2,2", "0,4,2", "4,2,0", "2,4,0"})) << rows;
  EXPECT_EQ(sexes("SELECT sex, count(*) FROM people_units GROUP BY sex"), units);
}

/// Columns with ends, checked as a server is asked about them.
class KnownColumnsTest : public EngineFixture {
 protected:
  KnownColumnsTest() {
    for (const char* name : {"x", "y"}) {
      Column& column = Declare(name, ColumnType::kInteger);
      column.lower = -2;
      column.upper = 5;
    }
    policy_.tables[0].columns[1].required = true;
    Column& day = Declare("day", ColumnType::kDate);
    day.lower = 0;
    day.upper = 10;
    Declare("free", ColumnType::kInteger);
    policy_.tables[0].source = "people.parquet";
    policy_.data_version = "2024";
    policy_.cells = Cells::Of(policy_.unit_table(), {});
  }

  void Fill(const std::string& rows) {
    WithDuckDb("COPY (SELECT * FROM (VALUES " + rows +
               ") AS v(x, y, \"day\", \"free\")) TO '{}/people.parquet' (FORMAT parquet)");
  }

  sql::UnitRows Look(const Session& session, const std::string& state) {
    const Asking asking{[](const std::string& sql) { return sql; },
                        [&](const std::string& sql) {
                          ++looks_;
                          return session.RunText(sql, cancel_);
                        }};
    const auto known = LookAtColumns(asking, sql::DuckDb(), policy_, state, KithFolder(folder_), {});
    EXPECT_TRUE(known) << known.error().Text();
    return known ? *known : sql::UnitRows{};
  }

  std::string Answer(const Session& session, const std::string& question, const sql::UnitRows& known) {
    const auto plan = PlanQuestion(question, policy_);
    return plan ? Sorted(Ask(session, sql::DuckDb().Write(plan->statement, known))) : plan.error().Text();
  }

  int looks_ = 0;
};

constexpr const char* kOfColumns[] = {"SELECT sum(x), sum(y), count(x), avg(x) FROM people",
                                      "SELECT sum(x + y) FROM people WHERE x > 1 AND day > DATE '1970-01-03'",
                                      "SELECT sum(CASE WHEN y < 3 THEN x END) FROM people WHERE x IS NOT NULL",
                                      "SELECT x, count(*) FROM people GROUP BY x ORDER BY x"};

TEST_F(KnownColumnsTest, WhatIsKnownOfColumnsIsTrueOfTheState_ENGINE16) {
  const std::string first = "(1, 2, DATE '1970-01-02', 9), ";
  // What is added, and how many of x, y and day then need no clamp. An infinite date is missing once it is opened.
  const std::vector<std::pair<std::string, std::size_t>> tables = {
      {"(-2, 5, DATE '1970-01-11', 99999999999)", 3},
      {"(NULL, 0, NULL, NULL)", 3},
      {"(6, 0, DATE '1970-01-02', 1)", 2},
      {"(-3, 0, DATE '1970-01-02', 1)", 2},
      {"(5, NULL, DATE '1970-01-02', 1)", 2},
      {"(5, 6, DATE '1970-01-12', 1)", 1},
      {"(5, 5, DATE '1969-12-31', 1)", 2},
      {"(77, -7, DATE 'infinity', 1)", 1},
      {"(9223372036854775807, 4, NULL, 1)", 2},
  };
  int state = 0;
  for (const auto& [row, within] : tables) {
    Fill(first + row);
    const auto session = Open();
    ASSERT_TRUE(session) << session.error().Text();
    const std::string name = std::to_string(++state);
    const sql::UnitRows known = Look(**session, name);
    EXPECT_EQ(known.within.size(), within) << row;
    EXPECT_EQ(known.rows, 2);
    for (const char* question : kOfColumns) {
      const std::string answer = Answer(**session, question, known);
      EXPECT_EQ(answer, Answer(**session, question, {})) << row << ": " << question;
      EXPECT_FALSE(Has(answer, "error")) << answer;
    }
    const sql::UnitRows again = Look(**session, name);
    EXPECT_EQ(again.within, known.within);
    EXPECT_EQ(again.rows, known.rows);
    EXPECT_EQ(looks_, state);  // remembered
  }
}

// What is remembered is a hint: anything else in its place is recomputed.
TEST_F(KnownColumnsTest, WhatCannotBeReadBackIsLookedAtAgain_ENGINE16) {
  Fill("(1, 2, DATE '1970-01-02', 9)");
  const auto session = Open();
  ASSERT_TRUE(session) << session.error().Text();
  const sql::UnitRows known = Look(**session, "s");
  for (const char* text : {"", "1 0 0", "1 0 0 0", "1 0 0 0 0 \n", "1 0 0 x \n", "99999999999999999999 0 0 0 \n"}) {
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / ".kith" / "checked"))
      std::ofstream(entry.path()) << text;
    looks_ = 0;
    EXPECT_EQ(Look(**session, "s").within, known.within) << text;
    EXPECT_EQ(looks_, 1) << text;
  }
}

// The twin: what was true of another state changes answers. What was found about other ends is not used.
TEST_F(KnownColumnsTest, TheCheckAboveSeesWhatWasKnownOfAnotherState) {
  Fill("(1, 2, DATE '1970-01-02', 9)");
  const sql::UnitRows before = Look(*Open().value(), "one state");
  EXPECT_EQ(before.within.size(), 3U);
  Fill("(1, 2, DATE '1970-01-02', 9), (100, 2, DATE '1970-01-02', 9)");
  const auto session = Open();
  ASSERT_TRUE(session) << session.error().Text();
  EXPECT_NE(Answer(**session, kOfColumns[0], before), Answer(**session, kOfColumns[0], {}));
  EXPECT_EQ(Answer(**session, kOfColumns[0], Look(**session, "another")), Answer(**session, kOfColumns[0], {}));
  policy_.tables[0].columns[0].upper = 4;
  EXPECT_EQ(Answer(**session, "SELECT sum(x) FROM people", before), Answer(**session, "SELECT sum(x) FROM people", {}));
}

constexpr const char* kSums[] = {"SELECT sum(x) FROM people", "SELECT sum(x * y) FROM people",
                                 "SELECT sum(abs(x - 3)) FROM people WHERE x > -9"};

class NarrowSumsTest : public KnownColumnsTest {
 protected:
  /// The most that a row added to the question's sum, of all rows that there can be: asked with one row at a time.
  Int128 MostOfARow(const std::string& question) {
    Int128 most = 0;
    for (const int x : {-2, 3, 5}) {
      for (const int y : {-2, 5}) {
        Fill(fmt::format("({}, {}, DATE '1970-01-02', 9)", x, y));
        const auto session = Open();
        if (!session) return 0;
        most = std::max<Int128>(most, std::llabs(std::stoll(Answer(**session, question, {}))));
      }
    }
    return most;
  }

  /// Would Trino add up in 64 bits, told of this many rows?
  bool Narrow(const std::string& question, std::int64_t counted) {
    sql::UnitRows known;
    known.rows = counted;
    return sql::Trino().Write(PlanQuestion(question, policy_).value().statement, known).find("DECIMAL") ==
           std::string::npos;
  }
  /// Rows of a state of which the scan had counted this many overflow 64 bits.
  bool Fault(const std::string& question, Int128 most, std::int64_t rows, std::int64_t counted) {
    return Narrow(question, counted) && most * rows > std::numeric_limits<std::int64_t>::max();
  }
};

TEST_F(NarrowSumsTest, NoRowsOfTheStateLeaveThem_ENGINE16) {
  for (const std::string question : kSums) {
    const Int128 most = MostOfARow(question);
    ASSERT_GE(most, 5) << question;
    const auto last = static_cast<std::int64_t>(std::numeric_limits<std::int64_t>::max() / most);
    EXPECT_TRUE(Narrow(question, last / 4)) << question;  // bounds of the planner may be wider, not by much
    for (const std::int64_t rows : {std::int64_t{1}, last / 4, last - 1, last, last + 1, 2 * last})
      EXPECT_FALSE(Fault(question, most, rows, rows)) << question << rows;
  }
}

// The twin: the rows of another state were counted.
TEST_F(NarrowSumsTest, TheCheckAboveSeesAWrongNumberOfRows) {
  for (const std::string question : kSums) {
    const Int128 most = MostOfARow(question);
    const auto last = static_cast<std::int64_t>(std::numeric_limits<std::int64_t>::max() / most);
    EXPECT_TRUE(Fault(question, most, last + 1, last / 4)) << question;
  }
}

}  // namespace
}  // namespace kith
