#include "kernel/check/facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "policy/dates.h"
#include "policy/per_row.h"
#include "sql/quote.h"

namespace kith::check {
namespace {

constexpr std::int64_t kFirstDay = -719162, kLastDay = 2932896, kDay = 86'400'000'000;

// Dates and timestamps become numbers.
Value Stored(const Column& column, const Value& declared) {
  const auto* text = std::get_if<std::string>(&declared);
  if (text && column.type == ColumnType::kDate) return ParseDate(*text).value_or(0);
  if (text && column.type == ColumnType::kTimestamp) return ParseTimestamp(*text).value_or(0);
  const auto* whole = std::get_if<std::int64_t>(&declared);
  if (whole && column.type == ColumnType::kReal) return static_cast<double>(*whole);
  return declared;
}

// A clamp that a look at the data may have shown to change nothing is called by table, column and ends.
void NameClamp(const Table& table, const Column& column, ColumnFacts& facts) {
  const bool timed = column.type == ColumnType::kDate || column.type == ColumnType::kTimestamp;
  if ((column.type != ColumnType::kInteger && !timed) || !column.values.empty()) return;
  std::int64_t low = std::numeric_limits<std::int64_t>::min(), high = std::numeric_limits<std::int64_t>::max();
  if (timed) {
    const std::int64_t unit = column.type == ColumnType::kDate ? 1 : kDay;
    low = kFirstDay * unit;
    high = (kLastDay + 1) * unit - 1;
  }
  const auto cut = [&](double bound) {
    if (bound <= static_cast<double>(low)) return low;
    return bound >= static_cast<double>(high) ? high : static_cast<std::int64_t>(bound);
  };
  const std::int64_t from = column.lower ? cut(std::ceil(*column.lower)) : low;
  const std::int64_t to = column.upper ? cut(std::floor(*column.upper)) : high;
  facts.low = static_cast<double>(from);
  facts.high = static_cast<double>(to);
  facts.clamp = fmt::format("{}.{} from {} to {}{}", IdentifierText(table.name), IdentifierText(column.name), from, to,
                            column.required && column.lower ? ", never missing" : "");
}

TableFacts TableOf(const Table& table, bool of_unit) {
  TableFacts facts{.name = table.name,
                   .is_public = table.is_public,
                   .columns = {},
                   .key = table.key,
                   .other = table.other,
                   .most_other = table.max_other};
  for (const Column& column : table.columns) {
    ColumnFacts& made = facts.columns.emplace_back();
    made.name = column.name;
    made.type = TypeOf(column.type);
    made.is_public = of_unit && column.is_public;
    made.per_row = of_unit && column.per_row;
    made.constant = of_unit && column.constant;
    made.of_household = of_unit && column.of_household;
    for (const Value& value : column.values) made.values.push_back(Stored(column, value));
    made.first_if_missing = column.required;
    if (of_unit) NameClamp(table, column, made);
  }
  return facts;
}

}  // namespace

const TableFacts* Facts::Find(const std::string& table) const {
  const auto found = std::find_if(tables.begin(), tables.end(), [&](const TableFacts& t) { return t.name == table; });
  return found == tables.end() ? nullptr : &*found;
}

Result<Facts> FactsOf(const Policy& policy) {
  if (policy.unit.other_key) return Unsupported("no statement about rows of two people can be checked", {}, {});
  Facts facts;
  const Table& unit_table = policy.unit_table();
  for (const Table& table : policy.tables) {
    const bool of_unit = table.name == unit_table.name;
    if (of_unit) facts.unit_table = facts.tables.size();
    facts.tables.push_back(TableOf(table, of_unit));
    if (!of_unit) continue;
    TableFacts& made = facts.tables.back();
    made.key = policy.unit.key;
    // Who depends on whom is public, and the column that says it need not be declared.
    if (const auto& by = policy.dependence.by; by && table.Find(*by) == nullptr)
      made.columns.push_back({.name = *by, .is_public = true, .values = {}});
    // In a chain of steps the time of a row is no secret, and is declared no more: a state is the other columns
    // [STREAM-8].
    if (policy.stream && table.Find(policy.stream->time) == nullptr)
      made.columns.push_back({.name = policy.stream->time,
                              .type = TypeOf(policy.stream->type),
                              .is_public = true,
                              .per_row = true,
                              .values = {}});
  }
  facts.key = policy.unit.key;
  facts.always_there = policy.unit.presence == Presence::kPublic;
  facts.rows_are_public = RowsArePublic(policy);
  facts.public_rows = policy.unit.max_rows;
  facts.within = policy.unit.within;
  facts.household = policy.unit.size;
  facts.number_of_cells = policy.cells.size();
  facts.cells_joined = policy.cells.joined();
  for (const CellColumn& column : policy.cells.columns()) {
    const Column* const declared = unit_table.Find(column.name);
    if (declared == nullptr) return Unsupported("cells are not made of columns of the unit's table", column.name, {});
    CellFacts cell{static_cast<std::size_t>(declared - unit_table.columns.data()), {}};
    for (const Value& value : column.values) cell.values.push_back(Stored(*declared, value));
    facts.cells.push_back(std::move(cell));
  }
  return facts;
}

}  // namespace kith::check
