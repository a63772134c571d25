#include "server/console_files.h"

#include <gtest/gtest.h>

#include <set>

namespace kith::server {
namespace {

TEST(ConsoleFiles, ThePageAndAllThatItNeedsAreInTheProgram) {
  const ConsoleFile* page = FindConsoleFile("/");
  ASSERT_NE(page, nullptr);
  EXPECT_TRUE(page->content_type.starts_with("text/html"));
  EXPECT_TRUE(page->bytes.starts_with("<!doctype html>"));
  EXPECT_TRUE(page->bytes.ends_with("</html>\n"));
  // Everything that the page names is there.
  std::set<std::string_view> paths;
  for (std::size_t at = page->bytes.find("\"/"); at != std::string_view::npos; at = page->bytes.find("\"/", at + 1)) {
    const std::string_view path = page->bytes.substr(at + 1, page->bytes.find('"', at + 1) - at - 1);
    const ConsoleFile* file = FindConsoleFile(path);
    ASSERT_NE(file, nullptr) << path;
    EXPECT_FALSE(file->bytes.empty()) << path;
    paths.insert(path);
  }
  EXPECT_EQ(paths.size(), 3U);
}

TEST(ConsoleFiles, TheLargeOnesAreThereCompressedToo) {
  for (const std::string_view path : {"/console/console.js", "/console/console.css"}) {
    const ConsoleFile* file = FindConsoleFile(path);
    ASSERT_NE(file, nullptr);
    EXPECT_TRUE(file->gzip.starts_with("\x1f\x8b")) << path;
    EXPECT_LT(file->gzip.size(), file->bytes.size() / 2) << path;
    EXPECT_EQ(file->digest.size(), 32U);
  }
  EXPECT_NE(FindConsoleFile("/")->digest, FindConsoleFile("/console/console.js")->digest);
}

TEST(ConsoleFiles, NothingElseCanBeReached) {
  for (const std::string_view path : {"", "/index.html", "/console", "/console/", "/console/../console.js", "//",
                                      "/console/console.js/", "/console/%2e%2e/etc/passwd", "/etc/passwd"})
    EXPECT_EQ(FindConsoleFile(path), nullptr) << path;
}

TEST(ConsoleFiles, ThePageHasNoScriptOrStyleInIt) {
  const std::string_view page = FindConsoleFile("/")->bytes;
  EXPECT_EQ(page.find("<style"), std::string_view::npos);
  EXPECT_EQ(page.find("style="), std::string_view::npos);
  EXPECT_EQ(page.find("<script>"), std::string_view::npos);
  EXPECT_EQ(page.find("http"), std::string_view::npos);
  EXPECT_EQ(kConsoleSecurity.find("unsafe"), std::string_view::npos);
}

TEST(ConsoleFiles, LicencesOfWhatIsInsideAreThere) {
  const std::string_view text = FindConsoleFile("/console/LICENSES.txt")->bytes;
  for (const std::string_view name : {"preact", "@observablehq/plot", "d3-array", "internmap", "ISC", "MIT"})
    EXPECT_NE(text.find(name), std::string_view::npos) << name;
}

}  // namespace
}  // namespace kith::server
