// Conditions where only "true" matters: WHERE and FILTER. Tests of one column against constants are written on the
// stored value, so that an engine can skip and compare quickly.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "query/emit/emit.h"
#include "query/range/range.h"

namespace kith {
namespace {

// The only column that the expression reads.
std::optional<std::size_t> OnlyColumn(const Expr& expr) {
  std::optional<std::size_t> only;
  bool several = false;
  ForEachColumn(expr, [&](std::size_t column) {
    several = several || (only && *only != column);
    only = column;
  });
  return several ? std::nullopt : only;
}

// Is the condition true when its column has this value?
bool HoldsFor(const Expr& condition, const Table& table, std::size_t column, const Value& value) {
  std::vector<Range> ranges(table.columns.size());
  ranges[column] = RangeOf(table.columns[column], value);
  const Range truth = RangeEvaluator(table, ranges).Evaluate(condition);
  return truth.may_true && !truth.may_false && !truth.may_null;
}

}  // namespace

// A condition over one column with declared values is a set of these values.
std::string ExprWriter::WriteListedCondition(const Expr& condition, std::size_t column) const {
  const Column& c = table_.columns[column];
  std::string yes, no;
  for (const Value& value : c.values) {
    std::string& list = HoldsFor(condition, table_, column, value) ? yes : no;
    list += (list.empty() ? "" : ", ") + Literal(TypedValue(c, value), TypeOf(c.type));
  }
  const bool otherwise = HoldsFor(condition, table_, column, NeverNull(c) ? c.values[0] : Value{Null{}});
  if (otherwise) return no.empty() ? "TRUE" : fmt::format("(({} IN ({})) IS NOT TRUE)", Raw(column), no);
  return yes.empty() ? "FALSE" : fmt::format("({} IN ({}))", Raw(column), yes);
}

// column < constant and the like, strictly inside the bounds: clamping does not change the truth, and NULL is not true.
std::optional<std::string> ExprWriter::WriteBoundedCondition(const Expr& e) const {
  if (e.op != Op::kLess && e.op != Op::kLessEqual && e.op != Op::kEqual) return std::nullopt;
  const bool column_first = e.args[0]->op == Op::kColumn && e.args[1]->op == Op::kConstant;
  const bool column_last = e.args[1]->op == Op::kColumn && e.args[0]->op == Op::kConstant;
  if (!column_first && !column_last) return std::nullopt;
  const std::size_t column = e.args[column_first ? 0 : 1]->column;
  const Value& constant = e.args[column_first ? 1 : 0]->value;
  const Column& c = table_.columns[column];
  if (!c.values.empty() || NeverNull(c)) return std::nullopt;
  const char* const sign = e.op == Op::kLess ? "<" : e.op == Op::kLessEqual ? "<=" : "=";
  const std::string raw = Raw(column);
  const auto compare = [&](const std::string& value) {
    return column_first ? fmt::format("{} {} {}", raw, sign, value) : fmt::format("{} {} {}", value, sign, raw);
  };
  if (c.type == ColumnType::kInteger) {
    const auto* whole = std::get_if<std::int64_t>(&constant);
    const IntegerBounds bounds = BoundsOf(c);
    if (!whole || *whole <= bounds.low || *whole >= bounds.high) return std::nullopt;
    return "(" + compare(Literal(constant, Type::kInteger)) + ")";
  }
  const auto* real = std::get_if<double>(&constant);
  const RealBounds bounds = RealBoundsOf(c);
  constexpr double kMax = std::numeric_limits<double>::max();
  const bool inside =
      real && *real > bounds.low && *real < bounds.high && std::abs(*real) >= std::ldexp(1.0, kTinyExponent);
  if (c.type != ColumnType::kReal || !inside) return std::nullopt;
  // Infinity and NaN read as NULL: the open side needs a finite end.
  const std::string end = column_first ? fmt::format("{} >= {}", raw, Literal(-kMax, Type::kReal))
                                       : fmt::format("{} <= {}", raw, Literal(kMax, Type::kReal));
  return fmt::format("({} AND {})", compare(Literal(constant, Type::kReal)), end);
}

// Where an expression is not NULL. Operations that are NULL only with an argument are looked through.
std::string ExprWriter::WriteNotNull(const Expr& e) const {
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
      std::string text;
      for (const auto& arg : e.args) text += (text.empty() ? "" : " AND ") + WriteNotNull(*arg);
      return "(" + text + ")";
    }
    case Op::kConstant:
      return IsNullConstant(e) ? "FALSE" : "TRUE";
    case Op::kColumn:
      return WriteNotNullColumn(e.column);
    default:
      return fmt::format("({} IS NOT NULL)", Write(e));
  }
}

std::string ExprWriter::WriteNotNullColumn(std::size_t column) const {
  const Column& c = table_.columns[column];
  if (NeverNull(c)) return "TRUE";
  const Type type = TypeOf(c.type);
  if (!c.values.empty()) {
    std::string list;
    for (const Value& value : c.values) list += (list.empty() ? "" : ", ") + Literal(TypedValue(c, value), type);
    return fmt::format("({} IN ({}))", Raw(column), list);
  }
  constexpr double kMax = std::numeric_limits<double>::max();
  if (type == Type::kReal)
    return fmt::format("({} BETWEEN {} AND {})", Raw(column), Literal(-kMax, type), Literal(kMax, type));
  if (type == Type::kDate || type == Type::kTimestamp) return fmt::format("isfinite({})", Raw(column));
  return fmt::format("({} IS NOT NULL)", Raw(column));
}

std::string ExprWriter::WriteCondition(const Expr& e) const {
  if (e.op == Op::kAnd || e.op == Op::kOr) {
    std::string text;
    for (const auto& arg : e.args)
      text += (text.empty() ? "" : e.op == Op::kAnd ? " AND " : " OR ") + WriteCondition(*arg);
    return "(" + text + ")";
  }
  const auto column = OnlyColumn(e);
  if (column && !table_.columns[*column].values.empty()) return WriteListedCondition(e, *column);
  if (const auto bounded = WriteBoundedCondition(e)) return *bounded;
  if (e.op == Op::kNot && e.args[0]->op == Op::kIsNull) return WriteNotNull(*e.args[0]->args[0]);
  return Write(e);
}

}  // namespace kith
