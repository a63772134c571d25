#include "policy/key_pattern.h"

#include <gtest/gtest.h>

#include <set>

namespace kith {
namespace {

TEST(KeyPattern, NamesItsTextsInTheirOrder) {
  const auto codes = KeyPattern::Parse("[0-9]{5}").value();
  EXPECT_EQ(codes.size(), 100'000);
  EXPECT_EQ(codes.At(0), "00000");
  EXPECT_EQ(codes.At(99'999), "99999");
  EXPECT_EQ(codes.At(12'345), "12345");
  const auto mixed = KeyPattern::Parse("[B-DA]x[0-1]{2}-").value();
  EXPECT_EQ(mixed.size(), 16);
  std::set<std::string> seen;
  std::string before;
  for (std::int64_t k = 0; k < mixed.size(); ++k) {
    EXPECT_LT(before, mixed.At(k));
    before = mixed.At(k);
    seen.insert(before);
  }
  EXPECT_EQ(seen.size(), 16U);
  EXPECT_EQ(*seen.begin(), "Ax00-");
  EXPECT_EQ(KeyPattern::Parse("[a-]").value().size(), 2);
  EXPECT_EQ(KeyPattern::Parse("[aab]").value().places()[0], "ab");
}

TEST(KeyPattern, RefusesEverythingElse) {
  for (const char* text : {"", "[", "[]", "[0-9", "]", "{3}", "a{", "a{0}", "a{x}", "a{33}", "\\d", "[9-0]",
                           "[0-9]{16}", "\xc3\xa4", "[\x01]", "a{99999999999999999999}"}) {
    EXPECT_FALSE(KeyPattern::Parse(text)) << text;
  }
}

}  // namespace
}  // namespace kith
