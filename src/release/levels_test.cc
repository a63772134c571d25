#include "release/levels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "kernel/opening.h"
#include "mechanism/noise.h"
#include "tests/support/stat.h"

namespace kith {
namespace {

// Keys with this many values each; a level for every key fewer, if `rolled` keys at the end are rolled up.
Plan PlanOf(const std::vector<std::size_t>& sizes, std::size_t rolled, std::int64_t sensitivity = 7) {
  Plan plan;
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    GroupKey key{"k" + std::to_string(k), {}, false};
    for (std::size_t v = 0; v < sizes[k]; ++v) key.values.emplace_back(static_cast<std::int64_t>(v));
    plan.keys.push_back(std::move(key));
  }
  for (std::size_t level = 0; level <= rolled; ++level) {
    plan.levels.emplace_back(sizes.size(), false);
    for (std::size_t k = 0; k + level < sizes.size(); ++k) plan.levels.back()[k] = true;
  }
  plan.statistics.push_back({"count(*)", {}, Sensitivities::OfL1(sensitivity).value(), "by hand"});
  return plan;
}

bool IsPartOf(const Plan& plan, std::size_t part, std::size_t total) {
  const auto a = plan.PlaceOf(part).keys, b = plan.PlaceOf(total).keys;
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (b[k] && a[k] != b[k]) return false;
  }
  return true;
}

TEST(Levels, GroupsAreNumberedLevelByLevelAndShownTotalsLast) {
  const Plan plan = PlanOf({2, 3}, 2);
  EXPECT_EQ(plan.finest_groups(), 6u);
  EXPECT_EQ(plan.groups(), 9u);
  EXPECT_EQ(plan.PlaceOf(5).keys, (std::vector<std::optional<std::size_t>>{1, 2}));
  EXPECT_EQ(plan.PlaceOf(7).keys, (std::vector<std::optional<std::size_t>>{1, std::nullopt}));
  EXPECT_EQ(plan.PlaceOf(8).level, 2u);
  EXPECT_EQ(plan.ShownKeys(7), (std::vector<Value>{std::int64_t{1}, std::string("(all)")}));
  EXPECT_EQ(ShownOrder(plan), (std::vector<std::size_t>{0, 1, 2, 6, 3, 4, 5, 7, 8}));
}

TEST(Levels, TotalsAreExactSumsBeforeTheNoise) {
  const Plan plan = PlanOf({2, 3}, 2);
  NoisyGroups groups = {{1}, {2}, {3}, {10}, {20}, {30}};
  AddLevels(plan, groups);
  EXPECT_EQ(groups, (NoisyGroups{{1}, {2}, {3}, {10}, {20}, {30}, {6}, {60}, {66}}));
}

// All levels of two keys: a total is the sum of two kinds of parts.
Plan Cube() {
  Plan plan = PlanOf({2, 3}, 0);
  plan.levels = {{true, true}, {true, false}, {false, true}, {false, false}};
  return plan;
}

TEST(Levels, LevelsOfACubeAreExactSumsAndKeepTheirNoise_LEVEL1) {
  const Plan plan = Cube();
  EXPECT_FALSE(plan.InAChain());
  EXPECT_TRUE(PlanOf({2, 3}, 2).InAChain());
  NoisyGroups groups = {{1}, {2}, {3}, {10}, {20}, {30}};
  AddLevels(plan, groups);
  EXPECT_EQ(groups, (NoisyGroups{{1}, {2}, {3}, {10}, {20}, {30}, {6}, {60}, {11}, {22}, {33}, {66}}));
  groups[6][0] = 7;
  const NoisyGroups noisy = groups;
  MakeConsistent(plan, groups);
  EXPECT_EQ(groups, noisy);
  EXPECT_EQ(ShownOrder(plan), (std::vector<std::size_t>{0, 1, 2, 6, 3, 4, 5, 7, 8, 9, 10, 11}));
  // A single number with Laplace noise.
  const LevelBar bar = LevelErrorBar(plan, 1, 0.95);
  EXPECT_NEAR(bar.by_scale, std::log(20), 1e-9);
  EXPECT_EQ(LevelErrorBar(plan, 3, 0.95, {false, false, false, true}).by_scale, 0);
}

using Numbers = std::vector<Int128>;

Numbers Consistent(const Plan& plan, const Numbers& noisy) {
  NoisyGroups groups;
  for (const Int128 x : noisy) groups.push_back({x});
  MakeConsistent(plan, groups);
  Numbers result;
  for (const auto& group : groups) result.push_back(group[0]);
  return result;
}

std::vector<Plan> Shapes() {
  return {PlanOf({2, 3}, 2), PlanOf({4, 1, 5}, 3), PlanOf({3, 2, 2, 2}, 2), PlanOf({6}, 1), PlanOf({1}, 1)};
}

TEST(Levels, AfterTheNoiseTotalsAreSumsAgain_LEVEL2) {
  std::mt19937_64 dice(stat::SeedForThisTest());
  std::uniform_int_distribution<std::int64_t> number(-1000, 1000);
  for (const Plan& plan : Shapes()) {
    for (int round = 0; round < 50; ++round) {
      Numbers noisy;
      for (std::size_t g = 0; g < plan.groups(); ++g) noisy.push_back(number(dice));
      const Numbers best = Consistent(plan, noisy);
      for (std::size_t total = plan.finest_groups(); total < plan.groups(); ++total) {
        Int128 sum = 0;
        for (std::size_t part = 0; part < plan.finest_groups(); ++part)
          sum += IsPartOf(plan, part, total) ? best[part] : 0;
        ASSERT_EQ(sum, best[total]);
      }
    }
  }
}

// The nearest point of a subspace: what is left over is orthogonal to it. A finest group with all its totals spans it.
// Numbers are large, so that rounding to whole ones does not show.
double LargestRest(const Plan& plan, const Numbers& noisy, const Numbers& best) {
  double largest = 0;
  for (std::size_t fine = 0; fine < plan.finest_groups(); ++fine) {
    Int128 rest = 0;
    for (std::size_t g = 0; g < plan.groups(); ++g) {
      if (g == fine || (g >= plan.finest_groups() && IsPartOf(plan, fine, g))) rest += noisy[g] - best[g];
    }
    largest = std::max(largest, std::abs(static_cast<double>(rest)));
  }
  return largest;
}

TEST(Levels, TheyAreTheNearestNumbersThatAddUp) {
  std::mt19937_64 dice(stat::SeedForThisTest());
  std::uniform_int_distribution<std::int64_t> number(-1'000'000'000'000, 1'000'000'000'000);
  for (const Plan& plan : Shapes()) {
    Numbers noisy;
    for (std::size_t g = 0; g < plan.groups(); ++g) noisy.push_back(number(dice));
    EXPECT_LE(LargestRest(plan, noisy, Consistent(plan, noisy)), 100);
  }
}

// Keeping the finest numbers and adding them up is also consistent, but not nearest.
TEST(Levels, TheCheckAboveSeesFineNumbersThatAreKept) {
  std::mt19937_64 dice(stat::SeedForThisTest());
  std::uniform_int_distribution<std::int64_t> number(-1'000'000'000'000, 1'000'000'000'000);
  for (const Plan& plan : Shapes()) {
    Numbers noisy;
    for (std::size_t g = 0; g < plan.groups(); ++g) noisy.push_back(number(dice));
    Numbers summed(noisy.begin(), noisy.begin() + static_cast<std::ptrdiff_t>(plan.finest_groups()));
    NoisyGroups groups;
    for (const Int128 x : summed) groups.push_back({x});
    AddLevels(plan, groups);
    for (std::size_t g = summed.size(); g < groups.size(); ++g) summed.push_back(groups[g][0]);
    EXPECT_GT(LargestRest(plan, noisy, summed), 1e6);
  }
}

TEST(Levels, WhatAddsUpStaysAndPublicTotalsAreLeftAlone) {
  const Plan plan = PlanOf({2, 3}, 2);
  const Numbers sums = {1, 2, 3, 10, 20, 30, 6, 60, 66};
  EXPECT_EQ(Consistent(plan, sums), sums);
  const Numbers odd = {1, 2, 3, 10, 20, 30, 6, 60, 67};
  EXPECT_EQ(Consistent(PlanOf({2, 3}, 2, 0), odd), odd);
}

Plan WithOpen(Plan plan, std::vector<bool> open) {
  plan.statistics[0].open_levels = std::move(open);
  return plan;
}

// Totals without noise stay exactly as they are, and the parts are fitted to them.
TEST(Levels, OpenTotalsStayAndPartsAddUpToThem_LEVEL2) {
  std::mt19937_64 dice(stat::SeedForThisTest());
  std::uniform_int_distribution<std::int64_t> number(-1000, 1000);
  const Plan plan = PlanOf({2, 3}, 2);
  const Plan top = WithOpen(plan, {false, false, true}), upper = WithOpen(plan, {false, true, true});
  for (int round = 0; round < 50; ++round) {
    Numbers noisy;
    for (std::size_t g = 0; g < plan.groups(); ++g) noisy.push_back(number(dice));
    const Numbers one = Consistent(top, noisy);
    ASSERT_EQ(one[8], noisy[8]);
    ASSERT_EQ(one[6] + one[7], one[8]);
    ASSERT_EQ(one[0] + one[1] + one[2], one[6]);
    noisy[8] = noisy[6] + noisy[7];  // exact totals add up
    const Numbers two = Consistent(upper, noisy);
    for (const std::size_t total : {6u, 7u, 8u}) ASSERT_EQ(two[total], noisy[total]);
    ASSERT_EQ(two[3] + two[4] + two[5], two[7]);
  }
}

// How often the number of a group is within its bar, of `rounds`.
int Covered(const Plan& plan, std::size_t group, double share_of_bar, int rounds) {
  stat::SeededBits bits(stat::SeedForThisTest());
  const auto law = Noise::For(plan.statistics[0].change, PlainUnits::Of(std::int64_t{1} << 31)).value();
  const double scale = static_cast<double>(plan.statistics[0].change.l1().steps()) / 0.5;
  const std::vector<bool>& open = plan.statistics[0].open_levels;
  const LevelBar bar = LevelErrorBar(plan, plan.PlaceOf(group).level, 0.95, open);
  const double limit = share_of_bar * (bar.by_scale * scale + bar.fixed);
  int covered = 0;
  for (int round = 0; round < rounds; ++round) {
    Numbers noisy;
    for (std::size_t g = 0; g < plan.groups(); ++g)
      noisy.push_back(plan.statistics[0].NoisyIn(plan.PlaceOf(g).level) ? law.Release(0, bits) : 0);
    covered += std::abs(static_cast<double>(Consistent(plan, noisy)[group])) <= limit ? 1 : 0;
  }
  return covered;
}

// Below 95 % of 4,000 by six standard deviations and more: chance 1e-9 (Hoeffding: exp(-2 * 4000 * 0.051^2)).
constexpr int kRounds = 4000, kFewest = 3596;

TEST(Levels, BarsHoldAsOftenAsTheySay_LEVEL3) {
  const Plan plan = PlanOf({3, 4}, 2, 1000);
  for (const std::size_t group : {std::size_t{0}, std::size_t{13}, std::size_t{15}}) {
    EXPECT_GT(Covered(plan, group, 1, kRounds), kFewest) << group;
  }
  EXPECT_GT(Covered(PlanOf({5}, 1, 1), 5, 1, kRounds), kFewest);
  const Plan open = WithOpen(plan, {false, false, true});
  EXPECT_GT(Covered(open, 0, 1, kRounds), kFewest);
  EXPECT_GT(Covered(open, 13, 1, kRounds), kFewest);
  EXPECT_LT(Covered(open, 13, 0.66, kRounds), kFewest);
}

TEST(Levels, OpenTotalsHaveNoBarAndShortenThoseOfTheirParts) {
  const Plan plan = PlanOf({3, 4}, 2, 1000);
  const std::vector<bool> open = {false, true, true};
  EXPECT_EQ(LevelErrorBar(plan, 1, 0.95, open).by_scale, 0);
  EXPECT_EQ(LevelErrorBar(plan, 2, 0.95, open).fixed, 0);
  EXPECT_LT(LevelErrorBar(plan, 0, 0.95, open).by_scale, LevelErrorBar(plan, 0, 0.95).by_scale);
}

TEST(Levels, TheCheckAboveSeesBarsOfTwoThirds) {
  const Plan plan = PlanOf({3, 4}, 2, 1000);
  for (const std::size_t group : {std::size_t{0}, std::size_t{13}, std::size_t{15}}) {
    EXPECT_LT(Covered(plan, group, 0.66, kRounds), kFewest) << group;
  }
}

// Least squares makes every number more precise than only its own noise.
TEST(Levels, BarsAreShorterThanWithoutTheOtherLevels) {
  const Plan plan = PlanOf({3, 4}, 2, 1000);
  const double alone = -std::log(0.05);
  for (std::size_t level = 0; level < 3; ++level) {
    EXPECT_LT(LevelErrorBar(plan, level, 0.95).by_scale, alone) << level;
    EXPECT_GT(LevelErrorBar(plan, level, 0.95).by_scale, 0.5 * alone) << level;
  }
}

}  // namespace
}  // namespace kith
