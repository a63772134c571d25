#include "dependence/graph_strengths.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace kith {

void StrengthTable::Note(double theta) {
  if (theta == last_) return;
  last_ = theta;
  smallest_ = largest_ == 0 ? theta : std::min(smallest_, theta);
  largest_ = std::max(largest_, theta);
  if (crowded_) return;
  noted_.insert(theta);
  crowded_ = noted_.size() > kMost;
}

void StrengthTable::NoteAll(const StrengthTable& other) {
  for (const double theta : other.noted_) Note(theta);
  if (!other.crowded_) return;
  crowded_ = true;
  Note(other.smallest_);
  Note(other.largest_);
}

void StrengthTable::Settle() {
  thetas_.assign(noted_.begin(), noted_.end());
  if (crowded_) {
    thetas_.assign(1, largest_);
    const double ratio = std::log(largest_ / smallest_);
    for (std::size_t i = 1; i < kMost; ++i) {
      const double theta = largest_ * std::exp(-ratio * static_cast<double>(i) / static_cast<double>(kMost - 1));
      thetas_.push_back(std::min(theta, largest_));
    }
  }
  std::sort(thetas_.begin(), thetas_.end());
  thetas_.erase(std::unique(thetas_.begin(), thetas_.end()), thetas_.end());
}

std::uint16_t StrengthTable::NumberOf(double theta) const {
  const auto found = std::lower_bound(thetas_.begin(), thetas_.end(), theta);
  KITH_CHECK(found != thetas_.end());
  return static_cast<std::uint16_t>(found - thetas_.begin());
}

}  // namespace kith
