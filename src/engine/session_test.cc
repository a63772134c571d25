// What is known about an engine before it opens, and about a session afterwards.
#include "engine/duckdb/engine_fixture.h"
#include "engine/engine.h"

namespace kith {
namespace {

class SessionTest : public EngineFixture {
 protected:
  SessionTest() { Declare("id", ColumnType::kInteger); }
};

const sql::Statement kLargest =
    sql::Selected({.items = {{sql::Max(sql::Column("t", "id"))}}, .from = sql::Table("people", "t")});

TEST_F(SessionTest, AnEngineIsKnownWithoutData) {
  const auto engine = EngineFor(policy_);  // there is no file yet
  ASSERT_TRUE(engine) << engine.error().Text();
  EXPECT_EQ((*engine)->dialect().name(), "duckdb");
  EXPECT_TRUE((*engine)->CapabilitiesFor(policy_).copies_records);
  EXPECT_TRUE((*engine)->CapabilitiesFor(policy_).keeps_snapshot);
  policy_.tables[0].source = "people.parquet";  // read in place
  EXPECT_FALSE((*engine)->CapabilitiesFor(policy_).keeps_snapshot);
  policy_.engine = "oracle://somebody:secret@host";
  const auto unknown = EngineFor(policy_);
  ASSERT_FALSE(unknown);
  EXPECT_FALSE(Has(unknown.error().Text(), "secret"));
  EngineOptions options;
  options.engine = *engine;
  EXPECT_EQ(*EngineFor(policy_, options), *engine);  // one that was handed over comes first
}

TEST_F(SessionTest, ASessionReadsWhatItOpenedAndNamesIt) {
  Write("people.csv", "id\n1\n2\n");
  ASSERT_EQ(Import("first"), "");
  const auto before = OpenImport("first"), again = OpenImport("first");
  ASSERT_TRUE(before && again);
  Write("people.csv", "id\n1\n7\n");
  ASSERT_EQ(Import("second", "first"), "");
  const auto after = OpenImport("second");
  ASSERT_TRUE(after);
  EXPECT_EQ((*before)->Run(kLargest, cancel_)->rows[0][0], Int128{2});
  EXPECT_EQ((*after)->Run(kLargest, cancel_)->rows[0][0], Int128{7});
  ASSERT_TRUE((*before)->version());
  EXPECT_EQ((*before)->version(), (*again)->version());
  EXPECT_NE((*before)->version(), (*after)->version());
  EXPECT_TRUE((*before)->Current());
}

}  // namespace
}  // namespace kith
