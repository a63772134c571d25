// The exclusion attack on released records, as a black box: how much likelier is it that a record is missing when it is
// sensitive than when it is not? And does a sensitive record ever show?
#include <gtest/gtest.h>

#include <cmath>

#include "mechanism/one_sided_laplace.h"
#include "mechanism/record_release.h"
#include "tests/support/stat.h"

namespace kith {
namespace {

constexpr std::uint64_t kTrials = 400'000;
constexpr double kEpsilon = 0.7;

/// How often one record shows in kTrials releases. `fault`: the probability with which a sensitive one shows.
std::uint64_t Shows(bool sensitive, std::uint64_t per_mille_fault, stat::SeededBits& bits) {
  const auto coin = RecordRelease::Make(PlainUnits::Floor(kEpsilon).value()).value();
  std::uint64_t shows = 0;
  for (std::uint64_t trial = 0; trial < kTrials; ++trial) {
    const bool shown = sensitive ? per_mille_fault > 0 && Chance(per_mille_fault, 1000, bits) : coin.Draw(bits);
    shows += shown ? 1 : 0;
  }
  return shows;
}

/// A loss that the outputs prove, from both events: the record is missing, and it shows. Only in the direction that is
/// bounded: from the sensitive record to any other.
double ProvedLoss(bool other_is_sensitive, std::uint64_t per_mille_fault) {
  stat::SeededBits bits(stat::SeedForThisTest());
  const std::uint64_t before = Shows(true, per_mille_fault, bits);
  const std::uint64_t after = Shows(other_is_sensitive, 0, bits);  // another record: `before` cannot show in its place
  const double missing_before = stat::LowerBound(kTrials - before, kTrials);
  const double missing_after = 1 - stat::LowerBound(after, kTrials);
  const double shows_before = stat::LowerBound(before, kTrials);
  const double shows_after = 1 - stat::LowerBound(kTrials, kTrials);  // never, as far as this many trials can show
  return std::max(std::log(missing_before / missing_after), std::log(shows_before / shows_after));
}

TEST(RecordReleaseStat, MissingRecordsStayWithinTheBound_OSDP1) {
  EXPECT_LE(ProvedLoss(false, 0), kEpsilon);
  EXPECT_GT(ProvedLoss(false, 0), kEpsilon - 0.05);  // and the attack finds nearly all there is
  EXPECT_LE(ProvedLoss(true, 0), 0.001);
}

TEST(RecordReleaseStat, TheCheckAboveSeesSensitiveRecordsThatLeakOnceInAThousand) {
  EXPECT_GT(ProvedLoss(false, 1), kEpsilon);
  EXPECT_GT(ProvedLoss(true, 1), kEpsilon);
}

/// How far one-sided noise for one epsilon is from the law of another.
double DistanceFrom(double law, double drawn) {
  const auto noise = OneSidedLaplace::Make(PlainUnits::Floor(drawn).value()).value();
  stat::SeededBits bits(stat::SeedForThisTest());
  return stat::CdfDistance(
      stat::SamplesToSee(0.03), [&] { return static_cast<std::int64_t>(noise.Noise(bits)); },
      [&](std::int64_t k) { return k < 0 ? 0 : -std::expm1(-law * static_cast<double>(k + 1)); });
}

TEST(OneSidedLaplaceStat, FollowsItsDefinition_OSDP2) {
  for (const double epsilon : {0.01, 0.3, 0.8})
    EXPECT_LE(DistanceFrom(epsilon, epsilon), stat::Radius(stat::SamplesToSee(0.03))) << epsilon;
}

TEST(OneSidedLaplaceStat, TheCheckAboveSeesTenPercentTooLittleNoise) {
  for (const double epsilon : {0.01, 0.3, 0.8})
    EXPECT_GT(DistanceFrom(epsilon, epsilon * 1.1), stat::Radius(stat::SamplesToSee(0.03))) << epsilon;
}

}  // namespace
}  // namespace kith
