// Enumeration of all records of one unit, and the largest change between two of them.
#include "tests/support/tiny_db_neighbours.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>

namespace kith::testing {
namespace {

using Kind = Datum::Kind;
using Sparse = std::map<std::size_t, long double>;  // group -> contribution, zeros left out

void AddNumber(std::vector<Datum>& out, ColumnType type, long double value) {
  switch (type) {
    case ColumnType::kInteger:
      return out.push_back(IntegerDatum(std::round(value)));
    case ColumnType::kReal:
      return out.push_back(RealDatum(value));
    case ColumnType::kDate:
      return out.push_back(DateDatum(std::round(value)));
    case ColumnType::kTimestamp:
      return out.push_back(TimestampDatum(std::round(value)));
    default:
      return;
  }
}

/// A literal as a value of the column's type, or nothing.
std::optional<Datum> Aligned(const Datum& literal, ColumnType type) {
  const bool dated = type == ColumnType::kDate || type == ColumnType::kTimestamp;
  if (literal.kind == Kind::kText && type == ColumnType::kText) return literal;
  if (literal.kind == Kind::kText && dated && literal.text.size() >= 10 && literal.text[4] == '-')
    return FromText(literal.text, type);
  if (literal.kind == Kind::kDate && type == ColumnType::kDate) return literal;
  if (literal.kind == Kind::kTimestamp && type == ColumnType::kTimestamp) return literal;
  if (literal.numeric() && (type == ColumnType::kInteger || type == ColumnType::kReal)) return literal;
  return std::nullopt;
}

Sparse Plus(const Sparse& a, const Sparse& b, bool distinct) {
  Sparse sum = a;
  for (const auto& [group, value] : b) {
    sum[group] = distinct ? std::max(sum[group], value) : sum[group] + value;
    if (sum[group] == 0) sum.erase(group);
  }
  return sum;
}

long double Distance(const Sparse& a, const Sparse& b) {
  long double distance = 0;
  for (const auto& [group, value] : a) {
    const auto other = b.find(group);
    distance += std::fabs(value - (other == b.end() ? 0 : other->second));
  }
  for (const auto& [group, value] : b)
    if (a.find(group) == a.end()) distance += std::fabs(value);
  return distance;
}

Sparse SparseOf(const RowEffect& effect, const Expr& aggregate, std::size_t index) {
  if (!effect.counted || effect.values[index].null()) return {};
  const long double value = aggregate.op == "sum" ? effect.values[index].number : 1;
  return value == 0 ? Sparse{} : Sparse{{effect.group, value}};
}

/// What a unit's record can add to one statistic, over all records.
std::set<Sparse> AllContributions(const Policy& policy, const std::set<RowEffect>& effects, const Expr& aggregate,
                                  std::size_t index) {
  std::set<Sparse> one_row;
  for (const RowEffect& effect : effects) one_row.insert(SparseOf(effect, aggregate, index));
  std::set<Sparse> all = one_row;
  std::set<Sparse> last = one_row;
  for (std::int64_t rows = 2; rows <= policy.unit.max_rows; ++rows) {
    std::set<Sparse> next;
    for (const Sparse& a : last)
      for (const Sparse& b : one_row) next.insert(Plus(a, b, aggregate.op == "count_distinct"));
    all.insert(next.begin(), next.end());
    last = std::move(next);
  }
  if (policy.unit.presence == Presence::kSecret) all.insert(Sparse{});
  return all;
}

bool CellHas(const Policy& policy, std::size_t cell, const TinyTable& table, const Row& read,
             const std::vector<bool>& fixed) {
  for (std::size_t k = 0; k < policy.cells.columns().size(); ++k) {
    const std::string& name = policy.cells.columns()[k].name;
    const auto at =
        static_cast<std::size_t>(std::find(table.columns.begin(), table.columns.end(), name) - table.columns.begin());
    if (fixed[at] && !(FromPolicyValue(policy.cells.At(cell, k), table.types[at]) == read[at])) return false;
  }
  return true;
}

}  // namespace

TinyTable EmptyTable(const Table& table) {
  TinyTable empty{table.name, {}, {}, {}};
  for (const Column& column : table.columns) {
    empty.columns.push_back(column.name);
    empty.types.push_back(column.type);
  }
  return empty;
}

std::vector<std::size_t> UsedColumns(const Table& table, const Reference& reference) {
  std::vector<std::string> names;
  const Question& question = reference.question();
  if (question.where) CollectColumns(*question.where, names);
  for (const Expr& key : question.group_by) CollectColumns(key, names);
  for (const auto& item : question.items) CollectColumns(item.expr, names);
  for (const Expr& aggregate : reference.aggregates()) CollectColumns(aggregate, names);
  std::vector<std::size_t> used;
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    if (std::find(names.begin(), names.end(), table.columns[i].name) != names.end()) used.push_back(i);
  return used;
}

std::vector<Datum> LiteralsOf(const Reference& reference) {
  std::vector<Datum> literals;
  if (reference.question().where) CollectLiterals(*reference.question().where, literals);
  for (const Expr& aggregate : reference.aggregates()) CollectLiterals(aggregate, literals);
  return literals;
}

std::vector<Datum> Candidates(const Column& column, const std::vector<Datum>& literals) {
  std::vector<Datum> out = {NullDatum()};
  const long double infinity = std::numeric_limits<long double>::infinity();
  if (column.type == ColumnType::kBoolean) out.insert(out.end(), {BooleanDatum(false), BooleanDatum(true)});
  if (column.type == ColumnType::kText) out.push_back(TextDatum("undeclared"));
  if (column.type == ColumnType::kReal)
    out.insert(out.end(),
               {RealDatum(infinity - infinity), RealDatum(infinity), RealDatum(-infinity), RealDatum(-0.0L)});
  if (column.lower) {
    const long double low = *column.lower;
    const long double high = *column.upper;
    for (const long double value : {low, high, low - 1, high + 1, std::floor((low + high) / 2)})
      AddNumber(out, column.type, value);
    if (low < 0 && high > 0) AddNumber(out, column.type, 0);
  }
  for (const Value& value : column.values)
    if (column.type != ColumnType::kBoolean) out.push_back(FromPolicyValue(value, column.type));
  if (!column.values.empty() && (column.type == ColumnType::kInteger || column.type == ColumnType::kReal))
    AddNumber(out, column.type, 987654);
  if (column.values.empty())
    for (const Datum& literal : literals)
      if (const auto aligned = Aligned(literal, column.type)) {
        out.push_back(*aligned);
        if (aligned->kind == Kind::kText) continue;
        AddNumber(out, column.type, aligned->number - 1);
        AddNumber(out, column.type, aligned->number + 1);
      }
  std::set<Datum> once(out.begin(), out.end());
  return {once.begin(), once.end()};
}

BruteForce TryAllNeighbours(const Policy& policy, const Reference& reference) {
  const Table& declared = policy.unit_table();
  TinyTable table = EmptyTable(declared);
  const std::vector<Datum> literals = LiteralsOf(reference);
  std::vector<std::vector<Datum>> public_values(table.columns.size(), {NullDatum()});
  std::vector<std::vector<Datum>> secret_values = public_values;
  std::vector<bool> fixed(table.columns.size(), false);
  for (const std::size_t i : UsedColumns(declared, reference)) {
    const Column& column = declared.columns[i];
    if (policy.unit.key && column.name == *policy.unit.key) {
      // The key names the unit: it is there, and a replaced record keeps it.
      public_values[i] = {column.type == ColumnType::kText ? TextDatum("k") : IntegerDatum(1)};
      continue;
    }
    (column.is_public ? public_values : secret_values)[i] = Candidates(column, literals);
    fixed[i] = column.is_public;
  }
  BruteForce result{std::vector<long double>(reference.aggregates().size(), 0),
                    std::vector<bool>(policy.cells.size(), false)};
  Row public_row(table.columns.size());
  ForEachTuple(public_values, public_row, 0, [&](const Row& open) {
    std::set<RowEffect> effects;
    Row secret_row(table.columns.size());
    ForEachTuple(secret_values, secret_row, 0, [&](const Row& hidden) {
      Row row = open;
      for (std::size_t i = 0; i < row.size(); ++i)
        if (secret_values[i].size() > 1) row[i] = hidden[i];
      effects.insert(reference.Effect(table, row));
    });
    bool changes = false;
    for (std::size_t a = 0; a < reference.aggregates().size(); ++a) {
      const std::set<Sparse> all = AllContributions(policy, effects, reference.aggregates()[a], a);
      for (auto left = all.begin(); left != all.end(); ++left)
        for (auto right = std::next(left); right != all.end(); ++right)
          result.sensitivity[a] = std::max(result.sensitivity[a], Distance(*left, *right));
      if (all.size() > 1) changes = true;
    }
    if (!changes) return;
    const Row read = reference.Read(table, open);
    for (std::size_t cell = 0; cell < result.changed.size(); ++cell)
      if (CellHas(policy, cell, table, read, fixed)) result.changed[cell] = true;
  });
  return result;
}

}  // namespace kith::testing
