// The affinity join against all pairs tried one by one, from the definition, in whole numbers.
#include <gtest/gtest.h>

#include <cmath>
#include <mutex>
#include <random>

#include "affinity/affinity.h"
#include "tests/support/stat.h"

namespace kith {
namespace {

struct Case {
  Profiles profiles;
  Similarity similarity = Similarity::kCosine;
  Threshold threshold;
};

Case Draw(std::mt19937_64& draws) {
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(draws() % n); };
  Case c;
  const std::size_t records = 1 + below(150);
  c.profiles.unit = below(3) == 0 ? 1 + below(Affinity::kMaxSteps) : 1 + below(100);
  // Few steps make ties, many make products that do not fit single precision.
  const std::uint32_t largest = below(2) == 0 ? 1 + below(6) : Affinity::kMaxSteps;
  const std::size_t categories = below(15), numbers = categories == 0 ? 1 + below(15) : below(15);
  const std::uint32_t different = 1 + below(5);
  for (std::size_t k = 0; k < categories; ++k) {
    auto& column = c.profiles.categories.emplace_back();
    for (std::size_t i = 0; i < records; ++i) column.push_back(below(different) * 0x40000001u);
  }
  for (std::size_t k = 0; k < numbers; ++k) {
    auto& column = c.profiles.numbers.emplace_back();
    for (std::size_t i = 0; i < records; ++i) column.push_back(below(largest + 1));
  }
  c.similarity = below(2) == 0 ? Similarity::kCosine : Similarity::kPrinted;
  c.threshold = {1 + below(10), 1 + below(10)};
  if (c.similarity == Similarity::kPrinted) c.threshold.denominator *= 10;
  return c;
}

bool ByDefinition(const Case& c, std::size_t a, std::size_t b) {
  Int128 product = 0, first = 0, second = 0;
  const bool cosine = c.similarity == Similarity::kCosine;
  const auto add = [&](Int128 x, Int128 y) {
    product += x * y;
    first += cosine ? x * x : x;
    second += cosine ? y * y : y;
  };
  for (const auto& column : c.profiles.numbers) add(column[a], column[b]);
  for (const auto& column : c.profiles.categories) {
    if (column[a] == column[b]) {
      add(c.profiles.unit, c.profiles.unit);
    } else {
      add(c.profiles.unit, 0);
      add(0, c.profiles.unit);
    }
  }
  const Int128 n = c.threshold.numerator, d = c.threshold.denominator;
  return cosine ? product * product * d * d > first * second * n * n : product * d > first * second * n;
}

TEST(AffinityProperty, FindsThePairsOfTheDefinitionAndNoOthers) {
  std::mt19937_64 draws(stat::SeedForThisTest());
  std::size_t similar = 0, others = 0;
  for (int round = 0; round < 400; ++round) {
    const Case c = Draw(draws);
    const std::size_t n = c.profiles.records();
    std::vector<std::vector<bool>> found(n, std::vector<bool>(n, false));
    std::mutex mutex;
    const auto join = Affinity::Make(c.profiles, c.similarity, c.threshold).value();
    ASSERT_TRUE(join.ForEach(
        [&](unsigned, std::uint32_t record, std::span<const std::uint32_t> later) {
          const std::scoped_lock lock(mutex);
          for (const std::uint32_t other : later) found[record][other] = true;
        },
        1 + static_cast<unsigned>(round % 3), {}));
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = 0; b < n; ++b) {
        const bool truth = a < b && ByDefinition(c, a, b);
        ASSERT_EQ(found[a][b], truth) << "round " << round << ": " << a << ", " << b;
        (truth ? similar : others) += a < b ? 1 : 0;
      }
    }
  }
  // The cases decide nothing if all pairs fall on one side.
  EXPECT_GT(similar, 50000u);
  EXPECT_GT(others, 50000u);
}

}  // namespace
}  // namespace kith
