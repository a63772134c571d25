// Times as places: a column of dates or timestamps whose unit's distance is a length of time.
// Claims: claims/distance.md, DISTANCE-5
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "policy/policy.h"

namespace kith {

/// "15 minutes", "15 min", "1 hour" in microseconds; nothing if it is not a length of time.
std::optional<std::int64_t> LengthOfTime(std::string_view text);

/// A time as a number of the clock, as SQL, held within the bounds.
struct ClockColumn {
  double low = 0, high = 0;  // of the numbers
  std::string value;         // SQL
  std::string shown;         // "seen (minutes since 2026-03-02)"
};
/// Nothing if the column is not a metric unit's time.
std::optional<ClockColumn> ClockColumnOf(const Column& column, const Policy& policy);

}  // namespace kith
