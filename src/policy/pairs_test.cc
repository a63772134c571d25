// Tables of pairs: a unit that is a person in either of two columns.
#include <gtest/gtest.h>

#include "policy/policy.h"
#include "tests/support/policies.h"

namespace kith {
namespace {

using testing::MakePolicy;

std::string Friends(const std::string& columns, const std::string& dependence = "kind = \"independent\"",
                    const std::string& key = "[\"a\", \"b\"]") {
  return "[data]\ntables.f = \"f.csv\"\n[unit]\ntable = \"f\"\nkey = " + key +
         "\nmax_rows = 50\npresence = \"secret\"\n[columns.f]\n" + columns + "\n[dependence]\nsource = \"public\"\n" +
         dependence + "\n[budget]\nepsilon = 1\nledger = \"l\"\n";
}

const std::string kBoth = "a = { type = \"integer\" }\nb = { type = \"integer\" }";

TEST(Pairs, BothColumnsNameTheUnit) {
  const Policy policy = MakePolicy(Friends(kBoth, "kind = \"group\"\nsize = 3"));
  EXPECT_EQ(policy.unit.key, "a");
  EXPECT_EQ(policy.unit.other_key, "b");
  EXPECT_EQ(policy.unit.max_rows, 50);
  EXPECT_EQ(policy.cells.size(), 1u);
  EXPECT_NE(policy.identity_words().find("key a and b, max_rows 50"), std::string::npos);
}

TEST(Pairs, TheSecondColumnIsPartOfTheIdentity) {
  const std::string columns = kBoth + "\nc = { type = \"integer\" }";
  const auto identity = [&](const char* key) {
    return MakePolicy(Friends(columns, "kind = \"independent\"", key)).identity_fingerprint();
  };
  EXPECT_NE(identity("[\"a\", \"b\"]"), identity("\"a\""));
  EXPECT_NE(identity("[\"a\", \"b\"]"), identity("[\"a\", \"c\"]"));
  EXPECT_NE(identity("[\"a\", \"b\"]"), identity("[\"b\", \"a\"]"));
}

TEST(Pairs, RefusesWhatIsNotAboutBothPeople) {
  const struct {
    std::string columns, dependence;
    const char* what;
  } cases[] = {
      {"a = { type = \"integer\" }", "kind = \"independent\"", "'b' names people"},
      {"a = { type = \"date\" }\nb = { type = \"date\" }", "kind = \"independent\"", "'a' names people"},
      {"a = { type = \"integer\" }\nb = { type = \"text\" }", "kind = \"independent\"", "must have one type"},
      {"a = { type = \"integer\" }\nb = { lower = 0, upper = 9 }", "kind = \"independent\"", "is the unit's key"},
      {kBoth + "\nkind = { values = [\"x\"], public = true }", "kind = \"independent\"", "cannot be public"},
      {"a = { type = \"integer\", public = true }\nb = { type = \"integer\" }", "kind = \"independent\"",
       "cannot be public"},
      {kBoth, "kind = \"group\"\nsize = 3\nby = \"house\"", "a row is about two people"},
  };
  for (const auto& c : cases) {
    const auto refused = Policy::Parse(Friends(c.columns, c.dependence), "p.toml");
    ASSERT_FALSE(refused.has_value()) << c.what;
    EXPECT_NE(refused.error().what.find(c.what), std::string::npos) << refused.error().Text();
    EXPECT_FALSE(refused.error().next.empty());
  }
}

}  // namespace
}  // namespace kith
