// Two amounts of every charge: of a unit that comes or goes, and of any change of a record.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "ledger/ledger_test_tools.h"
#include "ledger/view.h"
#include "tests/support/stat.h"

namespace kith::ledger {
namespace {

using Counted = std::vector<std::int64_t>;

ChargeRequest Both(std::int64_t presence, std::int64_t content, std::vector<std::size_t> cells, std::size_t count,
                   std::int64_t limit = PlainUnits::kMax) {
  ChargeRequest request = Request(content, std::move(cells), count, limit);
  request.covers = Covers::kAny;
  request.presence = PlainUnits::Of(presence);
  return request;
}

TEST(LedgerPresence, BothAmountsAreKeptAndLimitsAreAboutOneOfThem_ADDREM3) {
  const Scratch scratch;
  {
    Ledger book = OpenOrDie(scratch / "a.ledger", 2);
    EXPECT_TRUE(book.Charge(Both(50, 100, {0}, 2, 100)));
    const auto refused = book.Charge(Both(50, 100, {0}, 2, 100));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Code::kBudgetExhausted);
    ChargeRequest by_presence = Both(50, 100, {0}, 2, 100);
    by_presence.limits_presence = true;
    EXPECT_TRUE(book.Charge(by_presence));
    EXPECT_FALSE(book.Charge(by_presence)) << "presence is full as well";
    EXPECT_TRUE(book.Charge(Request(7, {1}, 2))) << "one amount for both";
    ChargeRequest parts = Both(6, 9, {0, 1}, 2);
    parts.parts = {{PlainUnits::Of(4), {0}, PlainUnits::Of(3)}, {PlainUnits::Of(9), {1}, PlainUnits::Of(6)}};
    EXPECT_TRUE(book.Charge(parts));
  }
  const Ledger again = OpenOrDie(scratch / "a.ledger", 2);
  EXPECT_EQ(Counts(again.Totals().value().spent), (Counted{204, 16}));
  EXPECT_EQ(Counts(again.Totals().value().presence), (Counted{103, 13}));
  EXPECT_EQ(Counts(again.Totals().value().any), (Counted{204, 9})) << "of any change alone";
  const auto history = again.History().value();
  ASSERT_EQ(history.size(), 4U);
  EXPECT_EQ(history[0].units.count(), 100);
  EXPECT_EQ(history[0].presence.count(), 50);
  EXPECT_EQ(history[2].presence.count(), 7);
  EXPECT_EQ(history[3].units.count(), 9);
  EXPECT_EQ(history[3].presence.count(), 6);
  EXPECT_EQ(history[3].cells, (std::vector<std::size_t>{0, 1}));
  EXPECT_TRUE(again.Verify());
}

TEST(LedgerPresence, AmountsThatCannotBeAreRefused_ADDREM2) {
  const Scratch scratch;
  Ledger book = OpenOrDie(scratch / "a.ledger", 1);
  const auto code = [&](const ChargeRequest& request) { return book.Charge(request).error().code; };
  EXPECT_EQ(code(Both(101, 100, {0}, 1)), Code::kInvalidArgument);
  EXPECT_EQ(code(Both(49, 100, {0}, 1)), Code::kInvalidArgument);
  ChargeRequest other = Both(50, 100, {0}, 1);
  other.level = UnitLevel::kHousehold;
  EXPECT_EQ(code(other), Code::kInvalidArgument);
  other = Both(50, 100, {0}, 1);
  other.covers = Covers::kMove;
  EXPECT_EQ(code(other), Code::kInvalidArgument);
  EXPECT_EQ(book.Head().value().number, 0);
  EXPECT_TRUE(book.Charge(Both(50, 99, {0}, 1)));
}

// Households are limited by any change, whatever limits persons.
TEST(LedgerPresence, HouseholdsAreLimitedByAnyChange_ADDREM3) {
  const Scratch scratch;
  Ledger book = OpenOrDie(scratch / "a.ledger", 1);
  ChargeRequest request = Both(10, 20, {0}, 1, 100);
  request.limits_presence = true;
  request.nested = NestedLimits{.size = 3, .limit = PlainUnits::Of(119)};
  EXPECT_TRUE(book.Charge(request));
  const auto refused = book.Charge(request);  // 3 * 40, though 3 * 20 would fit
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().parameter, "account.household");
}

// The twins: an entry that states only one amount, or two that are impossible.
TEST(LedgerPresence, AnEntryThatTellsHalfOfItIsNoCharge_ADDREM2) {
  Birth birth;
  birth.cells = {"all"};
  birth.secret = std::string(64, 'a');
  CellBook cells(birth.columns);
  const auto wrong = [&](const std::vector<std::pair<Neighbours, std::int64_t>>& amounts) {
    View view = View::AtBirth(birth);
    Entry entry;
    entry.position = entry.number = 1;
    for (const auto& [neighbours, amount] : amounts) {
      Posting& posting = entry.postings.emplace_back();
      posting.cells = cells.Of({0});
      posting.neighbours = neighbours;
      posting.amount = amount;
    }
    const bool refused = view.Add(entry).has_value();
    EXPECT_TRUE(!refused || (view.totals[0] == 0 && view.presence[0] == 0)) << "a wrong entry changes nothing";
    return refused;
  };
  EXPECT_FALSE(wrong({{Neighbours::kContent, 10}, {Neighbours::kPresence, 5}}));
  EXPECT_FALSE(wrong({{Neighbours::kBoth, 5}, {Neighbours::kContent, 5}}));
  EXPECT_TRUE(wrong({{Neighbours::kContent, 10}})) << "presence would be counted as nothing";
  EXPECT_TRUE(wrong({{Neighbours::kPresence, 10}})) << "any change would be counted as nothing";
  EXPECT_TRUE(wrong({{Neighbours::kContent, 10}, {Neighbours::kPresence, 4}}));
  EXPECT_TRUE(wrong({{Neighbours::kContent, 10}, {Neighbours::kPresence, 11}}));
}

// What is carried over from another ledger.
TEST(LedgerPresence, BothAmountsAreCarriedOver_GROWTH5) {
  const Scratch scratch;
  Ledger book = OpenOrDie(scratch / "a.ledger", 2);
  const std::vector<PlainUnits> none(2);
  LedgerCarry carry{"other", "other.ledger", none, {PlainUnits::Of(30), PlainUnits::Of(8)}, {}, false};
  carry.presence = {PlainUnits::Of(15), PlainUnits::Of(8)};
  ASSERT_TRUE(book.Carry(carry));
  ASSERT_TRUE(book.Carry(carry)) << "once";
  EXPECT_EQ(Counts(book.Totals().value().spent), (Counted{30, 8}));
  EXPECT_EQ(Counts(book.Totals().value().presence), (Counted{15, 8}));
}

// Whichever cell a unit was in while each of the data were asked about, it lost no more than the ledger says, by either
// amount. `forgotten`: what a ledger that leaves presence out when cells are merged would say.
void Live(std::uint64_t seed, std::size_t& understated, std::size_t& forgotten, std::size_t& tight) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::uint64_t n) { return static_cast<std::int64_t>(random() % n); };
  const Scratch scratch;
  const auto cells = static_cast<std::size_t>(1 + below(3));
  Ledger book = OpenOrDie(scratch / "a.ledger", cells);
  std::vector<std::vector<Counted>> paid(1, {Counted(cells), Counted(cells)});  // of each of the data: both amounts
  Counted plain(cells);                                                         // presence, added up cell by cell
  for (int step = 0; step < 8; ++step) {
    if (below(4) == 0 && step > 1) {
      EXPECT_TRUE(book.ReplaceData(book.Data().value().number, "", ""));
      paid.push_back({Counted(cells), Counted(cells)});
      continue;
    }
    const std::int64_t content = 1 + below(9), presence = content - below(static_cast<std::uint64_t>(content) / 2 + 1);
    std::vector<std::size_t> charged;
    for (std::size_t cell = 0; cell < cells; ++cell) {
      if (below(2) == 0) charged.push_back(cell);
    }
    ChargeRequest request = Both(presence, content, charged, cells);
    request.data = book.Data().value().number;
    request.answer_key = std::to_string(step);
    ASSERT_TRUE(book.Charge(request));
    for (const std::size_t cell : charged) {
      paid.back()[0][cell] += content;
      paid.back()[1][cell] += presence;
      plain[cell] += presence;
    }
  }
  const Ledger again = OpenOrDie(scratch / "a.ledger", cells);
  const Counted said[] = {Counts(again.Totals().value().spent), Counts(again.Totals().value().presence)};
  for (std::size_t kind = 0; kind < 2; ++kind) {
    for (std::size_t now = 0; now < cells; ++now) {
      std::int64_t lost = paid.back()[kind][now];
      for (std::size_t data = 0; data + 1 < paid.size(); ++data)
        lost += *std::max_element(paid[data][kind].begin(), paid[data][kind].end());
      understated += said[kind][now] < lost ? 1 : 0;
      tight += said[kind][now] == lost ? 1 : 0;
      forgotten += kind == 1 && plain[now] < lost ? 1 : 0;
    }
  }
}

TEST(LedgerPresence, NobodyLosesMoreThanTheLedgerSays_ADDREM2) {
  std::size_t understated = 0, forgotten = 0, tight = 0;
  for (std::uint64_t life = 0; life < 60; ++life) Live(stat::SeedForThisTest() + life, understated, forgotten, tight);
  EXPECT_EQ(understated, 0U);
  EXPECT_GT(tight, 100U);
}

TEST(LedgerPresence, TheCheckAboveSeesCellsThatAreNotMerged) {
  std::size_t understated = 0, forgotten = 0, tight = 0;
  for (std::uint64_t life = 0; life < 60; ++life) Live(stat::SeedForThisTest() + life, understated, forgotten, tight);
  EXPECT_GT(forgotten, 10U);
}

}  // namespace
}  // namespace kith::ledger
