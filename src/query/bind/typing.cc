#include "query/bind/typing.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>

#include "policy/dates.h"

namespace kith {
namespace {

bool IsNumber(Type type) { return type == Type::kInteger || type == Type::kReal; }
bool IsTextConstant(const Expr& e) { return e.op == Op::kConstant && std::holds_alternative<std::string>(e.value); }

Error WrongType(const std::string& wanted, const ExprPtr& found, const std::string& where,
                const std::string& next = {}) {
  return Unsupported(fmt::format("{} is needed here, not {}", wanted, TypeName(found->type)), where, next);
}

bool IsTime(Type type) { return type == Type::kDate || type == Type::kTimestamp; }

// The type that both can be converted to; nothing if there is none.
std::optional<Type> Common(Type a, Type b) {
  if (a == b || b == Type::kNull) return a;
  if (a == Type::kNull) return b;
  if (IsNumber(a) && IsNumber(b)) return Type::kReal;
  if (IsTime(a) && IsTime(b)) return Type::kTimestamp;
  return std::nullopt;
}

bool HoldsTimeOfDay(const std::string& text) { return text.size() > 10; }

}  // namespace

std::string Shortened(const std::string& text) {
  if (text.size() <= 60) return text;
  std::size_t end = 57;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // not inside a character
  return text.substr(0, end) + "...";
}

Result<ExprPtr> DateConstant(const std::string& text) {
  const auto days = ParseDate(text);
  if (!days || text.starts_with("0000")) {
    return InvalidArgument("not a date of the years 0001 to 9999", Shortened(text), "write dates as '2024-01-31'");
  }
  return MakeConstant(*days, Type::kDate);
}

Result<ExprPtr> TimestampConstant(const std::string& text) {
  const auto microseconds = ParseTimestamp(HoldsTimeOfDay(text) ? text : text + " 00:00:00");
  if (!microseconds || text.starts_with("0000")) {
    return InvalidArgument("not a timestamp of the years 0001 to 9999", Shortened(text),
                           "write it as '2024-01-31 10:20:30'");
  }
  return MakeConstant(*microseconds, Type::kTimestamp);
}

Result<ExprPtr> NumberConstant(const std::string& digits) {
  std::int64_t whole = 0;
  const char* const end = digits.data() + digits.size();
  const auto as_whole = std::from_chars(digits.data(), end, whole);
  if (as_whole.ec == std::errc() && as_whole.ptr == end) return MakeConstant(whole, Type::kInteger);
  double real = 0;
  const auto as_real = std::from_chars(digits.data(), end, real);
  if (as_real.ptr != end || as_real.ec != std::errc() || !std::isfinite(real)) {
    return InvalidArgument("not a number that kith can compute with", Shortened(digits));
  }
  return MakeConstant(real == 0 ? 0.0 : real, Type::kReal);
}

Result<ExprPtr> Convert(const ExprPtr& expr, Type type, const std::string& where) {
  if (expr->type == type) return expr;
  if (IsNullConstant(*expr)) return MakeConstant(Null{}, type);
  if (type == Type::kReal && expr->type == Type::kInteger) {
    if (const auto* whole = std::get_if<std::int64_t>(&expr->value); whole && expr->op == Op::kConstant) {
      return MakeConstant(static_cast<double>(*whole), Type::kReal);
    }
    return MakeExpr(Op::kToReal, Type::kReal, {expr});
  }
  if (type == Type::kTimestamp && expr->type == Type::kDate) return MakeExpr(Op::kToTimestamp, type, {expr});
  if (IsTextConstant(*expr) && type == Type::kDate) return DateConstant(std::get<std::string>(expr->value));
  if (IsTextConstant(*expr) && type == Type::kTimestamp) return TimestampConstant(std::get<std::string>(expr->value));
  return WrongType(TypeName(type), expr, where);
}

namespace {

// What was probably meant.
std::string InsteadOfMixing(const std::vector<ExprPtr>& args, Type one, Type other) {
  if (one == Type::kBoolean || other == Type::kBoolean)
    return "compare a truth value with true or false: column = true";
  const auto is_number = [](Type type) { return type == Type::kInteger || type == Type::kReal; };
  const bool text = one == Type::kText || other == Type::kText;
  if (!text || !(is_number(one) || is_number(other))) return "";
  for (const ExprPtr& arg : args) {
    if (!IsTextConstant(*arg)) continue;
    const auto& digits = std::get<std::string>(arg->value);
    return NumberConstant(digits) ? fmt::format("a number is written without quotes: {}", Shortened(digits))
                                  : "compare a number with a number";
  }
  return "a text is written in single quotes: column = 'value'";
}

}  // namespace

Result<std::vector<ExprPtr>> Unify(std::vector<ExprPtr> args, const std::string& where) {
  // A text constant next to a date is a date that is spelled out.
  const bool spelled = std::any_of(args.begin(), args.end(), [](const ExprPtr& arg) { return IsTime(arg->type); });
  Type widest = Type::kNull;
  for (const auto& arg : args) {
    if (spelled && IsTextConstant(*arg)) continue;
    const auto common = Common(widest, arg->type);
    if (!common) {
      return Unsupported(fmt::format("{} and {} cannot be compared or mixed", TypeName(widest), TypeName(arg->type)),
                         where, InsteadOfMixing(args, widest, arg->type));
    }
    widest = *common;
  }
  for (auto& arg : args) {
    auto converted = Convert(arg, widest, where);
    if (!converted) return converted.error();
    arg = std::move(*converted);
  }
  return args;
}

Result<ExprPtr> Cast(const ExprPtr& expr, const std::string& type_name, const std::string& where) {
  static const std::map<std::string, Type> kTypes = {
      {"int2", Type::kInteger},       {"int4", Type::kInteger}, {"int8", Type::kInteger},    {"bigint", Type::kInteger},
      {"float4", Type::kReal},        {"float8", Type::kReal},  {"double", Type::kReal},     {"numeric", Type::kReal},
      {"decimal", Type::kReal},       {"bool", Type::kBoolean}, {"boolean", Type::kBoolean}, {"date", Type::kDate},
      {"timestamp", Type::kTimestamp}};
  const auto found = kTypes.find(type_name);
  if (found == kTypes.end()) {
    return Unsupported(fmt::format("a cast to {} is not supported", Shortened(type_name)), where,
                       "casts to bigint, double precision, date and timestamp are, where they cannot fail");
  }
  const Type to = found->second, from = expr->type;
  if (from == to) return expr;
  if (to == Type::kInteger && (from == Type::kReal || from == Type::kBoolean))
    return MakeExpr(Op::kToInteger, to, {expr});
  if (to == Type::kReal && from == Type::kBoolean) {
    return MakeExpr(Op::kToReal, to, {MakeExpr(Op::kToInteger, Type::kInteger, {expr})});
  }
  if (to == Type::kDate && from == Type::kTimestamp) return MakeExpr(Op::kToDate, to, {expr});
  if (from == Type::kText && !IsTextConstant(*expr)) {
    return Unsupported("a cast of text could fail for some values, and a failure would reveal something about the data",
                       where, "declare the column with the type you need in the policy");
  }
  return Convert(expr, to, where);
}

Result<ExprPtr> MakeNumber(const ExprPtr& arg, const std::string& where) {
  if (arg->type == Type::kNull) return MakeConstant(Null{}, Type::kInteger);
  if (IsNumber(arg->type)) return arg;
  return WrongType("a number", arg, where,
                   arg->type == Type::kBoolean
                       ? "write CASE WHEN condition THEN 1 ELSE 0 END, or count(*) FILTER (WHERE condition)"
                       : "");
}

Result<ExprPtr> MakeArithmetic(Op op, const ExprPtr& left, const ExprPtr& right, const std::string& where) {
  if (op == Op::kSubtract && (left->type == Type::kDate || right->type == Type::kDate)) {
    auto both = Unify({left, right}, where);
    if (!both) return both.error();
    if ((*both)[0]->type == Type::kDate) return MakeExpr(op, Type::kInteger, std::move(*both));
  }
  if (left->type == Type::kTimestamp || right->type == Type::kTimestamp || left->type == Type::kDate ||
      right->type == Type::kDate) {
    return Unsupported("the only arithmetic on dates is the difference in days (date - date)", where,
                       "cast timestamps to date, or use extract(year FROM column) and the like");
  }
  const auto a = MakeNumber(left, where), b = MakeNumber(right, where);
  if (!a) return a.error();
  if (!b) return b.error();
  const bool whole_only = op == Op::kModulo || op == Op::kIntegerDivide;
  if (whole_only && ((*a)->type == Type::kReal || (*b)->type == Type::kReal)) {
    return Unsupported("% and div are for whole numbers", where, "cast to bigint first");
  }
  auto both = Unify({*a, *b}, where);
  if (!both) return both.error();
  const Type type = (*both)[0]->type;
  if (op != Op::kDivide) return MakeExpr(op, type, std::move(*both));
  for (auto& arg : *both) {
    auto real = Convert(arg, Type::kReal, where);
    if (!real) return real.error();
    arg = std::move(*real);
  }
  return MakeExpr(op, Type::kReal, std::move(*both));
}

Result<ExprPtr> MakeNegation(const ExprPtr& arg, const std::string& where) {
  const auto number = MakeNumber(arg, where);
  if (!number) return number.error();
  const Expr& e = **number;
  // The parser takes signs into its constants; so does this, or one question would have several normal forms.
  if (e.op == Op::kNegate) return e.args[0];
  if (e.op == Op::kConstant) {
    const auto* whole = std::get_if<std::int64_t>(&e.value);
    if (whole && *whole != std::numeric_limits<std::int64_t>::min()) return MakeConstant(-*whole, e.type);
    if (const auto* real = std::get_if<double>(&e.value)) return MakeConstant(*real == 0 ? 0.0 : -*real, e.type);
  }
  return MakeExpr(Op::kNegate, e.type, {*number});
}

Result<ExprPtr> MakeComparison(const std::string& sign, const ExprPtr& left, const ExprPtr& right,
                               const std::string& where) {
  auto both = Unify({left, right}, where);
  if (!both) return both.error();
  if (sign == ">" || sign == ">=") std::swap((*both)[0], (*both)[1]);
  Op op = Op::kEqual;
  if (sign == "<" || sign == ">") op = Op::kLess;
  if (sign == "<=" || sign == ">=") op = Op::kLessEqual;
  if (sign == "<>") op = Op::kNotEqual;
  return MakeExpr(op, Type::kBoolean, std::move(*both));
}

Result<ExprPtr> MakeTruth(const ExprPtr& arg, const std::string& where) {
  if (arg->type == Type::kNull) return MakeConstant(Null{}, Type::kBoolean);
  if (arg->type == Type::kBoolean) return arg;
  return WrongType("a condition", arg, where, "compare it with something, as in column = 'value'");
}

Result<ExprPtr> MakeNot(const ExprPtr& arg, const std::string& where) {
  const auto truth = MakeTruth(arg, where);
  if (!truth) return truth.error();
  return MakeExpr(Op::kNot, Type::kBoolean, {*truth});
}

Result<ExprPtr> MakeJunction(Op op, std::vector<ExprPtr> args, const std::string& where) {
  std::vector<ExprPtr> terms;
  for (const auto& arg : args) {
    const auto truth = MakeTruth(arg, where);
    if (!truth) return truth.error();
    const bool same = (*truth)->op == op;  // (a AND b) AND c is a AND b AND c
    if (same) terms.insert(terms.end(), (*truth)->args.begin(), (*truth)->args.end());
    if (!same) terms.push_back(*truth);
  }
  return MakeExpr(op, Type::kBoolean, std::move(terms));
}

Result<ExprPtr> MakeNumberFunction(Op op, const ExprPtr& arg, int digits, const std::string& where) {
  const auto number = MakeNumber(arg, where);
  if (!number) return number.error();
  if (op == Op::kAbs) return MakeExpr(op, (*number)->type, {*number});
  const bool already_whole = (*number)->type == Type::kInteger && digits >= 0;
  if (already_whole) return *number;
  const auto real = Convert(*number, Type::kReal, where);
  if (!real) return real.error();
  auto e = std::make_shared<Expr>();
  e->op = op;
  e->type = Type::kReal;
  e->args = {*real};
  e->digits = digits;
  return ExprPtr(e);
}

Result<ExprPtr> MakeExtreme(Op op, std::vector<ExprPtr> args, const std::string& where) {
  auto unified = Unify(std::move(args), where);
  if (!unified) return unified.error();
  const Type type = (*unified)[0]->type;
  if (type == Type::kText || type == Type::kBoolean || type == Type::kNull) {
    return Unsupported("greatest and least are for numbers and dates", where);
  }
  return MakeExpr(op, type, std::move(*unified));
}

Result<ExprPtr> MakeDatePart(const std::string& part, const ExprPtr& arg, const std::string& where) {
  static const std::map<std::string, DatePart> kParts = {
      {"year", DatePart::kYear},           {"quarter", DatePart::kQuarter}, {"month", DatePart::kMonth},
      {"week", DatePart::kWeek},           {"day", DatePart::kDay},         {"dow", DatePart::kDayOfWeek},
      {"isodow", DatePart::kIsoDayOfWeek}, {"doy", DatePart::kDayOfYear},   {"hour", DatePart::kHour},
      {"minute", DatePart::kMinute},       {"second", DatePart::kSecond}};
  const auto found = kParts.find(part);
  if (found == kParts.end()) {
    return Unsupported("this part of a date is not supported", Shortened(part),
                       "use year, quarter, month, week, day, dow, isodow, doy, hour, minute or second");
  }
  if (arg->type != Type::kDate && arg->type != Type::kTimestamp) return WrongType("a date or timestamp", arg, where);
  auto e = std::make_shared<Expr>();
  e->op = Op::kDatePart;
  e->type = Type::kInteger;
  e->args = {arg};
  e->part = found->second;
  return ExprPtr(e);
}

ExprPtr BothConditions(const ExprPtr& a, const ExprPtr& b) {
  if (!a) return b;
  if (!b) return a;
  const auto both = MakeJunction(Op::kAnd, {a, b}, {});
  return *both;
}

Result<ExprPtr> MakeDateTrunc(const std::string& part, const ExprPtr& arg, const std::string& where) {
  static const std::map<std::string, DatePart> kUnits = {{"year", DatePart::kYear},   {"quarter", DatePart::kQuarter},
                                                         {"month", DatePart::kMonth}, {"week", DatePart::kWeek},
                                                         {"day", DatePart::kDay},     {"hour", DatePart::kHour}};
  const auto found = kUnits.find(part);
  const bool hours_of_date = arg->type == Type::kDate && part == "hour";
  if (found == kUnits.end() || hours_of_date) {
    return Unsupported("date_trunc does not know this unit here", Shortened(part),
                       "use 'year', 'quarter', 'month', 'week', 'day', or 'hour' of a timestamp");
  }
  if (!IsTime(arg->type)) return WrongType("a date or timestamp", arg, where);
  auto e = std::make_shared<Expr>();
  e->op = Op::kDateTrunc;
  e->type = arg->type;
  e->args = {arg};
  e->part = found->second;
  return ExprPtr(e);
}

Result<ExprPtr> MakeBucket(const std::vector<ExprPtr>& args, const std::string& where) {
  constexpr std::int64_t kMostBuckets = 65534;  // with the two outside, as many as there can be groups
  const auto number = MakeNumber(args[0], where);
  if (!number) return number.error();
  auto same = Unify({*number, args[1], args[2]}, where);
  if (!same) return same.error();
  const Expr &low = *(*same)[1], &high = *(*same)[2], &count = *args[3];
  const auto* buckets = count.op == Op::kConstant ? std::get_if<std::int64_t>(&count.value) : nullptr;
  const bool constant = low.op == Op::kConstant && high.op == Op::kConstant && !IsNullConstant(low) &&
                        !IsNullConstant(high) && IsNumber(low.type);
  const bool ascending =
      constant && (low.type == Type::kReal ? std::get<double>(low.value) < std::get<double>(high.value)
                                           : std::get<std::int64_t>(low.value) < std::get<std::int64_t>(high.value));
  if (!ascending || !buckets || *buckets < 1 || *buckets > kMostBuckets) {
    return Unsupported("width_bucket needs constants: low below high, and a whole number of parts from 1 to 65534",
                       where, "write width_bucket(column, 0, 100, 10)");
  }
  return MakeExpr(Op::kWidthBucket, Type::kInteger, {(*same)[0], (*same)[1], (*same)[2], args[3]});
}

}  // namespace kith
