#include "app/cli/laboratory.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace kith::cli {
namespace {

bool For(std::vector<std::string> words) {
  words.insert(words.begin(), "kith");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  return IsForLaboratory(static_cast<int>(arguments.size()), arguments.data());
}

TEST(LaboratoryTest, HasVerbsOfItsOwn) {
  for (const char* verb : {"affinity", "attack", "experiment", "leakage", "probe", "rho", "sample"}) {
    EXPECT_TRUE(For({verb})) << verb;
    EXPECT_TRUE(For({verb, "--help"})) << verb;
    EXPECT_FALSE(For({"query", verb})) << verb;
    EXPECT_FALSE(For({"--server", "x", verb})) << verb;
  }
  EXPECT_FALSE(For({}));
}

TEST(LaboratoryTest, AuditsWhatIsNoPolicy) {
  EXPECT_TRUE(For({"audit", "chain.json", "--epsilon", "1"}));
  EXPECT_TRUE(For({"audit", "--json", "a.json", "b.json"}));
  EXPECT_TRUE(For({"audit", "policy.toml", "--scale=2"}));
  EXPECT_FALSE(For({"audit", "policy.toml", "--epsilon", "0.1", "--report", "page.html"}));
  EXPECT_FALSE(For({"audit", "policy.toml", "--epsilon=0.1"}));
  EXPECT_FALSE(For({"audit", "--help"}));
}

TEST(LaboratoryTest, ComparesMethods) {
  EXPECT_TRUE(For({"transfer", "m.json", "--dependent", "1", "--compare"}));
  EXPECT_TRUE(For({"transfer", "--table=many-answers"}));
  EXPECT_FALSE(For({"transfer", "m.json", "--dependent", "1"}));
}

}  // namespace
}  // namespace kith::cli
