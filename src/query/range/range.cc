#include "query/range/range.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/meter.h"
#include "query/bind/typing.h"
#include "query/range/range_ops.h"
#include "sql/functions.h"

namespace kith {
namespace {

constexpr Int128 kLargestInteger = Int128{1} << 62;
constexpr double kLargestReal = 0x1p1000;
constexpr int kFinestDivisor = -10;    // a divisor may be 0, but otherwise not nearer to it than 2^-10
constexpr int kSmallestGrain = -1022;  // below it, a product could leave the normal numbers

bool IsArithmetic(Op op) {
  switch (op) {
    case Op::kAdd:
    case Op::kSubtract:
    case Op::kMultiply:
    case Op::kDivide:
    case Op::kIntegerDivide:
    case Op::kModulo:
    case Op::kNegate:
    case Op::kAbs:
    case Op::kRound:
    case Op::kCurve:
    case Op::kPower:
    case Op::kToInteger:
    case Op::kWidthBucket:
    case Op::kHistogram:
      return true;
    default:
      return false;
  }
}

// Both factors are one value of the row: one expression, or one column.
bool IsSquare(const Expr& e) {
  const bool one_column =
      e.args[0]->op == Op::kColumn && e.args[1]->op == Op::kColumn && e.args[0]->column == e.args[1]->column;
  return e.args[0] == e.args[1] || one_column;
}

bool InBounds(const Range& range, Type type) {
  if (range.OnlyNull()) return true;
  if (type == Type::kReal) {
    return std::abs(range.real_low) <= kLargestReal && std::abs(range.real_high) <= kLargestReal &&
           range.grain >= kSmallestGrain;
  }
  return type != Type::kInteger || (range.low >= -kLargestInteger && range.high <= kLargestInteger);
}

}  // namespace

Range RangeEvaluator::Evaluate(const Expr& expr) {
  if (expr.op == Op::kConstant) return ConstantRange(expr.value, expr.type);
  if (expr.op == Op::kColumn) return columns_.at(expr.column);
  std::optional<Range>* const slot = memo_ ? memo_->Slot(expr) : nullptr;
  if (!slot) return Compute(expr);
  if (!*slot) *slot = Compute(expr);
  return **slot;
}

Range RangeEvaluator::Compute(const Expr& expr) {
  Meter::Count(1 + expr.args.size());
  if (expr.op == Op::kIn) {
    if (const auto known = KnownMember(expr)) return *known;
  }
  std::vector<Range> args;
  args.reserve(expr.args.size());
  for (const auto& arg : expr.args) args.push_back(Evaluate(*arg));
  const bool is_case = expr.op == Op::kCase || expr.op == Op::kSimpleCase;
  Range result = is_case ? Case(expr, args) : Apply(expr, args);
  if (IsArithmetic(expr.op)) {
    CheckNumber(expr, args, result);
    if (error_) return NullRange();
  }
  if (IsKnown(result, expr.type)) result.secret = false;
  return result;
}

// A known value among constants: what comparing it with each would say, without a range for each. Lists are long, and
// conditions are tried for every declared value.
std::optional<Range> RangeEvaluator::KnownMember(const Expr& in) {
  const Type type = in.args[0]->type;
  const bool whole = type == Type::kInteger || type == Type::kDate || type == Type::kTimestamp;
  const Range first = Evaluate(*in.args[0]);
  if ((type != Type::kText && !whole) || first.OnlyNull() || !IsKnown(first, type)) return std::nullopt;
  bool found = false;
  for (std::size_t i = 1; i < in.args.size(); ++i) {
    const Expr& arg = *in.args[i];
    if (arg.op != Op::kConstant) return std::nullopt;
    if (whole) {
      const auto* number = std::get_if<std::int64_t>(&arg.value);
      if (!number) return std::nullopt;
      found = found || *number == first.low;
    } else {
      const auto* text = std::get_if<std::string>(&arg.value);
      if (!text) return std::nullopt;
      found = found || *text == *first.text;
    }
  }
  return BooleanRange(found, !found, false, false);
}

void RangeEvaluator::CheckNumber(const Expr& expr, const std::vector<Range>& args, const Range& result) {
  bool fine = InBounds(result, expr.type);
  // Remainders are small, but the smallest 64-bit number has none when divided by -1.
  if (expr.op == Op::kModulo || expr.op == Op::kIntegerDivide) {
    const bool by_minus_one = args[1].low <= -1 && args[1].high >= -1;
    fine = fine && (!by_minus_one || InBounds(args[0], Type::kInteger)) && InBounds(args[1], Type::kInteger);
  }
  // Rounding to decimals multiplies and divides by up to 10^15 on its way.
  if (expr.op == Op::kRound && expr.digits != 0 && !args[0].OnlyNull()) {
    const double largest = std::max(std::abs(args[0].real_low), std::abs(args[0].real_high));
    fine = fine && largest <= kLargestReal * 0x1p-100 && args[0].grain >= kSmallestGrain + 120;
  }
  if ((expr.op == Op::kWidthBucket || expr.op == Op::kHistogram) && !args[0].OnlyNull()) {
    for (const Range& step : BucketSteps(args, expr.args[0]->type)) fine = fine && InBounds(step, expr.args[0]->type);
  }
  if (fine || error_) return;
  error_ = Unsupported(
      "this could overflow for some values of its columns", Shortened(DisplayText(expr, table_)),
      expr.type == Type::kInteger
          ? "declare tighter lower and upper bounds in the policy, or compute in real numbers (x * 1.0)"
          : "declare tighter lower and upper bounds in the policy, or keep parts small with greatest and least");
}

void RangeEvaluator::CheckDivisors(const Expr& value) {
  if (error_ || value.type == Type::kBoolean) return;
  const bool simple = value.op == Op::kSimpleCase;
  for (std::size_t i = 0; i < value.args.size(); ++i) {
    const bool compared = simple && i + 1 < value.args.size() && (i == 0 || i % 2 == 1);
    if (!compared) CheckDivisors(*value.args[i]);
  }
  if (error_ || value.op != Op::kDivide) return;
  const Range divisor = Evaluate(*value.args[1]);
  if (divisor.OnlyNull() || divisor.real_low > 0 || divisor.real_high < 0) return;
  if (divisor.real_low == divisor.real_high) return;  // always 0, and the quotient NULL
  if (divisor.grain >= kFinestDivisor) return;        // whole numbers and the like: 0, and then far from it
  const std::string text = DisplayText(*value.args[1], table_);
  error_ = Unsupported(
      "the divisor can come arbitrarily close to zero, so the quotient has no useful bounds",
      Shortened(DisplayText(value, table_)),
      fmt::format("divide by greatest({}, 0.1) or the like, or declare bounds that exclude zero", Shortened(text)));
}

Range RangeEvaluator::Case(const Expr& expr, const std::vector<Range>& args) const {
  const bool simple = expr.op == Op::kSimpleCase;
  std::optional<Range> all;
  bool secret_choice = false;
  const auto take = [&](const Range& branch) { all = all ? Hull(*all, branch, expr.type) : branch; };
  bool reached = true;
  // A function of one of few values lists them all: anything else is NULL.
  const bool complete = simple && !expr.label.empty();
  for (std::size_t i = simple ? 1 : 0; reached && i + 1 < args.size(); i += 2) {
    const Range when = simple ? Compare(Op::kEqual, args[0], args[i], expr.args[0]->type) : args[i];
    if (!when.may_true) continue;
    take(args[i + 1]);
    reached = when.may_false || when.may_null;
    secret_choice = secret_choice || when.secret;
  }
  if (!all || (reached && (!complete || args[0].may_null))) take(args.back());
  all->secret = all->secret || secret_choice;
  return *all;
}

Range RangeEvaluator::Apply(const Expr& expr, const std::vector<Range>& args) const {
  const Type type = expr.args.empty() ? Type::kNull : expr.args[0]->type;
  switch (expr.op) {
    case Op::kAdd:
      return Add(args[0], args[1], type);
    case Op::kSubtract:
      return Subtract(args[0], args[1], type);
    case Op::kMultiply:
      return IsSquare(expr) ? Square(args[0], type) : Multiply(args[0], args[1], type);
    case Op::kDivide:
      return Divide(args[0], args[1]);
    case Op::kIntegerDivide:
      return IntegerDivide(args[0], args[1]);
    case Op::kModulo:
      return Modulo(args[0], args[1]);
    case Op::kNegate:
      return Negate(args[0], type);
    case Op::kAbs:
      return Abs(args[0], type);
    case Op::kFloor:
      return Floor(args[0]);
    case Op::kCeil:
      return Ceil(args[0]);
    case Op::kRound:
      return Round(args[0], expr.digits);
    case Op::kCurve:
      return Along(expr.function->curve, args[0]);
    case Op::kPower:
      return Power(args[0], args[1]);
    case Op::kGreatest:
    case Op::kLeast:
      return Extreme(args, type, expr.op == Op::kGreatest);
    case Op::kEqual:
    case Op::kNotEqual:
    case Op::kLess:
    case Op::kLessEqual:
      return Compare(expr.op, args[0], args[1], type);
    case Op::kBetween:
      return And(Compare(Op::kLessEqual, args[1], args[0], type), Compare(Op::kLessEqual, args[0], args[2], type));
    case Op::kDistinct:
      return Distinct(args[0], args[1], type);
    case Op::kIn: {
      Range any = BooleanRange(false, true, false, false);
      for (std::size_t i = 1; i < args.size(); ++i) any = Or(any, Compare(Op::kEqual, args[0], args[i], type));
      return any;
    }
    case Op::kLike:
      return Like(args[0], expr.like);
    case Op::kAnd:
    case Op::kOr: {
      Range all = args[0];
      for (std::size_t i = 1; i < args.size(); ++i) all = expr.op == Op::kAnd ? And(all, args[i]) : Or(all, args[i]);
      return all;
    }
    case Op::kNot:
      return Not(args[0]);
    case Op::kIsNull:
      return IsNull(args[0]);
    case Op::kIsTrue:
    case Op::kIsFalse:
      return IsTruth(args[0], expr.op == Op::kIsTrue);
    case Op::kCoalesce: {
      Range all = args[0];
      for (std::size_t i = 1; i < args.size() && all.may_null; ++i) {
        const bool may_null = args[i].may_null;
        all = Hull(all, args[i], expr.type);
        all.may_null = may_null;
      }
      return all;
    }
    case Op::kNullIf:
      return NullIf(args[0], args[1], type);
    case Op::kToReal:
      return ToReal(args[0]);
    case Op::kToInteger:
      return ToInteger(args[0], type);
    case Op::kToDate:
      return ToDate(args[0]);
    case Op::kToTimestamp:
      return ToTimestamp(args[0]);
    case Op::kDatePart:
      return PartOf(args[0], type, expr.part);
    case Op::kDateTrunc:
      return Trunc(args[0], type, expr.part);
    case Op::kWidthBucket:
      return WidthBucket(args, type);
    case Op::kHistogram:
      return Histogram(args, type);
    case Op::kConstant:
    case Op::kColumn:
    case Op::kCase:
    case Op::kSimpleCase:
      break;
  }
  KITH_CHECK(false);
}

}  // namespace kith
