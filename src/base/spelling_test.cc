#include "base/spelling.h"

#include <gtest/gtest.h>

namespace kith {
namespace {

const std::vector<std::string> kNames = {"age", "house", "Income", "median"};

TEST(Spelling, FindsWhatWasMeant) {
  EXPECT_EQ(NearestWord("aeg", kNames), "age");  // neighbours exchanged
  EXPECT_EQ(NearestWord("AGE", kNames), "age");
  EXPECT_EQ(NearestWord("incom", kNames), "Income");
  EXPECT_EQ(NearestWord("medain", kNames), "median");
  EXPECT_EQ(NearestWord("weight", kNames), "");
  EXPECT_EQ(NearestWord("", kNames), "");
  EXPECT_EQ(NearestWord(std::string(100, 'a'), {std::string(100, 'a')}), "");  // too long to be a slip
  EXPECT_EQ(DidYouMean("hosue", kNames), "did you mean house? ");
  EXPECT_EQ(DidYouMean("weight", kNames), "");
}

}  // namespace
}  // namespace kith
