// PLAN-5 by trying everything: groups that a plan leaves out because of WHERE have no row that passes, whatever a
// record is made of. The reference throws as soon as a row that counts has a value that the plan does not list.
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <stdexcept>

#include "tests/query_bruteforce/cases.h"
#include "tests/support/stat.h"
#include "tests/support/tiny_db_engine.h"
#include "tests/support/tiny_db_neighbours.h"

namespace kith::testing {
namespace {

std::string RandomKey(Dice& dice) {
  return dice.Pick<std::string>({"g", "h", "b", "x", "d", "k", "extract(month FROM d)", "x % 2", "h * 2",
                                 "width_bucket(y, 0, 4, 4)", "floor(y / 2) * 2", "round(y)", "extract(day FROM d)",
                                 "CASE WHEN x < 1 THEN 'low' ELSE 'high' END",
                                 "CASE WHEN g = 'a' THEN 1 WHEN h = 2 THEN 2 ELSE 3 END", "coalesce(g, 'none')",
                                 "date_trunc('month', d)", "x > 1"});
}

std::string RandomTerm(Dice& dice) {
  return dice.Pick<std::string>({"x < 2",
                                 "x >= 1",
                                 "x BETWEEN 0 AND 1",
                                 "x <> 1",
                                 "x % 2 = 0",
                                 "x IS NULL",
                                 "g = 'a'",
                                 "g <> 'b'",
                                 "g IN ('a', 'ab')",
                                 "g LIKE 'a%'",
                                 "g IS NOT NULL",
                                 "g IS DISTINCT FROM 'a'",
                                 "h > 1",
                                 "h IN (1, 4)",
                                 "b",
                                 "NOT b",
                                 "b IS NOT TRUE",
                                 "d < DATE '2020-02-29'",
                                 "d >= DATE '2020-03-01'",
                                 "extract(month FROM d) = 2",
                                 "k = DATE '2020-02-29'",
                                 "k IS NULL",
                                 "z > 0",
                                 "y < 1.5",
                                 "y > 2",
                                 "x < h",
                                 "h * 2 = 4",
                                 "coalesce(g, 'none') <> 'none'"});
}

std::string RandomWhere(Dice& dice) {
  std::string where = RandomTerm(dice);
  for (int more = dice.Between(0, 2); more > 0; --more) {
    const std::string sign = dice.Chance(70) ? " AND " : " OR ";
    where = "(" + where + sign + RandomTerm(dice) + ")";
  }
  return dice.Chance(15) ? "NOT " + where : where;
}

struct Asked {
  Case with_where;
  std::size_t all_groups = 0;  // without WHERE
};

Asked Next(Dice& dice) {
  for (;;) {
    std::size_t refused = 0;
    std::string key = RandomKey(dice), all;
    const auto ask = [&](QuestionMaker&) {
      key = RandomKey(dice);
      all = "SELECT count(*) FROM t GROUP BY " + key;
      return "SELECT count(*) FROM t WHERE " + RandomWhere(dice) + " GROUP BY " + key;
    };
    Case c = NextCase(dice, ask, refused);
    const auto whole = PlanQuestion(all, c.policy);
    if (whole) return {std::move(c), whole->groups()};
  }
}

/// True if some record has a row that passes and is in no group.
bool MissesAGroup(const Case& c) {
  const Question question = ParseQuestion(c.sql);
  try {
    TryAllNeighbours(c.policy, Reference(c.policy, question, AggregatesOf(question), ImagesOf(c.plan), {PublicTable()}),
                     {2000, 4});
  } catch (const std::runtime_error&) {
    return true;
  }
  return false;
}

TEST(ImpossibleGroups, NoRowThatPassesIsInAGroupThatIsLeftOut_PLAN5) {
  Dice dice(stat::SeedForThisTest());
  int fewer = 0;
  const char* longer = std::getenv("KITH_BOUND_CASES");
  const int cases = longer != nullptr ? std::atoi(longer) : 600;
  for (int i = 0; i < cases; ++i) {
    const Asked asked = Next(dice);
    EXPECT_LE(asked.with_where.plan.groups(), asked.all_groups) << About(asked.with_where);
    if (asked.with_where.plan.groups() < asked.all_groups) ++fewer;
    EXPECT_FALSE(MissesAGroup(asked.with_where)) << About(asked.with_where);
  }
  EXPECT_GT(fewer, cases / 10);  // the rule is at work
}

// The twin: one group too many is left out.
TEST(ImpossibleGroups, TheCheckAboveSeesAGroupThatIsMissing) {
  Dice dice(stat::SeedForThisTest());
  int seen = 0, tried = 0;
  while (tried < 100) {
    Case c = Next(dice).with_where;
    std::vector<Value>& values = c.plan.keys.at(0).values;
    if (values.size() < 2) continue;
    ++tried;
    values.erase(values.begin() + static_cast<std::ptrdiff_t>(dice.Below(values.size())));
    if (MissesAGroup(c)) ++seen;
  }
  EXPECT_GT(seen, 50);
}

/// Groups by two keys that hold rows that pass, of all rows made of values that matter.
std::set<std::size_t> GroupsWithRows(const Case& c) {
  const Question question = ParseQuestion(c.sql);
  const Reference reference(c.policy, question, AggregatesOf(question), ImagesOf(c.plan), {PublicTable()});
  const TinyTable table = EmptyTable(c.policy.unit_table());
  std::vector<std::vector<Datum>> lists(table.columns.size(), {NullDatum()});
  for (const std::size_t i : UsedColumns(c.policy.unit_table(), reference))
    lists[i] = Candidates(c.policy.unit_table().columns[i], LiteralsOf(reference));
  std::set<std::size_t> groups;
  Row row(table.columns.size());
  ForEachTuple(lists, row, 0, [&](const Row& raw) {
    const RowEffect effect = reference.Effect(table, raw);
    if (effect.counted) groups.insert(effect.group);
  });
  return groups;
}

Case NextWithTwoKeys(Dice& dice) {
  std::size_t refused = 0;
  return NextCase(
      dice,
      [&](QuestionMaker&) {
        const std::string where = dice.Chance(70) ? " WHERE " + RandomWhere(dice) : "";
        return "SELECT count(*) FROM t" + where + " GROUP BY " + RandomKey(dice) + ", " + RandomKey(dice);
      },
      refused);
}

TEST(ImpossibleGroups, NoRowThatPassesIsInAnImpossiblePairOfValues_PLAN5) {
  Dice dice(stat::SeedForThisTest());
  int found = 0;
  const char* longer = std::getenv("KITH_BOUND_CASES");
  const int cases = longer != nullptr ? std::atoi(longer) : 500;
  for (int i = 0; i < cases; ++i) {
    const Case c = NextWithTwoKeys(dice);
    if (c.plan.impossible.empty()) continue;
    ++found;
    for (const std::size_t group : GroupsWithRows(c)) EXPECT_FALSE(c.plan.impossible.at(group)) << About(c) << group;
  }
  EXPECT_GT(found, cases / 60);  // the rule is at work
}

// The twin: a group that rows are in is called impossible.
TEST(ImpossibleGroups, TheCheckAboveSeesAPairThatIsPossible) {
  Dice dice(stat::SeedForThisTest());
  int seen = 0, tried = 0;
  while (tried < 100) {
    Case c = NextWithTwoKeys(dice);
    if (c.plan.keys.size() < 2) continue;
    ++tried;
    const std::size_t wrong = dice.Below(c.plan.finest_groups());
    if (!c.plan.impossible.empty() && c.plan.impossible[wrong]) continue;
    seen += GroupsWithRows(c).contains(wrong) ? 1 : 0;
  }
  EXPECT_GT(seen, 40);
}

}  // namespace
}  // namespace kith::testing
