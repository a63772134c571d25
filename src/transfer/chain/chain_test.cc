// Chains: published budgets, both ways of computing them, and length.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ctime>

#include "tests/support/small_laws.h"
#include "tests/support/stat.h"
#include "tests/support/vectors.h"
#include "transfer/chain/chain_limit.h"
#include "transfer/chain/chain_sweep.h"
#include "transfer/transfer.h"

namespace kith {
namespace {

using testing::Dice;
using testing::SmallLaw;

Tree AsTree(const Chain& chain) {
  Tree tree;
  for (std::int64_t i = 0; i < chain.length; ++i) {
    tree.parents.push_back(i - 1);
    tree.tables.push_back(i == 0 ? LawTable{chain.start} : chain.transition);
  }
  return tree;
}

/// The joint law of a chain of three yes/no records.
SmallLaw JointOf(const Tree& tree) {
  SmallLaw joint{{2, 2, 2}, {}};
  for (std::size_t x = 0; x < 8; ++x) {
    const auto value = [&](int j) { return static_cast<std::size_t>(joint.Value(x, j)); };
    joint.law.push_back(tree.tables[0][0][value(0)] * tree.tables[1][value(0)][value(1)] *
                        tree.tables[2][value(1)][value(2)]);
  }
  return joint;
}

TEST(Chain, MeetsTheVectors) {
  for (const auto& v : testing::Vectors("transfer", "transfer.tree.")) {
    const auto transfer = Transfer::Make(Chain{v.inputs.at("P"), v.inputs.at("start"), v.inputs.at("T")}).value();
    const double epsilon = v.inputs.at("epsilon");
    const double plain = transfer.PlainBudget(epsilon).value();
    EXPECT_NEAR(plain, v.expected.at("plain").get<double>(), v.tolerance) << v.id;
    EXPECT_NEAR(1 / plain, v.expected.at("scale").get<double>(), 100 * v.tolerance) << v.id;
    const auto loss = transfer.Loss(plain).value();
    EXPECT_EQ(loss.bound, "tree");
    EXPECT_LE(loss.dependent, epsilon);
  }
}

// Somebody who knows the third record learns 1.676 about the first, more than `tree` says; `field`, from the tables'
// odds ratios, covers it.
TEST(Chain, TheModelsExampleOfAKnownRecord) {
  const Tree tree{{-1, 0, 1}, {{{.974, .026}}, {{.072, .928}, {.002, .998}}, {{.53, .47}, {.979, .021}}}};
  const auto loss = Transfer::Make(tree)->Loss(1).value();
  EXPECT_NEAR(loss.per_record[0], 1.232, 2e-3);
  EXPECT_EQ(loss.adversary, "somebody who knows how records depend on each other, but no other record");
  const SmallLaw known = JointOf(tree).Given(2, 1);
  const double truth = testing::EnumeratedLoss(known, 0, {1, 1}, 1);
  EXPECT_NEAR(truth, 1.676, 2e-2);  // the model page gives three digits of each table
  const auto field =
      std::find_if(loss.bounds.begin(), loss.bounds.end(), [](const Bound& b) { return b.name == "field"; });
  ASSERT_NE(field, loss.bounds.end());
  EXPECT_GE(field->dependent, truth);
}

TEST(Chain, SettledAndSweptAgreeWithTheTree) {
  Dice dice(stat::SeedForThisTest());
  for (int trial = 0; trial < 60; ++trial) {
    const Chain chain{{testing::RandomLaw(dice, 2), testing::RandomLaw(dice, 2)}, testing::RandomLaw(dice, 2), 40};
    const double plain = dice.Between(0.01, 1.5);
    const auto tree = Transfer::Make(AsTree(chain))->Loss(plain)->per_record;
    const auto swept = SweepChain(chain, PlainLosses::All(plain), true);
    for (std::size_t i = 0; i < tree.size(); ++i) EXPECT_NEAR(swept.losses[i], tree[i], 1e-10) << i;
    EXPECT_EQ(swept.worst, *std::max_element(swept.losses.begin(), swept.losses.end()));
    if (const auto settled = SettleChain(chain, plain, 1000)) {
      for (std::size_t i = 0; i < tree.size(); ++i) EXPECT_NEAR(settled->losses[i], tree[i], 1e-8) << i;
      EXPECT_NEAR(SettleChain(chain, plain, 1)->worst, settled->worst, 1e-12);
    }
  }
}

// The comparisons above see a chain that is one record too short.
TEST(Chain, AForgottenRecordIsSeen) {
  const Chain chain{{{.8, .2}, {.3, .7}}, {.6, .4}, 12};
  const auto tree = Transfer::Make(AsTree(chain))->Loss(0.5)->per_record;
  Chain shorter = chain;
  shorter.length = 11;
  EXPECT_LT(SweepChain(shorter, PlainLosses::All(0.5), true).losses[5], tree[5] - 1e-6);
  EXPECT_LT(SettleChain(shorter, 0.5, 1000)->losses[5], tree[5] - 1e-6);
}

TEST(Chain, UnequalLossesAgreeWithTheTree) {
  Dice dice(stat::SeedForThisTest());
  for (int trial = 0; trial < 40; ++trial) {
    const Chain chain{{testing::RandomLaw(dice, 2), testing::RandomLaw(dice, 2)}, testing::RandomLaw(dice, 2), 25};
    std::vector<double> plain;
    for (int i = 0; i < 25; ++i) plain.push_back(dice.Chance(0.3) ? 0 : dice.Between(0, 2));
    const auto tree = Transfer::Make(AsTree(chain))->LossPerRecord(plain)->per_record;
    const auto loss = Transfer::Make(chain)->LossPerRecord(plain)->per_record;
    ASSERT_EQ(loss.size(), tree.size());
    for (std::size_t i = 0; i < tree.size(); ++i) EXPECT_NEAR(loss[i], tree[i], 1e-10);
  }
}

TEST(Chain, SeveralValuesAgreeWithTheTree) {
  Dice dice(stat::SeedForThisTest());
  for (int trial = 0; trial < 10; ++trial) {
    Chain chain{{}, testing::RandomLaw(dice, 3), 12};
    for (int a = 0; a < 3; ++a) chain.transition.push_back(testing::RandomLaw(dice, 3));
    const auto tree = Transfer::Make(AsTree(chain))->Loss(0.5)->per_record;
    const auto loss = Transfer::Make(chain)->Loss(0.5)->per_record;
    for (std::size_t i = 0; i < tree.size(); ++i) EXPECT_NEAR(loss[i], tree[i], 1e-8);
  }
}

TEST(Chain, NeverForgettingIsTheGroup) {
  const auto transfer = Transfer::Make(Chain{{{1, 0}, {0, 1}}, {0.5, 0.5}, 50}).value();
  const auto loss = transfer.Loss(0.1).value();
  EXPECT_NEAR(loss.dependent, 5, 1e-9);
  const auto swap = Transfer::Make(Chain{{{0, 1}, {1, 0}}, {0.3, 0.7}, 50}).value();
  EXPECT_NEAR(swap.Loss(0.1)->dependent, 5, 1e-9);
  const auto endless = Transfer::Make(Chain{{{1, 0}, {0, 1}}, {0.5, 0.5}, 100'000}).value().Loss(1).value();
  EXPECT_EQ(endless.bound, "group");
  EXPECT_EQ(endless.dependent, 100'000);
}

TEST(Chain, IndependentRecordsLoseWhatWasSpent) {
  const auto loss = Transfer::Make(Chain{{{.3, .7}, {.3, .7}}, {.3, .7}, 1'000'000})->Loss(0.25).value();
  EXPECT_NEAR(loss.dependent, 0.25, 1e-12);
  EXPECT_EQ(loss.bound, "tree");
  EXPECT_TRUE(SettleChain({{{.3, .7}, {.3, .7}}, {.3, .7}, 1'000'000}, 0.25, 1).has_value());
}

TEST(Chain, TenMillionStepsInASecond) {
  const Chain chain{{{.8, .2}, {.3, .7}}, {.9, .1}, 10'000'000};
  const std::clock_t start = std::clock();  // of the processor: a busy machine does not count
  const auto swept = SweepChain(chain, PlainLosses::All(0.33), false);
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  RecordProperty("seconds", std::to_string(seconds));
  EXPECT_LT(seconds, 10);  // 0.3 s on the machine it was written on; the bench measures, this only notices a disaster
  EXPECT_NEAR(swept.worst, SettleChain(chain, 0.33, 1)->worst, 1e-8);
}

TEST(Chain, TooLongAndForgettingTooSlowlyIsRefused) {
  LawTable table = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const auto loss = Transfer::Make(Chain{table, {.2, .3, .5}, 1'000'000})->Loss(0.001);
  ASSERT_FALSE(loss.has_value());
  EXPECT_EQ(loss.error().code, Code::kInvalidArgument);
}

}  // namespace
}  // namespace kith
