// What every transfer function owes: not below the exact loss of its class, monotone, composable, and a way back.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/meter.h"
#include "dependence/graph_builder.h"
#include "tests/support/small_laws.h"
#include "tests/support/stat.h"
#include "tests/support/vectors.h"
#include "transfer/delta.h"
#include "transfer/field/cliques.h"
#include "transfer/transfer.h"

namespace kith {
namespace {

using testing::Dice;
using testing::SmallLaw;

Joint Declared(const SmallLaw& law) { return {{law.values.begin(), law.values.end()}, law.law}; }

/// A hub of `values` values and spokes that are independent given it.
struct RandomStar {
  SmallLaw law;
  Star model;
};

RandomStar MakeStar(Dice& dice, int values, int spokes) {
  RandomStar star;
  star.law.values.assign(static_cast<std::size_t>(spokes) + 1, 2);
  star.law.values[0] = values;
  for (int j = 0; j < spokes; ++j) {
    star.model.neighbours.emplace_back();
    for (int a = 0; a < values; ++a) star.model.neighbours.back().push_back(testing::RandomLaw(dice, 2));
  }
  const std::size_t states = static_cast<std::size_t>(values) << spokes;
  for (std::size_t x = 0; x < states; ++x) {
    double p = 1.0 / values;
    for (int j = 0; j < spokes; ++j) {
      const auto& row =
          star.model.neighbours[static_cast<std::size_t>(j)][static_cast<std::size_t>(star.law.Value(x, 0))];
      p *= row[static_cast<std::size_t>(star.law.Value(x, j + 1))];
    }
    star.law.law.push_back(p);
  }
  return star;
}

TEST(StarProperty, EqualsExactOnStarsAndCoversKnownNeighbours) {
  Dice dice(stat::SeedForThisTest());
  for (int trial = 0; trial < 80; ++trial) {
    const RandomStar star = MakeStar(dice, 2 + dice.Below(2), 1 + dice.Below(3));
    const double step = dice.Between(0.05, 1.5);
    const double bound = Transfer::Make(star.model)->Loss(step)->dependent;
    std::vector<int> steps(star.law.values.size(), 1);
    EXPECT_NEAR(bound, testing::EnumeratedLoss(star.law, 0, steps, step), 1e-12);
    const SmallLaw known = star.law.Given(1, 0);
    steps.pop_back();
    if (known.law.empty()) continue;
    EXPECT_GE(bound, testing::EnumeratedLoss(known, 0, steps, step) - 1e-12);
  }
}

TEST(StarProperty, ATableThatIsTooTameIsCaught) {
  const LawTable declared = {{0.8, 0.2}, {0.2, 0.8}};
  const SmallLaw truth{{2, 2}, {0.5 * 0.81, 0.5 * 0.19, 0.5 * 0.2, 0.5 * 0.8}};
  EXPECT_LT(Transfer::Make(Star{{declared}})->Loss(1)->dependent, testing::EnumeratedLoss(truth, 0, {1, 1}, 1) - 1e-4);
}

// The assumption matters: pairwise tables of an exclusive or look independent, and the loss is twice what they promise.
TEST(StarProperty, IsExceededByAnExclusiveOr) {
  const SmallLaw exclusive_or{{2, 2, 2}, {.25, 0, 0, .25, 0, .25, .25, 0}};
  const LawTable independent = {{.5, .5}, {.5, .5}};
  const auto loss = Transfer::Make(Star{{independent, independent}})->Loss(1).value();
  EXPECT_EQ(loss.bound, "star");
  EXPECT_NEAR(loss.dependent, 1, 1e-12);
  EXPECT_NEAR(testing::EnumeratedLoss(exclusive_or, 0, {1, 1, 1}, 1), 2, 1e-12);
}

double LargestDistance(const SmallLaw& law) {
  double largest = 0;
  for (int i = 0; i < law.records(); ++i) {
    for (int a = 0; a < law.values[static_cast<std::size_t>(i)]; ++a) {
      for (int b = 0; b < a; ++b) {
        const SmallLaw p = law.Given(i, a);
        const SmallLaw q = law.Given(i, b);
        double distance = 0;
        for (std::size_t z = 0; z < p.law.size() && z < q.law.size(); ++z)
          distance += std::abs(p.law[z] - q.law[z]) / 2;
        largest = std::max(largest, distance);
      }
    }
  }
  return largest;
}

TEST(OverlapProperty, IsNeverBelowExact) {
  Dice dice(stat::SeedForThisTest());
  for (int trial = 0; trial < 100; ++trial) {
    const SmallLaw law = testing::RandomJoint(dice, {2, 2, 2});
    const double step = dice.Between(0.05, 1.5);
    const double eta = std::min(1.0, LargestDistance(law) * (1 + 1e-12));
    const double bound = Transfer::Make(Overlap{3, eta})->Loss(step)->dependent;
    for (int i = 0; i < 3; ++i) EXPECT_GE(bound, testing::EnumeratedLoss(law, i, {1, 1, 1}, step) - 1e-12);
  }
}

// Two records that are equal with probability eta and otherwise unrelated attain the bound; a smaller eta is caught.
TEST(OverlapProperty, ASmallerEtaIsCaught) {
  const double eta = 0.3;
  const SmallLaw law{{2, 2},
                     {0.5, 0, 0.5 * (1 - eta), 0.5 * eta}};  // X_2 = 1 only if X_1 = 1, then with probability eta
  const double truth = testing::EnumeratedLoss(law, 0, {1, 1}, 1);
  EXPECT_NEAR(Transfer::Make(Overlap{2, eta})->Loss(1)->dependent, truth, 1e-12);
  EXPECT_LT(Transfer::Make(Overlap{2, 0.99 * eta})->Loss(1)->dependent, truth - 1e-4);
}

TEST(OverlapProperty, MeetsTheVectors) {
  for (const auto& v : testing::Vectors("transfer", "transfer.overlap.")) {
    const auto loss =
        Transfer::Make(Overlap{v.inputs.at("size"), v.inputs.at("eta")})->Loss(v.inputs.at("plain")).value();
    EXPECT_NEAR(loss.dependent, v.expected.get<double>(), v.tolerance) << v.id;
    EXPECT_EQ(loss.bound, "overlap");
    EXPECT_EQ(loss.bounds.size(), 2U);
  }
}

/// A model of every kind.
std::vector<Model> Models(Dice& dice) {
  const auto law = [&](int m) { return testing::RandomLaw(dice, m); };
  Field field{5,      {{0, 1, dice.Between(0, 2)}, {1, 2, 1.0}, {2, 3, 0.5}, {3, 0, 0.7}}, {{{1, 3, 4}, 0.4}}, {4}, {},
              nullptr};
  Field rare = field;
  rare.prevalence = Prevalence{0.01, 0.2};
  return {Independent{},
          Group{3, {{"", std::nullopt}}},
          Group{5, {{"", dice.Between(1, 20)}}},
          Overlap{4, dice.Between(0, 0.5)},
          field,
          rare,
          Chain{{law(2), law(2)}, law(2), 30},
          Tree{{-1, 0, 0, 1}, {{law(2)}, {law(3), law(3)}, {law(2), law(2)}, {law(2), law(2), law(2)}}},
          Star{{{law(2), law(2), law(2)}, {law(3), law(3), law(3)}}},
          Lipschitz{{{0, 0.5, 0.1}, {0.3, 0, 0.2}, {0, 0.4, 0}}, {1, 2, 1}},
          Declared(testing::RandomJoint(dice, {2, 2, 3}))};
}

TEST(TransferProperty, IsMonotoneAndAboveThePlainLoss) {
  Dice dice(stat::SeedForThisTest());
  for (int trial = 0; trial < 5; ++trial) {
    for (const Model& model : Models(dice)) {
      const auto transfer = Transfer::Make(model).value();
      EXPECT_EQ(transfer.Loss(0)->dependent, 0) << Kind(model);
      double last = 0;
      for (double plain = 1e-4; plain < 20; plain *= 1.7) {
        const auto loss = transfer.Loss(plain).value();
        EXPECT_GE(loss.dependent, last * (1 - 1e-12)) << Kind(model);
        EXPECT_GE(loss.dependent, plain) << Kind(model);
        EXPECT_FALSE(loss.bound.empty() || loss.adversary.empty() || loss.assumption.empty());
        last = loss.dependent;
      }
    }
  }
}

TEST(TransferProperty, HugeAndTinyLossesStayNumbers) {
  Dice dice(stat::SeedForThisTest());
  for (const Model& model : Models(dice)) {
    const auto transfer = Transfer::Make(model).value();
    for (const double plain : {5e-324, 1e-300, 1e-20, 300.0, 701.0, 1e4, 1e6}) {
      const auto loss = transfer.Loss(plain).value();
      EXPECT_GE(loss.dependent, plain) << Kind(model) << " " << plain;
      EXPECT_LE(loss.dependent, 100 * plain + 1e-323) << Kind(model) << " " << plain;
      const std::vector<double> each(transfer.records() == 0 ? 3 : transfer.records(), plain);
      EXPECT_GE(transfer.LossPerRecord(each)->dependent, plain) << Kind(model) << " " << plain;
    }
  }
}

TEST(TransferProperty, TheWayBackReachesTheTargetFromBelow) {
  Dice dice(stat::SeedForThisTest());
  for (int trial = 0; trial < 3; ++trial) {
    for (const Model& model : Models(dice)) {
      const auto transfer = Transfer::Make(model).value();
      for (const double target : {0.01, 0.5, 1.0, 8.0}) {
        const double reached = transfer.Loss(transfer.PlainBudget(target).value())->dependent;
        EXPECT_LE(reached, target) << Kind(model);
        EXPECT_GE(reached, target * (1 - 1e-9)) << Kind(model) << " " << target;
      }
    }
  }
}

// Steps are counted, so that what would not end fails here. The largest and the smallest numbers that there are, too.
TEST(TransferProperty, TheWayBackEndsForEveryNumber) {
  constexpr std::uint64_t kSteps = 10'000'000;
  constexpr double kLargest = std::numeric_limits<double>::max();
  Dice dice(stat::SeedForThisTest());
  for (const Model& model : Models(dice)) {
    const auto transfer = Transfer::Make(model).value();
    for (const double target :
         {0.0, 5e-324, 1e-320, 1e-310, 1e-30, 0x1p-60, 1e-15, 1e4, 1e12, 0x1p63, 1e308, kLargest}) {
      const auto budget = Metered(kSteps, CancelFlag(), [&] { return transfer.PlainBudget(target); });
      if ((target > 0 && target < 0x1p-60) || target > 0x1p40) {
        ASSERT_FALSE(budget) << target;
        EXPECT_EQ(budget.error().code, Code::kInvalidArgument) << target;
        EXPECT_FALSE(Metered(kSteps, CancelFlag(), [&] { return transfer.ForBudget(target); }));
        continue;
      }
      ASSERT_TRUE(budget) << Kind(model) << " " << target << " " << budget.error().Text();
      EXPECT_LE(transfer.Loss(*budget)->dependent, target) << Kind(model);
    }
  }
}

TEST(TransferProperty, LossesThatPromiseNothingAreRefused) {
  Dice dice(stat::SeedForThisTest());
  for (const Model& model : Models(dice)) {
    const auto transfer = Transfer::Make(model).value();
    for (const double plain : {0x1p41, 0x1p63, 1e308, std::numeric_limits<double>::max()}) {
      EXPECT_EQ(transfer.Loss(plain).error().code, Code::kInvalidArgument) << Kind(model);
      const std::vector<double> each(transfer.records() == 0 ? 3 : transfer.records(), plain);
      EXPECT_EQ(transfer.LossPerRecord(each).error().code, Code::kInvalidArgument) << Kind(model);
    }
    EXPECT_GE(transfer.Loss(0x1p40)->dependent, 0x1p40) << Kind(model);
  }
}

// The twin: a bisection that waits for an interval of length 0 takes more steps than any that ends.
TEST(TransferProperty, TheCheckAboveSeesABisectionThatDoesNotEnd) {
  const auto endless = Metered(100'000, CancelFlag(), []() -> Result<double> {
    double low = 0, high = 5e-324;
    while (high - low > high * 0x1p-46) {
      Meter::Look();
      low = std::max(low, low + (high - low) / 2);
    }
    return low;
  });
  ASSERT_FALSE(endless);
  EXPECT_EQ(endless.error().code, Code::kUnsupportedQuery);
}

TEST(TransferProperty, CanBeStopped) {
  CancelFlag stop;
  stop.Cancel();
  Dice dice(stat::SeedForThisTest());
  for (const Model& model : Models(dice)) {
    const auto transfer = Transfer::Make(model).value();
    const auto budget = Metered(Meter::kNoLimit, stop, [&] { return transfer.PlainBudget(1); });
    EXPECT_TRUE(!budget && budget.error().code == Code::kCancelled) << Kind(model);
  }
}

// One loss of a star compares all values through all tables, which may take minutes.
TEST(TransferProperty, OneLossOfAStarCanBeStopped) {
  const Star star{{{{0.9, 0.1}, {0.2, 0.8}}, {{0.5, 0.5}, {0.4, 0.6}}}};
  const auto transfer = Transfer::Make(star).value();
  CancelFlag stop;
  const auto loss = [&] { return Metered(Meter::kNoLimit, stop, [&] { return transfer.Loss(0.5); }); };
  EXPECT_TRUE(loss());
  stop.Cancel();
  const auto stopped = loss();
  EXPECT_TRUE(!stopped && stopped.error().code == Code::kCancelled);
}

// What takes a step only once in a round of all records would not see for seconds that nobody waits any more.
TEST(TransferProperty, OneLossOfAFieldIsManySteps) {
  Field field{5'000, {}, {}, {}, {}, nullptr};
  field.factors.push_back({{}, 0.01});
  for (std::uint32_t k = 0; k < 5'000; ++k) field.factors[0].records.push_back(k);
  const auto transfer = Transfer::Make(field).value();
  const auto loss = [&](std::uint64_t steps) {
    return Metered(steps, CancelFlag(), [&] { return transfer.Loss(0.1); });
  };
  EXPECT_FALSE(loss(70));
  EXPECT_TRUE(loss(10'000));
}

TEST(TransferProperty, TheSearchForCliquesCanBeStopped) {
  CancelFlag stop;
  for (const std::uint32_t nodes : {1'000U, 200'000U}) {  // the second with helpers
    std::vector<Edge> path;
    for (std::uint32_t k = 0; k + 1 < nodes; ++k) path.push_back({k, k + 1, 0.5});
    const Graph graph = GraphFromEdges(nodes, path, RepeatedPairs::kRefuse).value();
    const auto search = [&](const CancelFlag& flag) {
      return Metered(Meter::kNoLimit, flag, [&]() -> Result<std::size_t> {
        return Cliques(ListsOf(graph), {64, 64}, 2).count();
      });
    };
    EXPECT_EQ(search(CancelFlag()).value(), 0U);
    stop.Cancel();
    EXPECT_FALSE(search(stop));
  }
}

TEST(TransferProperty, TheCheckOfTheWayBackSeesABudgetThatIsTooLarge) {
  const auto transfer = Transfer::Make(Group{4, {{"", 2.0}}}).value();
  const double budget = transfer.PlainBudget(1).value();
  EXPECT_GT(transfer.Loss(budget * (1 + 1e-12))->dependent, 1);
}

/// A random kernel whose logarithm changes by at most `plain` when one yes/no record changes.
std::vector<double> RandomKernel(Dice& dice, std::size_t states, double plain) {
  std::vector<double> level(states);
  for (double& l : level) l = dice.Between(-10, 10) * plain;
  for (int round = 0; round < 64; ++round) {  // the smallest function above the lower envelope: lower until it obeys
    for (std::size_t x = 0; x < states; ++x) {
      for (std::size_t bit = 1; bit < states; bit *= 2) level[x] = std::min(level[x], level[x ^ bit] + plain);
    }
  }
  for (double& l : level) l = std::exp(l);
  return level;
}

/// The loss about record 0 when a product of kernels is seen.
double SeenLoss(const SmallLaw& law, const std::vector<double>& kernel) {
  double mean[2] = {0, 0};
  double weight[2] = {0, 0};
  for (std::size_t x = 0; x < law.law.size(); ++x) {
    mean[law.Value(x, 0)] += law.law[x] * kernel[x];
    weight[law.Value(x, 0)] += law.law[x];
  }
  if (weight[0] == 0 || weight[1] == 0) return 0;
  return std::abs(std::log(mean[0] / weight[0]) - std::log(mean[1] / weight[1]));
}

// Two releases, the second chosen after the first was seen: never above g of the sum of their plain losses.
TEST(TransferProperty, ReleasesComposeInPlainLoss) {
  Dice dice(stat::SeedForThisTest());
  for (int trial = 0; trial < 300; ++trial) {
    const SmallLaw law = testing::RandomJoint(dice, {2, 2, 2});
    const double first = dice.Between(0.05, 1);
    const double second = dice.Between(0.05, 1);
    std::vector<double> kernel = RandomKernel(dice, 8, first);
    const std::vector<double> next = RandomKernel(dice, 8, second);
    for (std::size_t x = 0; x < 8; ++x) kernel[x] *= next[x];
    EXPECT_LE(SeenLoss(law, kernel), Transfer::Make(Declared(law))->Loss(first + second)->per_record[0] + 1e-12);
  }
}

// Adding up dependent losses instead is unsound (docs/theory/model.md#transfer-once).
TEST(TransferProperty, DependentLossesDoNotAddUp) {
  for (const auto& v : testing::Vectors("transfer", "transfer.superadditive")) {
    const auto transfer = Transfer::Make(Joint{{2, 2}, {.5 * .999, .5 * .001, .5 * .8, .5 * .2}}).value();
    EXPECT_NEAR(transfer.Loss(1)->dependent, v.expected.at("one").get<double>(), v.tolerance);
    EXPECT_NEAR(transfer.Loss(2)->dependent, v.expected.at("two").get<double>(), v.tolerance);
    EXPECT_GT(transfer.Loss(2)->dependent, 2 * transfer.Loss(1)->dependent);
  }
}

}  // namespace
}  // namespace kith
