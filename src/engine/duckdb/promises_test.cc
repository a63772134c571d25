// Promises about public facts, and what contradicts them.
#include "engine/promises.h"

#include "engine/duckdb/engine_fixture.h"

namespace kith {
namespace {

class PromisesTest : public EngineFixture {
 protected:
  PromisesTest() {
    Declare("stutter", ColumnType::kBoolean);
    Declare("zyg", ColumnType::kText, true);
    policy_.dependence.by = "pair";
    policy_.dependence.strength_column = "zyg";
    Group group;
    group.size = 2;
    group.classes = {{"mz", 40.0}, {"dz", 2.5}};
    policy_.dependence.model = group;
  }
  /// What opening says about these rows.
  std::string With(const std::string& rows) {
    Write("people.csv", "id,pair,zyg,stutter\n" + rows);
    auto engine = Open();
    return engine ? "kept" : engine.error().Text();
  }
};

TEST_F(PromisesTest, RowsAsUnits_ENGINE6) {
  EXPECT_EQ(With("1,a,mz,1\n2,a,mz,0\n3,b,dz,1\n"), "kept");
  EXPECT_EQ(With(""), "kept");
  EXPECT_TRUE(Has(With("1,a,mz,1\n2,a,mz,0\n3,a,mz,1\n"), "more than 2 members"));
  EXPECT_TRUE(Has(With("1,a,mz,1\n2,,mz,0\n"), "belong to no group"));
  EXPECT_TRUE(Has(With("1,a,mz,1\n2,a,dz,0\n"), "selects the strength differs within a group"));
  EXPECT_TRUE(Has(With("1,a,mz,1\n2,a,,0\n"), "selects the strength differs within a group"));
  EXPECT_EQ(With("1,a,,1\n2,a,,0\n"), "kept");
}

TEST_F(PromisesTest, NoGroupIsLargerThanItsStratumSays_STRATA1) {
  policy_.unit.key = "id";
  Group group{3, {{"it's", 40.0, 1}, {"dz", 2.5, 3}}};
  policy_.dependence.model = group;
  policy_.dependence.class_values = {std::string("it's"), std::string("dz")};
  EXPECT_EQ(With("1,a,it's,1\n2,b,it's,0\n3,c,dz,1\n4,c,dz,1\n5,c,dz,1\n"), "kept");
  EXPECT_EQ(With("1,a,it's,1\n1,a,it's,0\n"), "kept");  // two rows, one member
  const std::string larger = With("1,a,it's,1\n2,a,it's,0\n");
  EXPECT_TRUE(Has(larger, "a group with more members than its stratum declares")) << larger;
  EXPECT_FALSE(Has(larger, "it's"));
  EXPECT_EQ(With("1,a,,1\n2,a,,0\n3,b,unknown,1\n4,b,unknown,1\n5,b,unknown,1\n"), "kept");
  EXPECT_TRUE(Has(With("1,c,dz,1\n2,c,dz,1\n3,c,dz,1\n4,c,dz,1\n"), "more than 3 members"));
  // The check that is removed on purpose: without the sizes of classes the larger group goes unseen.
  policy_.dependence.model = Group{3, {{"it's", 40.0}, {"dz", 2.5}}};
  EXPECT_EQ(With("1,a,it's,1\n2,a,it's,0\n"), "kept");
}

TEST_F(PromisesTest, KeysOfPublicTables_ENGINE6) {
  DeclareTable("wards", "wards.csv", "code", ColumnType::kText);
  policy_.tables.back().key = "code";
  const auto opened = [&](const std::string& rows) {
    Write("wards.csv", "code\n" + rows);
    return With("1,a,mz,1\n");
  };
  EXPECT_EQ(opened("A\nB\na\n\n\n"), "kept");  // rows without a key match nothing
  EXPECT_EQ(opened(""), "kept");
  EXPECT_TRUE(Has(opened("A\nB\nA\n"), "occurs more than once"));
  policy_.tables.back().key.reset();
  EXPECT_EQ(opened("A\nB\nA\n"), "kept");
}

TEST_F(PromisesTest, RowsThatArePublicAllCount_ROW1) {
  policy_.unit.key = "id";
  policy_.unit.max_rows = 2;
  Column& visit = Declare("visit", ColumnType::kText, true);
  const auto with = [&](const std::string& rows) {
    Write("people.csv", "id,pair,zyg,stutter,visit\n" + rows);
    auto engine = Open();
    return engine ? "kept" : engine.error().Text();
  };
  const std::string three = "1,a,mz,1,x\n1,a,mz,1,x\n1,a,mz,0,x\n", differ = "1,a,mz,1,x\n1,a,mz,0,y\n";
  EXPECT_EQ(with(three), "kept");  // two of them count
  EXPECT_TRUE(Has(with(differ), "a public column differs between rows of one unit"));
  visit.per_row = true;
  EXPECT_TRUE(Has(with(three), "a unit has more than 2 rows, and rows are public"));
  EXPECT_EQ(with(differ), "kept");
  EXPECT_EQ(with(",a,mz,1,x\n,a,mz,1,x\n,b,mz,0,x\n"), "kept");
}

TEST_F(PromisesTest, ColumnsOfHouseholdsAreTheSameWithinThem_NEST4) {
  policy_.unit.key = "id";
  policy_.unit.within = "pair";
  policy_.unit.size = 2;
  Declare("pair", ColumnType::kText, true);
  EXPECT_TRUE(Has(With("1,a,mz,1\n2,a,dz,0\n"), "selects the strength"));
  policy_.dependence = {};
  EXPECT_EQ(With("1,a,mz,1\n2,a,dz,0\n"), "kept");
  for (Column& column : policy_.tables[0].columns) column.of_household = column.name == "zyg";
  EXPECT_TRUE(Has(With("1,a,mz,1\n2,a,dz,0\n"), "declared to be constant there"));
  EXPECT_EQ(With("1,a,mz,1\n2,a,mz,0\n3,,mz,1\n4,,dz,1\n"), "kept");
}

TEST_F(PromisesTest, KeysAsUnits_ENGINE6) {
  policy_.unit.key = "id";
  policy_.unit.max_rows = 3;
  EXPECT_EQ(With("1,a,mz,1\n1,a,mz,0\n1,a,mz,0\n2,a,mz,1\n"), "kept");  // four rows, two members
  EXPECT_TRUE(Has(With("1,a,mz,1\n2,a,mz,0\n3,a,mz,0\n"), "more than 2 members"));
  EXPECT_TRUE(Has(With("1,a,mz,1\n1,a,dz,0\n"), "people.zyg"));
  EXPECT_TRUE(Has(With("1,a,mz,1\n1,b,mz,0\n"), "a public column differs between rows of one unit"));
  EXPECT_TRUE(Has(With("1,a,mz,1\n1,b,mz,0\n"), "people.pair"));
  EXPECT_TRUE(Has(With("1,a,mz,1\n1,,mz,0\n"), "belong to no group"));
  EXPECT_EQ(With(",,mz,1\n,a,dz,0\n1,a,mz,1\n"), "kept");  // rows without a key belong to no unit
}

// With one row kept of each unit, it still matters which: the choice must not move a unit to another cell.
TEST_F(PromisesTest, PublicColumnsAreConstantEvenIfOneRowIsKept) {
  policy_.unit.key = "id";
  policy_.unit.max_rows = 1;
  policy_.dependence.by.reset();
  policy_.dependence.strength_column.reset();
  policy_.dependence.model = Independent{};
  EXPECT_EQ(With("1,a,mz,1\n1,b,mz,0\n"), "kept");
  EXPECT_TRUE(Has(With("1,a,mz,1\n1,a,dz,0\n"), "people.zyg"));
}

// A model of two records says nothing about a third unit. How many there are is a secret where presence is.
TEST_F(PromisesTest, NoMoreUnitsThanRecordsOfTheModel) {
  policy_.dependence.by.reset();
  policy_.dependence.strength_column.reset();
  policy_.dependence.model = Joint{{2, 2}, {0.4, 0.1, 0.1, 0.4}};
  policy_.unit.presence = Presence::kPublic;
  EXPECT_EQ(With("1,a,mz,1\n2,a,mz,0\n"), "kept");
  EXPECT_TRUE(Has(With("1,a,mz,1\n2,a,mz,0\n3,b,dz,1\n"), "more units than the 2 records"));
  policy_.unit.presence = Presence::kSecret;
  EXPECT_EQ(With("1,a,mz,1\n2,a,mz,0\n3,b,dz,1\n"), "kept");
}

TEST_F(PromisesTest, HiddenCausesAreNobodysRecords) {
  policy_.dependence.by.reset();
  policy_.dependence.strength_column.reset();
  Field field;
  field.nodes = 3;
  field.edges = {{0, 2, 0.7}, {1, 2, 0.7}};
  field.hidden = {2};
  policy_.dependence.model = field;
  policy_.unit.presence = Presence::kPublic;
  EXPECT_EQ(With("1,a,mz,1\n2,a,mz,0\n"), "kept");
  EXPECT_TRUE(Has(With("1,a,mz,1\n2,a,mz,0\n3,b,dz,1\n"), "more units than the 2 records"));
}

TEST_F(PromisesTest, WithoutGroupsNothingIsAskedOfThem) {
  policy_.dependence.model = Independent{};
  EXPECT_EQ(With("1,a,mz,1\n2,a,mz,0\n3,a,dz,1\n4,,dz,1\n"), "kept");
}

TEST_F(PromisesTest, ErrorsHoldNoData) {
  policy_.unit.key = "id";
  EXPECT_FALSE(Has(With("SECRETVALUE,SECRETVALUE,SECRETVALUE,1\nSECRETVALUE,x,y,1\n"), "SECRETVALUE"));
}

TEST_F(PromisesTest, ABrokenPromiseStaysBrokenAndAKeptOneIsRemembered) {
  EXPECT_TRUE(Has(With("1,a,mz,1\n2,a,dz,0\n"), "differs within a group"));
  EXPECT_FALSE(Open());
  EXPECT_EQ(With("1,a,mz,1\n2,a,mz,0\n"), "kept");
  std::size_t marks = 0;
  for (const auto& mark : std::filesystem::directory_iterator(folder_ / ".kith" / "checked")) {
    marks += std::filesystem::file_size(mark) == 0 ? 1 : 0;
  }
  EXPECT_GE(marks, PromisesOf(policy_).size());
  // A smaller promise about the same data is a different promise.
  std::get<Group>(policy_.dependence.model).size = 1;
  EXPECT_TRUE(Has(Open().error().Text(), "more than 1 member,"));
}

}  // namespace
}  // namespace kith
