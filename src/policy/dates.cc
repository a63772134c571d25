#include "policy/dates.h"

#include <fmt/format.h>

#include <chrono>

namespace kith {
namespace {

constexpr std::int64_t kMicrosecondsPerDay = std::int64_t{86'400} * 1'000'000;

// A number of exactly `digits` digits at the front of `text`, which is then shortened.
std::optional<int> TakeDigits(std::string_view& text, std::size_t digits) {
  if (text.size() < digits) return std::nullopt;
  int number = 0;
  for (std::size_t i = 0; i < digits; ++i) {
    if (text[i] < '0' || text[i] > '9') return std::nullopt;
    number = number * 10 + (text[i] - '0');
  }
  text.remove_prefix(digits);
  return number;
}

bool TakeChar(std::string_view& text, char wanted) {
  if (text.empty() || text.front() != wanted) return false;
  text.remove_prefix(1);
  return true;
}

std::optional<std::int64_t> TakeDate(std::string_view& text) {
  const auto year = TakeDigits(text, 4);
  if (!year || !TakeChar(text, '-')) return std::nullopt;
  const auto month = TakeDigits(text, 2);
  if (!month || !TakeChar(text, '-')) return std::nullopt;
  const auto day = TakeDigits(text, 2);
  if (!day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year{*year}, std::chrono::month{static_cast<unsigned>(*month)},
                                         std::chrono::day{static_cast<unsigned>(*day)}};
  if (!date.ok()) return std::nullopt;
  return DaysOf(*year, *month, *day);
}

// ".5" to ".123456" as microseconds; no fraction at all is 0.
std::optional<std::int64_t> TakeFraction(std::string_view& text) {
  if (text.empty()) return 0;
  if (!TakeChar(text, '.') || text.empty() || text.size() > 6) return std::nullopt;
  std::int64_t unit = 1'000'000;
  std::int64_t microseconds = 0;
  while (!text.empty()) {
    const auto digit = TakeDigits(text, 1);
    if (!digit) return std::nullopt;
    unit /= 10;
    microseconds += *digit * unit;
  }
  return microseconds;
}

}  // namespace

std::int64_t DaysOf(int year, int month, int day) {
  const std::chrono::year_month_day date{std::chrono::year{year}, std::chrono::month{static_cast<unsigned>(month)},
                                         std::chrono::day{static_cast<unsigned>(day)}};
  return std::chrono::sys_days{date}.time_since_epoch().count();
}

std::optional<std::int64_t> ParseDate(std::string_view text) {
  const auto days = TakeDate(text);
  if (!days || !text.empty()) return std::nullopt;
  return days;
}

std::string DateText(std::int64_t days) {
  const std::chrono::year_month_day date{std::chrono::sys_days{std::chrono::days{days}}};
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                     static_cast<unsigned>(date.day()));
}

std::optional<std::int64_t> ParseTimestamp(std::string_view text) {
  const auto days = TakeDate(text);
  if (!days || !(TakeChar(text, ' ') || TakeChar(text, 'T'))) return std::nullopt;
  const auto hour = TakeDigits(text, 2);
  if (!hour || *hour > 23 || !TakeChar(text, ':')) return std::nullopt;
  const auto minute = TakeDigits(text, 2);
  if (!minute || *minute > 59 || !TakeChar(text, ':')) return std::nullopt;
  const auto second = TakeDigits(text, 2);
  if (!second || *second > 59) return std::nullopt;
  const auto fraction = TakeFraction(text);
  if (!fraction) return std::nullopt;
  const std::int64_t seconds = (*hour * 60 + *minute) * 60 + *second;
  return *days * kMicrosecondsPerDay + seconds * 1'000'000 + *fraction;
}

std::string TimestampText(std::int64_t microseconds) {
  std::int64_t days = microseconds / kMicrosecondsPerDay;
  std::int64_t rest = microseconds % kMicrosecondsPerDay;
  if (rest < 0) {
    rest += kMicrosecondsPerDay;
    --days;
  }
  const std::int64_t seconds = rest / 1'000'000;
  const std::int64_t fraction = rest % 1'000'000;
  std::string text =
      fmt::format("{} {:02}:{:02}:{:02}", DateText(days), seconds / 3600, seconds / 60 % 60, seconds % 60);
  if (fraction != 0) text += fmt::format(".{:06}", fraction);
  return text;
}

}  // namespace kith
