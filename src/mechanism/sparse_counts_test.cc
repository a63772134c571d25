#include "mechanism/sparse_counts.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/stat.h"

namespace kith {
namespace {

Sensitivity Steps(std::int64_t steps) { return Sensitivity::Make(steps).value(); }
const PlainUnits kOne = PlainUnits::Of(PlainUnits::kOne);

// docs/theory/mechanisms.md, declared cells: thresholds for one false cell at plain losses whose dependent loss is 1.
TEST(SparseCounts, ThresholdsAreThoseOfTheTheorem) {
  const auto at = [](double share, UInt128 cells) {
    return SparseCounts::ThresholdFor(Steps(2), PlainUnits::Floor(share).value(), cells, 1).value();
  };
  EXPECT_EQ(at(1, 1'000'000), 27);
  EXPECT_EQ(at(1, 1'000'000'000), 41);
  EXPECT_EQ(at(1, UInt128{1} << 64), 88);
  EXPECT_EQ(at(0.5799, 1'000'000'000), 70);
  EXPECT_EQ(at(0.761, 1'000'000'000), 54);
}

TEST(SparseCounts, ACountIsShownAsOftenAsSaid) {
  const auto law = SparseCounts::Make(Steps(2), kOne, 1'000'000'000, 41).value();
  const double sure = law.ShownWith(0.95);
  const double q = std::exp(-0.5);
  const auto hidden = [&](double count) { return std::pow(q, count - 41 + 1) / (1 + q); };
  EXPECT_LE(hidden(sure), 0.05 + 1e-9);
  EXPECT_GT(hidden(sure - 1), 0.05);
}

TEST(SparseCounts, RefusesWhatItCannotDraw) {
  EXPECT_FALSE(SparseCounts::Make(Steps(2), kOne, 0, 5));
  EXPECT_FALSE(SparseCounts::Make(Steps(2), kOne, SparseCounts::kMostCells + 1, 5));
  EXPECT_FALSE(SparseCounts::Make(Steps(2), kOne, 10, 0));
  EXPECT_FALSE(SparseCounts::Make(Steps(2), PlainUnits::Of(0), 10, 5));
  EXPECT_FALSE(SparseCounts::Make(Steps(0), kOne, 10, 5));
  EXPECT_FALSE(SparseCounts::ThresholdFor(Steps(2), kOne, 10, 0));
  EXPECT_FALSE(SparseCounts::ThresholdFor(Steps(2), kOne, 10, std::nan("")));
}

TEST(SparseCounts, TakeAsManyCellsAsThereAre) {
  stat::SeededBits bits(stat::SeedForThisTest());
  const UInt128 cells = SparseCounts::kMostCells;
  const auto threshold = SparseCounts::ThresholdFor(Steps(2), kOne, cells, 20).value();
  const auto law = SparseCounts::Make(Steps(2), kOne, cells, threshold).value();
  UInt128 last = 0;
  for (const UInt128 cell : law.Empty(bits)) {
    EXPECT_LT(cell, cells);
    EXPECT_GE(cell, last);
    last = cell;
    EXPECT_GE(law.OfEmpty(bits), threshold);
  }
  EXPECT_GT(last, cells / 1024);  // with 20 expected, all in the first thousandth has a probability below 1e-8
  const auto few = SparseCounts::Make(Steps(2), kOne, 1, 1).value();
  for (int i = 0; i < 100; ++i) EXPECT_LE(few.Empty(bits).size(), 1U);
}

}  // namespace
}  // namespace kith
