// PLAN-1 on a real engine: random tables with NULLs, NaN, infinities, duplicates and too many rows, one unit's record
// replaced again and again. The plan's SQL must never fail, never change more than the plan says, and agree with the
// reference.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <random>
#include <stdexcept>

#include "query/joint_moves.h"
#include "tests/query_bruteforce/cases.h"
#include "tests/support/stat.h"
#include "tests/support/tiny_db_engine.h"
#include "tests/support/tiny_db_neighbours.h"

namespace kith::testing {
namespace {

using Integers = std::vector<std::vector<Int128>>;

std::string Dump(const TinyTable& table) {
  std::string text = "\n";
  for (const std::string& column : table.columns) text += column + " | ";
  for (const Row& row : table.rows) {
    text += "\n";
    for (const Datum& value : row) text += ToText(value) + " | ";
  }
  return text;
}

std::size_t IndexOf(const TinyTable& table, const std::string& column) {
  return static_cast<std::size_t>(std::find(table.columns.begin(), table.columns.end(), column) -
                                  table.columns.begin());
}

struct Distance {
  Int128 l1 = 0, l2_squared = 0, groups = 0;
};

Distance DistanceOf(const std::vector<Int128>& a, const std::vector<Int128>& b) {
  Distance distance;
  for (std::size_t g = 0; g < a.size(); ++g) {
    const Int128 difference = a[g] > b[g] ? a[g] - b[g] : b[g] - a[g];
    distance.l1 += difference;
    distance.l2_squared += difference * difference;
    distance.groups += difference > 0 ? 1 : 0;
  }
  return distance;
}

/// One question on tables of three units.
class Trial {
 public:
  Trial(const Case& c, SqlRunner& engine, Dice& dice)
      : case_(c),
        engine_(engine),
        dice_(dice),
        shuffle_(static_cast<unsigned>(dice.Below(1u << 30))),
        question_(ParseQuestion(c.sql)),
        reference_(c.seen, question_, AggregatesOf(question_), ImagesOf(c.plan), {PublicTable()}),
        literals_(LiteralsOf(reference_)),
        table_(EmptyTable(c.policy.unit_table())),
        rows_(c.policy, table_, literals_, dice),
        moves_(c.staged_policy ? JointMovesOf(c.staged_sql, *c.staged_policy, c.plan)
                               : JointMovesOf(c.sql, c.policy, c.plan)) {
    engine.Load(PublicTable());
  }

  /// What is wrong, in words; empty if nothing is.
  std::string Faults(std::size_t records) {
    std::vector<Row> others;
    for (const int unit : {2, 3})
      for (const auto& record : Records(rows_.Public(IntegerDatum(unit)), 2))
        others.insert(others.end(), record.begin(), record.end());
    if (case_.policy.unit.key) others.push_back(rows_.Secrets(rows_.Public(NullDatum())));
    const Row open = rows_.Public(IntegerDatum(1));
    std::vector<Integers> results;
    for (const auto& record : Records(open, records)) {
      table_.rows = others;
      table_.rows.insert(table_.rows.end(), record.begin(), record.end());
      std::shuffle(table_.rows.begin(), table_.rows.end(), shuffle_);
      engine_.Load(table_);
      results.push_back(StatisticsOf(case_.plan, engine_.Run(case_.plan.statement)));
      if (const std::string fault = ReferenceFault(results.back()); !fault.empty()) return fault;
      if (const std::string fault = FaultOfWhatIsKnown(results.back()); !fault.empty()) return fault;
    }
    return ChangeFault(results,
                       case_.plan.charged.at(CellOf(reference_.Read(EmptyTable(case_.seen.unit_table()), open))));
  }

  /// The same answer as the reference on a table of many units, each with as many rows as are kept or fewer.
  std::string FaultOfManyUnits(int units) {
    table_.rows.clear();
    const auto most = static_cast<std::size_t>(case_.policy.unit.max_rows);
    for (int unit = 1; unit <= units; ++unit) {
      const Row open = rows_.Public(IntegerDatum(unit)), first = rows_.Secrets(open);
      table_.rows.push_back(first);
      for (std::size_t rows = dice_.Below(most); rows > 0; --rows)
        table_.rows.push_back(rows_.WithConstantsOf(first, rows_.Secrets(open)));
    }
    engine_.Load(table_);
    const Integers integers = StatisticsOf(case_.plan, engine_.Run(case_.plan.statement));
    const std::string fault = ReferenceFault(integers);
    return fault.empty() ? FaultOfWhatIsKnown(integers) : fault;
  }

  /// Reads the table as if units had at most this many rows and all of them a key, whether or not it is so.
  void Believe(std::int64_t most) { belief_ = sql::UnitRows{.most = most, .all_have_keys = true}; }

  std::size_t compared() const { return compared_; }
  std::size_t changes() const { return changes_; }
  std::size_t shortened() const { return shortened_; }

 private:
  // Lists of rows: nothing (if presence is secret), one row, duplicates, and more rows than are kept.
  std::vector<std::vector<Row>> Records(const Row& open, std::size_t count) {
    std::vector<std::vector<Row>> records;
    if (case_.policy.unit.presence == Presence::kSecret) records.push_back({});
    while (records.size() < count) {
      const auto most = case_.policy.unit.key ? static_cast<std::size_t>(case_.policy.unit.max_rows) + 1 : 1;
      std::vector<Row> record;
      const bool constant = dice_.Chance(60);
      for (std::size_t rows = 1 + dice_.Below(most); rows > 0; --rows) {
        Row row = !record.empty() && dice_.Chance(25) ? record.back() : rows_.Secrets(open);
        record.push_back(constant && !record.empty() ? rows_.WithConstantsOf(record.front(), row) : row);
      }
      records.push_back(std::move(record));
    }
    return records;
  }
  std::size_t CellOf(const Row& read) const {
    std::size_t cell = 0;
    for (const CellColumn& column : case_.policy.cells.columns()) {
      const std::size_t at = IndexOf(table_, column.name);
      std::size_t value = 0;
      while (!(FromPolicyValue(column.values.at(value), table_.types[at]) == read[at])) ++value;
      cell = cell * column.values.size() + value;
    }
    return cell;
  }
  std::string ChangeFault(const std::vector<Integers>& results, bool charged) {
    for (std::size_t s = 0; s < case_.plan.statistics.size(); ++s)
      for (const Integers& a : results)
        for (const Integers& b : results) {
          const Distance distance = DistanceOf(a[s], b[s]);
          const Change& change = case_.plan.statistics[s].change;
          if (distance.l1 > change.l1().steps()) return "changes by " + ToText(distance.l1);
          if (distance.l2_squared > change.l2_squared()) return "changes in L2 by root " + ToText(distance.l2_squared);
          if (distance.groups > change.groups()) return "changes in groups: " + ToText(distance.groups);
          if (distance.l1 > 0 && !charged) return "changes in a cell that is not charged";
          if (distance.l1 > 0) ++changes_;
          const Int128 presence = case_.plan.statistics[s].OfPresence().l1().steps();
          const bool absent = &a == &results.front() && case_.policy.unit.presence == Presence::kSecret;
          if (absent && distance.l1 > presence) return "changes by presence by " + ToText(distance.l1);
        }
    return JointFault(results);
  }
  // For some weights, and all pairs: no more than the moves say.
  std::string JointFault(const std::vector<Integers>& results) {
    if (moves_.empty()) return {};
    const std::size_t n = case_.plan.statistics.size();
    for (int i = 0; i < 6; ++i) {
      std::vector<long double> weights;
      for (const Statistic& s : case_.plan.statistics) {
        const auto part = i == 0 ? 1.0L : static_cast<long double>(dice_.Below(100));
        weights.push_back(part / static_cast<long double>(std::max<std::int64_t>(1, s.change.l1().steps())));
      }
      long double most = 0;
      for (const JointMove& move : moves_) {
        long double sum = 0;
        for (std::size_t k = 0; k < n; ++k) sum += weights[k] * static_cast<long double>(move[k]);
        most = std::max(most, sum);
      }
      for (const Integers& a : results)
        for (const Integers& b : results) {
          long double sum = 0;
          for (std::size_t k = 0; k < n; ++k) sum += weights[k] * static_cast<long double>(DistanceOf(a[k], b[k]).l1);
          if (sum > most * (1 + 1e-12L)) return "changes together by more than the largest move";
        }
    }
    return {};
  }
  // The same answer from the reference, if no unit has rows to drop.
  std::string ReferenceFault(const Integers& integers) {
    const auto seen = SeenBy(question_, case_.policy, table_);
    if (!seen) return {};
    // Rows are rounded to the lattice; a sum whose rows have no useful bound has a coarse one.
    const double rows = static_cast<double>(table_.rows.size());
    double tolerance = 1e-7 * rows;
    for (const Statistic& s : case_.plan.statistics) tolerance = std::max(tolerance, rows * s.lattice.step());
    const std::vector<Row> expected = reference_.Answer(*seen);
    const auto actual = ExactAnswer(case_.plan, integers);
    if (expected.size() != actual.size()) return "another number of rows than the reference";
    for (std::size_t r = 0; r < expected.size(); ++r)
      for (std::size_t i = 0; i < expected[r].size(); ++i) {
        const std::string a = ToText(expected[r][i]);
        const std::string b = ToText(actual[r][i]);
        if (a == b || a == kNoMean) continue;
        const bool near = expected[r][i].numeric() && b != "NULL" &&
                          std::fabs(static_cast<double>(expected[r][i].number) - std::stod(b)) <= tolerance;
        if (!near) return "reference " + a + ", engine " + b + " in row " + std::to_string(r + 1) + Dump(table_);
      }
    ++compared_;
    return {};
  }

  // The same answer from the statement that runs where a check has shown how many rows units have [ENGINE-9].
  std::string FaultOfWhatIsKnown(const Integers& integers) {
    if (!case_.policy.unit.key) return {};
    sql::UnitRows known;
    Question rows = question_;
    rows.table = case_.policy.unit.table;
    rows.units.reset();
    if (SeenBy(rows, case_.policy, table_)) {
      std::map<Datum, std::int64_t> counts;
      known = {.most = 1, .all_have_keys = true};
      for (const Row& row : table_.rows) {
        const Datum& key = row[IndexOf(table_, *case_.policy.unit.key)];
        if (key.null()) known.all_have_keys = false;
        if (!key.null()) known.most = std::max(*known.most, ++counts[key]);
      }
    }
    if (belief_) known = *belief_;
    if (!known.most) return {};
    const std::string text = engine_.dialect().Write(case_.plan.statement, known);
    shortened_ += text != engine_.dialect().Write(case_.plan.statement) ? 1 : 0;
    if (StatisticsOf(case_.plan, engine_.Run(text)) == integers) return {};
    return "another answer where it is known how many rows units have: " + text + Dump(table_);
  }

  const Case& case_;
  SqlRunner& engine_;
  Dice& dice_;
  std::mt19937 shuffle_;
  Question question_;
  Reference reference_;
  std::vector<Datum> literals_;
  TinyTable table_;
  RowMaker rows_;
  std::size_t compared_ = 0;
  std::size_t changes_ = 0;
  std::size_t shortened_ = 0;
  std::optional<sql::UnitRows> belief_;
  std::vector<JointMove> moves_;
};

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
  constexpr std::size_t kAll = 120;
  const std::size_t questions = cases != nullptr ? static_cast<std::size_t>(std::atoi(cases)) : kAll;
  ASSERT_GT(questions, 0u);
  for (std::size_t i = 0; i < questions; ++i) {
    const auto ask = [&](QuestionMaker& maker) { return i % 3 == 0 ? maker.OneAggregate() : maker.Many(); };
    const Case c = NextCase(dice, ask, refused);
    Trial trial(c, *engine, dice);
    std::string fault;
    ASSERT_NO_THROW(fault = trial.Faults(12)) << About(c) << "\n" << engine->dialect().Write(c.plan.statement);
    EXPECT_EQ(fault, "") << About(c);
    compared += trial.compared();
    changes += trial.changes();
    shortened += trial.shortened();
  }
  // Of a few questions none may be about units that have a key.
  const bool all = questions >= kAll;
  EXPECT_GT(compared, all ? 350u : 0u);  // answers, out of 1,440
  EXPECT_GT(changes, all ? 1500u : 0u);  // pairs of records, out of 17,280 or more
  if (all) {
    EXPECT_GT(shortened, 40u);
  }
}

// Planned without a number, asked with it: PLAN-1 and the meaning of the question, whatever the number is.
TEST(PlanOnEngine, NoNumberOfAStageChangesMoreThanThePlanSays_STAGE1) {
  const auto engine = OpenConfigured();
  Dice dice(stat::SeedForThisTest() + (std::getenv("KITH_TEST_POSTGRESQL") != nullptr ? 1 : 0));
  const char* longer = std::getenv("KITH_STAGE_CASES");
  const int cases = longer != nullptr ? std::atoi(longer) : 30;
  std::size_t refused = 0, compared = 0, changes = 0;
  for (int i = 0; i < cases; ++i) {
    const auto ask = [&](QuestionMaker& maker) { return i % 3 == 0 ? maker.OneAggregate() : maker.Many(); };
    const Case c = i % 5 == 4 ? NextStagedCase(
                                    dice, [&](QuestionMaker&) { return AskPerUnit(dice); }, refused)
                              : NextStagedCase(dice, ask, refused);
    Trial trial(c, *engine, dice);
    std::string fault;
    ASSERT_NO_THROW(fault = trial.Faults(10)) << About(c) << "\n" << engine->dialect().Write(c.plan.statement);
    EXPECT_EQ(fault, "") << About(c);
    compared += trial.compared();
    changes += trial.changes();
  }
  EXPECT_GT(compared, static_cast<std::size_t>(cases));
  EXPECT_GT(changes, static_cast<std::size_t>(cases) * 5);
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
    seen += Trial(c, *engine, dice).Faults(12).empty() ? 0 : 1;
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
    std::string fault;
    ASSERT_NO_THROW(fault = trial.Faults(12)) << About(c) << "\n" << engine->dialect().Write(c.plan.statement);
    EXPECT_EQ(fault, "") << About(c);
    compared += trial.compared();
    changes += trial.changes();
  }
  EXPECT_GT(compared, static_cast<std::size_t>(cases) / 5);  // answers, out of 12 for each question
  EXPECT_GT(changes, static_cast<std::size_t>(cases) * 10);  // pairs of records
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
    halved += Trial(c, *engine, dice).Faults(12).empty() ? 0 : 1;
    // Windows under the price of one row for each unit.
    c = NextPerUnit(dice, refused, [](Dice&) {
      return std::string("SELECT sum(v) FROM (SELECT id, max(h) AS v FROM t GROUP BY id) u");
    });
    const std::string windows = "SELECT sum(v) FROM (SELECT id, max(h) OVER (PARTITION BY id) AS v FROM t) u";
    c.plan.statement = PlanQuestion(windows, c.policy).value().statement;
    several += Trial(c, *engine, dice).Faults(12).empty() ? 0 : 1;
  }
  EXPECT_GT(halved, 5);
  EXPECT_GT(several, 5);
}

// More rows than fit one vector of the engine.
TEST(PlanOnEngine, AgreesWithTheReferenceOnLargerTables) {
  const auto engine = OpenConfigured();
  Dice dice(stat::SeedForThisTest());
  std::size_t refused = 0;
  for (int i = 0; i < 40; ++i) {
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
    if (!trial.Faults(12).empty()) ++seen;
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
    if (!trial.Faults(12).empty()) ++seen;
  }
  EXPECT_GT(seen, 4);  // most records find no row
}

// The twin of ENGINE-9: what is believed of the rows of units, where no check has shown it.
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
    if (!trial.Faults(12).empty()) ++seen;
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
    if (!Trial(c, *engine, dice).Faults(12).empty()) ++seen;
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
