// Shares in whole units: no rule exceeds a window, whatever is asked and however an adaptive rule decides.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "analysis/stream/shares.h"
#include "kernel/differs.h"
#include "tests/support/stat.h"

namespace kith::stream {
namespace {

std::int64_t LargestWindow(const std::vector<Spent>& spent, std::int64_t window) {
  std::int64_t largest = 0;
  for (const Spent& end : spent) {
    std::int64_t sum = 0;
    for (const Spent& s : spent) sum += s.tick <= end.tick && s.tick > end.tick - window ? s.units : 0;
    largest = std::max(largest, sum);
  }
  return largest;
}

std::vector<Spent> Back(const std::vector<Spent>& spent, std::int64_t from, std::int64_t to) {
  std::vector<Spent> found;
  std::copy_if(spent.begin(), spent.end(), std::back_inserter(found),
               [&](const Spent& s) { return s.tick >= from && s.tick <= to; });
  return found;
}

// The charges of one random stream.
std::vector<Spent> Stream(Sharing sharing, std::int64_t window, std::int64_t units, std::mt19937_64& random) {
  std::vector<std::int64_t> asked;
  const std::uint64_t density = 1 + random() % 4;
  for (std::int64_t tick = 0; tick < 60; ++tick) {
    if (random() % 4 < density) asked.push_back(tick);
  }
  if (asked.empty()) asked.push_back(3);
  const Terms terms = Terms::Make(sharing, window, PlainUnits::Of(units), 0.5, asked).value();
  std::vector<Spent> spent;
  for (const std::int64_t tick : asked)
    spent.push_back({tick, terms.Release(tick, Back(spent, tick - window + 1, tick - 1)).count()});
  return spent;
}

constexpr Sharing kPlain[] = {Sharing::kUniform, Sharing::kHarmonic, Sharing::kSlack, Sharing::kRate,
                              Sharing::kOffline};

TEST(StreamSharesProperty, NoRuleExceedsAWindowInWholeUnits_STREAM3) {
  std::mt19937_64 random(stat::SeedForThisTest());
  for (const Sharing sharing : kPlain) {
    for (int i = 0; i < 40; ++i) {
      const auto window = static_cast<std::int64_t>(1 + random() % 9);
      const auto units = static_cast<std::int64_t>(100 + random() % PlainUnits::kOne);
      const auto spent = Stream(sharing, window, units, random);
      EXPECT_LE(LargestWindow(spent, window), units) << NameOf(sharing);
      EXPECT_GE(LargestWindow(spent, window), units / (4 * window)) << NameOf(sharing) << " gives next to nothing";
    }
  }
}

TEST(StreamSharesProperty, TheCheckAboveSeesAWindowThatIsOneStepShort) {
  std::mt19937_64 random(stat::SeedForThisTest());
  for (const Sharing sharing : kPlain) {
    int exceeded = 0;
    for (int i = 0; i < 40; ++i)
      exceeded += LargestWindow(Stream(sharing, 3, 1'000'000, random), 4) > 1'000'000 ? 1 : 0;
    EXPECT_GT(exceeded, 5) << NameOf(sharing);
  }
}

// All ways in which the tests of a stream can turn out: bit t of `decisions` says whether step t differs. What the
// steps spend, tests and publications together.
std::vector<Spent> Decided(const Terms& terms, std::int64_t steps, std::uint64_t decisions, std::uint64_t asked) {
  std::vector<Spent> published, tested, all;
  for (std::int64_t tick = 0; tick < steps; ++tick) {
    if ((asked >> tick & 1) == 0) continue;
    std::int64_t first = tick;
    for (const Spent& s : tested) first = s.tick > tick - terms.window() ? std::min(first, s.tick) : first;
    const auto publication = terms.Publication(tick, Back(published, tick - 2 * terms.window(), tick - 1), first);
    tested.push_back({tick, publication.count() == 0 ? 0 : terms.Test().count()});
    all.push_back(tested.back());
    if (publication.count() == 0 || (decisions >> tick & 1) == 0) continue;
    published.push_back({tick, publication.count()});
    all.back().units += publication.count();
  }
  return all;
}

std::size_t ExceededPaths(Sharing sharing, std::int64_t window, std::int64_t judged, std::uint64_t asked) {
  constexpr std::int64_t kSteps = 11;
  const std::int64_t units = 1'000'003;
  const Terms terms = Terms::Make(sharing, window, PlainUnits::Of(units), 1, {}).value();
  std::size_t exceeded = 0;
  for (std::uint64_t decisions = 0; decisions < (1U << kSteps); ++decisions)
    exceeded += LargestWindow(Decided(terms, kSteps, decisions, asked), judged) > units ? 1 : 0;
  return exceeded;
}

TEST(StreamSharesProperty, AdaptiveRulesKeepEveryWindowWhateverTheirTestsSay_STREAM4) {
  for (const Sharing sharing : {Sharing::kDistribution, Sharing::kAbsorption}) {
    for (const std::int64_t window : {1, 2, 3, 5, 8}) {
      EXPECT_EQ(ExceededPaths(sharing, window, window, ~0ULL), 0U) << NameOf(sharing) << " " << window;
      EXPECT_EQ(ExceededPaths(sharing, window, window, 0b10110111011), 0U) << NameOf(sharing) << " " << window;
    }
  }
}

TEST(StreamSharesProperty, TheCheckAboveSeesAdaptiveWindowsThatAreOneStepShort) {
  for (const Sharing sharing : {Sharing::kDistribution, Sharing::kAbsorption})
    EXPECT_GT(ExceededPaths(sharing, 3, 4, ~0ULL), 100U) << NameOf(sharing);
}

TEST(StreamShares, AbsorptionTakesWhatWasNotUsedAndPaysItBack) {
  const Terms terms = Terms::Make(Sharing::kAbsorption, 4, PlainUnits::Of(800), 1, {}).value();  // 100 a step
  EXPECT_EQ(terms.Test().count(), 100);
  EXPECT_EQ(terms.Publication(0, {}, 0).count(), 100);  // the first step has its own share
  EXPECT_EQ(terms.Publication(2, {}, 0).count(), 300);  // two steps passed
  EXPECT_EQ(terms.Publication(9, {}, 6).count(), 400);  // never more than a window's
  const std::vector<Spent> paid = {{2, 300}};
  EXPECT_EQ(terms.Publication(3, paid, 0).count(), 0);  // taken in advance
  EXPECT_EQ(terms.Publication(4, paid, 1).count(), 0);
  EXPECT_EQ(terms.Publication(5, paid, 2).count(), 100);
}

TEST(StreamShares, TheTestOfAStepFollowsTheDistance) {
  stat::SeededBits bits(stat::SeedForThisTest());
  const auto differs = [&](Int128 exact, Int128 last) {
    const std::vector<Int128> a = {exact, 5}, b = {last, 5};
    int yes = 0;
    for (int i = 0; i < 200; ++i) {
      yes += Differs(a, b, Sensitivity::Make(1).value(), PlainUnits::Floor(0.5).value(), PlainUnits::Floor(0.5).value(),
                     bits)
                     .value()
                 ? 1
                 : 0;
    }
    return yes;
  };
  EXPECT_EQ(differs(100, 0), 200);  // the error of two groups at 0.5 is 4
  EXPECT_LT(differs(0, 0), 60);
  EXPECT_EQ(differs(-(Int128{1} << 124), Int128{1} << 124), 200);  // no overflow
}

}  // namespace
}  // namespace kith::stream
