// The ranges of declared columns: where public facts enter the analysis.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "policy/dates.h"
#include "query/range/range.h"
#include "query/range/range_ops.h"

namespace kith {
namespace {

std::int64_t TypeLow(ColumnType type) {
  if (type == ColumnType::kDate) return kFirstDay;
  if (type == ColumnType::kTimestamp) return kFirstDay * kMicrosecondsPerDay;
  return std::numeric_limits<std::int64_t>::min();
}

std::int64_t TypeHigh(ColumnType type) {
  if (type == ColumnType::kDate) return kLastDay;
  if (type == ColumnType::kTimestamp) return (kLastDay + 1) * kMicrosecondsPerDay - 1;
  return std::numeric_limits<std::int64_t>::max();
}

// A bound as an integer, clamped to [low, high]; compared as reals first, because a cast of a real beyond 64 bits is
// undefined.
std::int64_t CutTo(double bound, std::int64_t low, std::int64_t high) {
  if (bound <= static_cast<double>(low)) return low;
  if (bound >= static_cast<double>(high)) return high;
  return static_cast<std::int64_t>(bound);
}

Range HullOfDomain(const Column& column) {
  const Type type = TypeOf(column.type);
  if (type == Type::kText) {
    Range range;
    range.domain = &column.values.list();
    if (column.values.size() == 1) range.text = &std::get<std::string>(column.values[0]);
    return range;
  }
  Range hull = NullRange();
  for (std::size_t i = 0; i < column.values.size(); ++i) {
    const Value value = TypedValue(column, column.values[i]);
    const Range point = ConstantRange(value, type);
    hull = i == 0 ? point : Hull(hull, point, type);
  }
  return hull;
}

}  // namespace

IntegerBounds BoundsOf(const Column& column) {
  const std::int64_t low = TypeLow(column.type), high = TypeHigh(column.type);
  return {column.lower ? CutTo(std::ceil(*column.lower), low, high) : low,
          column.upper ? CutTo(std::floor(*column.upper), low, high) : high};
}

RealBounds RealBoundsOf(const Column& column) {
  constexpr double kMax = std::numeric_limits<double>::max();
  return {std::max(column.lower.value_or(-kMax), -kMax), std::min(column.upper.value_or(kMax), kMax)};
}

bool NeverNull(const Column& column) { return column.required && (!column.values.empty() || column.lower); }

Value TypedValue(const Column& column, const Value& declared) {
  const auto* text = std::get_if<std::string>(&declared);
  if (text && column.type == ColumnType::kDate) {
    const auto days = ParseDate(*text);
    KITH_CHECK(days.has_value());
    return *days;
  }
  if (text && column.type == ColumnType::kTimestamp) {
    const auto microseconds = ParseTimestamp(*text);
    KITH_CHECK(microseconds.has_value());
    return *microseconds;
  }
  if (const auto* whole = std::get_if<std::int64_t>(&declared); whole && column.type == ColumnType::kReal) {
    return static_cast<double>(*whole);
  }
  return declared;
}

Range RangeOf(const Column& column) {
  Range range;
  if (!column.values.empty()) {
    range = HullOfDomain(column);
  } else if (column.type == ColumnType::kBoolean) {
    range = BooleanRange(true, true, false, false);
  } else if (column.type == ColumnType::kReal) {
    const RealBounds bounds = RealBoundsOf(column);
    // Data below 2^kTinyExponent are read as 0, so the lowest bit in use is 52 places below; a bound may use lower
    // ones.
    range =
        RealRange(bounds.low, bounds.high, std::min({kTinyExponent - 52, GrainOf(bounds.low), GrainOf(bounds.high)}));
  } else if (column.type != ColumnType::kText) {
    const IntegerBounds bounds = BoundsOf(column);
    range = IntegerRange(bounds.low, bounds.high);
  }
  range.may_null = !NeverNull(column);
  range.secret = !column.is_public && !IsKnown(range, TypeOf(column.type));
  return range;
}

Range RangeOf(const Column& column, const Value& value) {
  if (std::holds_alternative<Null>(value)) return NullRange();
  if (column.type == ColumnType::kText) return ConstantRange(value, Type::kText);
  const Value typed = TypedValue(column, value);
  return ConstantRange(typed, TypeOf(column.type));  // keeps no pointer: the type is not text
}

}  // namespace kith
