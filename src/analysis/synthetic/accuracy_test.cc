// Bars of what a synthetic table says about itself.
#include "analysis/synthetic/accuracy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "tests/support/stat.h"

namespace kith::synthetic {
namespace {

using Counts = std::vector<std::int64_t>;

constexpr std::size_t kCells = 40, kTables = 3, kRuns = 4000;

Noise NoiseOf(std::int64_t change, double share) {
  return Noise::For(Sensitivities::OfL1(change).value(),
                    PlainUnits::Of(static_cast<std::int64_t>(std::ldexp(share, 32))))
      .value();
}

double SumOf(const Counts& counts) { return std::accumulate(counts.begin(), counts.end(), 0.0); }

/// This many rows, most of them where none is drawn: then an error of the number of rows counts in full.
Counts Data(std::int64_t rows) {
  Counts counts(kCells);
  for (std::int64_t row = 0; row < rows; ++row) ++counts[static_cast<std::size_t>(row) % (kCells / 2)];
  return counts;
}

Counts Drawn(std::int64_t rows) {
  Counts counts(kCells);
  for (std::int64_t row = 0; row < rows; ++row) ++counts[kCells / 4 + static_cast<std::size_t>(row) % (kCells * 3 / 4)];
  return counts;
}

double TrueVariation(const Counts& exact, const Counts& drawn) {
  double sum = 0;
  for (std::size_t cell = 0; cell < exact.size(); ++cell)
    sum += std::fabs(static_cast<double>(exact[cell]) / SumOf(exact) - static_cast<double>(drawn[cell]) / SumOf(drawn));
  return sum / 2;
}

std::vector<NoisyTable> Tables(const Counts& exact, const Noise& noise, BitSource& bits) {
  std::vector<NoisyTable> tables;
  for (std::size_t k = 0; k < kTables; ++k) {
    double sum = 0;
    for (const std::int64_t count : exact) sum += static_cast<double>(noise.Release(count, bits));
    tables.push_back({sum, exact.size(), noise.scale()});
  }
  return tables;
}

/// In how many of kRuns the truth is outside the bar. `of_rows`: whether the bar counts the error of the rows.
std::uint64_t Misses(bool of_rows) {
  stat::SeededBits bits(stat::SeedForThisTest());
  const Noise columns = NoiseOf(2, 0.5), distance = NoiseOf(2 * kTables, 1);
  std::uint64_t misses = 0;
  for (std::size_t run = 0; run < kRuns; ++run) {
    const Counts exact = Data(300);
    CountedRows counted = RowsOf(Tables(exact, columns, bits), kEachPart);
    Apart apart(counted.rows + 3);  // a number other than R: as pairs may give it
    const Counts drawn = Drawn(run % 2 == 0 ? 1000 : static_cast<std::int64_t>(apart.rows()));
    for (std::size_t k = 0; k < kTables; ++k) apart.Add(exact, drawn);
    if (!of_rows) counted = {apart.rows(), 0};
    const Variation found = VariationOf(apart, distance.Release(apart.sum(), bits), distance, counted, kTables);
    EXPECT_TRUE(found.value >= 0 && found.value <= 1);
    misses += std::fabs(found.value - TrueVariation(exact, drawn)) > found.error_95;
  }
  return misses;
}

TEST(SyntheticAccuracy, BarsOfTheTotalVariationHold_SYNTH4) { EXPECT_LE(stat::LowerBound(Misses(true), kRuns), 0.05); }

TEST(SyntheticAccuracy, TheCheckAboveSeesBarsOfTheLastNoiseAlone) {
  EXPECT_GT(stat::LowerBound(Misses(false), kRuns), 0.05);
}

TEST(SyntheticAccuracy, TheNumberOfRowsIsWithinItsBar_SYNTH4) {
  stat::SeededBits bits(stat::SeedForThisTest());
  for (const double share : {0.01, 1.0, 5.0}) {
    const Noise noise = NoiseOf(2, share);
    const Counts exact = Data(100);
    std::uint64_t misses = 0, half = 0;
    for (std::size_t run = 0; run < kRuns; ++run) {
      const CountedRows counted = RowsOf(Tables(exact, noise, bits), kEachPart);
      misses += std::fabs(counted.rows - 100) > counted.error;
      half += std::fabs(counted.rows - 100) > counted.error / 2;
    }
    EXPECT_LE(stat::LowerBound(misses, kRuns), 1 - kEachPart);
    EXPECT_GT(stat::LowerBound(half, kRuns), 1 - kEachPart) << "half of the bar would do";
  }
}

TEST(SyntheticAccuracy, RowsThatAreCountedWithoutNoiseAreExact) {
  const CountedRows counted = RowsOf(std::vector<NoisyTable>{{90, 10, 5}, {100, 10, 0}}, kEachPart);
  EXPECT_EQ(counted.rows, 100);
  EXPECT_EQ(counted.error, 0);
}

TEST(SyntheticAccuracy, ABarThatCoversEverythingSaysNothing) {
  const Noise noise = NoiseOf(6, 0.01);
  Apart apart(20);
  apart.Add(Data(20), Drawn(20));
  EXPECT_TRUE(VariationOf(apart, apart.sum(), noise, {20, 0}, 1).nothing);
  EXPECT_FALSE(VariationOf(apart, apart.sum(), NoiseOf(6, 100), {20, 0}, 1).nothing);
}

}  // namespace
}  // namespace kith::synthetic
