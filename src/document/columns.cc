// What an analyst may know of a policy before asking: its tables and columns, taken only from the policy.
#include "document/columns.h"

#include <fmt/format.h>

#include "base/json.h"
#include "document/reading.h"
#include "policy/dates.h"
#include "policy/per_row.h"
#include "policy/type_names.h"

namespace kith::document {
namespace {

bool IsNumber(ColumnType type) { return type == ColumnType::kInteger || type == ColumnType::kReal; }

// A bound as the policy writes it.
Value BoundOf(const Column& column, double bound) {
  const auto whole = static_cast<std::int64_t>(bound);
  switch (column.type) {
    case ColumnType::kInteger:
      return whole;
    case ColumnType::kDate:
      return DateText(whole);
    case ColumnType::kTimestamp:
      return TimestampText(whole);
    default:
      return bound;
  }
}

std::vector<std::string> MayBeAsked(const Column& column) {
  if (!column.values.empty()) {
    if (IsNumber(column.type)) return {"count", "compare", "group", "sum", "average", "quantile"};
    return {"count", "compare", "group"};
  }
  if (column.pattern) return {"count", "compare", "count in cells"};
  if (!column.lower) return {"count", "compare"};
  if (IsNumber(column.type)) return {"count", "compare", "group in ranges", "sum", "average", "quantile"};
  if (column.type == ColumnType::kDate) return {"count", "compare", "group by year, month or week", "quantile"};
  return {"count", "compare", "group by year, month or week"};
}

ColumnFacts FactsOf(const Column& column, bool table_is_public) {
  ColumnFacts facts;
  facts.name = column.name;
  facts.type = TypeName(column.type);
  facts.is_public = column.is_public || table_is_public;
  facts.per_row = column.per_row;
  facts.required = column.required;
  facts.constant = column.constant;
  facts.values = column.values;
  if (column.lower) facts.lower = BoundOf(column, *column.lower);
  if (column.upper) facts.upper = BoundOf(column, *column.upper);
  if (column.pattern) facts.pattern = column.pattern->text();
  facts.may_ask = MayBeAsked(column);
  return facts;
}

std::string AboutOf(const Policy& policy, const Table& table) {
  if (table.other) {
    return fmt::format(
        "may be asked about; a row is of the unit in {0}, at most {1} of each, and names another in {2}, nobody more "
        "than {3}; {4} may be joined on either",
        *table.key, table.max_rows, *table.other,
        table.max_other == 1 ? "once" : fmt::format("{} times", table.max_other), policy.unit.table);
  }
  if (table.OfUnits()) {
    return fmt::format(
        "may be asked about, alone or joined to {} on {} = {}; rows of the same units, at most {} of each",
        policy.unit.table, *policy.unit.key, *table.key, table.max_rows);
  }
  if (table.name != policy.unit.table) {
    return table.key ? fmt::format("public; JOIN it on its key {}", *table.key)
                     : "public; it has no key, and so cannot be joined";
  }
  if (policy.unit.other_key)
    return fmt::format("a row is about the two people in {} and {}", *policy.unit.key, *policy.unit.other_key);
  if (!policy.unit.key) return "what is asked about; each row is a unit of its own";
  std::string about =
      fmt::format("what is asked about; a unit is a value of {}, with at most {} {}; count(DISTINCT {}) counts units",
                  *policy.unit.key, policy.unit.max_rows, policy.unit.max_rows == 1 ? "row" : "rows", *policy.unit.key);
  if (policy.unit.within)
    about +=
        fmt::format("; units belong to households of at most {} (column {})", policy.unit.size, *policy.unit.within);
  return about;
}

// The table with one row for each unit, which questions know besides the unit's own.
void AddUnitsTable(const Policy& policy, std::vector<TableFacts>& tables) {
  const auto name = policy.units_table();
  if (!name) return;
  TableFacts facts;
  facts.name = *name;
  facts.about =
      fmt::format("the units of {}: one row for each, with its public and constant columns", policy.unit.table);
  for (const Column& column : policy.unit_table().columns) {
    if (IsPublicOfUnit(column) || column.constant || column.name == policy.unit.key)
      facts.columns.push_back(FactsOf(column, false));
  }
  tables.push_back(std::move(facts));
}

}  // namespace

std::vector<TableFacts> FactsOf(const Policy& policy) {
  std::vector<TableFacts> tables;
  for (const Table& table : policy.tables) {
    TableFacts& facts = tables.emplace_back();
    facts.name = table.name;
    facts.is_public = table.is_public;
    facts.about = AboutOf(policy, table);
    for (const Column& column : table.columns) facts.columns.push_back(FactsOf(column, table.is_public));
  }
  AddUnitsTable(policy, tables);
  return tables;
}

Json ToJson(const std::vector<TableFacts>& tables) {
  Json out = {{"tables", Json::array()}};
  for (const TableFacts& table : tables) {
    Json columns = Json::array();
    for (const ColumnFacts& column : table.columns) {
      Json one = {{"name", column.name},         {"type", column.type},         {"public", column.is_public},
                  {"required", column.required}, {"constant", column.constant}, {"may_ask", column.may_ask}};
      if (column.per_row) one["per_row"] = true;
      if (!column.values.empty()) {
        one["values"] = Json::array();
        for (const Value& value : column.values) one["values"].push_back(ValueToJson(value));
      }
      if (column.lower) one["lower"] = ValueToJson(*column.lower);
      if (column.upper) one["upper"] = ValueToJson(*column.upper);
      if (!column.pattern.empty()) one["pattern"] = column.pattern;
      columns.push_back(std::move(one));
    }
    out["tables"].push_back(
        {{"name", table.name}, {"public", table.is_public}, {"about", table.about}, {"columns", std::move(columns)}});
  }
  return out;
}

namespace {

ColumnFacts ReadColumn(const Json& in) {
  ColumnFacts column;
  column.name = in.at("name");
  column.type = in.at("type");
  column.is_public = in.at("public");
  column.per_row = in.value("per_row", false);
  column.required = in.at("required");
  column.constant = in.at("constant");
  for (const Json& value : in.value("values", Json::array())) column.values.push_back(ValueFromJson(value));
  if (in.contains("lower")) column.lower = ValueFromJson(in.at("lower"));
  if (in.contains("upper")) column.upper = ValueFromJson(in.at("upper"));
  column.pattern = in.value("pattern", std::string());
  column.may_ask = in.at("may_ask").get<std::vector<std::string>>();
  return column;
}

std::vector<TableFacts> ReadTables(const Json& in) {
  std::vector<TableFacts> tables;
  for (const Json& line : in.at("tables")) {
    TableFacts& table = tables.emplace_back();
    table.name = line.at("name");
    table.is_public = line.at("public");
    table.about = line.at("about");
    for (const Json& column : line.at("columns")) table.columns.push_back(ReadColumn(column));
  }
  return tables;
}

}  // namespace

Result<std::vector<TableFacts>> TableFactsFrom(const Json& in) { return ReadDocument("tables", in, ReadTables); }

}  // namespace kith::document
