// count, sum and avg: the counters they need.
#include <fmt/format.h>
#include <pg_query/pg_query.pb-c.h>

#include <algorithm>
#include <cmath>

#include "query/bind/bind_output.h"
#include "query/bind/typing.h"
#include "query/per_unit.h"
#include "sql/functions.h"

namespace kith {
std::string OutputBinder::FilterText(const ExprPtr& filter) const {
  return filter ? fmt::format(" FILTER (WHERE {})", CanonicalText(*filter, rows_.table())) : std::string();
}

// "count", "sum" or "avg" of a value, as a person reads it.
std::string OutputBinder::NameOf(const char* aggregate, const Expr& value, const ExprPtr& filter,
                                 const char* distinct) const {
  const std::string name = fmt::format("{}({}{})", aggregate, distinct, DisplayText(value, rows_.table()));
  return filter ? fmt::format("{} FILTER (WHERE {})", name, DisplayText(*filter, rows_.table())) : name;
}

std::size_t OutputBinder::AddCounter(CounterKind kind, const ExprPtr& value, const ExprPtr& filter,
                                     const std::string& name) {
  std::string text = "count(*)";
  if (kind == CounterKind::kUnits) text = fmt::format("count(DISTINCT {})", IdentifierText(*policy_.unit.key));
  if (kind == CounterKind::kHouseholds) text = fmt::format("count(DISTINCT {})", IdentifierText(*policy_.unit.within));
  if (kind == CounterKind::kSum) text = fmt::format("sum({})", CanonicalText(*value, rows_.table()));
  if (kind == CounterKind::kDistinct) text = fmt::format("count(DISTINCT {})", CanonicalText(*value, rows_.table()));
  Counter counter;
  counter.kind = kind;
  counter.value = value;
  counter.filter = filter;
  counter.text = text + FilterText(filter);
  counter.name = name.empty() ? counter.text : name;
  return AddCounter(std::move(counter));
}

std::size_t OutputBinder::AddCounter(Counter counter) {
  const auto same =
      std::find_if(counters_.begin(), counters_.end(), [&](const Counter& c) { return c.text == counter.text; });
  if (same != counters_.end()) return static_cast<std::size_t>(same - counters_.begin());
  counters_.push_back(std::move(counter));
  return counters_.size() - 1;
}

// count(value): rows where it is not NULL; the test is left out where it cannot fail, so that equal counts are shared.
std::size_t OutputBinder::AddCount(const ExprPtr& value, const ExprPtr& filter) {
  RangeEvaluator evaluator(rows_.table(), columns_);
  if (!evaluator.Evaluate(*value).may_null) return AddCounter(CounterKind::kRows, nullptr, filter);
  const ExprPtr not_null = MakeExpr(Op::kNot, Type::kBoolean, {MakeExpr(Op::kIsNull, Type::kBoolean, {value})});
  const std::size_t k =
      AddCounter(CounterKind::kRows, nullptr, BothConditions(filter, not_null), NameOf("count", *value, filter));
  counters_[k].counted = value;
  counters_[k].other = filter;
  return k;
}

Result<BoundOutput> OutputBinder::BindAggregate(const PgQuery__FuncCall& call, const std::string& name) {
  const std::string where = rows_.At(call.location);
  const FunctionKind kind = FindFunction(name)->kind;
  const bool quantile = kind == FunctionKind::kQuantile;
  if (!quantile && (call.n_agg_order > 0 || call.agg_within_group || call.func_variadic)) {
    return Unsupported("ORDER BY inside an aggregate is not supported", where,
                       "the order does not change a count, sum or average");
  }
  ExprPtr filter;
  if (call.agg_filter) {
    auto bound = rows_.BindCondition(*call.agg_filter);
    if (!bound) return bound.error();
    filter = std::move(*bound);
  }
  if (quantile) return BindQuantile(call, name, filter);
  if (name == "count" && call.agg_star) {
    const std::size_t k = AddCounter(CounterKind::kRows, nullptr, filter);
    return BoundOutput{StatisticOutput(k, true), "count(*)" + FilterText(filter)};
  }
  if (kind == FunctionKind::kSpread) return BindSpread(call, name, filter);
  if (call.n_args != 1) {
    return InvalidArgument(fmt::format("{} takes one argument", name), where,
                           name == "count" ? "write count(*) or count(column)" : "");
  }
  if (name == "count" && call.agg_distinct) return CountDistinct(call, filter);
  if (call.agg_distinct) {
    return Unsupported(fmt::format("{}(DISTINCT ...) is not supported", name), where,
                       "count(DISTINCT column) is; or ask GROUP BY with count(*)");
  }
  if (name == "count") return CountOf(call, filter);
  const auto number = BindSummed(*call.args[0], name, where);
  if (!number) return number.error();
  return name == "sum" ? SumOf(*number, filter, where) : AverageOf(*number, filter, where);
}

Result<ExprPtr> OutputBinder::BindSummed(const PgQuery__Node& node, const std::string& name,
                                         const std::string& where) const {
  const auto value = rows_.Bind(node);
  return value ? Summed(*value, name, where) : value;
}

Result<ExprPtr> OutputBinder::Summed(const ExprPtr& value, const std::string& name, const std::string& where) {
  if (value->type == Type::kDate || value->type == Type::kTimestamp || value->type == Type::kText) {
    return Unsupported(fmt::format("{} is for numbers, not for {}", name, TypeName(value->type)), where,
                       value->type == Type::kText
                           ? "count it instead, with GROUP BY or FILTER"
                           : "subtract a date first: avg(column - DATE '2000-01-01') is in days");
  }
  return MakeNumber(value, where);
}

BoundOutput OutputBinder::CountRows() {
  return {StatisticOutput(AddCounter(CounterKind::kRows, nullptr, nullptr), true), "count(*)"};
}

Result<BoundOutput> OutputBinder::Sum(const ExprPtr& value, const std::string& where) {
  const auto number = Summed(value, "sum", where);
  if (!number) return number.error();
  return SumOf(*number, nullptr, where);
}

Result<BoundOutput> OutputBinder::CountOf(const PgQuery__FuncCall& call, const ExprPtr& filter) {
  const auto value = rows_.Bind(*call.args[0]);
  if (!value) return value.error();
  const std::size_t k = AddCount(*value, filter);
  const std::string text = fmt::format("count({})", CanonicalText(**value, rows_.table()));
  return BoundOutput{StatisticOutput(k, true), text + FilterText(filter)};
}

// Units or households by their keys; otherwise values.
Result<BoundOutput> OutputBinder::CountDistinct(const PgQuery__FuncCall& call, const ExprPtr& filter) {
  const std::string where = rows_.At(call.location);
  const bool household = policy_.unit.level == UnitLevel::kHousehold;
  const std::string key = policy_.unit.key.value_or(std::string());
  if (call.args[0]->node_case == PG_QUERY__NODE__NODE_COLUMN_REF) {
    const auto name = rows_.NameOf(*call.args[0]->column_ref);
    if (!name) return name.error();
    std::string named = *name;
    if (!rows_.scope().is_table) {
      const auto column = rows_.Resolve(*call.args[0]->column_ref);
      // A key that is not declared has no column, but it names the row of a unit.
      const bool is_key = !column && rows_.scope().has_key && FoldCase(*name) == FoldCase(key);
      if (!column && !is_key) return column.error();
      named = is_key                         ? key
              : (*column)->op == Op::kColumn ? rows_.table().columns[(*column)->column].name
                                             : std::string();
    }
    const auto names = [&](const std::string& wanted) {
      return rows_.scope().is_table ? FoldCase(named) == FoldCase(wanted) : named == wanted;
    };
    if (household && names(*policy_.unit.within)) {
      const std::size_t k = AddCounter(CounterKind::kHouseholds, nullptr, filter);
      return BoundOutput{StatisticOutput(k, true),
                         fmt::format("count(DISTINCT {})", IdentifierText(*policy_.unit.within)) + FilterText(filter)};
    }
    // Where rows name two units, rows of many owners change with one unit: keys are values like others [TABLES-3].
    if (!key.empty() && names(key) && !policy_.unit_table().other) {
      // With one row for each unit, units are rows.
      const auto kind = policy_.unit.max_rows == 1 ? CounterKind::kRows : CounterKind::kUnits;
      const std::size_t k = AddCounter(kind, nullptr, filter);
      return BoundOutput{StatisticOutput(k, true),
                         fmt::format("count(DISTINCT {})", IdentifierText(key)) + FilterText(filter)};
    }
  }
  if (policy_.unit.within && call.args[0]->node_case == PG_QUERY__NODE__NODE_COLUMN_REF) {
    const auto name = rows_.NameOf(*call.args[0]->column_ref);
    if (name && FoldCase(*name) == FoldCase(*policy_.unit.within)) {
      return Unsupported("households can be counted DISTINCT in a question about households", where,
                         "ask it about households; their losses are counted beside those of persons")
          .For("request.unit");
    }
  }
  const auto value = rows_.Bind(*call.args[0]);
  if (!value) return value.error();
  const std::size_t k =
      AddCounter(CounterKind::kDistinct, *value, filter, NameOf("count", **value, filter, "DISTINCT "));
  return BoundOutput{StatisticOutput(k, true), counters_[k].text};
}

Result<Range> OutputBinder::BoundedRange(const ExprPtr& value, const std::string& where) const {
  RangeEvaluator evaluator(rows_.table(), columns_);
  const Range range = evaluator.Evaluate(*value);
  if (evaluator.error()) return *evaluator.error();
  constexpr double kLargest = 0x1p400;
  constexpr Int128 kLargestInteger = Int128{1} << 62;
  const bool bounded = value->type == Type::kReal ? range.real_low >= -kLargest && range.real_high <= kLargest
                                                  : range.low >= -kLargestInteger && range.high <= kLargestInteger;
  if (bounded || range.OnlyNull()) return range;
  return Unsupported("the value has no bounds, so one record could change the answer without limit", where,
                     "declare lower and upper for its columns in the policy, or write least(greatest(x, 0), 100)");
}

Result<BoundOutput> OutputBinder::SumOf(const ExprPtr& value, const ExprPtr& filter, const std::string& where) {
  const auto range = BoundedRange(value, where);
  if (!range) return range.error();
  const std::size_t k = AddCounter(CounterKind::kSum, value, filter, NameOf("sum", *value, filter));
  const std::string text = fmt::format("sum({})", CanonicalText(*value, rows_.table()));
  return BoundOutput{StatisticOutput(k, value->type == Type::kInteger), text + FilterText(filter)};
}

Result<Centred> OutputBinder::Centre(const ExprPtr& value, const std::string& where) const {
  const auto range = BoundedRange(value, where);
  if (!range) return range.error();
  Centred centred{value, value, 0, 0, 0};
  ExprPtr middle;
  if (value->type == Type::kInteger) {
    const Int128 sum = range->low + range->high;
    const auto half = static_cast<std::int64_t>(sum >= 0 ? sum / 2 : (sum - 1) / 2);
    middle = MakeConstant(half, Type::kInteger);
    centred.middle = static_cast<double>(half);
    centred.lower = static_cast<double>(range->low);
    centred.upper = static_cast<double>(range->high);
  } else {
    const double half = range->real_low / 2 + range->real_high / 2;
    centred.middle = half == 0 ? 0.0 : half;
    middle = MakeConstant(centred.middle, Type::kReal);
    centred.lower = range->real_low;
    centred.upper = range->real_high;
  }
  if (centred.middle != 0) centred.distance = MakeExpr(Op::kSubtract, value->type, {value, middle});
  return centred;
}

// Rows of groups that come and go would take the middle with them, and a unit may change no more than its own part of
// the row. Claim GROUP-2.
bool OutputBinder::IsAddedUp(const Expr& value, double middle) const {
  const PerUnit* const rows = rows_.scope().per_unit.get();
  if (!rows || !rows->OfGroups() || value.op != Op::kColumn || value.column < rows->first) return false;
  const std::size_t k = value.column - rows->first;
  if (k >= rows->columns.size() || !rows->columns[k].own) return false;
  const bool may_go = rows->unit.presence == Presence::kSecret || !rows_.table().columns[value.column].required;
  const double own = static_cast<double>(*rows->columns[k].own) * rows->columns[k].lattice.step();
  return may_go && own < std::abs(middle);
}

Result<BoundOutput> OutputBinder::AverageOf(const ExprPtr& value, const ExprPtr& filter, const std::string& where) {
  auto centred = Centre(value, where);
  if (!centred) return centred.error();
  if (IsAddedUp(*value, centred->middle)) {
    centred->distance = value;
    centred->middle = 0;
  }
  Mean mean{0, 0, centred->middle, centred->lower, centred->upper};
  mean.sum = MeanDistance(*centred, filter, 0).sum;
  mean.count = AddCount(value, filter);
  return BoundOutput{MeanOutput(mean),
                     fmt::format("avg({})", CanonicalText(*value, rows_.table())) + FilterText(filter)};
}

}  // namespace kith
