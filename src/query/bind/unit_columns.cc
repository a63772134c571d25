#include "query/bind/unit_columns.h"

#include <fmt/format.h>
#include <pg_query/pg_query.pb-c.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/digest.h"
#include "policy/per_row.h"
#include "query/bind/finite_values.h"
#include "query/bind/typing.h"
#include "query/bounds.h"

namespace kith {
namespace {

std::vector<Range> RangesOf(const Table& table) {
  std::vector<Range> ranges;
  for (const Column& column : table.columns) ranges.push_back(RangeOf(column));
  return ranges;
}

// Identifiers have at most 63 bytes where questions are parsed: longer text is distinguished by its digest.
std::string NameFor(const std::string& text, const Table& table) {
  constexpr std::size_t kMost = 60, kKept = 40;
  std::string name = text;
  if (name.size() > kMost || !std::all_of(name.begin(), name.end(), [](char c) { return c >= ' ' && c <= '~'; })) {
    std::string plain;
    for (const char c : name.substr(0, kKept)) plain += c >= ' ' && c <= '~' ? c : '_';
    name = plain + " " + Sha256(text).substr(0, 12);
  }
  const auto taken = [&](const std::string& wanted) {
    return std::any_of(table.columns.begin(), table.columns.end(),
                       [&](const Column& column) { return FoldCase(column.name) == FoldCase(wanted); });
  };
  while (taken(name)) name += "_";
  return name;
}

// One value of x in a unit's row: its type, and what it can be.
Column ColumnLike(const ExprPtr& value, const Range& range, const Table& table, const std::vector<Range>& ranges) {
  static const std::map<Type, ColumnType> kTypes = {
      {Type::kBoolean, ColumnType::kBoolean}, {Type::kInteger, ColumnType::kInteger},
      {Type::kReal, ColumnType::kReal},       {Type::kText, ColumnType::kText},
      {Type::kDate, ColumnType::kDate},       {Type::kTimestamp, ColumnType::kTimestamp}};
  constexpr Int128 kLargestInteger = Int128{1} << 62;
  constexpr double kLargestReal = 0x1p400;
  Column column;
  column.type = kTypes.at(value->type);
  if (value->op == Op::kColumn) {
    const Column& read = table.columns[value->column];
    column.values = read.values;
    column.lower = read.lower;
    column.upper = read.upper;
    return column;
  }
  switch (value->type) {
    case Type::kBoolean:
      column.values = {false, true};
      break;
    case Type::kText:
      if (auto image = ImageOf(*value, table, ranges)) column.values = std::move(image->values);
      break;
    case Type::kReal:
      if (range.real_low >= -kLargestReal) column.lower = range.real_low;
      if (range.real_high <= kLargestReal) column.upper = range.real_high;
      break;
    default:
      if (range.low >= -kLargestInteger) column.lower = static_cast<double>(range.low);
      if (range.high <= kLargestInteger) column.upper = static_cast<double>(range.high);
  }
  return column;
}

}  // namespace

UnitColumns::UnitColumns(const Policy& policy, const RowBinder& rows, Table& result, PerUnit& per_unit)
    : policy_(policy),
      rows_(rows),
      ranges_(RangesOf(rows.table())),
      table_(result),
      per_unit_(per_unit),
      reads_(rows.table()) {
  const auto seen = std::make_shared<Policy>();
  seen->tables = {rows.table()};
  per_unit.rows = rows.scope().per_unit;
  seen->unit = per_unit.rows ? per_unit.rows->unit : policy.unit;
  seen->cells = policy.cells;
  seen->stream = policy.stream;
  CountJoinedRows(rows.scope().joins, *seen);
  per_unit.policy = seen;
  per_unit.first = policy.unit_table().columns.size();
}

namespace {

Error Unbounded(const std::string& where) {
  return Unsupported("the value has no bounds, so one record could change the answer without limit", where,
                     "declare lower and upper for its columns in the policy, or write least(greatest(x, 0), 100)");
}

}  // namespace

std::optional<UnitAggregate> UnitColumns::KindOf(const std::string& function) {
  static const std::map<std::string, UnitAggregate> kNames = {
      {"count", UnitAggregate::kCount},  {"sum", UnitAggregate::kSum},      {"avg", UnitAggregate::kAverage},
      {"min", UnitAggregate::kMin},      {"max", UnitAggregate::kMax},      {"bool_or", UnitAggregate::kAny},
      {"bool_and", UnitAggregate::kAll}, {"every", UnitAggregate::kAll},    {"arg_min", UnitAggregate::kFirst},
      {"min_by", UnitAggregate::kFirst}, {"arg_max", UnitAggregate::kLast}, {"max_by", UnitAggregate::kLast},
      {"median", UnitAggregate::kMedian}};
  const auto found = kNames.find(function);
  return found == kNames.end() ? std::nullopt : std::optional(found->second);
}

bool UnitColumns::IsKey(const Expr& expr) const {
  if (expr.op != Op::kColumn) return false;
  const Column& read = rows_.table().columns[expr.column];
  return OwnerOf(read).empty() && read.name == policy_.unit.key;
}

bool UnitColumns::IsPublic(const ExprPtr& expr) const {
  bool all = true;
  if (expr) ForEachColumn(*expr, [&](std::size_t k) { all = all && IsPublicOfUnit(rows_.table().columns[k]); });
  return all;
}

bool UnitColumns::IsOneForUnit(const Expr& expr) const {
  if (expr.op != Op::kColumn) return false;
  const Column& read = rows_.table().columns[expr.column];
  return OwnerOf(read).empty() && (IsPublicOfUnit(read) || read.constant);
}

bool UnitColumns::IsOfOneRow(const Expr& expr) const {
  if (expr.op != Op::kColumn || expr.column >= per_unit_.first || policy_.unit.max_rows != 1) return false;
  return !policy_.stream && !per_unit_.rows && OwnerOf(rows_.table().columns[expr.column]).empty();
}

void UnitColumns::Divide(const ExprPtr& condition, ExprPtr& of_units) {
  if (!condition) return;
  if (condition->op == Op::kAnd) {
    for (const ExprPtr& arg : condition->args) Divide(arg, of_units);
    return;
  }
  bool of_unit = true;
  ForEachColumn(*condition, [&](std::size_t k) {
    const Column& column = rows_.table().columns[k];
    of_unit = of_unit && k < per_unit_.first && IsPublicOfUnit(column);
  });
  ExprPtr& to = of_unit ? of_units : per_unit_.where;
  to = BothConditions(to, condition);
}

Result<void> UnitColumns::CheckNumbers(const ExprPtr& expr) {
  if (!expr) return {};
  if (const auto error = reads_.Add(*expr)) return *error;
  if (WeightOf(*expr).TooLarge()) return GrowsTooLarge();
  RangeEvaluator evaluator(rows_.table(), ranges_);
  evaluator.Evaluate(*expr);
  if (evaluator.error()) return *evaluator.error();
  return {};
}

Result<UnitColumn> UnitColumns::Bind(const PgQuery__FuncCall& call, UnitAggregate kind,
                                     const std::string& where) const {
  const std::string name = PlainName(call.funcname, call.n_funcname);
  const bool ordered = kind == UnitAggregate::kFirst || kind == UnitAggregate::kLast;
  const bool distinct = call.agg_distinct != 0;
  if (call.n_agg_order > 0 || call.agg_within_group || call.func_variadic) {
    return Unsupported("ORDER BY inside an aggregate is not supported", where,
                       "write arg_min(x, t) for the first x by t, arg_max(x, t) for the last");
  }
  if (distinct && name != "count") {
    return Unsupported(fmt::format("{}(DISTINCT ...) is not supported", name), where, "leave DISTINCT out");
  }
  UnitColumn column;
  column.kind = distinct ? UnitAggregate::kDistinct : kind;
  if (call.agg_filter) {
    auto filter = rows_.BindCondition(*call.agg_filter);
    if (!filter) return filter.error();
    column.filter = std::move(*filter);
  }
  if (!(name == "count" && call.agg_star)) {
    const std::size_t wanted = ordered ? 2 : 1;
    if (call.n_args != wanted) {
      return InvalidArgument(fmt::format("{} takes {}", name, ordered ? "two arguments" : "one argument"), where,
                             ordered ? fmt::format("write {}(x, t): x where t is {}", name,
                                                   kind == UnitAggregate::kFirst ? "least" : "largest")
                                     : "");
    }
    auto value = rows_.Bind(*call.args[0]);
    if (!value) return value.error();
    column.value = std::move(*value);
  }
  if (ordered) {
    auto by = rows_.Bind(*call.args[1]);
    if (!by) return by.error();
    if ((*by)->type == Type::kBoolean || (*by)->type == Type::kNull)
      return Unsupported(fmt::format("{} needs something to order rows by", name), where, "write a number or a date");
    column.by = std::move(*by);
  }
  const bool numbers = kind == UnitAggregate::kSum || kind == UnitAggregate::kAverage;
  if (numbers) {
    const auto number = MakeNumber(column.value, where);
    if (!number) return number.error();
    column.value = *number;
  }
  if (kind == UnitAggregate::kMedian) {
    const auto number = MakeNumber(column.value, where);
    if (!number) return number.error();
    column.value = (*number)->type == Type::kReal ? *number : MakeExpr(Op::kToReal, Type::kReal, {*number});
    column.by = column.value;
  }
  if (kind == UnitAggregate::kAny || kind == UnitAggregate::kAll) {
    const auto truth = MakeTruth(column.value, where);
    if (!truth) return truth.error();
    column.value = *truth;
  }
  if ((kind == UnitAggregate::kMin || kind == UnitAggregate::kMax) && column.value->type == Type::kBoolean)
    return Unsupported(fmt::format("{} is not for truth values", name), where, "write bool_or(x) or bool_and(x)");
  return column;
}

std::string UnitColumns::TextOf(const UnitColumn& column) const {
  static const std::map<UnitAggregate, const char*> kNames = {{UnitAggregate::kCount, "count"},
                                                              {UnitAggregate::kDistinct, "count"},
                                                              {UnitAggregate::kSum, "sum"},
                                                              {UnitAggregate::kAverage, "avg"},
                                                              {UnitAggregate::kMin, "min"},
                                                              {UnitAggregate::kMax, "max"},
                                                              {UnitAggregate::kAny, "bool_or"},
                                                              {UnitAggregate::kAll, "bool_and"},
                                                              {UnitAggregate::kFirst, "arg_min"},
                                                              {UnitAggregate::kLast, "arg_max"},
                                                              {UnitAggregate::kMedian, "median"},
                                                              {UnitAggregate::kLag, "lag"},
                                                              {UnitAggregate::kLead, "lead"},
                                                              {UnitAggregate::kRowNumber, "row_number"},
                                                              {UnitAggregate::kFirstValue, "first_value"}};
  const auto text = [&](const ExprPtr& expr) { return CanonicalText(*expr, rows_.table()); };
  std::string written =
      fmt::format("{}({}{}", kNames.at(column.kind), column.kind == UnitAggregate::kDistinct ? "DISTINCT " : "",
                  column.value                               ? text(column.value)
                  : column.kind == UnitAggregate::kRowNumber ? ""
                                                             : "*");
  if (column.kind == UnitAggregate::kLag || column.kind == UnitAggregate::kLead)
    written += fmt::format(", {}", column.offset);
  if (column.by && column.kind != UnitAggregate::kMedian) written += ", " + text(column.by);
  written += ")";
  if (column.filter) written += fmt::format(" FILTER (WHERE {})", text(column.filter));
  if (!per_unit_.windows) return written;
  written += fmt::format(" OVER (PARTITION BY {}", IdentifierText(*policy_.unit.key));
  for (std::size_t k = 0; k < column.order.size(); ++k) {
    written += fmt::format("{}{}{}", k == 0 ? " ORDER BY " : ", ", text(column.order[k].by),
                           column.order[k].descending ? " DESC" : "");
  }
  return written + ")";
}

Result<ExprPtr> UnitColumns::Add(UnitColumn column, const std::string& where) {
  for (const ExprPtr& expr : {column.value, column.by, column.filter}) {
    const auto checked = CheckNumbers(expr);
    if (!checked) return checked.error();
  }
  for (const WindowOrder& order : column.order) {
    const auto checked = CheckNumbers(order.by);
    if (!checked) return checked.error();
  }
  column.text = TextOf(column);
  const auto same = std::find_if(per_unit_.columns.begin(), per_unit_.columns.end(),
                                 [&](const UnitColumn& other) { return other.text == column.text; });
  const auto position = static_cast<std::size_t>(same - per_unit_.columns.begin());
  if (same == per_unit_.columns.end()) {
    auto declared = Declared(column, where);
    if (!declared) return declared.error();
    if (per_unit_.OfGroups()) SetOwn(column, *declared);
    declared->name = NameFor(column.text, table_);
    table_.columns.push_back(std::move(*declared));
    per_unit_.columns.push_back(std::move(column));
  }
  return MakeColumn(table_, per_unit_.first + position);
}

// Of a group's row: what a unit can change, and whether that is nothing. Claim GROUP-2.
void UnitColumns::SetOwn(UnitColumn& column, Column& declared) const {
  const Unit& unit = per_unit_.policy->unit;
  const Int128 rows = unit.max_rows;
  // The unit has one row, before and after, and it passes.
  const bool fixed = rows == 1 && unit.presence == Presence::kPublic && IsPublic(per_unit_.where);
  const bool counts = column.kind == UnitAggregate::kCount || column.kind == UnitAggregate::kDistinct;
  declared.is_public = fixed && IsPublic(column.value) && IsPublic(column.by) && IsPublic(column.filter);
  if (declared.is_public) {
    column.own = 0;
  } else if (counts) {
    column.own = rows;
  } else if (column.kind == UnitAggregate::kSum) {
    const bool added = fixed && declared.required;
    const Int128 low = added ? column.low : std::min<Int128>(column.low, 0);
    const Int128 high = added ? column.high : std::max<Int128>(column.high, 0);
    column.own = rows * (high - low);
  }
}

// What the aggregate can be, of 1 to max_rows rows: the bounds to which it is cut where it is read.
Result<Column> UnitColumns::Declared(UnitColumn& column, const std::string& where) const {
  const Int128 rows = per_unit_.MostRows();
  Range value;
  RangeEvaluator evaluator(rows_.table(), ranges_);
  if (column.value) value = evaluator.Evaluate(*column.value);
  if (column.by) value.may_null = value.may_null || evaluator.Evaluate(*column.by).may_null;
  if (evaluator.error()) return *evaluator.error();
  const bool may_be_none = column.filter || value.may_null;
  Column declared;
  if (column.kind == UnitAggregate::kCount || column.kind == UnitAggregate::kDistinct ||
      column.kind == UnitAggregate::kRowNumber) {
    declared.type = ColumnType::kInteger;
    declared.lower = may_be_none ? 0 : 1;
    declared.upper = static_cast<double>(rows);
    declared.required = true;
    return declared;
  }
  if (!value.may_value) return Unsupported("this is always NULL", where, "leave it out");
  if (column.kind == UnitAggregate::kSum || column.kind == UnitAggregate::kAverage) {
    evaluator.CheckDivisors(*column.value);
    if (evaluator.error()) return *evaluator.error();
    auto summed = Summed(column, value, where);
    if (!summed) return summed;
    declared = *std::move(summed);
  } else if (column.kind == UnitAggregate::kMedian) {
    constexpr double kLargest = 0x1p400;
    if (value.real_low < -kLargest || value.real_high > kLargest) return Unbounded(where);
    declared.type = ColumnType::kReal;  // it need not be one of the declared values
    declared.lower = value.real_low;
    declared.upper = value.real_high;
  } else {
    declared = ColumnLike(column.value, value, rows_.table(), ranges_);
  }
  // Before the first row and after the last there is none.
  declared.required = !may_be_none && column.kind != UnitAggregate::kLag && column.kind != UnitAggregate::kLead;
  return declared;
}

// The lattice of a sum, and its ends.
Result<Column> UnitColumns::Summed(UnitColumn& column, const Range& value, const std::string& where) const {
  constexpr double kLargest = 0x1p400, kExact = 0x1p53;
  constexpr Int128 kLargestInteger = Int128{1} << 62;
  constexpr int kBits = 30, kSmallestExponent = -900;
  const Int128 rows = per_unit_.MostRows();
  const bool real = column.value->type == Type::kReal;
  const Error unbounded = Unbounded(where);
  if (real) {
    if (value.real_low < -kLargest || value.real_high > kLargest) return unbounded;
    const double reach = std::max(std::abs(value.real_low), std::abs(value.real_high));
    if (reach > 0) column.lattice.exponent = std::max(kSmallestExponent, std::ilogb(reach) + 1 - kBits);
    column.low = Quantise(value.real_low, column.lattice);
    column.high = Quantise(value.real_high, column.lattice);
  } else {
    column.low = value.low;
    column.high = value.high;
  }
  const auto in_range = [&](Int128 steps) { return steps >= -kLargestInteger && steps <= kLargestInteger; };
  if (!in_range(column.low) || !in_range(column.high)) return unbounded;
  const Int128 low = column.low < 0 ? rows * column.low : column.low;
  const Int128 high = column.high > 0 ? rows * column.high : column.high;
  if (!in_range(low) || !in_range(high) || (real && static_cast<double>(std::max(-low, high)) >= kExact)) {
    return Unsupported(
        fmt::format("the sum over {} rows could become too large", per_unit_.OfGroups() ? "a group's" : "a unit's"),
        where, "declare tighter bounds, or a smaller max_rows, in the policy");
  }
  const bool average = column.kind == UnitAggregate::kAverage;
  Column declared;
  declared.type = real || average ? ColumnType::kReal : ColumnType::kInteger;
  const double step = column.lattice.step();
  declared.lower = static_cast<double>(average ? column.low : low) * step;
  declared.upper = static_cast<double>(average ? column.high : high) * step;
  return declared;
}

namespace {

std::set<std::size_t> ReadBy(const PerUnit& per_unit, const std::set<std::size_t>& used) {
  std::set<std::size_t> read;
  const auto add = [&](const ExprPtr& expr) {
    if (expr) ForEachColumn(*expr, [&](std::size_t column) { read.insert(column); });
  };
  for (const std::size_t k : used) {
    if (k < per_unit.first) read.insert(k);
    if (k < per_unit.first || k >= per_unit.first + per_unit.columns.size()) continue;
    const UnitColumn& column = per_unit.columns[k - per_unit.first];
    for (const ExprPtr& expr : {column.value, column.by, column.filter}) add(expr);
    for (const WindowOrder& order : column.order) add(order.by);
  }
  add(per_unit.where);
  read.insert(per_unit.groups.begin(), per_unit.groups.end());
  for (const TableJoin& join : per_unit.joins) add(join.on);
  return read;
}

}  // namespace

std::string PerUnit::Text(const std::set<std::size_t>& used, const Table& table) const {
  const Table& source = policy->unit_table();
  std::string keys = OfGroups() ? "" : IdentifierText(*policy->unit.key);
  for (std::size_t k = 0; k < first; ++k) {
    const bool grouped = std::find(groups.begin(), groups.end(), k) != groups.end();
    if (!grouped && (OfGroups() || !used.contains(k) || table.columns[k].name == policy->unit.key)) continue;
    keys += (keys.empty() ? "" : ", ") + IdentifierText(table.columns[k].name);
  }
  std::string items = keys;
  std::map<std::string, std::size_t> aggregates;  // in the order of their text
  for (std::size_t k = 0; k < columns.size(); ++k) {
    if (used.contains(first + k)) aggregates.emplace(columns[k].text, k);
  }
  for (const auto& [text, k] : aggregates) {
    items += fmt::format(", {} AS {}", text, IdentifierText(table.columns[first + k].name));
  }
  std::string written = fmt::format("SELECT {} FROM ", items);
  written += rows ? fmt::format("({}) AS kept", rows->Text(ReadBy(*this, used), source)) : IdentifierText(source.name);
  for (const TableJoin& join : joins) {
    const std::string alias = join.owner == join.table ? "" : " AS " + IdentifierText(join.owner);
    written += fmt::format("{} JOIN {}{} ON {} = {}", join.inner ? "" : " LEFT", IdentifierText(join.table), alias,
                           CanonicalText(*join.on, source), CanonicalText(*join.key_column, source));
  }
  if (where) written += " WHERE " + CanonicalText(*where, source);
  return windows ? written : fmt::format("{} GROUP BY {}", written, keys);
}

bool PerUnit::HasIdleWindows(const std::set<std::size_t>& used) const {
  const auto made = used.lower_bound(first);
  if (windows && (made == used.end() || *made >= first + columns.size())) return true;
  return rows && rows->HasIdleWindows(ReadBy(*this, used));
}

}  // namespace kith
