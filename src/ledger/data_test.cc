// Data that are replaced: what cells start with afterwards, and which questions may go on.
#include <gtest/gtest.h>

#include "ledger/ledger_test_tools.h"

namespace kith::ledger {
namespace {

using Totals = std::vector<std::int64_t>;

Ledger OpenWith(const std::filesystem::path& file, std::size_t cells, bool fixed) {
  LedgerBinding binding = Binding(cells);
  binding.fixed_cells = fixed;
  auto opened = Ledger::Open(file, binding, true);
  if (!opened) ADD_FAILURE() << opened.error().Text();
  return std::move(opened.value());
}

ChargeRequest About(std::int64_t data, std::int64_t units, std::vector<std::size_t> cells, std::size_t count,
                    std::int64_t limit = PlainUnits::kMax) {
  ChargeRequest request = Request(units, std::move(cells), count, limit);
  request.data = data;
  return request;
}

// Ward A is asked, somebody moves to ward B, ward B is asked: the one who moved lost both.
TEST(LedgerData, AUnitThatMovesIsCountedInBothCells_LEDGER7) {
  const Scratch scratch;
  {
    Ledger book = OpenWith(scratch / "a.ledger", 3, false);
    EXPECT_EQ(book.Data().value(), DataState{});
    EXPECT_EQ(book.Data().value().Shown(), "1");
    EXPECT_TRUE(book.Charge(About(0, 100, {0}, 3)));
    EXPECT_FALSE(book.Moved().value());
    const auto replaced = book.ReplaceData(0, "", "1f-1-00");
    ASSERT_TRUE(replaced) << replaced.error().Text();
    EXPECT_EQ(*replaced, (DataState{1, "", "1f-1-00"}));
    EXPECT_TRUE(book.Charge(About(1, 70, {1}, 3)));
    EXPECT_EQ(Counts(book.Totals().value().spent), (Totals{100, 170, 100}));
    EXPECT_TRUE(book.Moved().value());
    EXPECT_FALSE(book.Charge(About(1, 31, {1}, 3, 200))) << "beyond the limit for whoever moved";
    EXPECT_TRUE(book.Charge(About(1, 30, {1}, 3, 200)));
    EXPECT_TRUE(book.ReplaceData(1, "2026-11", ""));
    EXPECT_EQ(Counts(book.Totals().value().spent), (Totals{200, 200, 200}));
  }
  const Ledger again = OpenWith(scratch / "a.ledger", 3, false);
  EXPECT_EQ(Counts(again.Totals().value().spent), (Totals{200, 200, 200}));
  EXPECT_EQ(again.Data().value().Shown(), "2026-11");
  EXPECT_EQ(again.Data().value().number, 2);
  const auto lines = again.DataHistory().value();
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].after_charge, 1);
  EXPECT_TRUE(lines[0].merged);
  EXPECT_EQ(lines[1].label, "2026-11");
  EXPECT_EQ(lines[1].after_charge, 3);
  EXPECT_GT(lines[1].unix_seconds, 1'600'000'000);
  const auto history = again.History().value();
  EXPECT_EQ(history[0].data, 0);
  EXPECT_EQ(history[2].data, 1);
  EXPECT_TRUE(again.Verify());
}

TEST(LedgerData, NothingIsMergedBeforeUnitsWereCharged) {
  const Scratch scratch;
  Ledger book = OpenWith(scratch / "a.ledger", 2, false);
  EXPECT_TRUE(book.ReplaceData(0, "", "a"));
  EXPECT_TRUE(book.Charge(About(1, 0, {0}, 2)));
  EXPECT_TRUE(book.Charge(About(1, 5, {}, 2)));
  EXPECT_TRUE(book.ReplaceData(1, "", "b"));
  EXPECT_FALSE(book.DataHistory().value()[1].merged);
  EXPECT_FALSE(book.Moved().value());
  EXPECT_EQ(book.Data().value().Shown(), "2");
}

TEST(LedgerData, FixedCellsStayApartUntilThePromiseIsWithdrawn_LEDGER7) {
  const Scratch scratch;
  {
    Ledger book = OpenWith(scratch / "a.ledger", 2, true);
    EXPECT_TRUE(book.Charge(About(0, 100, {0}, 2)));
    EXPECT_TRUE(book.ReplaceData(0, "", "a"));
    EXPECT_TRUE(book.Charge(About(1, 70, {1}, 2)));
    EXPECT_EQ(Counts(book.Totals().value().spent), (Totals{100, 70}));
    EXPECT_FALSE(book.Moved().value());
    EXPECT_FALSE(book.DataHistory().value()[0].merged);
  }
  Ledger book = OpenWith(scratch / "a.ledger", 2, false);
  // A unit that was in cell 0 first and then in cell 1 lost 170, more than any total.
  EXPECT_EQ(Counts(book.Totals().value().spent), (Totals{170, 170}))
      << "what is printed is true before the next charge, too";
  EXPECT_TRUE(book.Moved().value());
  EXPECT_EQ(book.Data().value().number, 1) << "nothing was written yet";
  EXPECT_FALSE(book.Charge(About(1, 31, {0}, 2, 200)));
  EXPECT_EQ(book.Data().value().number, 1) << "a refused charge leaves nothing";
  EXPECT_TRUE(book.Charge(About(1, 30, {0}, 2, 200)));
  EXPECT_EQ(book.Data().value(), (DataState{2, "", "a"}));
  EXPECT_EQ(Counts(book.Totals().value().spent), (Totals{200, 170}));
  EXPECT_FALSE(book.Charge(About(1, 0, {0}, 2)));
  EXPECT_TRUE(book.Charge(About(2, 1, {1}, 2))) << "merged once";
  EXPECT_EQ(book.DataHistory().value().size(), 2U);
  EXPECT_EQ(Counts(OpenWith(scratch / "a.ledger", 2, true).Totals().value().spent), (Totals{200, 171}))
      << "given again";
}

Result<Ledger> InPlace(const std::filesystem::path& file, bool joined, bool frozen = false, bool looks = false) {
  LedgerBinding binding = Binding(2);
  binding.joined = joined;
  binding.one_version = frozen;
  LedgerOptions options;
  options.read_only = looks;
  return Ledger::Open(file, binding, true, options);
}

// Charges by cell from before are merged by an entry as soon as the ledger is opened; a promise counts from then on.
TEST(LedgerInPlace, CellsAreMergedByAnEntryAndStayMerged_LEDGER9) {
  const Scratch scratch;
  const auto file = scratch / "a.ledger";
  {
    Ledger book = InPlace(file, false, true).value();
    EXPECT_TRUE(book.ReplaceData(0, "may", ""));
    EXPECT_TRUE(book.Charge(About(1, 100, {0}, 2)));
    EXPECT_TRUE(book.Charge(About(1, 70, {1}, 2)));
    EXPECT_TRUE(book.Totals().value().by_cell);
  }
  EXPECT_EQ(Counts(InPlace(file, true, false, true).value().Totals().value().spent), (Totals{100, 100}))
      << "who only looks";
  EXPECT_EQ(InPlace(file, false, true).value().DataHistory().value().size(), 1U) << "wrote nothing";
  {
    Ledger book = InPlace(file, true).value();
    EXPECT_EQ(Counts(book.Totals().value().spent), (Totals{100, 100}));
    ASSERT_EQ(book.DataHistory().value().size(), 2U);
    EXPECT_TRUE(book.DataHistory().value()[1].merged);
    EXPECT_EQ(book.Data().value(), (DataState{2, "may", ""}));
    const auto some = book.Charge(About(2, 5, {0}, 2));
    ASSERT_FALSE(some) << "a charge to some cells";
    EXPECT_EQ(some.error().code, Code::kInternal);
    EXPECT_TRUE(book.Charge(About(2, 5, {}, 2)));
    EXPECT_TRUE(book.Charge(About(2, 5, {0, 1}, 2)));
    EXPECT_FALSE(book.Charge(About(2, 96, {0, 1}, 2, 200)));
  }
  EXPECT_EQ(InPlace(file, true).value().DataHistory().value().size(), 2U) << "merged once";
  Ledger book = InPlace(file, false, true).value();
  EXPECT_EQ(Counts(book.Totals().value().spent), (Totals{105, 105})) << "promised from now on";
  EXPECT_TRUE(book.Charge(About(2, 7, {1}, 2)));
  EXPECT_EQ(Counts(book.Totals().value().spent), (Totals{105, 112}));
  EXPECT_TRUE(book.Verify());
}

// A promise that the data are frozen is about one version: another one that begins could be in other cells.
TEST(LedgerInPlace, AFrozenVersionThatWasAskedAboutIsTheOnlyOne_LEDGER9) {
  const Scratch scratch;
  const auto file = scratch / "a.ledger";
  Ledger book = InPlace(file, false, true).value();
  EXPECT_TRUE(book.ReplaceData(0, "may", ""));
  EXPECT_TRUE(book.ReplaceData(1, "june", "")) << "nothing was charged yet";
  EXPECT_TRUE(book.Charge(About(2, 100, {0}, 2)));
  const auto second = book.ReplaceData(2, "july", "");
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Code::kInvalidArgument);
  EXPECT_NE(second.error().what.find("version june"), std::string::npos) << second.error().Text();
  EXPECT_EQ(book.Data().value().label, "june");
  // Nor by a policy that is about other data.
  const auto grown = [&](bool frozen) {
    LedgerBinding binding = Binding(2);
    binding.one_version = frozen;
    binding.description = "elsewhere";
    binding.grow = [&](const LedgerPast&) {
      LedgerGrowth growth;
      growth.other_data = true;
      growth.origins = {{"cell", {{"cell 0", {"cell 0"}}, {"cell 1", {"cell 1"}}}}};
      return Result<LedgerGrowth>(growth);
    };
    return binding;
  };
  LedgerBinding first = grown(true);
  first.description = "here";
  EXPECT_TRUE(Ledger::Open(file, first, false));
  EXPECT_EQ(Ledger::Open(file, grown(true), false).error().code, Code::kInvalidArgument);
  EXPECT_TRUE(Ledger::Open(file, grown(false), false));
  Ledger moving = InPlace(file, true).value();
  EXPECT_TRUE(moving.ReplaceData(moving.Data().value().number, "july", "")) << "without the promise";
}

// The same in the windows of a stream: the cell that lost most counts for all.
TEST(LedgerInPlace, WindowsAreMergedToo_LEDGER9) {
  const Scratch scratch;
  LedgerBinding binding = Binding(2);
  binding.stream = true;
  const auto request = [](std::int64_t units, std::vector<std::size_t> cells, std::int64_t tick, std::int64_t data) {
    ChargeRequest step{PlainUnits::Of(units),         std::move(cells),   {2, PlainUnits::Of(100)}, "q",
                       "key " + std::to_string(tick), StreamStep{tick, 3}};
    step.data = data;
    return step;
  };
  {
    Ledger book = Ledger::Open(scratch / "s.ledger", binding, true).value();
    EXPECT_TRUE(book.Charge(request(60, {0}, 1, 0)));
    EXPECT_TRUE(book.Charge(request(50, {1}, 2, 0)));
  }
  binding.joined = true;
  Ledger book = Ledger::Open(scratch / "s.ledger", binding, true).value();
  EXPECT_EQ(Counts(book.LargestWindows(3, std::nullopt).value()), (Totals{60, 60}));
  EXPECT_FALSE(book.Charge(request(41, {0, 1}, 3, 1)));
  EXPECT_TRUE(book.Charge(request(40, {0, 1}, 3, 1)));
  EXPECT_EQ(Counts(book.LargestWindows(3, std::nullopt).value()), (Totals{100, 100}));
}

TEST(LedgerData, AQuestionAboutOlderDataIsRefused) {
  const Scratch scratch;
  Ledger book = OpenWith(scratch / "a.ledger", 1, false);
  Ledger other = OpenWith(scratch / "a.ledger", 1, false);
  EXPECT_TRUE(other.ReplaceData(0, "", "a"));
  const auto refused = book.Charge(About(0, 5, {0}, 1));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kStorage);
  EXPECT_EQ(refused.error().what, "the data were replaced while the question was asked");
  EXPECT_EQ(refused.error().next.find("ask again"), 0U);
  EXPECT_EQ(book.Head().value().number, 0);
  EXPECT_FALSE(book.Charge(About(2, 5, {0}, 1))) << "nor one about data that nobody knows";
  const auto state = book.ReplaceData(0, "", "b");
  ASSERT_TRUE(state);
  EXPECT_EQ(*state, (DataState{1, "", "a"})) << "the other one was faster";
  EXPECT_EQ(book.DataHistory().value().size(), 1U);
  EXPECT_TRUE(book.Charge(About(1, 5, {0}, 1)));
}

TEST(LedgerData, LabelsAreShortTextsInOneLine) {
  const Scratch scratch;
  Ledger book = OpenWith(scratch / "a.ledger", 1, false);
  for (const std::string& wrong : {std::string("two\nlines"), std::string(129, 'x'), std::string("\x1b[0m")}) {
    EXPECT_EQ(book.ReplaceData(0, wrong, "").error().code, Code::kInvalidArgument);
    EXPECT_EQ(book.ReplaceData(0, "", wrong).error().code, Code::kInvalidArgument);
  }
  EXPECT_EQ(book.Data().value().number, 0);
}

// Two cells, one charged for moves, one for any change: every unit lost at most any + d * (spent - any).
TEST(LedgerData, LossesOfBothKindsAreMergedEachByItself_LEDGER7) {
  const Scratch scratch;
  {
    Ledger book = OpenWith(scratch / "a.ledger", 3, false);
    ChargeRequest any = About(0, 40, {1, 2}, 3);
    any.covers = Covers::kAny;
    EXPECT_TRUE(book.Charge(any));
    EXPECT_TRUE(book.Charge(About(0, 100, {0, 2}, 3)));
    EXPECT_EQ(Counts(book.Totals().value().spent), (Totals{100, 40, 140}));
    EXPECT_EQ(Counts(book.Totals().value().any), (Totals{0, 40, 40}));
    EXPECT_EQ(book.History().value()[0].covers, Covers::kAny);
    EXPECT_EQ(book.History().value()[1].covers, Covers::kMove);
  }
  Ledger book = OpenWith(scratch / "a.ledger", 3, false);
  EXPECT_EQ(Counts(book.Totals().value().any), (Totals{0, 40, 40}));
  EXPECT_TRUE(book.ReplaceData(0, "", ""));
  EXPECT_EQ(Counts(book.Totals().value().spent), (Totals{140, 140, 140}));
  EXPECT_EQ(Counts(book.Totals().value().any), (Totals{40, 40, 40}));
}

TEST(LedgerData, CellsThatCannotBeMergedWithinAnyLimitAreRefused) {
  const Scratch scratch;
  {
    Ledger book = OpenWith(scratch / "a.ledger", 2, true);
    EXPECT_TRUE(book.Charge(About(0, PlainUnits::kMax, {0}, 2)));
    EXPECT_TRUE(book.ReplaceData(0, "", ""));
    EXPECT_TRUE(book.Charge(About(1, PlainUnits::kMax, {1}, 2)));
  }
  Ledger book = OpenWith(scratch / "a.ledger", 2, false);
  EXPECT_EQ(book.Totals().value().spent[0].count(), PlainUnits::kMax);
  EXPECT_EQ(book.Charge(About(1, 0, {}, 2)).error().code, Code::kBudgetExhausted);
  EXPECT_EQ(book.ReplaceData(1, "", "").error().code, Code::kBudgetExhausted);
}

TEST(LedgerData, EveryEditOfAReplacementShows_LEDGER3) {
  const Scratch scratch;
  const auto file = scratch / "a.ledger";
  {
    Ledger book = OpenWith(file, 2, false);
    EXPECT_TRUE(book.Charge(About(0, 100, {0}, 2)));
    EXPECT_TRUE(book.ReplaceData(0, "2026-11", "a"));
  }
  const std::string whole = ReadAll(file);
  for (const char* edit :
       {"UPDATE entries SET merged = 0 WHERE kind = 3; UPDATE summary SET totals = x'01640100'",
        "UPDATE entries SET subject = '2026-12' WHERE kind = 3", "UPDATE entries SET answer_key = 'b' WHERE kind = 3",
        "UPDATE entries SET number = 2 WHERE kind = 3", "UPDATE summary SET totals = x'01640100'",
        "DELETE FROM entries WHERE kind = 3; UPDATE summary SET position = 1, totals = x'01640100'"}) {
    WriteAll(file, whole);
    Sql(file, edit);
    EXPECT_FALSE(Ledger::Open(file, Binding(2), false)) << edit;
  }
}

// Set up, imported, and then the policy was still changed: nothing was asked.
TEST(LedgerData, DataAloneFreezeNothing) {
  const Scratch scratch;
  {
    Ledger book = OpenWith(scratch / "a.ledger", 2, false);
    EXPECT_TRUE(book.ReplaceData(0, "", "a"));
  }
  Ledger bound = OpenWith(scratch / "a.ledger", 3, false);
  EXPECT_EQ(bound.Data().value(), DataState{}) << "its tables may be others now";
  EXPECT_TRUE(bound.Charge(About(0, 1, {2}, 3)));
  EXPECT_FALSE(Ledger::Open(scratch / "a.ledger", Binding(2), false));
}

}  // namespace
}  // namespace kith::ledger
