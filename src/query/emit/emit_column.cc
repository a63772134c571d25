// How columns are read: clamped, or one of their declared values, or NULL; constants.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "policy/dates.h"
#include "query/emit/emit.h"

namespace kith {
std::string QuotedName(const std::string& name) {
  std::string quoted = "\"";
  for (const char c : name) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

namespace {

// A name that no table or column of the statement has.
std::string JoinedSource(const std::string& owner) { return QuotedName("kith.join." + owner); }

}  // namespace

std::string JoinClauses(const Question& question, const ExprWriter& exprs) {
  std::string text;
  for (const TableJoin& join : question.joins) {
    text += fmt::format(" LEFT JOIN {} AS {} ON {} = {}", QuotedName(join.table), JoinedSource(join.owner),
                        exprs.Write(*join.on), exprs.Raw(join.key_column->column));
  }
  return text;
}

std::string ExprWriter::Raw(std::size_t column) const {
  const Column& c = table_.columns.at(column);
  const std::string owner = OwnerOf(c);
  const std::string name = owner.empty() ? "t." + QuotedName(c.name)
                                         : JoinedSource(owner) + "." + QuotedName(c.name.substr(owner.size() + 1));
  return !duckdb() && c.type == ColumnType::kText ? name + " COLLATE \"C\"" : name;
}

// A number beside a column of its type, where the column decides the type of the whole.
std::string ExprWriter::Literal(const Value& value, Type type) const {
  if (type == Type::kInteger) return fmt::format("{}", std::get<std::int64_t>(value));
  if (type != Type::kReal) return Constant(value, type);
  // With an exponent DuckDB reads a double, not a decimal.
  std::string text = fmt::format("{}", std::get<double>(value));
  if (text.find('e') == std::string::npos) text += "e0";
  return text;
}

// Numbers carry their type: engines would choose 32 bits, or decimals, and overflow or round in their own ways.
std::string ExprWriter::Constant(const Value& value, Type type) const {
  const bool null = std::holds_alternative<Null>(value);
  switch (type) {
    case Type::kBoolean:
      return null ? "CAST(NULL AS BOOLEAN)" : std::get<bool>(value) ? "TRUE" : "FALSE";
    case Type::kInteger:
      return fmt::format("CAST({} AS BIGINT)", null ? "NULL" : Literal(value, type));
    case Type::kReal:
      return fmt::format("CAST({} AS DOUBLE PRECISION)", null ? "NULL" : Literal(value, type));
    case Type::kDate:
      return null ? "CAST(NULL AS DATE)" : fmt::format("DATE '{}'", DateText(std::get<std::int64_t>(value)));
    case Type::kTimestamp:
      return null ? "CAST(NULL AS TIMESTAMP)"
                  : fmt::format("TIMESTAMP '{}'", TimestampText(std::get<std::int64_t>(value)));
    case Type::kText:
    case Type::kNull:
      return null ? "CAST(NULL AS VARCHAR)" : TextConstant(std::get<std::string>(value));
  }
  KITH_CHECK(false);
}

std::string ExprWriter::TextConstant(const std::string& text) const {
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
  for (const Value& value : c.values) list += (list.empty() ? "" : ", ") + Literal(TypedValue(c, value), type);
  const std::string otherwise = NeverNull(c) ? " ELSE " + Literal(TypedValue(c, c.values[0]), type) : "";
  return fmt::format("CASE WHEN {0} IN ({1}) THEN {0}{2} END", Raw(column), list, otherwise);
}

// Integers, dates and timestamps. In range first: that is nearly always so, and engines test cases in turn for those
// rows that are left. NULL fails every comparison, so that it comes out as NULL, or as the lower bound.
std::string ExprWriter::ReadBounded(std::size_t column) const {
  const Column& c = table_.columns.at(column);
  const Type type = TypeOf(c.type);
  const std::string raw = Raw(column);
  if (type == Type::kInteger && !c.lower && !c.upper) return raw;
  const IntegerBounds bounds = BoundsOf(c);
  const std::string low = Literal(bounds.low, type), high = Literal(bounds.high, type);
  const std::string otherwise = NeverNull(c) ? " ELSE " + low : "";
  // Infinite dates are beyond every bound, and read as NULL.
  const std::string finite = type == Type::kInteger ? "" : fmt::format("isfinite({}) AND ", raw);
  return fmt::format(
      "CASE WHEN {0} BETWEEN {1} AND {2} THEN {0} WHEN {3}{0} < {1} THEN {1} WHEN {3}{0} > {2} THEN {2}{4} END", raw,
      low, high, finite, otherwise);
}

// `flush`: numbers too small to tell from zero read as zero. Both engines order NaN above infinity: neither lies
// between finite ends.
std::string ExprWriter::ReadReal(std::size_t column, bool flush) const {
  const Column& c = table_.columns.at(column);
  const auto [low, high] = RealBoundsOf(c);
  constexpr double kMax = std::numeric_limits<double>::max();
  const double tiny = std::ldexp(1.0, kTinyExponent);
  const std::string raw = Raw(column);
  const auto real = [&](double x) { return Literal(x, Type::kReal); };
  std::string text = "CASE";
  const auto between = [&](double from, double to, const std::string& then) {
    if (from <= to) text += fmt::format(" WHEN {} BETWEEN {} AND {} THEN {}", raw, real(from), real(to), then);
  };
  const bool holds_tiny = flush && low < tiny && high > -tiny;
  if (holds_tiny) {
    between(tiny, high, raw);
    between(low, -tiny, raw);
  } else {
    between(low, high, raw);
  }
  if (low > -kMax) between(-kMax, low, real(low));
  if (high < kMax) between(high, kMax, real(high));
  if (holds_tiny) between(-tiny, tiny, real(std::clamp(0.0, low, high)));
  return text + (NeverNull(c) ? fmt::format(" ELSE {} END", real(low)) : " END");
}

std::string ExprWriter::WriteKey(const Key& key) const { return key.column ? Raw(*key.column) : Write(*key.expr); }

std::string ExprWriter::WriteKeyIndex(const Key& key, const std::string& value) const {
  const Type type = key.expr->type;
  const std::size_t otherwise = key.image.may_null ? key.image.values.size() : 0;
  if (key.image.dense) {
    const std::string low = Literal(key.image.values.front(), type), high = Literal(key.image.values.back(), type);
    return fmt::format("CASE WHEN {0} BETWEEN {1} AND {2} THEN CAST({0} - {1} AS BIGINT) ELSE {3} END", value, low,
                       high, otherwise);
  }
  if (key.image.values.empty()) return fmt::format("{}", otherwise);
  std::string text = "CASE " + value;
  for (std::size_t i = 0; i < key.image.values.size(); ++i) {
    text += fmt::format(" WHEN {} THEN {}", Literal(key.image.values[i], type), i);
  }
  return text + fmt::format(" ELSE {} END", otherwise);
}

}  // namespace kith
