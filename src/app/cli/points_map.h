// What can be made of a stored answer about points: counts of ranges, files, pictures, invented points. All of it is
// post-processing and costs nothing.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/points/blur.h"
#include "analysis/points/fit.h"
#include "base/result.h"
#include "release/release.h"

namespace kith::cli {

/// x0,x1 on a line and x0,y0,x1,y1 on a plane, in column units.
using RangeOfPoints = std::vector<double>;

struct RangeCount {
  double points = 0;
  double blur = 0;                 // about how much cells across the border may hide
  std::optional<double> error_95;  // of the noise; nothing where it is not known
};

class PointsMap {
 public:
  /// Fails: kInvalidArgument if the answer holds neither a grid nor a curve (quantiles have none).
  static Result<PointsMap> Of(const Answer& answer);

  std::size_t dimensions() const { return axes_.size(); }
  bool grid() const { return !counts_.empty(); }

  /// Fails: kInvalidArgument if the range has the wrong number of ends, or they are in the wrong order.
  Result<RangeCount> Count(const RangeOfPoints& range) const;
  /// Column names of a table of ranges.
  std::vector<std::string> RangeColumns() const;

  /// The whole grid, or the curve.
  std::string Csv() const;
  /// One polygon for each cell. Requires: a grid in two dimensions.
  std::string GeoJson() const;
  /// That many points with the density of the map. Never the original ones: they are drawn from the noisy counts.
  std::string Synthetic(std::size_t points, std::uint64_t seed) const;
  /// Letters for a terminal: darker where there are more. Empty for a curve.
  std::string Sketch() const;
  /// `earth`: columns are degrees, so that the map looks right. Marks are ranges.
  std::string Picture(const Certificate& certificate, bool earth, const std::vector<RangeOfPoints>& marks) const;

 private:
  struct Axis {
    std::string name;
    double low = 0, high = 0;
    double Part(double value) const;  // in [0, 1]
    double At(double part) const { return low + (high - low) * part; }
  };
  points::Ladder ladder() const { return {basis_, static_cast<int>(axes_.size())}; }
  std::size_t side() const { return ladder().Side(log2_cells_); }
  points::RangeSide SideOf(const RangeOfPoints& range, std::size_t axis) const;
  std::vector<points::NoisyLevel> Levels() const;
  double CellBar(int level) const;  // of one count in the middle
  double CurveAt(double x) const;
  double CurveBlur(double x) const;
  double EdgeOf(std::size_t axis, std::size_t k, bool upper) const;  // of the cell around count k
  std::string Map(const Certificate& certificate, bool earth, const std::vector<RangeOfPoints>& marks) const;

  std::vector<Axis> axes_;
  points::Basis basis_ = points::Basis::kHats;
  int log2_cells_ = 0;
  std::optional<double> total_;
  struct LevelNoise {
    int log2_cells = 0;
    double deviation = 0;
    double step = 1;  // its counts are multiples of it
  };
  std::vector<LevelNoise> levels_;
  std::vector<double> counts_, shown_;            // unbiased; without negative ones
  std::vector<std::pair<double, double>> curve_;  // cumulative
  std::vector<double> misfit_, rough_;            // of each of its points, and from there to the next
  double curve_deviation_ = 0;                    // of a count between two places; 0: not known
};

}  // namespace kith::cli
