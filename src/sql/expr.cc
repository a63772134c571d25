#include "sql/expr.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "policy/dates.h"
#include "sql/functions.h"

namespace kith {
namespace {

std::string Join(const std::vector<std::string>& parts, const std::string& between) {
  return fmt::format("{}", fmt::join(parts, between));
}

std::string ConstantText(const Expr& e) {
  if (std::holds_alternative<Null>(e.value)) return "NULL";
  if (e.type == Type::kDate) return "DATE " + QuotedText(DateText(std::get<std::int64_t>(e.value)));
  if (e.type == Type::kTimestamp) return "TIMESTAMP " + QuotedText(TimestampText(std::get<std::int64_t>(e.value)));
  if (const auto* text = std::get_if<std::string>(&e.value)) return QuotedText(*text);
  if (const auto* real = std::get_if<double>(&e.value)) return RealText(*real);
  return ToText(e.value);
}

// Only a tree of one node needs no parentheses inside another; functions and casts bring their own.
bool IsAtom(const Expr& e, bool casts) {
  if (!casts && e.op == Op::kToReal) return IsAtom(*e.args[0], casts);
  return !e.label.empty() || e.op == Op::kConstant || e.op == Op::kColumn || FunctionFor(e) != nullptr ||
         e.op == Op::kToReal || e.op == Op::kToInteger || e.op == Op::kToDate || e.op == Op::kToTimestamp;
}

// A column of the unit table says so where a joined table has one of the same name.
std::string NameIn(const Table& table, const Column& column) {
  if (OwnerOf(table.columns.back()).empty()) return ColumnText(column);  // nothing is joined
  const std::string end = kOwnerMark + FoldCase(column.name);
  const bool shared = std::any_of(table.columns.begin(), table.columns.end(),
                                  [&](const Column& other) { return FoldCase(other.name).ends_with(end); });
  return (shared ? IdentifierText(table.name) + "." : "") + ColumnText(column);
}

std::string Write(const Expr& e, const Table& table, bool casts);

std::string CaseText(const Expr& e, const Table& table, bool casts) {
  std::string text = "CASE";
  std::size_t i = 0;
  if (e.op == Op::kSimpleCase) text += " " + Write(*e.args[i++], table, casts);
  for (; i + 1 < e.args.size(); i += 2) {
    text += " WHEN " + Write(*e.args[i], table, casts) + " THEN " + Write(*e.args[i + 1], table, casts);
  }
  return text + " ELSE " + Write(*e.args.back(), table, casts) + " END";
}

const char* CastName(Op op) {
  switch (op) {
    case Op::kToReal:
      return "double precision";
    case Op::kToInteger:
      return "bigint";
    case Op::kToDate:
      return "date";
    default:
      return "timestamp";
  }
}

std::string Write(const Expr& e, const Table& table, bool casts) {
  if (e.op == Op::kConstant) return ConstantText(e);
  if (e.op == Op::kColumn) return NameIn(table, table.columns.at(e.column));
  if (!e.label.empty()) return e.label;
  if (e.op == Op::kCase || e.op == Op::kSimpleCase) return CaseText(e, table, casts);
  if (!casts && e.op == Op::kToReal) return Write(*e.args[0], table, casts);
  std::vector<std::string> plain, inside;
  for (const auto& arg : e.args) {
    plain.push_back(Write(*arg, table, casts));
    inside.push_back(IsAtom(*arg, casts) ? plain.back() : "(" + plain.back() + ")");
  }
  if (e.op == Op::kAnd || e.op == Op::kOr) std::sort(inside.begin(), inside.end());
  if (const char* infix = InfixText(e.op)) return Join(inside, infix);
  switch (e.op) {
    case Op::kNegate:
      return fmt::format("-({})", plain[0]);
    case Op::kNot:
      return "NOT " + inside[0];
    case Op::kIsNull:
      return inside[0] + " IS NULL";
    case Op::kIsTrue:
      return inside[0] + " IS TRUE";
    case Op::kIsFalse:
      return inside[0] + " IS FALSE";
    case Op::kRound:
      return e.digits == 0 ? fmt::format("round({})", plain[0]) : fmt::format("round({}, {})", plain[0], e.digits);
    case Op::kBetween:
      return fmt::format("{} BETWEEN {} AND {}", inside[0], inside[1], inside[2]);
    case Op::kIn: {
      std::vector<std::string> list(plain.begin() + 1, plain.end());
      std::sort(list.begin(), list.end());
      return fmt::format("{} IN ({})", inside[0], Join(list, ", "));
    }
    case Op::kLike:
      return fmt::format("{} {} {}", inside[0], e.like.fold_case ? "ILIKE" : "LIKE", QuotedText(e.like.Text()));
    case Op::kDatePart:
      return fmt::format("extract({} FROM {})", DatePartName(e.part), plain[0]);
    case Op::kDateTrunc:
      return fmt::format("date_trunc('{}', {})", DatePartName(e.part), plain[0]);
    case Op::kHistogram: {
      const bool of_dates = !std::holds_alternative<Null>(e.value);
      return fmt::format("histogram({}, {})", of_dates ? Write(*e.args[0]->args[0], table, casts) : plain[0], plain[3]);
    }
    default:
      if (const SqlFunction* function = FunctionFor(e)) return fmt::format("{}({})", function->name(), Join(plain, ", "));
      return fmt::format("CAST({} AS {})", plain[0], CastName(e.op));
  }
}

}  // namespace

const char* InfixText(Op op) {
  switch (op) {
    case Op::kAdd:
      return " + ";
    case Op::kSubtract:
      return " - ";
    case Op::kMultiply:
      return " * ";
    case Op::kDivide:
      return " / ";
    case Op::kModulo:
      return " % ";
    case Op::kEqual:
      return " = ";
    case Op::kNotEqual:
      return " <> ";
    case Op::kLess:
      return " < ";
    case Op::kLessEqual:
      return " <= ";
    case Op::kDistinct:
      return " IS DISTINCT FROM ";
    case Op::kAnd:
      return " AND ";
    case Op::kOr:
      return " OR ";
    default:
      return nullptr;
  }
}

std::string OwnerOf(const Column& column) {
  const std::size_t mark = column.name.find(kOwnerMark);
  return mark == std::string::npos ? std::string() : column.name.substr(0, mark);
}

std::string ColumnText(const Column& column) {
  const std::size_t mark = column.name.find(kOwnerMark);
  if (mark == std::string::npos) return IdentifierText(column.name);
  return IdentifierText(column.name.substr(0, mark)) + "." + IdentifierText(column.name.substr(mark + 1));
}

Type TypeOf(ColumnType type) {
  switch (type) {
    case ColumnType::kBoolean:
      return Type::kBoolean;
    case ColumnType::kInteger:
      return Type::kInteger;
    case ColumnType::kReal:
      return Type::kReal;
    case ColumnType::kText:
      return Type::kText;
    case ColumnType::kDate:
      return Type::kDate;
    case ColumnType::kTimestamp:
      return Type::kTimestamp;
  }
  KITH_CHECK(false);
}

std::string TypeName(Type type) {
  switch (type) {
    case Type::kNull:
      return "NULL";
    case Type::kBoolean:
      return "a truth value";
    case Type::kInteger:
      return "a whole number";
    case Type::kReal:
      return "a real number";
    case Type::kText:
      return "text";
    case Type::kDate:
      return "a date";
    case Type::kTimestamp:
      return "a timestamp";
  }
  KITH_CHECK(false);
}

std::string DatePartName(DatePart part) {
  static const char* const kNames[] = {"year",   "quarter", "month", "week",   "day",   "dow",
                                       "isodow", "doy",     "hour",  "minute", "second"};
  return kNames[static_cast<std::size_t>(part)];
}

ExprPtr MakeConstant(Value value, Type type) {
  auto e = std::make_shared<Expr>();
  e->type = type;
  e->value = std::move(value);
  return e;
}

ExprPtr MakeColumn(const Table& table, std::size_t column) {
  auto e = std::make_shared<Expr>();
  e->op = Op::kColumn;
  e->type = TypeOf(table.columns.at(column).type);
  e->column = column;
  return e;
}

ExprPtr MakeExpr(Op op, Type type, std::vector<ExprPtr> args) {
  auto e = std::make_shared<Expr>();
  e->op = op;
  e->type = type;
  e->args = std::move(args);
  return e;
}

ExprPtr MakeCurve(const SqlFunction& function, const ExprPtr& x) {
  auto e = std::make_shared<Expr>();
  e->op = Op::kCurve;
  e->type = Type::kReal;
  e->args = {x};
  e->function = &function;
  return e;
}

bool IsNullConstant(const Expr& expr) { return expr.op == Op::kConstant && std::holds_alternative<Null>(expr.value); }

std::string RealText(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::optional<std::size_t> OnlyColumn(const Expr& expr) {
  std::optional<std::size_t> only;
  bool several = false;
  ForEachColumn(expr, [&](std::size_t column) {
    several = several || (only && *only != column);
    only = column;
  });
  return several ? std::nullopt : only;
}

std::string CanonicalText(const Expr& expr, const Table& table) { return Write(expr, table, true); }
std::string DisplayText(const Expr& expr, const Table& table) { return Write(expr, table, false); }

}  // namespace kith
