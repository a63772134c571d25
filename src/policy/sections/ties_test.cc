// [dependence] attribute, ties and shared.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "policy/policy.h"

namespace kith {
namespace {

struct Parts {
  std::string dependence = "attribute = \"ill\"\nshared = { sd = 0.8 }";
  std::string size = "8";
  std::string ill = "{ type = \"boolean\" }";
  std::string unit = "row = true";
  std::string more, data = "";
};

Result<Policy> Parse(const Parts& parts) {
  return Policy::Parse("[data]\ntables.flu = \"flu.csv\"\n" + parts.data + "[unit]\ntable = \"flu\"\n" + parts.unit +
                           "\npresence = \"public\"\n[columns.flu]\nhome = { type = \"integer\", public = true }\n"
                           "ward = { values = [\"north\", \"south\"], public = true }\nill = " +
                           parts.ill +
                           "\ndrug = { values = [\"a\", \"b\", \"c\"] }\n[budget]\nepsilon = 1\nledger = \"l\"\n"
                           "[dependence]\nsource = \"public\"\nkind = \"group\"\nby = \"home\"\nsize = " +
                           parts.size + "\n" + parts.dependence + "\n" + parts.more,
                       "p.toml");
}

const Group& Read(const Policy& policy) { return std::get<Group>(policy.dependence.model); }

TEST(TiesSection, ASharedCauseIsReadInThreeWays) {
  const auto sd = Parse({});
  ASSERT_TRUE(sd) << sd.error().Text();
  EXPECT_EQ(Read(*sd).attribute, "ill");
  EXPECT_EQ(Read(*sd).ties, Ties::kNonNegative);
  EXPECT_EQ(Read(*sd).shared, SharedBy::kSd);
  EXPECT_EQ(Read(*sd).classes.front().cause, .8);
  EXPECT_NEAR(*Read(*sd).classes.front().odds_ratio, std::exp(.64), 1e-13);
  const auto range = Parse({.dependence = "attribute = \"ill\"\nshared = { range = 2 }"});
  ASSERT_TRUE(range) << range.error().Text();
  EXPECT_NEAR(*Read(*range).classes.front().odds_ratio, std::exp(1), 1e-13);
  const auto odds = Parse({.dependence = "attribute = \"ill\"\nshared = { odds_ratio = 2 }"});
  ASSERT_TRUE(odds) << odds.error().Text();
  EXPECT_EQ(Read(*odds).shared, SharedBy::kOddsRatio);
  EXPECT_EQ(*Read(*odds).classes.front().odds_ratio, 2);
  const auto any = Parse({.dependence = "attribute = \"ill\"\nties = \"non-negative\"\nodds_ratio = 2"});
  ASSERT_TRUE(any) << any.error().Text();
  EXPECT_EQ(Read(*any).shared, SharedBy::kNothing);
  EXPECT_EQ(Read(*any).ties, Ties::kNonNegative);
  const auto either = Parse({.dependence = "attribute = \"ill\"\nodds_ratio = 2"});
  ASSERT_TRUE(either) << either.error().Text();
  EXPECT_EQ(Read(*either).ties, Ties::kEither);
  const auto before = Parse({.dependence = "odds_ratio = 2"});
  std::vector<std::string> canonical;
  for (const auto* policy : {&*sd, &*range, &*odds, &*any, &*either, &*before})
    canonical.push_back(policy->dependence.canonical);
  EXPECT_EQ(canonical.back(), "group 8 0: 2");  // as it always was: no ledger is orphaned
  std::sort(canonical.begin(), canonical.end());
  EXPECT_EQ(std::adjacent_find(canonical.begin(), canonical.end()), canonical.end());
}

TEST(TiesSection, StrengthsAndSizesDifferByAColumn) {
  const auto policy =
      Parse({.dependence = "attribute = \"ill\"\nshared = { sd = { ward = { north = 0.3, south = 0.8 } } }",
             .size = "{ ward = { north = 4, south = 2 } }",
             .unit = "key = \"id\"\nmax_rows = 1",
             .data = "public_columns = \"fixed\"\n"});
  ASSERT_TRUE(policy) << policy.error().Text();
  const Group& group = Read(*policy);
  ASSERT_EQ(group.classes.size(), 3U);  // units without a ward: the worst of all
  EXPECT_EQ(group.classes[0].cause, .3);
  EXPECT_EQ(group.classes[1].cause, .8);
  EXPECT_EQ(group.classes[2].cause, .8);
  EXPECT_EQ(group.SizeOf(0), 4);
  EXPECT_EQ(group.SizeOf(2), 4);
}

struct Refusal {
  Parts parts;
  const char* what;
};

TEST(TiesSection, WhatIsNotProvedIsRefused) {
  const std::string shared = "attribute = \"ill\"\nshared = { sd = 0.8 }";
  for (const Refusal& refusal : {
           Refusal{{.dependence = "shared = { sd = 0.8 }"}, "does not say 'attribute'"},
           Refusal{{.dependence = "ties = \"non-negative\"\nodds_ratio = 2"}, "does not say 'attribute'"},
           Refusal{{.dependence = "attribute = \"ill\"\nties = \"non-negative\""}, "does not say 'odds_ratio'"},
           Refusal{{.dependence = "attribute = \"ill\"\nties = \"positive\"\nodds_ratio = 2"}, "ties cannot be"},
           Refusal{{.dependence = shared + "\nodds_ratio = 2"}, "says its strength"},
           Refusal{{.dependence = "attribute = \"ill\"\nshared = { sd = 0.8, range = 2 }"}, "in one way"},
           Refusal{{.dependence = "attribute = \"ill\"\nshared = { icc = 0.2 }"}, "icc"},
           Refusal{{.dependence = "attribute = \"ill\"\nshared = { sd = -1 }"}, "not negative"},
           Refusal{{.dependence = "attribute = \"ill\"\nshared = { sd = 40 }"}, "at most 26"},
           Refusal{{.dependence = "attribute = \"ill\"\nshared = { odds_ratio = inf }"}, "say nothing"},
           Refusal{{.dependence = "attribute = \"ill\"\nshared = { odds_ratio = 0.5 }"}, "below 1"},
           Refusal{{.dependence = "attribute = \"drug\"\nshared = { sd = 0.8 }"}, "is not yes or no"},
           Refusal{{.dependence = "attribute = \"drug\"\nodds_ratio = 2"}, "is not yes or no"},
           Refusal{{.dependence = "attribute = \"sick\"\nshared = { sd = 0.8 }"}, "no declared column"},
           Refusal{{.dependence = "attribute = \"ward\"\nshared = { sd = 0.8 }"}, "is public"},
           Refusal{{.unit = "key = \"home_id\"\nmax_rows = 3"}, "more than one yes or no"},
           Refusal{{.dependence = shared + "\nknown = [{ total = \"ill\" }]", .size = "2"}, "against each other"},
           Refusal{{.more = "[one_sided]\naccept = \"unbounded\"\nsensitive = \"ill\"\nepsilon = 1\n"}, "[one_sided]"},
       }) {
    const auto policy = Parse(refusal.parts);
    ASSERT_FALSE(policy) << refusal.what;
    EXPECT_NE(policy.error().Text().find(refusal.what), std::string::npos) << policy.error().Text();
  }
  EXPECT_TRUE(Parse({.ill = "{ type = \"boolean\", constant = true }", .unit = "key = \"id\"\nmax_rows = 3"}));
  EXPECT_TRUE(Parse({.ill = "{ type = \"integer\", lower = 0, upper = 1 }"}));
  EXPECT_TRUE(Parse({.ill = "{ values = [\"no\", \"yes\"] }"}));
}

TEST(TiesSection, AHiddenCauseIsDeclaredInOneWay) {
  const auto policy = Policy::Parse(
      "[data]\ntables.flu = \"flu.csv\"\n[unit]\ntable = \"flu\"\nrow = true\npresence = "
      "\"public\"\n[columns.flu]\nill = { type = "
      "\"boolean\" "
      "}\n[budget]\nepsilon = 1\nledger = \"l\"\n[dependence]\nsource = \"public\"\nkind = \"group\"\nhidden = "
      "\"school\"\nsize = 8\nodds_ratio = 2\nattribute = \"ill\"\n",
      "p.toml");
  ASSERT_FALSE(policy);
  EXPECT_NE(policy.error().what.find("two ways"), std::string::npos) << policy.error().Text();
}

}  // namespace
}  // namespace kith
