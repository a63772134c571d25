#include "sql/like.h"

#include <gtest/gtest.h>

namespace kith {
namespace {

bool Matches(const std::string& text, const std::string& pattern, bool fold = false) {
  return LikePattern::Parse(pattern, "\\", fold).value().Matches(text);
}

TEST(Like, PercentIsAnyTextAndUnderscoreOneCharacter) {
  EXPECT_TRUE(Matches("anna", "a%"));
  EXPECT_TRUE(Matches("anna", "%nn%"));
  EXPECT_TRUE(Matches("", "%"));
  EXPECT_TRUE(Matches("anna", "_nn_"));
  EXPECT_FALSE(Matches("anna", "_nn"));
  EXPECT_FALSE(Matches("", "_"));
  EXPECT_FALSE(Matches("Anna", "a%"));
  EXPECT_TRUE(Matches("abcabc", "%abc"));     // must not stop at the first match
  EXPECT_TRUE(Matches("Zo\xC3\xAB", "Zo_"));  // one character, two bytes
}

TEST(Like, EscapesTakeTheNextCharacterLiterally) {
  EXPECT_TRUE(Matches("100%", "100\\%"));
  EXPECT_FALSE(Matches("1000", "100\\%"));
  EXPECT_TRUE(Matches("a\\b", "a\\\\b"));
  EXPECT_TRUE(LikePattern::Parse("50!%", "!", false).value().Matches("50%"));
  EXPECT_TRUE(LikePattern::Parse("a\\b", "", false).value().Matches("a\\b"));  // ESCAPE '': no escape at all
}

TEST(Like, FoldingKnowsLettersAToZAlone) {
  EXPECT_TRUE(Matches("ANNA", "a%a", true));
  EXPECT_TRUE(Matches("anna", "ANNA", true));
  EXPECT_FALSE(Matches("\xC3\x84", "\xC3\xA4", true));  // A with dots: engines differ, so it is not folded
}

TEST(Like, PatternsThatEndInAnEscapeAreRefused) {
  EXPECT_FALSE(LikePattern::Parse("a\\", "\\", false).has_value());
  EXPECT_FALSE(LikePattern::Parse("a", "!!", false).has_value());
}

TEST(Like, ItsTextReadsBackAsTheSamePattern) {
  for (const char* pattern : {"a%b_c", "100\\%", "\\\\%%%", "\\__", ""}) {
    const auto once = LikePattern::Parse(pattern, "\\", false).value();
    const auto twice = LikePattern::Parse(once.Text(), "\\", false).value();
    EXPECT_EQ(once.tokens, twice.tokens) << pattern;
  }
}

}  // namespace
}  // namespace kith
