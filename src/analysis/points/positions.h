// Rows of a table as positions on a lattice, and what is known about how far one unit can change them.
// Claims: claims/points.md
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "analysis/points/moves.h"
#include "base/cancel.h"
#include "base/result.h"
#include "engine/engine.h"
#include "policy/policy.h"
#include "query/rows.h"

namespace kith::points {

/// Positions of some points, one span for each coordinate.
using PositionSink = std::function<void(std::span<const std::span<const std::int32_t>>)>;

struct PositionBox {
  std::vector<double> low, high;
};

class Positions {
 public:
  /// `where`: a condition as in SQL; may be empty. With a metric unit it may only use public columns.
  /// Fails: kInvalidArgument (no or too many columns, other columns than the unit's distance has, a column without
  /// bounds), kUnsupportedQuery (a condition that cannot be used).
  static Result<Positions> Make(const std::vector<std::string>& columns, const std::string& where,
                                const Policy& policy);

  struct Axis {
    std::string name;
    double low = 0, high = 0;  // in the column's unit
    std::int64_t first = 0;    // in steps of the row's lattice
    std::int64_t span = 0;
    double InColumn(double position) const { return low + (high - low) * (position / static_cast<double>(kPositions)); }
  };
  const std::vector<Axis>& axes() const { return axes_; }

  /// Ensures [POINTS-7]: between neighbours at most PointsOfUnit() positions differ, each by a displacement in reach,
  /// or, if there are sources, one is there or not inside one of appears(); the number of points is the same if
  /// TotalKnown().
  const MoveReach& reach() const { return reach_; }
  std::int64_t PointsOfUnit() const { return points_of_unit_; }
  bool AppearsAnywhere() const { return appears_anywhere_; }
  const std::vector<PositionBox>& appears() const { return appears_; }
  bool TotalKnown() const { return total_known_; }
  bool metric() const { return metric_; }
  /// Losses must be in proportion to the distance: records depend on each other by it.
  bool ByDistance() const { return by_distance_; }

  const std::vector<bool>& charged() const { return rows_.charged; }
  std::string Normalised() const;
  const std::vector<Note>& notes() const { return rows_.notes; }
  sql::Statement StatementOf() const;

  Result<void> Scan(const Session& engine, const PositionSink& sink, const CancelFlag& cancel) const;

  /// The position of a value `steps` steps above the lower end of a span: rounded down.
  static std::int32_t Of(std::int64_t steps, std::int64_t span);

 private:
  void SetReach(const Policy& policy);

  std::vector<Axis> axes_;
  std::vector<double> per_unit_;  // positions in one column unit
  MoveReach reach_;
  Rows rows_;
  std::string condition_;
  std::int64_t points_of_unit_ = 1;
  bool mean_of_unit_ = false;  // a unit with several rows is placed at their mean
  bool metric_ = false, by_distance_ = false, appears_anywhere_ = false, total_known_ = false;
  std::vector<PositionBox> appears_;
};

}  // namespace kith::points
