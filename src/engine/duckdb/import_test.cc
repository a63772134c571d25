// CSV files into snapshots: what is read, what is dropped, what is refused.
#include <fmt/format.h>

#include <algorithm>

#include "engine/duckdb/engine_fixture.h"

namespace kith {
namespace {

class ImportTest : public EngineFixture {
 protected:
  ImportTest() {
    Declare("id", ColumnType::kInteger);
    Declare("name", ColumnType::kText);
    Declare("age", ColumnType::kReal);
  }
  /// ids in order, as one number each
  std::string Ids() { return OpenAndAsk("SELECT id FROM people ORDER BY id NULLS LAST"); }
  std::string Error() {
    auto engine = Open();
    return engine ? "opened" : engine.error().Text();
  }
};

TEST_F(ImportTest, ReadsDeclaredColumnsInAnyOrder) {
  Write("people.csv", "age,extra,name,id\n30.5,x,ann,1\n40,y,bob,2\n");
  EXPECT_EQ(OpenAndAsk("SELECT id, (age * 10)::BIGINT, name = 'ann' FROM people ORDER BY id"), "1,305,1;2,400,0");
  EXPECT_EQ(Notices(), "read 2 rows of people.csv\n");
}

TEST_F(ImportTest, UndeclaredColumnsCannotBeSeen) {
  Write("people.csv", "age,extra,name,id\n30.5,x,ann,1\n");
  EXPECT_TRUE(Has(OpenAndAsk("SELECT count(extra) FROM people"), "error"));
  EXPECT_EQ(OpenAndAsk("SELECT count(*) FROM (DESCRIBE people)"), "3");
}

TEST_F(ImportTest, OpeningImportsNothing) {
  Write("people.csv", "id,name,age\n1,ann,3\n");
  ASSERT_EQ(Import("a-1"), "");
  EXPECT_EQ(Notices(), "read 1 row of people.csv\n");
  notices_.clear();
  EXPECT_EQ(AskImport("a-1", "SELECT sum(id) FROM people"), "1");
  EXPECT_EQ(Notices(), "");
}

TEST_F(ImportTest, WhatWasCheckedIsHandedOnAsItWouldBeOpened) {
  const std::string file = Write("people.csv", "id,name,age\n1,ann,3\n");
  const auto lock = ImportLock::Take(policy_, Heard());
  ASSERT_TRUE(lock);
  for (const bool reported : {false, true}) {
    const std::string id = reported ? "a-2" : "a-1";
    const DataReportSink none, ignored = [](const DataReport&) {};
    Write("people.csv", "id,name,age\n1,ann,3\n");
    const auto handed = ImportTables(*lock, policy_, id, {}, Options(), Heard(), reported ? ignored : none);
    ASSERT_TRUE(handed && *handed);
    Write("people.csv", "id,name,age\n5,eve,3\n");
    const auto opened = OpenImport(id);
    ASSERT_TRUE(opened);
    EXPECT_EQ((*handed)->version(), (*opened)->version());
    for (const Session* session : {handed->get(), opened->get()}) {
      EXPECT_EQ(Ask(*session, "SELECT sum(id) FROM people"), "1");
      EXPECT_TRUE(Has(Ask(*session, "SELECT count(*) FROM read_text('" + file + "')"), "error"));  // locked down
      EXPECT_TRUE(Has(Ask(*session, "SELECT count(*) FROM \"kith.report\""), "error"));
      EXPECT_EQ(Ask(*session, "SELECT count(*) FROM duckdb_views() WHERE NOT internal"), "1");
    }
  }
}

TEST_F(ImportTest, BrokenRowsAreDroppedOneByOne) {
  Write("people.csv",
        "id,name,age\n"
        "1,ann,1\n"
        "2,bob\n"      // too few
        "3,cec,1,1\n"  // too many
        "4,dan,1\n"
        "5,\"eve,1\n"  // a quote that never closes
        "6,fay,1\n"
        "7,g\"us,1\n"     // a quote inside
        "8,\"hal\"x,1\n"  // something after a quote
        "9,\"ida\",1\n");
  EXPECT_EQ(Ids(), "1;4;6;9");
  EXPECT_TRUE(Has(Notices(), "read 4 rows of people.csv; 5 broken rows were dropped"));
}

// One record with an open quote must not swallow the lines after it, whether closed again later or not.
TEST_F(ImportTest, AnOpenQuoteSwallowsNoNeighbour) {
  Write("people.csv", "id,name,age\n1,\"open,1\n2,ann,1\n3,bob,1\n4,close\",1\n5,cec,1\n6,\"again,1\n");
  EXPECT_EQ(Ids(), "2;3;5");
}

// Files of the same people that differ in one secret text, which is written as it is, in quotes, or over two lines.
const char* const kSecretTexts[] = {"ann",           "a,n", "\"ann", "an\"n", "\"a\nn\"", "\"a\n2,forged,5\nb\"",
                                    "\"x\ny\",1,\"z"};

TEST_F(ImportTest, WherePresenceIsPublicEveryLineIsARow_TOTAL1) {
  policy_.unit.presence = Presence::kPublic;
  for (const char* text : kSecretTexts) {
    Write("people.csv", fmt::format("id,name,age\n1,{},1\n2,bob,2\n", text));
    const std::string counted = OpenAndAsk("SELECT count(*), count(id), sum(id) FROM people");
    if (counted.starts_with("error")) {
      EXPECT_TRUE(Has(counted, "every line must be a row")) << text;
    } else {
      EXPECT_EQ(counted, "2,2,3") << text;
    }
  }
}

TEST_F(ImportTest, TheCheckAboveSeesLinesThatAreDropped) {
  int other = 0;
  for (const char* text : kSecretTexts) {
    Write("people.csv", fmt::format("id,name,age\n1,{},1\n2,bob,2\n", text));
    other += OpenAndAsk("SELECT count(*), count(id), sum(id) FROM people") != "2,2,3" ? 1 : 0;
  }
  EXPECT_EQ(other, 6);
}

TEST_F(ImportTest, TheLinesToMendAreNamed) {
  policy_.unit.presence = Presence::kPublic;
  Write("people.csv", "id,name,age\n1,ann,1\n2,bob\n\n3,\"cec,1\n4,dan,1\n");
  const std::string error = Import("a-1");
  EXPECT_TRUE(Has(error, "lines 3 and 5 cannot be read"));
  EXPECT_TRUE(Has(error, "people.csv"));
  EXPECT_FALSE(Has(error, "cec"));
  EXPECT_TRUE(Has(AskImport("a-1", "SELECT 1"), "the imported data are not there"));
  std::string csv = "id,name,age\n";
  for (int k = 0; k < 12; ++k) csv += "1\n";
  Write("people.csv", csv);
  EXPECT_TRUE(Has(Import("a-2"), "lines 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 2 others cannot"));
  policy_.tables[0].columns.resize(1);
  Write("people.csv", "id\n1\n\n3\n");  // a row without a value, or no row?
  EXPECT_TRUE(Has(Import("a-3"), "line 3 cannot be read"));
  Write("people.csv", "id\n1\n\"\"\n3\n");
  EXPECT_EQ(Import("a-4"), "");
  EXPECT_EQ(AskImport("a-4", "SELECT count(*), count(id) FROM people"), "3,2");
}

TEST_F(ImportTest, LinesOfAPublicTableMayBeMissing) {
  policy_.unit.presence = Presence::kPublic;
  DeclareTable("wards", "wards.csv", "ward", ColumnType::kInteger);
  Write("people.csv", "id,name,age\n1,ann,1\n");
  Write("wards.csv", "ward,name\n1,a\n2\n");
  EXPECT_EQ(OpenAndAsk("SELECT count(*) FROM wards"), "1");
}

TEST_F(ImportTest, LineEndsByteOrderMarkBlankLinesAndNoFinalNewline) {
  Write("people.csv", "\xEF\xBB\xBFid,name,age\r\n1,ann,2\r\n\r\n2,bob,3\n\n3,cec,4");
  EXPECT_EQ(OpenAndAsk("SELECT id, age::BIGINT FROM people ORDER BY id"), "1,2;2,3;3,4");
}

TEST_F(ImportTest, QuotedNamesAndTabs) {
  policy_.tables[0].source = "people.tsv";
  Write("people.tsv", "\"id\"\tname\t\"age\"\n1\ta,b\t2\n");
  EXPECT_EQ(OpenAndAsk("SELECT id, name = 'a,b', age::BIGINT FROM people"), "1,1,2");
}

TEST_F(ImportTest, EmptyIsMissingButQuotedEmptyIsText) {
  Write("people.csv", "id,name,age\n1,,\n2,\"\",\"\"\n");
  EXPECT_EQ(OpenAndAsk("SELECT id, name IS NULL, age IS NULL FROM people ORDER BY id"), "1,1,1;2,0,1");
}

TEST_F(ImportTest, UnreadableValuesAreMissingAndCounted) {
  Write("people.csv", "id,name,age\nx,ann,old\n2,b\xE9,NA\n99999999999999999999,cec,7\n");
  EXPECT_EQ(OpenAndAsk("SELECT count(*), count(id), count(name), count(age) FROM people"), "3,1,2,1");
  EXPECT_TRUE(Has(Notices(), "id of people.csv: 2 values could not be read as BIGINT and will count as missing"));
  EXPECT_TRUE(Has(Notices(), "name of people.csv: 1 value could not be read as VARCHAR and will count as missing"));
  EXPECT_TRUE(Has(Notices(), "age of people.csv: 2 values could not be read as DOUBLE and will count as missing"));
}

TEST_F(ImportTest, StrangeNumbers) {
  Write("people.csv", "id,name,age\n1,a,1e400\n2,b,NaN\n3,c,-inf\n4,d,1e-400\n5,e,0x10\n6,f, 7 \n");
  EXPECT_EQ(OpenAndAsk("SELECT id, isinf(age), isnan(age), age > 0, age = 0, age = 7 FROM people ORDER BY id"),
            "1,1,0,1,0,0;2,0,1,1,0,0;3,1,0,0,0,0;4,0,0,0,1,0;5,NULL,NULL,NULL,NULL,NULL;6,0,0,1,0,1");
}

TEST_F(ImportTest, DatesTimesAndBooleans) {
  policy_.tables[0].columns.clear();
  Declare("id", ColumnType::kInteger);
  Declare("day", ColumnType::kDate);
  Declare("at", ColumnType::kTimestamp);
  Declare("ok", ColumnType::kBoolean);
  Write("people.csv",
        "id,day,at,ok\n"
        "1,2024-02-29,2024-02-29 01:02:03,true\n"
        "2,2023-02-29,2024-02-30 01:02:03,maybe\n"
        "3,infinity,-infinity,f\n"
        "4,1970-01-02,1970-01-01T02:00:00+02:00,1\n"
        "5,1970-01-01,1970-01-01 00:00:00.000001Z,0\n");
  EXPECT_EQ(OpenAndAsk("SELECT id, day - DATE '1970-01-01', epoch_us(\"at\"), ok FROM people ORDER BY id"),
            "1,19782,1709168523000000,1;2,NULL,NULL,NULL;3,NULL,NULL,0;4,1,0,1;5,0,1,0");
}

TEST_F(ImportTest, ALineOfAMegabyteIsBrokenAndCostsNobodyElse) {
  std::string csv = "id,name,age\n1,ann,1\n2," + std::string(3 << 20, 'x') + ",1\n3,cec,1\n";
  Write("people.csv", csv);
  EXPECT_EQ(Ids(), "1;3");
  EXPECT_TRUE(Has(Notices(), "1 broken row was dropped"));
}

// Lines that straddle the ranges in which the file is read, for every position of the boundary within a line.
TEST_F(ImportTest, EveryLineIsReadOnceAcrossRanges) {
  std::string csv = "id,name,age\n";
  std::int64_t rows = 0, sum = 0;
  while (csv.size() < (std::size_t{17} << 20)) {
    csv += std::to_string(rows) + "," + std::string(static_cast<std::size_t>(rows * 7919 % 97), 'n') + "," +
           std::to_string(rows % 10) + "\n";
    sum += rows++;
  }
  Write("people.csv", csv);
  EXPECT_EQ(OpenAndAsk("SELECT count(*), sum(id), count(DISTINCT id), count(age), max(id) FROM people"),
            fmt::format("{0},{1},{0},{0},{2}", rows, sum, rows - 1));
  policy_.unit.presence = Presence::kPublic;
  const std::size_t half = csv.find('\n', csv.size() / 2) + 1;
  const auto before = std::count(csv.begin(), csv.begin() + static_cast<std::ptrdiff_t>(half), '\n');
  Write("people.csv", csv.insert(half, "half\n") + "last");
  EXPECT_TRUE(Has(Import("a-1"), fmt::format("lines {} and {} cannot be read", before + 1, rows + 3)));
}

TEST_F(ImportTest, MissingAndRepeatedColumnsAreNamed) {
  Write("people.csv", "id,name\n1,ann\n");
  EXPECT_TRUE(Has(Error(), "does not name the column \"age\""));
  Write("people.csv", "id,name,age,age\n1,ann,2,3\n");
  EXPECT_TRUE(Has(Error(), "names the column \"age\" 2 times"));
  Write("people.csv", "id;name;age\n1;ann;2\n");
  EXPECT_TRUE(Has(Error(), "separated by commas"));
}

TEST_F(ImportTest, FilesThatAreNoCsv) {
  EXPECT_TRUE(Has(Error(), "there is no such file"));
  Write("people.csv", "");
  EXPECT_TRUE(Has(Error(), "the file is empty"));
  Write("people.csv", "\nid,name,age\n");
  EXPECT_TRUE(Has(Error(), "first line is empty"));
  Write("people.csv", std::string("\xFF\xFEi\0d\0", 6));
  EXPECT_TRUE(Has(Error(), "UTF-16"));
  Write("people.csv", "\x1F\x8B\x08 packed");
  EXPECT_TRUE(Has(Error(), "compressed"));
  Write("people.csv", "id,\"name,age\n");
  EXPECT_TRUE(Has(Error(), "the header is broken"));
  Write("people.csv", std::string(2 << 20, 'a'));
  EXPECT_TRUE(Has(Error(), "longer than a header"));
  std::filesystem::remove(folder_ / "people.csv");
  std::filesystem::create_directory(folder_ / "people.csv");
  EXPECT_TRUE(Has(Error(), "not a regular file"));
}

TEST_F(ImportTest, AHeaderAloneIsAnEmptyTable) {
  Write("people.csv", "id,name,age");
  EXPECT_EQ(OpenAndAsk("SELECT count(*), sum(id) FROM people"), "0,NULL");
}

TEST_F(ImportTest, KeyAndGroupColumnsAreShownWithoutBeingDeclared) {
  policy_.unit.key = "key";
  policy_.dependence.by = "pair";
  Write("people.csv", "pair,id,name,age,key\np,1,ann,2,k\n");
  EXPECT_EQ(OpenAndAsk("SELECT key = 'k', pair = 'p' FROM people"), "1,1");
}

TEST_F(ImportTest, ColumnsThatDifferInCaseOnlyAreRefused) {
  Declare("ID", ColumnType::kInteger);
  Write("people.csv", "id,ID,name,age\n");
  EXPECT_TRUE(Has(Error(), "differ only in upper and lower case"));
}

TEST_F(ImportTest, ErrorsHoldNoData) {
  Write("people.csv", "SECRETVALUE,SECRETVALUE\nSECRETVALUE,\"SECRETVALUE\n");
  EXPECT_FALSE(Has(Error(), "SECRETVALUE"));
}

}  // namespace
}  // namespace kith
