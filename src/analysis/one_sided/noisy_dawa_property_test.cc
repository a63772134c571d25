// DAWA as a release: costs change as little as the proof says, the shift of noise in the proof works, the law of the
// smallest case is exact, and the tester finds nothing above the loss.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <random>

#include "analysis/one_sided/noisy_dawa.h"
#include "tests/support/stat.h"

namespace kith::one_sided {
namespace {

using Counts = std::vector<std::int64_t>;
using Parts = std::vector<Bucket>;
using Noise = std::map<std::pair<std::size_t, std::size_t>, Int128>;  // by first and last bin

PlainUnits Units(double epsilon) { return PlainUnits::Floor(epsilon).value(); }
NoisyDawa Dawa(std::size_t bins, std::int64_t change, double partition, double counts) {
  return NoisyDawa::Make(bins, Sensitivity::Make(change).value(), Units(partition), Units(counts)).value();
}

/// All partitions into buckets of 1, 2, 4, ... bins.
void AllPartitions(std::size_t bins, Parts& so_far, const std::function<void(const Parts&)>& visit) {
  const std::size_t first = so_far.empty() ? 0 : so_far.back().last + 1;
  if (first == bins) return visit(so_far);
  for (std::size_t length = 1; first + length <= bins; length *= 2) {
    so_far.push_back({first, first + length - 1});
    AllPartitions(bins, so_far, visit);
    so_far.pop_back();
  }
}

Int128 CostOf(const NoisyDawa& dawa, const Counts& counts, const Parts& parts, const Noise& noise) {
  Int128 cost = 0;
  for (const Bucket& bucket : parts) cost += dawa.Cost(counts, bucket) + noise.at({bucket.first, bucket.last});
  return cost;
}

TEST(NoisyDawaProperty, OneRowChangesTheBucketOfItsBinByLessThanTwo_OSDP9) {
  for (const std::size_t bins : {1U, 2U, 3U, 4U, 8U}) {
    const NoisyDawa dawa = Dawa(bins, 2, 1, 1);
    std::mt19937_64 random(stat::SeedForThisTest());
    Int128 largest = 0;
    for (int trial = 0; trial < 400; ++trial) {
      Counts counts(bins);
      for (auto& count : counts) count = static_cast<std::int64_t>(random() % 6);
      Counts other = counts;
      const std::size_t bin = random() % bins;
      other[bin] += 1;
      for (std::size_t first = 0; first < bins; ++first) {
        for (std::size_t length = 1; first + length <= bins; length *= 2) {
          const Bucket bucket{first, first + length - 1};
          const Int128 change = dawa.Cost(other, bucket) - dawa.Cost(counts, bucket);
          const Int128 size = change < 0 ? -change : change;
          if (bin >= first && bin <= bucket.last) {
            largest = std::max(largest, size);
          } else {
            ASSERT_EQ(size, 0);
          }
        }
      }
    }
    EXPECT_LT(largest, Int128{2} << dawa.depth());
    if (bins == 8) {
      EXPECT_GE(largest, Int128{3} << (dawa.depth() - 1));  // one and a half is reached
    }
  }
}

/// How often a partition that is best stops being best when a row is added or taken away and its bucket's noise is
/// lowered by `shift` quarters of what the proof takes.
int Breaks(int shift) {
  constexpr std::size_t kBins = 5;
  const NoisyDawa dawa = Dawa(kBins, 1, 1, 1);
  std::mt19937_64 random(stat::SeedForThisTest());
  int breaks = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    Counts counts(kBins);
    for (auto& count : counts) count = static_cast<std::int64_t>(random() % 5);
    Noise noise;
    Parts parts;
    for (std::size_t first = 0; first < kBins; ++first) {
      for (std::size_t length = 1; first + length <= kBins; length *= 2)
        noise[{first, first + length - 1}] = static_cast<Int128>(random() % 121) - 60;
    }
    const auto best = [&](const Counts& at) {
      Parts found;
      AllPartitions(kBins, parts, [&](const Parts& p) {
        if (found.empty() || CostOf(dawa, at, p, noise) < CostOf(dawa, at, found, noise)) found = p;
      });
      return found;
    };
    const Parts winner = best(counts);
    const std::size_t bin = random() % kBins;
    Counts other = counts;
    other[bin] += counts[bin] > 0 && random() % 2 == 0 ? -1 : 1;
    for (const Bucket& bucket : winner) {
      if (bucket.first <= bin && bin <= bucket.last)
        noise[{bucket.first, bucket.last}] -= Int128{shift} << dawa.depth();
    }
    breaks += CostOf(dawa, other, best(other), noise) < CostOf(dawa, other, winner, noise) ? 1 : 0;
  }
  return breaks;
}

TEST(NoisyDawaProperty, ALowerNoiseKeepsThePartitionThatWasBest_OSDP9) { EXPECT_EQ(Breaks(4), 0); }

TEST(NoisyDawaProperty, TheCheckAboveSeesAShiftThatIsTooSmall) { EXPECT_GT(Breaks(0), 10); }

TEST(NoisyDawaProperty, WithHardlyAnyNoiseItIsTheCheapestPartition) {
  std::mt19937_64 random(stat::SeedForThisTest());
  stat::SeededBits bits(stat::SeedForThisTest());
  for (int trial = 0; trial < 60; ++trial) {
    const std::size_t bins = 1 + random() % 40;
    Counts counts(bins);
    for (auto& count : counts) count = static_cast<std::int64_t>(random() % 4 == 0 ? random() % 90 : 20);
    const NoisyDawa dawa = Dawa(bins, 2, 1 << 20, 0.5);  // totals get noise of scale 4: the price of a bucket
    const auto parts = dawa.Partition(counts, bits);
    double cost = 0;
    for (const Bucket& bucket : parts)
      cost += std::ldexp(static_cast<double>(dawa.Cost(counts, bucket)), -dawa.depth());
    const auto cheapest =
        CheapestPartition({counts.begin(), counts.end()}, 4, [](std::size_t, std::size_t) { return 0; });
    EXPECT_NEAR(cost, cheapest->cost, 1e-3);
  }
}

/// P(both bins in one bucket) for two bins, from the definition: noise of three buckets, P[Z = z] ~ q^|z|.
double OneBucket(const NoisyDawa& dawa, const Counts& counts, double scale_steps) {
  const double q = std::exp(-1 / scale_steps);
  const int range = static_cast<int>(40 * scale_steps);
  const auto law = [&](int z) { return (1 - q) / (1 + q) * std::pow(q, std::abs(z)); };
  std::vector<double> two(static_cast<std::size_t>(4 * range + 1), 0.0);  // the sum of two noises
  for (int a = -range; a <= range; ++a) {
    for (int b = -range; b <= range; ++b) two[static_cast<std::size_t>(a + b + 2 * range)] += law(a) * law(b);
  }
  const auto single = static_cast<double>(dawa.Cost(counts, {0, 0}) + dawa.Cost(counts, {1, 1}));
  const auto both = static_cast<double>(dawa.Cost(counts, {0, 1}));
  double p = 0;
  for (int s = -2 * range; s <= 2 * range; ++s) {
    const auto most = static_cast<int>(single + s - both);  // the bucket's noise may be as large as this: ties go to it
    const double below = most >= 0 ? 1 - std::pow(q, most + 1) / (1 + q) : std::pow(q, -most) / (1 + q);
    p += two[static_cast<std::size_t>(s + 2 * range)] * below;
  }
  return p;
}

TEST(NoisyDawaProperty, TheLawOfTwoBinsIsAsDefinedAndWithinItsLoss_OSDP9) {
  const NoisyDawa dawa = Dawa(2, 1, 1, 1);  // a change of one row: scale 4 rows, 8 steps
  EXPECT_DOUBLE_EQ(dawa.partition_scale(), 4);
  stat::SeededBits bits(stat::SeedForThisTest());
  for (const Counts& counts : {Counts{3, 3}, Counts{9, 2}}) {
    const std::uint64_t runs = 40'000;
    std::uint64_t one = 0;
    for (std::uint64_t i = 0; i < runs; ++i) one += dawa.Partition(counts, bits).size() == 1 ? 1 : 0;
    const double p = OneBucket(dawa, counts, 8);
    EXPECT_LE(stat::LowerBound(one, runs), p);
    EXPECT_LE(stat::LowerBound(runs - one, runs), 1 - p);
  }
  double worst = 0, worst_with_an_eighth = 0;
  for (std::int64_t a = 0; a < 12; ++a) {
    const auto loss = [&](double scale) {
      const double p = OneBucket(dawa, {a, 3}, scale), q = OneBucket(dawa, {a + 1, 3}, scale);
      return std::max(std::abs(std::log(p / q)), std::abs(std::log((1 - p) / (1 - q))));
    };
    worst = std::max(worst, loss(8));
    worst_with_an_eighth = std::max(worst_with_an_eighth, loss(1));
  }
  EXPECT_LE(worst, 1);
  EXPECT_GT(worst_with_an_eighth, 1);  // noise of an eighth would be seen
}

TEST(NoisyDawaProperty, BadInputIsRefused) {
  const auto make = [](std::size_t bins, std::int64_t change, double partition, double counts) {
    return NoisyDawa::Make(bins, Sensitivity::Make(change).value(), Units(partition), Units(counts));
  };
  EXPECT_FALSE(make(0, 2, 1, 1));
  EXPECT_FALSE(make(65537, 2, 1, 1));
  EXPECT_FALSE(make(8, 0, 1, 1));
  EXPECT_FALSE(make(8, 2, 0, 1));
  EXPECT_FALSE(make(8, 2, 1, 0));
  EXPECT_FALSE(make(65536, 1 << 20, 1, 1));
  EXPECT_TRUE(make(65536, 2, 1, 1));
}

}  // namespace
}  // namespace kith::one_sided
