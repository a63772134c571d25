// Writes statements of the tests as the checker extracted from proofs/Moves.v reads them, each with what the kernel's
// checker found: tests/proofs/statements.py compares. One line each:
//   K id l1 l2_squared presence_l1 presence_l2_squared persons   what the kernel found of a number; persons of a
//                                                                household that may all change, or 0
//   Q id tokens                                          the same number in one cell
//   F id tokens                                          with a planted fault: without its outermost clamp
//   O id reason                                          outside of the proved checker's syntax
//   R id                                                 refused by the kernel's checker
#include <cstdlib>
#include <iostream>

#include "kernel/checked_plan.h"
#include "tests/kernel_check/golden_plans.h"
#include "tests/kernel_check/hostile.h"
#include "tests/kernel_check/in_syntax.h"
#include "tests/query_bruteforce/cases.h"

namespace kith::testing {
namespace {

void WriteNumbers(const std::string& name, const sql::Statement& statement, const check::Facts& facts,
                  const check::Claim& claim) {
  const auto found = check::FindChange(statement, facts, claim);
  if (!found) {
    std::cout << "R " << name << "\n";
    return;
  }
  for (std::size_t k = 0; k < found->numbers.size(); ++k) {
    const std::string id = name + "." + std::to_string(k);
    try {
      std::string lines;
      for (const CellValues& cell : CellsOf(facts, 64))
        lines += "Q " + id + " " + Translate(statement, facts, claim, k, cell).Text() + "\n";
      const auto& [change, presence, open] = found->numbers[k];
      std::cout << "K " << id << " " << ToText(change.l1) << " " << ToText(change.l2_squared) << " "
                << ToText(presence.l1) << " " << ToText(presence.l2_squared) << " "
                << (claim.use.of_households ? facts.household : 0) << "\n"
                << lines;
    } catch (const Outside& why) {
      std::cout << "O " << id << " " << why.what() << "\n";
      continue;
    }
    try {
      std::string lines;
      for (const CellValues& cell : CellsOf(facts, 64))
        lines += "F " + id + " " + Translate(statement, facts, claim, k, cell, true).Text() + "\n";
      std::cout << lines;
    } catch (const Outside&) {  // nothing is clamped
    }
  }
}
void WritePlan(const std::string& name, const Policy& policy, const Plan& plan) {
  const auto facts = check::FactsOf(policy);
  if (!facts) return;
  std::size_t k = 0;
  for (const PlanClaim& claimed : ClaimsOf(plan, policy.unit.level))
    WriteNumbers(name + "." + std::to_string(k++), claimed.statement, *facts, claimed.claim);
}

void WriteGolden() {
  int number = 0;
  for (const GoldenPlan& golden : GoldenPlans())
    WritePlan("golden" + std::to_string(number++), golden.policy, golden.plan);
}

void WriteRandom(int cases) {
  Dice dice(1);
  std::size_t refused = 0;
  for (int i = 0; i < cases; ++i) {
    const auto ask = [&](QuestionMaker& maker) {
      return i % 3 == 0 ? maker.Simple() : i % 3 == 1 ? maker.OneAggregate() : maker.Many();
    };
    const Case c = NextCase(dice, ask, refused, i % 4 == 0 ? 45 : 0);
    WritePlan("random" + std::to_string(i), c.policy, c.plan);
  }
  for (int i = 0; i < 2 * cases; ++i) {
    const hostile::World world(dice);
    const hostile::Asked asked = hostile::RandomStatement(world, dice);
    WriteNumbers("hostile" + std::to_string(i), asked.statement, world.facts, asked.claim);
  }
}

}  // namespace
}  // namespace kith::testing

int main(int count, char** words) {
  kith::testing::WriteGolden();
  kith::testing::WriteRandom(count > 1 ? std::atoi(words[1]) : 2000);
  return 0;
}
