#include "base/text_file.h"

#include <gtest/gtest.h>

namespace kith {
namespace {

TEST(TextFileTest, ReadsWhatWasWritten) {
  const auto path = std::filesystem::path(testing::TempDir()) / "text_file_test";
  std::string text("a\0b\r\n", 5);
  text.resize(100'000, 'x');
  ASSERT_TRUE(WriteTextFile(path, text));
  EXPECT_EQ(ReadTextFile(path).value(), text);
  ASSERT_TRUE(WriteTextFile(path, "shorter"));
  EXPECT_EQ(ReadTextFile(path).value(), "shorter");
  EXPECT_EQ(ReadTextFile(path, 7).value(), "shorter");
  EXPECT_EQ(ReadTextFile(path, 6).error().code, Code::kInvalidArgument);
  std::filesystem::remove(path);
  EXPECT_EQ(ReadTextFile(path).error().code, Code::kInvalidArgument);
}

TEST(TextFileTest, SaysThatAFolderIsNoFile) {
  EXPECT_EQ(ReadTextFile(testing::TempDir()).error().code, Code::kStorage);
  EXPECT_EQ(WriteTextFile(testing::TempDir(), "x").error().code, Code::kStorage);
}

TEST(TextFileTest, APrivateFileIsItsOwnersAlone) {
  const auto path = std::filesystem::path(testing::TempDir()) / "private_file_test";
  for (int k = 0; k < 2; ++k) {
    ASSERT_TRUE(WritePrivateFile(path, "a longer text").has_value());
    ASSERT_TRUE(WritePrivateFile(path, "text").has_value());
    EXPECT_EQ(*ReadTextFile(path), "text");
    EXPECT_EQ(std::filesystem::status(path).permissions(),
              std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    std::filesystem::permissions(path, std::filesystem::perms::all);  // it was there before, open to all
  }
  EXPECT_EQ(WritePrivateFile(path / "none", "x").error().code, Code::kStorage);
}

}  // namespace
}  // namespace kith
