// Windows of a stream against adding up by hand: random steps in any order, several handles, cells and policies, and
// crashes of whole processes; after each of them every window of consecutive steps is within its limit.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "ledger/ledger_test_tools.h"
#include "tests/support/stat.h"

namespace kith::ledger {
namespace {

LedgerBinding StreamBinding(std::size_t cells) {
  LedgerBinding binding = Binding(cells);
  binding.stream = true;
  return binding;
}

Ledger OpenStream(const std::filesystem::path& file, std::size_t cells) {
  auto opened = Ledger::Open(file, StreamBinding(cells), true);
  if (!opened) ADD_FAILURE() << opened.error().Text();
  return std::move(opened.value());
}

struct Paid {
  std::int64_t tick, units;
  std::vector<std::size_t> cells;
};

// By hand: the sum of one cell over the steps from first to last.
std::int64_t SumOf(const std::vector<Paid>& paid, std::size_t cell, std::int64_t first, std::int64_t last) {
  std::int64_t sum = 0;
  for (const Paid& p : paid) {
    if (p.tick < first || p.tick > last) continue;
    for (const std::size_t c : p.cells) sum += c == cell ? p.units : 0;
  }
  return sum;
}

// The largest sum of `window` consecutive steps with `tick` among them.
std::int64_t Worst(const std::vector<Paid>& paid, std::size_t cell, std::int64_t tick, std::int64_t window) {
  std::int64_t worst = 0;
  for (std::int64_t first = tick - window + 1; first <= tick; ++first)
    worst = std::max(worst, SumOf(paid, cell, first, first + window - 1));
  return worst;
}

// A random life; `checked` is the window that the ledger is told to keep, `true_window` the one it is judged by.
// Returns how many windows were exceeded, and counts disagreements with adding up by hand.
struct Life {
  std::size_t exceeded = 0, disagreements = 0, charges = 0, refusals = 0;
};

Life Live(std::uint64_t seed, std::int64_t checked, std::int64_t true_window) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::uint64_t n) { return static_cast<std::int64_t>(random() % n); };
  const Scratch scratch;
  const auto cells = static_cast<std::size_t>(1 + below(5));
  std::vector<PlainUnits> limits;
  for (std::size_t c = 0; c < cells; ++c) limits.push_back(PlainUnits::Of(200 + below(300)));
  std::vector<std::optional<Ledger>> handles(2);
  for (auto& handle : handles) handle.emplace(OpenStream(scratch / "s.ledger", cells));
  std::vector<Paid> paid;
  Life life;
  for (int step = 0; step < 60; ++step) {
    auto& handle = handles[static_cast<std::size_t>(below(2))];
    if (below(10) == 0) {  // another process, later
      handle.reset();
      handle.emplace(OpenStream(scratch / "s.ledger", cells));
    }
    Paid next{below(14), below(90), {}};
    for (std::size_t c = 0; c < cells; ++c) {
      if (below(3) > 0) next.cells.push_back(c);
    }
    const std::string key = "step " + std::to_string(step);
    const StreamStep at{next.tick, checked};
    const auto room = handle->Room(at, next.cells, limits).value().count();
    bool allowed = true;
    for (std::size_t c = 0; c < cells; ++c) {
      const bool charged = std::find(next.cells.begin(), next.cells.end(), c) != next.cells.end();
      const std::int64_t after = Worst(paid, c, next.tick, checked) + (charged ? next.units : 0);
      allowed = allowed && (next.units == 0 || next.cells.empty() || after <= limits[c].count());
    }
    if (!next.cells.empty() && next.units > 0 && allowed != (next.units <= room)) ++life.disagreements;
    const auto entry = handle->Charge({PlainUnits::Of(next.units), next.cells, limits, "q", key, at});
    if (entry.has_value() != allowed) ++life.disagreements;
    if (!entry) {
      ++life.refusals;
      continue;
    }
    ++life.charges;
    paid.push_back(next);
    if (handle->Charge({PlainUnits::Of(0), {}, limits, "q", key, at})) ++life.disagreements;  // never twice
    const auto around = handle->LargestWindows(checked, next.tick).value();
    for (std::size_t c = 0; c < cells; ++c) {
      if (around[c].count() != Worst(paid, c, next.tick, checked)) ++life.disagreements;
    }
  }
  const auto largest = OpenStream(scratch / "s.ledger", cells).LargestWindows(true_window, std::nullopt).value();
  for (std::size_t c = 0; c < cells; ++c) {
    std::int64_t worst = 0;
    for (std::int64_t first = -20; first < 20; ++first)
      worst = std::max(worst, SumOf(paid, c, first, first + true_window - 1));
    if (largest[c].count() != worst) ++life.disagreements;
    if (worst > limits[c].count()) ++life.exceeded;
  }
  return life;
}

TEST(LedgerStreamProperty, NoWindowIsExceededInWhateverOrderStepsAreCharged_LEDGER4) {
  std::mt19937_64 seeds(stat::SeedForThisTest());
  Life all;
  for (int i = 0; i < 60; ++i) {
    const std::int64_t window = 1 + static_cast<std::int64_t>(seeds() % 6);
    const Life life = Live(seeds(), window, window);
    EXPECT_EQ(life.exceeded, 0U);
    EXPECT_EQ(life.disagreements, 0U);
    all.charges += life.charges;
    all.refusals += life.refusals;
  }
  EXPECT_GT(all.charges, 600U);
  EXPECT_GT(all.refusals, 600U);
}

TEST(LedgerStreamProperty, TheCheckAboveSeesAWindowThatIsOneStepShort) {
  std::mt19937_64 seeds(stat::SeedForThisTest());
  std::size_t exceeded = 0;
  for (int i = 0; i < 20; ++i) exceeded += Live(seeds(), 3, 4).exceeded;
  EXPECT_GT(exceeded, 10U);
}

// A long stream: every window is full all the time, and the budget comes back as steps leave it.
TEST(LedgerStreamProperty, TheBudgetComesBack) {
  const Scratch scratch;
  const std::vector<PlainUnits> limits = {PlainUnits::Of(100)};
  Ledger book = OpenStream(scratch / "s.ledger", 1);
  for (std::int64_t tick = 0; tick < 500; ++tick) {
    const StreamStep at{tick, 4};
    EXPECT_TRUE(book.Charge({PlainUnits::Of(25), {0}, limits, "q", std::to_string(tick), at}));
    EXPECT_EQ(book.Room(at, {0}, limits).value().count(), tick < 3 ? 100 - 25 * (tick + 1) : 0);
  }
  EXPECT_EQ(book.LargestWindows(4, std::nullopt).value()[0].count(), 100);
  EXPECT_EQ(book.Totals().value().spent[0].count(), 500 * 25);
  const auto charges = book.Charges("q", 10, 12).value();
  ASSERT_EQ(charges.size(), 3U);
  EXPECT_EQ(charges[0].tick, 10);
  EXPECT_EQ(charges[2].units.count(), 25);
  EXPECT_TRUE(book.Charges("other", 0, 500).value().empty());
  EXPECT_TRUE(book.Verify());
  EXPECT_EQ(book.History().value()[7].tick, 7);
}

}  // namespace
}  // namespace kith::ledger
