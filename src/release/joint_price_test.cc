// One price for several statistics: whole numbers, against every move.
#include "release/joint_price.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "policy/growth.h"
#include "release/question_release.h"
#include "tests/support/policies.h"

namespace kith {
namespace {

const PlainUnits kOne = PlainUnits::Of(PlainUnits::kOne);

Policy People(const std::string& unit = "row = true\npresence = \"secret\"") {
  return testing::MakePolicy("[data]\ntables.people = \"people.csv\"\n[unit]\ntable = \"people\"\n" + unit + R"(
[columns.people]
id = { type = "integer" }
x = { lower = 0, upper = 100, required = true }
y = { lower = -3.5, upper = 4.25 }
sex = { values = ["f", "m"], public = true, required = true }
[dependence]
source = "public"
kind = "independent"
[budget]
epsilon = 1.0
ledger = "people.ledger"
)");
}

struct Asked {
  Plan plan;
  std::vector<JointMove> moves;
  Priced together, apart;
};

Price AtEpsilon(double epsilon) {
  Price price;
  price.epsilon = epsilon;
  return price;
}

Asked Ask(const std::string& sql, const Price& price = AtEpsilon(1), const Policy& policy = People()) {
  Asked asked;
  asked.plan = PlanQuestion(sql, policy).value();
  asked.moves = JointMovesOf(sql, policy, asked.plan);
  asked.together = PriceJointly(asked.plan, asked.moves, price, 1.0, kOne).value();
  asked.apart = PriceQuestion(asked.plan, price, 1.0, kOne).value();
  return asked;
}

// What a move loses by the noise that is really added, in units: exact, except for the division.
long double Lost(const Asked& asked, const JointMove& move) {
  long double sum = 0;
  for (std::size_t k = 0; k < move.size(); ++k) {
    if (!asked.plan.statistics[k].noisy()) continue;
    if (asked.plan.statistics[k].quantile) {
      EXPECT_EQ(move[k], asked.plan.statistics[k].change.l1().steps());
      sum += static_cast<long double>(asked.together.shares[k].count());
      continue;
    }
    const Noise& noise = asked.together.laws[k].noise;
    sum += static_cast<long double>(move[k]) * static_cast<long double>(noise.loss().amount(LossKind::kPure)) /
           static_cast<long double>(noise.change().l1().steps());
  }
  return sum;
}

bool IsCovered(const Asked& asked) {
  return std::all_of(asked.moves.begin(), asked.moves.end(), [&](const JointMove& move) {
    return Lost(asked, move) <= static_cast<long double>(asked.together.total.count());
  });
}

const char* const kQuestions[] = {"SELECT avg(x) FROM people",
                                  "SELECT variance(x) FROM people",
                                  "SELECT avg(y), stddev(y) FROM people",
                                  "SELECT covar_pop(x, y) FROM people",
                                  "SELECT corr(x, y), avg(x) FROM people",
                                  "SELECT sex, avg(x), avg(y) FROM people GROUP BY sex",
                                  "SELECT median(x), avg(x) FROM people"};

// Values from 0 to 100, summed as distances from 50: scales (2, 100), not (2, 200).
TEST(JointPrice, AnAverageGetsItsWholePrice) {
  const Asked asked = Ask("SELECT avg(x) FROM people");
  ASSERT_EQ(asked.plan.statistics[0].name, "sum(x - 50) for avg(x)");
  EXPECT_NEAR(asked.together.laws[0].noise.scale(), 100, 0.01);
  EXPECT_NEAR(asked.together.laws[1].noise.scale(), 2, 0.001);
  EXPECT_NEAR(asked.apart.laws[0].noise.scale(), 200, 0.01);
  EXPECT_NEAR(asked.apart.laws[1].noise.scale(), 2, 0.001);
  EXPECT_TRUE(IsJoint(asked.together));
  EXPECT_FALSE(IsJoint(asked.apart));
}

// Count, sum, centred squares: by hand (2.78, 156.25, 3906.25), where a value that changes from one end to an eighth
// beyond the middle costs everything, instead of (3, 300, 7500).
TEST(JointPrice, AVarianceToo) {
  const Asked asked = Ask("SELECT variance(x) FROM people");
  ASSERT_EQ(asked.plan.statistics[0].name, "count(*)");
  const auto scale = [&](std::size_t k) { return asked.together.laws[k].noise.scale(); };
  EXPECT_NEAR(scale(0), 2.76, 0.03);
  EXPECT_GE(scale(1), 156.2);
  EXPECT_LT(scale(1), 158);
  EXPECT_GE(scale(2), 3906);
  EXPECT_LT(scale(2), 3950);
}

TEST(JointPrice, TheChargeCoversEveryMove_JOINT2) {
  for (const char* sql : kQuestions) {
    for (const double epsilon : {1.0, 0.37, 1e-4, 1e-8}) {
      for (const char* unit :
           {"row = true\npresence = \"secret\"", "key = \"id\"\nmax_rows = 3\npresence = \"public\""}) {
        const Asked asked = Ask(sql, AtEpsilon(epsilon), People(unit));
        EXPECT_FALSE(asked.moves.empty()) << sql;
        EXPECT_TRUE(IsCovered(asked)) << sql;
        EXPECT_LE(asked.together.total.epsilon(), epsilon) << sql;
        for (const PlainUnits share : asked.together.shares) EXPECT_LE(share, asked.together.total) << sql;
      }
    }
  }
}

// The twin: a thousandth more for every share; the charge of the separate shares' equal parts for joint noise.
TEST(JointPrice, TheCheckAboveSeesSharesThatAreTooLarge) {
  for (const char* sql : kQuestions) {
    Asked asked = Ask(sql);
    for (PlainUnits& share : asked.together.shares) share = PlainUnits::Of(share.count() + share.count() / 1000);
    asked.together.laws = MechanismsOf(asked.plan, asked.together.shares).value();
    EXPECT_FALSE(IsCovered(asked)) << sql;
  }
}

TEST(JointPrice, NoBarIsLargerThanWithSeparateShares) {
  for (const char* sql : kQuestions) {
    const Asked asked = Ask(sql);
    double gain = 1;
    for (std::size_t k = 0; k < asked.plan.statistics.size(); ++k) {
      EXPECT_LE(asked.together.noise[k].error_95, asked.apart.noise[k].error_95 * 1.0001) << sql;
      gain = std::min(gain, asked.together.noise[k].error_95 / asked.apart.noise[k].error_95);
    }
    EXPECT_LT(gain, 0.8) << sql;
  }
}

TEST(JointPrice, OneStatisticOrNoMovesKeepTheirPriceToTheUnit) {
  for (const char* sql : {"SELECT sum(x) FROM people", "SELECT sum(x), count(*) FROM people"}) {
    const Asked asked = Ask(sql, AtEpsilon(0.3));
    EXPECT_EQ(asked.together.shares, asked.apart.shares);
    EXPECT_EQ(asked.together.total, asked.apart.total);
  }
}

TEST(JointPrice, ASplitKeepsItsProportions) {
  Price price = AtEpsilon(0.5);
  price.split = {1, 3};
  const Asked asked = Ask("SELECT avg(x) FROM people", price);
  EXPECT_NEAR(asked.together.shares[1].epsilon() / asked.together.shares[0].epsilon(), 3, 1e-6);
  EXPECT_TRUE(IsCovered(asked));
  EXPECT_NEAR(asked.together.total.epsilon(), 0.5, 1e-6);
}

// Bars that are asked for stay; they cost less.
TEST(JointPrice, BarsThatAreAskedForCostLess) {
  Price price;
  price.error_95 = 200;
  const Asked asked = Ask("SELECT sum(x - 50), count(*) FROM people", price);
  EXPECT_EQ(asked.together.shares, asked.apart.shares);
  EXPECT_LT(asked.together.total, asked.apart.total);
  EXPECT_TRUE(IsCovered(asked));
}

// Columns in another order: the same shares, each for its own statistic.
TEST(JointPrice, TheOrderOfColumnsChangesNoShare) {
  const Asked one = Ask("SELECT avg(x), stddev(y) FROM people"), other = Ask("SELECT stddev(y), avg(x) FROM people");
  const auto moves = MovesInOrder(one.plan, one.moves, other.plan);
  ASSERT_TRUE(moves.has_value());
  const auto again = PriceJointly(other.plan, *moves, AtEpsilon(1), 1.0, kOne).value();
  EXPECT_EQ(again.shares, other.together.shares);
  for (std::size_t k = 0; k < one.plan.statistics.size(); ++k) {
    const auto& names = other.plan.statistics;
    const auto at = std::find_if(names.begin(), names.end(),
                                 [&](const Statistic& s) { return s.name == one.plan.statistics[k].name; });
    ASSERT_NE(at, names.end());
    EXPECT_EQ(one.together.shares[k], other.together.shares[static_cast<std::size_t>(at - names.begin())]);
  }
  EXPECT_FALSE(MovesInOrder(one.plan, one.moves, Ask("SELECT avg(x) FROM people").plan));
}

TEST(JointPrice, AnAnswerWithItsColumnsInAnotherOrderIsFoundAgain) {
  const Policy policy = People();
  const auto account = Accountant::Make(policy, BudgetCurve::Make(policy, {}, CancelFlag()).value()).value();
  const Asked asked = Ask("SELECT avg(x), stddev(y) FROM people");
  const PlainUnits budget = account.Budget(asked.plan.charged, UnitLevel::kPerson);
  const auto bound = [&](const std::string& sql) { return BindQuestion(sql, policy, kMaxQuestionBytes).value(); };
  QuestionRelease release({.price = AtEpsilon(0.5),
                           .about = std::make_shared<const Policy>(policy),
                           .bound = std::make_shared<const Question>(bound(asked.plan.normalised)),
                           .plan = asked.plan,
                           .readings = Readings(policy),
                           .moves = {.any = asked.moves},
                           .account = &account,
                           .epsilon_total = 1});
  release.priced = PriceJointly(asked.plan, asked.moves, AtEpsilon(0.5), 1, budget).value();
  ASSERT_TRUE(IsJoint(release.priced));
  const auto texts = release.OtherKeyTexts({});
  const auto has = [&](const std::string& sql, double epsilon) {
    const Asked other = Ask(sql);
    const std::string bare = bound(sql).bare;
    const Priced priced = PriceJointly(other.plan, other.moves, AtEpsilon(epsilon), 1, budget).value();
    const std::string text = KeyTextOf(bare, ReadingText(policy, bare), {}, UnitLevel::kPerson, false, priced);
    return std::find(texts.begin(), texts.end(), text) != texts.end();
  };
  EXPECT_TRUE(has("SELECT stddev(y), avg(x) FROM people", 0.5));
  EXPECT_FALSE(has("SELECT stddev(y), avg(x) FROM people", 0.25));
  EXPECT_FALSE(has("SELECT avg(y), stddev(y) FROM people", 0.5));
}

}  // namespace
}  // namespace kith
