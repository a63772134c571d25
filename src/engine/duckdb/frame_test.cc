// Frames in memory: a source like a Parquet file.
#include "engine/frame.h"

#include <cstring>

#include "engine/duckdb/duckdb_engine.h"
#include "engine/duckdb/engine_fixture.h"
#include "engine/duckdb/frame_cells.h"
#include "engine/duckdb/frame_scan.h"
#include "engine/duckdb/tables.h"
#include "engine/frame_maker.h"
#include "query/plan.h"

namespace kith {
namespace {

using Maker = FrameMaker;

class FrameTest : public EngineFixture {
 protected:
  FrameTest() { policy_.tables[0].source = "frame:people"; }
  Result<std::unique_ptr<Session>> OpenFrame() {
    auto frame = maker_.Take();
    if (!frame) return frame.error();
    EngineOptions options = Options();
    options.engine = DuckDbEngine({{"people", *frame}});
    return OpenSession(policy_, options, Heard());
  }
  Maker maker_;
};

TEST_F(FrameTest, IsReadWithDeclaredTypes_ENGINE17) {
  maker_.Batch({Maker::Without(Maker::Numbers<std::int32_t>("id", "i", {1, 2, 3, 4}), {0b1011}),
                Maker::Numbers<float>("weight", "f", {1.5F, 2.5F, 3.5F, 4.5F}),
                Maker::Texts("name", {"a", "longer than twelve letters", "", "\xff"}),
                Maker::Numbers<std::int32_t>("day", "tdD", {0, 1, 2, 3}),
                Maker::Numbers<std::int64_t>("at_time", "tsn:", {0, 1'000, 2'000, 3'000}),
                Maker::Numbers<std::int64_t>("zoned", "tss:Europe/Paris", {0, 1, 2, INT64_MAX}),
                Maker::Numbers<std::uint64_t>("big", "L", {1, UINT64_MAX, 3, 4}),
                Maker::Texts("digits", {"1", "x", "3", "4"})});
  Declare("id", ColumnType::kInteger);
  Declare("weight", ColumnType::kReal);
  Declare("name", ColumnType::kText);
  Declare("day", ColumnType::kDate);
  Declare("at_time", ColumnType::kTimestamp);
  Declare("zoned", ColumnType::kTimestamp);
  Declare("big", ColumnType::kInteger);
  Declare("digits", ColumnType::kInteger);
  auto engine = OpenFrame();
  ASSERT_TRUE(engine) << engine.error().Text();
  EXPECT_EQ(Ask(**engine, "SELECT count(*), sum(id), count(id), sum(weight * 2)::BIGINT FROM people"), "4,7,3,24");
  EXPECT_EQ(Ask(**engine, "SELECT count(name), count(*) FILTER (name = 'longer than twelve letters') FROM people"),
            "3,1");
  EXPECT_EQ(Ask(**engine, "SELECT count(*) FROM people WHERE day = DATE '1970-01-03'"), "1");
  EXPECT_EQ(Ask(**engine, "SELECT count(*) FROM people WHERE at_time = TIMESTAMP '1970-01-01 00:00:00.000002'"), "1");
  EXPECT_EQ(Ask(**engine, "SELECT count(zoned) FROM people"), "3");
  EXPECT_EQ(Ask(**engine, "SELECT count(big), count(digits) FROM people"), "3,3");
}

TEST_F(FrameTest, DecimalsHalvesBitsAndViews) {
  std::vector<char> views(2 * 16, 0);
  const std::string text = "a text of twenty-two b";
  const std::int32_t size = static_cast<std::int32_t>(text.size());
  std::memcpy(views.data(), &size, 4);
  std::memcpy(views.data() + 4, text.data(), 4);
  views[16] = 1;
  views[20] = 'z';
  Maker::Part view{
      "view", "vu", {{}, views, std::vector<char>(text.begin(), text.end()), Maker::Bytes<std::int64_t>({22})}};
  view.length = 2;
  Maker::Part flag{"flag", "b", {{}, {0b01}}};
  flag.length = 2;
  maker_.Batch({Maker::Numbers<Int128>("price", "d:9,2", {Int128{150}, Int128{20'000'000'000}}), flag, view,
                Maker::Numbers<std::uint16_t>("half", "e", {0x3E00, 0xC000})});
  Declare("price", ColumnType::kReal);
  Declare("flag", ColumnType::kBoolean);
  Declare("view", ColumnType::kText);
  Declare("half", ColumnType::kReal);
  auto engine = OpenFrame();
  ASSERT_TRUE(engine) << engine.error().Text();
  EXPECT_EQ(Ask(**engine, "SELECT sum(price * 2)::BIGINT, count(price), count(*) FILTER (flag) FROM people"), "3,1,1");
  EXPECT_EQ(Ask(**engine, "SELECT count(*) FROM people WHERE view IN ('a text of twenty-two b', 'z')"), "2");
  EXPECT_EQ(Ask(**engine, "SELECT sum(half * 2)::BIGINT FROM people"), "-1");
}

// Four rows of wards by a dictionary, in the middle of their buffers; `forgotten`: as a reader that takes buffers from
// their beginning would see them.
std::vector<Maker::Part> InTheMiddle(bool forgotten) {
  auto values = std::make_shared<Maker::Part>(Maker::Texts("", {"unused", "north", "south"}));
  values->offset = forgotten ? 0 : 1;
  values->length = 2;
  Maker::Part ward = Maker::Numbers<std::int8_t>("ward", "c", {9, 0, 1, 0, 7});
  ward.dictionary = values;
  Maker::Part id = Maker::Numbers<std::int64_t>("id", "l", {-1, 1, 2, 3, 4});
  for (Maker::Part* part : {&ward, &id}) {
    part->offset = forgotten ? 0 : 1;
    part->length = 4;
  }
  return {id, ward};
}
constexpr char kByWard[] =
    "SELECT sum(id) FILTER (ward = 'north'), sum(id) FILTER (ward = 'south'), count(ward), sum(id) FROM people";

TEST_F(FrameTest, DictionariesAndOffsets_ENGINE17) {
  maker_.Batch(InTheMiddle(false));
  Declare("id", ColumnType::kInteger);
  Declare("ward", ColumnType::kText);
  auto engine = OpenFrame();
  ASSERT_TRUE(engine) << engine.error().Text();
  EXPECT_EQ(Ask(**engine, kByWard), "4,2,3,10");
}

TEST_F(FrameTest, TheCheckAboveSeesAnOffsetThatIsForgotten) {
  maker_.Batch(InTheMiddle(true));
  Declare("id", ColumnType::kInteger);
  Declare("ward", ColumnType::kText);
  auto engine = OpenFrame();
  ASSERT_TRUE(engine) << engine.error().Text();
  EXPECT_NE(Ask(**engine, kByWard), "4,2,3,10");
}

// Larger than what one thread reads at once, in several batches, and read twice within one question.
TEST_F(FrameTest, ManyRowsAreReadOnceEach_ENGINE17) {
  std::int64_t next = 0;
  for (const std::int64_t rows : {200'000, 1, 77'777}) {
    std::vector<std::int64_t> ids;
    for (std::int64_t k = 0; k < rows; ++k) ids.push_back(next++);
    maker_.Batch({Maker::Numbers("id", "l", ids)});
  }
  Declare("id", ColumnType::kInteger);
  auto engine = OpenFrame();
  ASSERT_TRUE(engine) << engine.error().Text();
  const std::string rows = std::to_string(next), sum = std::to_string(next * (next - 1) / 2);
  EXPECT_EQ(Ask(**engine, "SELECT count(*) FROM people"), rows);
  EXPECT_EQ(Ask(**engine, "SELECT sum(id), count(DISTINCT id) FROM people"), sum + "," + rows);
  EXPECT_EQ(Ask(**engine, "SELECT count(*) FROM people a JOIN people b ON a.id = b.id"), rows);
}

TEST_F(FrameTest, TheCheckAboveSeesABatchThatIsReadTwice) {
  maker_.Batch({Maker::Numbers<std::int64_t>("id", "l", {0, 1})});
  maker_.Batch({Maker::Numbers<std::int64_t>("id", "l", {0, 1})});  // as if the first came again
  Declare("id", ColumnType::kInteger);
  auto engine = OpenFrame();
  ASSERT_TRUE(engine) << engine.error().Text();
  EXPECT_NE(Ask(**engine, "SELECT sum(id), count(DISTINCT id) FROM people"), "1,2");
}

TEST_F(FrameTest, UnitsKeepTheSameRowsWheneverTheyAreAskedAbout) {
  std::vector<std::int64_t> ids, costs;
  for (std::int64_t k = 0; k < 3000; ++k) {
    ids.push_back(k / 3);
    costs.push_back(k);
  }
  maker_.Batch({Maker::Numbers("id", "l", ids), Maker::Numbers("cost", "l", costs)});
  Declare("id", ColumnType::kInteger);
  Declare("cost", ColumnType::kInteger);
  policy_.unit.key = "id";
  policy_.unit.max_rows = 2;
  auto engine = OpenFrame();
  ASSERT_TRUE(engine) << engine.error().Text();
  EXPECT_FALSE((*engine)->unit_rows().most);
  const auto plan = PlanQuestion("SELECT count(*), sum(cost) FROM people", policy_);
  ASSERT_TRUE(plan) << plan.error().Text();
  const std::string kept = Ask(**engine, sql::DuckDb().Write(plan->statement));
  EXPECT_EQ(kept.substr(0, 5), "2000,");
  EXPECT_EQ(Ask(**engine, sql::DuckDb().Write(plan->statement)), kept);
}

TEST_F(FrameTest, WhatCannotBeUsedIsRefusedWithoutItsValues) {
  Maker::Part list{"tags", "+l", {{}}};
  list.length = 1;
  maker_.Batch({Maker::Numbers<std::int64_t>("id", "l", {1}), list});
  Declare("id", ColumnType::kInteger);
  Declare("tags", ColumnType::kText);
  auto engine = OpenFrame();
  ASSERT_FALSE(engine);
  EXPECT_EQ(engine.error().code, Code::kInvalidArgument);
  EXPECT_NE(engine.error().Text().find("lists, structures or binary"), std::string::npos);
}

// Names of types are known without a database; DuckDB has the same.
TEST_F(FrameTest, TypesHaveTheNamesThatDuckDbGivesThem) {
  std::vector<Maker::Part> parts;
  for (const char* format :
       {"b", "c",  "C", "s",     "S",      "i",   "I",   "l",    "L",    "e",    "f",    "g",       "u",
        "U", "vu", "n", "d:9,3", "d:19,0", "tdD", "tdm", "tss:", "tsm:", "tsu:", "tsn:", "tsu:UTC", "+l"}) {
    Maker::Part part{"c" + std::to_string(parts.size()), format, {}};  // DuckDB takes c and C for one name
    part.buffers.resize(format[0] == 'n' ? 0 : 3);
    parts.push_back(part);
  }
  maker_.Batch(parts);
  const auto frame = maker_.Take();
  ASSERT_TRUE(frame) << frame.error().Text();
  const auto database = DuckDb::Open("", {}).value();
  const auto connection = database.Connect().value();
  ASSERT_TRUE(ShowFrame(connection, "all_types", *frame));
  const auto described = Describe(connection, "all_types()", cancel_).value();
  ASSERT_EQ(described.size(), parts.size());
  for (std::size_t k = 0; k < parts.size(); ++k)
    EXPECT_EQ(TypeNameOf((*frame)->columns()[k]), described[k].type) << parts[k].format;
}

TEST_F(FrameTest, NamesThatAreOneToTheEngineAreRefused) {
  maker_.Batch({Maker::Numbers<std::int64_t>("id", "l", {1}), Maker::Numbers<std::int64_t>("ID", "l", {1})});
  Declare("id", ColumnType::kInteger);
  auto engine = OpenFrame();
  ASSERT_FALSE(engine);
  EXPECT_NE(engine.error().what.find("upper and lower case"), std::string::npos) << engine.error().Text();
}

TEST_F(FrameTest, AColumnThatIsNotThereIsNamed) {
  maker_.Batch({Maker::Numbers<std::int64_t>("ident", "l", {1})});
  Declare("id", ColumnType::kInteger);
  auto engine = OpenFrame();
  ASSERT_FALSE(engine);
  EXPECT_NE(engine.error().what.find("no column \"id\""), std::string::npos) << engine.error().Text();
}

TEST_F(FrameTest, WithoutTheProgramThatHasItThereIsNoFrame) {
  Declare("id", ColumnType::kInteger);
  auto engine = OpenSession(policy_, Options(), Heard());
  ASSERT_FALSE(engine);
  EXPECT_NE(engine.error().what.find("memory of a program"), std::string::npos) << engine.error().Text();
}

TEST_F(FrameTest, WhatIsHeldIsGivenBack) {
  maker_.Batch({Maker::Numbers<std::int64_t>("id", "l", {1, 2})});
  maker_.Batch({Maker::Numbers<std::int64_t>("id", "l", {3})});
  Declare("id", ColumnType::kInteger);
  {
    auto engine = OpenFrame();
    ASSERT_TRUE(engine) << engine.error().Text();
    EXPECT_EQ(maker_.held, 2);
  }
  EXPECT_EQ(maker_.held, 0);
}

TEST(Frame, NamesOfSources) {
  EXPECT_EQ(FrameNamed("frame:people"), "people");
  EXPECT_EQ(FrameNamed("people.csv"), "");
  EXPECT_EQ(FrameNamed("frame:"), "");
  EXPECT_EQ(FrameNamed("frame:../people"), "");
}

TEST(Frame, TablesThatBreakTheirPromisesAreRefused) {
  Maker short_column;
  auto part = Maker::Numbers<std::int64_t>("b", "l", {1});
  short_column.Batch({Maker::Numbers<std::int64_t>("a", "l", {1, 2}), part});
  EXPECT_FALSE(short_column.Take());
  Maker twice;
  twice.Batch({Maker::Numbers<std::int64_t>("a", "l", {1}), Maker::Numbers<std::int64_t>("a", "l", {1})});
  EXPECT_FALSE(twice.Take());
  EXPECT_FALSE(Frame::Take(nullptr));
}

}  // namespace
}  // namespace kith
