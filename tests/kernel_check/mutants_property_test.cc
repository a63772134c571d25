// The planner's own statements and claims with one thing changed: caught, or harmless as far as neighbours drawn at
// random show.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <map>
#include <set>

#include "sql/dialect.h"
#include "tests/kernel_check/hostile.h"
#include "tests/kernel_check/mutate.h"
#include "tests/kernel_check/plan_claims.h"
#include "tests/support/stat.h"

namespace kith::testing {
namespace {

const std::vector<std::string> kQuestions = {
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

// A statement under the claim of another: whether anything is exceeded.
std::string FaultOfClaim(const hostile::World& world, const sql::Statement& statement, const check::Claim& claim,
                         Dice& dice, bool& ran) {
  const hostile::Truth truth = hostile::SampledNeighbours(world, {statement, claim}, dice);
  ran = truth.ran;
  check::Found claimed;
  claimed.charged = claim.charged;
  for (const check::ClaimedNumber& number : claim.numbers) {
    const auto moved = [](const Change& c) { return check::Moved{c.l1().steps(), c.l2_squared(), c.groups()}; };
    claimed.numbers.push_back(
        {moved(number.change), moved(number.presence ? *number.presence : number.change), number.open_levels});
  }
  return hostile::FaultOf(truth, claimed, world.facts);
}

TEST(KernelCheckMutants, AreCaughtOrHarmless_KERNEL2) {
  Dice dice(stat::SeedForThisTest());
  const char* longer = std::getenv("KITH_MUTANT_CASES");
  std::map<std::string, Rate> rates;
  Rate all, claims;
  std::set<std::string> seen;
  for (int i = 0; i < (longer ? std::atoi(longer) : 150); ++i) {
    const hostile::World world(dice);
    const auto plan = PlanQuestion(dice.Pick(kQuestions), world.policy);
    if (!plan) continue;
    for (const Claimed& claimed : ClaimsOf(*plan)) {
      if (claimed.claim.use.rank || !check::Check(claimed.statement, world.facts, claimed.claim)) continue;
      const auto found = check::FindChange(claimed.statement, world.facts, claimed.claim).value();
      for (const check::Claim& smaller : hostile::Smaller(claimed.claim, found)) {
        ++claims.made;
        if (!check::Check(claimed.statement, world.facts, smaller)) {
          ++claims.caught;
          continue;
        }
        // Where a claim was larger than it had to be, a smaller one may still be true.
        bool ran = false;
        const std::string fault = FaultOfClaim(world, claimed.statement, smaller, dice, ran);
        ++(fault.empty() ? claims.harmless : claims.harmful);
        EXPECT_EQ(fault, "") << world.text << claimed.about << sql::DuckDb().Write(claimed.statement);
      }
      for (const Mutant& mutant : MutantsOf(claimed.statement)) {
        const std::string text = sql::DuckDb().Write(mutant.statement);
        if (!seen.insert(world.text + text).second || text == sql::DuckDb().Write(claimed.statement)) continue;
        Rate& rate = rates[mutant.what.substr(0, 9) == "limit by " ? "limit by another column" : mutant.what];
        ++rate.made;
        ++all.made;
        if (!check::Check(mutant.statement, world.facts, claimed.claim)) {
          ++rate.caught;
          ++all.caught;
          continue;
        }
        bool ran = false;
        const std::string fault = FaultOfClaim(world, mutant.statement, claimed.claim, dice, ran);
        EXPECT_EQ(fault, "") << mutant.what << "\n" << world.text << text;
        ++(!fault.empty() ? rate.harmful : ran ? rate.harmless : rate.unshown);
        ++(!fault.empty() ? all.harmful : ran ? all.harmless : all.unshown);
      }
    }
  }
  std::cout << "claims made smaller: " << claims.made << ", caught " << claims.caught << ", still true "
            << claims.harmless << ", not seen " << claims.harmful << "\n"
            << "distinct mutants of statements: " << all.made << ", caught " << all.caught
            << ", harmless by those neighbours that were drawn " << all.harmless << ", not run by an engine "
            << all.unshown << ", not seen " << all.harmful << "\n";
  for (const auto& [what, rate] : rates)
    std::cout << "  " << what << ": " << rate.made << ", caught " << rate.caught << ", harmless " << rate.harmless
              << ", not run " << rate.unshown << "\n";
  EXPECT_GT(all.made, 1000);
  EXPECT_GT(all.caught, all.made / 3);
}

// The twin: a checker that lets everything pass would be seen, since many of these mutants do harm.
TEST(KernelCheckMutants, MutantsThatDoHarmAreMany_KERNEL2) {
  Dice dice(stat::SeedForThisTest());
  int harmful = 0, caught = 0;
  for (int i = 0; i < 60; ++i) {
    const hostile::World world(dice);
    const auto plan = PlanQuestion(dice.Pick(kQuestions), world.policy);
    if (!plan) continue;
    for (const Claimed& claimed : ClaimsOf(*plan)) {
      if (claimed.claim.use.rank) continue;
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
