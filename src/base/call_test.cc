#include "base/call.h"

#include <gtest/gtest.h>

#include <chrono>

namespace kith {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;

TEST(Call, CopiesOfAFlagAreOneFlag) {
  CancelFlag flag;
  const Call call(flag);
  EXPECT_FALSE(call.cancel.cancelled());
  flag.Cancel();
  EXPECT_TRUE(call.cancel.cancelled());
  EXPECT_FALSE(call.cancel.late());
  EXPECT_FALSE(Call().cancel.cancelled());
}

TEST(Call, ADeadlineStopsThisCallAlone) {
  const CancelFlag flag;
  const Call call(flag), hurried = call.Until(Deadline::In(microseconds(-1)));
  EXPECT_TRUE(hurried.cancel.cancelled());
  EXPECT_TRUE(hurried.cancel.late());
  EXPECT_FALSE(call.cancel.cancelled());
  EXPECT_FALSE(flag.cancelled());
}

TEST(Call, TheEarlierDeadlineCountsAndSomebodyMayStillStopIt) {
  CancelFlag flag;
  const Call patient = Call(flag).Until(Deadline::In(hours(1)));
  EXPECT_FALSE(patient.cancel.cancelled());
  EXPECT_TRUE(patient.Until(Deadline::In(microseconds(-1))).cancel.late());
  EXPECT_TRUE(Call(flag).Until(Deadline::In(microseconds(-1))).Until(Deadline::In(hours(1))).cancel.late());
  flag.Cancel();
  EXPECT_TRUE(patient.cancel.cancelled());
  EXPECT_FALSE(patient.cancel.late());
}

TEST(Call, NobodyNeedsToListen) {
  Call call;
  call.Tell("nobody hears this");
  std::string heard;
  call.notice = [&heard](const std::string& text) { heard = text; };
  call.Tell("read in");
  EXPECT_EQ(heard, "read in");
}

TEST(Call, AStageEndsWithItsScope) {
  std::string heard;
  Call call;
  { const Stage nobody(call, "nobody hears this"); }
  call.stages = [&heard](std::optional<std::string_view> begins) { heard += begins ? *begins : "."; };
  {
    const Stage outer(call, "a");
    const Stage inner(call, "b");
  }
  EXPECT_EQ(heard, "ab..");
}

}  // namespace
}  // namespace kith
