// Units with a key: at most max_rows rows of each are kept, by a rule that uses only the unit's own rows: they are
// ordered by a hash of their declared columns, and where hashes agree by what the question reads, so that the rows kept
// add the same whatever the order in which an engine meets them. Where a check of these data has shown that no unit has
// more (sql::UnitRows), the same statement is sent without the limit: what a person is shown, and what is charged, does
// not follow from it.
#include <fmt/format.h>

#include <set>

#include "query/emit/emit.h"

namespace kith {

std::set<std::size_t> UsedColumns(const Question& question) {
  std::set<std::size_t> used;
  const auto add = [&](const ExprPtr& expr) {
    if (expr) ForEachColumn(*expr, [&](std::size_t column) { used.insert(column); });
  };
  for (const Key& key : question.keys) add(key.expr);
  add(question.where);
  for (const Counter& counter : question.counters) {
    add(counter.value);
    add(counter.filter);
  }
  for (const TableJoin& join : question.joins) add(join.on);
  return used;
}

sql::Term UnitKey(const Policy& policy) { return sql::Column("t", *policy.unit.key); }

sql::Source UnitRows(const Question& question, const Policy& policy, std::string name) {
  if (question.per_unit) return RowsPerUnit(question, policy, std::move(name));
  const Table& unit_table = policy.unit_table();
  const sql::Source table = sql::Table(unit_table.rows_of.empty() ? unit_table.name : unit_table.rows_of);
  if (!policy.stream || !question.tick) return sql::Table(table.table, std::move(name));
  const Stream& stream = *policy.stream;
  const std::int64_t begin = stream.start + *question.tick * stream.step;
  const sql::Term time = sql::Column("", stream.time);
  const auto literal = [&](std::int64_t at) { return sql::Literal(at, TypeOf(stream.type)); };
  const auto step = sql::Selected({.items = {{sql::Star()}},
                                   .from = table,
                                   .where = sql::All({sql::Infix(" >= ", {time, literal(begin)}),
                                                      sql::Infix(" < ", {time, literal(begin + stream.step)})})});
  return sql::Rows(step, std::move(name));
}

sql::Term RowHash(const Policy& policy) {
  sql::Terms columns;
  for (const Column& column : policy.unit_table().columns) {
    if (OwnerOf(column).empty()) columns.push_back(sql::Column("t", column.name));
  }
  if (columns.empty()) columns.push_back(UnitKey(policy));
  return sql::RowHash(std::move(columns));
}

namespace {

// A name that no declared column has.
std::string PlaceName(const Table& table, const std::string& key) {
  std::string name = "kith_row";
  while (table.Find(name) || name == key) name += "_";
  return name;
}

// Rows that tie for the first place agree in all that the question reads.
sql::Source LimitedRowsOfUnits(const Question& question, const Policy& policy, std::optional<std::int64_t> most) {
  const Table& table = policy.unit_table();
  std::set<std::string> names = {*policy.unit.key}, constant;
  if (policy.unit.level == UnitLevel::kHousehold) names.insert(*policy.unit.within);
  sql::Terms order = {RowHash(policy)};
  for (const std::size_t used : UsedColumns(question)) {
    const Column& column = table.columns[used];
    if (!OwnerOf(column).empty()) continue;
    names.insert(column.name);
    if (column.constant) constant.insert(column.name);
    order.push_back(sql::Column("t", column.name));
  }
  return sql::Rows(sql::Limited({.columns = {names.begin(), names.end()},
                                 .constant = std::move(constant),
                                 .from = UnitRows(question, policy, "t"),
                                 .key = UnitKey(policy),
                                 .order = std::move(order),
                                 .rows = most,
                                 .number = PlaceName(table, *policy.unit.key),
                                 .of_unit_table = !table.OfUnits()}),
                   "t");
}

}  // namespace

// As for the unit's table: by a hash of all that is declared about a row, and then by what the question reads.
sql::Statement KeptRowsOf(const Question& question, const TableJoin& join, const Table& joined) {
  const Table& table = *join.of_units;
  std::set<std::string> names = {*table.key};
  for (const std::size_t used : UsedColumns(question)) {
    const Column& column = joined.columns[used];
    if (OwnerOf(column) == join.owner) names.insert(column.name.substr(join.owner.size() + 1));
  }
  sql::Terms hashed, order;
  for (const Column& column : table.columns) hashed.push_back(sql::Column("t", column.name));
  order.push_back(sql::RowHash(std::move(hashed)));
  for (const std::string& name : names) order.push_back(sql::Column("t", name));
  return sql::Limited({.columns = {names.begin(), names.end()},
                       .from = sql::Table(table.name, "t"),
                       .key = sql::Column("t", *table.key),
                       .order = std::move(order),
                       .rows = table.max_rows,
                       .number = PlaceName(table, {}),
                       .of_unit_table = false});
}

sql::Source KeptRows(const Question& question, const Policy& policy) {
  if (!policy.unit.key || question.per_unit) return UnitRows(question, policy, "t");
  const Table& table = policy.unit_table();
  return LimitedRowsOfUnits(question, policy, table.OfUnits() ? table.max_rows : policy.unit.max_rows);
}

sql::Source RowsWithKey(const Question& question, const Policy& policy) {
  return LimitedRowsOfUnits(question, policy, std::nullopt);
}

}  // namespace kith
