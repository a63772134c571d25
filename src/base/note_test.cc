#include "base/note.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "base/result.h"

namespace kith {
namespace {

TEST(NoteTest, EveryKindHasANameOfItsOwn) {
  std::set<std::string_view> names;
  for (int k = 0; k <= static_cast<int>(NoteKind::kOther); ++k) {
    const auto kind = static_cast<NoteKind>(k);
    EXPECT_TRUE(names.insert(NameOf(kind)).second) << NameOf(kind);
    EXPECT_EQ(NoteKindNamed(NameOf(kind)), kind);
  }
  EXPECT_FALSE(NoteKindNamed("no kind"));
}

TEST(ErrorTest, NamesTheParameterThatTheCallerMayChange) {
  const Error error = InvalidArgument("no price was given", "", "give an epsilon").For("price.epsilon");
  EXPECT_EQ(error.parameter, "price.epsilon");
  EXPECT_EQ(error.Text(), "no price was given\n  try: give an epsilon");
  EXPECT_EQ(InvalidArgument("another").parameter, "");
}

}  // namespace
}  // namespace kith
