#include "app/cli/progress.h"

#include <gtest/gtest.h>

#include <cmath>

namespace kith::cli {
namespace {

TEST(Progress, TextIsBoundedAndGuessesTheTime) {
  EXPECT_NE(ProgressText(0.4, 8).find("40 %  12 s left"), std::string::npos);
  EXPECT_EQ(ProgressText(0, 8).find("left"), std::string::npos);
  EXPECT_EQ(ProgressText(2, 8), ProgressText(1, 8));
  EXPECT_EQ(ProgressText(-1, 8), ProgressText(NAN, 8));
}

TEST(Progress, SaysNothingWhenNobodyWatches) {
  testing::internal::CaptureStderr();
  {
    Progress progress("work");
    progress.At(0.5);
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace kith::cli
