// Counts of points in rectangles: kith's map, as it comes, compared with what others publish (lab/spatial_peers.h).
#pragma once
#include "attack/places.h"
#include "base/cancel.h"
#include "base/result.h"
#include "experiment/figure.h"
#include "experiment/spatial_peers.h"

namespace kith::experiment {

/// Points on the earth inside a box in degrees.
struct PointCloud {
  std::string name;  // also of files
  std::vector<attack::Point> points;
  double lon0 = 0, lat0 = 0, lon1 = 0, lat1 = 0;

  Spot Scaled(const attack::Point& point) const;
  Rectangle Box() const { return {lon0, lat0, lon1, lat1}; }
};

/// Every visit; and everybody once, in the middle of all visits. The box: around all of them, to a hundredth of a
/// degree.
std::vector<PointCloud> CloudsOf(const attack::Visits& visits);

struct RangeWorkload {
  std::string name, words;
  std::vector<Rectangle> ranges;  // in the unit square
  std::vector<double> truth;
};
/// Rectangles with sides of 6 to 50 % of the box ("areas") and squares with sides of 2 to 14 km ("districts"), each
/// around a point.
std::vector<RangeWorkload> WorkloadsOf(const PointCloud& cloud, std::size_t ranges, std::uint64_t seed);

/// Root mean square error of range counts against epsilon, for points that may move by 500 m (kith) or anywhere.
Result<Figure> PlacesFigure(const attack::Visits& visits, const Settings& settings, const CancelFlag& cancel);

}  // namespace kith::experiment
