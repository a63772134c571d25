#include "query/range/calendar.h"

#include <gtest/gtest.h>

#include "policy/dates.h"
#include "query/range/range.h"

namespace kith {
namespace {

std::int64_t Part(const char* date, DatePart part) { return PartOfDate(ParseDate(date).value(), part); }

TEST(Calendar, PartsOfADate) {
  EXPECT_EQ(Part("2024-02-29", DatePart::kYear), 2024);
  EXPECT_EQ(Part("2024-02-29", DatePart::kQuarter), 1);
  EXPECT_EQ(Part("2024-02-29", DatePart::kMonth), 2);
  EXPECT_EQ(Part("2024-02-29", DatePart::kDay), 29);
  EXPECT_EQ(Part("2024-02-29", DatePart::kDayOfWeek), 4);  // a Thursday
  EXPECT_EQ(Part("2024-12-31", DatePart::kDayOfYear), 366);
  EXPECT_EQ(Part("2023-12-31", DatePart::kDayOfYear), 365);
  EXPECT_EQ(Part("2024-01-07", DatePart::kDayOfWeek), 0);     // Sunday: 0 here
  EXPECT_EQ(Part("2024-01-07", DatePart::kIsoDayOfWeek), 7);  // and 7 there
  EXPECT_EQ(Part("2024-01-07", DatePart::kHour), 0);
}

TEST(Calendar, IsoWeeksBelongToTheYearOfTheirThursday) {
  EXPECT_EQ(Part("2021-01-03", DatePart::kWeek), 53);  // still a week of 2020
  EXPECT_EQ(Part("2021-01-04", DatePart::kWeek), 1);
  EXPECT_EQ(Part("2024-12-30", DatePart::kWeek), 1);  // already a week of 2025
  EXPECT_EQ(Part("2016-01-01", DatePart::kWeek), 53);
}

TEST(Calendar, TimestampsBefore1970CountDownwards) {
  const std::int64_t before = ParseTimestamp("1969-12-31 23:59:58.500000").value();
  EXPECT_EQ(DayOf(before), -1);
  EXPECT_EQ(PartOfTimestamp(before, DatePart::kYear), 1969);
  EXPECT_EQ(PartOfTimestamp(before, DatePart::kHour), 23);
  EXPECT_EQ(PartOfTimestamp(before, DatePart::kMinute), 59);
  EXPECT_EQ(PartOfTimestamp(before, DatePart::kSecond), 58);  // no fraction
  EXPECT_EQ(DayOf(0), 0);
}

TEST(Calendar, EveryDayOfFourHundredYearsLiesWithinTheLimits) {
  for (std::int64_t day = ParseDate("1800-01-01").value(); day < ParseDate("2200-01-01").value(); ++day) {
    for (const DatePart part : {DatePart::kQuarter, DatePart::kMonth, DatePart::kWeek, DatePart::kDay,
                                DatePart::kDayOfWeek, DatePart::kIsoDayOfWeek, DatePart::kDayOfYear, DatePart::kHour}) {
      const std::int64_t value = PartOfDate(day, part);
      ASSERT_GE(value, LimitsOf(part).low);
      ASSERT_LE(value, LimitsOf(part).high);
    }
  }
}

TEST(Calendar, TheFirstAndLastDayAreThoseOfTheYears1And9999) {
  EXPECT_EQ(DateText(kFirstDay), "0001-01-01");
  EXPECT_EQ(DateText(kLastDay), "9999-12-31");
}

TEST(Calendar, UnitsCoverAllDaysWithoutOverlap) {
  for (const DatePart part : {DatePart::kYear, DatePart::kQuarter, DatePart::kMonth, DatePart::kWeek, DatePart::kDay}) {
    for (std::int64_t day = 18000; day < 19000; ++day) {  // 2019 to 2022, with a leap year
      const std::int64_t start = StartOfUnit(day, Type::kDate, part), next = NextUnit(start, Type::kDate, part);
      EXPECT_TRUE(start <= day && day < next);
      EXPECT_EQ(StartOfUnit(next - 1, Type::kDate, part), start);
      EXPECT_EQ(StartOfUnit(next, Type::kDate, part), next);
    }
  }
  const std::int64_t noon = 18321 * std::int64_t{86'400'000'000} + 43'200'000'001;
  EXPECT_EQ(StartOfUnit(noon, Type::kTimestamp, DatePart::kHour), noon - 1);
  EXPECT_EQ(NextUnit(noon - 1, Type::kTimestamp, DatePart::kHour), noon - 1 + 3'600'000'000);
  EXPECT_EQ(StartOfUnit(-1, Type::kTimestamp, DatePart::kDay), -86'400'000'000);
}

}  // namespace
}  // namespace kith
