// The projection by trying everything: all graphs of five people and one more person with every set of friends.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <random>
#include <set>

#include "analysis/degrees/pair_counts.h"
#include "tests/support/stat.h"

namespace kith {
namespace {

using Pair = std::array<std::int64_t, 2>;
using Random = std::mt19937_64;

constexpr std::int64_t kPeople = 5;  // and one more: the person whose pairs change

/// All pairs, in an order that depends only on their names.
std::vector<Pair> Ordered(Random& random) {
  std::vector<Pair> pairs;
  for (std::int64_t a = 0; a <= kPeople; ++a) {
    for (std::int64_t b = a + 1; b <= kPeople; ++b) pairs.push_back({a, b});
  }
  std::shuffle(pairs.begin(), pairs.end(), random);
  return pairs;
}

struct Counted {
  std::vector<std::int64_t> at_least;
  std::vector<std::int64_t> histogram;
  std::int64_t sum = 0;
};

Counted CountedOf(const PairCounts& counts) {
  Counted out{counts.AtLeast()[0], counts.AtLeast()[0], counts.sums()[0]};
  for (std::size_t d = 0; d + 1 < out.histogram.size(); ++d) out.histogram[d] -= out.histogram[d + 1];
  return out;
}

std::int64_t Distance(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
  std::int64_t sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += std::abs(a[k] - b[k]);
  return sum;
}

/// The largest changes over all graphs: replacing the person's pairs by others, and adding them to none.
struct Largest {
  std::int64_t at_least = 0, histogram = 0, sum = 0;
  std::int64_t added = 0, added_histogram = 0;

  void See(const Counted& a, const Counted& b, bool from_none) {
    at_least = std::max(at_least, Distance(a.at_least, b.at_least));
    histogram = std::max(histogram, Distance(a.histogram, b.histogram));
    sum = std::max(sum, std::abs(a.sum - b.sum));
    if (!from_none) return;
    added = std::max(added, Distance(a.at_least, b.at_least));
    added_histogram = std::max(added_histogram, Distance(a.histogram, b.histogram));
  }
};

/// `moved`: how far an order that is not one of the content moves with the number of pairs.
Largest TryAll(const std::vector<Pair>& order, std::size_t most, PairCounts::Above above, bool moved = false) {
  std::vector<std::size_t> others, own;
  for (std::size_t k = 0; k < order.size(); ++k) (order[k][1] == kPeople ? own : others).push_back(k);
  Largest largest;
  std::vector<Counted> tried(std::size_t{1} << own.size());
  for (std::size_t graph = 0; graph < std::size_t{1} << others.size(); ++graph) {
    for (std::size_t friends = 0; friends < tried.size(); ++friends) {
      std::vector<std::int64_t> first, second;
      std::vector<bool> there(order.size(), false);
      for (std::size_t i = 0; i < others.size(); ++i) there[others[i]] = (graph >> i & 1) != 0;
      for (std::size_t i = 0; i < own.size(); ++i) there[own[i]] = (friends >> i & 1) != 0;
      for (std::size_t k = 0; k < order.size(); ++k) {
        if (!there[k]) continue;
        first.push_back(order[k][0]);
        second.push_back(order[k][1]);
      }
      if (moved && first.size() % 2 == 1) {
        std::reverse(first.begin(), first.end());
        std::reverse(second.begin(), second.end());
      }
      PairCounts counts(most, above, {}, 1);
      counts.Take(first, second);
      tried[friends] = CountedOf(counts);
    }
    for (const Counted& a : tried) {
      for (std::size_t friends = 0; friends < tried.size(); ++friends) largest.See(a, tried[friends], friends == 0);
    }
  }
  return largest;
}

TEST(PairCountsProperty, NobodyChangesProjectedDegreesMoreThanSaid_DEGREES3) {
  Random random(stat::SeedForThisTest());
  for (const std::int64_t most : {1, 2, 3}) {
    Largest reached;
    for (int orders = 0; orders < 3; ++orders) {
      const Largest largest = TryAll(Ordered(random), static_cast<std::size_t>(most), PairCounts::Above::kDropped);
      EXPECT_LE(largest.at_least, 2 * most);
      EXPECT_LE(largest.sum, 2 * most);
      EXPECT_LE(largest.added, 2 * most);
      EXPECT_LE(largest.histogram, 4 * most);
      EXPECT_LE(largest.added_histogram, 2 * most + 1);
      reached.at_least = std::max(reached.at_least, largest.at_least);
      reached.sum = std::max(reached.sum, largest.sum);
    }
    EXPECT_EQ(reached.at_least, 2 * most) << "the bound is larger than it need be";
    EXPECT_EQ(reached.sum, 2 * most);
  }
}

// Cutting degrees is not a projection; nor is one whose order moves when pairs come or go.
TEST(PairCountsProperty, TheCheckOfTheProjectionSeesCutDegreesAndAMovingOrder) {
  Random random(stat::SeedForThisTest());
  const auto order = Ordered(random);
  for (const std::int64_t most : {1, 2}) {
    EXPECT_GT(TryAll(order, static_cast<std::size_t>(most), PairCounts::Above::kCounted).at_least, 2 * most);
    EXPECT_GT(TryAll(order, static_cast<std::size_t>(most), PairCounts::Above::kDropped, true).at_least, 2 * most);
  }
}

TEST(PairCountsProperty, WithoutALimitInReachDegreesAreExact) {
  Random random(stat::SeedForThisTest());
  for (int i = 0; i < 50; ++i) {
    std::set<Pair> graph;
    for (int row = 0; row < 30; ++row) {
      const auto a = static_cast<std::int64_t>(random() % 12), b = static_cast<std::int64_t>(random() % 12);
      if (a != b) graph.insert({std::min(a, b), std::max(a, b)});
    }
    std::vector<std::uint16_t> group_of(9);
    for (auto& g : group_of) g = static_cast<std::uint16_t>(random() % 2);
    PairCounts counts(20, i % 2 == 0 ? PairCounts::Above::kDropped : PairCounts::Above::kCounted, group_of, 3);
    std::vector<std::int64_t> degree(12, 0);
    for (const auto& [a, b] : graph) {  // each pair twice, in separate calls
      for (int again = 0; again < 2; ++again) counts.Take(std::array{a}, std::array{b});
      ++degree[static_cast<std::size_t>(a)];
      ++degree[static_cast<std::size_t>(b)];
    }
    std::vector<std::vector<std::int64_t>> at_least(3, std::vector<std::int64_t>(20, 0));
    std::vector<std::int64_t> sums(3, 0);
    for (std::size_t person = 0; person < degree.size(); ++person) {
      const std::size_t g = person < group_of.size() ? group_of[person] : 2;
      for (std::int64_t d = 0; d < degree[person]; ++d) ++at_least[g][static_cast<std::size_t>(d)];
      sums[g] += degree[person];
    }
    EXPECT_EQ(counts.AtLeast(), at_least);
    EXPECT_EQ(counts.sums(), sums);
  }
}

}  // namespace
}  // namespace kith
