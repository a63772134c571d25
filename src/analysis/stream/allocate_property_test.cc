// No window is ever exceeded, and the proven ratios hold, on random requests.
#include <gtest/gtest.h>

#include <cmath>

#include "analysis/stream/allocate.h"
#include "tests/support/small_laws.h"
#include "tests/support/stat.h"

namespace kith::stream {
namespace {

using testing::Dice;

struct Case {
  Window window;
  std::vector<bool> asks;
};

// Steady, rare, and in bursts: what is hard for a rule comes when it has just been generous.
Case RandomCase(Dice& dice) {
  Case c{{static_cast<std::size_t>(1 + dice.Below(12)), dice.Between(0.1, 3)}, {}};
  const double rate = dice.Between(0.02, 1);
  const bool bursts = dice.Chance(0.5);
  bool busy = false;
  for (int t = 0; t < 60; ++t) {
    if (bursts && dice.Chance(0.15)) busy = !busy;
    c.asks.push_back(bursts ? busy && dice.Chance(0.9) : dice.Chance(rate));
  }
  return c;
}

double LargestWindow(const std::vector<double>& given, std::size_t steps) {
  double largest = 0;
  for (std::size_t from = 0; from < given.size(); ++from) {
    double sum = 0;
    for (std::size_t t = from; t < std::min(given.size(), from + steps); ++t) sum += given[t];
    largest = std::max(largest, sum);
  }
  return largest;
}

std::vector<double> Given(const Case& c, Rule rule) {
  Online online = Online::Make(c.window, rule, {0.4, 0.5}).value();
  std::vector<double> given;
  for (const bool asks : c.asks) given.push_back(online.Next(asks));
  return given;
}

double Noise(const std::vector<double>& given, const std::vector<bool>& asks) {
  double sum = 0;
  for (std::size_t t = 0; t < given.size(); ++t) sum += asks[t] ? 1 / given[t] : 0;
  return sum;
}

/// Largest share of epsilon that any window spends; a planted fault forgets the oldest step of the window.
double Worst(Rule rule, bool forgets) {
  Dice dice(stat::SeedForThisTest());
  double worst = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    Case c = RandomCase(dice);
    const std::size_t steps = c.window.steps;
    if (forgets) c.window.steps = std::max<std::size_t>(1, steps - 1);
    worst = std::max(worst, LargestWindow(Given(c, rule), steps) / c.window.epsilon);
  }
  return worst;
}

TEST(StreamAllocationProperty, NoRuleExceedsAWindow) {
  for (const Rule rule :
       {Rule::kUniform, Rule::kHarmonic, Rule::kHarmonicSlack, Rule::kRate, Rule::kFloorTarget, Rule::kHalf})
    EXPECT_LE(Worst(rule, false), 1 + 1e-12) << static_cast<int>(rule);
}

TEST(StreamAllocationProperty, TheCheckSeesAWindowThatIsOneStepShort) {
  EXPECT_GT(Worst(Rule::kHarmonicSlack, true), 1.05);
  EXPECT_GT(Worst(Rule::kUniform, true), 1.05);
}

TEST(StreamAllocationProperty, SlackIsNeverBelowHarmonicAndKeepsItsRatio) {
  Dice dice(stat::SeedForThisTest());
  double closest = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    const Case c = RandomCase(dice);
    const auto harmonic = Given(c, Rule::kHarmonic);
    const auto slack = Given(c, Rule::kHarmonicSlack);
    for (std::size_t t = 0; t < slack.size(); ++t) EXPECT_GE(slack[t], harmonic[t] * (1 - 1e-12));
    std::vector<double> costs;
    for (const bool asks : c.asks) costs.push_back(asks ? 1 : 0);
    const auto best = AllocateOffline(costs, c.window, Aim::kAbsolute).value();
    EXPECT_LE(LargestWindow(best, c.window.steps), c.window.epsilon);
    const double optimum = Noise(best, c.asks);
    if (optimum == 0) continue;
    double h = 0;
    for (std::size_t k = 1; k <= c.window.steps; ++k) h += 1 / static_cast<double>(k);
    const double ratio = Noise(slack, c.asks) / optimum;
    EXPECT_LE(ratio, 2 * h * 1.001);  // the optimum is known to 0.1 %
    EXPECT_GE(ratio, 0.999);
    if (c.window.steps > 2) closest = std::max(closest, ratio / (2 * h));
  }
  EXPECT_GT(closest, 0.3);  // the bound is not empty
}

// Equal costs on disjoint windows: uniform is the best choice (Cauchy), so the optimum is known.
TEST(StreamAllocationProperty, OfflineFindsTheKnownOptimum) {
  for (std::size_t steps = 1; steps <= 8; ++steps) {
    const auto best = AllocateOffline(std::vector<double>(steps * 5, 1.0), {steps, 1}, Aim::kAbsolute).value();
    double noise = 0;
    for (const double e : best) noise += 1 / e;
    EXPECT_NEAR(noise, static_cast<double>(steps * steps * 5), 1e-3 * static_cast<double>(steps * steps * 5));
  }
}

}  // namespace
}  // namespace kith::stream
