// Row-level expressions as terms.
#include <cmath>
#include <limits>

#include "base/check.h"
#include "query/emit/emit.h"
#include "sql/functions.h"

namespace kith {
namespace {

using sql::Stored;

sql::Term Whole(std::int64_t n) { return sql::Constant(n, Type::kInteger); }
sql::Term Real(double x) { return sql::Constant(x, Type::kReal); }

bool IsNarrow(const BoundedCounter& bounded) {
  constexpr Int128 kNarrow = std::numeric_limits<std::int32_t>::max();
  return bounded.low >= -kNarrow && bounded.high <= kNarrow;
}

sql::Term LikeOf(const LikePattern& like, sql::Term text) {
  if (like.fold_case) {
    text = sql::Call("translate", {std::move(text), sql::Literal("ABCDEFGHIJKLMNOPQRSTUVWXYZ", Type::kText),
                                   sql::Literal("abcdefghijklmnopqrstuvwxyz", Type::kText)});
  }
  return sql::Paren(sql::Like(std::move(text), like.Text(), like.HasEscapes()));
}

}  // namespace

sql::Term RowTerms::Of(const Expr& e) const {
  if (e.op == Op::kConstant) return sql::Constant(e.value, e.type);
  if (e.op == Op::kColumn) return sql::Paren(Read(e.column));
  if (e.op == Op::kDatePart) return DatePartOf(e);
  if (e.op == Op::kRound) return Round(e);
  if (e.op == Op::kCurve) return OnCurve(e);
  if (e.op == Op::kPower) return Power(e);
  if (e.op == Op::kWidthBucket || e.op == Op::kHistogram) return Bucket(e);
  sql::Terms args;
  for (const auto& arg : e.args) args.push_back(Of(*arg));
  switch (e.op) {
    case Op::kCase:
      return sql::Paren(sql::Case(std::move(args)));
    case Op::kSimpleCase:
      return sql::Paren(sql::SimpleCase(std::move(args)));
    case Op::kLike:
      return LikeOf(e.like, args[0]);
    case Op::kDateTrunc:
      return sql::TruncatedTo(e.part, args[0], e.type == Type::kDate ? Stored::kDate : Stored::kTimestamp);
    case Op::kSubtract:
      if (e.type != e.args[0]->type) return sql::DaysBetween(args[0], args[1]);
      break;
    case Op::kDivide:
      return sql::Paren(sql::Infix(" / ", {args[0], sql::Call("nullif", {args[1], Real(0)})}));
    case Op::kIntegerDivide:
      return sql::Paren(sql::IntegerDivide(args[0], sql::Call("nullif", {args[1], kith::Whole(0)})));
    case Op::kModulo:
      return sql::Paren(sql::Infix(" % ", {args[0], sql::Call("nullif", {args[1], kith::Whole(0)})}));
    case Op::kGreatest:
      return sql::Greatest(std::move(args));
    case Op::kLeast:
      return sql::Least(std::move(args));
    case Op::kNegate:
      return sql::Paren(sql::Prefix("- ", args[0]));
    case Op::kBetween:
      return sql::Paren(sql::Between(args[0], args[1], args[2]));
    case Op::kIn:
      return sql::Paren(sql::In(args[0], {args.begin() + 1, args.end()}));
    case Op::kNot:
      return sql::Paren(sql::Prefix("NOT ", args[0]));
    case Op::kIsNull:
      return sql::Paren(sql::Suffix(args[0], " IS NULL"));
    case Op::kIsTrue:
      return sql::Paren(sql::IsTrue(args[0]));
    case Op::kIsFalse:
      return sql::Paren(sql::IsFalse(args[0]));
    default:
      break;
  }
  if (const char* infix = InfixText(e.op)) return sql::Paren(sql::Infix(infix, std::move(args)));
  if (const SqlFunction* function = FunctionFor(e)) return sql::Call(*function, std::move(args));
  return CastOf(e);
}

sql::Term RowTerms::DatePartOf(const Expr& e) const {
  const bool of_day = e.part == DatePart::kHour || e.part == DatePart::kMinute || e.part == DatePart::kSecond;
  sql::Term arg = Of(*e.args[0]);
  if (of_day && e.args[0]->type == Type::kDate) arg = sql::Cast(std::move(arg), Stored::kTimestamp);
  return sql::PartOf(e.part, std::move(arg));
}

// The cast comes after a clamp, so that no order of evaluation can make it fail. NULL comes out of the last branch.
sql::Term RowTerms::Bucket(const Expr& e) const {
  const sql::Term x = Of(*e.args[0]), low = Of(*e.args[1]), high = Of(*e.args[2]);
  const std::int64_t count = std::get<std::int64_t>(e.args[3]->value);
  const sql::Term above = sql::Paren(sql::Infix(" - ", {x, low}));
  const bool histogram = e.op == Op::kHistogram;
  sql::Terms parts = {sql::Infix(" < ", {x, low}), kith::Whole(histogram ? 1 : 0), sql::Infix(" >= ", {x, high}),
                      kith::Whole(histogram ? count : count + 1)};
  sql::Term part;
  if (e.args[0]->type == Type::kReal) {
    const double width = std::get<double>(e.args[2]->value) - std::get<double>(e.args[1]->value);
    const sql::Term scaled =
        sql::Infix(" / ", {sql::Infix(" * ", {above, Real(static_cast<double>(count))}), Real(width)});
    part = sql::Cast(
        sql::Least({sql::Greatest({sql::Call("floor", {scaled}), Real(0)}), Real(static_cast<double>(count - 1))}),
        Stored::kWhole);
    if (histogram) {
      // What is beyond the ends is in the first or last part by the clamp, since no step before it changes an order:
      // x is worked out once.
      return sql::Paren(sql::Case({NotNull(*e.args[0]), sql::Infix(" + ", {std::move(part), kith::Whole(1)})}));
    }
    parts.push_back(sql::Suffix(x, " IS NULL"));
    parts.push_back(sql::Constant(Null{}, Type::kInteger));
  } else {
    const std::int64_t width = std::get<std::int64_t>(e.args[2]->value) - std::get<std::int64_t>(e.args[1]->value);
    part = sql::IntegerDivide(sql::Infix(" * ", {above, kith::Whole(count)}), kith::Whole(width));
  }
  parts.push_back(sql::Infix(" + ", {std::move(part), kith::Whole(1)}));
  return sql::Paren(sql::Case(std::move(parts)));
}

sql::Term RowTerms::Round(const Expr& e) const {
  const sql::Term arg = Of(*e.args[0]);
  const sql::Term factor = Real(std::pow(10.0, std::abs(e.digits)));
  const auto rounded = [](sql::Term x) { return sql::Call("floor", {sql::Infix(" + ", {std::move(x), Real(0.5)})}); };
  if (e.digits == 0) return rounded(arg);
  const char* const there = e.digits > 0 ? " * " : " / ";
  const char* const back = e.digits > 0 ? " / " : " * ";
  return sql::Paren(sql::Infix(back, {rounded(sql::Infix(there, {arg, factor})), factor}));
}

// The argument itself is NULL where the function has no value: then no order of evaluation can make it fail.
sql::Term RowTerms::OnCurve(const Expr& e) const {
  const sql::Term x = Of(*e.args[0]);
  const RealCurve& curve = e.function->curve;
  if (std::isinf(curve.from)) return sql::Call(*e.function, {x});
  const char* const sign = curve.closed ? " >= " : " > ";
  const sql::Term value = sql::Call(*e.function, {sql::Paren(sql::Case({sql::Infix(sign, {x, Real(curve.from)}), x}))});
  if (!curve.before) return value;
  return sql::Paren(sql::Case({sql::Infix(" < ", {x, Real(curve.from)}), Real(*curve.before), value}));
}

sql::Term RowTerms::Power(const Expr& e) const {
  const sql::Term x = Of(*e.args[0]), y = Of(*e.args[1]);
  const sql::Term base = sql::Paren(sql::Case({sql::Infix(" > ", {x, Real(0)}), x}));
  const sql::Term positive = sql::Call(*FunctionFor(e), {base, y});
  const sql::Term zero = sql::All({sql::Infix(" = ", {x, Real(0)}), sql::Infix(" > ", {y, Real(0)})});
  return sql::Paren(sql::Case({zero, Real(0), positive}));
}

sql::Term RowTerms::CastOf(const Expr& e) const {
  sql::Term arg = Of(*e.args[0]);
  switch (e.op) {
    case Op::kToReal:
      return sql::Cast(std::move(arg), Stored::kReal);
    case Op::kToInteger:
      if (e.args[0]->type == Type::kReal)
        return sql::Cast(sql::Call("floor", {sql::Infix(" + ", {std::move(arg), Real(0.5)})}), Stored::kWhole);
      return sql::Cast(sql::Cast(std::move(arg), Stored::kNarrow), Stored::kWhole);
    case Op::kToDate:
      return sql::Cast(std::move(arg), Stored::kDate);
    case Op::kToTimestamp:
      return sql::Cast(std::move(arg), Stored::kTimestamp);
    default:
      break;
  }
  KITH_CHECK(false);
}

// A sum of columns and constants. Reals too small to distinguish from zero are far less than half a lattice step, and
// addition does not underflow: they need not be set to zero first.
sql::Term RowTerms::Linear(const Expr& e) const {
  if (IsBareReal(e)) return sql::Paren(ReadReal(e.column, false));
  if (e.type != Type::kReal || (e.op != Op::kAdd && e.op != Op::kSubtract)) return Of(e);
  return sql::Paren(sql::Infix(InfixText(e.op), {Linear(*e.args[0]), Linear(*e.args[1])}));
}

sql::Term RowTerms::Steps(const Expr& value, const BoundedCounter& bounded) const {
  const int exponent = bounded.lattice.exponent;
  if (value.type == Type::kInteger && exponent == 0) return Of(value);
  sql::Term real = exponent > kTinyExponent + 2 ? Linear(value) : Of(value);
  if (value.type == Type::kInteger) real = sql::Cast(std::move(real), Stored::kReal);
  const sql::Term inverse = sql::Literal(std::ldexp(1.0, -exponent), Type::kReal);
  const sql::Term call = StepsCall(value, real, bounded);
  sql::Term steps;
  if (exponent > 0) {
    // A large step: the sum with half of it is never so small that the product could underflow.
    const sql::Term half = sql::Literal(std::ldexp(0.5, exponent), Type::kReal);
    steps = sql::Call("floor", {sql::Infix(" * ", {sql::Paren(sql::Infix(" + ", {std::move(real), half})), inverse})});
  } else {
    steps = sql::Infix(" * ", {std::move(real), inverse});
  }
  steps = sql::Steps(std::move(steps), IsNarrow(bounded));
  return call ? sql::Either(sql::Feature::kLatticeSteps, call, std::move(steps)) : steps;
}

// kith's own function clamps, shifts and rounds in one pass over the rows, where engines' own operations take one
// for each: a real column, or one less a constant, straight from where it is stored; any other real value as it is,
// since Whole holds it within the counter's bounds. Null: there is no such call.
sql::Term RowTerms::StepsCall(const Expr& value, const sql::Term& term, const BoundedCounter& bounded) const {
  const int exponent = bounded.lattice.exponent;
  if (value.type != Type::kReal || exponent > 0 || exponent <= kTinyExponent + 2 || !IsNarrow(bounded)) return nullptr;
  const auto real = [](Value x) { return sql::Literal(std::move(x), Type::kReal); };
  const auto call = [&](const sql::Term& x, const RealBounds& ends, Value shift) {
    return sql::Call("kith_steps",
                     {x, real(ends.low), real(ends.high), real(std::move(shift)), real(std::ldexp(1.0, -exponent))});
  };
  const bool shifted = IsShiftedReal(value);
  if (!shifted && !IsBareReal(value)) {
    constexpr double kMax = std::numeric_limits<double>::max();
    return call(term, {-kMax, kMax}, 0.0);
  }
  const std::size_t column = shifted ? value.args[0]->column : value.column;
  const Column& c = table_.columns[column];
  const RealBounds bounds = RealBoundsOf(c);
  const Value shift = shifted ? value.args[1]->value : Value{0.0};
  sql::Term steps = call(Raw(column), bounds, shift);
  return NeverNull(c) ? sql::Call("coalesce", {std::move(steps), call(real(bounds.low), bounds, shift)}) : steps;
}

namespace {

sql::Term Cut(const sql::Term& x, Int128 low, Int128 high) {
  const sql::Term from = sql::Number(low), to = sql::Number(high);
  const sql::Term cut =
      sql::Case({sql::Between(x, from, to), x, sql::Infix(" < ", {x, from}), from, sql::Infix(" > ", {x, to}), to});
  return sql::Clamped(x, from, to, cut, false, "");
}

}  // namespace

// A clamped column, or one less a constant, stays within the bounds by monotonicity. Anything else is clamped again, so
// that the sensitivity does not rest on the analysis of the whole expression. NULL stays NULL.
sql::Term RowTerms::Whole(sql::Term steps, const Expr& value, const BoundedCounter& bounded) const {
  if (value.type == Type::kInteger && bounded.lattice.exponent == 0)
    return value.op == Op::kColumn ? steps : Cut(steps, bounded.low, bounded.high);
  return sql::Within(std::move(steps), bounded.low, bounded.high, IsBareReal(value) || IsShiftedReal(value));
}

// Only a real column, clamped to declared bounds.
bool RowTerms::IsBareReal(const Expr& value) const {
  return value.op == Op::kColumn && value.type == Type::kReal && table_.columns[value.column].values.empty();
}

bool RowTerms::IsShiftedReal(const Expr& value) const {
  return value.op == Op::kSubtract && IsBareReal(*value.args[0]) && value.args[1]->op == Op::kConstant &&
         !IsNullConstant(*value.args[1]);
}

}  // namespace kith
