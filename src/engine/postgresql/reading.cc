#include "engine/postgresql/reading.h"

#include <fmt/format.h>

#include <algorithm>

#include "policy/type_names.h"
#include "sql/dialect.h"
#include "sql/quote.h"

namespace kith {

namespace {

bool IsText(PgType type) {
  return type == PgType::kText || type == PgType::kVarchar || type == PgType::kChar || type == PgType::kName ||
         type == PgType::kByteChar;
}
bool IsWhole(PgType type) { return type == PgType::kInt2 || type == PgType::kInt4 || type == PgType::kInt8; }
bool IsReal(PgType type) { return type == PgType::kFloat4 || type == PgType::kFloat8; }
bool IsNumber(PgType type) { return IsWhole(type) || IsReal(type) || type == PgType::kNumeric; }
bool IsTime(PgType type) { return type == PgType::kDate || type == PgType::kTimestamp || type == PgType::kTimestampTz; }

/// The values of a time type that are read: every cast, part and truncation that a question can ask for exists, and
/// they are the same years as on other engines as far as PostgreSQL goes back.
std::string WithinYears(const std::string& x, PgType type) {
  const char* name = type == PgType::kDate ? "DATE" : type == PgType::kTimestamp ? "TIMESTAMP" : "TIMESTAMPTZ";
  const char* zone = type == PgType::kTimestampTz ? " 00:00:00+00" : "";
  return fmt::format("CASE WHEN {0} BETWEEN {1} '4713-01-01{2} BC' AND {1} '289000-01-01{2}' THEN {0} END", x, name,
                     zone);
}

/// A whole number that every number type can be compared with?
bool IsSmallWhole(const std::string& text) {
  const std::string digits = text.substr(!text.empty() && text[0] == '-' ? 1 : 0);
  return !digits.empty() && digits.size() <= 9 && digits.find_first_not_of("0123456789") == std::string::npos;
}

/// NULL where the value is a mark for what is missing.
std::string WithoutMarks(const std::string& x, PgType type, const ColumnReading& reading) {
  std::string marks;
  for (const std::string& mark : reading.missing) {
    if (IsNumber(type) ? !IsSmallWhole(mark) : !IsText(type)) continue;
    marks += fmt::format("{}{}", marks.empty() ? "" : ", ", IsNumber(type) ? mark : sql::PostgreSql().Text(mark));
  }
  if (marks.empty()) return x;
  return fmt::format("CASE WHEN {} NOT IN ({}) THEN {} END", IsText(type) ? fmt::format("btrim({})", x) : x, marks, x);
}

Error NotReadable(const PgColumn& column, const std::string& what, const std::string& next) {
  return InvalidArgument(fmt::format("the column is of type {}, {}", column.type_name, what), column.name, next);
}

/// What no declared type can make sense of.
Result<void> CheckType(const PgColumn& column) {
  if (column.computed) {
    return InvalidArgument("the column is computed at every reading, which a value could make fail", column.name,
                           "store it: GENERATED ALWAYS AS (...) STORED, or a column of its own");
  }
  if (!column.by_bytes) {
    return InvalidArgument("the column has a non-deterministic collation; kith compares text byte by byte", column.name,
                           "add a column with a deterministic collation, such as COLLATE \"C\", and declare that");
  }
  if (column.is_enum) return {};
  if (column.type_name == "citext") {
    return NotReadable(column, "which takes capital and small letters for the same; kith compares text byte by byte",
                       "add a generated column lower(column::text), STORED, and declare that");
  }
  if (column.type == PgType::kMoney) {
    return NotReadable(column, "whose text follows from the server's locale",
                       "change it to numeric, or add a numeric column");
  }
  const PgType type = column.type;
  if (column.built_in &&
      (IsText(type) || IsNumber(type) || IsTime(type) || type == PgType::kBoolean || type == PgType::kUuid)) {
    return {};
  }
  return NotReadable(column, "which cannot be used",
                     "declare columns of whole numbers, numeric, real, boolean, text, date, timestamp, uuid or enum");
}

std::string ToWhole(const std::string& x, PgType type) {
  if (type == PgType::kInt8) return x;
  if (IsWhole(type)) return fmt::format("CAST({} AS BIGINT)", x);
  if (type == PgType::kBoolean)
    return fmt::format("CASE WHEN {0} THEN CAST(1 AS BIGINT) WHEN NOT {0} THEN CAST(0 AS BIGINT) END", x);
  // The largest double below 2^63; NaN is beyond every end.
  const char* low = IsReal(type) ? "CAST(-9223372036854775808 AS DOUBLE PRECISION)" : "-9223372036854775808";
  const char* high = IsReal(type) ? "CAST(9223372036854774784 AS DOUBLE PRECISION)" : "9223372036854775807";
  return fmt::format("CASE WHEN {0} BETWEEN {1} AND {2} THEN CAST({0} AS BIGINT) END", x, low, high);
}

std::string ToReal(const std::string& x, PgType type) {
  if (type == PgType::kFloat8) return x;
  if (type == PgType::kBoolean)
    return fmt::format(
        "CASE WHEN {0} THEN CAST(1 AS DOUBLE PRECISION) WHEN NOT {0} THEN CAST(0 AS DOUBLE PRECISION) END", x);
  if (type != PgType::kNumeric) return fmt::format("CAST({} AS DOUBLE PRECISION)", x);
  // A cast stops at what a double does not hold, and at what it would have to round to 0.
  return fmt::format(
      "CASE WHEN {0} BETWEEN -1e308 AND 1e308 THEN CAST(CASE WHEN {0} BETWEEN -1e-300 AND 1e-300 THEN 0 ELSE {0} END "
      "AS "
      "DOUBLE PRECISION) END",
      x);
}

std::string ToTime(const std::string& x, PgType from, bool date) {
  const std::string utc = from == PgType::kTimestampTz ? fmt::format("timezone('UTC', {})", x) : x;
  if (from == (date ? PgType::kDate : PgType::kTimestamp) || (!date && from == PgType::kTimestampTz)) return utc;
  return fmt::format("CAST({} AS {})", utc, date ? "DATE" : "TIMESTAMP");
}

// An enum's owner can say what a cast of it does, but not how it is printed.
std::string ToText(const std::string& x, const PgColumn& column) {
  if (column.is_enum) return fmt::format("CASE WHEN {0} IS NOT NULL THEN concat({0}) END COLLATE \"C\"", x);
  const bool as_is = column.type == PgType::kText || column.type == PgType::kVarchar;
  return fmt::format("{} COLLATE \"C\"", as_is ? x : fmt::format("CAST({} AS TEXT)", x));
}

bool CanBecome(ColumnType type, const PgColumn& column) {
  const PgType from = column.type;
  const bool number = !column.is_enum && (IsNumber(from) || from == PgType::kBoolean);
  switch (type) {
    case ColumnType::kBoolean:
      return !column.is_enum && (from == PgType::kBoolean || IsWhole(from));
    case ColumnType::kInteger:
    case ColumnType::kReal:
      return number;
    case ColumnType::kText:
      return column.is_enum || IsText(from) || IsWhole(from) || from == PgType::kUuid || from == PgType::kBoolean;
    case ColumnType::kDate:
    case ColumnType::kTimestamp:
      return !column.is_enum && IsTime(from);
  }
  return false;
}

}  // namespace

Result<PgReading> ReadColumn(const PgColumn& column, std::optional<ColumnType> type, const ColumnReading& reading) {
  if (auto known = CheckType(column); !known) return known.error();
  if (type && !CanBecome(*type, column)) {
    return NotReadable(column, fmt::format("and the policy declares it as {}", TypeName(*type)),
                       "declare it as it is stored, or convert it in the database: a value that cannot be converted "
                       "must not stop a question");
  }
  const PgType from = column.type;
  std::string x = QuotedName(column.name);
  if (!column.is_enum && IsTime(from)) x = WithinYears(x, from);
  if (!column.is_enum && !IsTime(from)) x = WithoutMarks(x, from, reading);
  const bool text = column.is_enum || IsText(from);
  if (!type) {
    // Keys and groups: what PostgreSQL takes for equal is the same for kith.
    if (text) return PgReading{.sql = ToText(x, column)};
    return PgReading{.sql = x, .is_boolean = from == PgType::kBoolean, .is_uuid = from == PgType::kUuid};
  }
  switch (*type) {
    case ColumnType::kBoolean:
      if (from == PgType::kBoolean) return PgReading{.sql = x, .is_boolean = true};
      return PgReading{.sql = fmt::format("{} <> 0", x), .keeps_apart = false, .is_boolean = true};
    case ColumnType::kInteger:
      return PgReading{.sql = ToWhole(x, from), .keeps_apart = IsWhole(from) || from == PgType::kBoolean};
    case ColumnType::kReal:
      return PgReading{.sql = ToReal(x, from),
                       .keeps_apart = IsReal(from) || from == PgType::kInt2 || from == PgType::kInt4};
    case ColumnType::kText:
      // Grouping a column as it is stored is cheaper than grouping it with a collation; what is equal is the same. All
      // of these share one collation, so that no two of them are at odds.
      if (column.usual_collation && !column.is_enum && (from == PgType::kText || from == PgType::kVarchar))
        return PgReading{.sql = x, .is_plain_text = true};
      return PgReading{.sql = ToText(x, column)};
    case ColumnType::kDate:
    case ColumnType::kTimestamp: {
      const bool date = *type == ColumnType::kDate;
      return PgReading{.sql = ToTime(x, from, date), .keeps_apart = !date || from == PgType::kDate};
    }
  }
  return InternalError("a column has no type");
}

ColumnType NaturalType(const PgColumn& column) {
  const PgType type = column.type;
  if (column.is_enum) return ColumnType::kText;
  if (type == PgType::kBoolean) return ColumnType::kBoolean;
  if (IsWhole(type)) return ColumnType::kInteger;
  if (IsNumber(type)) return ColumnType::kReal;
  if (type == PgType::kDate) return ColumnType::kDate;
  return IsTime(type) ? ColumnType::kTimestamp : ColumnType::kText;
}

}  // namespace kith
