// Geometry of metric units. Every number is rounded towards more privacy: moves reach farther, regions are larger.
#include "policy/distance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/check.h"
#include "loss/loss_text.h"
#include "policy/clock.h"
#include "policy/track.h"

namespace kith {
namespace {

// Radii of curvature of the earth's ellipsoid (WGS 84) are between these: that of the meridian at the equator,
// b^2 / a, and those at the poles, a^2 / b. In metres, rounded outwards.
constexpr double kSmallestRadius = 6'335'439.3, kLargestRadius = 6'399'593.7;
constexpr double kDegree = std::numbers::pi / 180;
// Sines, roots and products here are right to a few units in the last place; a millionth of a millionth is far more.
constexpr double kUp = 1 + 1e-12, kDown = 1 - 1e-12;

double CosineOf(double degrees) { return std::cos(degrees * kDegree); }

double LargestLatitude(const Distance& d) { return std::max(std::abs(d.region.low[1]), std::abs(d.region.high[1])); }
double SmallestLatitude(const Distance& d) {
  if (d.region.low[1] <= 0 && d.region.high[1] >= 0) return 0;
  return std::min(std::abs(d.region.low[1]), std::abs(d.region.high[1]));
}

// sin(x) / x, for x in (0, pi / 2]: falls.
double Sinc(double x) { return x == 0 ? 1 : std::sin(x) / x; }

// The sum rounded up: exact if it is a double.
double SumUp(double a, double b) {
  const double sum = a + b, of_b = sum - a, lost = (a - (sum - of_b)) + (b - of_b);
  return lost > 0 ? std::nextafter(sum, std::numeric_limits<double>::infinity()) : sum;
}

double Span(const Distance& d, std::size_t k) { return SumUp(d.region.high[k], -d.region.low[k]); }

// Haversines: sin^2(angle / 2) = sin^2(dlat / 2) + cos(lat1) cos(lat2) sin^2(dlon / 2). The left side is at most
// (angle / 2)^2; sin(x / 2) is at least x / 2 times Sinc at the largest x of the region. What is left is an ellipse,
// and one for twice the distance is twice as large.
Reach GreatCircleReach(const Distance& d) {
  const double angle = d.delta / kSmallestRadius * kUp;
  const double cosine = CosineOf(LargestLatitude(d)) * kDown;
  const auto sinc = [&](std::size_t k) { return Sinc(Span(d, k) * kDegree / 2) * kDown; };
  return {{angle / (cosine * sinc(0)) / kDegree * kUp, angle / sinc(1) / kDegree * kUp}, false};
}

// The longest distance from a place of the region to the nearest source; that to any other is as long or longer.
double FarthestFrom(const Distance& d, const PlaceBox& source) {
  Distance reach = d;
  for (std::size_t k = 0; k < d.columns.size(); ++k) {
    const double below = source.low[k] - d.region.low[k], above = d.region.high[k] - source.high[k];
    const double farthest = std::max({0.0, below, above});
    if (d.metric == DistanceMetric::kGreatCircle && k == 1) continue;  // the whole height: cosines differ along it
    reach.region.low[k] = 0;
    reach.region.high[k] = farthest;
  }
  return Diameter(reach);
}

// Whole numbers: from one to another in hops of whole lengths, one column after the other.
std::optional<std::int64_t> HopsBetween(const Distance& d, const std::vector<double>& spans) {
  std::int64_t hops = 0;
  for (std::size_t k = 0; k < spans.size(); ++k) {
    const double hop = d.whole[k] ? std::floor(d.delta) : d.delta;
    if (spans[k] > 0 && hop == 0) return std::nullopt;
    if (spans[k] > 0) hops += StepsFor(spans[k], hop);
  }
  return std::max<std::int64_t>(1, hops);
}

// A place outside the bounds is read as the nearest one. On a plane this never increases distances. On the
// earth it can: the other side of the date line is near one border and is read as the other, and far in the north a
// short path crosses many longitudes.
std::string OutsideText(const Distance& d) {
  if (d.metric != DistanceMetric::kGreatCircle) return {};
  return fmt::format(
      "; between places inside the declared bounds ({} from {:.6g} to {:.6g}, {} from {:.6g} to {:.6g}): a place "
      "outside is read as the nearest bound, and moves from or to there, of a unit or of those that move with it, are "
      "not covered",
      d.columns[0], d.region.low[0], d.region.high[0], d.columns[1], d.region.low[1], d.region.high[1]);
}

bool AnyWhole(const Distance& d) { return std::find(d.whole.begin(), d.whole.end(), true) != d.whole.end(); }

std::optional<std::int64_t> StepsToSources(const Distance& d) {
  if (d.sources.kind == Sources::Kind::kEverywhere) return 1;
  std::optional<std::int64_t> fewest;
  for (const PlaceBox& source : d.sources.places) {
    std::optional<std::int64_t> steps;
    if (AnyWhole(d)) {
      std::vector<double> spans;
      for (std::size_t k = 0; k < d.columns.size(); ++k)
        spans.push_back(std::max({0.0, source.low[k] - d.region.low[k], d.region.high[k] - source.high[k]}));
      steps = HopsBetween(d, spans);
      // One move to appear at the whole numbers next to the source, which may be half a number off in each column.
      if (steps) *steps += 1 + static_cast<std::int64_t>(d.columns.size());
    } else {
      steps = StepsFor(FarthestFrom(d, source), d.delta);
    }
    if (steps && (!fewest || *steps < *fewest)) fewest = steps;
  }
  return fewest;
}

}  // namespace

std::string Distance::Length(double length) const {
  if (metric == DistanceMetric::kMinutes || metric == DistanceMetric::kDays) {  // whole numbers
    return fmt::format("{} {}{}", std::llround(length), metric == DistanceMetric::kDays ? "day" : "minute",
                       length == 1 ? "" : "s");
  }
  if (metric != DistanceMetric::kGreatCircle) return fmt::format("{:.6g}", length);
  return length >= 10'000 ? fmt::format("{:.4g} km", length / 1000) : fmt::format("{:.6g} m", length);
}

std::string ReachProblem(const Distance& d) {
  if (d.metric != DistanceMetric::kGreatCircle) return {};
  if (d.region.low[0] < -180 || d.region.high[0] > 180 || Span(d, 0) > 180)
    return "longitudes must lie between -180 and 180 and span at most 180 degrees";
  if (LargestLatitude(d) > 85) return "latitudes must lie between -85 and 85 degrees";
  if (d.delta > kSmallestRadius / 2) return "delta is too large for great circles";
  return {};
}

Reach ReachOf(const Distance& d) {
  KITH_CHECK(ReachProblem(d).empty());
  if (d.metric == DistanceMetric::kGreatCircle) return GreatCircleReach(d);
  return {std::vector<double>(d.columns.size(), d.delta), d.metric == DistanceMetric::kL1};
}

double Diameter(const Distance& d) {
  if (d.columns.size() == 1) return Span(d, 0);
  if (d.metric == DistanceMetric::kL1) return SumUp(Span(d, 0), Span(d, 1));
  if (d.metric == DistanceMetric::kEuclidean) return std::hypot(Span(d, 0), Span(d, 1)) * kUp;
  // A straight line on the plate with longitude and latitude stays in the box, and is no shorter than the distance.
  const double across = Span(d, 0) * kDegree * std::min(1.0, CosineOf(SmallestLatitude(d)) * kUp);
  return kLargestRadius * std::hypot(across, Span(d, 1) * kDegree) * kUp;
}

std::int64_t StepsFor(double length, double delta) {
  KITH_CHECK(length >= 0 && delta > 0);
  double steps = std::max(1.0, std::ceil(length / delta));
  if (std::fma(steps, delta, -length) < 0) ++steps;  // the quotient was rounded down to a whole number
  return steps < 1e18 ? static_cast<std::int64_t>(steps) : std::numeric_limits<std::int64_t>::max();
}

StandardSteps StandardStepsOf(const Distance& d) {
  StandardSteps steps;
  if (AnyWhole(d)) {
    std::vector<double> spans;
    for (std::size_t k = 0; k < d.columns.size(); ++k) spans.push_back(Span(d, k));
    steps.replace = HopsBetween(d, spans);
    if (!steps.replace)
      steps.reason = "delta is smaller than the gap between two whole numbers, so no move leads from one to the next";
  } else {
    steps.replace = StepsFor(Diameter(d), d.delta);
  }
  if (d.sources.kind == Sources::Kind::kNone) {
    if (steps.reason.empty()) steps.reason = "presence is public: nobody appears or disappears";
  } else {
    steps.appear = StepsToSources(d);
  }
  return steps;
}

namespace {

// "move one unit by at most 500 m (great-circle distance of lon, lat)".
std::string MoveText(const Distance& d) {
  const char* metric = d.metric == DistanceMetric::kEuclidean                                      ? "Euclidean"
                       : d.metric == DistanceMetric::kL1                                           ? "L1"
                       : d.metric == DistanceMetric::kMinutes || d.metric == DistanceMetric::kDays ? "time"
                                                                                                   : "great-circle";
  return fmt::format("move one unit by at most {} ({} distance of {})", d.Length(d.delta), metric,
                     fmt::join(d.columns, ", "));
}

}  // namespace

std::string NeighboursText(const Distance& d) {
  std::string text = MoveText(d) + "; its other secret columns may change";
  if (d.sources.kind == Sources::Kind::kEverywhere) text += "; or one unit appears or goes, anywhere";
  if (d.sources.kind == Sources::Kind::kPlaces)
    text += fmt::format("; or one unit appears or goes within {} of a source", d.Length(d.delta));
  return text + "; public columns are kept" + OutsideText(d);
}

std::string TrackNeighboursText(const Distance& d, std::int64_t window) {
  std::string text = fmt::format("{} at each of at most {} consecutive steps; its other secret columns may change",
                                 MoveText(d), window);
  if (d.sources.kind == Sources::Kind::kNone) text += "; at which steps it is present is public";
  if (d.sources.kind == Sources::Kind::kEverywhere) text += "; or, at any of these steps, it appears or goes, anywhere";
  if (d.sources.kind == Sources::Kind::kPlaces)
    text += fmt::format("; or, at any of these steps, it appears or goes within {} of a source", d.Length(d.delta));
  return text + "; public columns are kept" + OutsideText(d);
}

std::string TrackMovesText(const Distance& d, double by_stay) {
  const auto times = [&](std::int64_t steps) {
    return fmt::format("{} x {} = {}", steps, LossText(by_stay), LossText(static_cast<double>(steps) * by_stay));
  };
  std::string text = fmt::format(
      "two tracks that are at most {0} apart at one step and agree at all others: what that step was charged; at most "
      "{0} apart at every step of a stay: at most {1}; r_t apart at step t: at most the sum over the steps of "
      "ceil(r_t / {0}) x what the step was charged",
      d.Length(d.delta), LossText(by_stay));
  const StandardSteps steps = StandardStepsOf(d);
  if (steps.replace)
    text += fmt::format("; any two tracks in the region, {} wide: {}", d.Length(Diameter(d)), times(*steps.replace));
  if (steps.appear) text += "; present or absent, for a whole stay: " + times(*steps.appear);
  if (!steps.reason.empty()) text += "; " + steps.reason;
  return text + OutsideText(d);
}

std::string MovesText(const Distance& d, double by_move, double by_any) {
  if (by_move == 0 && by_any > 0) return "any change of place, however far: " + LossText(by_any) + OutsideText(d);
  const std::string once = by_any > 0 ? " + " + LossText(by_any) : "";
  const auto times = [&](std::int64_t steps) {
    return fmt::format("{} x {}{} = {}", steps, LossText(by_move), once,
                       LossText(static_cast<double>(steps) * by_move + by_any));
  };
  std::string text =
      fmt::format("two places at distance r: at most ceil(r / {}) x {}{}", d.Length(d.delta), LossText(by_move), once);
  const StandardSteps steps = StandardStepsOf(d);
  if (steps.replace)
    text += fmt::format("; any two places of the region, {} wide: {}", d.Length(Diameter(d)), times(*steps.replace));
  if (steps.appear) text += "; present or absent: " + times(*steps.appear);
  if (!steps.reason.empty()) text += "; " + steps.reason;
  return text + OutsideText(d);
}

}  // namespace kith
