// kith analyse ... points: where points are, as a grid of counts, a cumulative curve, groups or quantiles.
//
// With a metric unit the noise is for moves of delta, and so for what such a move can change: little, by hat functions,
// prefix counts and sorted points. Without one it is for any change of a unit's rows.  Claims: claims/points.md
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/points/positions.h"

namespace kith::points {

enum class Method { kPyramid, kHat, kQuadtree, kEquiWidth, kCumulative, kGroups, kQuantiles };

/// "pyramid", "hat", ...
const std::vector<std::pair<std::string, Method>>& Methods();

struct PointsOptions {
  std::vector<std::string> columns;  // one or two numbers with declared bounds
  std::optional<Method> method;      // nothing: cumulative on a line with a metric unit, pyramid otherwise
  std::size_t cells = 0;          // along each side, a power of two; 0: chosen, on a grid by the price and the points
  std::size_t groups = 0;         // for kGroups
  std::vector<double> quantiles;  // for kQuantiles, in (0, 1)
  std::string where;              // a condition as in SQL; may be empty

  static constexpr std::size_t kMaxCells = 1024, kMaxLineCells = 65'536, kMaxGroups = 65'536;
};

/// Fails: kInvalidArgument (options that do not go together), kUnsupportedQuery (a method that the unit does not
/// allow), and as Positions::Make.
Result<std::unique_ptr<Study>> MakePoints(const PointsOptions& options, const Policy& policy);

}  // namespace kith::points
