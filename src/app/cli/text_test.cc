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

}  // namespace
}  // namespace kith::cli
