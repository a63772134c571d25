// PLAN-1 by trying everything: for random policies and questions, the reference replaces one unit's record by every
// other, and no replacement changes the statistic by more than the plan says, nor at all in a cell that is not charged.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <map>
#include <stdexcept>
#include <utility>

#include "tests/query_bruteforce/cases.h"
#include "tests/support/stat.h"
#include "tests/support/tiny_db_engine.h"
#include "tests/support/tiny_db_neighbours.h"

namespace kith::testing {
namespace {

long double OwnUnits(const Statistic& s) {
  return static_cast<long double>(s.change.l1().steps()) * std::ldexp(1.0L, s.lattice.exponent);
}

long double L2(const Statistic& s) {
  return std::sqrt(static_cast<long double>(s.change.l2_squared())) * std::ldexp(1.0L, s.lattice.exponent);
}

long double Rounding(const BruteForce& brute) { return brute.rounding.at(0); }

bool BoundHolds(const Case& c, const BruteForce& brute) {
  return brute.sensitivity.at(0) <= OwnUnits(c.plan.statistics.at(0)) + Rounding(brute);
}

// The same in L2 and in the number of groups.
bool L2Holds(const Case& c, const BruteForce& brute) {
  return std::sqrt(brute.l2_squared.at(0)) <= L2(c.plan.statistics.at(0)) * (1 + 1e-15L) + Rounding(brute);
}

bool GroupsHold(const Case& c, const BruteForce& brute) {
  const auto most = static_cast<std::size_t>(c.plan.statistics.at(0).change.groups());
  return brute.groups.at(0) <= most;
}

// If the unit is not there in one of the two: no more than `presence`, which is at least half of any change. ADDREM-1.
bool PresenceHolds(const Case& c, const BruteForce& brute) {
  const Statistic& s = c.plan.statistics.at(0);
  const Sensitivities& change = s.OfPresence();
  const long double step = std::ldexp(1.0L, s.lattice.exponent);
  const BruteForce::Coming& coming = brute.presence.at(0);
  const bool l1 = coming.l1 <= static_cast<long double>(change.l1().steps()) * step + Rounding(brute);
  const bool l2 = std::sqrt(coming.l2_squared) <=
                  std::sqrt(static_cast<long double>(change.l2_squared())) * step * (1 + 1e-15L) + Rounding(brute);
  const bool groups = coming.groups <= static_cast<std::size_t>(change.groups());
  return l1 && l2 && groups && change.l1().steps() <= s.change.l1().steps() &&
         2 * change.l1().steps() >= s.change.l1().steps();
}

bool ChargesHold(const Case& c, const BruteForce& brute) {
  for (std::size_t cell = 0; cell < brute.change.size(); ++cell)
    if (brute.change[cell][0] > Rounding(brute) && !c.plan.charged.at(cell)) return false;
  return true;
}

BruteForce Try(const Case& c) {
  const Question question = ParseQuestion(c.sql);
  return TryAllNeighbours(c.seen,
                          Reference(c.seen, question, AggregatesOf(question), ImagesOf(c.plan), {PublicTable()}),
                          {2000, 4, 4, c.plan.statistics.at(0).lattice.exponent});
}

// A unit loses at most the average, over its rows, of what is charged to their cells.
bool RowChargesHold(const Case& c, const BruteForce& brute) {
  const long double whole = OwnUnits(c.plan.statistics.at(0)) + Rounding(brute);
  return std::all_of(brute.of_rows.begin(), brute.of_rows.end(), [&](const BruteForce::OfRows& rows) {
    const auto paid =
        std::count_if(rows.cells.begin(), rows.cells.end(), [&](auto cell) { return c.plan.charged[cell]; });
    const auto all = static_cast<long double>(rows.cells.size());
    return rows.change[0] <= Rounding(brute) ||
           rows.change[0] * all <= whole * static_cast<long double>(paid) * (1 + 1e-15L);
  });
}

constexpr int kPerRow = 45;

std::string OneAggregate(QuestionMaker& maker) { return maker.OneAggregate(); }

TEST(PlanBound, HoldsForAllNeighboursOfTheReference_PLAN1) {
  Dice dice(stat::SeedForThisTest());
  std::size_t refused = 0;
  int less = 0;  // of those where presence changes less than any change
  const char* longer = std::getenv("KITH_BOUND_CASES");
  const int cases = longer != nullptr ? std::atoi(longer) : 600;
  for (int i = 0; i < cases; ++i) {
    const Case c = NextCase(dice, OneAggregate, refused);
    ASSERT_EQ(c.plan.statistics.size(), 1u) << About(c);
    const BruteForce brute = Try(c);
    EXPECT_TRUE(BoundHolds(c, brute)) << About(c) << "\nchanges by " << static_cast<double>(brute.sensitivity[0]);
    EXPECT_TRUE(L2Holds(c, brute)) << About(c) << "\nL2 squared " << static_cast<double>(brute.l2_squared[0]);
    EXPECT_TRUE(GroupsHold(c, brute)) << About(c) << "\nchanges in groups: " << brute.groups[0];
    EXPECT_TRUE(ChargesHold(c, brute)) << About(c) << "\na cell changes that is not charged";
    EXPECT_TRUE(PresenceHolds(c, brute)) << About(c) << "\nby presence " << static_cast<double>(brute.presence[0].l1);
    less += c.plan.statistics[0].presence ? 1 : 0;
  }
  EXPECT_GT(less, cases / 10);
  EXPECT_LT(refused, static_cast<std::size_t>(cases)) << "the grammar makes too many questions that are refused";
}

// Planned for all numbers of a range, and tried with one of them by the reference, which knows no stages.
TEST(PlanBound, HoldsForEveryNumberOfAStage_STAGE1) {
  Dice dice(stat::SeedForThisTest());
  std::size_t refused = 0;
  const char* longer = std::getenv("KITH_STAGE_CASES");
  const int cases = longer != nullptr ? std::atoi(longer) : 160;
  for (int i = 0; i < cases; ++i) {
    const Case c = NextStagedCase(dice, OneAggregate, refused);
    const BruteForce brute = Try(c);
    EXPECT_TRUE(BoundHolds(c, brute)) << About(c) << "\nchanges by " << static_cast<double>(brute.sensitivity[0]);
    EXPECT_TRUE(L2Holds(c, brute)) << About(c) << "\nL2 squared " << static_cast<double>(brute.l2_squared[0]);
    EXPECT_TRUE(GroupsHold(c, brute)) << About(c) << "\nchanges in groups: " << brute.groups[0];
    EXPECT_TRUE(ChargesHold(c, brute)) << About(c) << "\na cell changes that is not charged";
    EXPECT_TRUE(PresenceHolds(c, brute)) << About(c) << "\nby presence " << static_cast<double>(brute.presence[0].l1);
  }
}

// The twin: a price that was made with one number, for a question that is asked with another.
TEST(PlanBound, TheCheckAboveSeesAPriceForOneNumber_STAGE1) {
  Dice dice(stat::SeedForThisTest());
  std::size_t refused = 0;
  int seen = 0;
  for (int i = 0; i < 60 && seen <= 4; ++i) {
    // No h is above 1000: where that is known, nothing is charged.
    Case c = NextCase(
        dice, [](QuestionMaker&) { return std::string("SELECT count(*) FROM t WHERE h > 1000"); }, refused);
    c.sql = "SELECT count(*) FROM t WHERE h > 0";
    seen += BoundHolds(c, Try(c)) ? 0 : 1;
  }
  EXPECT_GT(seen, 4);
}

TEST(PlanBound, HoldsWhereRowsArePublic_ROW1) {
  Dice dice(stat::SeedForThisTest());
  std::size_t refused = 0;
  int several = 0, parted = 0;
  const char* longer = std::getenv("KITH_ROW_CASES");  // 900 take half a minute
  const int cases = longer != nullptr ? std::atoi(longer) : 150;
  for (int i = 0; i < cases; ++i) {
    const auto ask = [&](QuestionMaker& maker) { return i % 2 == 0 ? maker.OneAggregate() : maker.Simple(); };
    const Case c = NextCase(dice, ask, refused, kPerRow);
    const BruteForce brute = Try(c);
    EXPECT_TRUE(BoundHolds(c, brute)) << About(c) << "\nchanges by " << static_cast<double>(brute.sensitivity[0]);
    EXPECT_TRUE(L2Holds(c, brute)) << About(c) << "\nL2 squared " << static_cast<double>(brute.l2_squared[0]);
    EXPECT_TRUE(GroupsHold(c, brute)) << About(c) << "\nchanges in groups: " << brute.groups[0];
    EXPECT_TRUE(ChargesHold(c, brute)) << About(c) << "\na cell changes that is not charged";
    EXPECT_TRUE(RowChargesHold(c, brute)) << About(c) << "\na unit loses more than its rows were charged";
    several += !brute.of_rows.empty() && c.seen.unit.max_rows > 1 ? 1 : 0;
    const auto charged = std::count(c.plan.charged.begin(), c.plan.charged.end(), true);
    parted += charged > 0 && charged < static_cast<std::ptrdiff_t>(c.plan.charged.size()) ? 1 : 0;
  }
  EXPECT_GT(several, cases / 3);
  EXPECT_GT(parted, cases / 30);
}

// The twin: columns that differ between rows of a unit taken for columns of the unit, and units that are charged as if
// each of their rows were counted by itself.
TEST(PlanBound, TheCheckAboveSeesRowsThatAreTakenForUnits) {
  Dice dice(stat::SeedForThisTest());
  std::size_t refused = 0;
  int taken = 0, apart = 0;
  for (int i = 0; i < 3000 && (taken <= 40 || apart <= 10); ++i) {
    const auto ask = [&](QuestionMaker& maker) {
      if (i % 3 > 0) return maker.Simple();
      return "SELECT count(DISTINCT id) FROM t WHERE b AND " +
             dice.Pick<std::string>({"h = 1", "g = 'a'", "k IS NULL"});
    };
    const Case c = NextCase(dice, ask, refused, kPerRow);
    if (c.seen.unit.max_rows == 1) continue;
    const BruteForce brute = Try(c);
    Case other = c;
    Policy wrong = c.policy;
    for (Column& column : wrong.tables[0].columns) column.per_row = false;
    if (auto plan = PlanQuestion(c.sql, wrong); plan && plan->statistics[0].lattice == c.plan.statistics[0].lattice) {
      other.plan = *std::move(plan);
      taken += BoundHolds(other, brute) && GroupsHold(other, brute) && RowChargesHold(other, brute) ? 0 : 1;
    }
    other.plan = c.plan;
    other.plan.charged = brute.Changed();
    apart += RowChargesHold(other, brute) ? 0 : 1;
  }
  EXPECT_GT(taken, 40);
  EXPECT_GT(apart, 10);
}

std::string DistinctValues(Dice& dice) {
  const auto test = [&] { return dice.Pick<std::string>({"b", "x > 1", "g = 'a'", "h IN (1, 2)", "y < 2"}); };
  std::string sql = "SELECT count(DISTINCT " + dice.Pick<std::string>({"h", "z", "k", "x", "g", "x % 3", "upper(g)"}) +
                    ")" + (dice.Chance(30) ? " FILTER (WHERE " + test() + ")" : "") + " FROM t";
  if (dice.Chance(30)) sql += " WHERE " + test();
  return dice.Chance(50) ? sql : sql + " GROUP BY " + dice.Pick<std::string>({"g", "b", "h", "x > 1"});
}

/// Counts of distinct values with all neighbours. Others may have all values that a record loses, or none of those that
/// it brings.
void ForDistinctValues(int cases, const std::function<void(const Case&, const BruteForce&)>& look) {
  Dice dice(stat::SeedForThisTest());
  std::size_t refused = 0;
  for (int i = 0; i < cases; ++i) {
    const Case c = NextCase(
        dice, [&](QuestionMaker&) { return DistinctValues(dice); }, refused, i % 3 == 0 ? kPerRow : 0);
    look(c, Try(c));
  }
}

TEST(PlanBound, HoldsForDistinctValuesThatOthersShare_DISTINCT1) {
  int reached = 0;
  ForDistinctValues(600, [&](const Case& c, const BruteForce& brute) {
    EXPECT_TRUE(BoundHolds(c, brute)) << About(c) << "\nchanges by " << static_cast<double>(brute.sensitivity[0]);
    EXPECT_TRUE(L2Holds(c, brute)) << About(c) << "\nL2 squared " << static_cast<double>(brute.l2_squared[0]);
    EXPECT_TRUE(GroupsHold(c, brute)) << About(c) << "\nchanges in groups: " << brute.groups[0];
    EXPECT_TRUE(ChargesHold(c, brute)) << About(c) << "\na cell changes that is not charged";
    reached += brute.sensitivity[0] == OwnUnits(c.plan.statistics[0]) ? 1 : 0;
  });
  EXPECT_GT(reached, 150);
}

// Values counted as units are; a row that is always there taken for a value that is; where there are fewer values than
// rows, one value less.
TEST(PlanBound, TheCheckAboveSeesValuesThatAreTakenForUnits) {
  int as_units = 0, unseen = 0, few = 0, fewer = 0;
  ForDistinctValues(600, [&](const Case& c, const BruteForce& brute) {
    const auto planted = [&](std::int64_t l1) {
      Case other = c;
      other.plan.statistics[0].change = l1 == 0 ? Sensitivities::None() : Sensitivities::OfL1(l1).value();
      return !BoundHolds(other, brute);
    };
    as_units += planted(1) ? 1 : 0;
    const std::int64_t l1 = c.plan.statistics[0].change.l1().steps();
    few += l1 > 0 && l1 < c.seen.unit.max_rows ? 1 : 0;
    fewer += l1 > 0 && l1 < c.seen.unit.max_rows && planted(l1 - 1) ? 1 : 0;
    unseen += c.seen.unit.presence == Presence::kPublic && c.seen.unit.max_rows == 1 && planted(0) ? 1 : 0;
  });
  EXPECT_GT(as_units, 100);
  EXPECT_GT(unseen, 30);
  EXPECT_GT(few, 10);
  EXPECT_GT(fewer, 5) << "of " << few;
}

// The twin: a planner that halves, or that does not charge, must be seen in many of the same questions.
TEST(PlanBound, TheCheckAboveSeesPlantedFaults) {
  Dice dice(stat::SeedForThisTest());
  std::size_t refused = 0;
  int halved = 0;
  int uncharged = 0;
  for (int i = 0; i < 300 && (halved <= 60 || uncharged <= 100); ++i) {
    Case c = NextCase(dice, OneAggregate, refused);
    const BruteForce brute = Try(c);
    HalveSensitivities(c.plan);
    c.plan.charged.assign(c.plan.charged.size(), false);
    if (!BoundHolds(c, brute)) ++halved;
    if (!ChargesHold(c, brute)) ++uncharged;
  }
  EXPECT_GT(halved, 60);
  EXPECT_GT(uncharged, 100);
}

// The twin of ADDREM-1: half of any change, whatever the question; a row that comes and goes, and not a unit.
TEST(PlanBound, TheCheckAboveSeesPlantedFaultsOfPresence_ADDREM1) {
  Dice dice(stat::SeedForThisTest());
  std::size_t refused = 0;
  int halved = 0, of_row = 0;
  for (int i = 0; i < 100; ++i) {
    const Case c = NextCase(dice, OneAggregate, refused);
    const BruteForce brute = Try(c);
    const Sensitivities change = c.plan.statistics[0].OfPresence();
    const auto caught = [&](std::int64_t part) {
      const std::int64_t l1 = (change.l1().steps() + part - 1) / part;
      Case other = c;
      other.plan.statistics[0].presence = ChangeOf(l1, std::min(change.l2_squared(), l1 * l1), l1);
      return !PresenceHolds(other, brute);
    };
    halved += caught(2) ? 1 : 0;
    of_row += c.seen.unit.max_rows > 1 && caught(c.seen.unit.max_rows) ? 1 : 0;
  }
  EXPECT_GT(halved, 15);
  EXPECT_GT(of_row, 4);
}

// The twin of PLAN-4: half of the L2 square; rows counted as if each were in its own group; one group too few.
TEST(PlanBound, TheCheckAboveSeesPlantedFaultsInL2) {
  Dice dice(stat::SeedForThisTest());
  std::size_t refused = 0;
  int halved = 0, apart = 0, fewer = 0;
  for (int i = 0; i < 600 && (halved <= 60 || apart <= 20 || fewer <= 20); ++i) {
    const Case c = NextCase(dice, OneAggregate, refused);
    const BruteForce brute = Try(c);
    const Sensitivities& true_one = c.plan.statistics[0].change;
    const std::int64_t l1 = true_one.l1().steps(), l2_squared = true_one.l2_squared(), groups = true_one.groups();
    const auto planted = [&](const Sensitivities& change) {
      Case other = c;
      other.plan.statistics[0].change = change;
      return other;
    };
    halved += L2Holds(planted(ChangeOf(l1, l2_squared / 2, groups)), brute) ? 0 : 1;
    apart += L2Holds(planted(ChangeOf(l1, l2_squared / c.seen.unit.max_rows, groups)), brute) ? 0 : 1;
    fewer += GroupsHold(planted(ChangeOf(l1, l2_squared, groups - 1)), brute) ? 0 : 1;
  }
  EXPECT_GT(halved, 60);
  EXPECT_GT(apart, 20);
  EXPECT_GT(fewer, 20);
}

// The twin of PLAN-6: constant columns make a unit one row for sums over rows too; or for units that a question counts
// in groups by other columns.
TEST(PlanBound, TheCheckAboveSeesConstantColumnsThatCountOnce_PLAN6) {
  Dice dice(stat::SeedForThisTest());
  std::size_t refused = 0;
  int sums = 0, units = 0, of_units = 0;
  for (int i = 0; i < 1500; ++i) {
    const Case c = NextCase(
        dice, [](QuestionMaker& maker) { return maker.Simple(); }, refused);
    if (c.seen.unit.max_rows == 1) {
      of_units += c.policy.unit.max_rows > 1 ? 1 : 0;
      continue;
    }
    const BruteForce brute = Try(c);
    ASSERT_TRUE(BoundHolds(c, brute)) << About(c);
    const auto caught = [&](const Policy& wrong) {
      Case other = c;
      const auto plan = PlanQuestion(c.sql, wrong);
      if (!plan || plan->statistics[0].lattice != c.plan.statistics[0].lattice) return false;
      other.plan = *plan;
      return !BoundHolds(other, brute);
    };
    Policy once = c.policy;
    const auto& columns = c.policy.unit_table().columns;
    if (std::any_of(columns.begin(), columns.end(), [](const Column& column) { return column.constant; }))
      once.unit.max_rows = 1;
    sums += caught(once) ? 1 : 0;
    Policy all = c.policy;
    for (Column& column : all.tables[0].columns) column.constant = true;
    units += c.sql.find("DISTINCT") != std::string::npos && caught(all) ? 1 : 0;
  }
  EXPECT_GT(sums, 50);
  EXPECT_GT(units, 20);
  EXPECT_GT(of_units, 40);  // of which IsReachedBySimpleQuestions says that the bound is what records reach
}

// The twin of PLAN-3: an image that misses a value, which the reference notices as soon as a record has it.
TEST(PlanBound, TheReferenceSeesAnImageThatMissesAValue) {
  Dice dice(stat::SeedForThisTest());
  std::size_t refused = 0;
  int seen = 0;
  int tried = 0;
  while (tried < 60) {
    Case c = NextCase(dice, OneAggregate, refused);
    if (c.plan.keys.empty() || c.plan.keys[0].values.size() < 2) continue;
    ++tried;
    c.plan.keys[0].values.erase(c.plan.keys[0].values.begin());
    try {
      Try(c);
    } catch (const std::runtime_error&) {
      ++seen;
    }
  }
  EXPECT_GT(seen, 30);
}

// One row, one column for each part of the question: then the bound is what some two records really reach.
TEST(PlanBound, IsReachedBySimpleQuestions) {
  Dice dice(stat::SeedForThisTest());
  std::size_t refused = 0;
  std::size_t reached = 0;
  for (int i = 0; i < 1000; ++i) {
    const Case c = NextCase(
        dice, [](QuestionMaker& maker) { return maker.Simple(); }, refused);
    if (c.seen.unit.max_rows > 1) continue;
    const BruteForce brute = Try(c);
    EXPECT_NEAR(static_cast<double>(brute.sensitivity[0]), static_cast<double>(OwnUnits(c.plan.statistics[0])), 1e-6)
        << About(c);
    EXPECT_NEAR(static_cast<double>(std::sqrt(brute.l2_squared[0])), static_cast<double>(L2(c.plan.statistics[0])),
                1e-6)
        << About(c);
    EXPECT_EQ(brute.Changed(), c.plan.charged) << About(c);
    if (c.policy.unit.presence == Presence::kSecret) {
      const Statistic& s = c.plan.statistics[0];
      const auto presence = static_cast<double>(s.OfPresence().l1().steps()) * s.lattice.step();
      EXPECT_NEAR(static_cast<double>(brute.presence[0].l1), presence, 1e-6) << About(c);
    }
    ++reached;
  }
  EXPECT_GT(reached, 400u);
}

std::string Sorted(std::string text) {
  std::sort(text.begin(), text.end());
  return text;
}

// The normalised text is the key of stored answers: where two texts share it, they must share charges and SQL.
TEST(PlanText, OneNormalisedTextMeansOnePlan) {
  Dice dice(stat::SeedForThisTest());
  const Policy policy = Policy::Parse(RandomPolicy(dice), "random.toml").value();
  std::map<std::string, std::pair<std::string, std::vector<bool>>> seen;
  std::size_t shared = 0;
  for (int i = 0; i < 6000; ++i) {
    QuestionMaker maker(policy, dice);
    const std::string sql = dice.Chance(50) ? maker.Simple() : maker.OneAggregate();
    const auto plan = PlanQuestion(sql, policy);
    if (!plan) continue;
    const auto [at, is_new] = seen.try_emplace(plan->normalised, sql::DuckDb().Write(plan->statement), plan->charged);
    if (is_new) continue;
    ++shared;
    EXPECT_EQ(at->second.second, plan->charged) << sql;
    EXPECT_EQ(Sorted(at->second.first), Sorted(sql::DuckDb().Write(plan->statement)))
        << sql;  // terms of AND, OR, IN may change places
  }
  EXPECT_GT(shared, 500u);
  EXPECT_GT(seen.size(), 1000u);
}

}  // namespace
}  // namespace kith::testing
