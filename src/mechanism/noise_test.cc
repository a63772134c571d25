#include "mechanism/noise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/support/stat.h"

namespace kith {
namespace {

Sensitivities Moved(std::int64_t l1, std::int64_t l2_squared, std::int64_t groups) {
  return Sensitivities::Make(l1, l2_squared, groups).value();
}

std::vector<Int128> Drawn(const auto& law, std::uint64_t seed) {
  stat::SeededBits bits(seed);
  std::vector<Int128> values = {0, 1, -7, Int128{1} << 100, -Noise::kLargest};
  for (int round = 0; round < 50; ++round) law.ReleaseAll(values, bits);
  return values;
}

/// Whether a law behaves, bit by bit, as discrete Laplace noise for this sensitivity and share, and says so.
bool IsLaplaceFor(const Noise& noise, std::int64_t l1, PlainUnits share) {
  const auto law = DiscreteLaplace::Make(Sensitivity::Make(l1).value(), share).value();
  const bool same = Drawn(noise, 3) == Drawn(law, 3) && noise.scale() == law.scale() &&
                    noise.ErrorBar(0.95) == law.ErrorBar(0.95) &&
                    noise.ErrorBarAll(0.99, 40) == law.ErrorBarAll(0.99, 40);
  return same && noise.loss() == (l1 == 0 ? Loss() : Loss::Pure(share));
}

TEST(Noise, IsLaplacesForTheL1AndTheShareThatWereAskedFor_NOISE1) {
  for (const Sensitivities& change :
       {Moved(1, 1, 1), Moved(2, 2, 2), Moved(8, 32, 2), Moved(Sensitivity::kMax, 5, 2), Sensitivities::None()}) {
    for (const std::int64_t share : {std::int64_t{1}, std::int64_t{1} << 29, PlainUnits::kOne, 7 * PlainUnits::kOne}) {
      const Noise noise = Noise::For(change, PlainUnits::Of(share)).value();
      EXPECT_TRUE(IsLaplaceFor(noise, change.l1().steps(), PlainUnits::Of(share))) << change.l1().steps();
      EXPECT_EQ(noise.change(), change);
    }
  }
}

// The twin: laws that hide L2 instead of L1, half of it, or cost a unit more than is said.
TEST(Noise, TheCheckAboveSeesAnotherLaw) {
  const PlainUnits share = PlainUnits::Of(PlainUnits::kOne);
  EXPECT_FALSE(IsLaplaceFor(Noise::For(Moved(8, 36, 2), share).value(), 6, share));
  EXPECT_FALSE(IsLaplaceFor(Noise::For(Moved(8, 36, 2), share).value(), 16, share));
  EXPECT_FALSE(IsLaplaceFor(Noise::For(Moved(8, 36, 2), share).value(), 8, share + PlainUnits::Of(1)));
}

/// Whether normal noise is as wide as a change in L2 needs at this Gaussian loss, and hardly wider.
bool IsNormalFor(const Noise& noise, double l2, double mu) {
  const double sigma = std::max(l2 / mu, 1.0 / 64);
  return noise.Name().id == kRoundedNormalName.id && noise.scale() >= sigma * (1 - 1e-15) &&
         noise.scale() <= sigma * (1 + 1e-7);
}

TEST(Noise, IsNormalForTheL2AndTheGaussianLossThatWereAskedFor_NOISE1) {
  for (const Sensitivities& change : {Moved(1, 1, 1), Moved(2, 2, 2), Moved(8, 32, 2), Moved(Sensitivity::kMax, 5, 2),
                                      Moved(Sensitivity::kMax, std::int64_t{1} << 62, 1)}) {
    for (const std::int64_t squared :
         {std::int64_t{1} << 20, std::int64_t{1} << 30, std::int64_t{3} << 40, std::int64_t{1} << 52}) {
      const Loss loss = Loss::Of(LossKind::kMu, squared).value();
      const Noise noise = Noise::For(change, loss).value();
      const double mu = std::sqrt(loss.value(LossKind::kMu));
      EXPECT_TRUE(IsNormalFor(noise, std::sqrt(static_cast<double>(change.l2_squared())), mu)) << squared;
      EXPECT_EQ(noise.loss(), loss);
      EXPECT_EQ(noise.Claims(), std::vector<std::string>{"NORMAL-1"});
      EXPECT_EQ(noise.PlanClaim(), "PLAN-4");
    }
  }
  EXPECT_EQ(Noise::For(Sensitivities::None(), Loss::Of(LossKind::kMu, 7).value()).value().scale(), 0);
}

// The twin: noise for L1 in place of L2 is more, for one group in place of two less.
TEST(Noise, TheCheckAboveSeesNoiseForAnotherL2) {
  const Loss loss = Loss::Of(LossKind::kMu, std::int64_t{1} << 36).value();
  const Noise noise = Noise::For(Moved(2, 2, 2), loss).value();
  EXPECT_TRUE(IsNormalFor(noise, std::sqrt(2), 0.25));
  EXPECT_FALSE(IsNormalFor(noise, 2, 0.25));
  EXPECT_FALSE(IsNormalFor(noise, 1, 0.25));
}

TEST(Noise, NeedsAShareOfAKindThatItHasALawFor) {
  const Sensitivities one = Moved(1, 1, 1);
  EXPECT_EQ(Noise::For(one, PlainUnits()).error().code, Code::kInvalidArgument);
  EXPECT_TRUE(Noise::For(Sensitivities::None(), PlainUnits()));
  for (const LossKind kind : {LossKind::kMu, LossKind::kRho, LossKind::kDelta}) {
    const Loss loss = Loss::Pure(PlainUnits::Of(5)) + Loss::Of(kind, 1).value();
    EXPECT_EQ(Noise::For(one, loss).error().code, Code::kUnsupportedQuery) << NameOf(kind);
  }
}

TEST(Noise, NamesItsLawAndItsClaims) {
  const Noise noise = Noise::For(Moved(1, 1, 1), PlainUnits::Of(5)).value();
  EXPECT_EQ(noise.Name().id, "discrete laplace");
  EXPECT_EQ(LawText(noise.Name().id), "discrete Laplace");
  EXPECT_EQ(LawText("a law of next year"), "a law of next year");
  EXPECT_EQ(noise.Claims(), std::vector<std::string>{"DL-1"});
  EXPECT_EQ(noise.PlanClaim(), "PLAN-1");
}

TEST(Noise, TheShareForAnErrorIsTheSmallestThatReachesIt) {
  const Sensitivities change = Moved(6, 18, 2);
  const PlainUnits share = Noise::ShareForError(change, 30, 0.95, 4).value();
  EXPECT_LE(Noise::For(change, share).value().ErrorBarAll(0.95, 4), 30);
  EXPECT_GT(Noise::For(change, share - PlainUnits::Of(1)).value().ErrorBarAll(0.95, 4), 30);
  EXPECT_EQ(Noise::ShareForError(Sensitivities::None(), 0, 0.95).value(), PlainUnits());
}

}  // namespace
}  // namespace kith
