// How far one unit can move the counts of ordered cells, for what is measured of their cumulative sums. The cells are
// those of one column, and every row is in at most one of them.  Claims: claims/prefix.md
#pragma once
#include <algorithm>
#include <cstdint>

namespace kith::workload {

/// A change of the counts: what some cells gain and what others lose, each at most `rows`, both together at most `l1`.
struct MovedRows {
  std::int64_t rows = 0;  // of one unit, at most
  std::int64_t l1 = 0;    // of the change of all cells together

  /// The most that is gained, or lost.
  std::int64_t One() const { return std::min(rows, l1); }
  /// The most that the square of what is gained and the square of what is lost add up to. Requires: rows, l1 <= 2^31.
  std::int64_t Squares() const {
    const std::int64_t one = One(), other = std::min(one, l1 - one);
    return one * one + other * other;
  }
};

}  // namespace kith::workload
