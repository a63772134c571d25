// What can be read off a released cumulative curve, at no extra cost: ranges and percentiles, in the column's own
// units. Claims: claims/prefix.md
#pragma once
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "analysis/cumulative/curve.h"

namespace kith::cumulative {

struct RangeCount {
  double from = 0, to = 0;  // whole cells: as asked for, or wider
  double count = 0, bar = 0;
};

struct RankValue {
  double value = 0, low = 0, high = 0;
};

class Reading {
 public:
  /// `last`: of each cell the last value (whole numbers) or the border to the next one, ascending. `lower`: the first
  /// value. `range_bar`: of any difference. Requires: as many cells as points, at least one.
  Reading(std::vector<CurvePoint> curve, std::vector<double> last, double lower, bool whole, double range_bar)
      : curve_(std::move(curve)), last_(std::move(last)), lower_(lower), whole_(whole), range_bar_(range_bar) {}

  /// Values in [from, to] (whole numbers) or [from, to) (real ones). Requires: from <= to, and less for real ones.
  RangeCount Range(double from, double to) const;
  /// Requires: ranks between 0 and 1. Ensures [PREFIX-5], in values.
  std::vector<RankValue> Ranks(std::span<const double> ranks) const;

 private:
  double FirstIn(std::size_t cell) const { return cell == 0 ? lower_ : last_[cell - 1] + (whole_ ? 1 : 0); }

  std::vector<CurvePoint> curve_;
  std::vector<double> last_;
  double lower_;
  bool whole_;
  double range_bar_;
};

}  // namespace kith::cumulative
