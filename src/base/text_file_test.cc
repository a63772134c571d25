#include "base/text_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

#include "base/replace_file.h"

namespace kith {
namespace {

/// Only of this process: others may run the same test.
std::filesystem::path Place(const std::string& name) {
  return std::filesystem::path(testing::TempDir()) / (name + std::to_string(::getpid()));
}

TEST(TextFileTest, ReadsWhatWasWritten) {
  const auto path = Place("text_file_test");
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
  const auto path = Place("private_file_test");
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

// Text of several sizes, written by several at once: a reader never sees a part of one, or parts of two.
TEST(ReplaceFileTest, ReadersSeeWholeTextsAlone) {
  const auto folder = Place("replace_file_test"), path = folder / "file";
  std::filesystem::create_directory(folder);
  const auto text = [](int writer) { return std::string(1 + 5'000 * static_cast<std::size_t>(writer), 'a'); };
  ASSERT_TRUE(ReplaceTextFile(path, text(0)));
  std::atomic<bool> done = false;
  std::vector<std::thread> writers;
  for (int writer = 0; writer < 4; ++writer) {
    writers.emplace_back([&, writer] {
      for (int i = 0; i < 200; ++i) EXPECT_TRUE(ReplaceTextFile(path, text(writer)));
    });
  }
  std::thread reader([&] {
    do EXPECT_EQ(ReadTextFile(path)->size() % 5'000, 1U);
    while (!done);
  });
  for (std::thread& writer : writers) writer.join();
  done = true;
  reader.join();
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);  // no draft is left
  std::filesystem::create_directory(folder / "taken");
  EXPECT_EQ(ReplaceTextFile(folder / "taken", "x").error().code, Code::kStorage);
  EXPECT_EQ(ReplaceTextFile(folder / "none" / "file", "x").error().code, Code::kStorage);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 2);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace kith
