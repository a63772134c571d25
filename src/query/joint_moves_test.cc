// Moves of several statistics at once, against every pair of rows that there can be.
#include "query/joint_moves.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <set>

#include "query/bounds.h"
#include "query/test_policy.h"

namespace kith {
namespace {

using Row = std::vector<std::int64_t>;  // what it adds to each statistic, in steps
using Weights = std::vector<double>;

constexpr char kByKey[] = "key = \"id\"\nmax_rows = 3\npresence = \"secret\"";
constexpr char kSecret[] = "row = true\npresence = \"secret\"";

struct Asked {
  Plan plan;
  std::vector<JointMove> moves;
};

Asked Ask(const std::string& sql, const Policy& policy = TestPolicy()) {
  auto plan = PlanQuestion(sql, policy);
  EXPECT_TRUE(plan.has_value()) << plan.error().Text();
  auto moves = JointMovesOf(sql, policy, *plan);
  return {*std::move(plan), std::move(moves)};
}

double Lost(const std::vector<std::int64_t>& move, const Weights& weights) {
  double sum = 0;
  for (std::size_t k = 0; k < move.size(); ++k) sum += static_cast<double>(std::abs(move[k])) * weights[k];
  return sum;
}

double MostLost(const std::vector<JointMove>& moves, const Weights& weights) {
  double most = 0;
  for (const JointMove& move : moves) most = std::max(most, Lost(move, weights));
  return most;
}

/// The largest of what two rows differ by, in parts of what the moves say, over many weights; and the least over
/// weights: how near the moves come to what rows reach.
struct Reach {
  double largest = 0, least = 2;
};
Reach ReachOf(const Asked& asked, const std::vector<Row>& rows, const std::vector<JointMove>& moves) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> uniform(0, 1);
  Reach reach;
  for (int i = 0; i < 12; ++i) {
    Weights weights;
    for (const Statistic& statistic : asked.plan.statistics) {
      const auto change = static_cast<double>(std::max<std::int64_t>(1, statistic.change.l1().steps()));
      weights.push_back((i == 0 ? 1 : uniform(random)) / change);
    }
    double most = 0;
    for (const Row& a : rows) {
      for (const Row& b : rows) {
        Row difference;
        for (std::size_t k = 0; k < a.size(); ++k) difference.push_back(a[k] - b[k]);
        most = std::max(most, Lost(difference, weights));
      }
    }
    const double part = most / std::max(1e-9, MostLost(moves, weights));
    reach.largest = std::max(reach.largest, part);
    reach.least = std::min(reach.least, part);
  }
  return reach;
}

std::vector<Row> RowsOf(int low, int high, const std::function<Row(std::int64_t)>& row) {
  std::vector<Row> rows = {Row(row(low).size())};  // NULL
  for (int x = low; x <= high; ++x) rows.push_back(row(x));
  return rows;
}

Row OfVariance(std::int64_t age) { return {1, age - 60, (age - 60) * (age - 60) - 1800}; }

TEST(JointMoves, WhoChangesAValueDoesNotChangeTheCount) {
  const Asked asked = Ask("SELECT avg(age) FROM people");
  ASSERT_EQ(asked.plan.statistics[0].name, "sum(age - 60) for avg(age)");
  const std::set<JointMove> expected = {{120, 0}, {60, 1}}, found(asked.moves.begin(), asked.moves.end());
  EXPECT_EQ(found, expected);
}

TEST(JointMoves, RowsOfAUnitAddUp) {
  const Asked asked = Ask("SELECT avg(age) FROM people", TestPolicy(kByKey));
  const std::set<JointMove> expected = {{360, 0}, {180, 3}}, found(asked.moves.begin(), asked.moves.end());
  EXPECT_EQ(found, expected);
}

// NULL in one column and not in the other is a separate move.
TEST(JointMoves, NullInOneColumnAlone) {
  const Asked asked = Ask("SELECT count(age), count(score), count(*) FROM people", TestPolicy(kSecret));
  EXPECT_TRUE(asked.moves.empty());  // a row with both comes or goes
  const Asked there = Ask("SELECT avg(age), count(score) FROM people");
  ASSERT_FALSE(there.moves.empty());
  ASSERT_EQ(there.plan.statistics[2].name, "count(score)");
  const auto has = [&](const JointMove& move) {
    return std::find(there.moves.begin(), there.moves.end(), move) != there.moves.end();
  };
  EXPECT_TRUE(has({120, 0, 1}));
  EXPECT_TRUE(has({60, 1, 1}));
}

TEST(JointMoves, SecretGroupsAreLeftByAllAtOnce) {
  EXPECT_TRUE(Ask("SELECT ill, avg(age) FROM people GROUP BY ill").moves.empty());
  EXPECT_TRUE(Ask("SELECT ill, variance(age), covar_pop(age, pulse) FROM people GROUP BY ill").moves.empty());
  EXPECT_FALSE(Ask("SELECT sex, avg(age) FROM people GROUP BY sex").moves.empty());
  // Nobody is both young and old: leaving one group and entering another moves two counts by 1, or one by 2.
  const Asked apart =
      Ask("SELECT ill, count(*) FILTER (WHERE age < 30), count(*) FILTER (WHERE age >= 30) FROM people GROUP BY ill");
  const std::set<JointMove> expected = {{2, 0}, {0, 2}, {1, 1}}, found(apart.moves.begin(), apart.moves.end());
  EXPECT_EQ(found, expected);
}

TEST(JointMoves, NothingIsSaidWhereOtherRulesHold) {
  EXPECT_TRUE(Ask("SELECT sex, avg(age) FROM people GROUP BY ROLLUP (sex)").moves.empty());
  EXPECT_TRUE(Ask("SELECT sum(age) FROM people").moves.empty());
  EXPECT_TRUE(Ask("SELECT count(*), sum(age) FROM people", TestPolicy(kSecret)).moves.empty());
}

// Every pair of ages, NULL included.
TEST(JointMoves, CoverEveryPairOfRows_JOINT1) {
  const Asked variance = Ask("SELECT var_pop(age) FROM people");
  ASSERT_EQ(variance.plan.statistics[0].name, "count(age)");
  const Reach of_variance = ReachOf(variance, RowsOf(0, 120, OfVariance), variance.moves);
  EXPECT_LE(of_variance.largest, 1 + 1e-12);
  EXPECT_GE(of_variance.least, 0.97);

  // A rounded square: each row is on the lattice.
  const Asked real = Ask("SELECT stddev(score) FROM people");
  const auto of_score = [&](std::int64_t i) {
    const double d = (-1 + static_cast<double>(i) / 20) - 1.0;
    const auto steps = [&](double x, std::size_t k) {
      return static_cast<std::int64_t>(Quantise(x, real.plan.statistics[k].lattice));
    };
    return Row{1, steps(d, 1), steps(d * d - 2.0, 2)};
  };
  const Reach of_real = ReachOf(real, RowsOf(0, 80, of_score), real.moves);
  EXPECT_LE(of_real.largest, 1 + 1e-12);
  EXPECT_GE(of_real.least, 0.97);

  const Asked pair = Ask("SELECT covar_pop(age, pulse) FROM people");
  std::vector<Row> rows = {Row(4)};
  for (std::int64_t age = 0; age <= 120; age += 15) {
    for (std::int64_t pulse = 40; pulse <= 200; pulse += 20)
      rows.push_back({1, age - 60, pulse - 120, (age - 60) * (pulse - 120)});
  }
  const Reach of_pair = ReachOf(pair, rows, pair.moves);
  EXPECT_LE(of_pair.largest, 1 + 1e-12);
  EXPECT_GE(of_pair.least, 0.85);
}

// Only some rows pass, some of them by a condition on the value itself.
TEST(JointMoves, CoverEveryPairOfRowsBehindConditions_JOINT1) {
  const Asked asked = Ask("SELECT avg(age), count(*) FILTER (WHERE age > 33) FROM people WHERE smoker");
  ASSERT_EQ(asked.plan.statistics.size(), 3u);
  const auto row = [](std::int64_t age) { return Row{age - 60, 1, age > 33 ? 1 : 0}; };
  const Reach reach = ReachOf(asked, RowsOf(0, 120, row), asked.moves);
  EXPECT_LE(reach.largest, 1 + 1e-12);
  EXPECT_GE(reach.least, 0.9);
}

// The twins: moves only of rows that come and go; moves that are a hundredth too small; values without NULL.
TEST(JointMoves, TheChecksAboveSeePlantedFaults) {
  const Asked asked = Ask("SELECT var_pop(age) FROM people");
  const auto rows = RowsOf(0, 120, OfVariance);
  std::vector<JointMove> gone = asked.moves, stays = asked.moves, small = asked.moves;
  std::erase_if(gone, [](const JointMove& move) { return move[0] == 0; });
  std::erase_if(stays, [](const JointMove& move) { return move[0] != 0; });
  for (JointMove& move : small) {
    for (auto& steps : move) steps = steps * 19 / 20;
  }
  for (const auto& moves : {gone, stays, small}) {
    ASSERT_FALSE(moves.empty());
    EXPECT_GT(ReachOf(asked, rows, moves).largest, 1.01);
  }
}

}  // namespace
}  // namespace kith
