// How columns are read: clamped, or one of their declared values, or NULL; constants.
#include <fmt/format.h>

#include "base/check.h"
#include "policy/dates.h"
#include "query/emit.h"

namespace kith {
namespace {

// Both engines order NaN above infinity, so that one comparison with each end leaves finite numbers alone.
constexpr const char* kLargestReal = "1.7976931348623157e308";

}  // namespace

std::string QuotedName(const std::string& name) {
  std::string quoted = "\"";
  for (const char c : name) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string ExprWriter::Raw(std::size_t column) const {
  const Column& c = table_.columns.at(column);
  const std::string name = "t." + QuotedName(c.name);
  return !duckdb() && c.type == ColumnType::kText ? name + " COLLATE \"C\"" : name;
}

std::string ExprWriter::Constant(const Value& value, Type type) const {
  if (std::holds_alternative<Null>(value)) {
    switch (type) {
      case Type::kBoolean:
        return "CAST(NULL AS BOOLEAN)";
      case Type::kInteger:
        return "CAST(NULL AS BIGINT)";
      case Type::kReal:
        return "CAST(NULL AS DOUBLE PRECISION)";
      case Type::kDate:
        return "CAST(NULL AS DATE)";
      case Type::kTimestamp:
        return "CAST(NULL AS TIMESTAMP)";
      default:
        return "CAST(NULL AS VARCHAR)";
    }
  }
  switch (type) {
    case Type::kBoolean:
      return std::get<bool>(value) ? "TRUE" : "FALSE";
    case Type::kInteger:
      return fmt::format("CAST('{}' AS BIGINT)", std::get<std::int64_t>(value));
    case Type::kReal:
      return fmt::format("CAST('{}' AS DOUBLE PRECISION)", std::get<double>(value));
    case Type::kDate:
      return fmt::format("DATE '{}'", DateText(std::get<std::int64_t>(value)));
    case Type::kTimestamp:
      return fmt::format("TIMESTAMP '{}'", TimestampText(std::get<std::int64_t>(value)));
    default:
      break;
  }
  const std::string& text = std::get<std::string>(value);
  if (duckdb() || text.find('\\') == std::string::npos) return QuotedText(text);
  // PostgreSQL reads backslashes in '...' as its settings say; in E'...' they always must be doubled.
  std::string escaped = "E'";
  for (const char c : text) escaped += c == '\'' ? "''" : c == '\\' ? "\\\\" : std::string(1, c);
  return escaped + "'";
}

std::string ExprWriter::Read(std::size_t column) const {
  const Column& c = table_.columns.at(column);
  if (!c.values.empty()) return ReadListed(column);
  if (c.type == ColumnType::kReal) return ReadReal(column, true);
  if (c.type == ColumnType::kText || c.type == ColumnType::kBoolean) return Raw(column);
  return ReadBounded(column);
}

// Anything but a declared value reads as NULL, or as the first of them.
std::string ExprWriter::ReadListed(std::size_t column) const {
  const Column& c = table_.columns.at(column);
  const Type type = TypeOf(c.type);
  std::string list;
  for (const Value& value : c.values) list += (list.empty() ? "" : ", ") + Constant(TypedValue(c, value), type);
  const std::string otherwise = NeverNull(c) ? " ELSE " + Constant(TypedValue(c, c.values[0]), type) : "";
  return fmt::format("CASE WHEN {0} IN ({1}) THEN {0}{2} END", Raw(column), list, otherwise);
}

// Integers, dates and timestamps. NULL fails every comparison, so that it comes out as NULL, or as the lower bound.
std::string ExprWriter::ReadBounded(std::size_t column) const {
  const Column& c = table_.columns.at(column);
  const Type type = TypeOf(c.type);
  const IntegerBounds bounds = BoundsOf(c);
  const std::string raw = Raw(column);
  if (type == Type::kInteger && !c.lower && !c.upper) return raw;
  const std::string low = Constant(bounds.low, type), high = Constant(bounds.high, type);
  if (type == Type::kInteger) {
    if (NeverNull(c))
      return fmt::format("CASE WHEN {0} > {2} THEN {2} WHEN {0} >= {1} THEN {0} ELSE {1} END", raw, low, high);
    return fmt::format("CASE WHEN {0} < {1} THEN {1} WHEN {0} > {2} THEN {2} ELSE {0} END", raw, low, high);
  }
  const std::string otherwise = NeverNull(c) ? " ELSE " + low : "";
  return fmt::format(
      "CASE WHEN NOT isfinite({0}) THEN {4} WHEN {0} < {1} THEN {1} WHEN {0} > {2} THEN {2} WHEN {0} IS NOT NULL THEN "
      "{0}{3} END",
      raw, low, high, otherwise, NeverNull(c) ? low : Constant(Null{}, type));
}

// `flush`: numbers too small to tell from zero read as zero.
std::string ExprWriter::ReadReal(std::size_t column, bool flush) const {
  const Column& c = table_.columns.at(column);
  const RealBounds bounds = RealBoundsOf(c);
  const std::string raw = Raw(column), low = Constant(bounds.low, Type::kReal),
                    high = Constant(bounds.high, Type::kReal);
  std::string inside = raw;
  if (flush) {
    const double zero = std::clamp(0.0, bounds.low, bounds.high);
    inside = fmt::format("CASE WHEN abs({}) < {} THEN {} ELSE {} END", raw,
                         Constant(std::ldexp(1.0, kTinyExponent), Type::kReal), Constant(zero, Type::kReal), raw);
  }
  const std::string cut =
      fmt::format("CASE WHEN {0} < {1} THEN {1} WHEN {0} > {2} THEN {2} ELSE {3} END", raw, low, high, inside);
  return fmt::format(
      "CASE WHEN {0} BETWEEN CAST('-{1}' AS DOUBLE PRECISION) AND CAST('{1}' AS DOUBLE PRECISION) THEN {2}{3} END", raw,
      kLargestReal, cut, NeverNull(c) ? " ELSE " + low : "");
}

std::string ExprWriter::WriteKeyIndex(std::size_t column) const {
  const Column& c = table_.columns.at(column);
  const Type type = TypeOf(c.type);
  std::string text = "CASE " + Raw(column);
  for (std::size_t i = 0; i < c.values.size(); ++i) {
    text += fmt::format(" WHEN {} THEN {}", Constant(TypedValue(c, c.values[i]), type), i);
  }
  return text + fmt::format(" ELSE {} END", NeverNull(c) ? 0 : c.values.size());
}

}  // namespace kith
