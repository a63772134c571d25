// A planner that is an enemy: random statements, far beyond what the planner writes, over random policies. Whatever the
// checker finds is compared with what records drawn at random do to tiny tables. And the same statements with claims
// made smaller, of which none may pass.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <map>

#include "kernel/check/check.h"
#include "tests/kernel_check/hostile.h"
#include "tests/support/stat.h"

namespace kith::testing {
namespace {

int Cases(int usual) {
  const char* longer = std::getenv("KITH_HOSTILE_CASES");
  return longer != nullptr ? std::atoi(longer) : usual;
}

struct Score {
  int tried = 0, refused = 0, accepted = 0, moved = 0, reached = 0, charged_less = 0, not_run = 0;
  std::map<std::string, int> reasons;

  void Print(const char* what) const {
    std::cout << what << ": " << tried << " statements, " << accepted << " accepted (" << not_run
              << " of them cannot be run), " << moved << " of them moved by some neighbour, " << reached
              << " by as much as was found, " << charged_less << " do not charge all cells\n";
    if (std::getenv("KITH_SHOW"))
      for (const auto& [why, times] : reasons) std::cout << "  " << times << " x " << why << "\n";
  }
};

TEST(KernelCheckHostile, NoAcceptedStatementMovesByMoreThanWasFound_KERNEL1) {
  Dice dice(stat::SeedForThisTest());
  Score score;
  int faults = 0;
  for (int i = 0; i < Cases(4000); ++i) {
    const hostile::World world(dice);
    const hostile::Asked asked = hostile::RandomStatement(world, dice);
    ++score.tried;
    const auto found = check::FindChange(asked.statement, world.facts, asked.claim);
    if (!found) {
      ++score.refused;
      ++score.reasons[found.error().where];
      continue;
    }
    ++score.accepted;
    const hostile::Truth truth = hostile::SampledNeighbours(world, asked, dice);
    if (!truth.ran) {
      ++score.not_run;
      ++score.reasons[truth.why_not];
      continue;
    }
    const std::string fault = hostile::FaultOf(truth, *found, world.facts);
    EXPECT_EQ(fault, "") << "case " << i << "\n" << hostile::About(world, asked);
    if (!fault.empty() && ++faults == 20) break;  // enough to see what they have in common
    bool moved = false, reached = false, all = true;
    for (std::size_t k = 0; k < found->numbers.size(); ++k) {
      moved = moved || truth.numbers[k].l1 > 0;
      reached = reached || (truth.numbers[k].l1 > 0 && truth.numbers[k].l1 == found->numbers[k].change.l1);
    }
    for (const bool cell : found->charged) all = all && cell;
    score.moved += moved ? 1 : 0;
    score.reached += reached ? 1 : 0;
    score.charged_less += all ? 0 : 1;
  }
  score.Print("hostile planner");
  EXPECT_GT(score.accepted, score.tried / 8);
  EXPECT_GT(score.moved, score.accepted / 3);
}

// The twin: what was found, made smaller by a planted fault, is exceeded by many of the same statements.
TEST(KernelCheckHostile, TheCheckAboveSeesSmallerBounds_KERNEL1) {
  Dice dice(stat::SeedForThisTest());
  int halved = 0, l2 = 0, groups = 0, cells = 0, coming = 0;
  for (int i = 0; i < 3000; ++i) {
    const hostile::World world(dice);
    const hostile::Asked asked = hostile::RandomStatement(world, dice);
    const auto found = check::FindChange(asked.statement, world.facts, asked.claim);
    if (!found) continue;
    const hostile::Truth truth = hostile::SampledNeighbours(world, asked, dice);
    if (!truth.ran) continue;
    const auto seen = [&](auto plant) {
      check::Found planted = *found;
      for (auto& number : planted.numbers) plant(number);
      return !hostile::FaultOf(truth, planted, world.facts).empty() ? 1 : 0;
    };
    halved += seen([](check::Found::Of& of) { of.change.l1 /= 2; });
    l2 += seen([](check::Found::Of& of) { of.change.l2_squared /= 2; });
    groups += seen([](check::Found::Of& of) { of.change.groups -= of.change.groups > 0 ? 1 : 0; });
    coming += seen([](check::Found::Of& of) { of.presence.l1 -= of.presence.l1 > 0 ? 1 : 0; });
    check::Found uncharged = *found;
    uncharged.charged.assign(uncharged.charged.size(), false);
    cells += hostile::FaultOf(truth, uncharged, world.facts).empty() ? 0 : 1;
  }
  std::cout << "planted: halved " << halved << ", L2 " << l2 << ", groups " << groups << ", presence " << coming
            << ", cells " << cells << "\n";
  EXPECT_GT(halved, 100);
  EXPECT_GT(l2, 100);
  EXPECT_GT(groups, 100);
  EXPECT_GT(coming, 50);
  EXPECT_GT(cells, 100);
}

// A claim that is smaller than what was found, in any part, does not pass; the claim that was found does.
TEST(KernelCheckHostile, SmallerClaimsDoNotPass_KERNEL2) {
  Dice dice(stat::SeedForThisTest());
  int passed = 0, refused = 0;
  for (int i = 0; i < 4000; ++i) {
    const hostile::World world(dice);
    const hostile::Asked asked = hostile::RandomStatement(world, dice);
    const auto found = check::FindChange(asked.statement, world.facts, asked.claim);
    if (!found) continue;
    const auto honest = hostile::ClaimOf(asked.claim, *found);
    if (!honest) continue;
    EXPECT_TRUE(check::Check(asked.statement, world.facts, *honest)) << hostile::About(world, asked);
    ++passed;
    for (const check::Claim& smaller : hostile::Smaller(*honest, *found)) {
      EXPECT_FALSE(check::Check(asked.statement, world.facts, smaller)) << hostile::About(world, asked);
      ++refused;
    }
  }
  EXPECT_GT(passed, 300);
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace kith::testing
