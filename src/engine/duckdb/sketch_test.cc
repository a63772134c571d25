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
    for (const ColumnSketch& column : *sketch) text += column.name + ":" + kTypes[static_cast<int>(column.type)] + " ";
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

// Memory for one question grows with the square of its columns: they are looked at a few at a time.
TEST_F(SketchTest, WideFilesTakeLittleMemory) {
  constexpr int kColumns = 500;
  std::string header = "id", row = "1", expected = "id:integer ";
  for (int k = 0; k < kColumns; ++k) {
    header += fmt::format(",c{}", k);
    row += k % 3 == 0 ? ",7" : k % 3 == 1 ? ",1.5" : ",word";
    expected += fmt::format("c{}:{} ", k, k % 3 == 0 ? "integer" : k % 3 == 1 ? "real" : "text");
  }
  std::string csv = header + "\n";
  for (int i = 0; i < 20; ++i) csv += row + "\n";
  Write("wide.csv", csv);
  rusage before{}, after{};
  ::getrusage(RUSAGE_SELF, &before);
  EXPECT_EQ(Sketch("wide.csv"), expected);
  ::getrusage(RUSAGE_SELF, &after);
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 200'000) << "kB; 5.6 GB when all were looked at together";
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

}  // namespace
}  // namespace kith
