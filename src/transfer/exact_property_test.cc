// exact against an enumeration of all worst kernels, on random laws.
#include <gtest/gtest.h>

#include "tests/support/small_laws.h"
#include "tests/support/stat.h"
#include "transfer/transfer.h"

namespace kith {
namespace {

using testing::Dice;
using testing::SmallLaw;

Joint Declared(const SmallLaw& law) { return {{law.values.begin(), law.values.end()}, law.law}; }

/// The largest distance between `exact` and the truth, and how far below the truth it fell, over all records.
void Compare(const SmallLaw& law, const std::vector<int>& steps, double step, double slip, double* below,
             double* above) {
  const auto transfer = Transfer::Make(Declared(law)).value();
  std::vector<double> plain;
  for (const int s : steps) plain.push_back(s * step * slip);
  const auto loss = transfer.LossPerRecord(plain).value();
  for (int i = 0; i < law.records(); ++i) {
    const double truth = testing::EnumeratedLoss(law, i, steps, step);
    *below = std::max(*below, truth - loss.per_record[static_cast<std::size_t>(i)]);
    *above = std::max(*above, loss.per_record[static_cast<std::size_t>(i)] - truth);
  }
}

void CompareMany(double slip, double* below, double* above) {
  Dice dice(stat::SeedForThisTest());
  for (int trial = 0; trial < 60; ++trial) {
    const double step = dice.Between(0.05, 1.5);
    const SmallLaw three = testing::RandomJoint(dice, {2, 2, 2});
    Compare(three, {1, 1, 1}, step, slip, below, above);
    Compare(three, {1, 2, 0}, step, slip, below, above);
    Compare(testing::RandomJoint(dice, {3, 2, 2}), {1, 1, 1}, step, slip, below, above);
    if (trial < 3) Compare(testing::RandomJoint(dice, {2, 2, 2, 2}), {1, 1, 1, 1}, step, slip, below, above);
  }
}

TEST(ExactProperty, EqualsTheEnumeration) {
  double below = 0;
  double above = 0;
  CompareMany(1, &below, &above);
  EXPECT_LE(below, 1e-13);  // the enumeration itself is rounded
  EXPECT_LE(above, 1e-9);
}

TEST(ExactProperty, TheComparisonSeesAPlainLossThatIsTooSmall) {
  double below = 0;
  double above = 0;
  CompareMany(0.999, &below, &above);
  EXPECT_GT(below, 1e-4);
}

}  // namespace
}  // namespace kith
