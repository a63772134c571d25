// [dependence] kind = "field" with attribute, ties, bound and sampled.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "dependence/network_sample.h"
#include "policy/policy.h"

namespace kith {
namespace {

Result<Policy> Parse(const std::string& dependence, const std::string& ill = "{ type = \"boolean\" }",
                     const std::string& more = "", const std::filesystem::path& file = "p.toml") {
  return Policy::Parse(
      "[data]\ntables.flu = \"flu.csv\"\n[unit]\ntable = \"flu\"\nkey = \"id\"\nmax_rows = 1\npresence = "
      "\"public\"\n[columns.flu]\nill = " +
          ill + "\n[budget]\nepsilon = 1\nledger = \"l\"\n" + more +
          "[dependence]\nsource = \"public\"\nkind = \"field\"\nnodes = 9\nedges = \"friends.csv\"\ntheta "
          "= 0.1\n" +
          dependence,
      file);
}

const std::string kTies = "attribute = \"ill\"\nties = \"non-negative\"\n";

TEST(FieldTiesSection, IsReadAndIsPartOfTheDeclaration) {
  const auto before = Parse("");
  const auto ties = Parse(kTies);
  const auto asked = Parse(kTies + "bound = \"field-free\"\n");
  ASSERT_TRUE(before && ties && asked) << asked.error().Text();
  const auto& field = std::get<Field>(asked->dependence.model);
  EXPECT_EQ(field.attribute, "ill");
  EXPECT_EQ(field.ties, Ties::kNonNegative);
  EXPECT_TRUE(field.field_free);
  EXPECT_FALSE(std::get<Field>(ties->dependence.model).field_free);
  EXPECT_NE(before->dependence.Declaration(), ties->dependence.Declaration());
  EXPECT_NE(asked->dependence.Declaration(), ties->dependence.Declaration());
}

TEST(FieldTiesSection, ASampleIsReadFromItsFileAndIsPartOfTheDeclaration) {
  const auto folder = std::filesystem::path(::testing::TempDir()) / ("field_ties." + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  NetworkSample sample;
  sample.graph = std::string(64, 'a');
  sample.records = 9;
  sample.sweeps = 4;
  sample.losses = {{0.1, 0, 100, 7, 3, ""}};
  const auto parsed = [&] {
    std::ofstream(folder / "s.json") << JsonOf(sample).dump(1);
    return Parse(kTies + "bound = \"field-free\"\nsampled = \"s.json\"\n", "{ type = \"boolean\" }", "",
                 folder / "p.toml");
  };
  const auto first = parsed();
  ASSERT_TRUE(first) << first.error().Text();
  EXPECT_EQ(std::get<Field>(first->dependence.model).sample->losses[0].largest, 7U);
  sample.losses[0].largest = 6;
  const auto second = parsed();
  ASSERT_TRUE(second);
  EXPECT_NE(first->dependence.Declaration(), second->dependence.Declaration());
  sample.losses[0].largest = 101;
  EXPECT_FALSE(parsed());
  std::filesystem::remove_all(folder);
  EXPECT_FALSE(Parse(kTies + "bound = \"field-free\"\nsampled = \"s.json\"\n"));
}

TEST(FieldTiesSection, WhatIsNotProvedIsRefused) {
  EXPECT_TRUE(Parse(kTies, "{ values = [\"no\", \"yes\"] }"));
  for (const auto& refused :
       {Parse(kTies, "{ values = [\"no\", \"yes\", \"often\"] }"),
        Parse("attribute = \"age\"\nties = \"non-negative\"\n"), Parse("bound = \"field-free\"\n"),
        Parse(kTies + "prevalence = [0, 0.1]\n"), Parse(kTies + "hidden = [2]\n"), Parse(kTies + "bound = \"exact\"\n"),
        Parse("attribute = \"ill\"\nties = \"positive\"\n"), Parse(kTies, "{ type = \"boolean\" }", "delta = 1e-6\n")})
    EXPECT_FALSE(refused);
}

}  // namespace
}  // namespace kith
