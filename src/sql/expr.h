// The row-level language after names and types are checked: an immutable tree over the columns of the unit table. Every
// operation is total: each node has a value (or NULL) for every row there can be.
#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/value.h"
#include "policy/policy.h"
#include "sql/like.h"
#include "sql/quote.h"

namespace kith {

enum class Type { kNull, kBoolean, kInteger, kReal, kText, kDate, kTimestamp };

enum class Op {
  kConstant,
  kColumn,
  // Numbers. Both arguments have the type of the result, except where said.
  kAdd,
  kSubtract,  // also date - date, in days
  kMultiply,
  kDivide,         // real; NULL by zero
  kIntegerDivide,  // integer, towards zero; NULL by zero
  kModulo,         // integer, sign of the dividend; NULL by zero
  kNegate,
  kAbs,
  kFloor,
  kCeil,
  kRound,  // floor(x * 10^digits + 0.5) / 10^digits
  kCurve,  // a real function of a real number (sql/functions.h). The last bits of most are the engine's business
  kPower,  // x, y, of which one is a constant; NULL where x is negative, or 0 and y not positive
  kGreatest,
  kLeast,  // both leave NULLs out
  // Truth values, three-valued as in SQL.
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kBetween,
  kDistinct,
  kIn,  // first argument among the others
  kLike,
  kAnd,
  kOr,
  kNot,
  kIsNull,
  kIsTrue,
  kIsFalse,
  // Any type.
  kCase,        // when, then, when, then, ..., else
  kSimpleCase,  // operand, when, then, ..., else
  kCoalesce,
  kNullIf,
  // Conversions and parts of dates.
  kToReal,
  kToInteger,  // from real: floor(x + 0.5); from boolean: 0 or 1
  kToDate,
  kToTimestamp,
  kDatePart,
  kDateTrunc,    // the start of the year, quarter, month, week, day or hour: a date for a date
  kWidthBucket,  // x, low and high of one type, whole n: which of n equal parts of [low, high); 0 below, n + 1 above
  kHistogram,    // the same for [low, high], which hold every x: 1 to n. Shown as the part's ends; only in GROUP BY
};

/// exp(x) is 0 for smaller x: nothing computed from it can underflow.
inline constexpr double kLeastExponent = -80;

enum class DatePart {
  kYear,
  kQuarter,
  kMonth,
  kWeek,
  kDay,
  kDayOfWeek,
  kIsoDayOfWeek,
  kDayOfYear,
  kHour,
  kMinute,
  kSecond
};

struct SqlFunction;
struct Expr;
using ExprPtr = std::shared_ptr<const Expr>;

struct Expr {
  Op op = Op::kConstant;
  Type type = Type::kNull;
  std::vector<ExprPtr> args;
  Value value;                      // kConstant; dates as days, timestamps as microseconds since 1970; kHistogram of
                                    // dates: the first day, from which x counts
  std::size_t column = 0;           // kColumn: index into the unit table's columns
  int digits = 0;                   // kRound
  DatePart part = DatePart::kYear;  // kDatePart, kDateTrunc
  LikePattern like;                 // kLike
  const SqlFunction* function = nullptr;  // kCurve
  // Not empty: what people and text call it, one call of a function. Of kSimpleCase, where a function of one of few
  // values is written as a list of what it makes of each.
  std::string label;
};

/// Columns of joined public tables come after those of the unit table, under the name "table<mark>column". No
/// declared name holds a control character.
inline constexpr char kOwnerMark = '\x1f';
/// The joined table that the column belongs to; empty for a column of the unit table.
std::string OwnerOf(const Column& column);
/// As a question names it: age, or regions.name.
std::string ColumnText(const Column& column);

Type TypeOf(ColumnType type);
/// "a whole number", "text" ...: for messages.
std::string TypeName(Type type);
std::string DatePartName(DatePart part);

ExprPtr MakeConstant(Value value, Type type);
ExprPtr MakeColumn(const Table& table, std::size_t column);
ExprPtr MakeExpr(Op op, Type type, std::vector<ExprPtr> args);
ExprPtr MakeCurve(const SqlFunction& function, const ExprPtr& x);

bool IsNullConstant(const Expr& expr);

/// " + ", " AND ": how SQL spells the operation between its arguments; null if it is spelled in another way.
const char* InfixText(Op op);
/// Canonical text: equal for two spellings of one expression (AND and OR terms are sorted).
std::string CanonicalText(const Expr& expr, const Table& table);
/// The same for people: conversions to real numbers are not shown.
std::string DisplayText(const Expr& expr, const Table& table);
/// The shortest decimal text that reads back as the same number, always with a point or an exponent.
std::string RealText(double value);

/// Calls `visit` for every column that the expression reads (a column may come twice).
template <class Visit>
void ForEachColumn(const Expr& expr, const Visit& visit) {
  if (expr.op == Op::kColumn) visit(expr.column);
  for (const auto& arg : expr.args) ForEachColumn(*arg, visit);
}

/// The only column that the expression reads; nothing if it reads none or several.
std::optional<std::size_t> OnlyColumn(const Expr& expr);

}  // namespace kith
