// The policies that people copy: every one in the guide and in examples/ must be valid.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "policy/policy.h"
#include "tests/support/source_folder.h"

namespace kith {
namespace {

const std::filesystem::path kRoot = testing::SourceFolder();

// Name and text of each block that starts with ```toml file=NAME.
std::vector<std::pair<std::string, std::string>> TomlBlocks(const std::filesystem::path& document) {
  std::ifstream in(document);
  std::vector<std::pair<std::string, std::string>> blocks;
  const std::string fence = "```toml file=";
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(fence)) {
      blocks.emplace_back(line.substr(fence.size()), "");
      inside = true;
    } else if (line.starts_with("```")) {
      inside = false;
    } else if (inside) {
      blocks.back().second += line + "\n";
    }
  }
  return blocks;
}

// A guide's block is one part of a policy: the name up to '.' or '_' says which.
TEST(Documents, EveryPartInThePolicyGuideIsValid) {
  std::map<std::string, std::string> parts;
  const auto blocks = TomlBlocks(kRoot / "docs/guide/policy.md");
  for (const auto& [name, text] : blocks) parts.emplace(name.substr(0, name.find_first_of("._")), text);
  ASSERT_EQ(parts.size(), 5U);
  std::map<std::string, int> kinds;
  for (const auto& [name, text] : blocks) {
    auto with = parts;
    with[name.substr(0, name.find_first_of("._"))] = text;
    const auto policy =
        Policy::Parse(with["data"] + with["unit"] + with["columns"] + with["dependence"] + with["budget"],
                      kRoot / "docs/guide" / name);
    ASSERT_TRUE(policy) << name << ": " << policy.error().Text();
    ++kinds[Kind(policy->dependence.model)];
  }
  EXPECT_EQ(kinds.size(), 9U) << "every kind of dependence has an example";
}

TEST(Documents, EveryExampleIsValid) {
  int count = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kRoot / "examples")) {
    if (entry.path().extension() != ".toml") continue;
    const auto policy = Policy::Load(entry.path());
    EXPECT_TRUE(policy) << policy.error().Text();
    ++count;
  }
  EXPECT_GE(count, 3);
}

}  // namespace
}  // namespace kith
