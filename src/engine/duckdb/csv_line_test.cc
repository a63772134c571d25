// Lines into fields, and UTF-8.
#include "engine/duckdb/csv_line.h"

#include <gtest/gtest.h>

namespace kith {
namespace {

/// Fields in brackets, quoted ones in braces; "broken" if the line is.
std::string Split(std::string_view line, char delimiter = ',', std::size_t most = 100) {
  std::vector<CsvField> fields;
  if (!SplitCsvLine(line, delimiter, most, &fields)) return "broken";
  std::string text, space;
  for (const CsvField& field : fields) {
    text += field.quoted ? "{" : "[";
    text += field.Plain(&space);
    text += field.quoted ? "}" : "]";
  }
  return text;
}

TEST(CsvLine, Fields) {
  EXPECT_EQ(Split("a,b,c"), "[a][b][c]");
  EXPECT_EQ(Split(""), "[]");
  EXPECT_EQ(Split(",,"), "[][][]");
  EXPECT_EQ(Split("a;b\tc"), "[a;b\tc]");
  EXPECT_EQ(Split("a\tb,c", '\t'), "[a][b,c]");
  EXPECT_EQ(Split(" a , b "), "[ a ][ b ]");
}

TEST(CsvLine, Quotes) {
  EXPECT_EQ(Split(R"("a,b",c)"), "{a,b}[c]");
  EXPECT_EQ(Split(R"("","")"), "{}{}");
  EXPECT_EQ(Split(R"("say ""hi""",x)"), R"({say "hi"}[x])");
  EXPECT_EQ(Split(R"("""",x)"), R"({"}[x])");
}

TEST(CsvLine, BrokenQuotesBreakTheLine) {
  EXPECT_EQ(Split(R"("a,b)"), "broken");
  EXPECT_EQ(Split(R"("a""b)"), "broken");
  EXPECT_EQ(Split(R"("a"b,c)"), "broken");
  EXPECT_EQ(Split(R"(a"b,c)"), "broken");
  EXPECT_EQ(Split(R"(a,")"), "broken");
  EXPECT_EQ(Split(R"(""",x)"), "broken");
}

TEST(CsvLine, TooManyFieldsBreakTheLine) {
  EXPECT_EQ(Split("a,b", ',', 2), "[a][b]");
  EXPECT_EQ(Split("a,b,c", ',', 2), "broken");
  EXPECT_EQ(Split("a,b,", ',', 2), "broken");
}

TEST(CsvLine, Utf8) {
  for (const char* good : {"", "abc", "\xC3\xA9", "\xE2\x82\xAC uro", "\xF0\x9F\x98\x80", "\xEF\xBF\xBD",
                           "\xF4\x8F\xBF\xBF", "plain text of more than eight bytes"}) {
    EXPECT_TRUE(IsCsvText(good)) << good;
  }
  for (const char* bad : {"\x80", "\xC3", "\xC0\xAF", "\xC1\xBF", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xF0\x8F\xBF\xBF",
                          "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF", "abcdefgh\xE9", "\xE2\x82", "\xE2\x28\xA1"}) {
    EXPECT_FALSE(IsCsvText(bad)) << bad;
  }
}

}  // namespace
}  // namespace kith
