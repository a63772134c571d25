// Partitions and zeros against the vectors, and the partition against trying every partition.
#include "analysis/one_sided/dawa.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/support/stat.h"
#include "tests/support/vectors.h"

namespace kith::one_sided {
namespace {

double NoNoise(std::size_t, std::size_t) { return 0; }

TEST(Dawa, PartitionVectors) {
  for (const auto& v : testing::Vectors("papers", "osdp0.dawa_partition")) {
    for (const std::string which : {"_a", "_b"}) {
      const auto found = CheapestPartition(v.inputs["x" + which], v.inputs["inv_eps2" + which], NoNoise).value();
      EXPECT_NEAR(found.cost, v.expected["cost" + which].get<double>(), v.tolerance);
      std::vector<Bucket> expected;
      for (const auto& bucket : v.expected["buckets" + which]) expected.push_back({bucket[0], bucket[1]});
      EXPECT_EQ(found.buckets, expected) << which;
    }
  }
}

/// The least cost of all partitions of x from `first` on, from the definition.
double Least(const std::vector<double>& x, std::size_t first, double per_bucket, const CostNoise& noise) {
  if (first == x.size()) return 0;
  double least = INFINITY;
  for (std::size_t length = 1; first + length <= x.size(); length *= 2) {
    double mean = 0, deviation = 0;
    for (std::size_t i = 0; i < length; ++i) mean += x[first + i] / static_cast<double>(length);
    for (std::size_t i = 0; i < length; ++i) deviation += std::abs(x[first + i] - mean);
    const double cost = length == 1 ? per_bucket : std::max(per_bucket, deviation + per_bucket + noise(first, length));
    least = std::min(least, cost + Least(x, first + length, per_bucket, noise));
  }
  return least;
}

TEST(Dawa, NoPartitionIsCheaper) {
  std::mt19937_64 draws(stat::SeedForThisTest());
  const CostNoise noise = [](std::size_t first, std::size_t length) {
    return std::sin(static_cast<double>(31 * first + 7 * length));  // any fixed numbers
  };
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<double> x(1 + draws() % 12);
    for (double& bin : x) bin = static_cast<double>(draws() % 6);
    const auto found = CheapestPartition(x, 0.7, noise).value();
    EXPECT_NEAR(found.cost, Least(x, 0, 0.7, noise), 1e-9);
    EXPECT_EQ(found.buckets.front().first, 0U);
    EXPECT_EQ(found.buckets.back().last, x.size() - 1);
  }
}

TEST(Dawa, ZerosVector) {
  for (const auto& v : testing::Vectors("papers", "osdp0.dawaz_post")) {
    std::vector<Bucket> buckets;
    for (const auto& bins : v.inputs["buckets"]) buckets.push_back({bins.front(), bins.back()});
    const auto spread = PutZeros(v.inputs["x"], buckets, v.inputs["Z"]).value();
    for (std::size_t bin = 0; bin < spread.size(); ++bin)
      EXPECT_NEAR(spread[bin], v.expected["x_post"][bin].get<double>(), v.tolerance);
  }
  EXPECT_EQ(PutZeros({2, 4, 1}, {{0, 1}, {2, 2}}, {0, 1}).value(), (std::vector<double>{0, 0, 1}));
}

TEST(Dawa, BadInputIsRefused) {
  EXPECT_FALSE(CheapestPartition({}, 1, NoNoise));
  EXPECT_FALSE(CheapestPartition({1, std::nan("")}, 1, NoNoise));
  EXPECT_FALSE(CheapestPartition({1}, 0, NoNoise));
  EXPECT_FALSE(PutZeros({1, 2}, {{0, 0}}, {}));
  EXPECT_FALSE(PutZeros({1, 2}, {{0, 1}}, {2}));
  EXPECT_FALSE(PutZeros({1, 2}, {{1, 1}, {0, 0}}, {}));
}

}  // namespace
}  // namespace kith::one_sided
