// PLAN-1 by trying: for random policies and questions, no replacement of one unit's record changes a statistic by more
// than the plan says, and none in a cell that is not charged. Once by the reference over all records, once by DuckDB on
// tables.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <stdexcept>

#include "query/plan.h"
#include "tests/query_bruteforce/random_questions.h"
#include "tests/support/stat.h"
#include "tests/support/tiny_db_engine.h"
#include "tests/support/tiny_db_neighbours.h"

namespace kith::testing {
namespace {

struct Case {
  Policy policy;
  std::string sql;
  Plan plan;
};

/// The next accepted question. Refusals must say "not supported", nothing else.
template <class Ask>
Case NextCase(Dice& dice, const Ask& ask, std::size_t& refused) {
  for (;;) {
    auto policy = Policy::Parse(RandomPolicy(dice), "random.toml");
    if (!policy) throw std::runtime_error(policy.error().Text());
    QuestionMaker maker(*policy, dice);
    const std::string sql = ask(maker);
    auto plan = PlanQuestion(sql, *policy);
    if (plan) return {*std::move(policy), sql, *std::move(plan)};
    if (plan.error().code != Code::kUnsupportedQuery) throw std::runtime_error(sql + "\n" + plan.error().Text());
    ++refused;
  }
}

std::string About(const Case& c) {
  std::string text = c.sql + "\n";
  text += c.policy.unit.presence == Presence::kPublic ? "presence public" : "presence secret";
  text += ", max_rows " + std::to_string(c.policy.unit.max_rows) + (c.policy.unit.key ? " by key" : " by row");
  for (const Column& column : c.policy.unit_table().columns) {
    text += "; " + column.name + (column.is_public ? " public" : "") + (column.required ? " required" : "");
    if (column.lower) text += " [" + std::to_string(*column.lower) + ", " + std::to_string(*column.upper) + "]";
  }
  for (const Statistic& s : c.plan.statistics)
    text += "\n" + s.name + ": " + std::to_string(s.sensitivity.steps()) + " steps of 2^" +
            std::to_string(s.lattice.exponent) + ", " + s.reason;
  return text;
}

std::string Dump(const TinyTable& table) {
  std::string text = "\n";
  for (const std::string& column : table.columns) text += column + " | ";
  for (const Row& row : table.rows) {
    text += "\n";
    for (const Datum& value : row) text += ToText(value) + " | ";
  }
  return text;
}

long double OwnUnits(const Statistic& s) {
  return static_cast<long double>(s.sensitivity.steps()) * std::ldexp(1.0L, s.lattice.exponent);
}

/// What rounding of rows to the lattice can add to a change in exact arithmetic: one step for each row, before and
/// after.
long double Rounding(const Case& c) {
  const int exponent = c.plan.statistics.at(0).lattice.exponent;
  return exponent == 0 ? 0 : static_cast<long double>(2 * c.policy.unit.max_rows) * std::ldexp(1.0L, exponent);
}

bool BoundHolds(const Case& c, const BruteForce& brute) {
  return brute.sensitivity.at(0) <= OwnUnits(c.plan.statistics.at(0)) + Rounding(c);
}

bool ChargesHold(const Case& c, const BruteForce& brute) {
  for (std::size_t cell = 0; cell < brute.change.size(); ++cell)
    if (brute.change[cell][0] > Rounding(c) && !c.plan.charged.at(cell)) return false;
  return true;
}

BruteForce Try(const Case& c) {
  const Question question = ParseQuestion(c.sql);
  return TryAllNeighbours(c.policy, Reference(c.policy, question, AggregatesOf(question)), {2000, 4});
}

TEST(PlanBound, HoldsForAllNeighboursOfTheReference_PLAN1) {
  Dice dice(stat::SeedForThisTest());
  std::size_t refused = 0;
  for (int i = 0; i < 1500; ++i) {
    const Case c = NextCase(
        dice, [](QuestionMaker& maker) { return maker.OneAggregate(); }, refused);
    ASSERT_EQ(c.plan.statistics.size(), 1u) << About(c);
    const BruteForce brute = Try(c);
    EXPECT_TRUE(BoundHolds(c, brute)) << About(c) << "\nchanges by " << static_cast<double>(brute.sensitivity[0]);
    EXPECT_TRUE(ChargesHold(c, brute)) << About(c) << "\na cell changes that is not charged";
  }
  EXPECT_LT(refused, 1500u) << "the grammar makes too many questions that are refused";
}

// The twin: a planner that halves, or that does not charge, must be seen in many of the same questions.
TEST(PlanBound, TheCheckAboveSeesPlantedFaults) {
  Dice dice(stat::SeedForThisTest());
  std::size_t refused = 0;
  int halved = 0;
  int uncharged = 0;
  for (int i = 0; i < 300; ++i) {
    Case c = NextCase(
        dice, [](QuestionMaker& maker) { return maker.OneAggregate(); }, refused);
    const BruteForce brute = Try(c);
    Statistic& s = c.plan.statistics[0];
    s.sensitivity = Sensitivity::Make(s.sensitivity.steps() / 2).value();
    c.plan.charged.assign(c.plan.charged.size(), false);
    if (!BoundHolds(c, brute)) ++halved;
    if (!ChargesHold(c, brute)) ++uncharged;
  }
  EXPECT_GT(halved, 60);
  EXPECT_GT(uncharged, 100);
}

// One row, one column for each part of the question: then the bound is what some two records really reach.
TEST(PlanBound, IsReachedBySimpleQuestions) {
  Dice dice(stat::SeedForThisTest());
  std::size_t refused = 0;
  std::size_t reached = 0;
  for (int i = 0; i < 600; ++i) {
    const Case c = NextCase(
        dice, [](QuestionMaker& maker) { return maker.Simple(); }, refused);
    if (c.policy.unit.max_rows > 1) continue;
    const BruteForce brute = Try(c);
    EXPECT_NEAR(static_cast<double>(brute.sensitivity[0]), static_cast<double>(OwnUnits(c.plan.statistics[0])), 1e-6)
        << About(c);
    EXPECT_EQ(brute.Changed(), c.plan.charged) << About(c);
    ++reached;
  }
  EXPECT_GT(reached, 300u);
}

/// Records of one unit as lists of rows: nothing (if presence is secret), one row, duplicates, and more rows than are
/// kept.
std::vector<std::vector<Row>> Records(const Case& c, const TinyTable& table, const Row& open,
                                      const std::vector<Datum>& literals, std::size_t count, Dice& dice) {
  std::vector<std::vector<Row>> records;
  const bool keyed = c.policy.unit.key.has_value();
  if (c.policy.unit.presence == Presence::kSecret) records.push_back({});
  while (records.size() < count) {
    const std::size_t rows = keyed ? 1 + dice.Below(static_cast<std::size_t>(c.policy.unit.max_rows) + 1) : 1;
    std::vector<Row> record;
    for (std::size_t r = 0; r < rows; ++r) {
      const bool duplicate = r > 0 && dice.Chance(25);
      record.push_back(duplicate ? record.back() : RandomSecrets(c.policy, table, open, literals, dice));
    }
    records.push_back(std::move(record));
  }
  return records;
}

std::size_t CellOf(const Case& c, const TinyTable& table, const Row& read) {
  std::size_t cell = 0;
  for (const CellColumn& column : c.policy.cells.columns()) {
    std::size_t at = 0;
    while (table.columns[at] != column.name) ++at;
    std::size_t value = 0;
    while (!(FromPolicyValue(column.values[value], table.types[at]) == read[at])) ++value;
    cell = cell * column.values.size() + value;
  }
  return cell;
}

using Integers = std::vector<std::vector<Int128>>;

Int128 Distance(const std::vector<Int128>& a, const std::vector<Int128>& b) {
  Int128 distance = 0;
  for (std::size_t g = 0; g < a.size(); ++g) distance += a[g] > b[g] ? a[g] - b[g] : b[g] - a[g];
  return distance;
}

class OnDuckDb : public ::testing::Test {
 protected:
  /// Other units, a row without key, and the records of the unit that changes. Runs the plan's SQL for each.
  void TryTables(const Case& c, Dice& dice) {
    const Question question = ParseQuestion(c.sql);
    const Reference reference(c.policy, question, AggregatesOf(question));
    const std::vector<Datum> literals = LiteralsOf(reference);
    TinyTable table = EmptyTable(c.policy.unit_table());
    std::vector<Row> others;
    for (int unit = 2; unit <= 3; ++unit) {
      const Row open = Keyed(c, table, RandomPublic(c.policy, table, literals, dice), IntegerDatum(unit));
      for (const auto& record : Records(c, table, open, literals, 2, dice))
        others.insert(others.end(), record.begin(), record.end());
    }
    if (c.policy.unit.key)
      others.push_back(RandomSecrets(c.policy, table,
                                     Keyed(c, table, RandomPublic(c.policy, table, literals, dice), NullDatum()),
                                     literals, dice));
    const Row open = Keyed(c, table, RandomPublic(c.policy, table, literals, dice), IntegerDatum(1));
    const bool charged = c.plan.charged.at(CellOf(c, table, reference.Read(table, open)));
    std::vector<Integers> results;
    for (const auto& record : Records(c, table, open, literals, kRecords, dice)) {
      table.rows = others;
      table.rows.insert(table.rows.end(), record.begin(), record.end());
      std::shuffle(table.rows.begin(), table.rows.end(), shuffle_);
      engine_->Load(table);
      results.push_back(StatisticsOf(c.plan, engine_->Run(c.plan.duckdb_sql)));
      ++runs_;
      CompareWithReference(c, reference, table, results.back());
      if (HasFatalFailure()) return;
    }
    for (std::size_t s = 0; s < c.plan.statistics.size(); ++s)
      for (const Integers& a : results)
        for (const Integers& b : results) {
          const Int128 distance = Distance(a[s], b[s]);
          ASSERT_LE(distance, c.plan.statistics[s].sensitivity.steps())
              << About(c) << "\nchanges by " << ToText(distance);
          ASSERT_TRUE(charged || distance == 0) << About(c) << "\nchanges in a cell that is not charged";
          if (distance > 0) ++changes_;
        }
  }

  static Row Keyed(const Case& c, const TinyTable& table, Row row, const Datum& key) {
    if (c.policy.unit.key)
      row[static_cast<std::size_t>(std::find(table.columns.begin(), table.columns.end(), *c.policy.unit.key) -
                                   table.columns.begin())] = key;
    return row;
  }

  /// The same answer from the reference, if no unit has rows to drop.
  void CompareWithReference(const Case& c, const Reference& reference, const TinyTable& table,
                            const Integers& integers) {
    if (c.policy.unit.key) {
      std::map<Datum, std::int64_t> rows;
      for (const Row& row : table.rows)
        if (++rows[row[0]] > c.policy.unit.max_rows) return;
    }
    const std::vector<Row> expected = reference.Answer(table);
    const auto actual = ExactAnswer(c.plan, integers);
    ASSERT_EQ(expected.size(), actual.size()) << About(c);
    for (std::size_t r = 0; r < expected.size(); ++r)
      for (std::size_t i = 0; i < expected[r].size(); ++i) {
        const std::string a = ToText(expected[r][i]);
        const std::string b = ToText(actual[r][i]);
        if (a == b || a == kNoMean) continue;
        ASSERT_TRUE(expected[r][i].numeric()) << About(c) << "\nreference " << a << ", engine " << b << Dump(table);
        ASSERT_NEAR(static_cast<double>(expected[r][i].number), std::stod(b), 1e-6)
            << About(c) << "\nrow " << r << ", column " << i << Dump(table);
      }
    ++compared_;
  }

  static constexpr std::size_t kRecords = 12;
  std::unique_ptr<SqlRunner> engine_ = OpenDuckDb();
  std::mt19937 shuffle_{7};
  std::size_t runs_ = 0;
  std::size_t compared_ = 0;
  std::size_t changes_ = 0;
};

TEST_F(OnDuckDb, NoNeighbourChangesMoreThanThePlanSays_PLAN1) {
  Dice dice(stat::SeedForThisTest());
  std::size_t refused = 0;
  for (int i = 0; i < 250; ++i) {
    const Case c = NextCase(
        dice, [](QuestionMaker& maker) { return maker.Many(); }, refused);
    ASSERT_NO_THROW(TryTables(c, dice)) << About(c) << "\n" << c.plan.duckdb_sql;
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(compared_, runs_ / 4);
  EXPECT_GT(changes_, runs_);
}

}  // namespace
}  // namespace kith::testing
