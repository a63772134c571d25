// Parts of dates and timestamps: proleptic Gregorian calendar, UTC, ISO weeks.
#pragma once
#include <cstdint>

#include "sql/expr.h"

namespace kith {

/// The day (since 1970-01-01) of a timestamp in microseconds.
std::int64_t DayOf(std::int64_t microseconds);
/// Hour, minute and second of a date are 0.
std::int64_t PartOfDate(std::int64_t days, DatePart part);
std::int64_t PartOfTimestamp(std::int64_t microseconds, DatePart part);

/// The start of the year, quarter, month, week (Monday), day or hour that contains a date or timestamp.
/// Requires: part is one of these; hours of a date are days.
std::int64_t StartOfUnit(std::int64_t at, Type type, DatePart part);
/// The start of the next one. Requires: `start` is the start of one.
std::int64_t NextUnit(std::int64_t start, Type type, DatePart part);

/// The values that a part can have. Requires: not kYear.
struct PartLimits {
  std::int64_t low = 0, high = 0;
};
PartLimits LimitsOf(DatePart part);

}  // namespace kith
