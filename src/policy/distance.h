// A metric unit: what is protected is where a unit is, up to moves of a certain length. Two tables are neighbours if
// one unit's position moves by at most delta (its other secrets may change at will), or, where there are sources, if a
// unit appears or disappears within delta of one.  Claims: claims/distance.md
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kith {

enum class DistanceMetric {
  kEuclidean,
  kL1,
  kGreatCircle,
  // On a line: the column's numbers are whole minutes or days since the day of its lower bound began (policy/clock.h).
  kMinutes,
  kDays,
};

/// All places with low[k] <= column k <= high[k]; a single place if they are equal.
struct PlaceBox {
  std::vector<double> low, high;
};

/// Where units can appear and disappear.
struct Sources {
  enum class Kind { kNone, kEverywhere, kPlaces };
  Kind kind = Kind::kNone;
  std::vector<PlaceBox> places;
};

struct Distance {
  std::vector<std::string> columns;  // one or two; for great circles longitude first, in degrees
  DistanceMetric metric = DistanceMetric::kEuclidean;
  double delta = 0;  // in the columns' own unit; in metres for great circles
  Sources sources;
  PlaceBox region;          // the declared bounds of the columns
  std::vector<bool> whole;  // of each column: its values are whole numbers

  /// "500 m", "0.25".
  std::string Length(double length) const;
};

/// A set of displacements in column units that holds every move of at most delta inside the region: those with
/// sum of (d_k / semi_k)^2 <= 1, or sum of |d_k| / semi_k <= 1 if `diamond`.
struct Reach {
  std::vector<double> semi;
  bool diamond = false;
};

/// Why great circles cannot be used with this region and delta; empty if they can.
std::string ReachProblem(const Distance& distance);
/// Requires: no ReachProblem.
/// Ensures [DISTANCE-1]: holds every move, rounded up; on great circles for distances on the earth's ellipsoid as well
/// as on any sphere between its smallest and largest radius of curvature.
Reach ReachOf(const Distance& distance);

/// How far apart two places of the region can be along a path that stays in it, rounded up.
double Diameter(const Distance& distance);

/// ceil(length / delta), exactly; at least 1. Requires: length >= 0, delta > 0.
std::int64_t StepsFor(double length, double delta);

/// What a loss for moves of delta means for changes of any size.
struct StandardSteps {
  std::optional<std::int64_t> replace;  // between any two places of the region
  std::optional<std::int64_t> appear;   // a unit appears or disappears anywhere
  std::string reason;                   // why not, where one is missing
};
/// Ensures [DISTANCE-2]: a loss of e between neighbours is at most `replace` e between two tables that differ in one
/// unit's position, and `appear` e between two that differ in one unit's presence.
StandardSteps StandardStepsOf(const Distance& distance);

/// For certificates: the neighbours, in words.
std::string NeighboursText(const Distance& distance);
/// What losses mean for people at a distance, and for the whole region: `by_move` is lost again for every further move,
/// `by_any` once, however far.
std::string MovesText(const Distance& distance, double by_move, double by_any);

}  // namespace kith
