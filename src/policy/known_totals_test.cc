// [dependence] known: what is read, how it is named, and every refusal.
#include <gtest/gtest.h>

#include "policy/growth.h"
#include "policy/policy.h"

namespace kith {
namespace {

struct Parts {
  std::string known = "[\"total\"]";
  std::string kind = "kind = \"independent\"\n";
  std::string unit = "key = \"id\"\nmax_rows = 1\npresence = \"public\"\n";
  std::string columns = "";
  std::string rest = "";
};

std::string Text(const Parts& parts) {
  return "[data]\ntables.t = \"t.csv\"\n[unit]\ntable = \"t\"\n" + parts.unit +
         "[columns.t]\nid = { type = \"integer\" }\npair = { type = \"integer\", public = true }\n"
         "ward = { values = [\"A\", \"B\"], public = true }\nsex = { values = [\"f\", \"m\"], public = true }\n"
         "sick = { type = \"boolean\", required = true }\n" +
         parts.columns + "[dependence]\nsource = \"public\"\n" + parts.kind +
         (parts.known.empty() ? "" : "known = " + parts.known + "\n") +
         "[budget]\nepsilon = 1\nledger = \"t.ledger\"\n" + parts.rest;
}

Policy Read(const Parts& parts) {
  auto policy = Policy::Parse(Text(parts), "p.toml");
  EXPECT_TRUE(policy) << policy.error().Text();
  return std::move(*policy);
}

KnownTotals Known(const Parts& parts) { return Read(parts).dependence.known.value_or(KnownTotals{"nothing", 0}); }

std::string Refusal(const Parts& parts) {
  const auto policy = Policy::Parse(Text(parts), "p.toml");
  return policy ? "accepted" : policy.error().Text();
}

const char* const kVisits = "visits = { type = \"integer\", lower = 0, upper = 5 }\n";
const char* const kPairs = "kind = \"group\"\nby = \"pair\"\nsize = 2\nodds_ratio = 4\n";

TEST(KnownTotals, AreReadAndNamed_TOTALS4) {
  EXPECT_EQ(Known({}).of,
            "the exact number of units with one property that is yes or no, whichever it is, over all units");
  EXPECT_TRUE(Known({}).whole_record);
  EXPECT_FALSE(Read({.known = ""}).dependence.known);
  const auto sick = Known({.known = "[{ total = \"sick\" }]"});
  EXPECT_EQ(sick.of, "the exact number of units with sick = true, over all units");
  EXPECT_EQ(sick.range, 1);
  EXPECT_FALSE(sick.of_groups);
  const auto nested = Known({.known = "[{ total = \"sick\", by = [\"ward\", \"sex\"] }, { total = \"sick\" }, "
                                      "{ total = \"sick\", by = \"ward\" }]"});
  EXPECT_EQ(nested.of, "the exact number of units with sick = true, over all units, by ward and by sex and ward");
  EXPECT_TRUE(nested.of_groups);
  const auto flu = Known(
      {.known = "[{ total = \"what\", value = \"flu\" }]", .columns = "what = { values = [\"flu\", \"cold\"] }\n"});
  EXPECT_EQ(flu.of, "the exact number of units with what = flu, over all units");
  EXPECT_FALSE(flu.whole_record);
  EXPECT_TRUE(Known({.known = "[\"total\"]", .kind = kPairs}).whole_record);
}

// A unit that has several rows, or none, or a missing value moves a total farther.
TEST(KnownTotals, TheRangeCountsRowsAndMissingValues) {
  const std::string of_visits = "[{ total = \"visits\" }]";
  EXPECT_EQ(Known({.known = of_visits, .columns = kVisits}).range, 5);
  EXPECT_EQ(
      Known({.known = of_visits, .unit = "key = \"id\"\nmax_rows = 3\npresence = \"secret\"\n", .columns = kVisits})
          .range,
      15);
  EXPECT_EQ(
      Known({.known = "[{ total = \"sick\" }]", .unit = "key = \"id\"\nmax_rows = 3\npresence = \"secret\"\n"}).range,
      3);
  const std::string age = "age = { type = \"integer\", lower = 18, upper = 20";
  EXPECT_EQ(Known({.known = "[{ total = \"age\" }]", .columns = age + ", required = true }\n"}).range, 2);
  EXPECT_NE(Refusal({.known = "[{ total = \"age\" }]", .columns = age + " }\n"}).find("a gap"), std::string::npos);
}

TEST(KnownTotals, WhatIsNotProvedIsRefused_TOTALS4) {
  const auto refused = [](const Parts& parts, const char* why) {
    const std::string text = Refusal(parts);
    EXPECT_NE(text.find(why), std::string::npos) << text;
    EXPECT_NE(text.find("p.toml:"), std::string::npos) << text;
  };
  refused({.known = "[{ total = \"sick\", by = \"ward\" }, { total = \"sick\", by = \"sex\" }]"}, "cross");
  refused({.known = "[{ total = \"sick\" }, { total = \"visits\" }]", .columns = kVisits}, "two properties");
  refused({.known = "[{ total = \"ward\", value = \"A\" }]"}, "secret column");
  refused({.known = "[{ total = \"sick\", by = \"sick\" }]"}, "no public column");
  refused({.known = "[{ total = \"sick\", by = \"visit\" }]",
           .unit = "key = \"id\"\nmax_rows = 2\npresence = \"public\"\n",
           .columns = "visit = { values = [1, 2], required = true, public = \"per row\" }\n"},
          "rows in several of them");
  refused({.known = "[{ total = \"what\" }]", .columns = "what = { values = [\"flu\", \"cold\"] }\n"}, "yes or no");
  refused({.known = "[{ total = \"what\", value = \"gout\" }]", .columns = "what = { values = [\"flu\"] }\n"},
          "no declared value");
  refused({.known = "[\"mean\"]"}, "known cannot be 'mean'");
  refused({.known = "\"total\""}, "must be a list");
  refused({.known = "[]"}, "must be a list");
  refused({.known = "[{ by = \"ward\" }]"}, "does not say 'total'");
  refused({.kind = "kind = \"group\"\nby = \"pair\"\nsize = 2\nodds_ratio = 40\n"}, "above 4");
  refused({.kind = "kind = \"group\"\nby = \"pair\"\nsize = 3\nodds_ratio = 2\n"}, "pairs only");
  refused({.known = "[{ total = \"sick\", by = \"ward\" }]", .kind = kPairs}, "grand total");
  refused({.kind = "kind = \"overlap\"\nby = \"pair\"\nsize = 2\neta = 0.1\n"}, "no bound is known");
  refused({.unit = "key = \"id\"\nmax_rows = 1\npresence = \"public\"\nwithin = \"pair\"\nsize = 2\n"}, "households");
}

TEST(KnownTotals, GrowIntoAUsedLedger) {
  const Policy before = Read({.known = ""}), after = Read({.known = "[{ total = \"sick\" }]"});
  EXPECT_EQ(before.identity_fingerprint(), after.identity_fingerprint());
  EXPECT_NE(before.fingerprint(), after.fingerprint());
  EXPECT_NE(before.dependence.Declaration(), after.dependence.Declaration());
  const auto growth = CompareGenerations(DescribePolicy(before), DescribePolicy(after), {}).value();
  ASSERT_EQ(growth.changes.size(), 1U);
  EXPECT_EQ(growth.changes[0].verdict, GrowthVerdict::kAccepted);
  EXPECT_NE(growth.changes[0].what.find("was no total and is now the exact number of units with sick = true"),
            std::string::npos)
      << growth.changes[0].what;
  EXPECT_NE(growth.changes[0].why.find("evaluated again"), std::string::npos);
}

}  // namespace
}  // namespace kith
