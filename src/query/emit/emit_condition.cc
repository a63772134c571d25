// Conditions where only "true" matters: WHERE and FILTER. Tests of one column against constants are written on the
// stored value, so that an engine can skip and compare quickly.
#include <cmath>
#include <limits>
#include <optional>

#include "query/emit/emit.h"
#include "query/range/range.h"

namespace kith {
namespace {

// Is the condition true when its column has this value? Nothing: the last bits of a function decide, and they are the
// engine's.
std::optional<bool> HoldsFor(const Expr& condition, const Table& table, std::size_t column, const Value& value) {
  std::vector<Range> ranges(table.columns.size());
  ranges[column] = RangeOf(table.columns[column], value);
  const Range truth = RangeEvaluator(table, ranges).Evaluate(condition);
  if (truth.may_true && (truth.may_false || truth.may_null)) return std::nullopt;
  return truth.may_true;
}

}  // namespace

// A condition over one column with declared values is a set of these values.
sql::Term RowTerms::ListedCondition(const Expr& condition, std::size_t column) const {
  const Column& c = table_.columns[column];
  std::vector<Value> yes, no;
  for (const Value& value : c.values) {
    const auto holds = HoldsFor(condition, table_, column, value);
    if (!holds) return nullptr;
    (*holds ? yes : no).push_back(TypedValue(c, value));
  }
  const auto otherwise = HoldsFor(condition, table_, column, NeverNull(c) ? c.values[0] : Value{Null{}});
  if (!otherwise) return nullptr;
  std::vector<Value>& listed = *otherwise ? no : yes;
  if (listed.empty()) return sql::Truth(*otherwise);
  const sql::Term in = sql::Paren(sql::In(Raw(column), std::move(listed), TypeOf(c.type)));
  return *otherwise ? sql::Paren(sql::IsNotTrue(in)) : in;
}

// column < constant and the like, strictly inside the bounds: clamping does not change the truth, and NULL is not true.
// Where a missing value is read as the lower bound, it is neither equal to such a constant nor above it. Null: the
// condition is of another kind.
sql::Term RowTerms::BoundedCondition(const Expr& e) const {
  if (e.op != Op::kLess && e.op != Op::kLessEqual && e.op != Op::kEqual) return nullptr;
  const bool column_first = e.args[0]->op == Op::kColumn && e.args[1]->op == Op::kConstant;
  const bool column_last = e.args[1]->op == Op::kColumn && e.args[0]->op == Op::kConstant;
  if (!column_first && !column_last) return nullptr;
  const std::size_t column = e.args[column_first ? 0 : 1]->column;
  const Value& constant = e.args[column_first ? 1 : 0]->value;
  const Column& c = table_.columns[column];
  if (!c.values.empty() || (NeverNull(c) && column_first && e.op != Op::kEqual)) return nullptr;
  const sql::Term raw = Raw(column);
  const auto compare = [&](Type type) {
    const sql::Term value = sql::Literal(constant, type);
    return sql::Infix(InfixText(e.op), column_first ? sql::Terms{raw, value} : sql::Terms{value, raw});
  };
  if (c.type == ColumnType::kInteger) {
    const auto* whole = std::get_if<std::int64_t>(&constant);
    const IntegerBounds bounds = BoundsOf(c);
    if (!whole || *whole <= bounds.low || *whole >= bounds.high) return nullptr;
    return sql::Paren(compare(Type::kInteger));
  }
  const auto* real = std::get_if<double>(&constant);
  const RealBounds bounds = RealBoundsOf(c);
  constexpr double kMax = std::numeric_limits<double>::max();
  const bool inside =
      real && *real > bounds.low && *real < bounds.high && std::abs(*real) >= std::ldexp(1.0, kTinyExponent);
  if (c.type != ColumnType::kReal || !inside) return nullptr;
  // Infinity and NaN are read as NULL: the open side needs a finite end.
  const sql::Term end =
      sql::Infix(column_first ? " >= " : " <= ", {raw, sql::Literal(column_first ? -kMax : kMax, Type::kReal)});
  return sql::Paren(sql::All({compare(Type::kReal), end}));
}

// Where an expression is not NULL. Operations that are NULL only with an argument are looked through.
sql::Term RowTerms::NotNull(const Expr& e) const {
  switch (e.op) {
    case Op::kAdd:
    case Op::kSubtract:
    case Op::kMultiply:
    case Op::kNegate:
    case Op::kAbs:
    case Op::kFloor:
    case Op::kCeil:
    case Op::kRound:
    case Op::kToReal:
    case Op::kToInteger: {
      sql::Terms tests;
      for (const auto& arg : e.args) tests.push_back(NotNull(*arg));
      return sql::Paren(sql::All(std::move(tests)));
    }
    case Op::kConstant:
      return sql::Truth(!IsNullConstant(e));
    case Op::kColumn:
      return NotNullColumn(e.column);
    default:
      return sql::Paren(sql::IsNotNull(Of(e)));
  }
}

sql::Term RowTerms::Condition(const Expr& e) const {
  if (e.op == Op::kAnd || e.op == Op::kOr) {
    sql::Terms parts;
    for (const auto& arg : e.args) parts.push_back(Condition(*arg));
    return sql::Paren(sql::Infix(InfixText(e.op), std::move(parts)));
  }
  const auto column = OnlyColumn(e);
  if (column && !table_.columns[*column].values.empty()) {
    if (auto listed = ListedCondition(e, *column)) return listed;
  }
  if (auto bounded = BoundedCondition(e)) return bounded;
  if (e.op == Op::kNot && e.args[0]->op == Op::kIsNull) return NotNull(*e.args[0]->args[0]);
  return Of(e);
}

}  // namespace kith
