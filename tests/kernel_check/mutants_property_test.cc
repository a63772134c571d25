// The planner's own statements and claims with one thing changed: caught, or harmless as far as neighbours drawn at
// random show.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <map>
#include <set>

#include "kernel/checked_plan.h"
#include "sql/dialect.h"
#include "tests/kernel_check/golden_plans.h"
#include "tests/kernel_check/hostile.h"
#include "tests/kernel_check/mutate.h"
#include "tests/query_bruteforce/cases.h"
#include "tests/support/stat.h"

namespace kith::testing {
namespace {

const std::vector<std::string> kQuestions = {
    "SELECT median(x) FROM t",
    "SELECT g, median(x) FROM t WHERE h = 1 GROUP BY g",
    "SELECT count(*) FROM t WHERE x > 0",
    "SELECT sum(x) FROM t",
    "SELECT g, sum(x) FROM t GROUP BY g",
    "SELECT h, count(*), sum(x) FROM t WHERE g = 'a' GROUP BY h",
    "SELECT avg(x) FROM t WHERE h = 1",
    "SELECT g, h, count(*) FROM t GROUP BY ROLLUP (g, h)",
    "SELECT count(DISTINCT x) FROM t",
    "SELECT g, count(DISTINCT h) FROM t GROUP BY g",
    "SELECT sum(x * x) FROM t WHERE x IS NOT NULL",
    "SELECT sum(CASE WHEN g = 'a' THEN x ELSE h END) FROM t",
    "SELECT count(*) FILTER (WHERE h = 2), sum(abs(x)) FROM t WHERE g <> 'b'",
    "SELECT count(DISTINCT id) FROM t WHERE x > 0",
    "SELECT h, count(DISTINCT id) FROM t GROUP BY h",
    "SELECT sum(n) FROM (SELECT id, count(*) AS n, max(x) AS m FROM t WHERE h = 1 GROUP BY id) AS u WHERE m > 0",
    "SELECT avg(s) FROM (SELECT id, sum(x) AS s FROM t GROUP BY id) AS u",
    "SELECT g, sum(c) FROM (SELECT g, count(*) FILTER (WHERE x > 0) AS c FROM t GROUP BY g) AS u GROUP BY g",
    "SELECT count(*) FROM (SELECT id, x, lag(x) OVER (PARTITION BY id ORDER BY x) AS before FROM t) AS w WHERE x = "
    "before",
    "SELECT sum(r.level) FROM t JOIN r ON t.g = r.code",
    "SELECT count(*) FROM t LEFT JOIN r ON t.g = r.code WHERE r.level > 0",
    "SELECT sum(y) FROM v",
    "SELECT sum(t.x + v.y) FROM t JOIN v ON t.id = v.who",
    "SELECT s, count(*) FROM v GROUP BY s",
    "SELECT count(DISTINCT t.id) FROM t LEFT JOIN v ON t.id = v.who WHERE v.y > 0",
};

struct Rate {
  int made = 0, caught = 0, harmless = 0, unshown = 0, harmful = 0;
};

int Cases(int usual) {
  const char* longer = std::getenv("KITH_MUTANT_CASES");
  return longer != nullptr ? std::atoi(longer) : usual;
}

// A statement under the claim of another: whether anything is exceeded.
std::string FaultOfClaim(const hostile::World& world, const sql::Statement& statement, const check::Claim& claim,
                         Dice& dice, bool& ran) {
  const hostile::Truth truth = hostile::SampledNeighbours(world, {statement, claim}, dice);
  ran = truth.ran;
  check::Found claimed;
  claimed.charged = claim.charged;
  for (const check::ClaimedNumber& number : claim.numbers) {
    const auto moved = [](const Sensitivities& c) { return check::Moved{c.l1().steps(), c.l2_squared(), c.groups()}; };
    claimed.numbers.push_back(
        {moved(number.change), moved(number.presence ? *number.presence : number.change), number.open_levels});
  }
  return hostile::FaultOf(truth, claimed, world.facts);
}

// Changes claims and statements of plans, and counts what becomes of them.
class Mutation {
 public:
  explicit Mutation(Dice& dice) : dice_(dice) {}

  /// `part`: of a hundred mutants of each statement, so many are tried.
  void Try(const hostile::World& world, const Plan& plan, int part = 100) {
    for (const PlanClaim& claimed : ClaimsOf(plan, world.policy.unit.level)) {
      const auto found = check::FindChange(claimed.statement, world.facts, claimed.claim);
      if (!found || !check::Check(claimed.statement, world.facts, claimed.claim)) continue;
      for (const check::Claim& smaller : hostile::Smaller(claimed.claim, *found))
        if (dice_.Chance(part)) TryClaim(world, claimed, smaller);
      const std::string own = sql::DuckDb().Write(claimed.statement);
      for (const Mutant& mutant : MutantsOf(claimed.statement)) {
        if (!dice_.Chance(part)) continue;
        const std::string text = sql::DuckDb().Write(mutant.statement);
        if (text != own && seen_.insert(std::hash<std::string>()(world.text + text)).second)
          TryStatement(world, claimed, mutant, text);
      }
    }
  }

  void Report(const char* of) const {
    std::cout << of << ": claims made smaller: " << claims_.made << ", caught " << claims_.caught << ", still true "
              << claims_.harmless << ", not seen " << claims_.harmful << "\n"
              << "distinct mutants of statements that an engine runs: " << all_.made - all_.unshown << ", caught "
              << all_.caught << ", harmless by those neighbours that were drawn " << all_.harmless << ", not seen "
              << all_.harmful << "; not caught and run by no engine " << all_.unshown << "\n";
    for (const auto& [what, rate] : rates_)
      std::cout << "  " << what << ": " << rate.made << ", caught " << rate.caught << ", harmless " << rate.harmless
                << ", not run " << rate.unshown << "\n";
  }
  const Rate& all() const { return all_; }

 private:
  void TryClaim(const hostile::World& world, const PlanClaim& claimed, const check::Claim& smaller) {
    ++claims_.made;
    if (!check::Check(claimed.statement, world.facts, smaller)) {
      ++claims_.caught;
      return;
    }
    // Where a claim was larger than it had to be, a smaller one may still be true.
    bool ran = false;
    const std::string fault = FaultOfClaim(world, claimed.statement, smaller, dice_, ran);
    ++(fault.empty() ? claims_.harmless : claims_.harmful);
    EXPECT_EQ(fault, "") << world.text << claimed.about << sql::DuckDb().Write(claimed.statement);
  }

  void TryStatement(const hostile::World& world, const PlanClaim& claimed, const Mutant& mutant,
                    const std::string& text) {
    Rate& rate = rates_[mutant.what.substr(0, 9) == "limit by " ? "limit by another column" : mutant.what];
    const auto count = [&](int Rate::*what) {
      ++(rate.*what);
      ++(all_.*what);
    };
    count(&Rate::made);
    if (!check::Check(mutant.statement, world.facts, claimed.claim)) return count(&Rate::caught);
    bool ran = false;
    const std::string fault = FaultOfClaim(world, mutant.statement, claimed.claim, dice_, ran);
    EXPECT_EQ(fault, "") << mutant.what << "\n" << world.text << text;
    count(!fault.empty() ? &Rate::harmful : ran ? &Rate::harmless : &Rate::unshown);
  }

  Dice& dice_;
  std::map<std::string, Rate> rates_;
  Rate all_, claims_;
  std::set<std::size_t> seen_;
};

TEST(KernelCheckMutants, AreCaughtOrHarmless_KERNEL2) {
  Dice dice(stat::SeedForThisTest());
  Mutation mutation(dice);
  for (int i = 0; i < Cases(150); ++i) {
    const hostile::World world(dice);
    if (const auto plan = PlanQuestion(dice.Pick(kQuestions), world.policy)) mutation.Try(world, *plan);
  }
  mutation.Report("chosen questions");
  EXPECT_GT(mutation.all().made, 1000);
  EXPECT_GT(mutation.all().caught, mutation.all().made / 3);
}

// Of every golden question under its own policy, and of random ones under random policies.
TEST(KernelCheckMutants, OfGoldenAndRandomQuestionsAreCaughtOrHarmless_KERNEL2) {
  Dice dice(stat::SeedForThisTest());
  Mutation golden(dice), random(dice);
  const int part = std::min(100, Cases(150) / 30);
  for (const GoldenPlan& of : GoldenPlans())
    if (check::FactsOf(of.policy)) golden.Try(hostile::World(of.policy, of.about), of.plan, part);
  std::size_t refused = 0;
  for (int i = 0; i < 4 * Cases(150); ++i) {
    const Case c = NextCase(
        dice, [&](QuestionMaker& maker) { return i % 2 == 0 ? maker.OneAggregate() : maker.Many(); }, refused,
        i % 4 == 0 ? 45 : 0);
    if (check::FactsOf(c.policy)) random.Try(hostile::World(c.policy, About(c)), c.plan, part);
  }
  golden.Report("golden questions");
  random.Report("random questions");
  EXPECT_GT(golden.all().made, 300);
  EXPECT_GT(golden.all().caught, golden.all().made / 3);
  EXPECT_GT(random.all().made, 300);
  EXPECT_GT(random.all().caught, random.all().made / 3);
}

// The twin: a checker that lets everything pass would be seen, since many of these mutants do harm.
TEST(KernelCheckMutants, MutantsThatDoHarmAreMany_KERNEL2) {
  Dice dice(stat::SeedForThisTest());
  int harmful = 0, caught = 0;
  for (int i = 0; i < 60; ++i) {
    const hostile::World world(dice);
    const auto plan = PlanQuestion(dice.Pick(kQuestions), world.policy);
    if (!plan) continue;
    for (const PlanClaim& claimed : ClaimsOf(*plan, world.policy.unit.level)) {
      for (const Mutant& mutant : MutantsOf(claimed.statement)) {
        bool ran = false;
        if (FaultOfClaim(world, mutant.statement, claimed.claim, dice, ran).empty() || !ran) continue;
        ++harmful;
        const bool passes = check::Check(mutant.statement, world.facts, claimed.claim).has_value();
        EXPECT_FALSE(passes) << mutant.what << "\n" << world.text << sql::DuckDb().Write(mutant.statement);
        caught += passes ? 0 : 1;
      }
    }
  }
  std::cout << "mutants that do harm: " << harmful << ", caught " << caught << "\n";
  EXPECT_GT(harmful, 100);
  EXPECT_EQ(caught, harmful);
}

}  // namespace
}  // namespace kith::testing
