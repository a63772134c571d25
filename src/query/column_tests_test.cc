#include "query/column_tests.h"

#include <gtest/gtest.h>

#include "sql/dialect.h"

namespace kith {
namespace {

Column Listed(std::vector<std::string> values) {
  Column column;
  column.name = "x";
  column.values = std::vector<Value>(values.begin(), values.end());
  return column;
}

std::string Sql(const sql::Term& term) { return term ? sql::DuckDb().Write(term) : "-"; }

TEST(ColumnTests, NearestSpellings) {
  const Column sex = Listed({"female", "male"});
  EXPECT_EQ(NearestSpelling("Male", sex), "male");
  EXPECT_EQ(NearestSpelling(" FEMALE ", sex), "female");
  EXPECT_EQ(NearestSpelling("femal", sex), "female");
  EXPECT_EQ(NearestSpelling("m", sex), "male");
  EXPECT_EQ(NearestSpelling("mael", sex), "male");
  EXPECT_EQ(NearestSpelling("unknown", sex), "");
  EXPECT_EQ(NearestSpelling("x", sex), "");
  EXPECT_EQ(NearestSpelling("", sex), "");
  const Column yes = Listed({"no", "yes"});
  EXPECT_EQ(NearestSpelling("TRUE", yes), "yes");
  EXPECT_EQ(NearestSpelling("0", yes), "no");
  EXPECT_EQ(NearestSpelling("Y", yes), "yes");
  EXPECT_EQ(NearestSpelling("a", Listed({"ab", "ac"})), "");  // two are equally near
  EXPECT_EQ(NearestSpelling("ab", Listed({"", "abc"})), "abc");
}

TEST(ColumnTests, OnlyWhatCanHappenIsTested) {
  Column age;
  age.type = ColumnType::kInteger;
  EXPECT_EQ(Sql(TestsOf(age, sql::Name("r")).below), "-");
  age.lower = 0.5;
  age.upper = 120;
  const ColumnTests tests = TestsOf(age, sql::Name("r"));
  EXPECT_NE(Sql(tests.below).find("< 1"), std::string::npos) << Sql(tests.below);  // bounds are rounded inwards
  EXPECT_NE(Sql(tests.above).find("> 120"), std::string::npos) << Sql(tests.above);
  EXPECT_EQ(Sql(tests.undeclared), "-");
  EXPECT_EQ(Sql(tests.unusable), "-");
  EXPECT_NE(Sql(TestsOf(Listed({"a"}), sql::Name("r")).undeclared), "-");
  Column real;
  real.type = ColumnType::kReal;
  EXPECT_NE(Sql(TestsOf(real, sql::Name("r")).unusable), "-");
}

}  // namespace
}  // namespace kith
