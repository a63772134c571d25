// What a question sees of units: the unit's table, or a table with one row for each of them.
#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>

#include "policy/per_row.h"
#include "tests/support/tiny_db.h"
#include "tests/support/tiny_db_eval.h"

namespace kith::testing {
namespace {

bool AsksForUnits(const Policy& policy, const Question& question) {
  return question.table == policy.unit.table + "_units" && policy.FindTable(question.table) == nullptr;
}

// A name that is not a column of the table: what a unit's row has besides.
bool IsMade(const Question::Item& item, const Table& table) {
  return item.expr.op != "column" || table.Find(item.expr.name) == nullptr ||
         (!item.name.empty() && item.name != item.expr.name);
}

// GROUP BY without the unit's key: a row for each group of units.
bool IsOfGroups(const Question& sub, const Policy& policy) {
  if (sub.group_by.empty()) return false;
  return std::none_of(sub.group_by.begin(), sub.group_by.end(),
                      [&](const Expr& key) { return policy.unit.key && key.name == *policy.unit.key; });
}

// The most units of one group: the smallest number that the policy has for one of the columns.
std::int64_t SizeOfGroups(const Question& sub, const Policy& policy) {
  std::optional<std::int64_t> size;
  const auto add = [&](std::int64_t number) { size = std::min(size.value_or(number), number); };
  for (const Expr& key : sub.group_by) {
    if (policy.unit.within == key.name) add(policy.unit.size);
    const auto* group = std::get_if<Group>(&policy.dependence.model);
    if (group != nullptr && policy.dependence.by == key.name) add(group->size);
  }
  if (!size) throw std::runtime_error("reference: groups without a size");
  return *size;
}

// What an aggregate of a column can be, where that is obvious; a column without bounds otherwise.
Column MadeColumn(const Question::Item& item, const Policy& policy, std::int64_t most_rows) {
  const Expr& made = item.expr;
  if (made.op == "window") return MadeColumn({made.args[0], item.name}, policy, most_rows);
  const auto rows = static_cast<double>(most_rows);
  Column column;
  column.name = item.name;
  column.type = ColumnType::kReal;
  if (made.op.starts_with("count") || made.op == "row_number") {
    column.type = ColumnType::kInteger;
    column.lower = (made.op == "count_star" || made.op == "row_number") && made.filter.empty() ? 1 : 0;
    column.upper = rows;
    column.required = true;
    return column;
  }
  if (made.op == "bool_or" || made.op == "bool_and") {
    column.type = ColumnType::kBoolean;
    column.values = {false, true};
    return column;
  }
  const Column* of = made.args.empty() ? nullptr : policy.unit_table().Find(made.args[0].name);
  static const std::set<std::string> kKnown = {"sum",     "avg", "min",  "max",         "arg_min",
                                               "arg_max", "lag", "lead", "first_value", "median"};
  if (of == nullptr || !kKnown.contains(made.op)) return column;
  const bool adds = made.op == "sum", average = made.op == "avg" || made.op == "median";
  column.type = average ? ColumnType::kReal : of->type;
  if (!adds && !average) column.values = of->values;
  column.lower = of->lower;
  column.upper = of->upper;
  if (adds) {
    // A column with declared values itself has no bounds.
    double low = of->lower.value_or(0), high = of->upper.value_or(0);
    for (const Value& value : of->values) {
      const double number = static_cast<double>(FromPolicyValue(value, of->type).number);
      low = std::min(low, number);
      high = std::max(high, number);
    }
    column.lower = low < 0 ? rows * low : low;
    column.upper = high > 0 ? rows * high : high;
  }
  const bool may_miss = made.args.size() > 1 || made.op == "lag" || made.op == "lead";
  column.required = of->required && made.filter.empty() && !may_miss;
  return column;
}

// Rows where a condition or a FILTER holds.
bool Holds(const Expr& condition, const TinyTable& table, const Row& read) {
  const Datum value = Eval(condition, table, read);
  return !value.null() && value.number != 0;
}

// Nothing: it depends on which of two rows comes first.
std::optional<Datum> Extreme(const Expr& made, const TinyTable& table, const std::vector<Row>& rows) {
  const bool by_other = made.op.starts_with("arg_"), least = made.op == "min" || made.op == "arg_min";
  std::optional<Datum> best, value;
  for (const Row& row : rows) {
    const Datum x = Eval(made.args[0], table, row), t = by_other ? Eval(made.args[1], table, row) : x;
    if (x.null() || t.null()) continue;
    const int order = best ? CompareNullsLast(t, *best) : 0;
    if (best && order == 0 && !(x == *value)) return std::nullopt;
    if (best && (least ? order >= 0 : order <= 0)) continue;
    best = t;
    value = x;
  }
  return value.value_or(NullDatum());
}

std::optional<Datum> Made(const Expr& made, const TinyTable& table, const std::vector<Row>& all) {
  std::vector<Row> rows;
  for (const Row& row : all)
    if (made.filter.empty() || Holds(made.filter[0], table, row)) rows.push_back(row);
  if (made.op == "count_star") return IntegerDatum(static_cast<long double>(rows.size()));
  if (made.op == "min" || made.op == "max" || made.op.starts_with("arg_")) return Extreme(made, table, rows);
  std::vector<Datum> values;
  for (const Row& row : rows) {
    values.push_back(Eval(made.args.at(0), table, row));
    if (values.back().null()) values.pop_back();
  }
  if (made.op == "count") return IntegerDatum(static_cast<long double>(values.size()));
  if (made.op == "count_distinct")
    return IntegerDatum(static_cast<long double>(std::set<Datum>(values.begin(), values.end()).size()));
  if (values.empty()) return NullDatum();
  long double sum = 0;
  for (const Datum& value : values) sum += value.number;
  const auto count = static_cast<long double>(values.size());
  if (made.op == "sum") return Datum{values[0].kind, sum, {}};
  if (made.op == "avg") return RealDatum(sum / count);
  if (made.op == "median") {
    std::vector<long double> numbers;
    for (const Datum& value : values) numbers.push_back(value.number);
    std::sort(numbers.begin(), numbers.end());
    return RealDatum((numbers[(numbers.size() - 1) / 2] + numbers[numbers.size() / 2]) / 2);
  }
  if (made.op == "bool_or") return BooleanDatum(sum > 0);
  if (made.op == "bool_and") return BooleanDatum(sum == count);
  return std::nullopt;
}

bool IsUnitAggregate(const Expr& expr) {
  static const std::set<std::string> kNames = {"count_star", "count", "count_distinct", "sum",      "avg",
                                               "min",        "max",   "bool_or",        "bool_and", "arg_min",
                                               "arg_max",    "median"};
  return kNames.contains(expr.op);
}

// Row i among the rows of its unit. Nothing: it depends on which of two rows comes first.
std::optional<Datum> Windowed(const Expr& window, const TinyTable& table, const std::vector<Row>& rows, std::size_t i) {
  const Expr& function = window.args[0];
  std::vector<std::size_t> places(rows.size());
  for (std::size_t k = 0; k < rows.size(); ++k) places[k] = k;
  const auto compare = [&](std::size_t a, std::size_t b) {
    for (std::size_t k = 1; k < window.args.size(); ++k) {
      const Expr& by = window.args[k].args[0];
      const int order = CompareNullsLast(Eval(by, table, rows[a]), Eval(by, table, rows[b]));
      if (order != 0) return window.args[k].op == "desc" ? -order : order;
    }
    return 0;
  };
  std::stable_sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) { return compare(a, b) < 0; });
  for (std::size_t k = 0; window.args.size() > 1 && k + 1 < places.size(); ++k)
    if (compare(places[k], places[k + 1]) == 0 && !(rows[places[k]] == rows[places[k + 1]])) return std::nullopt;
  const auto at = static_cast<std::size_t>(std::find(places.begin(), places.end(), i) - places.begin());
  if (function.op == "row_number") return IntegerDatum(static_cast<long double>(at + 1));
  if (function.op == "first_value") return Eval(function.args[0], table, rows[places[0]]);
  if (function.op == "lag" || function.op == "lead") {
    const auto offset = function.args.size() > 1 ? static_cast<std::size_t>(function.args[1].literal.number) : 1;
    if (function.op == "lag")
      return at < offset ? NullDatum() : Eval(function.args[0], table, rows[places[at - offset]]);
    return at + offset < rows.size() ? Eval(function.args[0], table, rows[places[at + offset]]) : NullDatum();
  }
  std::vector<Row> seen;
  for (std::size_t k = 0; k < rows.size(); ++k)
    if (window.args.size() == 1 || k <= at) seen.push_back(rows[places[k]]);
  return Made(function, table, seen);
}

/// One row for each unit with a row that passes, or all of them with windows; or one for each group of units. `key`:
/// the place of the unit's, if it has one. Nothing: some row depends on an order of rows that tie.
std::optional<TinyTable> UnitRows(const Question& question, const Policy& declared, const TinyTable& stored,
                                  const std::optional<std::size_t>& key) {
  const Question& sub = *question.units;
  Policy policy = declared;
  TinyTable table = stored;
  if (sub.units) {
    auto inner = UnitRows(sub, declared, stored, key);
    if (!inner) return std::nullopt;
    policy = SeenBy(sub, declared);
    table = *std::move(inner);
  }
  const bool windows = sub.group_by.empty();
  if (!sub.joins.empty()) throw std::runtime_error("reference: a join inside a sub-select of units");
  Question plain;
  plain.table = sub.table;
  const Reference reference(policy, plain, {});
  std::map<std::vector<Datum>, std::vector<Row>> units, raw;
  for (const Row& row : table.rows) {
    if (key && row[*key].null()) continue;
    const Row read = reference.Read(table, row);
    if (sub.where && !Holds(*sub.where, table, read)) continue;
    std::vector<Datum> unit;
    if (IsOfGroups(sub, declared)) {
      for (const Expr& column : sub.group_by) unit.push_back(Eval(column, table, read));
      if (std::any_of(unit.begin(), unit.end(), [](const Datum& value) { return value.null(); })) continue;
    } else {
      unit.push_back(row[key.value()]);
    }
    units[unit].push_back(read);
    raw[unit].push_back(row);
  }
  // For groups that are larger than declared, what is made is cut, which is not modelled for every expression here.
  for (const auto& [unit, rows] : units) {
    const bool large = IsOfGroups(sub, declared) &&
                       static_cast<std::int64_t>(rows.size()) > SizeOfGroups(sub, declared) * declared.unit.max_rows;
    if (large) return std::nullopt;
  }
  TinyTable made = stored;
  made.rows.clear();
  for (const auto& item : sub.items)
    if (IsMade(item, declared.unit_table())) made.columns.push_back(item.name);
  made.types.resize(made.columns.size(), ColumnType::kReal);
  for (const auto& [unit, rows] : units) {
    for (std::size_t i = 0; i < (windows ? rows.size() : 1); ++i) {
      Row row = raw[unit][i];
      row.resize(stored.columns.size());
      bool undecided = false;
      for (const auto& item : sub.items) {
        if (!IsMade(item, declared.unit_table())) continue;
        row.push_back(EvalWith(item.expr, [&, &rows = rows](const Expr& expr) -> std::optional<Datum> {
          if (expr.op == "column") return Eval(expr, table, rows[i]);
          if (expr.op != "window" && !IsUnitAggregate(expr)) return std::nullopt;
          const auto value = expr.op == "window" ? Windowed(expr, table, rows, i) : Made(expr, table, rows);
          undecided = undecided || !value;
          return value.value_or(NullDatum());
        }));
      }
      if (undecided) return std::nullopt;
      made.rows.push_back(std::move(row));
    }
  }
  return made;
}

}  // namespace

Policy SeenBy(const Question& question, const Policy& policy) {
  Policy seen = policy;
  if (question.units) {
    if (!question.units->group_by.empty()) seen.unit.max_rows = 1;
    std::int64_t most_rows = policy.unit.max_rows;
    if (IsOfGroups(*question.units, policy)) {
      if (question.units->units && !question.units->units->group_by.empty()) most_rows = 1;
      most_rows *= SizeOfGroups(*question.units, policy);
      seen.unit.key.reset();
      seen.unit.within.reset();
    }
    std::vector<std::string> read;
    for (const Question* sub = &*question.units; sub != nullptr; sub = sub->units ? &*sub->units : nullptr) {
      if (sub->where) CollectColumns(*sub->where, read);
    }
    const auto of_unit = [&](const std::string& name) {
      const Column* column = policy.unit_table().Find(name);
      return column != nullptr && IsPublicOfUnit(*column);
    };
    if (!std::all_of(read.begin(), read.end(), of_unit)) seen.unit.presence = Presence::kSecret;
    for (Table& table : seen.tables) {
      if (table.name != policy.unit.table) continue;
      for (const auto& item : question.units->items)
        if (IsMade(item, policy.unit_table())) table.columns.push_back(MadeColumn(item, policy, most_rows));
    }
    return seen;
  }
  if (!AsksForUnits(policy, question)) return seen;
  for (Table& table : seen.tables)
    if (table.name == policy.unit.table) table.name = question.table;
  seen.unit.table = question.table;
  seen.unit.max_rows = 1;
  return seen;
}

std::optional<TinyTable> SeenBy(const Question& question, const Policy& policy, const TinyTable& table) {
  if (!policy.unit.key) return question.units ? UnitRows(question, policy, table, std::nullopt) : table;
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
  if (question.units) return UnitRows(question, policy, table, key);
  if (!of_units) return table;
  first.name = question.table;
  return first;
}

}  // namespace kith::testing
