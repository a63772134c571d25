// A star in a policy: its neighbours are also units of the table.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/small_laws.h"
#include "tests/support/stat.h"
#include "transfer/transfer.h"

namespace kith {
namespace {

using testing::Dice;

/// The star as a network, for a law of the middle: its loss is exact for yes/no records.
double TrueLoss(const Star& star, double yes, double plain) {
  Tree tree{{-1}, {{{1 - yes, yes}}}};
  for (const LawTable& table : star.neighbours) {
    tree.parents.push_back(0);
    tree.tables.push_back(table);
  }
  const auto loss = Transfer::Make(tree)->Loss(plain).value();
  for (const Bound& bound : loss.bounds) {
    if (bound.name == "tree") return bound.dependent;
  }
  return std::numeric_limits<double>::infinity();
}

/// Whether a model's loss is enough for every record of the star, for many laws of the middle.
bool Covers(const Model& model, const Star& star, double plain) {
  const double loss = Transfer::Make(model)->Loss(plain)->dependent;
  for (const double yes : {1e-4, 0.01, 0.06, 0.3, 0.5, 0.8, 0.99}) {
    if (TrueLoss(star, yes, plain) > loss * (1 + 1e-12)) return false;
  }
  return true;
}

const Star kRareMiddle = {{{{.999, .001}, {.5, .5}}}};

TEST(StarAsField, CoversTheMiddleAndTheNeighbours_STAR2) {
  Dice dice(stat::SeedForThisTest());
  for (int trial = 0; trial < 50; ++trial) {
    Star star;
    for (int k = 1 + dice.Below(4); k > 0; --k) {
      const double a = dice.Between(0.001, 0.999), b = dice.Between(0.001, 0.999);
      star.neighbours.push_back({{1 - a, a}, {1 - b, b}});
    }
    EXPECT_TRUE(Covers(AboutEveryRecord(star), star, std::exp(dice.Between(-4, 1))));
  }
  EXPECT_TRUE(Covers(AboutEveryRecord(kRareMiddle), kRareMiddle, 0.2));
}

// The planted fault: the bound about the middle for everybody.
TEST(StarAsField, TheBoundAboutTheMiddleDoesNotCoverItsNeighbours) {
  EXPECT_FALSE(Covers(kRareMiddle, kRareMiddle, 0.2));
}

TEST(StarAsField, HardTablesAreHardEdgesAndOtherModelsStay) {
  const Star hard = {{{{1, 0}, {0, 1}}, {{.5, .5}, {.5, .5}}}};
  const auto field = std::get<Field>(AboutEveryRecord(hard));
  ASSERT_EQ(field.edges.size(), 2U);
  EXPECT_TRUE(std::isinf(field.edges[0].theta));
  EXPECT_EQ(field.edges[1].theta, 0);
  EXPECT_EQ(Kind(AboutEveryRecord(Group{4, {{}}})), "group");
}

// Why "if the neighbours are independent given the record" is not enough: in a chain they are, but what is beyond them
// is not independent of them.
TEST(StarBound, IsExceededOnAChainWhereNeighboursAreIndependentGivenTheRecord) {
  const LawTable table = {{.8, .2}, {.3, .7}};  // in both directions, where 60 % are in the first state
  const Transfer star = Transfer::Make(Star{{table, table}}).value();
  const double plain = star.PlainBudget(1).value();
  EXPECT_NEAR(star.Loss(plain)->dependent, 1, 1e-6);
  const auto claimed_enough = [&](std::int64_t length) {
    return Transfer::Make(Chain{table, {.6, .4}, length})->Loss(plain)->dependent <= 1;
  };
  EXPECT_TRUE(claimed_enough(3));  // the middle of a star of three
  EXPECT_FALSE(claimed_enough(127));
  EXPECT_NEAR(Transfer::Make(Chain{table, {.6, .4}, 127})->Loss(plain)->dependent, 1.473, 5e-4);
}

}  // namespace
}  // namespace kith
