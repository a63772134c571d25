#include "after/formula.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

namespace kith::after {
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

std::optional<Range> Binary(FormulaOp op, const Range& a, const Range& b) {
  switch (op) {
    case FormulaOp::kAdd:
      return Range{a.low + b.low, a.high + b.high};
    case FormulaOp::kSubtract:
      return Range{a.low - b.high, a.high - b.low};
    case FormulaOp::kMultiply:
      return Around({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
    case FormulaOp::kDivide:
      if (b.low <= 0 && b.high >= 0) return std::nullopt;
      return Around({a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high});
    case FormulaOp::kGreatest:
      return Range{std::max(a.low, b.low), std::max(a.high, b.high)};
    case FormulaOp::kLeast:
      return Range{std::min(a.low, b.low), std::min(a.high, b.high)};
    default:
      return a;
  }
}

std::optional<Range> Unary(FormulaOp op, const Range& a, int digits) {
  switch (op) {
    case FormulaOp::kNegate:
      return Range{-a.high, -a.low};
    case FormulaOp::kAbs:
      if (a.low <= 0 && a.high >= 0) return Range{0, std::max(-a.low, a.high)};
      return Around({std::fabs(a.low), std::fabs(a.high)});
    case FormulaOp::kRound:
      return Range{Rounded(a.low, digits), Rounded(a.high, digits)};
    case FormulaOp::kFloor:
      return Range{std::floor(a.low), std::floor(a.high)};
    case FormulaOp::kCeil:
      return Range{std::ceil(a.low), std::ceil(a.high)};
    case FormulaOp::kSqrt:
      if (a.low < 0) return std::nullopt;
      return Range{std::sqrt(a.low), std::sqrt(a.high)};
    case FormulaOp::kLn:
      if (a.low <= 0) return std::nullopt;
      return Range{std::log(a.low), std::log(a.high)};
    case FormulaOp::kExp:
      return Range{std::exp(a.low), std::exp(a.high)};
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

FormulaPtr Apply(FormulaOp op, std::vector<FormulaPtr> args, int digits) {
  auto formula = std::make_shared<Formula>();
  formula->op = op;
  formula->args = std::move(args);
  formula->digits = digits;
  return formula;
}

void CollectParts(const FormulaPtr& formula, std::vector<FormulaPtr>& parts) {
  if (formula->op == FormulaOp::kPart) parts.push_back(formula);
  for (const FormulaPtr& arg : formula->args) CollectParts(arg, parts);
}

FormulaPtr WithParts(const FormulaPtr& formula, const std::vector<std::string>& texts, std::size_t& next) {
  if (formula->op == FormulaOp::kPart) return Part(texts.at(next++), formula->noisy);
  std::vector<FormulaPtr> args;
  for (const FormulaPtr& arg : formula->args) args.push_back(WithParts(arg, texts, next));
  return Apply(formula->op, std::move(args), formula->digits);
}

std::optional<Range> RangeOf(const Formula& formula, const std::vector<Range>& parts, std::size_t& next) {
  if (formula.op == FormulaOp::kPart) return Finite(parts.at(next++));
  std::vector<std::optional<Range>> args;
  for (const FormulaPtr& arg : formula.args) args.push_back(RangeOf(*arg, parts, next));
  if (args.empty() || std::any_of(args.begin(), args.end(), [](const auto& arg) { return !arg; })) return std::nullopt;
  if (args.size() == 1) {
    const auto range = Unary(formula.op, *args[0], formula.digits);
    return range ? Finite(*range) : range;
  }
  std::optional<Range> range = args[0];
  for (std::size_t k = 1; k < args.size() && range; ++k) {
    range = Binary(formula.op, *range, *args[k]);
    if (range) range = Finite(*range);
  }
  return range;
}

}  // namespace kith::after
