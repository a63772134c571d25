// Row-level expressions as SQL.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "query/emit/emit.h"

namespace kith {
namespace {

std::string Join(const std::vector<std::string>& parts, const char* between) {
  return fmt::format("{}", fmt::join(parts, between));
}

const char* Infix(Op op) {
  switch (op) {
    case Op::kAdd:
      return " + ";
    case Op::kSubtract:
      return " - ";
    case Op::kMultiply:
      return " * ";
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

const char* Function(Op op) {
  switch (op) {
    case Op::kAbs:
      return "abs";
    case Op::kFloor:
      return "floor";
    case Op::kCeil:
      return "ceil";
    case Op::kGreatest:
      return "greatest";
    case Op::kLeast:
      return "least";
    case Op::kCoalesce:
      return "coalesce";
    case Op::kNullIf:
      return "nullif";
    default:
      return nullptr;
  }
}

bool IsNarrow(const BoundedCounter& bounded) {
  constexpr Int128 kNarrow = std::numeric_limits<std::int32_t>::max();
  return bounded.low >= -kNarrow && bounded.high <= kNarrow;
}

}  // namespace

std::string ExprWriter::Write(const Expr& e) const {
  if (e.op == Op::kConstant) return Constant(e.value, e.type);
  if (e.op == Op::kColumn) return "(" + Read(e.column) + ")";
  if (e.op == Op::kCase || e.op == Op::kSimpleCase) return WriteCase(e);
  if (e.op == Op::kLike) return WriteLike(e);
  if (e.op == Op::kDatePart) return WriteDatePart(e);
  if (e.op == Op::kRound) return WriteRound(e);
  if (e.op == Op::kDateTrunc) return WriteDateTrunc(e);
  if (e.op == Op::kWidthBucket || e.op == Op::kHistogram) return WriteBucket(e);
  std::vector<std::string> args;
  for (const auto& arg : e.args) args.push_back(Write(*arg));
  // A difference of dates is a 32-bit number in PostgreSQL.
  if (e.op == Op::kSubtract && e.type != e.args[0]->type)
    return fmt::format("CAST({} - {} AS BIGINT)", args[0], args[1]);
  if (const char* infix = Infix(e.op)) return "(" + Join(args, infix) + ")";
  if (const char* function = Function(e.op)) return fmt::format("{}({})", function, Join(args, ", "));
  switch (e.op) {
    case Op::kDivide:
      return fmt::format("({} / nullif({}, {}))", args[0], args[1], Constant(0.0, Type::kReal));
    case Op::kIntegerDivide:
      return fmt::format("({} {} nullif({}, {}))", args[0], duckdb() ? "//" : "/", args[1],
                         Constant(std::int64_t{0}, Type::kInteger));
    case Op::kModulo:
      return fmt::format("({} % nullif({}, {}))", args[0], args[1], Constant(std::int64_t{0}, Type::kInteger));
    case Op::kNegate:
      return fmt::format("(- {})", args[0]);
    case Op::kBetween:
      return fmt::format("({} BETWEEN {} AND {})", args[0], args[1], args[2]);
    case Op::kIn:
      return fmt::format("({} IN ({}))", args[0], Join({args.begin() + 1, args.end()}, ", "));
    case Op::kNot:
      return fmt::format("(NOT {})", args[0]);
    case Op::kIsNull:
      return fmt::format("({} IS NULL)", args[0]);
    case Op::kIsTrue:
      return fmt::format("({} IS TRUE)", args[0]);
    case Op::kIsFalse:
      return fmt::format("({} IS FALSE)", args[0]);
    default:
      return WriteCast(e);
  }
}

std::string ExprWriter::WriteCase(const Expr& e) const {
  std::string text = "(CASE";
  std::size_t i = 0;
  if (e.op == Op::kSimpleCase) text += " " + Write(*e.args[i++]);
  for (; i + 1 < e.args.size(); i += 2) text += " WHEN " + Write(*e.args[i]) + " THEN " + Write(*e.args[i + 1]);
  return text + " ELSE " + Write(*e.args.back()) + " END)";
}

std::string ExprWriter::WriteLike(const Expr& e) const {
  std::string text = Write(*e.args[0]);
  if (e.like.fold_case)
    text = fmt::format("translate({}, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz')", text);
  const std::string pattern = Constant(e.like.Text(), Type::kText);
  if (!e.like.HasEscapes()) return fmt::format("({} LIKE {})", text, pattern);
  return fmt::format("({} LIKE {} ESCAPE {})", text, pattern, Constant(std::string("\\"), Type::kText));
}

std::string ExprWriter::WriteDatePart(const Expr& e) const {
  const std::string arg = Write(*e.args[0]), part = DatePartName(e.part);
  const bool of_day = e.part == DatePart::kHour || e.part == DatePart::kMinute || e.part == DatePart::kSecond;
  const std::string source = of_day && e.args[0]->type == Type::kDate ? fmt::format("CAST({} AS TIMESTAMP)", arg) : arg;
  // Seconds have a fraction in PostgreSQL and none in DuckDB: kith's have none.
  return fmt::format("CAST(floor(extract({} FROM {})) AS BIGINT)", part, source);
}

std::string ExprWriter::WriteDateTrunc(const Expr& e) const {
  return fmt::format("CAST(date_trunc('{}', CAST({} AS TIMESTAMP)) AS {})", DatePartName(e.part), Write(*e.args[0]),
                     e.type == Type::kDate ? "DATE" : "TIMESTAMP");
}

// The cast stands behind a cut, so that no order of evaluation can make it fail. NULL comes out of the last branch.
std::string ExprWriter::WriteBucket(const Expr& e) const {
  const Type type = e.args[0]->type;
  const std::string x = Write(*e.args[0]), low = Write(*e.args[1]), high = Write(*e.args[2]);
  const std::int64_t count = std::get<std::int64_t>(e.args[3]->value);
  const auto whole = [&](std::int64_t n) { return Constant(n, Type::kInteger); };
  std::string inside;
  if (type == Type::kReal) {
    const auto real = [&](double n) { return Constant(n, Type::kReal); };
    const double width = std::get<double>(e.args[2]->value) - std::get<double>(e.args[1]->value);
    const std::string part = fmt::format("floor({} * {} / {})", fmt::format("({} - {})", x, low),
                                         real(static_cast<double>(count)), real(width));
    inside =
        fmt::format("WHEN {} IS NULL THEN {} ELSE CAST(least(greatest({}, {}), {}) AS BIGINT) + {}", x,
                    Constant(Null{}, Type::kInteger), part, real(0), real(static_cast<double>(count - 1)), whole(1));
  } else {
    const std::int64_t width = std::get<std::int64_t>(e.args[2]->value) - std::get<std::int64_t>(e.args[1]->value);
    inside = fmt::format("ELSE ({} - {}) * {} {} {} + {}", x, low, whole(count), duckdb() ? "//" : "/", whole(width),
                         whole(1));
  }
  const bool histogram = e.op == Op::kHistogram;
  return fmt::format("(CASE WHEN {0} < {1} THEN {2} WHEN {0} >= {3} THEN {4} {5} END)", x, low,
                     whole(histogram ? 1 : 0), high, whole(histogram ? count : count + 1), inside);
}

std::string ExprWriter::WriteRound(const Expr& e) const {
  const std::string arg = Write(*e.args[0]), half = Constant(0.5, Type::kReal);
  const std::string factor = Constant(std::pow(10.0, std::abs(e.digits)), Type::kReal);
  if (e.digits == 0) return fmt::format("floor({} + {})", arg, half);
  if (e.digits > 0) return fmt::format("(floor({} * {} + {}) / {})", arg, factor, half, factor);
  return fmt::format("(floor({} / {} + {}) * {})", arg, factor, half, factor);
}

std::string ExprWriter::WriteCast(const Expr& e) const {
  const std::string arg = Write(*e.args[0]);
  switch (e.op) {
    case Op::kToReal:
      return fmt::format("CAST({} AS DOUBLE PRECISION)", arg);
    case Op::kToInteger:
      if (e.args[0]->type == Type::kReal)
        return fmt::format("CAST(floor({} + {}) AS BIGINT)", arg, Constant(0.5, Type::kReal));
      return fmt::format("CAST(CAST({} AS INTEGER) AS BIGINT)", arg);
    case Op::kToDate:
      return fmt::format("CAST({} AS DATE)", arg);
    case Op::kToTimestamp:
      return fmt::format("CAST({} AS TIMESTAMP)", arg);
    default:
      break;
  }
  KITH_CHECK(false);
}

// A sum of columns and constants. Reals too small to tell from zero are far less than half a step, and addition does
// not underflow: they need not be set to zero first.
std::string ExprWriter::WriteLinear(const Expr& e) const {
  if (IsBareReal(e)) return "(" + ReadReal(e.column, false) + ")";
  if (e.type != Type::kReal || (e.op != Op::kAdd && e.op != Op::kSubtract)) return Write(e);
  return fmt::format("({} {} {})", WriteLinear(*e.args[0]), e.op == Op::kAdd ? "+" : "-", WriteLinear(*e.args[1]));
}

std::string ExprWriter::WriteSteps(const Expr& value, const BoundedCounter& bounded) const {
  const int exponent = bounded.lattice.exponent;
  if (value.type == Type::kInteger && exponent == 0) return Write(value);
  if (auto call = WriteStepsCall(value, bounded)) return *std::move(call);
  std::string real = exponent > kTinyExponent + 2 ? WriteLinear(value) : Write(value);
  if (value.type == Type::kInteger) real = fmt::format("CAST({} AS DOUBLE PRECISION)", real);
  const std::string inverse = Literal(std::ldexp(1.0, -exponent), Type::kReal);
  std::string steps = fmt::format("{} * {}", real, inverse);
  // A large step: the sum with half of it is never so small that the product could underflow.
  if (exponent > 0)
    steps = fmt::format("floor(({} + {}) * {})", real, Literal(std::ldexp(0.5, exponent), Type::kReal), inverse);
  // Both engines round to the nearest integer, halves to even. The bounds hold already, but a cast must be total by
  // itself: DuckDB has one that gives NULL; in PostgreSQL the number is cut first, when it has a name.
  return duckdb() ? fmt::format("TRY_CAST({} AS {})", steps, WholeType(bounded)) : steps;
}

// A real column, or one less a constant, in DuckDB: a function of kith's own reads, clamps and rounds in one pass over
// the rows, where engines' own operations take one for each.
std::optional<std::string> ExprWriter::WriteStepsCall(const Expr& value, const BoundedCounter& bounded) const {
  const int exponent = bounded.lattice.exponent;
  const bool shifted = IsShiftedReal(value);
  if (!duckdb() || !(IsBareReal(value) || shifted)) return std::nullopt;
  if (exponent > 0 || exponent <= kTinyExponent + 2 || !IsNarrow(bounded)) return std::nullopt;
  const std::size_t column = shifted ? value.args[0]->column : value.column;
  const Column& c = table_.columns[column];
  const RealBounds bounds = RealBoundsOf(c);
  const Value shift = shifted ? value.args[1]->value : Value{0.0};
  const auto call = [&](const std::string& x) {
    return fmt::format("kith_steps({}, {}, {}, {}, {})", x, Literal(bounds.low, Type::kReal),
                       Literal(bounds.high, Type::kReal), Literal(shift, Type::kReal),
                       Literal(std::ldexp(1.0, -exponent), Type::kReal));
  };
  if (!NeverNull(c)) return call(Raw(column));
  return fmt::format("coalesce({}, {})", call(Raw(column)), call(Literal(bounds.low, Type::kReal)));
}

std::string ExprWriter::WriteWhole(const std::string& steps, const Expr& value, const BoundedCounter& bounded) const {
  if (value.type == Type::kInteger && bounded.lattice.exponent == 0) return steps;
  // A clamped column, or one less a constant, stays within the bounds by monotony. Anything else is cut once more, so
  // that the sensitivity does not rest on the analysis of the whole expression. NULL stays NULL.
  if (duckdb() && (IsBareReal(value) || IsShiftedReal(value))) return steps;
  const auto end = [&](Int128 steps_end) {
    return duckdb() ? ToText(steps_end) : Literal(static_cast<double>(steps_end), Type::kReal);
  };
  const std::string cut =
      fmt::format("CASE WHEN {0} BETWEEN {1} AND {2} THEN {0} WHEN {0} < {1} THEN {1} WHEN {0} > {2} THEN {2} END",
                  steps, end(bounded.low), end(bounded.high));
  return duckdb() ? cut : fmt::format("CAST({} AS BIGINT)", cut);
}

// PostgreSQL sums bigint exactly, in numeric; DuckDB sums any integer exactly.
const char* ExprWriter::WholeType(const BoundedCounter& bounded) const {
  return duckdb() && IsNarrow(bounded) ? "INTEGER" : "BIGINT";
}

// A real column alone, clamped to declared bounds.
bool ExprWriter::IsBareReal(const Expr& value) const {
  return value.op == Op::kColumn && value.type == Type::kReal && table_.columns[value.column].values.empty();
}

bool ExprWriter::IsShiftedReal(const Expr& value) const {
  return value.op == Op::kSubtract && IsBareReal(*value.args[0]) && value.args[1]->op == Op::kConstant &&
         !IsNullConstant(*value.args[1]);
}

}  // namespace kith
