// The curator's report: what an import finds, for every kind of source.
#include "engine/duckdb/report_tables.h"

#include <fmt/format.h>

#include "engine/duckdb/engine_fixture.h"
#include "policy/facts.h"

namespace kith {
namespace {

constexpr char kRows[] =
    "id,house,sex,age,weight,day,ill\n"
    "1,1,female,30,50.5,2024-01-01,true\n"
    "1,1,Female,31,inf,2024-01-02,yes\n"
    "1,1,female,NA,51,2024-01-03,maybe\n"
    "2,1,male,130,,30.10.1861,false\n"
    "3,1, male,-4,70,2024-01-05,no\n"
    ",2,male,40,70,2024-01-05,no\n"
    "x,2,males,40,70,2024-01-05,no\n"
    "4,3,,40,70,2030-01-01,no\n"
    "\"open,3,male,40,70,2024-01-05,no\n";

class ReportTest : public EngineFixture {
 protected:
  ReportTest() {
    policy_.unit.key = "id";
    policy_.unit.max_rows = 2;
    Declare("id", ColumnType::kInteger);
    Declare("house", ColumnType::kInteger, true);
    Declare("sex", ColumnType::kText).values = {std::string("female"), std::string("male")};
    Column& age = Declare("age", ColumnType::kInteger);
    age.lower = 0;
    age.upper = 120;
    Declare("weight", ColumnType::kReal).lower = 51;
    policy_.tables[0].columns.back().upper = 60;
    Declare("day", ColumnType::kDate);
    Declare("ill", ColumnType::kBoolean).values = {false, true};
    policy_.dependence.by = "house";
    policy_.dependence.model = Group{3, {}};
  }

  /// The report of an import, which may fail afterwards.
  DataReport Report(const std::string& import) {
    std::optional<DataReport> report;
    const auto lock = ImportLock::Take(policy_, Heard());
    EXPECT_TRUE(lock);
    const auto done = ImportTables(*lock, policy_, import, {}, Options(), Heard(),
                                   [&report](const DataReport& found) { report = found; });
    error_ = done ? std::string() : done.error().Text();
    EXPECT_TRUE(report) << error_;
    return report.value_or(DataReport{});
  }

  static std::string Text(const Spellings& spellings) {
    std::string text;
    for (const Spelling& one : spellings.shown) text += fmt::format("[{}]{}>{} ", one.text, one.rows, one.nearest);
    return text + std::to_string(spellings.distinct);
  }

  /// empty, unreadable, undeclared, below, above
  static std::string Counts(const ColumnReport& column) {
    return fmt::format("{} {} {} {} {}", column.empty, column.unreadable, column.undeclared, column.below,
                       column.above);
  }

  static void ExpectColumns(const TableReport& table) {
    ASSERT_EQ(table.rows, 8);
    ASSERT_EQ(table.columns.size(), 7u);
    EXPECT_EQ(Counts(table.columns[0]), "1 1 0 0 0");
    EXPECT_EQ(Text(table.columns[0].unreadable_as), "0");  // keys name people
    EXPECT_EQ(Counts(table.columns[1]), "0 0 0 0 0");
    EXPECT_EQ(Counts(table.columns[2]), "1 0 3 0 0");
    EXPECT_EQ(Text(table.columns[2].undeclared_as), "[ male]1>male [Female]1>female [males]1>male 3");
    EXPECT_EQ(Counts(table.columns[3]), "0 1 0 1 1");
    EXPECT_EQ(Text(table.columns[3].unreadable_as), "[NA]1> 1");
    EXPECT_EQ(table.columns[3].Missing(), 1);
    EXPECT_EQ(Counts(table.columns[4]), "1 1 0 1 4");  // an infinite weight is none
    EXPECT_EQ(Counts(table.columns[5]), "0 1 0 0 0");
    EXPECT_EQ(Text(table.columns[5].unreadable_as), "[30.10.1861]1> 1");
    EXPECT_EQ(Counts(table.columns[6]), "0 1 0 0 0");
    EXPECT_EQ(Text(table.columns[6].unreadable_as), "[maybe]1> 1");
    EXPECT_EQ(table.columns[1].units_that_differ, 0);
  }

  static void ExpectUnits(const DataReport& report) {
    ASSERT_TRUE(report.units);
    EXPECT_EQ(report.units->without_key, 2);
    EXPECT_EQ(report.units->units, 4);
    EXPECT_EQ(report.units->largest, 3);
    EXPECT_EQ(report.units->units_over, 1);
    EXPECT_EQ(report.units->rows_beyond, 1);
    ASSERT_EQ(report.groups.size(), 1u);
    EXPECT_EQ(report.groups[0].groups, 2);
    EXPECT_EQ(report.groups[0].largest, 3);
    EXPECT_EQ(report.groups[0].over, 0);
    EXPECT_EQ(report.groups[0].size, 3);
  }

  std::string error_;
};

TEST_F(ReportTest, OfACsvFile) {
  Write("people.csv", kRows);
  const DataReport report = Report("a-1");
  EXPECT_EQ(error_, "");
  ASSERT_EQ(report.tables.size(), 1u);
  EXPECT_EQ(report.tables[0].dropped, 1);
  EXPECT_EQ(report.tables[0].dropped_at, std::vector<std::int64_t>{10});
  ExpectColumns(report.tables[0]);
  ExpectUnits(report);
  EXPECT_EQ(Notices(), "read 8 rows of people.csv; 1 broken row was dropped\n");
}

TEST_F(ReportTest, LinesThatMayNotBeDroppedAreReportedBeforeTheImportIsRefused) {
  policy_.unit.presence = Presence::kPublic;
  Write("people.csv", kRows);
  const DataReport report = Report("a-1");
  EXPECT_TRUE(Has(error_, "line 10 cannot be read"));
  ASSERT_EQ(report.tables.size(), 1u);
  EXPECT_EQ(report.tables[0].dropped, 1);
}

TEST_F(ReportTest, OfFilesReadInPlace) {
  const std::string rows = kRows;
  Write("lines.csv", rows.substr(0, rows.find("\"open")));  // other readers have other rules for broken lines
  WithDuckDb(
      "ATTACH '{}/people.duckdb' AS f; CREATE TABLE f.people AS SELECT * FROM read_csv('{}/lines.csv', header = true, "
      "all_varchar = true); COPY f.people TO '{}/people.parquet'; DETACH f");
  for (const char* source : {"people.parquet", "people.duckdb"}) {
    policy_.tables[0].source = source;
    const DataReport report = Report("");
    EXPECT_EQ(error_, "") << source;
    ASSERT_EQ(report.tables.size(), 1u);
    EXPECT_EQ(report.tables[0].dropped, std::nullopt);
    ExpectColumns(report.tables[0]);
    ExpectUnits(report);
  }
}

TEST_F(ReportTest, DataThatBreakAPromiseHaveOneToo) {
  Write("people.csv", kRows);
  policy_.dependence.model = Group{2, {}};
  const DataReport report = Report("a-1");
  EXPECT_TRUE(Has(error_, "more than 2 members"));
  ASSERT_EQ(report.groups.size(), 1u);
  EXPECT_EQ(report.groups[0].over, 1);
  EXPECT_EQ(report.groups[0].largest, 3);
  std::string house = kRows;
  house.replace(house.find("1,1,Female"), 4, "1,7,");
  Write("people.csv", house);
  EXPECT_EQ(Report("a-2").tables.at(0).columns.at(1).units_that_differ, 1);
}

TEST_F(ReportTest, RowsOfAStreamAreCountedByStep) {
  Write("people.csv", kRows);
  policy_.stream = Stream{.time = "day", .type = ColumnType::kDate, .start = 19723, .step = 2, .window = 3};
  const DataReport report = Report("a-1");
  ASSERT_TRUE(report.units);
  EXPECT_EQ(report.units->largest, 2);  // 2024-01-01 and -02 are one step, -03 is the next
  EXPECT_EQ(report.units->units_over, 0);
  EXPECT_EQ(report.units->units, 3);  // one has no time that can be read
}

/// Somebody is met four times, by three people; somebody has five rows.
class OtherTables : public ReportTest {
 protected:
  OtherTables() {
    Write("people.csv", kRows);
    Write("met.csv", "a,b\n1,9\n2,9\n2,9\n3,9\n4,8\n5,5\n5,6\n5,7\n5,1\n5,2\n,9\n6,\n");
    Table& met = policy_.tables.emplace_back();
    met.name = "met";
    met.source = "met.csv";
    met.key = "a";
    met.max_rows = 2;
    met.other = "b";
    met.max_other = 3;
    for (const char* name : {"a", "b"}) {
      Column& column = met.columns.emplace_back();
      column.name = name;
      column.type = ColumnType::kInteger;
    }
  }
};

TEST_F(OtherTables, RowsBeyondTheLimitAndRowsThatNameOneUnitAreCounted_TABLES4) {
  const DataReport report = Report("a-1");
  EXPECT_EQ(error_, "") << "nothing is refused";
  ASSERT_EQ(report.more_units.size(), 1u);
  const UnitsReport& met = report.more_units[0];
  EXPECT_EQ(met.table, "met");
  EXPECT_EQ(met.without_key, 1);
  EXPECT_EQ(met.rows, 11);
  EXPECT_EQ(met.units, 6);
  EXPECT_EQ(met.largest, 5);
  EXPECT_EQ(met.units_over, 1);
  EXPECT_EQ(met.rows_beyond, 3);
  ASSERT_TRUE(met.others);
  EXPECT_EQ(met.others->largest, 4);  // a row without a key is nobody's
  EXPECT_EQ(met.others->units_over, 1);
  ASSERT_EQ(met.limits.size(), 4u);  // 1, 2, 4 and 8
  EXPECT_EQ(met.limits[0].rows_beyond, 5);
  EXPECT_EQ(met.limits[0].units_over, 2);
  EXPECT_EQ(met.limits[2].rows_beyond, 1);
  EXPECT_EQ(met.limits[3].max_rows, 8);
  EXPECT_EQ(met.limits[3].rows_beyond, 0);
  EXPECT_EQ(met.Proposed(), 1) << "noise weighs more than a few rows";
  EXPECT_LT(met.limits[0].error_95, met.limits[1].error_95);
  EXPECT_EQ(report.promised, PromisesNotCounted(policy_));
}

// The planted fault: the promise is not looked at, as if it were about as many rows as there are.
TEST_F(OtherTables, TheCheckAboveSeesAPromiseThatIsNotCounted_TABLES4) {
  policy_.tables[1].max_other = 4;
  EXPECT_EQ(Report("a-1").more_units.at(0).others->units_over, 0);
}

TEST_F(ReportTest, ValuesThatWouldStopAQueryAreCounted) {
  WithDuckDb(
      "COPY (SELECT * FROM (VALUES (1, 'infinity'::TIMESTAMP, '24:00:00'::TIME), (2, '2024-01-01'::TIMESTAMP, "
      "'12:00:00'::TIME)) t(id, at_time, clock)) TO '{}/people.parquet'");
  policy_.tables[0].source = "people.parquet";
  policy_.tables[0].columns.clear();
  policy_.dependence.by.reset();
  Declare("at_time", ColumnType::kDate);
  Declare("clock", ColumnType::kInteger);
  const DataReport report = Report("");
  ASSERT_EQ(report.tables.size(), 1u) << error_;
  EXPECT_EQ(Counts(report.tables[0].columns[0]), "0 1 0 0 0");
  EXPECT_EQ(Counts(report.tables[0].columns[1]), "0 2 0 0 0");
  EXPECT_TRUE(report.tables[0].columns[0].unreadable_as.shown.empty());
}

TEST_F(ReportTest, OnlyTheMostFrequentSpellingsAreShownAndLongOnesAreCut) {
  std::string rows = "id,house,sex,age,weight,day,ill\n";
  for (int k = 0; k < 20; ++k) {
    rows += fmt::format("{},{},s{},1,1,2024-01-01,no\n", k, k, k < 10 ? 0 : k);
  }
  rows += "99,99," + std::string(500, 'z') + ",1,1,2024-01-01,no\n";
  Write("people.csv", rows);
  const Spellings found = Report("a-1").tables.at(0).columns.at(2).undeclared_as;
  EXPECT_EQ(found.distinct, 12);
  ASSERT_EQ(found.shown.size(), Spellings::kShown);
  EXPECT_EQ(found.shown[0].text, "s0");
  EXPECT_EQ(found.shown[0].rows, 10);
  for (const Spelling& one : found.shown) EXPECT_LE(one.text.size(), 60u);
}

TEST_F(ReportTest, StagesAreTheSameWhateverIsRead) {
  const auto stages = [this](const std::string& import) {
    std::string heard;
    Call call = Heard();
    call.stages = [&heard](std::optional<std::string_view> begins) {
      heard += begins ? fmt::format("{}(", *begins) : ")";
    };
    const auto lock = ImportLock::Take(policy_, Heard());
    EXPECT_TRUE(ImportTables(*lock, policy_, import, {}, Options(), call, [](const DataReport&) {}));
    return heard;
  };
  Write("people.csv", kRows);
  const std::string first = stages("a-1");
  EXPECT_EQ(first, "reading people.csv in()counting what was read()checking the data()");
  Write("people.csv", "id,house,sex,age,weight,day,ill\n1,1,male,1,1,2024-01-01,no\n");
  EXPECT_EQ(stages("a-2"), first);
}

}  // namespace
}  // namespace kith
