// sign, roots, logarithms, exponentials and powers.
#include <fmt/format.h>

#include <cmath>

#include "query/bind/typing.h"
#include "query/bind/value_functions.h"
#include "query/bind/value_list.h"

namespace kith {
namespace {

constexpr double kMostFactors = 16;  // a power of a larger whole exponent is left to the engine

Result<ExprPtr> Real(const ExprPtr& x, const std::string& where) {
  const auto number = MakeNumber(x, where);
  return number ? Convert(*number, Type::kReal, where) : number;
}

// By halving: an even power is the square of one pointer, and so known not to be negative.
ExprPtr Product(const ExprPtr& x, int factors) {
  if (factors == 1) return x;
  const ExprPtr half = Product(x, factors / 2);
  const ExprPtr square = MakeExpr(Op::kMultiply, Type::kReal, {half, half});
  return factors % 2 == 0 ? square : MakeExpr(Op::kMultiply, Type::kReal, {square, x});
}

}  // namespace

Result<ExprPtr> MakeSign(const ExprPtr& x, const Table& table, const std::string& where) {
  const auto number = MakeNumber(x, where);
  if (!number) return number;
  const ExprPtr zero =
      (*number)->type == Type::kReal ? MakeConstant(0.0, Type::kReal) : MakeConstant(std::int64_t{0}, Type::kInteger);
  const auto is = [&](Op op, const ExprPtr& a, const ExprPtr& b) { return MakeExpr(op, Type::kBoolean, {a, b}); };
  const auto whole = [](std::int64_t n) { return MakeConstant(n, Type::kInteger); };
  const ExprPtr sign = MakeExpr(Op::kCase, Type::kInteger,
                                {is(Op::kLess, zero, *number), whole(1), is(Op::kLess, *number, zero), whole(-1),
                                 is(Op::kEqual, *number, zero), whole(0), MakeConstant(Null{}, Type::kInteger)});
  return Labelled(sign, fmt::format("sign({})", CanonicalText(**number, table)));
}

Result<ExprPtr> MakeOnCurve(const SqlFunction& function, const ExprPtr& x, const std::string& where) {
  const auto real = Real(x, where);
  return real ? MakeCurve(function, *real) : real;
}

Result<ExprPtr> MakePower(const ExprPtr& base, const ExprPtr& exponent, const Table& table, const std::string& where) {
  const auto x = Real(base, where), y = Real(exponent, where);
  if (!x) return x;
  if (!y) return y;
  if (IsNullConstant(**x) || IsNullConstant(**y)) return MakeConstant(Null{}, Type::kReal);
  if ((*x)->op != Op::kConstant && (*y)->op != Op::kConstant) {
    return Unsupported("one argument of power must be a constant", where, "write power(x, 2), or exp(y * ln(x))");
  }
  if ((*y)->op == Op::kConstant) {
    const double n = std::get<double>((*y)->value), size = std::abs(n);
    if (size == std::floor(size) && size >= 1 && size <= kMostFactors) {
      const ExprPtr product = Product(*x, static_cast<int>(size));
      const ExprPtr power =
          n > 0 ? product : MakeExpr(Op::kDivide, Type::kReal, {MakeConstant(1.0, Type::kReal), product});
      const std::string text = DisplayText(**x, table);
      return n == 1 ? power : Labelled(power, fmt::format("power({}, {})", text, static_cast<int>(n)));
    }
  }
  return MakeExpr(Op::kPower, Type::kReal, {*x, *y});
}

}  // namespace kith
