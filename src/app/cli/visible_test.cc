#include "app/cli/visible.h"

#include <gtest/gtest.h>

#include <string>

#include "app/cli/text.h"

namespace kith::cli {
namespace {

TEST(Visible, NothingThatSteersATerminalIsPassedOn) {
  const std::string letters = "plain \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80";
  EXPECT_EQ(Visible(letters), letters);
  EXPECT_EQ(Visible("a\x1b[2Jb\tc\nd\x7f"), "a\\x1b[2Jb\\tc\\nd\\x7f");
  EXPECT_EQ(Visible("\xc2\x9b"
                    "31m"),
            "\\x9b31m");  // one character for ESC [
  EXPECT_EQ(Visible("\xe2\x80\xae"
                    "x\xe2\x80\xa8"),
            "\\u202ex\\u2028");  // from right to left, a new line
  EXPECT_EQ(Visible("\xff"), "\\xff");
}

TEST(Visible, TablesShowNothingElse) {
  TextTable table({"key"});
  table.Add({"a\x1b]0;b\x07"});
  EXPECT_EQ(table.Render(80).find('\x1b'), std::string::npos);
  EXPECT_NE(table.Render(80).find("a\\x1b]0;b\\x07"), std::string::npos);
}

}  // namespace
}  // namespace kith::cli
