// TOTAL-1 by trying everything: what a plan calls a public fact is the same for all records that one unit could have.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/query_bruteforce/cases.h"
#include "tests/support/stat.h"
#include "tests/support/tiny_db_engine.h"
#include "tests/support/tiny_db_neighbours.h"

namespace kith::testing {
namespace {

/// By how much one record can change the only statistic of the question.
long double Change(const Policy& policy, const std::string& sql) {
  const auto plan = PlanQuestion(sql, policy).value();
  const Question question = ParseQuestion(sql);
  return TryAllNeighbours(policy, Reference(policy, question, AggregatesOf(question), ImagesOf(plan), {PublicTable()}),
                          {2000, 4, 4})
      .sensitivity.at(0);
}

std::string RandomCount(const Policy& policy, Dice& dice) {
  return policy.unit.key && dice.Chance(60) ? "count(DISTINCT id)" : "count(*)";
}

std::string RandomCondition(Dice& dice) {
  return dice.Pick<std::string>({"", " WHERE g = 'a'", " WHERE h > 1", " WHERE g IS NOT NULL AND h IN (1, 2)",
                                 " WHERE b", " WHERE x > 0 OR g = 'b'"});
}

TEST(PublicTotals, CountsThatAreFreeNeverChange_TOTAL1) {
  Dice dice(stat::SeedForThisTest());
  int free = 0, of_units = 0, of_rows = 0;
  const char* longer = std::getenv("KITH_BOUND_CASES");
  const int cases = longer != nullptr ? std::atoi(longer) : 1200;
  for (int i = 0; i < cases; ++i) {
    const Policy policy = Policy::Parse(RandomPolicy(dice, i % 2 == 0 ? 45 : 0), "random.toml").value();
    const std::string count = RandomCount(policy, dice),
                      by = dice.Pick<std::string>({"", " GROUP BY g", " GROUP BY h", " GROUP BY g, h"}),
                      sql = "SELECT " + count + " FROM t" + RandomCondition(dice) + by;
    const auto plan = PlanQuestion(sql, policy);
    ASSERT_TRUE(plan.has_value()) << sql << plan.error().Text();
    if (!plan->noisy().empty()) continue;
    EXPECT_EQ(Change(policy, sql), 0) << sql;
    ++free;
    if (policy.unit.max_rows == 1) continue;
    ++(count == "count(*)" ? of_rows : of_units);
  }
  EXPECT_GT(free, cases / 15);
  EXPECT_GT(of_units, cases / 60);
  EXPECT_GT(of_rows, cases / 400);  // where a column is public per row
}

struct OpenLevels {
  int open = 0, changed = 0;         // levels without noise, and those of them that change
  int secret = 0, secret_moved = 0;  // levels with noise
};

/// Levels of ROLLUP: the same numbers as without the keys that they leave out.
OpenLevels LookAtLevels(int cases) {
  Dice dice(stat::SeedForThisTest());
  OpenLevels levels;
  for (int i = 0; i < cases; ++i) {
    const Policy policy = Policy::Parse(RandomPolicy(dice), "random.toml").value();
    const std::string where = RandomCondition(dice), from = "SELECT count(*) FROM t" + where;
    const auto plan = PlanQuestion(from + " GROUP BY ROLLUP (g, h)", policy);
    EXPECT_TRUE(plan.has_value());
    if (!plan) continue;
    const Statistic& count = plan->statistics.at(0);
    for (std::size_t level = 0; count.noisy() && level < 3; ++level) {
      const bool noisy = count.NoisyIn(level);
      const std::string by = level == 0 ? " GROUP BY g, h" : level == 1 ? " GROUP BY g" : "";
      const int changes = Change(policy, from + by) > 0 ? 1 : 0;
      EXPECT_TRUE(noisy || changes == 0) << from << by;
      ++(noisy ? levels.secret : levels.open);
      (noisy ? levels.secret_moved : levels.changed) += changes;
    }
  }
  return levels;
}

// Levels that get no noise.
TEST(PublicTotals, OpenLevelsNeverChange_TOTAL1) {
  const OpenLevels levels = LookAtLevels(600);
  EXPECT_EQ(levels.changed, 0);
  EXPECT_GT(levels.open, 50);
}

// Levels that are called open although they are not: more than half of them are seen.
TEST(PublicTotals, TheCheckAboveSeesLevelsThatAreNotOpen) {
  const OpenLevels levels = LookAtLevels(200);
  EXPECT_GT(levels.secret, 100);
  EXPECT_GT(levels.secret_moved, levels.secret / 2);
}

// The twin: units that may be missing, rows instead of units, a secret in WHERE, a secret group.
TEST(PublicTotals, TheCheckAboveSeesCountsThatAreNotFree) {
  Dice dice(stat::SeedForThisTest());
  int tried = 0, seen = 0;
  while (tried < 200) {
    const Policy policy = Policy::Parse(RandomPolicy(dice), "random.toml").value();
    const std::string sql = "SELECT " + RandomCount(policy, dice) + " FROM t" + RandomCondition(dice);
    if (PlanQuestion(sql, policy).value().noisy().empty()) continue;
    ++tried;
    seen += Change(policy, sql) > 0 ? 1 : 0;
  }
  EXPECT_GT(seen, 150);
}

}  // namespace
}  // namespace kith::testing
