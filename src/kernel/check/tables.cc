// Declared tables: where the policy's facts enter.
#include <algorithm>
#include <cctype>

#include "kernel/check/rows.h"

namespace kith::check {
namespace {

bool Alike(const std::string& a, const std::string& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](unsigned char x, unsigned char y) {
           return std::tolower(x) == std::tolower(y);
         });
}

// What a column can be as it is stored: anything of its type. In a cell, the value that tells it.
Possible AsStored(const ColumnFacts& column, const std::optional<Value>& in_cell) {
  Possible p;
  p.real = column.type == Type::kReal;
  if (column.type == Type::kBoolean) p.low = 0, p.high = 1;
  if (!in_cell) return p;
  const bool fallback = column.first_if_missing && !column.values.empty() && *in_cell == column.values[0];
  if (!std::holds_alternative<Null>(*in_cell) && !fallback) {
    const bool real = p.real;
    p = Constant(*in_cell);
    p.real = real;
    return p;
  }
  // Whatever is not declared, or missing, is in this cell.
  std::vector<Value> others = column.values;
  if (fallback) others.erase(others.begin());
  p.never = std::make_shared<const std::vector<Value>>(std::move(others));
  return p;
}

RowColumn OfTable(const ColumnFacts& column, const std::string& name, const std::optional<Value>& in_cell) {
  return {name, column.name, AsStored(column, in_cell)};
}

}  // namespace

const RowColumn* Find(const Rows& rows, const sql::Node& name, Reason& reason) {
  const RowColumn* found = nullptr;
  for (const RowColumn& column : rows.columns) {
    if (column.name.empty() || !Alike(column.name, name.text) ||
        (!name.source.empty() && !Alike(column.source, name.source)))
      continue;
    // Elsewhere names are compared letter by letter.
    if (column.name != name.text) reason.Say("a name that is spelled in another way than the column's");
    if (found != nullptr) {
      reason.Say("a name that two columns have");
      return nullptr;
    }
    found = &column;
  }
  if (found == nullptr) reason.Say("a name that no column has");
  return found;
}

Rows RowsOfTable(const TableFacts& table, const std::string& name, const Context& context) {
  const Facts& facts = context.facts;
  Rows rows;
  const bool of_unit = &table == &facts.tables[facts.unit_table];
  for (std::size_t k = 0; k < table.columns.size(); ++k) {
    const ColumnFacts& column = table.columns[k];
    const auto in_cell = of_unit && k < context.cell.values.size() ? context.cell.values[k] : std::nullopt;
    RowColumn& made = rows.columns.emplace_back(OfTable(column, name, in_cell));
    if (table.is_public) continue;
    made.as_stored = of_unit;
    made.what.secret = !column.is_public;
    made.what.by_row = !column.is_public || column.per_row;
    made.what.of_household = column.of_household || (of_unit && facts.within == column.name);
    if (of_unit && facts.within == column.name) made.what.role = Role::kHousehold;
  }
  if (table.is_public) return rows;  // the same in both
  rows.most = of_unit && !facts.key ? 1 : kUnlimited;
  rows.as_stored = rows.once = of_unit;
  if (of_unit && facts.rows_are_public) rows.most = facts.public_rows;
  if (of_unit && facts.always_there) {
    rows.unit_there = true;
    rows.there = !facts.key || facts.rows_are_public;
  }
  if (!table.key) {
    if (!of_unit || facts.key) context.reason.Say("a table whose rows are nobody's");
    return rows;
  }
  rows.keyless = true;
  const bool pairs = table.other.has_value();
  const auto known = [&](const std::string& column, Role role) {
    auto found =
        std::find_if(rows.columns.begin(), rows.columns.end(), [&](const RowColumn& c) { return c.name == column; });
    if (found == rows.columns.end()) {  // it need not be declared
      rows.columns.push_back({name, column, {}});
      found = rows.columns.end() - 1;
      found->what.secret = true;
    }
    found->what.role = role;
    if (role == Role::kUnit) found->what.by_row = false;
  };
  known(*table.key, pairs ? Role::kOwner : Role::kUnit);
  if (pairs) {
    known(*table.other, Role::kOwner);
    rows.own = false;
    rows.most_other = table.most_other;
  }
  return rows;
}

Rows RowsOfSource(const sql::Source& source, const Context& context) {
  if (source.series > 0 || source.own || !source.column.empty()) {
    context.reason.Say("rows that come from no table");
    return {};
  }
  if (source.statement.empty()) {
    const TableFacts* table = context.facts.Find(source.table);
    if (table == nullptr) {
      context.reason.Say("a table that is not declared");
      return {};
    }
    return RowsOfTable(*table, source.name.empty() ? source.table : source.name, context);
  }
  Rows rows = RowsOfStatement(source.statement, context);
  for (RowColumn& column : rows.columns) column.source = source.name;
  return rows;
}

Rows RowsOfStatement(const sql::Statement& statement, const Context& context) {
  if (statement.empty()) {
    context.reason.Say("a statement that is missing");
    return {};
  }
  const auto& part = statement.query().part;
  if (const auto* limit = std::get_if<sql::UnitLimit>(&part)) return RowsOfLimit(*limit, context);
  const auto* select = std::get_if<sql::Select>(&part);
  if (select == nullptr) {
    context.reason.Say("UNION");
    return {};
  }
  if (!select->with.empty() || select->distinct || !select->order_by.empty()) {
    context.reason.Say("WITH, DISTINCT or ORDER BY");
    return {};
  }
  return select->group_by.empty() ? Projected(*select, context) : OnePerGroup(*select, context);
}

}  // namespace kith::check
