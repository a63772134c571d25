// PLAN-1 on a real engine: random tables with NULLs, NaN, infinities, duplicates and too many rows, one unit's record
// replaced again and again. The plan's SQL must never fail, never change more than the plan says, and agree with the
// reference.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <map>
#include <random>
#include <stdexcept>

#include "query/joint_moves.h"
#include "tests/query_bruteforce/engine_trial.h"
#include "tests/support/stat.h"
#include "tests/support/tiny_db_engine.h"
#include "tests/support/tiny_db_neighbours.h"

namespace kith::testing {
namespace {

// Of one unit, for each question; a dozen where the environment says how many questions.
constexpr std::size_t kRecords = 8, kFewRecords = 6;

TEST(PlanOnEngine, NoNeighbourChangesMoreThanThePlanSays_PLAN1) {
  const auto engine = OpenConfigured();
  // The two engines are asked different questions.
  Dice dice(stat::SeedForThisTest() + (std::getenv("KITH_TEST_POSTGRESQL") != nullptr ? 1 : 0));
  std::size_t refused = 0;
  std::size_t compared = 0;
  std::size_t changes = 0;
  std::size_t shortened = 0;
  // A statement takes a tenth of a second on a cluster: fewer there.
  const char* cases = std::getenv("KITH_BRUTEFORCE_CASES");
  constexpr std::size_t kAll = 45;
  const std::size_t questions = cases != nullptr ? static_cast<std::size_t>(std::atoi(cases)) : kAll;
  ASSERT_GT(questions, 0u);
  for (std::size_t i = 0; i < questions; ++i) {
    const auto ask = [&](QuestionMaker& maker) { return i % 3 == 0 ? maker.OneAggregate() : maker.Many(); };
    const Case c = NextCase(dice, ask, refused);
    Trial trial(c, *engine, dice);
    if (i % 4 == 3) trial.Fit();
    std::string fault;
    ASSERT_NO_THROW(fault = trial.Faults(cases != nullptr ? 12 : kRecords))
        << About(c) << "\n"
        << engine->dialect().Write(c.plan.statement);
    EXPECT_EQ(fault, "") << About(c);
    compared += trial.compared();
    changes += trial.changes();
    shortened += trial.shortened();
  }
  // Among few questions, none may be about units that have a key.
  const bool all = questions >= kAll;
  EXPECT_GT(compared, all ? 85u : 0u);  // answers, out of 360
  EXPECT_GT(changes, all ? 119u : 0u);  // pairs of records, out of 1,260 or more
  if (all) {
    EXPECT_GT(shortened, 10u);
  }
}

// Planned without a number, asked with it: PLAN-1 and the meaning of the question, whatever the number is.
TEST(PlanOnEngine, NoNumberOfAStageChangesMoreThanThePlanSays_STAGE1) {
  const auto engine = OpenConfigured();
  Dice dice(stat::SeedForThisTest() + (std::getenv("KITH_TEST_POSTGRESQL") != nullptr ? 1 : 0));
  const char* longer = std::getenv("KITH_STAGE_CASES");
  const int cases = longer != nullptr ? std::atoi(longer) : 25;
  std::size_t refused = 0, compared = 0, changes = 0;
  for (int i = 0; i < cases; ++i) {
    const auto ask = [&](QuestionMaker& maker) { return i % 3 == 0 ? maker.OneAggregate() : maker.Many(); };
    const Case c = i % 5 == 4 ? NextStagedCase(
                                    dice, [&](QuestionMaker&) { return AskPerUnit(dice); }, refused)
                              : NextStagedCase(dice, ask, refused);
    Trial trial(c, *engine, dice);
    if (i % 4 == 3) trial.Fit();
    std::string fault;
    ASSERT_NO_THROW(fault = trial.Faults(longer != nullptr ? 12 : kFewRecords))
        << About(c) << "\n"
        << engine->dialect().Write(c.plan.statement);
    EXPECT_EQ(fault, "") << About(c);
    compared += trial.compared();
    changes += trial.changes();
  }
  EXPECT_GT(compared, static_cast<std::size_t>(cases) / 2);
  EXPECT_GT(changes, static_cast<std::size_t>(cases) * 5 / 6);
}

// The twin of STAGE-1 and STAGE-2: numbers that were not cut to the range that the price is for.
TEST(PlanOnEngine, TheCheckAboveSeesNumbersThatAreNotCut_STAGE2) {
  const auto engine = OpenConfigured();
  Dice dice(stat::SeedForThisTest());
  std::size_t refused = 0;
  int seen = 0;
  for (int i = 0; i < 60 && seen <= 4; ++i) {
    // Priced for h > 1002, which no row is, or for a factor of at most 12.
    const auto ask = [&](QuestionMaker&) {
      return std::string(i % 2 == 0 ? "SELECT count(*) FROM t WHERE h > 2" : "SELECT sum(h * 500) FROM t");
    };
    const Case c = NextStagedCase(dice, ask, refused, i % 2 == 0 ? 1000 : -499);
    seen += Trial(c, *engine, dice).Faults(kFewRecords).empty() ? 0 : 1;
  }
  EXPECT_GT(seen, 4);
}

/// A policy in which questions per unit can be asked.
Case NextPerUnit(Dice& dice, std::size_t& refused, std::string (*ask)(Dice&) = AskPerUnit) {
  for (;;) {
    Case c = NextCase(
        dice, [&](QuestionMaker&) { return ask(dice); }, refused);
    if (c.policy.unit.max_rows > 1) return c;
  }
}

void CheckPerUnit(std::string (*ask)(Dice&)) {
  const auto engine = OpenConfigured();
  Dice dice(stat::SeedForThisTest() + (std::getenv("KITH_TEST_POSTGRESQL") != nullptr ? 1 : 0));
  const char* longer = std::getenv("KITH_PER_UNIT_CASES");
  const int cases = longer != nullptr ? std::atoi(longer) : 20;
  std::size_t refused = 0, compared = 0, changes = 0;
  for (int i = 0; i < cases; ++i) {
    const Case c = NextPerUnit(dice, refused, ask);
    Trial trial(c, *engine, dice);
    if (i % 4 == 3) trial.Fit();
    std::string fault;
    ASSERT_NO_THROW(fault = trial.Faults(longer != nullptr ? 12 : kFewRecords))
        << About(c) << "\n"
        << engine->dialect().Write(c.plan.statement);
    EXPECT_EQ(fault, "") << About(c);
    compared += trial.compared();
    changes += trial.changes();
  }
  EXPECT_GT(compared, static_cast<std::size_t>(cases) / 5);  // answers, out of 6 for each question
  EXPECT_GT(changes, static_cast<std::size_t>(cases));       // pairs of records
}

TEST(PlanOnEngine, NoNeighbourChangesMoreOfARowPerUnitThanThePlanSays_UNIT1) { CheckPerUnit(AskPerUnit); }
TEST(PlanOnEngine, NoNeighbourChangesMoreOfWindowsThanThePlanSays_UNIT2) { CheckPerUnit(AskWindows); }

// The twin of UNIT-1 and UNIT-2: priced as one row for each unit, but there are as many as it has.
TEST(PlanOnEngine, TheChecksAboveSeeRowsPerUnitThatAreSeveral_UNIT1) {
  const auto engine = OpenConfigured();
  Dice dice(stat::SeedForThisTest());
  std::size_t refused = 0;
  int halved = 0, several = 0;
  for (int i = 0; i < 40 && (halved <= 5 || several <= 5); ++i) {
    Case c = NextPerUnit(dice, refused);
    HalveSensitivities(c.plan);
    halved += Trial(c, *engine, dice).Faults(kFewRecords).empty() ? 0 : 1;
    // Windows under the price of one row for each unit.
    c = NextPerUnit(dice, refused, [](Dice&) {
      return std::string("SELECT sum(v) FROM (SELECT id, max(h) AS v FROM t GROUP BY id) u");
    });
    const std::string windows = "SELECT sum(v) FROM (SELECT id, max(h) OVER (PARTITION BY id) AS v FROM t) u";
    c.plan.statement = PlanQuestion(windows, c.policy).value().statement;
    several += Trial(c, *engine, dice).Faults(kFewRecords).empty() ? 0 : 1;
  }
  EXPECT_GT(halved, 5);
  EXPECT_GT(several, 5);
}

/// A policy with groups of units, a question with a row for each of them; or one about whole groups.
Case NextPerGroup(Dice& dice, std::size_t& refused, bool about_groups,
                  const std::function<std::string(const std::vector<std::string>&)>& ask, int per_row = 0) {
  for (;;) {
    auto policy = Policy::Parse(RandomPolicy(dice, per_row), "random.toml").value();
    std::vector<std::string> open;
    for (const Column& column : policy.unit_table().columns)
      if (IsPublicOfUnit(column) && column.name != "id") open.push_back(column.name);
    if (open.empty() || (per_row > 0 && !RowsArePublic(policy))) continue;
    std::vector<std::string> groups = {dice.Pick(open)};
    policy.unit.within = groups.front();
    policy.unit.size = dice.Between(1, 3);
    if (!about_groups && dice.Chance(20) && dice.Pick(open) != groups.front()) groups.push_back(dice.Pick(open));
    if (groups.size() == 2 && groups[0] == groups[1]) groups.pop_back();
    Policy about = policy;
    if (about_groups) about.unit.level = UnitLevel::kHousehold;
    const std::string sql = ask(groups);
    auto plan = PlanQuestion(sql, about);
    if (plan) return {policy, sql, *std::move(plan), SeenBy(ParseQuestion(sql), policy), groups, about_groups};
    if (plan.error().code != Code::kUnsupportedQuery) throw std::runtime_error(sql + "\n" + plan.error().Text());
    ++refused;
  }
}

void CheckPerGroup(bool about_groups, int per_row = 0) {
  const auto engine = OpenConfigured();
  Dice dice(stat::SeedForThisTest() + (std::getenv("KITH_TEST_POSTGRESQL") != nullptr ? 1 : 0));
  const char* longer = std::getenv("KITH_PER_UNIT_CASES");
  const int cases = longer != nullptr ? std::atoi(longer) : 25;
  std::size_t refused = 0, compared = 0, changes = 0, own = 0, not_all = 0;
  const auto ask = [&](const std::vector<std::string>& groups) { return AskPerRowOf(dice, groups); };
  for (int i = 0; i < cases; ++i) {
    const Case c = NextPerGroup(dice, refused, about_groups, ask, per_row);
    Trial trial(c, *engine, dice);
    if (i % 4 == 3) trial.Fit();
    std::string fault;
    ASSERT_NO_THROW(fault = trial.Faults(longer != nullptr ? 12 : kFewRecords))
        << About(c) << "\n"
        << engine->dialect().Write(c.plan.statement);
    EXPECT_EQ(fault, "") << About(c);
    compared += trial.compared();
    changes += trial.changes();
    for (const Statistic& s : c.plan.statistics) own += s.reason.find("own part") != std::string::npos ? 1 : 0;
    const auto& charged = c.plan.charged;
    not_all +=
        std::count(charged.begin(), charged.end(), true) > 0 && std::count(charged.begin(), charged.end(), false) > 0
            ? 1
            : 0;
  }
  EXPECT_GT(compared, static_cast<std::size_t>(cases) / 5);
  EXPECT_GT(changes, static_cast<std::size_t>(cases) / 2);
  if (about_groups) {
    EXPECT_EQ(own, 0u);
    EXPECT_EQ(not_all, 0u);
  } else if (cases >= 25 && per_row == 0) {
    EXPECT_GT(own, 0u);
    EXPECT_GT(not_all, 0u);
  }
}

TEST(PlanOnEngine, NoNeighbourChangesMoreOfARowPerGroupThanThePlanSays_GROUP1) { CheckPerGroup(false); }
TEST(PlanOnEngine, NoGroupChangesMoreOfItsRowThanThePlanSays_GROUP4) { CheckPerGroup(true); }

constexpr int kPerRow = 60;
TEST(PlanOnEngine, NoNeighbourChangesMoreWhereRowsOfUnitsArePublic_GROUP3) { CheckPerGroup(false, kPerRow); }

// The twin: columns of rows taken for columns of units, so that a unit is charged by the first of its rows.
TEST(PlanOnEngine, TheCheckAboveSeesColumnsOfRowsTakenForThoseOfUnits_GROUP3) {
  const auto engine = OpenConfigured();
  Dice dice(stat::SeedForThisTest());
  std::size_t refused = 0;
  int seen = 0;
  for (int i = 0; i < 600 && seen <= 1; ++i) {
    const std::string of_row = dice.Pick<std::string>({"h = 1", "g = 'a'", "b", "h > 1"});
    const auto ask = [&](const std::vector<std::string>& groups) {
      return "SELECT sum(c) FROM (SELECT " + groups[0] + ", max(x) AS c FROM t WHERE " + of_row + " GROUP BY " +
             groups[0] + ") AS u";
    };
    Case c = NextPerGroup(dice, refused, false, ask, kPerRow);
    Policy wrong = c.policy;
    for (Column& column : wrong.tables[0].columns) column.per_row = false;
    const auto plan = PlanQuestion(c.sql, wrong);
    if (!plan || plan->charged == c.plan.charged || c.policy.unit.max_rows == 1) continue;
    c.plan.charged = plan->charged;
    bool fault = false;
    for (int k = 0; k < 4 && !fault; ++k) fault = !Trial(c, *engine, dice).Faults(kFewRecords).empty();
    seen += fault ? 1 : 0;
  }
  EXPECT_GT(seen, 1);
}

// The twins of GROUP-1 to GROUP-4: half the price; one unit's part where rows come and go by what they hold; cells that
// are left out; and one unit's part where all units of the group change.
TEST(PlanOnEngine, TheChecksAboveSeePlantedFaults_GROUP1) {
  const auto engine = OpenConfigured();
  Dice dice(stat::SeedForThisTest());
  std::size_t refused = 0;
  int halved = 0, chosen = 0, uncharged = 0, whole = 0;
  const std::string rows = " FROM (SELECT {}, count(*) AS c FROM t WHERE x > 0 OR y > 0.7 GROUP BY {}) AS u";
  const auto about_rows = [&](const std::string& outer) {
    return [&rows, outer](const std::vector<std::string>& groups) {
      std::string text = outer + rows;
      for (std::size_t at = text.find("{}"); at != std::string::npos; at = text.find("{}"))
        text.replace(at, 2, groups[0]);
      return text;
    };
  };
  // Each of the four until it was seen three times.
  const auto seen = [&](const Case& c) { return Trial(c, *engine, dice).Faults(kFewRecords).empty() ? 0 : 1; };
  for (int i = 0; i < 40 && halved <= 2; ++i) {
    Case c = NextPerGroup(dice, refused, false, about_rows("SELECT sum(c), count(*)"));
    HalveSensitivities(c.plan);
    halved += seen(c);
  }
  for (int i = 0; i < 40 && uncharged <= 2; ++i) {
    Case c = NextPerGroup(dice, refused, false, about_rows("SELECT sum(c), count(*)"));
    c.plan.charged.assign(c.plan.charged.size(), false);
    uncharged += seen(c);
  }
  for (int i = 0; i < 200 && chosen <= 2; ++i) {
    Case c = NextPerGroup(dice, refused, false, about_rows("SELECT sum(c)"));
    // The rows of others come and go with the unit's, which alone are no more than max_rows.
    const std::string most = std::to_string(c.policy.unit.max_rows);
    const auto counted = about_rows("SELECT sum(c) FILTER (WHERE c > " + most + ")")({*c.policy.unit.within});
    const Plan sum = c.plan;
    c.sql = counted;
    c.plan = PlanQuestion(counted, c.policy).value();
    c.plan.statistics[0].change = sum.statistics[0].change;
    chosen += seen(c);
  }
  for (int i = 0; i < 200 && whole <= 2; ++i) {
    Case c = NextPerGroup(dice, refused, true, about_rows("SELECT sum(c)"));
    c.plan.statistics[0].change = PlanQuestion(c.sql, c.policy).value().statistics[0].change;
    whole += seen(c);
  }
  EXPECT_GT(halved, 2);
  EXPECT_GT(chosen, 2);
  EXPECT_GT(uncharged, 2);
  EXPECT_GT(whole, 2);
}

// More rows than fit one vector of the engine.
TEST(PlanOnEngine, AgreesWithTheReferenceOnLargerTables) {
  const auto engine = OpenConfigured();
  Dice dice(stat::SeedForThisTest());
  const char* longer = std::getenv("KITH_LARGE_CASES");
  const int cases = longer != nullptr ? std::atoi(longer) : 6;
  std::size_t refused = 0;
  for (int i = 0; i < cases; ++i) {
    const Case c = NextCase(
        dice, [](QuestionMaker& maker) { return maker.Many(); }, refused);
    std::string fault;
    ASSERT_NO_THROW(fault = Trial(c, *engine, dice).FaultOfManyUnits(3000)) << About(c);
    EXPECT_EQ(fault.substr(0, 200), "") << About(c);
  }
}

/// Whether more than `least` of 60 simple questions show a fault that is planted in their plans. No more are asked once
/// it is certain.
template <class Plant>
bool MoreSeen(int least, const Plant& plant) {
  const auto engine = OpenConfigured();
  Dice dice(stat::SeedForThisTest());
  std::size_t refused = 0;
  int seen = 0;
  for (int i = 0; i < 60 && seen <= least; ++i) {
    Case c = NextCase(
        dice, [](QuestionMaker& maker) { return maker.Simple(); }, refused);
    plant(c);
    Trial trial(c, *engine, dice);
    if (!trial.Faults(kRecords).empty()) ++seen;
  }
  return seen > least;
}

TEST(PlanOnEngine, TheCheckAboveSeesHalvedSensitivities) {
  EXPECT_TRUE(MoreSeen(10, [](Case& c) { HalveSensitivities(c.plan); }));
}

TEST(PlanOnEngine, TheCheckAboveSeesHalvedL2) {
  const auto plant = [](Case& c) {
    for (Statistic& s : c.plan.statistics)
      s.change = ChangeOf(s.change.l1().steps(), s.change.l2_squared() / 2, s.change.groups());
  };
  EXPECT_TRUE(MoreSeen(10, plant));
}

TEST(PlanOnEngine, TheCheckAboveSeesCellsThatAreNotCharged) {
  EXPECT_TRUE(MoreSeen(20, [](Case& c) { c.plan.charged.assign(c.plan.charged.size(), false); }));
}

TEST(PlanOnEngine, TheCheckAboveSeesColumnsThatAreNotClamped) {
  const auto plant = [](Case& c) {
    Policy wide = c.policy;
    for (Table& table : wide.tables) {
      for (Column& column : table.columns) {
        if (column.lower) column.lower = *column.lower - 100;
        if (column.upper) column.upper = *column.upper + 100;
      }
    }
    const Plan loose = PlanQuestion(c.sql, wide).value();
    c.plan.statement = loose.statement;
  };
  EXPECT_TRUE(MoreSeen(5, plant));
}

// The twin of JOIN-1: a public table whose key comes twice.
TEST(PlanOnEngine, TheCheckAboveSeesKeysThatComeTwice) {
  const auto engine = OpenConfigured();
  Dice dice(stat::SeedForThisTest());
  std::size_t refused = 0;
  int seen = 0;
  for (int i = 0; i < 40 && seen <= 4; ++i) {
    const Case c = NextCase(
        dice, [](QuestionMaker&) { return "SELECT count(*) FROM t JOIN r ON t.g = r.code"; }, refused);
    Trial trial(c, *engine, dice);
    TinyTable twice = PublicTable();
    for (const Row& row : PublicTable().rows) twice.rows.push_back(row);
    engine->Load(twice);
    if (!trial.Faults(kRecords).empty()) ++seen;
  }
  EXPECT_GT(seen, 4);  // most records find no row
}

// The twin of ENGINE-9: what is believed about the rows of units, where no check has shown it.
TEST(PlanOnEngine, TheCheckAboveSeesABeliefThatIsWrong_ENGINE9) {
  const auto engine = OpenConfigured();
  Dice dice(stat::SeedForThisTest());
  std::size_t refused = 0;
  int seen = 0;
  for (int i = 0; i < 60 && seen <= 15; ++i) {
    const Case c = NextCase(
        dice, [](QuestionMaker& maker) { return maker.Simple(); }, refused);
    Trial trial(c, *engine, dice);
    trial.Believe(1);
    if (!trial.Faults(kRecords).empty()) ++seen;
  }
  EXPECT_GT(seen, 15);
}

// The twin of PLAN-6: priced as constant, but read as each row has it.
TEST(PlanOnEngine, TheCheckAboveSeesConstantColumnsThatAreReadFromEachRow_PLAN6) {
  const auto engine = OpenConfigured();
  Dice dice(stat::SeedForThisTest());
  std::size_t refused = 0;
  int seen = 0;
  const std::string counted = "SELECT count(DISTINCT id) FROM t GROUP BY z, k";
  for (int tried = 0; tried < 40 && seen <= 20;) {
    Case c = NextCase(
        dice, [&](QuestionMaker&) { return counted; }, refused);
    if (c.policy.unit.max_rows < 2) continue;
    ++tried;
    Policy varying = c.policy, constant = c.policy;
    for (auto [policy, flag] : {std::pair(&varying, false), std::pair(&constant, true)}) {
      for (Column& column : policy->tables[0].columns) {
        if (column.name != "z" && column.name != "k") continue;
        column.is_public = false;
        column.constant = flag;
      }
    }
    varying.cells = constant.cells = Cells::Of(constant.unit_table(), {});
    c.policy = c.seen = constant;
    c.plan = PlanQuestion(counted, constant).value();
    EXPECT_EQ(c.plan.statistics[0].change.l1().steps(), 2) << About(c);
    c.plan.statement = PlanQuestion(counted, varying).value().statement;
    if (!Trial(c, *engine, dice).Faults(kRecords).empty()) ++seen;
  }
  EXPECT_GT(seen, 20);
}

TEST(PlanOnEngine, TheCheckAboveSeesUnitsThatKeepAllTheirRows) {
  const auto plant = [](Case& c) {
    Policy many = c.policy;
    if (many.unit.key) many.unit.max_rows = 100;
    const auto loose = PlanQuestion(c.sql, many);
    if (!loose || loose->statistics[0].lattice != c.plan.statistics[0].lattice) return;
    c.plan.statement = loose->statement;
  };
  EXPECT_TRUE(MoreSeen(3, plant));
}

}  // namespace
}  // namespace kith::testing
