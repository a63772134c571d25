#include "base/join_strings.h"

#include <gtest/gtest.h>

namespace kith {
namespace {

TEST(JoinStringsTest, PutsTheSeparatorBetweenParts) {
  EXPECT_EQ(JoinStrings(std::vector<std::string>{}, ", "), "");
  EXPECT_EQ(JoinStrings(std::vector<std::string>{"a"}, ", "), "a");
  EXPECT_EQ(JoinStrings(std::vector<std::string>{"a", "", "a"}, ", "), "a, , a");
  EXPECT_EQ(JoinStrings(std::set<std::string>{"b", "a"}, " and "), "a and b");
}

}  // namespace
}  // namespace kith
