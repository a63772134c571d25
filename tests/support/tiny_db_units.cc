// What a question sees of units: the unit's table, or the table with one row for each of them.
#include <algorithm>
#include <map>

#include "tests/support/tiny_db.h"

namespace kith::testing {
namespace {

bool AsksForUnits(const Policy& policy, const Question& question) {
  return question.table == policy.unit.table + "_units" && policy.FindTable(question.table) == nullptr;
}

}  // namespace

Policy SeenBy(const Question& question, const Policy& policy) {
  Policy seen = policy;
  if (!AsksForUnits(policy, question)) return seen;
  for (Table& table : seen.tables)
    if (table.name == policy.unit.table) table.name = question.table;
  seen.unit.table = question.table;
  seen.unit.max_rows = 1;
  return seen;
}

std::optional<TinyTable> SeenBy(const Question& question, const Policy& policy, const TinyTable& table) {
  if (!policy.unit.key) return table;
  const auto key = static_cast<std::size_t>(std::find(table.columns.begin(), table.columns.end(), *policy.unit.key) -
                                            table.columns.begin());
  std::map<Datum, std::vector<const Row*>> units;
  TinyTable first = table;
  first.rows.clear();
  for (const Row& row : table.rows) {
    if (row[key].null()) continue;
    auto& rows = units[row[key]];
    if (rows.empty()) first.rows.push_back(row);
    rows.push_back(&row);
  }
  const bool of_units = AsksForUnits(policy, question);
  for (const auto& [unit, rows] : units) {
    if (!of_units && static_cast<std::int64_t>(rows.size()) > policy.unit.max_rows) return std::nullopt;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      const Column* column = policy.unit_table().Find(table.columns[i]);
      if (column == nullptr || !column->constant) continue;
      for (const Row* row : rows)
        if (!((*row)[i] == (*rows.front())[i])) return std::nullopt;
    }
  }
  if (!of_units) return table;
  first.name = question.table;
  return first;
}

}  // namespace kith::testing
