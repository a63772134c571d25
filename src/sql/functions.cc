#include "sql/functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kith {
namespace {

using enum FunctionKind;
using enum Margin;

// The nearest to 0 of a logarithm is that of a number next to 1, more than 2^-55.
constexpr auto kNearestLogarithm = [](int) { return -55; };

// Names, kind, arguments, margin of error after the noise, how a call is written, what it gives; where they say more:
// the operation, the curve, spellings. A person reads them in this order.
constexpr SqlFunction kFunctions[] = {
    // Of many rows.
    {{"count"},
     kSum,
     {1, 1},
     kNone,
     "count(*), count(x), count(DISTINCT x)",
     "rows; where x is not NULL; different values"},
    {{"sum"}, kSum, {1, 1}, kLinear, "sum(x)", "the sum; near 0 of no rows"},
    {{"avg"}, kSum, {1, 1}, kLinear, "avg(x)", "the mean"},
    {{"min"}, kQuantile, {1, 1}, kNone, "min(x)", "the smallest value"},
    {{"max"}, kQuantile, {1, 1}, kNone, "max(x)", "the largest value"},
    {{"median"}, kQuantile, {1, 1}, kNone, "median(x)", "the value in the middle"},
    {{"quantile_cont", "quantile"}, kQuantile, {1, 2}, kRefused, "quantile_cont(x, 0.9)", "the value at this rank"},
    {{"quantile_disc"}, kQuantile, {1, 2}, kRefused, "quantile_disc(x, 0.9)", "the same"},
    {{"percentile_cont"}, kQuantile, {1, 1}, kRefused, "percentile_cont(0.9) WITHIN GROUP (ORDER BY x)", "the same"},
    {{"percentile_disc"}, kQuantile, {1, 1}, kRefused, "percentile_disc(0.9) WITHIN GROUP (ORDER BY x)", "the same"},
    {{"var_samp", "variance"}, kSpread, {1, 1}, kSimulated, "var_samp(x)", "the variance, of a sample"},
    {{"var_pop"}, kSpread, {1, 1}, kSimulated, "var_pop(x)", "the variance"},
    {{"stddev_samp", "stddev"}, kSpread, {1, 1}, kSimulated, "stddev_samp(x)", "the standard deviation, of a sample"},
    {{"stddev_pop"}, kSpread, {1, 1}, kSimulated, "stddev_pop(x)", "the standard deviation"},
    {{"covar_samp"}, kSpread, {2, 2}, kRefused, "covar_samp(y, x)", "the covariance, of a sample"},
    {{"covar_pop"}, kSpread, {2, 2}, kRefused, "covar_pop(y, x)", "the covariance"},
    {{"corr"}, kSpread, {2, 2}, kRefused, "corr(y, x)", "the correlation; NULL where a noisy variance comes out as 0"},
    {{"regr_slope"}, kSpread, {2, 2}, kRefused, "regr_slope(y, x)", "how much y grows with x, along a line"},
    {{"regr_intercept"}, kSpread, {2, 2}, kRefused, "regr_intercept(y, x)", "y where x is 0"},
    {{"regr_r2"}, kSpread, {2, 2}, kRefused, "regr_r2(y, x)", "the share of the variance that the line explains"},
    // Numbers.
    {{"abs"}, kNumber, {1, 1}, kInterval, "abs(x)", "x without its sign", Op::kAbs},
    {{"sign"}, kSign, {1, 1}, kNone, "sign(x)", "-1, 0 or 1"},
    {{"round"},
     kNumber,
     {1, 2},
     kInterval,
     "round(x), round(x, 2)",
     "to whole numbers or decimals, halves up",
     Op::kRound},
    {{"floor"}, kNumber, {1, 1}, kInterval, "floor(x)", "the whole number below", Op::kFloor},
    {{"ceil", "ceiling"}, kNumber, {1, 1}, kInterval, "ceil(x)", "the whole number above", Op::kCeil},
    {{"sqrt"},
     kCurve,
     {1, 1},
     kInterval,
     "sqrt(x)",
     "the root; NULL below 0",
     Op::kCurve,
     {.of = std::sqrt, .from = 0, .exact = true, .nearest = [](int grain) { return (grain - 1) / 2; }},
     {.after = "pow({0}, 0.5::DOUBLE)"}},
    {{"cbrt"},
     kCurve,
     {1, 1},
     kInterval,
     "cbrt(x)",
     "the cube root",
     Op::kCurve,
     {.of = std::cbrt, .nearest = [](int grain) { return (grain - 2) / 3; }}},
    {{"ln"},
     kCurve,
     {1, 1},
     kInterval,
     "ln(x)",
     "the natural logarithm; NULL of 0 and below",
     Op::kCurve,
     {.of = std::log, .from = 0, .closed = false, .nearest = kNearestLogarithm}},
    {{"log10", "log"},
     kCurve,
     {1, 1},
     kSimulated,
     "log10(x)",
     "the logarithm to base 10; NULL of 0 and below",
     Op::kCurve,
     {.of = std::log10, .from = 0, .closed = false, .nearest = kNearestLogarithm}},
    {{"log2"},
     kCurve,
     {1, 1},
     kSimulated,
     "log2(x)",
     "the logarithm to base 2; NULL of 0 and below",
     Op::kCurve,
     {.of = std::log2, .from = 0, .closed = false, .nearest = kNearestLogarithm},
     {.postgresql = "(ln({0}) / 0.6931471805599453e0)"}},
    {{"exp"},
     kCurve,
     {1, 1},
     kInterval,
     "exp(x)",
     "e to the power of x; 0 for x below -80",
     Op::kCurve,
     {.of = std::exp,
      .from = kLeastExponent,
      .before = 0.0,
      .nearest = [](int) { return std::ilogb(std::exp(kLeastExponent)); }}},
    {{"power", "pow"},
     kPower,
     {2, 2},
     kSimulated,
     "power(x, 2), power(1.5, x)",
     "one of the two is a constant; NULL for x below 0, and for 0 to the power of 0 and less, unless the power is a "
     "whole number up to 16",
     Op::kPower,
     {},
     {.after = "pow({0}, {1})"}},
    {{"div"}, kWhole, {2, 2}, kRefused, "div(x, y)", "whole numbers divided, towards 0; NULL by 0", Op::kIntegerDivide},
    {{"mod"}, kWhole, {2, 2}, kSimulated, "mod(x, y)", "the rest, with the sign of x; NULL by 0", Op::kModulo},
    {{"greatest"}, kSyntax, {1, 1000}, kInterval, "greatest(x, y)", "the largest; NULLs are left out", Op::kGreatest},
    {{"least"}, kSyntax, {1, 1000}, kInterval, "least(x, y)", "the smallest; NULLs are left out", Op::kLeast},
    {{"coalesce"}, kSyntax, {1, 1000}, kNone, "coalesce(x, y)", "the first that is not NULL", Op::kCoalesce},
    {{"nullif"}, kSyntax, {2, 2}, kInterval, "nullif(x, y)", "x, or NULL where both are equal", Op::kNullIf},
    {{"width_bucket"},
     kBucket,
     {4, 4},
     kRefused,
     "width_bucket(x, 0, 120, 6)",
     "which of 6 equal parts, from 1; 0 below, 7 above",
     Op::kWidthBucket},
    {{"histogram"},
     kHistogram,
     {2, 2},
     kRefused,
     "histogram(x, 4)",
     "which of 4 equal parts of the range of x; only in GROUP BY",
     Op::kHistogram},
    // Dates.
    {{"date_part", "extract"},
     kDatePart,
     {2, 2},
     kNone,
     "extract(year FROM column), date_part('year', column)",
     "year, quarter, month, week, day, dow, isodow, doy, hour, minute or second",
     Op::kDatePart},
    {{"date_trunc"},
     kDateTrunc,
     {2, 2},
     kRefused,
     "date_trunc('month', column)",
     "the first day of the year, quarter, month or week; the day; of a timestamp also the hour",
     Op::kDateTrunc},
    {{"date_diff"},
     kDateDifference,
     {3, 3},
     kRefused,
     "date_diff('month', a, b)",
     "how many months begin after a, up to b"},
    {{"to_char"}, kDateText, {2, 2}, kRefused, "to_char(column, 'YYYY-MM')", "the date as text"},
    {{"strftime"}, kDateText, {2, 2}, kRefused, "strftime(column, '%Y-%m')", "the same"},
    // Texts.
    {{"lower"}, kText, {1, 1}, kNone, "lower(column)", "in small letters, of ASCII"},
    {{"upper"}, kText, {1, 1}, kNone, "upper(column)", "in capitals, of ASCII"},
    {{"trim", "btrim"}, kText, {1, 1}, kNone, "trim(column)", "without spaces at both ends"},
    {{"ltrim"}, kText, {1, 1}, kNone, "ltrim(column)", "without spaces before"},
    {{"rtrim"}, kText, {1, 1}, kNone, "rtrim(column)", "without spaces after"},
    {{"substr", "substring"}, kText, {2, 3}, kNone, "substr(column, 1, 3)", "3 letters from the first on"},
    {{"left"}, kText, {2, 2}, kNone, "left(column, 3)", "the first 3 letters"},
    {{"right"}, kText, {2, 2}, kNone, "right(column, 3)", "the last 3"},
    {{"replace"}, kText, {3, 3}, kNone, "replace(column, 'a', 'b')", "b for every a"},
    {{"length", "char_length", "character_length"}, kTextLength, {1, 1}, kNone, "length(column)", "how many letters"},
    {{"concat"}, kConcat, {1, 1000}, kNone, "concat(column, '-', column)", "one after the other; NULLs are left out"},
    // Only of noisy answers.
    {{"lpad"}, kAfter, {3, 3}, kNone, "lpad(column, 5, ' ')", "filled on the left"},
    {{"rpad"}, kAfter, {3, 3}, kNone, "rpad(column, 5, ' ')", "filled on the right"},
    {{"concat_ws"}, kAfter, {1, 1000}, kNone, "concat_ws('-', column, column)", "with something between"},
    {{"starts_with"}, kAfter, {2, 2}, kNone, "starts_with(column, 'a')", "true or false"},
    {{"strpos"}, kAfter, {2, 2}, kNone, "strpos(column, 'a')", "where it is, from 1; 0 if nowhere"},
    {{"bool_or"}, kAfterAggregate, {1, 1}, kNone, "bool_or(condition)", "in some row"},
    {{"bool_and"}, kAfterAggregate, {1, 1}, kNone, "bool_and(condition)", "in all rows"},
    {{"string_agg"}, kAfterAggregate, {2, 2}, kNone, "string_agg(column, ', ')", "in one text"},
    {{"row_number"}, kWindow, {0, 0}, kNone, "row_number() OVER (…)", "1, 2, 3 …"},
    {{"rank"}, kWindow, {0, 0}, kNone, "rank() OVER (…)", "equal rows have one rank"},
    {{"dense_rank"}, kWindow, {0, 0}, kNone, "dense_rank() OVER (…)", "the same without gaps"},
    {{"percent_rank"}, kWindow, {0, 0}, kNone, "percent_rank() OVER (…)", "from 0 to 1"},
    {{"cume_dist"}, kWindow, {0, 0}, kNone, "cume_dist() OVER (…)", "the share of rows up to this one"},
    {{"ntile"}, kWindow, {1, 1}, kNone, "ntile(4) OVER (…)", "which quarter"},
    {{"lag"}, kWindow, {1, 3}, kLinear, "lag(x) OVER (…)", "x in the row before"},
    {{"lead"}, kWindow, {1, 3}, kLinear, "lead(x) OVER (…)", "x in the next row"},
    {{"first_value"}, kWindow, {1, 1}, kLinear, "first_value(x) OVER (…)", "x in the first row"},
    {{"last_value"}, kWindow, {1, 1}, kLinear, "last_value(x) OVER (…)", "x in the last row"},
    {{"nth_value"}, kWindow, {2, 2}, kLinear, "nth_value(x, 2) OVER (…)", "x in the second row"},
};

std::string_view MarginText(Margin margin) {
  switch (margin) {
    case kRefused:
      return "–";
    case kLinear:
      return "of a sum";
    case kInterval:
      return "largest distance";
    case kSimulated:
      return "simulated";
    default:
      return "none";
  }
}

}  // namespace

std::span<const SqlFunction> SqlFunctions() { return kFunctions; }

const SqlFunction* FindFunction(std::string_view name) {
  for (const SqlFunction& f : kFunctions) {
    if (!name.empty() && std::find(f.names.begin(), f.names.end(), name) != f.names.end()) return &f;
  }
  return nullptr;
}

const SqlFunction* FunctionFor(const Expr& expr) {
  static const auto by_op = [] {
    std::array<const SqlFunction*, static_cast<std::size_t>(Op::kHistogram) + 1> all = {};
    for (const SqlFunction& f : kFunctions) {
      if (f.op && InfixText(*f.op) == nullptr) all[static_cast<std::size_t>(*f.op)] = &f;
    }
    return all;
  }();
  return expr.op == Op::kCurve ? expr.function : by_op[static_cast<std::size_t>(expr.op)];
}

std::string FunctionReference() {
  std::string text = "| function | what it gives | asked of rows | bar after the noise |\n|---|---|---|---|\n";
  for (const SqlFunction& f : kFunctions) {
    std::string also;
    for (const std::string_view alias : f.names) {
      if (alias.empty() || f.usage.find(fmt::format("{}(", alias)) != std::string_view::npos) continue;
      also += fmt::format("{}`{}`", also.empty() ? ", also " : ", ", alias);
    }
    text += fmt::format("| `{}`{} | {} | {} | {} |\n", f.usage, also, f.about, f.InQuestions() ? "yes" : "–",
                        MarginText(f.margin));
  }
  return text;
}

}  // namespace kith
