// Sparse counts against noise for each cell separately: the same law, cell by cell and for all cells together.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>

#include "mechanism/sparse_counts.h"
#include "tests/support/exact_laws.h"
#include "tests/support/stat.h"

namespace kith {
namespace {

const std::size_t kSamples = stat::SamplesToSee(0.03);
constexpr std::size_t kCells = 6;
const std::map<std::size_t, std::int64_t> kHeld = {{1, 2}, {4, 1}};  // all other cells are empty
constexpr std::int64_t kThreshold = 3;
constexpr double kScale = 2;

using Shown = std::map<std::size_t, std::int64_t>;
using Way = std::function<Shown(const SparseCounts&, BitSource&)>;

SparseCounts Law() {
  return SparseCounts::Make(Sensitivity::Make(2).value(), PlainUnits::Of(PlainUnits::kOne), kCells, kThreshold).value();
}

/// As it is used (kernel/shown_cells.h), written again.
Shown BySparse(const SparseCounts& law, BitSource& bits) {
  Shown shown;
  const auto empty = law.Empty(bits);
  for (const auto& [cell, count] : kHeld) {
    if (const auto noisy = law.Occupied(count, bits)) shown[cell] = static_cast<std::int64_t>(*noisy);
  }
  for (const UInt128 cell : empty) {
    if (!kHeld.contains(static_cast<std::size_t>(cell)))
      shown[static_cast<std::size_t>(cell)] = static_cast<std::int64_t>(law.OfEmpty(bits));
  }
  return shown;
}

/// P[cell c is shown] by the definition.
long double Passes(std::size_t cell) {
  const testing::DiscreteLaplaceLaw noise(kScale);
  const auto held = kHeld.find(cell);
  return 1 - noise.Cdf(kThreshold - 1 - (held == kHeld.end() ? 0 : held->second));
}

/// Which cells are shown, as one number: its law is the product of the cells' own.
double SetDistance(const Way& way) {
  std::vector<double> sums;
  long double sum = 0;
  for (std::size_t set = 0; set < std::size_t{1} << kCells; ++set) {
    long double chance = 1;
    for (std::size_t cell = 0; cell < kCells; ++cell)
      chance *= (set >> cell) % 2 == 1 ? Passes(cell) : 1 - Passes(cell);
    sums.push_back(static_cast<double>(sum += chance));
  }
  stat::SeededBits bits(stat::SeedForThisTest());
  const SparseCounts law = Law();
  return stat::CdfDistance(
      kSamples,
      [&] {
        std::int64_t set = 0;
        for (const auto& [cell, count] : way(law, bits)) set |= std::int64_t{1} << cell;
        return set;
      },
      [&](std::int64_t set) {
        return set < 0 ? 0 : sums[std::min<std::size_t>(static_cast<std::size_t>(set), sums.size() - 1)];
      });
}

/// What is shown of one cell, one less than the threshold if it is not.
double CellDistance(std::size_t cell, const Way& way) {
  const testing::DiscreteLaplaceLaw noise(kScale);
  const auto held = kHeld.find(cell);
  const std::int64_t count = held == kHeld.end() ? 0 : held->second;
  stat::SeededBits bits(stat::SeedForThisTest() + cell);
  const SparseCounts law = Law();
  return stat::CdfDistance(
      kSamples,
      [&] {
        const Shown shown = way(law, bits);
        const auto found = shown.find(cell);
        return found == shown.end() ? kThreshold - 1 : found->second;
      },
      [&](std::int64_t value) { return value < kThreshold - 1 ? 0 : static_cast<double>(noise.Cdf(value - count)); });
}

TEST(SparseCountsStat, AreNoiseForEachCellByItself_SPARSE1) {
  EXPECT_LE(SetDistance(BySparse), stat::Radius(kSamples));
  for (std::size_t cell = 0; cell < kCells; ++cell)
    EXPECT_LE(CellDistance(cell, BySparse), stat::Radius(kSamples)) << cell;
}

TEST(SparseCountsStat, TheCheckAboveSeesAGapThatBeginsAtTheLastCell) {
  const Way stays = [](const SparseCounts& law, BitSource& bits) {  // the next gap is not counted from the next cell
    Shown shown = BySparse(law, bits);
    const auto gaps = GeometricBits::OfMisses(2, 1, kThreshold, 3);
    for (auto at = gaps.Draw(bits); at && *at < kCells;) {
      if (!kHeld.contains(static_cast<std::size_t>(*at))) shown[static_cast<std::size_t>(*at)] = kThreshold;
      break;
    }
    return shown;
  };
  EXPECT_GT(SetDistance(stays), stat::Radius(kSamples));
}

TEST(SparseCountsStat, TheCheckAboveSeesAGapDrawnWithTheWrongTail) {
  const Way one_sided = [](const SparseCounts& law, BitSource& bits) {  // q^threshold, without the half below zero
    Shown shown;
    for (const auto& [cell, count] : kHeld) {
      if (const auto noisy = law.Occupied(count, bits)) shown[cell] = static_cast<std::int64_t>(*noisy);
    }
    const double tail = std::exp(-kThreshold / kScale);
    for (std::size_t cell = 0; cell < kCells; ++cell) {
      const bool shows = static_cast<double>(bits.Bits(53)) < std::ldexp(tail, 53);
      if (shows && !kHeld.contains(cell)) shown[cell] = static_cast<std::int64_t>(law.OfEmpty(bits));
    }
    return shown;
  };
  EXPECT_GT(SetDistance(one_sided), stat::Radius(kSamples));
}

TEST(SparseCountsStat, TheCheckAboveSeesCellsThatAreDrawnTwiceOrNotAtAll) {
  const Way twice = [](const SparseCounts& law, BitSource& bits) {  // a held cell keeps its chance as an empty one
    Shown shown = BySparse(law, bits);
    for (const UInt128 cell : law.Empty(bits)) {
      if (kHeld.contains(static_cast<std::size_t>(cell)))
        shown[static_cast<std::size_t>(cell)] = static_cast<std::int64_t>(law.OfEmpty(bits));
    }
    return shown;
  };
  const Way exact = [](const SparseCounts& law, BitSource& bits) {  // the threshold is on the exact count
    Shown shown;
    for (const auto& [cell, count] : BySparse(law, bits)) {
      if (!kHeld.contains(cell) || kHeld.at(cell) >= kThreshold) shown[cell] = count;
    }
    return shown;
  };
  EXPECT_GT(SetDistance(twice), stat::Radius(kSamples));
  EXPECT_GT(SetDistance(exact), stat::Radius(kSamples));
  EXPECT_GT(CellDistance(1, exact), stat::Radius(kSamples));
}

TEST(SparseCountsStat, FewOfManyCellsAreShown_SPARSE1) {
  // 10^9 cells, of which 8 are shown on average: the number of them is nearly Poisson (total variation below 1e-8).
  const auto change = Sensitivity::Make(2).value();
  const auto share = PlainUnits::Of(PlainUnits::kOne);
  const auto threshold = SparseCounts::ThresholdFor(change, share, 1'000'000'000, 8).value();
  const auto law = SparseCounts::Make(change, share, 1'000'000'000, threshold).value();
  const double mean = law.ExpectedFalse();
  EXPECT_LE(mean, 8.000001);
  EXPECT_GT(mean, 8 * std::exp(-0.5));
  const auto poisson = [&](std::int64_t k) {
    double sum = 0;
    for (std::int64_t i = 0; i <= std::min<std::int64_t>(k, 200); ++i)
      sum += std::exp(static_cast<double>(i) * std::log(mean) - mean - std::lgamma(static_cast<double>(i) + 1));
    return sum;
  };
  stat::SeededBits bits(stat::SeedForThisTest());
  constexpr std::size_t kRuns = 20'000;
  EXPECT_LE(stat::CdfDistance(
                kRuns, [&] { return static_cast<std::int64_t>(law.Empty(bits).size()); }, poisson),
            stat::Radius(kRuns) + 1e-6);
  const auto first = [&] {  // where they are: uniform
    for (;;) {
      const auto shown = law.Empty(bits);
      if (!shown.empty()) return static_cast<std::int64_t>(shown[static_cast<std::size_t>(Below(shown.size(), bits))]);
    }
  };
  EXPECT_LE(
      stat::CdfDistance(kRuns, first,
                        [](std::int64_t at) { return std::clamp((static_cast<double>(at) + 1) / 1e9, 0.0, 1.0); }),
      stat::Radius(kRuns) + 1e-6);
}

}  // namespace
}  // namespace kith
