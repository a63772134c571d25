#include "postprocess/formula.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

namespace kith::postprocess {
namespace {

Range Around(std::initializer_list<double> ends) { return {std::min(ends), std::max(ends)}; }

std::optional<Range> Finite(Range range) {
  if (!std::isfinite(range.low) || !std::isfinite(range.high)) return std::nullopt;
  return range;
}

double Rounded(double value, int digits) {
  const double unit = std::pow(10.0, digits);
  return std::round(value * unit) / unit;
}

std::optional<Range> Binary(Op op, const Range& a, const Range& b) {
  switch (op) {
    case Op::kAdd:
      return Range{a.low + b.low, a.high + b.high};
    case Op::kSubtract:
      return Range{a.low - b.high, a.high - b.low};
    case Op::kMultiply:
      return Around({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
    case Op::kDivide:
      if (b.low <= 0 && b.high >= 0) return std::nullopt;
      return Around({a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high});
    case Op::kGreatest:
      return Range{std::max(a.low, b.low), std::max(a.high, b.high)};
    case Op::kLeast:
      return Range{std::min(a.low, b.low), std::min(a.high, b.high)};
    default:
      return a;
  }
}

// Beyond the end of a curve there may be no value.
std::optional<Range> Along(const RealCurve& curve, const Range& a) {
  if (!curve.before && (curve.closed ? a.low < curve.from : a.low <= curve.from)) return std::nullopt;
  return Range{curve.of(a.low), curve.of(a.high)};
}

std::optional<Range> Unary(const Formula& formula, const Range& a) {
  switch (formula.op) {
    case Op::kCurve:
      return Along(formula.function->curve, a);
    case Op::kNegate:
      return Range{-a.high, -a.low};
    case Op::kAbs:
      if (a.low <= 0 && a.high >= 0) return Range{0, std::max(-a.low, a.high)};
      return Around({std::fabs(a.low), std::fabs(a.high)});
    case Op::kRound:
      return Range{Rounded(a.low, formula.digits), Rounded(a.high, formula.digits)};
    case Op::kFloor:
      return Range{std::floor(a.low), std::floor(a.high)};
    case Op::kCeil:
      return Range{std::ceil(a.low), std::ceil(a.high)};
    default:
      return a;
  }
}

}  // namespace

FormulaPtr Part(std::string sql, bool noisy) {
  auto formula = std::make_shared<Formula>();
  formula->sql = std::move(sql);
  formula->noisy = noisy;
  return formula;
}

FormulaPtr Apply(Op op, std::vector<FormulaPtr> args, int digits, const SqlFunction* function) {
  auto formula = std::make_shared<Formula>();
  formula->op = op;
  formula->args = std::move(args);
  formula->digits = digits;
  formula->function = function;
  return formula;
}

void CollectParts(const FormulaPtr& formula, std::vector<FormulaPtr>& parts) {
  if (formula->op == Op::kColumn) parts.push_back(formula);
  for (const FormulaPtr& arg : formula->args) CollectParts(arg, parts);
}

FormulaPtr WithParts(const FormulaPtr& formula, const std::vector<std::string>& texts, std::size_t& next) {
  if (formula->op == Op::kColumn) return Part(texts.at(next++), formula->noisy);
  std::vector<FormulaPtr> args;
  for (const FormulaPtr& arg : formula->args) args.push_back(WithParts(arg, texts, next));
  return Apply(formula->op, std::move(args), formula->digits, formula->function);
}

std::optional<Range> RangeOf(const Formula& formula, const std::vector<Range>& parts, std::size_t& next) {
  if (formula.op == Op::kColumn) return Finite(parts.at(next++));
  std::vector<std::optional<Range>> args;
  for (const FormulaPtr& arg : formula.args) args.push_back(RangeOf(*arg, parts, next));
  if (args.empty() || std::any_of(args.begin(), args.end(), [](const auto& arg) { return !arg; })) return std::nullopt;
  if (args.size() == 1) {
    const auto range = Unary(formula, *args[0]);
    return range ? Finite(*range) : range;
  }
  std::optional<Range> range = args[0];
  for (std::size_t k = 1; k < args.size() && range; ++k) {
    range = Binary(formula.op, *range, *args[k]);
    if (range) range = Finite(*range);
  }
  return range;
}

}  // namespace kith::postprocess
