#include "engine/trino/reading.h"

#include <fmt/format.h>

#include <charconv>

#include "policy/type_names.h"
#include "sql/dialect.h"
#include "sql/quote.h"

namespace kith::trino {

namespace {

enum class Kind { kBoolean, kWhole, kReal, kDecimal, kText, kUuid, kDate, kTimestamp, kTimestampTz, kOther };

struct Stored {
  Kind kind = Kind::kOther;
  bool single = false;           // a real of 32 bits
  int digits = 0, fraction = 0;  // of decimals
};

/// "decimal(20, 3)".
Stored StoredOf(const std::string& name) {
  Stored stored;
  const std::string base = name.substr(0, name.find('('));
  if (base == "boolean") stored.kind = Kind::kBoolean;
  if (base == "tinyint" || base == "smallint" || base == "integer" || base == "bigint") stored.kind = Kind::kWhole;
  if (base == "real" || base == "double") stored.kind = Kind::kReal;
  stored.single = base == "real";
  if (base == "varchar") stored.kind = Kind::kText;
  if (base == "uuid") stored.kind = Kind::kUuid;
  if (base == "date") stored.kind = Kind::kDate;
  if (base == "timestamp") stored.kind = name.ends_with("with time zone") ? Kind::kTimestampTz : Kind::kTimestamp;
  if (base == "timestamp with time zone") stored.kind = Kind::kTimestampTz;
  if (base == "decimal" && name.size() > base.size()) {
    const char* end = name.data() + name.size();
    const auto digits = std::from_chars(name.data() + base.size() + 1, end, stored.digits);
    const char* comma = digits.ptr;
    while (comma != end && (*comma == ',' || *comma == ' ')) ++comma;
    std::from_chars(comma, end, stored.fraction);
    if (digits.ec == std::errc() && stored.digits > 0) stored.kind = Kind::kDecimal;
  }
  return stored;
}

bool IsNumber(Kind kind) { return kind == Kind::kWhole || kind == Kind::kReal || kind == Kind::kDecimal; }
bool IsTime(Kind kind) { return kind == Kind::kDate || kind == Kind::kTimestamp || kind == Kind::kTimestampTz; }

bool IsSmallWhole(const std::string& text) {
  const std::string digits = text.substr(!text.empty() && text[0] == '-' ? 1 : 0);
  return !digits.empty() && digits.size() <= 9 && digits.find_first_not_of("0123456789") == std::string::npos;
}

/// NULL where the value is a mark for what is missing.
std::string WithoutMarks(const std::string& x, const Stored& stored, const ColumnReading& reading) {
  std::string marks;
  for (const std::string& mark : reading.missing) {
    if (!(stored.kind == Kind::kText || (IsNumber(stored.kind) && IsSmallWhole(mark)))) continue;
    std::string written = mark;
    if (stored.kind == Kind::kText) written = sql::Trino().Text(mark);
    if (stored.kind == Kind::kReal) written += "e0";
    if (stored.kind == Kind::kDecimal) {
      if (static_cast<int>(mark.size()) > stored.digits - stored.fraction) continue;  // it holds no such number
      written = fmt::format("CAST({} AS DECIMAL({}, {}))", mark, stored.digits, stored.fraction);
    }
    marks += fmt::format("{}{}", marks.empty() ? "" : ", ", written);
  }
  if (marks.empty()) return x;
  const bool text = stored.kind == Kind::kText;
  return fmt::format("CASE WHEN {} NOT IN ({}) THEN {} END", text ? fmt::format("trim(BOTH ' ' FROM {})", x) : x, marks,
                     x);
}

Error NotReadable(const Column& column, const std::string& what, const std::string& next) {
  return InvalidArgument(fmt::format("the column is of type {}, {}", column.type, what), column.name, next);
}

/// What no declared type can make sense of.
Error Refused(const Column& column) {
  if (column.type.starts_with("char(")) {
    return NotReadable(column, "which is compared without regard to blanks at its end; kith compares text byte by byte",
                       "store it as varchar");
  }
  return NotReadable(column, "which cannot be used",
                     "declare columns of whole numbers, decimal, real, double, boolean, varchar, uuid, date or "
                     "timestamp");
}

/// Halves to the even number, as elsewhere: a cast would move them away from zero.
std::string ToWhole(const std::string& x, Kind kind) {
  if (kind == Kind::kWhole) return fmt::format("CAST({} AS BIGINT)", x);
  if (kind == Kind::kBoolean)
    return fmt::format("CASE WHEN {0} THEN CAST(1 AS BIGINT) WHEN NOT {0} THEN CAST(0 AS BIGINT) END", x);
  if (kind == Kind::kDecimal) return fmt::format("TRY_CAST({} AS BIGINT)", x);
  // The largest double below 2^63.
  return fmt::format(
      "CASE WHEN {0} BETWEEN -9223372036854775808e0 AND 9223372036854774784e0 THEN CAST(CASE WHEN {0} - floor({0}) < "
      "0.5e0 OR ({0} - floor({0}) = 0.5e0 AND floor({0}) % 2e0 = 0e0) THEN floor({0}) ELSE floor({0}) + 1e0 END AS "
      "BIGINT) END",
      x);
}

std::string ToReal(const std::string& x, Kind kind) {
  if (kind == Kind::kReal) return x;
  if (kind == Kind::kBoolean) return fmt::format("CASE WHEN {0} THEN 1e0 WHEN NOT {0} THEN 0e0 END", x);
  return fmt::format("CAST({} AS DOUBLE)", x);
}

/// Every cast, part and truncation of these years exists.
std::string WithinYears(const std::string& x, bool date) {
  const auto at = [date](int days) {
    const std::string day = fmt::format("date_add('day', {}, DATE '1970-01-01')", days);
    return date ? day : fmt::format("CAST({} AS TIMESTAMP(6))", day);
  };
  return fmt::format("CASE WHEN {0} BETWEEN {1} AND {2} THEN {0} END", x, at(-2'440'588), at(104'834'612));
}

std::string ToTime(const std::string& x, Kind from, bool date) {
  if (from == Kind::kDate) {
    const std::string day = WithinYears(x, true);
    return date ? day : fmt::format("CAST({} AS TIMESTAMP(6))", day);
  }
  const std::string here = from == Kind::kTimestampTz ? fmt::format("{} AT TIME ZONE 'UTC'", x) : x;
  const std::string time = WithinYears(fmt::format("TRY_CAST({} AS TIMESTAMP(6))", here), false);
  return date ? fmt::format("CAST({} AS DATE)", time) : time;
}

bool CanBecome(ColumnType type, Kind from) {
  switch (type) {
    case ColumnType::kBoolean:
      return from == Kind::kBoolean || from == Kind::kWhole;
    case ColumnType::kInteger:
    case ColumnType::kReal:
      return IsNumber(from) || from == Kind::kBoolean;
    case ColumnType::kText:
      return from == Kind::kText || from == Kind::kWhole || from == Kind::kUuid || from == Kind::kBoolean;
    case ColumnType::kDate:
    case ColumnType::kTimestamp:
      return IsTime(from);
  }
  return false;
}

}  // namespace

Result<std::string> ReadColumn(const Column& column, std::optional<ColumnType> type, const ColumnReading& reading) {
  const Stored stored = StoredOf(column.type);
  if (stored.kind == Kind::kOther) return Refused(column);
  if (type && !CanBecome(*type, stored.kind)) {
    return NotReadable(column, fmt::format("and the policy declares it as {}", TypeName(*type)),
                       "declare it as it is stored, or convert it in the lake, where you see what cannot be converted");
  }
  std::string x = QuotedName(column.name);
  if (stored.single) x = fmt::format("CAST({} AS DOUBLE)", x);
  if (stored.kind == Kind::kReal) x = fmt::format("CASE WHEN is_finite({0}) THEN {0} END", x);
  x = WithoutMarks(x, stored, reading);
  if (!type) return IsTime(stored.kind) ? ToTime(x, stored.kind, stored.kind == Kind::kDate) : x;
  switch (*type) {
    case ColumnType::kBoolean:
      return stored.kind == Kind::kBoolean ? x : fmt::format("{} <> 0", x);
    case ColumnType::kInteger:
      return ToWhole(x, stored.kind);
    case ColumnType::kReal:
      return ToReal(x, stored.kind);
    case ColumnType::kText:
      return stored.kind == Kind::kText ? x : fmt::format("CAST({} AS VARCHAR)", x);
    case ColumnType::kDate:
    case ColumnType::kTimestamp:
      return ToTime(x, stored.kind, *type == ColumnType::kDate);
  }
  return InternalError("a column has no type");
}

ColumnType NaturalType(const Column& column) {
  const Kind kind = StoredOf(column.type).kind;
  if (kind == Kind::kBoolean) return ColumnType::kBoolean;
  if (kind == Kind::kWhole) return ColumnType::kInteger;
  if (IsNumber(kind)) return ColumnType::kReal;
  if (kind == Kind::kDate) return ColumnType::kDate;
  return IsTime(kind) ? ColumnType::kTimestamp : ColumnType::kText;
}

}  // namespace kith::trino
