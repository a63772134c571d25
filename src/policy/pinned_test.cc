// Digests and descriptions of many policies, as they were when ledgers were made with them: a ledger opens only under
// the same ones, and a stored answer is found only by the same reading.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "base/digest.h"
#include "policy/growth.h"
#include "policy/policy.h"
#include "tests/support/source_folder.h"

namespace kith {
namespace {

struct Pinned {
  std::string name, text, digests;  // digests: empty where none were written yet
};

// tests/policies/pinned.txt: "=== name", the policy, "--- digests".
std::vector<Pinned> PinnedPolicies() {
  std::ifstream in(testing::SourceFolder() / "tests/policies/pinned.txt");
  std::vector<Pinned> all;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("=== "))
      all.push_back({line.substr(4), {}, {}});
    else if (line.starts_with("--- "))
      all.back().digests = line.substr(4);
    else
      all.back().text += line + "\n";
  }
  return all;
}

// Every second column of each table, and no sub-select; the same with one.
std::string Question(const Policy& policy, bool nested) {
  std::string text = "SELECT count(*)";
  for (const Table& table : policy.tables) {
    for (std::size_t k = 0; k < table.columns.size(); k += 2) text += " + \"" + table.columns[k].name + "\"";
    text += " FROM " + table.name;
  }
  return nested ? text + " (SELECT 1)" : text;
}

std::string DigestsOf(const Policy& policy) {
  std::string digests;
  for (const std::string& text :
       {policy.identity_fingerprint(), policy.fingerprint(), policy.identity_words(), DescribePolicy(policy),
        policy.dependence.Declaration(), ReadingText(policy, std::nullopt),
        ReadingText(policy, Question(policy, false)), ReadingText(policy, Question(policy, true))})
    digests += (digests.empty() ? "" : " ") + Sha256(text).substr(0, 16);
  return digests;
}

// KITH_PIN_NEW=1 writes the digests of policies that have none yet; those that are there are never written again.
TEST(PinnedPolicies, HaveTheDigestsThatLedgersKnow_POLICY2) {
  auto all = PinnedPolicies();
  EXPECT_GE(all.size(), 200U);
  const bool pin = std::getenv("KITH_PIN_NEW") != nullptr;
  std::ostringstream out;
  for (Pinned& one : all) {
    const auto policy = Policy::Parse(one.text, "policy.toml");
    if (!policy) {
      ADD_FAILURE() << one.name << ": " << policy.error().Text();
      continue;
    }
    const std::string digests = DigestsOf(*policy);
    if (pin && one.digests.empty()) one.digests = digests;
    EXPECT_EQ(one.digests, digests) << one.name << "\n" << one.text;
    out << "=== " << one.name << "\n" << one.text << "--- " << one.digests << "\n";
  }
  if (pin) std::ofstream(testing::SourceFolder() / "tests/policies/pinned.txt") << out.str();
}

// A policy that differs in anything that a ledger knows has other digests.
TEST(PinnedPolicies, TheCheckAboveSeesAnotherPolicy) {
  for (const Pinned& one : PinnedPolicies()) {
    auto policy = Policy::Parse(one.text, "policy.toml");
    ASSERT_TRUE(policy) << one.name;
    policy->unit.max_rows += 1;
    EXPECT_NE(DigestsOf(*policy), one.digests) << one.name;
  }
}

}  // namespace
}  // namespace kith
