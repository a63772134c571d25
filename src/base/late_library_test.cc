#include "base/late_library.h"

#include <gtest/gtest.h>
#include <zlib.h>

namespace kith {
namespace {

constinit LateLibrary zlib{"libz.so.1"};
constexpr LateFunction<zlib, "crc32", ::crc32> crc32;

TEST(LateLibrary, FunctionsAreCalledAndHandedOnLikeTheirOwn) {
  ASSERT_TRUE(zlib.Load());
  const auto* digits = reinterpret_cast<const unsigned char*>("123456789");
  EXPECT_EQ(crc32(0, digits, 9), 0xCBF43926U);
  unsigned long (*const handed_on)(unsigned long, const unsigned char*, unsigned) = crc32;
  EXPECT_EQ(handed_on(0, digits, 9), 0xCBF43926U);
}

TEST(LateLibrary, OneThatIsMissingIsNamed) {
  static constinit LateLibrary none{"libkith_no_such.so"};
  const auto loaded = none.Load();
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, Code::kStorage);
  EXPECT_NE(loaded.error().what.find("libkith_no_such.so"), std::string::npos);
  EXPECT_FALSE(none.Load()) << "it is looked for again, and still missing";
}

TEST(LateLibraryDeathTest, AFunctionThatIsMissingEndsTheProcess) {
  EXPECT_DEATH(zlib.Find("no_such_function"), "no function no_such_function");
}

}  // namespace
}  // namespace kith
