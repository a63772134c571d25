// Units that are in two imports keep their group, and their public columns where that is promised.
#include "engine/duckdb/engine_fixture.h"

namespace kith {
namespace {

class MovesTest : public EngineFixture {
 protected:
  MovesTest() {
    policy_.unit.key = "id";
    policy_.unit.max_rows = 2;
    Declare("ward", ColumnType::kText, true).values = {std::string("A"), std::string("B")};
    Declare("ill", ColumnType::kText);
  }
  /// Two states of the table, one import each. What the second one said.
  std::string Replace(const std::string& before, const std::string& after) {
    Write("people.csv", "id,pair,ward,ill\n" + before);
    std::filesystem::remove_all(folder_ / ".kith");
    const std::string first = Import("a-1");
    if (!first.empty()) return "before: " + first;
    Write("people.csv", "id,pair,ward,ill\n" + after);
    return Import("a-2", "a-1");
  }
};

constexpr char kThree[] = "1,p,A,no\n2,p,A,no\n3,q,B,no\n";

TEST_F(MovesTest, WithoutThePromiseUnitsMayMoveBetweenPublicValues) {
  EXPECT_EQ(Replace(kThree, "1,p,A,no\n2,p,A,no\n3,q,A,no\n"), "");
}

TEST_F(MovesTest, UnderThePromiseAMoveIsRefused_ENGINE8) {
  policy_.fixed_public_columns = true;
  const std::string one = Replace(kThree, "1,p,A,no\n2,p,A,no\n3,q,A,no\n");
  EXPECT_TRUE(Has(one, "1 unit has other values in public columns than at the previous import"));
  EXPECT_TRUE(Has(one, "public_columns"));
  EXPECT_TRUE(Has(OpenImport("a-2").error().Text(), "are not there"));
  EXPECT_EQ(AskImport("a-1", "SELECT count(*) FROM people WHERE ward = 'B'"), "1");
  EXPECT_TRUE(Has(Replace(kThree, "1,p,B,no\n2,p,,no\n3,q,B,no\n"), "2 units have other values"));
  // A value that is not declared is still a different value.
  EXPECT_TRUE(Has(Replace(kThree, "1,p,C,no\n2,p,A,no\n3,q,B,no\n"), "1 unit has other values"));
}

TEST_F(MovesTest, UnderThePromiseEverythingElseMayChange) {
  policy_.fixed_public_columns = true;
  EXPECT_EQ(Replace(kThree, "3,q,B,yes\n1,p,A,yes\n1,p,A,no\n4,r,B,yes\n,p,B,no\n"), "");
  EXPECT_EQ(Replace("1,p,,no\n", "1,p,,yes\n"), "");
}

// Rows may be added, none may go: then all that a unit lost is shared out among the rows that it has at the end.
TEST_F(MovesTest, UnderThePromiseRowsStay_ROW3) {
  policy_.fixed_public_columns = true;
  policy_.tables[0].columns[0].per_row = true;
  const std::string two = "1,p,A,no\n1,p,B,no\n2,p,A,no\n";
  EXPECT_EQ(Replace(two, "1,p,B,yes\n1,p,A,yes\n2,p,A,no\n2,p,A,no\n3,q,B,no\n"), "");
  EXPECT_EQ(Replace("1,p,,no\n", "1,p,,yes\n1,p,B,no\n"), "");
  EXPECT_EQ(Replace(two, "1,p,A,no\n1,p,B,no\n"), "");  // somebody who is gone
  EXPECT_TRUE(Has(Replace(two, "1,p,A,no\n2,p,A,no\n"), "1 unit has lost rows"));
  EXPECT_TRUE(Has(Replace(two, "1,p,A,no\n1,p,A,no\n2,p,B,no\n2,p,,no\n"), "2 units have lost rows"));
  EXPECT_TRUE(Has(Replace("1,p,A,no\n1,p,A,no\n", "1,p,A,no\n1,p,B,no\n"), "1 unit has lost rows"));
  policy_.fixed_public_columns = false;
  EXPECT_EQ(Replace(two, "1,p,A,no\n2,p,A,no\n"), "");
}

TEST_F(MovesTest, AUnitThatChangesItsGroupIsRefused_ENGINE8) {
  policy_.dependence.by = "pair";
  const std::string moved = Replace(kThree, "1,p,A,no\n2,q,A,no\n3,q,B,no\n");
  EXPECT_TRUE(Has(moved, "1 unit has another group, or another strength, than at the previous import"));
  EXPECT_TRUE(Has(moved, "a new ledger"));
  EXPECT_EQ(Replace(kThree, "1,p,B,no\n2,p,B,no\n3,q,B,no\n5,s,A,no\n"), "");
}

TEST_F(MovesTest, AUnitThatChangesItsStrengthIsRefused_ENGINE8) {
  policy_.dependence.by = "pair";
  policy_.dependence.strength_column = "ward";
  EXPECT_TRUE(Has(Replace(kThree, "1,p,A,no\n2,p,A,no\n3,q,A,no\n"), "another strength"));
}

TEST_F(MovesTest, NoValueStandsInTheError) {
  policy_.fixed_public_columns = true;
  policy_.dependence.by = "pair";
  EXPECT_FALSE(Has(Replace("SECRETVALUE,p,A,no\n", "SECRETVALUE,p,SECRETVALUE,no\n"), "SECRETVALUE"));
  EXPECT_FALSE(Has(Replace("SECRETVALUE,p,A,no\n", "SECRETVALUE,SECRETVALUE,A,no\n"), "SECRETVALUE"));
}

TEST_F(MovesTest, AKeyOfAnotherTypeIsComparedAsText) {
  policy_.fixed_public_columns = true;
  Write("people.csv", "id,pair,ward,ill\n1,p,A,no\n2,p,B,no\n");
  ASSERT_EQ(Import("a-1"), "");
  Declare("id", ColumnType::kInteger);
  ASSERT_EQ(Import("a-2", "a-1"), "");
  Write("people.csv", "id,pair,ward,ill\n1,p,B,no\n2,p,B,no\n");
  EXPECT_TRUE(Has(Import("a-3", "a-1"), "1 unit has other values"));
}

TEST_F(MovesTest, WhatCannotBeComparedIsToldToTheCurator) {
  policy_.fixed_public_columns = true;
  Write("people.csv", "id,pair,ward,ill\n1,p,A,no\n");
  EXPECT_EQ(Import("a-2", "a-1"), "");
  EXPECT_TRUE(Has(Notices(), "the previous import no longer exists: whether units kept"));
  notices_.clear();
  policy_.dependence.by = "pair";
  EXPECT_EQ(Import("a-3", "a-2"), "");
  EXPECT_TRUE(Has(Notices(), "the previous import has no column \"pair\": whether units kept"));
}

TEST_F(MovesTest, OfATableThatIsReadInPlaceTheCuratorIsToldToo) {
  policy_.fixed_public_columns = true;
  policy_.tables[0].source = "people.parquet";
  WithDuckDb("COPY (SELECT '1' AS id, 'p' AS pair, 'A' AS ward, 'no' AS ill) TO '{}/people.parquet' (FORMAT parquet)");
  const auto said = [&](const std::string& before) {
    notices_.clear();
    const auto lock = ImportLock::Take(policy_, Heard());
    if (!lock) return lock.error().Text();
    const auto done = ImportTables(*lock, policy_, "", before, Options(), Heard(), [](const DataReport&) {});
    return done ? Notices() : done.error().Text();
  };
  EXPECT_EQ(said(""), "");
  EXPECT_TRUE(Has(said("a-1"), "is not kept: whether units kept their groups and public columns was not checked"));
  policy_.fixed_public_columns = false;
  EXPECT_EQ(said("a-1"), "");
}

}  // namespace
}  // namespace kith
