#include "analysis/number_column.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "policy/clock.h"
#include "query/bind/typing.h"
#include "sql/expr.h"
#include "sql/quote.h"

namespace kith {
namespace {

double NumberOf(const Value& value) {
  const auto* whole = std::get_if<std::int64_t>(&value);
  return whole ? static_cast<double>(*whole) : std::get<double>(value);
}

}  // namespace

Result<NumberColumn> NumberColumnOf(const std::string& name, const Policy& policy) {
  const Table& table = policy.unit_table();
  const Column* column = table.Find(name);
  if (!column) {
    for (const Table& other : policy.tables) {
      if (!other.Find(name)) continue;
      return InvalidArgument(
          fmt::format("{} is a column of {}, and this analysis is about {}, the unit's table", Shortened(name),
                      other.name, table.name),
          {}, fmt::format("name columns of [columns.{}], or ask a question about the other table", table.name));
    }
    return InvalidArgument(fmt::format("there is no column {} in [columns.{}]", Shortened(name), table.name), {},
                           "name columns that the policy declares");
  }
  if (const auto clock = ClockColumnOf(*column, policy)) {
    const double middle = std::floor((clock->low + clock->high) / 2);
    return NumberColumn{clock->shown, clock->low, clock->high, middle,
                        fmt::format("{} - {}", clock->value, static_cast<std::int64_t>(middle))};
  }
  if (column->type != ColumnType::kInteger && column->type != ColumnType::kReal) {
    return InvalidArgument(fmt::format("{} is not a number", Shortened(name)), {},
                           "name columns of whole or real numbers");
  }
  NumberColumn out{name, INFINITY, -INFINITY, 0, {}};
  for (const Value& value : column->values) {
    out.low = std::min(out.low, NumberOf(value));
    out.high = std::max(out.high, NumberOf(value));
  }
  if (column->lower && column->upper) {
    out.low = *column->lower;
    out.high = *column->upper;
  } else if (column->values.empty()) {
    return InvalidArgument(fmt::format("{} has no bounds", Shortened(name)), {},
                           fmt::format("declare lower and upper for it in [columns.{}]", table.name));
  }
  if (!(out.low < out.high))
    return InvalidArgument(fmt::format("{} can take one value only", Shortened(name)), {}, "leave it out");
  out.middle = out.low + (out.high - out.low) / 2;
  const bool whole = column->type == ColumnType::kInteger;
  if (whole) out.middle = std::floor(out.middle);
  out.value = fmt::format("{} - {}", IdentifierText(name),
                          whole ? fmt::format("{}", static_cast<std::int64_t>(out.middle)) : RealText(out.middle));
  return out;
}

std::string DeclaredValue(const Column& column, const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) {
    const std::string quoted = QuotedText(*text);
    if (column.type == ColumnType::kDate) return "DATE " + quoted;
    return column.type == ColumnType::kTimestamp ? "TIMESTAMP " + quoted : quoted;
  }
  if (const auto* real = std::get_if<double>(&value)) return RealText(*real);
  return ToText(value);
}

}  // namespace kith
