// Policies that change under a used ledger: generations, where totals come from, and who may still charge.
#include "ledger/growth.h"

#include <gtest/gtest.h>

#include "ledger/ledger_test_tools.h"

namespace kith::ledger {
namespace {

namespace fs = std::filesystem;
using Values = std::vector<std::string>;

// A policy whose units are in wards; `origins` is what a judge of policies would say.
LedgerBinding Wards(const Values& values, const std::string& description,
                    const std::map<std::string, Values>& origins = {}, bool other_data = false) {
  LedgerBinding binding{description, "policy " + description, {}};
  for (const auto& value : values) binding.cells.push_back("ward=" + value);
  binding.columns = {{"ward", values}};
  binding.description = description;
  binding.grow = [=](const LedgerPast&) -> Result<LedgerGrowth> {
    if (origins.empty()) return InvalidArgument("no such change", {}, "undo it");
    return LedgerGrowth{{{"ward", origins}}, other_data};
  };
  return binding;
}

const LedgerBinding kFirst = Wards({"A", "B", "NULL"}, "one");
// C is new, B is gone.
const LedgerBinding kSecond =
    Wards({"A", "C", "NULL"}, "two", {{"A", {"A"}}, {"C", {"NULL"}}, {"NULL", {"NULL", "B"}}});
const LedgerBinding kBack = Wards({"A", "B", "NULL"}, "one", {{"A", {"A"}}, {"B", {"NULL"}}, {"NULL", {"NULL", "C"}}});

Ledger Open(const fs::path& file, const LedgerBinding& binding, bool read_only = false) {
  LedgerOptions options;
  options.read_only = read_only;
  auto opened = Ledger::Open(file, binding, !read_only, options);
  if (!opened) ADD_FAILURE() << opened.error().Text();
  return std::move(opened.value());
}

fs::path Used(const Scratch& scratch, const LedgerBinding& binding = kFirst) {
  const fs::path file = scratch / "a.ledger";
  Ledger book = Open(file, binding);
  EXPECT_TRUE(book.Charge(Request(5, {0}, 3)));
  EXPECT_TRUE(book.Charge(Request(7, {1}, 3)));
  EXPECT_TRUE(book.Charge(Request(2, {2}, 3)));
  return file;
}

std::vector<std::int64_t> Totals(const Ledger& book) { return Counts(book.Totals().value().spent); }

TEST(LedgerGrowth, ANewValueStartsWithNullsTotalAndARemovedOneIsMerged_GROWTH3) {
  const Scratch scratch;
  const fs::path file = Used(scratch);
  const std::vector<std::int64_t> expected = {5, 2, 7};
  {
    const Ledger looking = Open(file, kSecond, true);
    EXPECT_EQ(Totals(looking), expected) << "as the next charge will find it";
    EXPECT_EQ(looking.Generation().value(), 2);
    EXPECT_EQ(looking.Generations()->size(), 1U) << "and nothing is written";
    EXPECT_EQ(looking.History().value()[1].cells, (CellSet{2}));
  }
  Ledger book = Open(file, kSecond);
  EXPECT_EQ(Totals(book), expected);
  EXPECT_EQ(book.Generation().value(), 2);
  EXPECT_TRUE(book.Charge(Request(10, {1}, 3)));
  EXPECT_EQ(Totals(book), (std::vector<std::int64_t>{5, 12, 7}));
  const auto history = book.History().value();
  EXPECT_EQ(history[1].cells, (CellSet{2})) << "what was B is now among NULL";
  EXPECT_EQ(history[3].cells, (CellSet{1}));
  EXPECT_TRUE(book.Verify());
  EXPECT_EQ(book.Generations()->back().after_charge, 3);
  EXPECT_FALSE(book.Charge(Request(1, {1}, 3, 12)));
}

// The fault that the map exists to prevent: a cell that starts with nothing, or with another cell's total.
TEST(LedgerGrowth, TheCheckAboveSeesCellsFromElsewhere) {
  const Scratch scratch;
  const fs::path file = Used(scratch);
  const auto swapped = Wards({"A", "C", "NULL"}, "two", {{"A", {"A"}}, {"C", {"A", "B"}}, {"NULL", {"NULL"}}});
  EXPECT_NE(Totals(Open(file, swapped)), (std::vector<std::int64_t>{5, 2, 7}));
}

TEST(LedgerGrowth, AMapThatLeavesSomethingOutIsNoMap_GROWTH3) {
  const std::vector<LedgerColumn> before = {{"ward", {"A", "B"}}}, after = {{"ward", {"A", "C"}}};
  EXPECT_TRUE(CellMap::Make(before, after, {{"ward", {{"A", {"A"}}, {"C", {"B"}}}}}));
  EXPECT_FALSE(CellMap::Make(before, after, {{"ward", {{"A", {"A"}}, {"C", {"A"}}}}})) << "B's total would be lost";
  EXPECT_FALSE(CellMap::Make(before, after, {{"ward", {{"A", {"A", "B"}}, {"C", {}}}}}))
      << "C would start with nothing";
  EXPECT_FALSE(CellMap::Make(before, after, {{"ward", {{"A", {"A", "B"}}}}}));
  EXPECT_FALSE(CellMap::Make(before, after, {{"ward", {{"A", {"A", "B"}}, {"C", {"D"}}}}}));
  EXPECT_FALSE(CellMap::Make(before, after, {}));
  EXPECT_FALSE(CellMap::Make(before, after, {{"ward", {{"A", {"A"}}, {"C", {"B"}}}}, {"sex", {}}}));
  const Scratch scratch;
  const fs::path file = Used(scratch);
  const auto wrong = Wards({"A", "C", "NULL"}, "two", {{"A", {"A"}}, {"C", {"NULL"}}, {"NULL", {"NULL"}}});
  EXPECT_FALSE(Ledger::Open(file, wrong, true));
  EXPECT_EQ(Totals(Open(file, kFirst)), (std::vector<std::int64_t>{5, 7, 2})) << "and nothing was written";
}

TEST(LedgerGrowth, ColumnsThatComeAndGoTakeTheLargest_GROWTH3) {
  const std::vector<LedgerColumn> ward = {{"ward", {"A", "B"}}},
                                  both = {{"sex", {"f", "m", "x"}}, {"ward", {"B", "A"}}};
  const LedgerOrigins same = {"ward", {{"A", {"A"}}, {"B", {"B"}}}};
  const auto divide = CellMap::Make(ward, both, {same});
  ASSERT_TRUE(divide);
  EXPECT_EQ(divide->Largest({5, 7}), (std::vector<std::int64_t>{7, 5, 7, 5, 7, 5}));
  EXPECT_EQ(divide->Image({0}), (CellSet{1, 3, 5}));
  const auto join = CellMap::Make(both, ward, {same});
  ASSERT_TRUE(join);
  EXPECT_EQ(join->Largest({1, 2, 3, 4, 9, 6}), (std::vector<std::int64_t>{6, 9}));
  EXPECT_EQ(CellMap::Make(both, {}, {})->Largest({1, 2, 3, 4, 9, 6}), (std::vector<std::int64_t>{9}));
  EXPECT_EQ(CellMap::Make({}, ward, {})->Largest({4}), (std::vector<std::int64_t>{4, 4}));
}

TEST(LedgerGrowth, LossByMovesAndLossByAnythingAreTakenApart) {
  const Scratch scratch;
  const fs::path file = scratch / "a.ledger";
  {
    Ledger book = Open(file, kFirst);
    auto any = Request(5, {1}, 3);
    any.covers = Covers::kAny;
    EXPECT_TRUE(book.Charge(any));
    EXPECT_TRUE(book.Charge(Request(4, {2}, 3)));
  }
  const Ledger book = Open(file, kSecond);
  EXPECT_EQ(Totals(book), (std::vector<std::int64_t>{0, 4, 9}));
  EXPECT_EQ(Counts(book.Totals().value().any), (std::vector<std::int64_t>{0, 0, 5}));
}

TEST(LedgerGrowth, WhoeverUsesAnEarlierPolicyIsRefused_GROWTH3) {
  const Scratch scratch;
  const fs::path file = Used(scratch);
  Ledger early = Open(file, kFirst);
  const Ledger looking = Open(file, kFirst, true);
  Ledger late = Open(file, kSecond);
  EXPECT_TRUE(early.Totals()) << "nothing was entered under the other policy yet";
  EXPECT_TRUE(late.Charge(Request(1, {0}, 3)));
  for (const auto& refused :
       {early.Charge(Request(1, {0}, 3)).error(), early.Totals().error(), early.ReplaceData(0, "", "a").error()}) {
    EXPECT_EQ(refused.code, Code::kInvalidArgument) << refused.Text();
    EXPECT_NE(refused.what.find("generation 2"), std::string::npos) << refused.Text();
  }
  EXPECT_FALSE(looking.Totals()) << "looked at again, and judged as a change of the policy that there is now";
  // Going back is a generation as well: B starts with what was NULL's in the meantime.
  Ledger back = Open(file, kBack);
  EXPECT_EQ(back.Generation().value(), 3);
  EXPECT_EQ(Totals(back), (std::vector<std::int64_t>{6, 7, 7}));
  EXPECT_TRUE(back.Charge(Request(0, {}, 3)));
  EXPECT_FALSE(late.Charge(Request(1, {0}, 3)));
  EXPECT_TRUE(Open(file, kBack).Charge(Request(1, {0}, 3))) << "the same policy again is no other generation";
  EXPECT_EQ(back.Generation().value(), 3);
  EXPECT_TRUE(back.Verify());
}

TEST(LedgerGrowth, ARefusalChangesNothing) {
  const Scratch scratch;
  const fs::path file = Used(scratch);
  const auto refused = Ledger::Open(file, Wards({"A", "C"}, "three"), true);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what, "no such change");
  EXPECT_EQ(refused.error().where, file.string());
  const Ledger book = Open(file, kFirst);
  EXPECT_EQ(book.Generation().value(), 1);
  EXPECT_EQ(book.Generations()->size(), 1U);
}

TEST(LedgerGrowth, BeforeTheFirstChargeNothingIsFixed) {
  const Scratch scratch;
  { Open(scratch / "a.ledger", kFirst); }
  const Ledger book = Open(scratch / "a.ledger", Wards({"X", "Y"}, "other"));
  EXPECT_EQ(book.Generation().value(), 1);
  EXPECT_EQ(Totals(book), (std::vector<std::int64_t>{0, 0}));
  EXPECT_TRUE(book.Verify());
}

TEST(LedgerGrowth, ALedgerFromBeforeGenerationsIsOpenedOnceWithThePolicyAsItWas) {
  const Scratch scratch;
  LedgerBinding without = kFirst;
  without.description.clear();
  const fs::path file = Used(scratch, without);
  EXPECT_TRUE(Open(file, without).Generations()->empty());
  const auto refused = Ledger::Open(file, kSecond, true);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().what.find("before generations"), std::string::npos) << refused.error().Text();
  EXPECT_NE(refused.error().next.find("with the policy as it was"), std::string::npos) << refused.error().Text();
  EXPECT_EQ(Totals(Open(file, kFirst, true)), (std::vector<std::int64_t>{5, 7, 2})) << "looking writes nothing";
  EXPECT_TRUE(Open(file, without).Generations()->empty());
  EXPECT_EQ(Open(file, kFirst).Generations()->size(), 1U);
  EXPECT_EQ(Totals(Open(file, kSecond)), (std::vector<std::int64_t>{5, 2, 7}));
}

// Cells stay apart only if both policies promise it: a promise is about what follows it.
TEST(LedgerGrowth, APromiseMadeTogetherWithANewSourceDoesNotCoverIt_LEDGER7) {
  for (const bool before : {false, true}) {
    const Scratch scratch;
    LedgerBinding second = Wards({"A", "B", "NULL"}, "two");
    second.fixed_cells = true;
    second.grow = [before](const LedgerPast&) -> Result<LedgerGrowth> {
      return LedgerGrowth{{{"ward", {{"A", {"A"}}, {"B", {"B"}}, {"NULL", {"NULL"}}}}}, true, before};
    };
    const auto expected = before ? std::vector<std::int64_t>{5, 7, 2} : std::vector<std::int64_t>{7, 7, 7};
    EXPECT_EQ(Totals(Open(Used(scratch), second)), expected);
  }
}

TEST(LedgerGrowth, AnotherSourceBeginsAVersionOfTheData) {
  const Scratch scratch;
  const fs::path file = Used(scratch);
  EXPECT_EQ(Totals(Open(file, Wards({"A", "B", "NULL"}, "two", {{"A", {"A"}}, {"B", {"B"}}, {"NULL", {"NULL"}}}, true),
                        true)),
            (std::vector<std::int64_t>{7, 7, 7}))
      << "as the next charge will find it";
  Ledger book = Open(file, Wards({"A", "B", "NULL"}, "two", {{"A", {"A"}}, {"B", {"B"}}, {"NULL", {"NULL"}}}, true));
  EXPECT_EQ(book.Data()->number, 1);
  EXPECT_TRUE(book.DataHistory()->back().merged);
  EXPECT_EQ(Totals(book), (std::vector<std::int64_t>{7, 7, 7})) << "a unit may be in another ward in the new data";
  EXPECT_TRUE(book.Moved().value());
  EXPECT_FALSE(book.Charge(Request(1, {0}, 3))) << "prepared for the data before";
}

TEST(LedgerGrowth, StepsOfAStreamAreRegrouped) {
  const Scratch scratch;
  const fs::path file = scratch / "a.ledger";
  LedgerBinding first = kFirst, second = kSecond;
  first.stream = second.stream = true;
  const auto step = [](std::int64_t units, std::size_t cell, std::int64_t tick) {
    auto request = Request(units, {cell}, 3);
    request.answer_key = "step " + std::to_string(tick);
    request.step = StreamStep{tick, 2};
    return request;
  };
  {
    Ledger book = Open(file, first);
    EXPECT_TRUE(book.Charge(step(5, 1, 0)));
    EXPECT_TRUE(book.Charge(step(3, 2, 1)));
  }
  const std::vector<std::int64_t> expected = {0, 3, 8};  // NULL: those who were B, and those who were NULL, by step
  EXPECT_EQ(Counts(Open(file, second, true).LargestWindows(2, std::nullopt).value()), expected);
  Ledger book = Open(file, second);
  EXPECT_EQ(Counts(book.LargestWindows(2, std::nullopt).value()), expected);
  EXPECT_TRUE(book.Charge(step(4, 2, 2)));
  EXPECT_EQ(Counts(book.LargestWindows(2, std::nullopt).value()), (std::vector<std::int64_t>{0, 3, 8}));
  EXPECT_EQ(Counts(Open(file, second).LargestWindows(3, std::nullopt).value()), (std::vector<std::int64_t>{0, 3, 12}));
}

TEST(LedgerGrowth, EveryEditOfAGenerationShows_LEDGER3) {
  const Scratch scratch;
  const fs::path file = Used(scratch);
  { EXPECT_TRUE(Open(file, kSecond).Charge(Request(0, {}, 3))); }
  const std::string whole = ReadAll(file);
  for (const char* edit : {"UPDATE texts SET text = replace(text, '\"NULL\",\"B\"', '\"NULL\"') WHERE position = 5",
                           "UPDATE entries SET digest = '' WHERE position = 5", "DELETE FROM texts WHERE position = 5",
                           "UPDATE entries SET subject = 'x' WHERE position = 5",
                           "DELETE FROM texts WHERE position = 5; DELETE FROM entries WHERE position = 5"}) {
    WriteAll(file, whole);
    Sql(file, edit);
    EXPECT_FALSE(Ledger::Open(file, kSecond, false)) << edit;
  }
}

}  // namespace
}  // namespace kith::ledger
