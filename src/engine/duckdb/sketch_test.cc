// Names and types for a starting policy.
#include <fmt/format.h>
#include <sys/resource.h>

#include "engine/duckdb/engine_fixture.h"

namespace kith {
namespace {

class SketchTest : public EngineFixture {
 protected:
  std::string Sketch(const std::string& name) {
    auto sketch = SketchFile((folder_ / name).string(), cancel_);
    if (!sketch) return "error: " + sketch.error().Text();
    const char* const kTypes[] = {"boolean", "integer", "real", "text", "date", "timestamp"};
    std::string text;
    for (const ColumnSketch& column : sketch->columns) {
      if (!column.skipped) text += column.name + ":" + kTypes[static_cast<int>(column.type)] + " ";
    }
    return text;
  }
};

TEST_F(SketchTest, Csv) {
  Write("a.csv",
        "flag,count,weight,day,moment,word,mixed,nothing,big\n"
        "true,1,1.5,2024-01-31,2024-01-31 10:00:00,x,1,,1\n"
        "FALSE,-2,2,2024-02-01,2024-01-31T10:00:00Z,,x,,99999999999999999999\n"
        "broken\n");
  EXPECT_EQ(
      Sketch("a.csv"),
      "flag:boolean count:integer weight:real day:date moment:timestamp word:text mixed:text nothing:text big:real ");
}

TEST_F(SketchTest, FilesWithoutHeaderAreRefusedAndNotShown) {
  for (const char* first :
       {"1,SECRETVALUE,3", "SECRETVALUE,SECRETVALUE,x", "SECRETVALUE,,x", "SECRETVALUE,1.5e3,x", "-7,SECRETVALUE"}) {
    Write("a.csv", std::string(first) + "\nSECRETVALUE,2,3\n");
    EXPECT_TRUE(Has(Sketch("a.csv"), "is not a header")) << first;
    EXPECT_FALSE(Has(Sketch("a.csv"), "SECRETVALUE")) << first;
  }
  Write("a.csv", "");
  EXPECT_TRUE(Has(Sketch("a.csv"), "is empty"));
  EXPECT_TRUE(Has(Sketch("missing.csv"), "no such file"));
}

// Memory for one question grows with the square of its columns: they are examined a few at a time.
TEST_F(SketchTest, WideFilesTakeLittleMemory) {
  constexpr int kColumns = 100;
  std::string header = "id", row = "1", expected = "id:integer ";
  for (int k = 0; k < kColumns; ++k) {
    header += fmt::format(",c{}", k);
    row += k % 3 == 0 ? ",7" : k % 3 == 1 ? ",1.5" : ",word";
    expected += fmt::format("c{}:{} ", k, k % 3 == 0 ? "integer" : k % 3 == 1 ? "real" : "text");
  }
  std::string csv = header + "\n";
  for (int i = 0; i < 20; ++i) csv += row + "\n";
  Write("wide.csv", csv);
  Write("narrow.csv", "id\n1\n");
  EXPECT_EQ(Sketch("narrow.csv"), "id:integer ");  // DuckDB itself is loaded by the first look
  rusage before{}, after{};
  ::getrusage(RUSAGE_SELF, &before);
  EXPECT_EQ(Sketch("wide.csv"), expected);
  ::getrusage(RUSAGE_SELF, &after);
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 100'000)
      << "kB; 500 columns took 5.6 GB when all were looked at together";
}

TEST_F(SketchTest, CanBeStopped) {
  Write("a.csv", "a,b\n1,2\n");
  cancel_.Cancel();
  EXPECT_TRUE(Has(Sketch("a.csv"), "stopped"));
}

TEST_F(SketchTest, Parquet) {
  WithDuckDb(
      "COPY (SELECT 1::UTINYINT AS a, 1.5::DECIMAL(9,2) AS b, 'x' AS c, true AS d, DATE '2024-01-01' AS e, "
      "TIMESTAMPTZ '2024-01-01' AS f, [1] AS g, 1.5::FLOAT AS h, 12::DECIMAL(9,0) AS i) TO '{}/a.parquet'");
  EXPECT_EQ(Sketch("a.parquet"), "a:integer b:real c:text d:boolean e:date f:timestamp h:real i:integer ");
}

TEST_F(SketchTest, DuckDbTable) {
  WithDuckDb(
      "ATTACH '{}/a.duckdb' AS d; CREATE TABLE d.t AS SELECT 1 AS id, 'x'::ENUM('x', 'INTEGER') AS kind; DETACH d");
  EXPECT_EQ(Sketch("a.duckdb:t"), "id:integer kind:text ");
}

FileFormat Written(char separator, const std::string& encoding = "utf-8", bool row_names = false) {
  FileFormat format;
  format.separator = separator;
  format.encoding = encoding;
  format.row_names = row_names;
  return format;
}

/// What a file is found to be, beyond its columns.
class FormatTest : public SketchTest {
 protected:
  FileSketch Look(const std::string& name) {
    auto sketch = SketchFile((folder_ / name).string(), cancel_);
    EXPECT_TRUE(sketch) << sketch.error().Text();
    return sketch ? *sketch : FileSketch{};
  }
};

TEST_F(FormatTest, European) {
  Write("a.csv",
        "id;name;weight;born;died\n1;M\xFCller;70,5;30.10.1861;1.12.1861\n2;NA;80;31.10.1861;NA\n3;x;.;5.1.1862;3.4."
        "1862\n");
  EXPECT_EQ(Sketch("a.csv"), "id:integer name:text weight:real born:date died:date ");
  const FileSketch sketch = Look("a.csv");
  EXPECT_EQ(sketch.format, (FileFormat{.separator = ';',
                                       .encoding = "windows-1252",
                                       .row_names = false,
                                       .decimal = ',',
                                       .missing = {"NA", "."},
                                       .dates = "%d.%m.%Y"}));
  ASSERT_EQ(sketch.remarks.size(), 1U);
  EXPECT_TRUE(Has(sketch.remarks[0], "is a guess"));
}

TEST_F(FormatTest, TabsPipesAndUtf16) {
  Write("a.csv", "id\tname\n1\tx\n2\ty\n");
  EXPECT_EQ(Look("a.csv").format, Written('\t'));
  Write("a.csv", "id|name\n1|x, y\n2|y, z\n");
  EXPECT_EQ(Look("a.csv").format, Written('|'));
  Write("a.tsv", "id\tname\n1\tx\n2\ty\n");
  EXPECT_EQ(Look("a.tsv").format, FileFormat{});
  Write("a.csv", "id,name\n1,\"x;y\"\n2,\"y;z\"\n");
  EXPECT_EQ(Look("a.csv").format, FileFormat{});
  Write("a.csv", "name\nAnna Smith\nBen Jones\n");
  EXPECT_EQ(Look("a.csv").format, FileFormat{});
  std::string wide = "\xFF\xFE";
  for (const char c : std::string("id;name\r\n1;x\r\n2;y\r\n")) wide += {c, '\0'};
  Write("a.csv", wide);
  EXPECT_EQ(Look("a.csv").format, Written(';', "utf-16"));
  EXPECT_EQ(Sketch("a.csv"), "id:integer name:text ");
}

TEST_F(FormatTest, RowNames) {
  Write("pandas.csv", ",id,ill\n0,17,yes\n1,18,no\n");
  const FileSketch pandas = Look("pandas.csv");
  EXPECT_EQ(pandas.format, FileFormat{});
  ASSERT_EQ(pandas.columns.size(), 3U);
  EXPECT_TRUE(pandas.columns[0].skipped);
  EXPECT_TRUE(Has(pandas.columns[0].remark, "no name"));
  Write("r.csv", "\"id\" \"ill\"\n\"1\" 17 \"yes\"\n\"2\" 18 \"no\"\n");
  EXPECT_EQ(Look("r.csv").format, Written(' ', "utf-8", true));
  EXPECT_EQ(Sketch("r.csv"), "id:integer ill:text ");
}

TEST_F(FormatTest, YearsNumbersForMissingAndOrdersOfDates) {
  std::string text = "id,year,age,when,day, blank\n";
  for (int k = 0; k < 20; ++k)
    text += fmt::format("{},{}.0,{},{}/02/2020,3/{}/2020,x\n", k, 1950 + k, k % 3 == 0 ? -99 : k, 1 + k % 9, 10 + k);
  Write("a.csv", text);
  EXPECT_EQ(Sketch("a.csv"), "id:integer year:integer age:integer when:text day:date  blank:text ");
  const FileSketch sketch = Look("a.csv");
  EXPECT_TRUE(Has(sketch.columns[1].remark, "pandas"));
  EXPECT_TRUE(Has(sketch.columns[2].remark, "missing = [\"-99\"]"));
  EXPECT_TRUE(Has(sketch.columns[3].remark, "%d/%m/%Y"));
  EXPECT_TRUE(Has(sketch.columns[3].remark, "%m/%d/%Y"));
  EXPECT_EQ(sketch.format.dates, "%m/%d/%Y");
  EXPECT_TRUE(Has(sketch.columns[5].remark, "blank"));
}

TEST_F(FormatTest, ParquetListsAndWholeReals) {
  WithDuckDb("COPY (SELECT 1 AS id, [1, 2] AS list, 1983.0::DOUBLE AS year, 1.5::DOUBLE AS weight) TO '{}/a.parquet'");
  const FileSketch sketch = Look("a.parquet");
  ASSERT_EQ(sketch.columns.size(), 4U);
  EXPECT_TRUE(sketch.columns[1].skipped);
  EXPECT_TRUE(Has(sketch.columns[1].remark, "lists"));
  EXPECT_EQ(sketch.columns[2].type, ColumnType::kInteger);
  EXPECT_TRUE(Has(sketch.columns[2].remark, "pandas"));
  EXPECT_EQ(sketch.columns[3].type, ColumnType::kReal);
  EXPECT_EQ(Look("*.parquet").columns.size(), 4U);
}

}  // namespace
}  // namespace kith
