// What analysts may use: counted under their names in addition to the totals of cells, which count everybody.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "ledger/ledger_test_tools.h"

namespace kith::ledger {
namespace {

constexpr std::size_t kCells = 3;

ChargeRequest By(const std::string& caller, std::int64_t units, std::vector<std::size_t> cells, std::int64_t allowance,
                 std::int64_t limit = PlainUnits::kMax) {
  ChargeRequest request = Request(units, std::move(cells), kCells, limit);
  request.caller = caller;
  request.allowance = PlainUnits::Of(allowance);
  return request;
}

std::map<std::string, std::int64_t> UsedIn(const Ledger& book) {
  std::map<std::string, std::int64_t> used;
  const auto accounts = book.Totals().value().analysts;
  for (const AnalystAccount& account : accounts) used[account.name] = account.spent.count();
  return used;
}

using Used = std::map<std::string, std::int64_t>;

TEST(LedgerAllowance, EachNameHasItsOwnAndCellsCountEverybody_ALLOWANCE1) {
  const Scratch scratch;
  Ledger book = OpenOrDie(scratch / "a.ledger", kCells), other = OpenOrDie(scratch / "a.ledger", kCells);
  EXPECT_TRUE(book.Totals().value().analysts.empty());
  ASSERT_TRUE(book.Charge(By("ada", 60, {0}, 100)));
  ASSERT_TRUE(other.Charge(By("ben", 90, {0, 1}, 100)));
  const auto refused = other.Charge(By("ada", 41, {2}, 100));  // another cell is not another allowance
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kBudgetExhausted);
  EXPECT_EQ(refused.error().parameter, "account.allowance");
  EXPECT_NE(refused.error().where.find("ada"), std::string::npos);
  ASSERT_TRUE(other.Charge(By("ada", 40, {1, 2}, 100)));
  EXPECT_FALSE(book.Charge(By("ada", 1, {0}, 100)));
  EXPECT_TRUE(book.Charge(By("ada", 0, {0}, 100))) << "nothing uses nothing";
  EXPECT_TRUE(book.Charge(By("ada", 7, {}, 100)));
  EXPECT_FALSE(book.Charge(By("ada", 1, {0}, 50))) << "an allowance that was made smaller";
  EXPECT_TRUE(book.Charge(By("ada", 1, {0}, 200))) << "or larger";
  auto unlimited = Request(5, {0}, kCells);
  unlimited.caller = "ada";
  EXPECT_TRUE(book.Charge(unlimited)) << "whoever has no allowance is limited by the cells alone";
  EXPECT_FALSE(book.Charge(By("", 1, {0}, 100)));
  const Ledger again = OpenOrDie(scratch / "a.ledger", kCells);
  EXPECT_EQ(UsedIn(again), (Used{{"ada", 101}, {"ben", 90}}));
  EXPECT_EQ(Counts(again.Totals().value().spent), (std::vector<std::int64_t>{156, 130, 40}));
  EXPECT_TRUE(again.Verify());
  const auto history = again.History().value();
  for (const HistoryLine& line : history) EXPECT_TRUE(line.whole);
}

TEST(LedgerAllowance, TheMostThatAnyCellPaysAndRecordsCount_ALLOWANCE1) {
  const Scratch scratch;
  Ledger book = OpenOrDie(scratch / "a.ledger", kCells);
  ChargeRequest parts = By("ada", 30, {0, 1, 2}, 100);
  parts.parts = {{PlainUnits::Of(10), {0, 2}}, {PlainUnits::Of(30), {1}}};
  ASSERT_TRUE(book.Charge(parts));
  ChargeRequest records = By("ada", 0, {}, 100);
  records.one_sided = OneSidedCharge{"ages", "(age < 18)", PlainUnits::Of(50), PlainUnits::Of(1000)};
  ASSERT_TRUE(book.Charge(records));
  EXPECT_EQ(UsedIn(book), (Used{{"ada", 80}}));
  EXPECT_FALSE(book.Charge(records));
  EXPECT_EQ(book.Totals().value().one_sided[0].spent.count(), 50) << "refused as a whole";
  ChargeRequest apart = By("ada", 20, {0}, 100);
  apart.covers = Covers::kAny;
  apart.presence = PlainUnits::Of(10);
  ASSERT_TRUE(book.Charge(apart));
  EXPECT_EQ(UsedIn(book), (Used{{"ada", 100}})) << "any change of a record counts";
  ChargeRequest huge = By("eve", PlainUnits::kMax, {0}, PlainUnits::kMax);
  huge.one_sided = records.one_sided;
  huge.one_sided->units = huge.one_sided->limit = PlainUnits::Of(PlainUnits::kMax);
  EXPECT_FALSE(book.Charge(huge));
  EXPECT_TRUE(book.Verify());
}

TEST(LedgerAllowance, StepsOfAStreamCountOverAllTime_ALLOWANCE1) {
  const Scratch scratch;
  LedgerBinding binding = Binding(kCells);
  binding.stream = true;
  Ledger book = Ledger::Open(scratch / "a.ledger", binding, true, Patient()).value();
  for (std::int64_t tick = 0; tick < 10; ++tick) {
    ChargeRequest step = By("ada", 10, {0}, 45, 10);
    step.step = StreamStep{tick, 1};
    step.answer_key = "step " + std::to_string(tick);
    EXPECT_EQ(book.Charge(step).has_value(), tick < 4) << tick;
  }
  EXPECT_EQ(UsedIn(book), (Used{{"ada", 40}}));
}

TEST(LedgerAllowance, OtherDataAndOtherPoliciesLeaveItAsItIs_ALLOWANCE1) {
  const Scratch scratch;
  LedgerBinding first = Binding(kCells), second = Binding(2);
  first.description = "first";
  second.description = "second";
  second.grow = [&](const LedgerPast&) -> Result<LedgerGrowth> {
    return LedgerGrowth{{{"cell", {{"cell 0", {"cell 0", "cell 2"}}, {"cell 1", {"cell 1"}}}}}, true, false};
  };
  {
    Ledger book = Ledger::Open(scratch / "a.ledger", first, true, Patient()).value();
    ASSERT_TRUE(book.Charge(By("ada", 60, {0}, 100)));
    ASSERT_TRUE(book.ReplaceData(0, "two", ""));
    ChargeRequest later = By("ada", 30, {1}, 100);
    later.data = 1;
    ASSERT_TRUE(book.Charge(later));
    EXPECT_EQ(UsedIn(book), (Used{{"ada", 90}}));
  }
  Ledger book = Ledger::Open(scratch / "a.ledger", second, true, Patient()).value();
  EXPECT_EQ(UsedIn(book), (Used{{"ada", 90}}));
  ChargeRequest more = Request(11, {0}, 2);
  more.caller = "ada";
  more.allowance = PlainUnits::Of(100);
  more.data = book.Data()->number;
  EXPECT_FALSE(book.Charge(more));
  more.units = PlainUnits::Of(10);
  EXPECT_TRUE(book.Charge(more));
}

TEST(LedgerAllowance, CarryingTakesItAlongOnce_ALLOWANCE1) {
  const Scratch scratch;
  Ledger old = OpenOrDie(scratch / "old.ledger", kCells), next = OpenOrDie(scratch / "new.ledger", kCells);
  ASSERT_TRUE(old.Charge(By("ada", 60, {0}, 100)));
  ASSERT_TRUE(next.Charge(By("ben", 5, {0}, 100)));
  LedgerCarry carry{old.id(), "old.ledger", old.Totals().value().spent, std::vector<PlainUnits>(kCells), {}, false};
  carry.analysts = old.Totals().value().analysts;
  ASSERT_TRUE(old.Seal("new.ledger"));
  for (int tries = 0; tries < 2; ++tries) ASSERT_TRUE(next.Carry(carry));
  EXPECT_EQ(UsedIn(next), (Used{{"ada", 60}, {"ben", 5}}));
  EXPECT_FALSE(next.Charge(By("ada", 41, {2}, 100)));
  EXPECT_TRUE(next.Verify());
}

TEST(LedgerAllowance, AChangedAccountIsRefused_LEDGER3) {
  for (const char* sql : {"UPDATE postings SET amount = 1 WHERE account = 'analyst:ada'",
                          "UPDATE postings SET account = 'analyst:ben' WHERE account = 'analyst:ada'",
                          "DELETE FROM postings WHERE account = 'analyst:ada'"}) {
    const Scratch scratch;
    {
      Ledger book = OpenOrDie(scratch / "a.ledger", kCells);
      ASSERT_TRUE(book.Charge(By("ada", 60, {0}, 100)));
    }
    Sql(scratch / "a.ledger", sql);
    EXPECT_FALSE(Ledger::Open(scratch / "a.ledger", Binding(kCells), false)) << sql;
  }
}

// Whatever is asked by whom: what is said is what a model counts, no allowance and no cap is exceeded, and a charge is
// refused only if one of the two would be. `lenient`: the planted fault.
std::string LifeFault(std::uint64_t seed, bool lenient) {
  const Scratch scratch;
  std::mt19937_64 random(seed);
  const auto below = [&](std::int64_t n) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
  };
  Ledger handles[] = {OpenOrDie(scratch / "a.ledger", kCells), OpenOrDie(scratch / "a.ledger", kCells)};
  const std::int64_t cap = 50 + below(300);
  Used allowed, used;
  for (const char* name : {"ada", "ben", "eve"}) allowed[name] = below(200);
  std::vector<std::int64_t> totals(kCells, 0);
  for (int step = 0; step < 40; ++step) {
    const auto who = std::next(allowed.begin(), below(3));
    std::vector<std::size_t> cells;
    for (std::size_t cell = 0; cell < kCells; ++cell) {
      if (below(2) == 0) cells.push_back(cell);
    }
    const std::int64_t units = below(40), counted = cells.empty() ? 0 : units;
    bool fits = used[who->first] + counted <= who->second || counted == 0;
    for (const std::size_t cell : cells) fits = fits && (units == 0 || totals[cell] + units <= cap);
    auto request = By(who->first, units, cells, lenient ? PlainUnits::kMax : who->second, cap);
    const bool charged = handles[below(2)].Charge(request).has_value();
    if (charged != fits) return charged ? "charged what does not fit" : "refused what fits";
    if (!charged) continue;
    used[who->first] += counted;
    for (const std::size_t cell : cells) totals[cell] += units;
  }
  std::erase_if(used, [](const auto& each) { return each.second == 0; });
  if (UsedIn(handles[0]) != used) return "counts an analyst wrongly";
  if (Counts(handles[1].Totals().value().spent) != totals) return "counts a cell wrongly";
  return handles[0].Verify() ? "" : "does not verify";
}

TEST(LedgerAllowance, NobodyExceedsAnythingInRandomLives_ALLOWANCE1) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) EXPECT_EQ(LifeFault(seed, false), "") << seed;
}

TEST(LedgerAllowance, TheCheckAboveSeesAnAllowanceThatIsForgotten) {
  int seen = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) seen += LifeFault(seed, true) == "charged what does not fit" ? 1 : 0;
  EXPECT_GT(seen, 10);
}

TEST(LedgerAllowance, PagesOfOneCallerAreThoseOfTheWholeHistory) {
  const Scratch scratch;
  Ledger book = OpenOrDie(scratch / "a.ledger", kCells);
  std::mt19937_64 random(7);
  for (int i = 0; i < 60; ++i) {
    auto request = Request(1, {0}, kCells);
    request.caller = random() % 3 == 0 ? "ada" : random() % 2 == 0 ? "ben" : "";
    ASSERT_TRUE(book.Charge(request));
  }
  const auto numbers = [](const std::vector<HistoryLine>& lines) {
    std::vector<std::int64_t> all;
    for (const HistoryLine& line : lines) all.push_back(line.number);
    return all;
  };
  for (const bool newest : {false, true}) {
    for (const std::int64_t from : {0, 1, 20, 60, 61}) {
      for (const std::int64_t count : {0, 1, 5, 100}) {
        std::vector<std::int64_t> expected;
        const auto whole = book.History({.from = from, .newest_first = newest}).value();
        for (const HistoryLine& line : whole) {
          if (line.caller == "ada" && static_cast<std::int64_t>(expected.size()) < count)
            expected.push_back(line.number);
        }
        const auto page = book.History({from, count, newest, "ada"});
        ASSERT_TRUE(page);
        EXPECT_EQ(numbers(*page), expected) << from << " " << count << " " << newest;
      }
    }
  }
  EXPECT_TRUE(book.History({.caller = "nobody"})->empty());
}

}  // namespace
}  // namespace kith::ledger
