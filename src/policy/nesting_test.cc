// [unit] within and size, [budget.household] and [dependence] unit: what is read, and every refusal.
#include <gtest/gtest.h>

#include "policy/policy.h"

namespace kith {
namespace {

struct Parts {
  std::string unit = "key = \"id\"\nmax_rows = 1\nwithin = \"house\"\nsize = 6\n";
  std::string house = "{ type = \"integer\", public = true }";
  std::string dependence = "kind = \"independent\"\n";
  std::string rest = "";
};

std::string Text(const Parts& parts) {
  return "[data]\ntables.t = \"t.csv\"\n[unit]\ntable = \"t\"\npresence = \"public\"\n" + parts.unit +
         "[columns.t]\nid = { type = \"integer\" }\nhouse = " + parts.house +
         "\nstreet = { values = [\"a\", \"b\"], public = true }\nill = { values = [\"no\", \"yes\"] }\n"
         "[dependence]\nsource = \"public\"\n" +
         parts.dependence + "[budget]\nepsilon = 1\nledger = \"t.ledger\"\n" + parts.rest;
}

Policy Read(const Parts& parts) {
  auto policy = Policy::Parse(Text(parts), "p.toml");
  EXPECT_TRUE(policy) << policy.error().Text();
  return std::move(*policy);
}

TEST(Nesting, IsRead) {
  const Policy policy = Read({.rest = "[budget.household]\nepsilon = 2.5\n"});
  EXPECT_EQ(policy.unit.within, "house");
  EXPECT_EQ(policy.unit.size, 6);
  EXPECT_EQ(policy.unit.level, UnitLevel::kPerson);
  EXPECT_EQ(policy.household_epsilon, 2.5);
  EXPECT_FALSE(policy.dependence.of_households);
  EXPECT_EQ(Read({.unit = "row = true\nwithin = \"house\"\nsize = 2\n"}).unit.size, 2);
  EXPECT_FALSE(Read({.dependence = "kind = \"group\"\nby = \"house\"\nsize = 6\n"}).dependence.of_households);
  EXPECT_TRUE(Read({.dependence = "unit = \"household\"\nkind = \"group\"\nby = \"street\"\nsize = 9\n"})
                  .dependence.of_households);
}

TEST(Nesting, IsPartOfWhatAnswersDependOn) {
  const Policy plain = Read({.unit = "key = \"id\"\nmax_rows = 1\n"}), nested = Read({});
  EXPECT_NE(plain.identity_fingerprint(), nested.identity_fingerprint());
  EXPECT_NE(plain.identity_words(), nested.identity_words());
  const Policy larger = Read({.unit = "key = \"id\"\nmax_rows = 1\nwithin = \"house\"\nsize = 7\n"});
  EXPECT_NE(larger.identity_fingerprint(), nested.identity_fingerprint());
  const Policy capped = Read({.rest = "[budget.household]\nepsilon = 2\n"});
  EXPECT_EQ(capped.identity_fingerprint(), nested.identity_fingerprint());
  EXPECT_NE(capped.fingerprint(), nested.fingerprint());
  const std::string groups = "kind = \"group\"\nby = \"street\"\nsize = 9\nunit = \"household\"\n";
  EXPECT_NE(Read({.dependence = groups}).fingerprint(), nested.fingerprint());
}

TEST(Nesting, WhatIsNotProvedIsRefused) {
  const std::string key = "key = \"id\"\nmax_rows = 1\n", inside = "within = \"house\"\nsize = 6\n";
  const std::vector<std::pair<Parts, std::string>> refusals = {
      {{.unit = key + "within = \"house\"\n"}, "belong together"},
      {{.unit = key + "size = 6\n"}, "belong together"},
      {{.unit = key + "within = \"house\"\nsize = 0\n"}, "size must lie"},
      {{.unit = key + "within = \"home\"\nsize = 6\n"}, "no declared column"},
      {{.unit = key + "within = \"id\"\nsize = 6\n"}, "one person"},
      {{.house = "{ type = \"integer\" }"}, "must be public"},
      {{.house = "{ lower = 0, upper = 9, public = true }"}, "cannot have bounds"},
      {{.house = "{ values = [1, 2], public = true, required = true }"}, "cannot have bounds"},
      {{.dependence = "kind = \"group\"\nby = \"street\"\nsize = 9\n"}, "persons may depend"},
      {{.dependence = "kind = \"group\"\nsize = 9\n"}, "persons may depend"},
      {{.dependence = "unit = \"household\"\nkind = \"group\"\nby = \"house\"\nsize = 6\n"}, "households themselves"},
      {{.dependence = "unit = \"town\"\nkind = \"group\"\nby = \"house\"\nsize = 6\n"}, "unit cannot be"},
      {{.unit = key, .dependence = "unit = \"household\"\nkind = \"group\"\nsize = 6\n"}, "does not say what they are"},
      {{.unit = key, .rest = "[budget.household]\nepsilon = 2\n"}, "needs to know what a household is"},
      {{.rest = "[budget.household]\nepsilon = 0\n"}, "epsilon"},
      {{.rest = "[budget.household]\nledger = \"x\"\n"}, "ledger"},
      {{.dependence = "unit = \"household\"\nkind = \"group\"\nby = \"street\"\nsize = 9\n",
        .rest = "[budget.household]\nepsilon = 2\n"},
       "bounds both losses"},
      {{.rest = "[one_sided]\nsensitive = \"ill = 'yes'\"\nepsilon = 1\n"}, "is not proved"},
  };
  for (const auto& [parts, why] : refusals) {
    const auto policy = Policy::Parse(Text(parts), "p.toml");
    ASSERT_FALSE(policy) << Text(parts);
    EXPECT_NE(policy.error().Text().find(why), std::string::npos) << policy.error().Text();
  }
}

}  // namespace
}  // namespace kith
