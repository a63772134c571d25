// Units that move between cells whenever the data are replaced, against adding up what each of them lost: no unit ever
// loses more than the ledger says for its cell. For ledgers that count for ever, and for windows of a stream.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "ledger/ledger_test_tools.h"
#include "ledger/view.h"
#include "ledger/windows.h"
#include "tests/support/stat.h"

namespace kith::ledger {
namespace {

struct Paid {
  std::int64_t data = 0, tick = 0, units = 0;
  std::vector<std::size_t> cells;
  bool any = false;
};

bool Touches(const Paid& paid, std::size_t cell) {
  return std::find(paid.cells.begin(), paid.cells.end(), cell) != paid.cells.end();
}

// A path: the cell of a unit for each of the data. With few cells and data, all of them can be tried.
std::vector<std::vector<std::size_t>> AllPaths(std::size_t cells, std::size_t data) {
  std::vector<std::vector<std::size_t>> paths = {{}};
  for (std::size_t d = 0; d < data; ++d) {
    std::vector<std::vector<std::size_t>> longer;
    for (const auto& path : paths) {
      for (std::size_t c = 0; c < cells; ++c) {
        longer.push_back(path);
        longer.back().push_back(c);
      }
    }
    paths = std::move(longer);
  }
  return paths;
}

struct Tally {
  std::size_t understated = 0, checks = 0, tight = 0;
};

enum class Fault { kNone, kTotalsKeptPerCell };

// A random life of a ledger: charges, replacements, and a promise that may be given at first and withdrawn once. Units
// move whenever they like, and the promise was broken as well: withdrawing it must cover that.
Tally Live(std::uint64_t seed, Fault fault) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::uint64_t n) { return static_cast<std::int64_t>(random() % n); };
  const Scratch scratch;
  const auto cells = static_cast<std::size_t>(2 + below(2));
  LedgerBinding binding = Binding(cells);
  binding.fixed_cells = fault == Fault::kTotalsKeptPerCell || below(2) == 0;
  std::optional<Ledger> book;
  const auto reopen = [&] {
    book.reset();
    book.emplace(std::move(Ledger::Open(scratch / "a.ledger", binding, true).value()));
  };
  reopen();
  std::vector<Paid> paid;
  std::int64_t data = 0;
  for (int step = 0; step < 14; ++step) {
    const auto what = below(6);
    if (what == 0 && data < 4) {
      EXPECT_TRUE(book->ReplaceData(book->Data().value().number, "", ""));
      ++data;
    } else if (what == 1) {
      if (fault == Fault::kNone && below(2) == 0) binding.fixed_cells = false;
      reopen();
    } else {
      Paid next{data, 0, below(50), {}, below(3) == 0};
      for (std::size_t c = 0; c < cells; ++c) {
        if (below(2) == 0) next.cells.push_back(c);
      }
      ChargeRequest request = Request(next.units, next.cells, cells);
      request.data = book->Data().value().number;
      request.covers = next.any ? Covers::kAny : Covers::kMove;
      EXPECT_TRUE(book->Charge(request));
      paid.push_back(next);
    }
  }
  if (fault == Fault::kNone) binding.fixed_cells = false;
  reopen();
  const auto spent = Counts(book->Totals().value().spent), any = Counts(book->Totals().value().any);
  Tally tally;
  std::vector<std::int64_t> worst(cells, 0);
  for (const auto& path : AllPaths(cells, static_cast<std::size_t>(data) + 1)) {
    std::int64_t move = 0, all = 0;
    for (const Paid& p : paid) {
      if (Touches(p, path[static_cast<std::size_t>(p.data)])) (p.any ? all : move) += p.units;
    }
    const std::size_t now = path.back();
    ++tally.checks;
    bool covered = true;
    for (const std::int64_t distance : {0, 1, 2, 137}) {
      covered = covered && all + distance * move <= any[now] + distance * (spent[now] - any[now]);
    }
    tally.understated += covered ? 0 : 1;
    worst[now] = std::max(worst[now], move + all);
  }
  for (std::size_t c = 0; c < cells; ++c) tally.tight += worst[c] == spent[c] ? 1 : 0;
  return tally;
}

Tally Lives(int count, Fault fault) {
  std::mt19937_64 seeds(stat::SeedForThisTest());
  Tally all;
  for (int i = 0; i < count; ++i) {
    const Tally tally = Live(seeds(), fault);
    all.understated += tally.understated;
    all.checks += tally.checks;
    all.tight += tally.tight;
  }
  return all;
}

TEST(LedgerMoving, NoUnitLosesMoreThanItsCellSays_LEDGER7) {
  const Tally tally = Lives(150, Fault::kNone);
  EXPECT_EQ(tally.understated, 0U);
  EXPECT_GT(tally.checks, 1000U);
  EXPECT_GT(tally.tight, 100U) << "and not much less: somebody lost just that";
}

// The planted fault: totals kept per cell, no matter who moves.
TEST(LedgerMoving, TheCheckAboveSeesTotalsKeptPerCell) {
  EXPECT_GT(Lives(60, Fault::kTotalsKeptPerCell).understated, 100U);
}

// Data that are read in place: as long as cells are joined a unit is in another one for each charge; as long as the
// policy promises that the data are frozen it stays where it is. `kTotalsKeptPerCell`: nobody joins them.
Tally LiveInPlace(std::uint64_t seed, Fault fault) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::uint64_t n) { return static_cast<std::int64_t>(random() % n); };
  const Scratch scratch;
  const auto cells = static_cast<std::size_t>(2 + below(2));
  std::vector<std::size_t> everybody(cells);
  for (std::size_t c = 0; c < cells; ++c) everybody[c] = c;
  LedgerBinding binding = Binding(cells);
  bool moves = below(2) == 0;
  std::optional<Ledger> book;
  const auto reopen = [&] {
    binding.joined = moves && fault == Fault::kNone;
    book.reset();
    book.emplace(std::move(Ledger::Open(scratch / "a.ledger", binding, true).value()));
  };
  reopen();
  std::vector<Paid> paid;
  std::int64_t moment = 0;  // a unit is in one cell in each
  for (int step = 0; step < 9; ++step) {
    const auto what = below(5);
    if (what == 0) {
      moves = !moves;
      moment += moves ? 1 : 0;
      reopen();
    } else if (what == 1 && below(2) == 0) {
      EXPECT_TRUE(book->ReplaceData(book->Data().value().number, "", ""));
      ++moment;
    } else {
      Paid next{moment, 0, below(50), {}, below(3) == 0};
      for (std::size_t c = 0; c < cells; ++c) {
        if (below(2) == 0) next.cells.push_back(c);
      }
      if (binding.joined && !next.cells.empty()) next.cells = everybody;
      ChargeRequest request = Request(next.units, next.cells, cells);
      request.data = book->Data().value().number;
      request.covers = next.any ? Covers::kAny : Covers::kMove;
      EXPECT_TRUE(book->Charge(request));
      paid.push_back(next);
      if (moves && fault != Fault::kNone) ++moment;
    }
  }
  const auto spent = Counts(book->Totals().value().spent), any = Counts(book->Totals().value().any);
  Tally tally;
  std::vector<std::int64_t> worst(cells, 0);
  for (const auto& path : AllPaths(cells, static_cast<std::size_t>(moment) + 1)) {
    std::int64_t move = 0, all = 0;
    for (const Paid& p : paid) {
      if (Touches(p, path[static_cast<std::size_t>(p.data)])) (p.any ? all : move) += p.units;
    }
    for (std::size_t now = 0; now < cells; ++now) {
      if (!moves && now != path.back()) continue;
      ++tally.checks;
      bool covered = true;
      for (const std::int64_t distance : {0, 1, 2, 137})
        covered = covered && all + distance * move <= any[now] + distance * (spent[now] - any[now]);
      tally.understated += covered ? 0 : 1;
      worst[now] = std::max(worst[now], move + all);
    }
  }
  for (std::size_t c = 0; c < cells; ++c) tally.tight += worst[c] == spent[c] ? 1 : 0;
  return tally;
}

Tally LivesInPlace(int count, Fault fault) {
  std::mt19937_64 seeds(stat::SeedForThisTest());
  Tally all;
  for (int i = 0; i < count; ++i) {
    const Tally tally = LiveInPlace(seeds(), fault);
    all.understated += tally.understated;
    all.checks += tally.checks;
    all.tight += tally.tight;
  }
  return all;
}

TEST(LedgerInPlace, WhoMovesUnderOneVersionLosesNoMoreThanTheTotal_LEDGER9) {
  const Tally tally = LivesInPlace(150, Fault::kNone);
  EXPECT_EQ(tally.understated, 0U);
  EXPECT_GT(tally.checks, 1000U);
  EXPECT_GT(tally.tight, 50U) << "and not much less: somebody lost just that";
}

// The planted fault: totals of cells, as if nobody could move under one version.
TEST(LedgerInPlace, TheCheckAboveSeesTotalsKeptPerCell) {
  EXPECT_GT(LivesInPlace(60, Fault::kTotalsKeptPerCell).understated, 100U);
}

// The largest loss in any window of a unit that ends in each cell, by trying every path.
std::vector<std::int64_t> ByHand(const std::vector<Paid>& paid, std::size_t cells, const std::vector<bool>& splits,
                                 std::int64_t window, std::optional<std::int64_t> tick) {
  std::vector<std::int64_t> largest(cells, 0);
  for (const auto& path : AllPaths(cells, splits.size() + 1)) {
    bool allowed = true;  // a unit moves only where cells were merged
    for (std::size_t d = 0; d < splits.size(); ++d) allowed = allowed && (splits[d] || path[d] == path[d + 1]);
    if (!allowed) continue;
    for (std::int64_t first = tick ? *tick - window + 1 : -window; first <= (tick ? *tick : 20); ++first) {
      std::int64_t sum = 0;
      for (const Paid& p : paid) {
        if (p.tick < first || p.tick >= first + window) continue;
        sum += Touches(p, path[static_cast<std::size_t>(p.data)]) ? p.units : 0;
      }
      largest[path.back()] = std::max(largest[path.back()], sum);
    }
  }
  return largest;
}

struct WindowTally {
  std::size_t differences = 0, checks = 0;
};

WindowTally Windowed(std::uint64_t seed, bool forgets) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::uint64_t n) { return static_cast<std::int64_t>(random() % n); };
  const auto cells = static_cast<std::size_t>(1 + below(3));
  Windows windows(cells);
  CellBook book(Binding(cells).columns);
  std::vector<Paid> paid;
  std::vector<bool> splits;
  WindowTally tally;
  for (int step = 0; step < 14; ++step) {
    if (below(5) == 0 && splits.size() < 3) {
      const bool merged = below(2) == 0;
      windows.Replace(merged && !forgets);
      splits.push_back(merged);
      // Merging covers whatever was kept apart before.
      if (merged) std::fill(splits.begin(), splits.end(), true);
    } else {
      Paid next{static_cast<std::int64_t>(splits.size()), below(12), below(40), {}};
      for (std::size_t c = 0; c < cells; ++c) {
        if (below(2) == 0) next.cells.push_back(c);
      }
      Posting posting;
      posting.tick = next.tick;
      posting.amount = next.units;
      posting.cells = book.Of(next.cells);
      windows.Add(Entry(), posting);
      paid.push_back(next);
    }
    const std::int64_t window = 1 + below(6), tick = below(14);
    tally.checks += 2;
    tally.differences += windows.Largest(window) != ByHand(paid, cells, splits, window, std::nullopt) ? 1 : 0;
    tally.differences += windows.Around(tick, window) != ByHand(paid, cells, splits, window, tick) ? 1 : 0;
  }
  return tally;
}

TEST(LedgerMoving, WindowsCountForEachOfTheDataTheCellThatLostMost_LEDGER7) {
  std::mt19937_64 seeds(stat::SeedForThisTest());
  std::size_t differences = 0;
  for (int i = 0; i < 120; ++i) differences += Windowed(seeds(), false).differences;
  EXPECT_EQ(differences, 0U);
}

TEST(LedgerMoving, TheCheckAboveSeesWindowsKeptPerCell) {
  std::mt19937_64 seeds(stat::SeedForThisTest());
  std::size_t differences = 0;
  for (int i = 0; i < 60; ++i) differences += Windowed(seeds(), true).differences;
  EXPECT_GT(differences, 50U);
}

// The same through the whole ledger: a stream whose cells move inside one window.
TEST(LedgerMoving, ALimitHoldsInsideOneWindowForWhoeverMoves_LEDGER7) {
  const Scratch scratch;
  LedgerBinding binding = Binding(2);
  binding.stream = true;
  const std::vector<PlainUnits> limits(2, PlainUnits::Of(100));
  for (const bool fixed : {false, true}) {
    binding.fixed_cells = fixed;
    const auto file = scratch / (fixed ? "fixed.ledger" : "moving.ledger");
    Ledger book = std::move(Ledger::Open(file, binding, true).value());
    ChargeRequest request{PlainUnits::Of(60), {0}, limits, "q", "a", StreamStep{1, 3}};
    EXPECT_TRUE(book.Charge(request));
    EXPECT_TRUE(book.ReplaceData(0, "", ""));
    request = {PlainUnits::Of(60), {1}, limits, "q", "b", StreamStep{2, 3}};
    request.data = 1;
    EXPECT_EQ(book.Room({2, 3}, {1}, limits).value().count(), fixed ? 100 : 40);
    EXPECT_EQ(book.Charge(request).has_value(), fixed);
    request.step = StreamStep{4, 3};  // the window has left step 1
    request.answer_key = "c";
    EXPECT_EQ(book.Charge(request).has_value(), !fixed) << "beside the charge for step 2 there is no room";
  }
  // Withdrawn: a unit in cell 0 at step 1 and in cell 1 at step 2 lost 120.
  binding.fixed_cells = false;
  const Ledger book = std::move(Ledger::Open(scratch / "fixed.ledger", binding, true).value());
  EXPECT_EQ(Counts(book.LargestWindows(3, std::nullopt).value()), (std::vector<std::int64_t>{120, 120}));
}

}  // namespace
}  // namespace kith::ledger
