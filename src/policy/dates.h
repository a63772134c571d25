// Dates and timestamps of a policy as numbers and as text: proleptic Gregorian calendar, UTC, no leap seconds.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kith {

/// Days since 1970-01-01. Requires: a date that exists.
std::int64_t DaysOf(int year, int month, int day);
/// "2024-01-31" as days since 1970-01-01; nothing if it is not a date of the years 0000 to 9999.
std::optional<std::int64_t> ParseDate(std::string_view text);
/// The inverse. Requires: a day of the years 0000 to 9999.
std::string DateText(std::int64_t days);

/// "2024-01-31 10:20:30" or "2024-01-31T10:20:30.5" (up to six decimals) as microseconds since 1970-01-01 00:00:00.
std::optional<std::int64_t> ParseTimestamp(std::string_view text);
/// The inverse, with a blank between date and time, and decimals (six) only if there is a fraction.
std::string TimestampText(std::int64_t microseconds);

}  // namespace kith
