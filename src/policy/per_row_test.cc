// Columns that are public for each row: how they are read, their cells, and what may change later.
#include "policy/per_row.h"

#include <gtest/gtest.h>

#include "policy/growth.h"
#include "tests/support/policies.h"

namespace kith {
namespace {

using testing::MakePolicy;

std::string Text(const std::string& visit, int max_rows = 3, const std::string& more = "") {
  return "[data]\nfrozen = true\ntables.t = \"t.parquet\"\n[unit]\ntable = \"t\"\nkey = \"id\"\nmax_rows = " +
         std::to_string(max_rows) +
         "\npresence = \"public\"\n[columns.t]\narm = { values = [\"A\", \"B\"], public = true, required = true }\n"
         "visit = { values = [1, 2], required = true" +
         visit + " }\nill = { values = [\"no\", \"yes\"] }\n" + more +
         "[dependence]\nsource = \"public\"\nkind = \"independent\"\n[budget]\nepsilon = 1\nledger = \"l\"\n";
}

const std::string kPerRow = ", public = \"per row\"", kPublic = ", public = true";

TEST(PerRow, IsReadAndIsPartOfWhatAnswersDependOn) {
  const Policy secret = MakePolicy(Text("")), rows = MakePolicy(Text(kPerRow)), units = MakePolicy(Text(kPublic));
  const Column& visit = *rows.unit_table().Find("visit");
  EXPECT_TRUE(visit.is_public && visit.per_row);
  EXPECT_FALSE(IsPublicOfUnit(visit));
  EXPECT_TRUE(IsPublicOfUnit(*rows.unit_table().Find("arm")));
  EXPECT_TRUE(RowsArePublic(rows));
  EXPECT_FALSE(RowsArePublic(units) || RowsArePublic(secret));
  EXPECT_EQ(rows.cells.size(), 4U);
  EXPECT_EQ(rows.cells.Name(1), "arm=A, visit=2");
  EXPECT_NE(rows.identity_fingerprint(), units.identity_fingerprint());
  EXPECT_NE(rows.identity_words().find("public per row"), std::string::npos);
  EXPECT_FALSE(rows.units_table());
}

TEST(PerRow, AUnitAsAWholeIsAllCellsOfItsRows_ROW2) {
  const Policy rows = MakePolicy(Text(kPerRow)), units = MakePolicy(Text(kPublic));
  EXPECT_EQ(OfWholeUnits(rows, {false, true, false, false}), (std::vector<bool>{true, true, false, false}));
  EXPECT_EQ(OfWholeUnits(rows, {false, false, false, false}), (std::vector<bool>{false, false, false, false}));
  EXPECT_EQ(OfWholeUnits(units, {false, true, false, false}), (std::vector<bool>{false, true, false, false}));
  EXPECT_EQ(LargestOfUnits(rows, {0.5, 1, 0.25, 0}), (std::vector<double>{1, 1, 0.25, 0.25}));
  // Columns of rows before, between and after those of units.
  const Policy mixed =
      MakePolicy(Text(kPerRow, 3, "sex = { values = [\"f\", \"m\"], public = true, required = true }\n"));
  std::vector<bool> one(mixed.cells.size(), false), expected = one;
  for (std::size_t cell = 0; cell < one.size(); ++cell) {
    if (mixed.cells.Name(cell) == "arm=B, visit=1, sex=m") one[cell] = true;
    if (mixed.cells.Name(cell).starts_with("arm=B") && mixed.cells.Name(cell).ends_with("sex=m")) expected[cell] = true;
  }
  EXPECT_EQ(OfWholeUnits(mixed, one), expected);
}

Growth Compare(const std::string& before, const std::string& after) {
  return CompareGenerations(DescribePolicy(MakePolicy(before)), DescribePolicy(MakePolicy(after)), {}).value();
}

TEST(PerRow, RowsAndUnitsAreNotTakenForEachOther_GROWTH2) {
  EXPECT_TRUE(Compare(Text(kPerRow), Text("")).Has(GrowthVerdict::kRefused));
  EXPECT_TRUE(Compare(Text(kPerRow), Text(kPublic)).Has(GrowthVerdict::kRefused));
  EXPECT_TRUE(Compare(Text(kPublic), Text(kPerRow)).Has(GrowthVerdict::kRefused));
  const Growth known = Compare(Text(""), Text(kPerRow));
  EXPECT_TRUE(known.Has(GrowthVerdict::kReview));
  EXPECT_FALSE(known.Has(GrowthVerdict::kRefused));
  const std::string year = "year = { values = [2024], public = \"per row\" }\n";
  EXPECT_TRUE(Compare(Text(kPerRow), Text(kPerRow, 3, year)).Has(GrowthVerdict::kReview));
  EXPECT_TRUE(Compare(Text(kPerRow, 3, year), Text(kPerRow)).Has(GrowthVerdict::kRefused));
  EXPECT_TRUE(Compare(Text(kPerRow), Text(kPerRow)).changes.empty());
}

const ColumnOrigins& Of(const Growth& growth, const std::string& column) {
  for (const ColumnOrigins& origins : growth.origins) {
    if (origins.column == column) return origins;
  }
  throw std::runtime_error("no origins of " + column);
}

TEST(PerRow, WhereMoreRowsAreAllowedEveryRowTakesTheLargest_ROW3) {
  using Names = std::vector<std::string>;
  const Growth more = Compare(Text(kPerRow, 3), Text(kPerRow, 4)), fewer = Compare(Text(kPerRow, 3), Text(kPerRow, 2));
  EXPECT_EQ(Of(more, "visit").from.at("1"), (Names{"1", "2"}));
  EXPECT_EQ(Of(more, "visit").from.at("2"), (Names{"1", "2"}));
  EXPECT_EQ(Of(more, "arm").from.at("A"), (Names{"A"}));
  EXPECT_EQ(Of(fewer, "visit").from.at("1"), (Names{"1"}));
}

// What the check above would see if rows were taken for units, which have one value each and keep their cells.
TEST(PerRow, TheCheckAboveSeesRowsThatAreTakenForUnits) {
  using Names = std::vector<std::string>;
  const Growth units = Compare(Text(kPublic, 3), Text(kPublic, 4));
  EXPECT_EQ(Of(units, "visit").from.at("1"), (Names{"1"}));
}

}  // namespace
}  // namespace kith
