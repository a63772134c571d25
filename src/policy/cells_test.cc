// Cells and classes, and what a fingerprint depends on.
#include <gtest/gtest.h>

#include "base/digest.h"
#include "tests/support/policies.h"

namespace kith {
namespace {

using testing::MakePolicy;
using testing::TwinsPolicyText;

std::string With(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

Column PublicColumn(const std::string& name, int values, bool required) {
  Column column;
  column.name = name;
  column.type = ColumnType::kInteger;
  column.is_public = true;
  column.required = required;
  std::vector<Value> numbers;
  for (int i = 0; i < values; ++i) numbers.emplace_back(std::int64_t{i});
  column.values = std::move(numbers);
  return column;
}

std::string Names(const Cells& cells) {
  std::string names;
  for (const auto& column : cells.columns()) names += column.name + " ";
  return names;
}

TEST(Cells, AreTuplesOfPublicValues) {
  const Policy policy = MakePolicy(TwinsPolicyText());
  ASSERT_EQ(policy.cells.size(), 8U);  // mz, dz, os, NULL times female, male
  EXPECT_EQ(policy.cells.Name(0), "zyg=mz, sex=female");
  EXPECT_EQ(policy.cells.Name(1), "zyg=mz, sex=male");
  EXPECT_EQ(policy.cells.Name(5), "zyg=os, sex=male");
  EXPECT_EQ(policy.cells.Name(7), "zyg=NULL, sex=male");
  EXPECT_EQ(policy.cells.At(4, 0), Value(std::string("os")));
  EXPECT_EQ(policy.cells.At(6, 0), Value(Null{}));
  EXPECT_EQ(policy.cells.At(6, 1), Value(std::string("female")));
}

TEST(Cells, WithoutPublicColumnsEveryoneIsOne) {
  Table table;
  const Cells cells = Cells::Of(table, "");
  EXPECT_EQ(cells.size(), 1U);
  EXPECT_EQ(cells.Name(0), "everyone");
}

TEST(Cells, KeepTheStrengthColumnInItsPlaceAndAlwaysTakeIt) {
  Table table;
  table.columns = {PublicColumn("a", 63, false), PublicColumn("b", 63, false), PublicColumn("c", 2, true),
                   PublicColumn("d", 7, false)};
  EXPECT_EQ(Names(Cells::Of(table, "")), "a b ");
  EXPECT_EQ(Cells::Of(table, "").size(), 4096U);
  EXPECT_EQ(Names(Cells::Of(table, "d")), "a d ");
  EXPECT_EQ(Cells::Of(table, "d").size(), 512U);
  EXPECT_EQ(Names(Cells::Of(table, "a")), "a b ");
}

TEST(Cells, StopAtTheFirstColumnThatDoesNotFit) {
  Table table;
  table.columns = {PublicColumn("a", 5000, true), PublicColumn("b", 2, true)};
  EXPECT_EQ(Names(Cells::Of(table, "")), "");
  EXPECT_EQ(Cells::Of(table, "").size(), 1U);
}

TEST(Cells, SecretAndOpenColumnsMakeNone) {
  Table table;
  table.columns = {PublicColumn("a", 2, true), PublicColumn("b", 2, true), PublicColumn("c", 0, false)};
  table.columns[0].is_public = false;
  EXPECT_EQ(Names(Cells::Of(table, "")), "b ");
}

TEST(Cells, NamesCannotBeMistaken) {
  Table table;
  table.columns = {PublicColumn("a", 0, false)};
  table.columns[0].values = {std::string("NULL"), std::string("x, b=y"), std::string("it's"), std::string("")};
  const Cells cells = Cells::Of(table, "");
  EXPECT_EQ(cells.Name(0), "a='NULL'");
  EXPECT_EQ(cells.Name(1), "a='x, b=y'");
  EXPECT_EQ(cells.Name(2), "a='it''s'");
  EXPECT_EQ(cells.Name(3), "a=''");
  EXPECT_EQ(cells.Name(4), "a=NULL");
}

TEST(Classes, FollowTheStrengthColumnAndNullIsTheStrongest) {
  const Policy policy = MakePolicy(TwinsPolicyText());
  const std::size_t expected[] = {0, 0, 1, 1, 2, 2, 0, 0};
  for (std::size_t cell = 0; cell < 8; ++cell) EXPECT_EQ(policy.ClassOf(cell), expected[cell]) << cell;
}

TEST(Classes, NoOddsRatioIsStrongerThanAnyNumber) {
  const Policy policy = MakePolicy(With(TwinsPolicyText(), "os = 2.5", "os = inf"));
  EXPECT_FALSE(std::get<Group>(policy.dependence.model).classes[2].odds_ratio);
  EXPECT_EQ(policy.ClassOf(6), 2U);
}

// A missing value of a required column reads as its first value, so that value must have the strongest dependence.
TEST(Classes, RequiredStrengthColumnStartsWithTheStrongest) {
  for (const std::string odds : {"{ sex = { female = 3, male = 2 } }", "{ sex = { female = 2, male = 2 } }",
                                 "{ sex = { female = inf, male = inf } }"}) {
    const Policy policy = MakePolicy(With(TwinsPolicyText(), "{ zyg = { mz = 40, dz = 2.5, os = 2.5 } }", odds));
    EXPECT_EQ(policy.ClassOf(0), 0U);
    EXPECT_EQ(policy.ClassOf(1), 1U);
  }
}

TEST(Classes, OneStrengthIsOneClass) {
  const Policy policy = MakePolicy(With(TwinsPolicyText(), "{ zyg = { mz = 40, dz = 2.5, os = 2.5 } }", "40"));
  for (std::size_t cell = 0; cell < policy.cells.size(); ++cell) EXPECT_EQ(policy.ClassOf(cell), 0U);
  EXPECT_EQ(policy.cells.size(), 8U);
}

TEST(Classes, StrengthByAnyKindOfValue) {
  const std::string columns =
      "old = { type = \"boolean\", public = true }\nkids = { values = [0, 1], public = true }\nage =";
  const std::string odds = "{ zyg = { mz = 40, dz = 2.5, os = 2.5 } }";
  const std::string text = With(TwinsPolicyText(), "age =", columns);
  EXPECT_EQ(MakePolicy(With(text, odds, "{ old = { true = 3, false = 2 } }")).dependence.class_values,
            (std::vector<Value>{false, true}));
  EXPECT_EQ(MakePolicy(With(text, odds, "{ kids = { 1 = 3, 0 = 2 } }")).dependence.class_values,
            (std::vector<Value>{std::int64_t{0}, std::int64_t{1}}));
}

// What differs between the two fingerprints of two texts.
enum class Change { kNothing, kOutsideIdentity, kIdentity };

Change Compare(const Policy& a, const Policy& b) {
  if (a.identity_fingerprint() != b.identity_fingerprint()) return Change::kIdentity;
  return a.fingerprint() == b.fingerprint() ? Change::kNothing : Change::kOutsideIdentity;
}

struct Edit {
  const char* from;
  const char* to;
  Change change;
};

TEST(Fingerprint, ChangesWithMeaningAndOnlyWithMeaning_POLICY2) {
  const Edit edits[] = {
      {"[data]", "# a comment\n\n[data]", Change::kNothing},
      {"max_rows = 1\npresence = \"public\"", "presence   =   'public'\nmax_rows = 0x1", Change::kNothing},
      {"twins.csv", "./twins.csv", Change::kNothing},
      {"epsilon = 1.0", "epsilon = 1", Change::kNothing},
      {"mz = 40, dz = 2.5", "dz = 25e-1, mz = 4e1", Change::kNothing},
      {"age = { lower = 0, upper = 120 }\n", "age = { type = \"integer\", upper = 120, lower = 0, public = false }\n",
       Change::kNothing},
      {"stutter = { values = [\"no\", \"yes\"] }\nage = { lower = 0, upper = 120 }",
       "age = { lower = 0, upper = 120 }\nstutter = { values = [\"no\", \"yes\"] }", Change::kNothing},
      {"twins.ledger", "other.ledger", Change::kNothing},
      {"[data]", "[data]\nengine = \"duckdb\"", Change::kNothing},
      {"[data]", "[data]\nversion = \"2026-11\"", Change::kNothing},
      {"[data]", "[data]\npublic_columns = \"fixed\"", Change::kOutsideIdentity},
      {"[data]", "[data]\nfrozen = true\nengine = \"postgresql\"\ndatabase = \"a\"", Change::kOutsideIdentity},
      {"epsilon = 1.0", "epsilon = 1.1", Change::kOutsideIdentity},
      {"mz = 40", "mz = 41", Change::kOutsideIdentity},
      {"mz = 40", "mz = inf", Change::kOutsideIdentity},
      {"{ zyg = { mz = 40, dz = 2.5, os = 2.5 } }", "40", Change::kOutsideIdentity},
      {"size = 2", "size = 3", Change::kOutsideIdentity},
      {"by = \"pair\"", "by = \"family\"", Change::kOutsideIdentity},
      {"kind = \"group\"", "kind = \"group\"\naccept = \"unproven\"", Change::kOutsideIdentity},
      {"twins.csv", "others.csv", Change::kIdentity},
      {"key = \"id\"", "key = \"pid\"", Change::kIdentity},
      {"key = \"id\"\n", "row = true\n", Change::kIdentity},
      {"max_rows = 1", "max_rows = 2", Change::kIdentity},
      {"presence = \"public\"", "presence = \"secret\"", Change::kIdentity},
      {"upper = 120", "upper = 121", Change::kIdentity},
      {"lower = 0, upper = 120", "lower = 0.0, upper = 120.0", Change::kIdentity},
      {"\"no\", \"yes\"", "\"yes\", \"no\"", Change::kIdentity},
      {"\"no\", \"yes\"", "\"no\", \"yes\", \"maybe\"", Change::kIdentity},
      {"\"yes\"] }", "\"yes\"], public = true }", Change::kIdentity},
      {"upper = 120", "upper = 120, required = true", Change::kIdentity},
      {"age =", "years =", Change::kIdentity},
      {"age =", "new = { type = \"text\" }\nage =", Change::kIdentity},
      {"[unit]", "tables.w = { source = \"w.csv\", public = true }\n[unit]", Change::kIdentity},
  };
  const Policy twins = MakePolicy(TwinsPolicyText());
  for (const auto& edit : edits) {
    const Policy edited = MakePolicy(With(TwinsPolicyText(), edit.from, edit.to));
    EXPECT_EQ(Compare(twins, edited), edit.change) << edit.from << " -> " << edit.to;
    EXPECT_EQ(twins.identity_words() != edited.identity_words(), edit.change == Change::kIdentity) << edit.to;
  }
}

TEST(Fingerprint, KnowsTheKeyOfAPublicTable) {
  const auto with = [](const std::string& key) {
    return MakePolicy(With(TwinsPolicyText(), "[unit]",
                           "tables.w = { source = \"w.csv\", public = true" + key +
                               " }\n[columns.w]\ncode = { type = \"text\" }\n[unit]"));
  };
  EXPECT_EQ(Compare(with(""), with(", key = \"code\"")), Change::kIdentity);
  EXPECT_NE(with(", key = \"code\"").identity_words().find("table w: w.csv, public, key code"), std::string::npos);
}

TEST(Fingerprint, SaysInWordsWhatItCovers) {
  EXPECT_EQ(MakePolicy(TwinsPolicyText()).identity_words(),
            "unit: table twins, key id, max_rows 1, presence public\n"
            "table twins: twins.csv\n"
            "column twins.age: integer, lower 0, upper 120, secret\n"
            "column twins.sex: text, values 'female', 'male', public, required\n"
            "column twins.stutter: text, values 'no', 'yes', secret\n"
            "column twins.zyg: text, values 'mz', 'dz', 'os', public\n"
            "order of public columns: zyg, sex\n");
}

TEST(Fingerprint, OrderOfColumnsThatMakeCellsMatters) {
  const std::string zyg = "zyg = { values = [\"mz\", \"dz\", \"os\"], public = true }\n";
  const std::string text = With(With(TwinsPolicyText(), zyg, ""), "[dependence]", zyg + "[dependence]");
  EXPECT_EQ(Compare(MakePolicy(TwinsPolicyText()), MakePolicy(text)), Change::kIdentity);
}

// The same characters in the same order, divided differently.
const std::pair<const char*, const char*> kRunningTogether[] = {
    {"values = [\"no\", \"yes\"]", "values = [\"noy\", \"es\"]"},
    {"values = [\"no\", \"yes\"]", "values = [\"noyes\"]"},
    {"values = [\"a;1:b\"]", "values = [\"a\", \";1:b\"]"},
};

TEST(Fingerprint, PartsDoNotRunTogether_POLICY2) {
  const auto identity = [](const char* values) {
    return MakePolicy(With(TwinsPolicyText(), "values = [\"no\", \"yes\"]", values)).identity_fingerprint();
  };
  for (const auto& [one, other] : kRunningTogether) EXPECT_NE(identity(one), identity(other)) << one;
}

// The fault: parts without their lengths.
TEST(Fingerprint, TheCheckAboveSeesPartsWithoutLengths) {
  const auto faulty = [](const char* values) {
    const Policy policy = MakePolicy(With(TwinsPolicyText(), "values = [\"no\", \"yes\"]", values));
    std::string text;
    for (const auto& value : policy.unit_table().Find("stutter")->values) text += ToText(value);
    return Sha256(text);
  };
  for (const auto& [one, other] : kRunningTogether) EXPECT_EQ(faulty(one), faulty(other)) << one;
}

// Pinned: a change of the canonical text would orphan every ledger in use.
TEST(Fingerprint, IsPinned) {
  const Policy policy = MakePolicy(TwinsPolicyText(), "anywhere/policy.toml");
  EXPECT_EQ(policy.identity_fingerprint(), "124b162dad10753ef0ff01cf7888fa76347e07c777816c8514e0fff84196e759");
  EXPECT_EQ(policy.fingerprint(), "cd42b12b95db620e89875eeaaae2c0eb76ddb2257161e38979eb1f6333a0e7b3");
}

}  // namespace
}  // namespace kith
