// What a person sees: digits, widths, cuts.
#include "app/cli/text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace kith::cli {
namespace {

TEST(Text, NumbersHaveFourDigitsAndNoExponentWherePeopleReadDigits) {
  EXPECT_EQ(Short(0), "0");
  EXPECT_EQ(Short(0.034567), "0.03457");
  EXPECT_EQ(Short(9999.4), "9999");
  EXPECT_EQ(Short(20463.7), "20460");
  EXPECT_EQ(Short(-20463.7), "-20460");
  EXPECT_EQ(Short(123456789), "123500000");
  EXPECT_EQ(Short(1.5e12), "1.5e+12");
}

TEST(Text, TablesFitTheWidthAndCountCharactersNotBytes) {
  TextTable table({"±95 %", "question"});
  table.Add({"3", "SELECT something long enough to be cut"});
  for (const std::size_t width : {30u, 20u}) {
    const std::string line = table.Render(width);
    std::size_t widest = 0;
    for (std::size_t at = 0, end; at < line.size(); at = end + 1) {
      end = line.find('\n', at);
      widest = std::max(widest, DisplayWidth(line.substr(at, end - at)));
    }
    EXPECT_LE(widest, width);
  }
  EXPECT_NE(table.Render(std::string::npos).find("long enough to be cut"), std::string::npos);
  EXPECT_EQ(DisplayWidth("±95 %"), 5u);
}

TEST(Text, NumbersAreNeverCut) {
  TextTable table({"arm of the trial", "at_risk", "±95 %", "survival", "count(*) FILTER (WHERE x)"});
  table.Add({"a long name", "12345", "0.00270", "0.96712", "7"});
  const std::string text = table.Render(30);
  for (const char* whole : {"at_risk", "±95 %", "survival", "12345", "0.00270", "0.96712", "count(*…", "a lon…"})
    EXPECT_NE(text.find(whole), std::string::npos) << whole << "\n" << text;
}

TEST(Text, BarsGrowWithTheNumber) {
  EXPECT_EQ(Bar(0, 10), "");
  EXPECT_EQ(Bar(-3, 10), "");
  EXPECT_EQ(Bar(5, 0), "");
  EXPECT_EQ(DisplayWidth(Bar(10, 10)), 24u);
  EXPECT_EQ(DisplayWidth(Bar(5, 10)), 12u);
  EXPECT_EQ(Bar(1, 48), "▌");
}

}  // namespace
}  // namespace kith::cli
