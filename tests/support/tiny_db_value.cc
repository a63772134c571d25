// Values of the reference database and their text.
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <utility>

#include "tests/support/tiny_db.h"

namespace kith::testing {
namespace {

Datum Number(Datum::Kind kind, long double value) {
  Datum datum;
  datum.kind = kind;
  datum.number = value == 0 ? 0.0L : value;  // -0 is 0
  return datum;
}

std::string DateText(long long days) {
  const CivilDate date = CivilOf(days);
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%04lld-%02lld-%02lld", date.year, date.month, date.day);
  return buffer;
}

std::string TimestampText(long long micros) {
  const long long per_day = 86400000000LL;
  long long days = micros / per_day;
  if (micros % per_day < 0) --days;
  const long long rest = micros - days * per_day;
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, " %02lld:%02lld:%02lld", rest / 3600000000LL, rest / 60000000 % 60,
                rest / 1000000 % 60);
  return DateText(days) + buffer;
}

long double NumberOf(const std::string& text) {
  std::size_t used = 0;
  const long double value = std::stold(text, &used);
  if (used != text.size()) throw std::runtime_error("not a number: " + text);
  return value;
}

}  // namespace

bool Datum::operator==(const Datum& other) const {
  if (kind != other.kind && !(numeric() && other.numeric())) return false;
  if (std::isnan(number) || std::isnan(other.number)) return std::isnan(number) && std::isnan(other.number);
  return number == other.number && text == other.text;
}

bool Datum::operator<(const Datum& other) const {
  if (kind != other.kind) return kind < other.kind;
  const bool nan = std::isnan(number), other_nan = std::isnan(other.number);
  if (nan != other_nan) return other_nan;
  if (!nan && number != other.number) return number < other.number;
  return text < other.text;
}

Datum NullDatum() { return {}; }
Datum BooleanDatum(bool value) { return Number(Datum::Kind::kBoolean, value ? 1 : 0); }
Datum IntegerDatum(long double value) { return Number(Datum::Kind::kInteger, value); }
Datum RealDatum(long double value) { return Number(Datum::Kind::kReal, value); }
Datum DateDatum(long double days) { return Number(Datum::Kind::kDate, days); }
Datum TimestampDatum(long double micros) { return Number(Datum::Kind::kTimestamp, micros); }
Datum TextDatum(std::string value) {
  Datum datum;
  datum.kind = Datum::Kind::kText;
  datum.text = std::move(value);
  return datum;
}

std::string ToText(const Datum& value) {
  char buffer[64];
  if (std::isinf(value.number)) return value.number > 0 ? "infinity" : "-infinity";
  if (std::isnan(value.number)) return "nan";
  switch (value.kind) {
    case Datum::Kind::kNull:
      return "NULL";
    case Datum::Kind::kBoolean:
      return value.number != 0 ? "true" : "false";
    case Datum::Kind::kText:
      return value.text;
    case Datum::Kind::kDate:
      return DateText(static_cast<long long>(value.number));
    case Datum::Kind::kTimestamp:
      return TimestampText(static_cast<long long>(value.number));
    case Datum::Kind::kInteger:
      std::snprintf(buffer, sizeof buffer, "%.0Lf", value.number);
      return buffer;
    case Datum::Kind::kReal:
      std::snprintf(buffer, sizeof buffer, "%.10Lg", value.number);
      return buffer;
  }
  return {};
}

// After Howard Hinnant's algorithm on eras of 400 years.
CivilDate CivilOf(long long days) {
  days += 719468;
  const long long era = (days >= 0 ? days : days - 146096) / 146097;
  const long long doe = days - era * 146097;
  const long long yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
  const long long doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
  const long long mp = (5 * doy + 2) / 153;
  const long long month = mp < 10 ? mp + 3 : mp - 9;
  return {yoe + era * 400 + (month <= 2 ? 1 : 0), month, doy - (153 * mp + 2) / 5 + 1};
}

long long DaysOf(const CivilDate& date) {
  const long long y = date.month <= 2 ? date.year - 1 : date.year;
  const long long era = (y >= 0 ? y : y - 399) / 400;
  const long long yoe = y - era * 400;
  const long long doy = (153 * (date.month > 2 ? date.month - 3 : date.month + 9) + 2) / 5 + date.day - 1;
  return era * 146097 + yoe * 365 + yoe / 4 - yoe / 100 + doy - 719468;
}

long long DaysOf(const std::string& date) {
  int year = 0;
  int month = 0;
  int day = 0;
  char rest = 0;
  if (std::sscanf(date.c_str(), "%d-%d-%d%c", &year, &month, &day, &rest) != 3)
    throw std::runtime_error("not a date: " + date);
  return DaysOf(CivilDate{year, month, day});
}

Datum FromText(const std::string& text, ColumnType type) {
  if (text == "NULL") return NullDatum();
  switch (type) {
    case ColumnType::kBoolean:
      if (text != "true" && text != "false") throw std::runtime_error("not a boolean: " + text);
      return BooleanDatum(text == "true");
    case ColumnType::kInteger:
      return IntegerDatum(NumberOf(text));
    case ColumnType::kReal:
      return RealDatum(static_cast<double>(NumberOf(text)));
    case ColumnType::kText:
      return TextDatum(text);
    case ColumnType::kDate:
      return DateDatum(static_cast<long double>(DaysOf(text)));
    case ColumnType::kTimestamp: {
      int hour = 0;
      int minute = 0;
      int second = 0;
      if (text.size() > 10 && std::sscanf(text.c_str() + 10, " %d:%d:%d", &hour, &minute, &second) != 3)
        throw std::runtime_error("not a timestamp: " + text);
      const long double seconds = hour * 3600 + minute * 60 + second;
      return TimestampDatum((static_cast<long double>(DaysOf(text.substr(0, 10))) * 86400 + seconds) * 1000000);
    }
  }
  throw std::runtime_error("unknown type");
}

Datum FromPolicyValue(const Value& value, ColumnType type) {
  if (std::holds_alternative<Null>(value)) return NullDatum();
  if (const auto* text = std::get_if<std::string>(&value)) return FromText(*text, type);
  if (const auto* flag = std::get_if<bool>(&value)) return BooleanDatum(*flag);
  const auto* integer = std::get_if<std::int64_t>(&value);
  const long double number =
      integer ? static_cast<long double>(*integer) : static_cast<long double>(std::get<double>(value));
  if (type == ColumnType::kDate) return DateDatum(number);
  if (type == ColumnType::kTimestamp) return TimestampDatum(number);
  return type == ColumnType::kInteger ? IntegerDatum(number) : RealDatum(number);
}

}  // namespace kith::testing
