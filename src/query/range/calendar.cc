#include "query/range/calendar.h"

#include <chrono>

#include "base/check.h"
#include "query/range/range.h"

namespace kith {
namespace {

using std::chrono::days;
using std::chrono::sys_days;
using std::chrono::year;
using std::chrono::year_month_day;

std::int64_t DayOfYear(sys_days day, year y) { return (day - sys_days{y / std::chrono::January / 1}).count() + 1; }

// Weeks start on Monday; week 1 is the one with the year's first Thursday.
std::int64_t IsoWeek(sys_days day) {
  const int weekday = static_cast<int>(std::chrono::weekday{day}.iso_encoding());
  const sys_days thursday = day + days{4 - weekday};
  return (DayOfYear(thursday, year_month_day{thursday}.year()) - 1) / 7 + 1;
}

}  // namespace

std::int64_t DayOf(std::int64_t microseconds) {
  const std::int64_t day = microseconds / kMicrosecondsPerDay;
  return microseconds % kMicrosecondsPerDay < 0 ? day - 1 : day;
}

std::int64_t PartOfDate(std::int64_t day_number, DatePart part) {
  const sys_days day{days{day_number}};
  const year_month_day date{day};
  const std::chrono::weekday weekday{day};
  switch (part) {
    case DatePart::kYear:
      return static_cast<int>(date.year());
    case DatePart::kQuarter:
      return (static_cast<unsigned>(date.month()) + 2) / 3;
    case DatePart::kMonth:
      return static_cast<unsigned>(date.month());
    case DatePart::kWeek:
      return IsoWeek(day);
    case DatePart::kDay:
      return static_cast<unsigned>(date.day());
    case DatePart::kDayOfWeek:
      return weekday.c_encoding();
    case DatePart::kIsoDayOfWeek:
      return weekday.iso_encoding();
    case DatePart::kDayOfYear:
      return DayOfYear(day, date.year());
    case DatePart::kHour:
    case DatePart::kMinute:
    case DatePart::kSecond:
      return 0;
  }
  KITH_CHECK(false);
}

std::int64_t PartOfTimestamp(std::int64_t microseconds, DatePart part) {
  const std::int64_t day = DayOf(microseconds);
  const std::int64_t seconds = (microseconds - day * kMicrosecondsPerDay) / 1'000'000;
  if (part == DatePart::kHour) return seconds / 3600;
  if (part == DatePart::kMinute) return seconds / 60 % 60;
  if (part == DatePart::kSecond) return seconds % 60;
  return PartOfDate(day, part);
}

std::int64_t StartOfUnit(std::int64_t at, Type type, DatePart part) {
  constexpr std::int64_t kHour = 3'600'000'000;
  if (type == Type::kTimestamp) {
    const std::int64_t day = DayOf(at), start = day * kMicrosecondsPerDay;
    if (part == DatePart::kHour) return start + (at - start) / kHour * kHour;
    return StartOfUnit(day, Type::kDate, part) * kMicrosecondsPerDay;
  }
  const sys_days day{days{at}};
  const year_month_day date{day};
  const auto first_of = [&](unsigned month) {
    return std::int64_t{sys_days{date.year() / std::chrono::month{month} / 1}.time_since_epoch().count()};
  };
  switch (part) {
    case DatePart::kYear:
      return first_of(1);
    case DatePart::kQuarter:
      return first_of((static_cast<unsigned>(date.month()) - 1) / 3 * 3 + 1);
    case DatePart::kMonth:
      return first_of(static_cast<unsigned>(date.month()));
    case DatePart::kWeek:
      return at + 1 - std::int64_t{std::chrono::weekday{day}.iso_encoding()};
    default:
      return at;
  }
}

std::int64_t NextUnit(std::int64_t start, Type type, DatePart part) {
  if (type == Type::kTimestamp && part == DatePart::kHour) return start + 3'600'000'000;
  // No unit is longer than this, and none is half as long.
  const std::int64_t longest = part == DatePart::kYear      ? 366
                               : part == DatePart::kQuarter ? 92
                               : part == DatePart::kMonth   ? 31
                               : part == DatePart::kWeek    ? 7
                                                            : 1;
  if (type == Type::kTimestamp) return StartOfUnit(start + longest * kMicrosecondsPerDay, type, part);
  return StartOfUnit(start + longest, type, part);
}

PartLimits LimitsOf(DatePart part) {
  switch (part) {
    case DatePart::kYear:
      break;
    case DatePart::kQuarter:
      return {1, 4};
    case DatePart::kMonth:
      return {1, 12};
    case DatePart::kWeek:
      return {1, 53};
    case DatePart::kDay:
      return {1, 31};
    case DatePart::kDayOfWeek:
      return {0, 6};
    case DatePart::kIsoDayOfWeek:
      return {1, 7};
    case DatePart::kDayOfYear:
      return {1, 366};
    case DatePart::kHour:
      return {0, 23};
    case DatePart::kMinute:
    case DatePart::kSecond:
      return {0, 59};
  }
  KITH_CHECK(false);
}

}  // namespace kith
