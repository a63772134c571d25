// The exact law of the choice: every path of bits, added up in integers, against the published definition; and the loss
// between all small neighbours.
#include <gtest/gtest.h>

#include <cmath>

#include "mechanism/permute_and_flip.h"
#include "tests/support/precise.h"
#include "tests/support/scripted.h"
#include "tests/support/selection_law.h"
#include "tests/support/stat.h"

namespace kith {
namespace {

using testing::ExactLaw;
using testing::LossBetween;
using testing::SelectionLaw;
using testing::SelectionLawByOrders;
using testing::Walk;
using Real = testing::Precise;
using Distances = std::vector<std::int64_t>;

constexpr std::int64_t kOne = PlainUnits::kOne;

PermuteAndFlip Choice(std::int64_t spread, std::int64_t share) {
  return PermuteAndFlip::Make(Sensitivity::Make(spread).value(), PlainUnits::Of(share)).value();
}

int Violations(const Distances& distances, std::int64_t spread, std::int64_t share, long double rate) {
  const PermuteAndFlip choice = Choice(spread, share);
  const ExactLaw walked =
      Walk(34, [&](BitSource& bits) { return static_cast<Int128>(choice.Choose<3, 1>(distances, bits)); });
  EXPECT_LT(walked.UnexploredShare(), 1e-5L);
  const auto law = SelectionLaw(distances, rate);
  return walked.Violations(0, static_cast<Int128>(law.size()) - 1,
                           [&](Int128 v) { return law[static_cast<std::size_t>(v)]; });
}

TEST(PermuteAndFlipLaw, IsExactlyAsDefined_PF1) {
  EXPECT_EQ(Violations({0, 1}, 1, kOne, 1.0L), 0);
  EXPECT_EQ(Violations({5, 3, 4}, 2, kOne, 0.5L), 0);
  EXPECT_EQ(Violations({0, 2, 0, 7}, 3, kOne, 1.0L / 3), 0);
  EXPECT_EQ(Violations({1, 0, 40}, 1, 3 * kOne, 3.0L), 0);
  EXPECT_EQ(Violations({0, 1}, 1, 40 * kOne, 40.0L), 0);  // steeper than the fast way can decide
}

TEST(PermuteAndFlipLaw, TheCheckAboveSeesARateThatIsOffByOnePartInAThousand) {
  EXPECT_GT(Violations({5, 3, 4}, 2, kOne + kOne / 1000, 0.5L), 0);
  EXPECT_GT(Violations({0, 1}, 1, kOne - kOne / 1000, 1.0L), 0);
}

TEST(PermuteAndFlipLaw, AllCoinsAtOnceAreThePublishedMechanism_PF1) {
  for (const Distances& distances :
       {Distances{0}, Distances{0, 0}, Distances{3, 1, 2}, Distances{0, 5, 5, 9, 1}, Distances{2, 2, 8, 3, 4, 2}}) {
    const auto at_once = SelectionLaw(distances, 0.3L), by_orders = SelectionLawByOrders(distances, 0.3L);
    for (std::size_t v = 0; v < distances.size(); ++v) EXPECT_LT(std::fabs(at_once[v] - by_orders[v]), 1e-17L);
  }
}

// The last bits that decide: just above and just below exp(-x), where the fast way must not guess.
TEST(PermuteAndFlipLaw, AllDigitsAtOnceAreAsExact_PF1) {
  const std::int64_t cases[][3] = {
      {1, kOne, 1}, {7, kOne / 3, 2}, {1 << 20, kOne, 1 << 22}, {2, 1, 3}, {1, 20 * kOne, 2}};
  for (const auto& [spread, share, distance] : cases) {
    const PermuteAndFlip choice = Choice(spread, share);
    const Real digits = ldexp(exp(-ldexp(Real(share), -32) * distance / spread), 64);
    const auto prefix = static_cast<std::uint64_t>(floor(digits));
    const auto next = static_cast<std::uint64_t>(floor(ldexp(digits - floor(digits), 64)));
    testing::ScriptedBits below({{64, prefix}, {64, next - 8}}), above({{64, prefix}, {64, next + 8}});
    EXPECT_TRUE(choice.Flip(distance, below)) << share;
    EXPECT_FALSE(choice.Flip(distance, above)) << share;
    testing::ScriptedBits far_below({{64, prefix - prefix / 1024}}), far_above({{64, prefix + prefix / 1024}});
    if (prefix > 1 << 20 && prefix < std::uint64_t{1} << 63) {  // decided by the first word
      EXPECT_TRUE(choice.Flip(distance, far_below)) << share;
      EXPECT_FALSE(choice.Flip(distance, far_above)) << share;
    }
  }
}

// A coin whose heads have a probability of 10^-26 is still drawn.
TEST(PermuteAndFlipLaw, HopelessCoinsAreNotLeftOut_PF1) {
  const PermuteAndFlip choice = Choice(1, kOne);
  const Real digits = ldexp(exp(-Real(60)), 128);
  const auto second = static_cast<std::uint64_t>(floor(digits));
  testing::ScriptedBits heads({{64, 0}, {64, second - 1}, {64, 5}}), tails({{64, 0}, {64, second + 2}, {64, 5}});
  const bool first = choice.Flip(60, heads), other = choice.Flip(60, tails);
  EXPECT_TRUE(first);
  EXPECT_FALSE(other);
  testing::ScriptedBits one({{64, 1}});
  EXPECT_FALSE(choice.Flip(60, one));
}

/// The largest loss of all changes of small distances with max(change) - min(change) <= spread.
long double LargestLoss(std::int64_t spread, long double rate) {
  long double largest = 0;
  const auto digits = [](std::size_t code) {
    return Distances{static_cast<std::int64_t>(code % 4), static_cast<std::int64_t>(code / 4 % 4),
                     static_cast<std::int64_t>(code / 16)};
  };
  for (std::size_t before = 0; before < 64; ++before) {
    for (std::size_t after = 0; after < 64; ++after) {
      const Distances a = digits(before), b = digits(after);
      const auto [low, high] = std::minmax({b[0] - a[0], b[1] - a[1], b[2] - a[2]});
      if (high - low <= spread) largest = std::max(largest, LossBetween(SelectionLaw(a, rate), SelectionLaw(b, rate)));
    }
  }
  return largest;
}

TEST(PermuteAndFlipLaw, ChangesWithinTheSpreadLoseAtMostTheShare_PF1) {
  for (const std::int64_t spread : {1, 2, 3}) {
    const long double rate = 1.0L / static_cast<long double>(spread);
    EXPECT_LE(LargestLoss(spread, rate), 1 + 1e-15L) << spread;
    EXPECT_GT(LargestLoss(spread, rate), 0.5L) << spread;
  }
}

TEST(PermuteAndFlipLaw, TheCheckAboveSeesASpreadThatIsHalved) { EXPECT_GT(LargestLoss(2, 1.0L), 1.2L); }

/// The worst case: all others are as far. With k heads besides the nearest, which is one of k + 1: the mean of
/// 1 / (k + 1) for k of a binomial law.
long double ChanceBeyond(std::size_t others, std::int64_t distance, std::int64_t spread, std::int64_t share) {
  const long double rate = static_cast<long double>(share) / kOne / static_cast<long double>(spread);
  const long double heads = std::exp(-rate * static_cast<long double>(distance));
  const auto all = static_cast<long double>(others + 1);
  return 1 + std::expm1(all * std::log1p(-heads)) / (all * heads);
}

TEST(PermuteAndFlipLaw, TheWorstCaseOfTheNextTestIsTheLaw) {
  EXPECT_LT(std::fabs(ChanceBeyond(5, 3, 2, kOne) - (1 - SelectionLaw({0, 3, 3, 3, 3, 3}, 0.5L)[0])), 1e-15L);
}

TEST(PermuteAndFlipLaw, ReachCoversWhateverTheDistances_PF2) {
  for (const std::size_t others : {1u, 2u, 10u, 120u, 700u}) {
    for (const std::int64_t spread : {1, 4, 50}) {
      for (const std::int64_t share : {kOne / 10, kOne, 5 * kOne}) {
        const std::int64_t reach = Choice(spread, share).Reach(others);
        EXPECT_LE(ChanceBeyond(others, reach + 1, spread, share), 0.05L);
        // No more than one step and a factor too careful: half of it would not do.
        if (reach > 4) {
          EXPECT_GT(ChanceBeyond(others, reach / 2, spread, share), 0.05L);
        }
      }
    }
  }
}

TEST(PermuteAndFlipLaw, TheCheckAboveSeesAReachForOneCandidateOfMany) {
  EXPECT_GT(ChanceBeyond(700, Choice(4, kOne / 10).Reach(1) + 1, 4, kOne / 10), 0.05L);
}

TEST(PermuteAndFlipLaw, TakesEveryLegalRate) {
  stat::SeededBits bits(stat::SeedForThisTest());
  const Distances distances = {PermuteAndFlip::kFarthest + 7, 3, std::numeric_limits<std::int64_t>::max(), 3};
  for (const std::int64_t spread : {std::int64_t{1}, std::int64_t{1} << 20, Sensitivity::kMax}) {
    for (const std::int64_t share : {std::int64_t{1} << 11, kOne, PlainUnits::kMax}) {
      const PermuteAndFlip choice = Choice(spread, share);
      for (int i = 0; i < 20; ++i) EXPECT_EQ(choice.Choose(distances, bits) % 2, 1u);
      EXPECT_LE(choice.Reach(std::numeric_limits<std::uint64_t>::max()), PermuteAndFlip::kFarthest);
    }
  }
}

TEST(PermuteAndFlipLaw, PublicFactsAreChosenExactly) {
  testing::ScriptedBits none({});
  EXPECT_EQ(Choice(0, 0).Choose(Distances{4, 2, 3, 2}, none), 1u);
  EXPECT_EQ(Choice(0, 0).Reach(100), 0);
  EXPECT_FALSE(PermuteAndFlip::Make(Sensitivity::Make(1).value(), PlainUnits()));
}

}  // namespace
}  // namespace kith
