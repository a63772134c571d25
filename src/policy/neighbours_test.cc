// [budget] neighbours: what is read, what is refused, and what may change under a used ledger.
#include <gtest/gtest.h>

#include "policy/growth.h"
#include "policy/policy.h"

namespace kith {
namespace {

struct Parts {
  std::string unit = "key = \"id\"\nmax_rows = 2\npresence = \"secret\"\n";
  std::string columns = "";
  std::string dependence = "kind = \"independent\"\n";
  std::string budget = "neighbours = \"add-or-remove\"\n";
  std::string rest = "";
};

Result<Policy> Read(const Parts& parts) {
  return Policy::Parse("[data]\ntables.t = \"t.csv\"\n[unit]\ntable = \"t\"\n" + parts.unit +
                           "[columns.t]\nid = { type = \"integer\" }\nhouse = { type = \"integer\", public = true }\n"
                           "ill = { values = [\"no\", \"yes\"] }\nx = { type = \"real\", lower = 0, upper = 1 }\n" +
                           parts.columns + "[dependence]\nsource = \"public\"\n" + parts.dependence +
                           "[budget]\nepsilon = 1\nledger = \"t.ledger\"\n" + parts.budget + parts.rest,
                       "p.toml");
}

std::string Refusal(const Parts& parts) {
  const auto policy = Read(parts);
  return policy ? "" : policy.error().what;
}

TEST(PolicyNeighbours, PresenceIsLimitedWhereItIsSecretAndRecordsAreIndependent_ADDREM4) {
  const auto policy = Read({});
  ASSERT_TRUE(policy) << policy.error().Text();
  EXPECT_TRUE(policy->counts_presence);
  const Policy same = Read({.budget = ""}).value();
  EXPECT_FALSE(same.counts_presence);
  EXPECT_FALSE(Read({.budget = "neighbours = \"replace\"\n"}).value().counts_presence);
  EXPECT_EQ(policy->identity_fingerprint(), same.identity_fingerprint()) << "it says nothing of units and columns";
  EXPECT_NE(policy->fingerprint(), same.fingerprint());
  EXPECT_EQ(Read({.budget = "neighbours = \"replace\"\n"}).value().fingerprint(), same.fingerprint());
  const Parts nested{.unit = "key = \"id\"\nmax_rows = 2\npresence = \"secret\"\nwithin = \"house\"\nsize = 3\n"};
  EXPECT_TRUE(Read(nested).value().counts_presence) << "households are limited by any change";
}

TEST(PolicyNeighbours, WhereRecordsDependItIsRefused_ADDREM4) {
  const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  EXPECT_TRUE(
      has(Refusal({.dependence = "kind = \"group\"\nby = \"house\"\nsize = 3\n"}), "depend on each other (group)"));
  EXPECT_TRUE(
      has(Refusal({.unit = "key = \"id\"\nmax_rows = 2\npresence = \"public\"\n"}), "where presence is public"));
  EXPECT_TRUE(has(Refusal({.budget = "neighbours = \"remove\"\n"}), "neighbours cannot be"));
  EXPECT_TRUE(has(Refusal({.budget = "neighbours = 1\n"}), "neighbours"));
  EXPECT_TRUE(
      has(Refusal({.columns = "visit = { values = [1, 2], public = \"per row\" }\n"}), "rows that everybody knows"));
  EXPECT_EQ(Refusal({.dependence = "kind = \"group\"\nby = \"house\"\nsize = 3\n", .budget = ""}), "");
}

TEST(PolicyNeighbours, TheChoiceMayChangeUnderAUsedLedger_ADDREM4) {
  const std::string before = DescribePolicy(Read({.budget = ""}).value()), after = DescribePolicy(Read({}).value());
  for (const auto& [was, is] : {std::pair(before, after), std::pair(after, before)}) {
    const auto growth = CompareGenerations(was, is, {});
    ASSERT_TRUE(growth);
    ASSERT_EQ(growth->changes.size(), 1U);
    EXPECT_EQ(growth->changes[0].verdict, GrowthVerdict::kAccepted);
    EXPECT_NE(growth->changes[0].what.find("[budget] neighbours was "), std::string::npos);
    EXPECT_FALSE(growth->all_asked_again) << "answers stay what they are";
  }
  EXPECT_EQ(ReadingText(Read({.budget = ""}).value(), std::nullopt), ReadingText(Read({}).value(), std::nullopt));
  EXPECT_EQ(before, DescribePolicy(Read({.budget = "neighbours = \"replace\"\n"}).value()))
      << "as ledgers from before say it";
}

}  // namespace
}  // namespace kith
