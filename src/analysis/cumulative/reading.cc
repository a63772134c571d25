#include "analysis/cumulative/reading.h"

#include <algorithm>
#include <cmath>

namespace kith::cumulative {

RangeCount Reading::Range(double from, double to) const {
  const auto at = [&](auto place) {
    return std::min(static_cast<std::size_t>(place - last_.begin()), last_.size() - 1);
  };
  const std::size_t first = at(whole_ ? std::lower_bound(last_.begin(), last_.end(), from)
                                      : std::upper_bound(last_.begin(), last_.end(), from));
  const std::size_t last = std::max(first, at(std::lower_bound(last_.begin(), last_.end(), to)));
  RangeCount range;
  range.from = FirstIn(first);
  range.to = last_[last];
  range.count = curve_[last].count - (first == 0 ? 0 : curve_[first - 1].count);
  range.bar = first == 0 ? curve_[last].bar : range_bar_;
  return range;
}

std::vector<RankValue> Reading::Ranks(std::span<const double> ranks) const {
  std::vector<RankValue> values;
  for (const RankPoint& point : RanksOn(curve_, ranks)) {
    RankValue value;
    value.low = FirstIn(point.low);
    value.high = last_[std::max(point.low, point.high)];
    const std::size_t cell = std::min(static_cast<std::size_t>(point.value), last_.size() - 1);
    const double width = last_[cell] + (whole_ ? 1 : 0) - FirstIn(cell);
    value.value = FirstIn(cell) + (point.value - static_cast<double>(cell)) * width;
    if (whole_) value.value = std::floor(value.value);
    value.value = std::clamp(value.value, value.low, std::max(value.low, value.high));
    values.push_back(value);
  }
  return values;
}

}  // namespace kith::cumulative
