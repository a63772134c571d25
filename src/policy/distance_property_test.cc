// Moves of at most delta, tried at random: no displacement leaves the reach, and paths have as many steps as said.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "policy/distance.h"
#include "tests/support/small_laws.h"
#include "tests/support/stat.h"

namespace kith {
namespace {

using testing::Dice;
constexpr double kDegree = std::numbers::pi / 180;

struct Place {
  double lon, lat;
};

double Haversine(Place a, Place b, double radius) {
  const double up = std::sin((a.lat - b.lat) * kDegree / 2), across = std::sin((a.lon - b.lon) * kDegree / 2);
  return 2 * radius *
         std::asin(std::sqrt(up * up + std::cos(a.lat * kDegree) * std::cos(b.lat * kDegree) * across * across));
}

/// Length of the straight line on the plate, over the ellipsoid: no shorter than the geodesic, and close to it for
/// moves of a few kilometres.
double Ellipsoidal(Place a, Place b) {
  constexpr double kA = 6'378'137, kE2 = 0.00669437999014;
  double sum = 0;
  constexpr int kParts = 16;
  for (int k = 0; k < kParts; ++k) {
    const double lat = (a.lat + (b.lat - a.lat) * (k + 0.5) / kParts) * kDegree;
    const double w = 1 - kE2 * std::sin(lat) * std::sin(lat);
    const double meridian = kA * (1 - kE2) / std::pow(w, 1.5), normal = kA / std::sqrt(w);
    sum +=
        std::hypot(meridian * (b.lat - a.lat) * kDegree, normal * std::cos(lat) * (b.lon - a.lon) * kDegree) / kParts;
  }
  return sum;
}

Distance Region(Dice& dice) {
  Distance d;
  d.columns = {"lon", "lat"};
  d.metric = DistanceMetric::kGreatCircle;
  const double lat = dice.Between(-84, 80), lon = dice.Between(-170, 100);
  d.region = {{lon, lat}, {lon + dice.Between(0.1, 60), std::min(85.0, lat + dice.Between(0.1, 20))}};
  d.whole = {false, false};
  d.delta = std::exp(dice.Between(std::log(1.0), std::log(300'000.0)));
  return d;
}

Place Inside(Dice& dice, const PlaceBox& region) {
  const auto one = [&](std::size_t k) {
    if (dice.Chance(0.3)) return dice.Chance(0.5) ? region.low[k] : region.high[k];
    return dice.Between(region.low[k], region.high[k]);
  };
  return {one(0), one(1)};
}

double Size(const Reach& reach, Place from, Place to) {
  return std::hypot((to.lon - from.lon) / reach.semi[0], (to.lat - from.lat) / reach.semi[1]);
}

/// The largest size of a move of at most delta, in units of the reach; the reach may be spoilt to see that it is seen.
double LargestMove(double spoilt, bool forget_latitude) {
  Dice dice(stat::SeedForThisTest());
  double largest = 0;
  for (int trial = 0; trial < 15'000; ++trial) {
    const Distance d = Region(dice);
    if (!ReachProblem(d).empty()) continue;
    Reach reach = ReachOf(d);
    for (double& semi : reach.semi) semi *= spoilt;
    if (forget_latitude) reach.semi[0] = reach.semi[1];
    const Place from = Inside(dice, d.region);
    // A direction, as far as delta allows: first too far, then back until the distance is at most delta.
    const double angle = dice.Between(0, 2 * std::numbers::pi);
    double length = d.delta / 6.3e6 / kDegree * 1.1;
    const double stretch = 1 / std::cos(from.lat * kDegree);
    const bool ellipsoid = d.delta < 3000 && dice.Chance(0.5);
    Place to = from;
    for (int shrink = 0; shrink < 60; ++shrink, length *= 0.995) {
      to = {std::clamp(from.lon + length * stretch * std::cos(angle), d.region.low[0], d.region.high[0]),
            std::clamp(from.lat + length * std::sin(angle), d.region.low[1], d.region.high[1])};
      const double far = ellipsoid ? Ellipsoidal(from, to) : Haversine(from, to, 6'371'008.8);
      if (far <= d.delta) break;
    }
    const double far = ellipsoid ? Ellipsoidal(from, to) : Haversine(from, to, 6'371'008.8);
    if (far <= d.delta) largest = std::max(largest, Size(reach, from, to));
  }
  return largest;
}

TEST(DistanceProperty, NoMoveOnTheEarthLeavesTheReach_DISTANCE1) {
  const double largest = LargestMove(1, false);
  EXPECT_LE(largest, 1);
  EXPECT_GT(largest, 0.98);  // not wide either
}

TEST(DistanceProperty, TheCheckSeesAReachThatIsTooSmall) {
  EXPECT_GT(LargestMove(0.95, false), 1);
  EXPECT_GT(LargestMove(1, true), 1.5);  // degrees of longitude taken for degrees of latitude
}

/// The largest part of the promised steps that a straight path between two places of the region takes.
double LargestPath(double radius) {
  Dice dice(stat::SeedForThisTest());
  double largest = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    Distance d = Region(dice);
    d.delta = std::max(d.delta, Diameter(d) / 40);
    const Place from = Inside(dice, d.region), to = Inside(dice, d.region);
    const auto steps = static_cast<double>(*StandardStepsOf(d).replace);
    // The straight line on the plate, cut into pieces of delta: its length is what counts.
    double length = 0;
    Place before = from;
    for (int k = 1; k <= 50; ++k) {
      const Place next{from.lon + (to.lon - from.lon) * k / 50, from.lat + (to.lat - from.lat) * k / 50};
      length += Haversine(before, next, radius);
      before = next;
    }
    largest = std::max(largest, length / (steps * d.delta));
  }
  return largest;
}

TEST(DistanceProperty, PathsTakeNoMoreStepsThanSaid_DISTANCE2) {
  EXPECT_LE(LargestPath(6'399'593), 1);
  EXPECT_GT(LargestPath(6'399'593), 0.9);
}

TEST(DistanceProperty, TheCheckSeesTooFewSteps) {
  // A smaller earth would need fewer steps: the promise for it does not hold on the real one.
  EXPECT_GT(LargestPath(6'399'593 * 1.2), 1);
}

// Two times, at most `delta` microseconds apart, as the minutes that are read: how far apart these are at most.
std::int64_t FarthestMinutes(std::int64_t delta) {
  std::mt19937_64 engine(11);
  std::int64_t farthest = 0;
  constexpr std::int64_t kMinute = 60'000'000;
  for (int k = 0; k < 20'000; ++k) {
    const auto from = static_cast<std::int64_t>(engine() % (1ULL << 50));
    const std::int64_t to = from + static_cast<std::int64_t>(engine() % static_cast<std::uint64_t>(delta + 1));
    farthest = std::max(farthest, to / kMinute - from / kMinute);
  }
  return farthest;
}

TEST(DistanceProperty, TimesReadAsMinutesAreNoFartherApart_DISTANCE5) {
  for (const std::int64_t minutes : {1, 15, 90}) EXPECT_LE(FarthestMinutes(minutes * 60'000'000), minutes);
}

TEST(DistanceProperty, TheCheckOfTimesSeesALengthThatIsNotWholeMinutes) {
  EXPECT_GT(FarthestMinutes(90'000'000), 1);  // a minute and a half: they can be two minutes apart
}

}  // namespace
}  // namespace kith
