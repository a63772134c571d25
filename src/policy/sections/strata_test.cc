// Sizes of groups by a public column.
#include <gtest/gtest.h>

#include "policy/growth.h"
#include "policy/policy.h"
#include "tests/support/policies.h"

namespace kith {
namespace {

using testing::MakePolicy;

std::string Homes(const std::string& dependence, const std::string& persons = "{ values = [1, 2, 6], public = true }",
                  const std::string& data = "public_columns = \"fixed\"\n") {
  return "[data]\n" + data +
         "tables.t = \"t.csv\"\n[unit]\ntable = \"t\"\nkey = \"id\"\nmax_rows = 1\npresence = \"public\"\n"
         "[columns.t]\npersons = " +
         persons +
         "\nkind = { values = [\"farm\", \"flat\"], public = true }\nill = { values = [\"no\", \"yes\"] }\n"
         "[dependence]\nsource = \"public\"\nkind = \"group\"\n" +
         dependence + "\n[budget]\nepsilon = 1\nledger = \"l\"\n";
}

std::string Complaint(const std::string& text) {
  const auto policy = Policy::Parse(text, "p.toml");
  return policy ? "accepted" : policy.error().Text();
}

#define EXPECT_COMPLAINT(text, words) EXPECT_NE(Complaint(text).find(words), std::string::npos) << Complaint(text)

TEST(Strata, TheColumnSaysTheSize_STRATA1) {
  const Policy policy = MakePolicy(Homes("by = \"home\"\nsize = \"persons\"\nodds_ratio = 5"));
  const auto& group = std::get<Group>(policy.dependence.model);
  EXPECT_EQ(group.size, 6);
  ASSERT_EQ(group.classes.size(), 3U);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(group.classes[k].odds_ratio, 5);
  EXPECT_EQ(group.SizeOf(0), 1);
  EXPECT_EQ(group.SizeOf(1), 2);
  EXPECT_EQ(policy.dependence.strength_column, "persons");
  EXPECT_TRUE(policy.HasStrata());
  EXPECT_EQ(policy.ClassOfValue(std::int64_t{2}), 1U);
  EXPECT_EQ(policy.ClassOfValue(Null{}), 2U) << "nobody knows: the largest";
}

TEST(Strata, OrATableDoes) {
  const Policy policy = MakePolicy(Homes("by = \"home\"\nsize = { kind = { farm = 9, flat = 4 } }"));
  EXPECT_EQ(std::get<Group>(policy.dependence.model).SizeOf(1), 4);
  EXPECT_FALSE(std::get<Group>(policy.dependence.model).classes[1].odds_ratio);
}

// A unit without a value may be in any class: neither of these two is the stronger one.
TEST(Strata, UnitsWithoutAValueGetTheWorstOfAll_STRATA1) {
  const Policy policy = MakePolicy(
      Homes("by = \"home\"\nsize = { kind = { farm = 9, flat = 4 } }\nodds_ratio = { kind = { farm = 2, flat = 5 } }"));
  const auto& group = std::get<Group>(policy.dependence.model);
  ASSERT_EQ(group.classes.size(), 3U);
  const std::size_t unknown = policy.ClassOfValue(Null{});
  for (std::size_t k = 0; k < 3; ++k) EXPECT_TRUE(AtLeastAsStrong(group, unknown, k)) << k;
  EXPECT_EQ(group.classes[unknown].odds_ratio, 5);
  EXPECT_EQ(group.SizeOf(unknown), 9);
  EXPECT_FALSE(AtLeastAsStrong(group, 0, 1));
  EXPECT_FALSE(AtLeastAsStrong(group, 1, 0));
}

TEST(Strata, RefusesWhatCannotBeKept) {
  EXPECT_COMPLAINT(Homes("by = \"home\"\nsize = \"persons\"", "{ values = [1, 2], public = true }", ""),
                   "hold only while no unit's value changes");
  EXPECT_COMPLAINT(Homes("size = \"persons\""), "names a unit's group");
  EXPECT_COMPLAINT(Homes("by = \"home\"\nsize = \"persons\"", "{ values = [1, 2] }"), "public column");
  EXPECT_COMPLAINT(Homes("by = \"home\"\nsize = \"persons\"", "{ type = \"integer\", public = true }"), "values");
  EXPECT_COMPLAINT(Homes("by = \"home\"\nsize = \"persons\"", "{ values = [0, 2], public = true }"), "from 1 to");
  EXPECT_COMPLAINT(Homes("by = \"home\"\nsize = \"kind\""), "whole numbers");
  EXPECT_COMPLAINT(Homes("by = \"home\"\nsize = { kind = { farm = 9 } }"), "flat");
  EXPECT_COMPLAINT(Homes("by = \"home\"\nsize = { kind = { farm = 9, flat = 4, tent = 2 } }"), "tent");
  EXPECT_COMPLAINT(Homes("by = \"home\"\nsize = { kind = { farm = 9, flat = 0 } }"), "from 1 to");
  EXPECT_COMPLAINT(Homes("by = \"home\"\nsize = \"persons\"\nodds_ratio = { kind = { farm = 2, flat = 5 } }"),
                   "use one column for both");
  EXPECT_COMPLAINT(Homes("by = \"home\"\nsize = \"persons\"", "{ values = [1, 6], public = true, required = true }"),
                   "does not have the largest groups");
  EXPECT_EQ(
      Complaint(Homes("by = \"home\"\nsize = \"persons\"", "{ values = [6, 1], public = true, required = true }")),
      "accepted");
}

// A changed size is a different model: it is recorded, and the history is counted again.
TEST(Strata, SizesArePartOfTheModel) {
  const Policy one = MakePolicy(Homes("by = \"home\"\nsize = { kind = { farm = 9, flat = 4 } }"));
  const Policy other = MakePolicy(Homes("by = \"home\"\nsize = { kind = { farm = 9, flat = 5 } }"));
  EXPECT_NE(one.fingerprint(), other.fingerprint());
  EXPECT_EQ(one.identity_fingerprint(), other.identity_fingerprint());
  EXPECT_NE(DescribePolicy(one), DescribePolicy(other));
}

}  // namespace
}  // namespace kith
