#include "app/cli/progress.h"

#include <gtest/gtest.h>

#include <cmath>

#include "app/cli/text.h"

namespace kith::cli {
namespace {

TEST(Progress, TextIsBoundedAndGuessesTheTime) {
  EXPECT_NE(ProgressText(0.4, 8).find("40 %  12 s left"), std::string::npos);
  EXPECT_EQ(ProgressText(0, 8).find("left"), std::string::npos);
  EXPECT_EQ(ProgressText(2, 8), ProgressText(1, 8));
  EXPECT_EQ(ProgressText(-1, 8), ProgressText(NAN, 8));
}

TEST(Progress, AStageFitsOneLine) {
  EXPECT_EQ(StageText("checking the data", {}, 12.4), "checking the data  12 s");
  EXPECT_NE(StageText("reading x.csv in", 0.4, 8).find("reading x.csv in ▕"), std::string::npos);
  const std::string longest = StageText("reading " + std::string(300, 'x') + "\033[2J\n", 0.999, 1e5);
  EXPECT_LE(DisplayWidth(longest), 79u);
  EXPECT_EQ(StageText("a\033[2J\nb", {}, 1), "a?[2J?b  1 s");  // a file's name moves no cursor
}

TEST(Progress, SaysNothingWhenNobodyWatches) {
  testing::internal::CaptureStderr();
  {
    Progress progress("work");
    progress.Begin("more");
    progress.At(0.5);
    progress.End();
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace kith::cli
