// Every abstract operation against its meaning, on all small arguments: the range holds every result, and what is said
// not to be secret does not change with a secret.
#include "query/range/range_ops.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <string>

#include "sql/functions.h"

namespace kith {
namespace {

using Number = std::optional<std::int64_t>;  // nothing: NULL
using Truth = std::optional<bool>;

// A set of values and whether it is a secret which one holds.
template <class T>
struct Argument {
  std::vector<T> values;
  bool secret = false;
  Range range;
};

std::vector<Argument<Number>> NumberArguments() {
  std::vector<Argument<Number>> all;
  for (const bool secret : {false, true}) {
    for (const bool null : {false, true}) {
      for (std::int64_t low = -3; low <= 3; ++low) {
        for (std::int64_t high = low; high <= std::min<std::int64_t>(3, low + 3); ++high) {
          Argument<Number> a{{}, secret, IntegerRange(low, high)};
          for (std::int64_t x = low; x <= high; ++x) a.values.emplace_back(x);
          if (null) a.values.emplace_back(std::nullopt);
          a.range.may_null = null;
          a.range.secret = secret && a.values.size() > 1;
          all.push_back(a);
        }
      }
    }
  }
  all.push_back({{std::nullopt}, false, NullRange()});
  return all;
}

std::vector<Argument<Truth>> TruthArguments() {
  std::vector<Argument<Truth>> all;
  for (int set = 1; set < 8; ++set) {
    for (const bool secret : {false, true}) {
      const bool t = set & 1, f = set & 2, n = set & 4;
      Argument<Truth> a{{}, secret, BooleanRange(t, f, n, secret)};
      if (t) a.values.emplace_back(true);
      if (f) a.values.emplace_back(false);
      if (n) a.values.emplace_back(std::nullopt);
      all.push_back(a);
    }
  }
  return all;
}

bool Holds(const Range& range, Number x) {
  return x ? range.may_value && *x >= range.low && *x <= range.high : range.may_null;
}
bool Holds(const Range& range, Truth x) { return x ? (*x ? range.may_true : range.may_false) : range.may_null; }

// Checks one binary operation on two arguments. Returns what is wrong, or nothing.
template <class T, class R>
std::string Wrong(const Argument<T>& a, const Argument<T>& b, const std::function<R(T, T)>& meaning,
                  const Range& range) {
  for (const T& x : a.values) {
    for (const T& y : b.values) {
      if (!Holds(range, meaning(x, y))) return "a result lies outside";
    }
  }
  if (range.secret) return {};
  for (const T& x : a.values) {
    for (const T& y : b.values) {
      for (const T& x2 : a.values) {
        for (const T& y2 : b.values) {
          const bool agree = (a.secret || x == x2) && (b.secret || y == y2);  // in what is public
          if (agree && meaning(x, y) != meaning(x2, y2)) return "a secret shows";
        }
      }
    }
  }
  return {};
}

template <class T, class R>
void CheckAll(const std::vector<Argument<T>>& arguments, const std::function<R(T, T)>& meaning,
              const std::function<Range(const Range&, const Range&)>& abstract) {
  for (const auto& a : arguments) {
    for (const auto& b : arguments) {
      // As in the evaluator: what is known is not secret.
      Range range = abstract(a.range, b.range);
      if (IsKnown(range, std::is_same_v<R, Truth> ? Type::kBoolean : Type::kInteger)) range.secret = false;
      ASSERT_EQ((Wrong<T, R>(a, b, meaning, range)), "") << a.values.size() << " and " << b.values.size() << " values";
    }
  }
}

using Calculate = std::function<Number(std::int64_t, std::int64_t)>;
std::function<Number(Number, Number)> Strict(const Calculate& f) {
  return [f](Number x, Number y) { return x && y ? f(*x, *y) : Number(); };
}
std::function<Truth(Number, Number)> StrictTest(const std::function<bool(std::int64_t, std::int64_t)>& f) {
  return [f](Number x, Number y) { return x && y ? Truth(f(*x, *y)) : Truth(); };
}

TEST(RangeOps, ArithmeticOfWholeNumbers) {
  const auto numbers = NumberArguments();
  const auto check = [&](const Calculate& meaning, const std::function<Range(const Range&, const Range&)>& abstract) {
    CheckAll<Number, Number>(numbers, Strict(meaning), abstract);
  };
  check([](auto x, auto y) { return x + y; }, [](auto& a, auto& b) { return Add(a, b, Type::kInteger); });
  check([](auto x, auto y) { return x - y; }, [](auto& a, auto& b) { return Subtract(a, b, Type::kInteger); });
  check([](auto x, auto y) { return x * y; }, [](auto& a, auto& b) { return Multiply(a, b, Type::kInteger); });
  check([](auto x, auto y) { return x * x + y; },
        [](auto& a, auto& b) { return Add(Square(a, Type::kInteger), b, Type::kInteger); });
  check([](auto x, auto y) { return y == 0 ? Number() : Number(x / y); }, IntegerDivide);
  check([](auto x, auto y) { return y == 0 ? Number() : Number(x % y); }, Modulo);
  check([](auto x, auto) { return -x; },
        [](auto& a, auto& b) {
          return Subtract(Negate(a, Type::kInteger), Multiply(b, IntegerRange(0, 0), Type::kInteger), Type::kInteger);
        });
  check([](auto x, auto y) { return std::abs(x) + y; },
        [](auto& a, auto& b) { return Add(Abs(a, Type::kInteger), b, Type::kInteger); });
}

TEST(RangeOps, GreatestAndLeastLeaveNullsOut) {
  const auto meaning = [](bool greatest) {
    return [greatest](Number x, Number y) {
      return !x ? y : !y ? x : Number(greatest ? std::max(*x, *y) : std::min(*x, *y));
    };
  };
  for (const bool greatest : {true, false}) {
    CheckAll<Number, Number>(NumberArguments(), meaning(greatest), [&](auto& a, auto& b) {
      return Extreme({a, b}, Type::kInteger, greatest);
    });
  }
}

TEST(RangeOps, Comparisons) {
  const auto numbers = NumberArguments();
  const auto check = [&](Op op, const std::function<bool(std::int64_t, std::int64_t)>& meaning) {
    CheckAll<Number, Truth>(numbers, StrictTest(meaning),
                            [op](auto& a, auto& b) { return Compare(op, a, b, Type::kInteger); });
  };
  check(Op::kEqual, [](auto x, auto y) { return x == y; });
  check(Op::kNotEqual, [](auto x, auto y) { return x != y; });
  check(Op::kLess, [](auto x, auto y) { return x < y; });
  check(Op::kLessEqual, [](auto x, auto y) { return x <= y; });
  CheckAll<Number, Truth>(
      numbers, [](Number x, Number y) { return Truth(x != y); },
      [](auto& a, auto& b) { return Distinct(a, b, Type::kInteger); });
  CheckAll<Number, Number>(
      numbers, [](Number x, Number y) { return x && y && *x == *y ? Number() : x; },
      [](auto& a, auto& b) { return NullIf(a, b, Type::kInteger); });
  CheckAll<Number, Truth>(
      numbers, [](Number x, Number) { return Truth(!x); }, [](auto& a, auto&) { return IsNull(a); });
}

TEST(RangeOps, ThreeValuedLogic) {
  const auto truths = TruthArguments();
  const auto check = [&](const std::function<Truth(Truth, Truth)>& meaning,
                         const std::function<Range(const Range&, const Range&)>& abstract) {
    CheckAll<Truth, Truth>(truths, meaning, abstract);
  };
  const Truth null;
  check([&](Truth x, Truth y) { return x == false || y == false ? Truth(false) : x && y ? Truth(true) : null; }, And);
  check([&](Truth x, Truth y) { return x == true || y == true ? Truth(true) : x && y ? Truth(false) : null; }, Or);
  check([&](Truth x, Truth) { return x ? Truth(!*x) : null; }, [](auto& a, auto&) { return Not(a); });
  check([&](Truth x, Truth) { return Truth(x == true); }, [](auto& a, auto&) { return IsTruth(a, true); });
  check([&](Truth x, Truth) { return Truth(x == false); }, [](auto& a, auto&) { return IsTruth(a, false); });
  check([&](Truth x, Truth y) { return x && y ? Truth(*x == *y) : null; },
        [](auto& a, auto& b) { return Compare(Op::kEqual, a, b, Type::kBoolean); });
}

// The twin: the checks above must see an analysis that forgets NULL, cuts a bound, or forgets a secret.
TEST(RangeOps, TheChecksAboveSeePlantedFaults) {
  const Argument<Number> a{{1, 2, std::nullopt}, true, [] {
                             Range r = IntegerRange(1, 2);
                             r.may_null = r.secret = true;
                             return r;
                           }()};
  const auto sum = Strict([](auto x, auto y) { return x + y; });
  const Range good = Add(a.range, a.range, Type::kInteger);
  EXPECT_EQ((Wrong<Number, Number>(a, a, sum, good)), "");
  Range faulty = good;
  faulty.may_null = false;
  EXPECT_EQ((Wrong<Number, Number>(a, a, sum, faulty)), "a result lies outside");
  faulty = good;
  faulty.high -= 1;
  EXPECT_EQ((Wrong<Number, Number>(a, a, sum, faulty)), "a result lies outside");
  faulty = good;
  faulty.secret = false;
  EXPECT_EQ((Wrong<Number, Number>(a, a, sum, faulty)), "a secret shows");
}

Range Real(double low, double high) { return RealRange(low, high, std::min(GrainOf(low), GrainOf(high))); }

TEST(RangeOps, RealDivisionKeepsClearOfZero) {
  // Whole divisors are at least 1 from zero.
  const Range whole = Divide(Real(-6, 9), RealRange(-2, 5, 0));
  EXPECT_EQ(whole.real_low, -9);
  EXPECT_EQ(whole.real_high, 9);
  EXPECT_TRUE(whole.may_null);
  const Range positive = Divide(Real(1, 10), Real(2, 4));
  EXPECT_EQ(positive.real_low, 0.25);
  EXPECT_EQ(positive.real_high, 5);
  EXPECT_FALSE(positive.may_null);
  EXPECT_TRUE(Divide(Real(1, 10), Real(0, 0)).OnlyNull());
  // A real divisor can be as near zero as its grain allows.
  EXPECT_EQ(Divide(Real(1, 1), RealRange(0, 1, -20)).real_high, 0x1p20);
}

TEST(RangeOps, GrainIsTheLowestBitInUse) {
  EXPECT_EQ(GrainOf(1), 0);
  EXPECT_EQ(GrainOf(-6), 1);
  EXPECT_EQ(GrainOf(0.375), -3);
  EXPECT_EQ(GrainOf(std::numeric_limits<double>::denorm_min()), -1074);
  // Products of multiples are multiples of the product.
  const Range product = Multiply(RealRange(0, 3, -4), RealRange(0, 5, -7), Type::kReal);
  EXPECT_EQ(product.grain, -11);
}

TEST(RangeOps, RoundingIsHalfUp) {
  const auto round = [](double x, int digits) { return Round(Real(x, x), digits).real_low; };
  EXPECT_EQ(round(2.5, 0), 3);
  EXPECT_EQ(round(-2.5, 0), -2);
  EXPECT_EQ(round(3.14159, 2), 3.14);
  EXPECT_EQ(round(1250, -2), 1300);
}

TEST(RangeOps, TextIsComparedByteByByte) {
  const Value a = std::string("a"), b = std::string("B"), umlaut = std::string("\xC3\xA4");
  const auto less = [](const Value& x, const Value& y) {
    return Compare(Op::kLess, ConstantRange(x, Type::kText), ConstantRange(y, Type::kText), Type::kText).may_true;
  };
  EXPECT_TRUE(less(b, a));
  EXPECT_TRUE(less(a, umlaut));
  EXPECT_FALSE(less(umlaut, a));
}

// Every curve of the table.
std::vector<const RealCurve*> Curves() {
  std::vector<const RealCurve*> curves;
  for (const SqlFunction& f : SqlFunctions()) {
    if (f.kind == FunctionKind::kCurve) curves.push_back(&f.curve);
  }
  return curves;
}

std::optional<double> On(const RealCurve& curve, double x) {
  const bool there = curve.closed ? x >= curve.from : x > curve.from;
  return there ? curve.of(x) : curve.before;
}

// Ends and points between, by libraries that may differ in the last bits.
int Outside(double moved) {
  int outside = 0;
  const double grid[] = {-90, -80, -7.25, -1, -0.5, 0, 0.25, 1, 1.5, 2, 10, 100, 600};
  for (const double low : grid) {
    for (const double high : grid) {
      if (low > high) continue;
      const Range x = RealRange(low, high, -2);
      const auto look = [&](const Range& range, double at, double value, bool null) {
        if (null) return outside += range.may_null ? 0 : 1;
        const double off = std::abs(value) * moved;
        const bool holds = range.may_value && value - off >= range.real_low && value + off <= range.real_high;
        const double steps = value == 0 ? 0 : std::ldexp(value, -range.grain);
        EXPECT_TRUE(steps == std::floor(steps) || std::abs(steps) > 0x1p53) << at;
        return outside += holds ? 0 : 1;
      };
      for (double at = low; at <= high; at += 0.25) {
        for (const RealCurve* curve : Curves()) {
          const auto value = On(*curve, at);
          look(Along(*curve, x), at, value.value_or(0), !value);
        }
        for (const double y : {-1.5, 0.5, 2.5}) {
          const bool null = at < 0 || (at == 0 && y <= 0);
          look(Power(x, RealRange(y, y, -1)), at, null ? 0 : std::pow(at, y), null);
        }
        look(Power(RealRange(1.5, 1.5, -1), x), at, std::pow(1.5, at), false);
      }
    }
  }
  return outside;
}

TEST(RangeOps, CurvesNowhereFall) {
  for (const RealCurve* curve : Curves()) {
    EXPECT_TRUE(curve->closed || curve->from == 0);
    double before = curve->before.value_or(-std::numeric_limits<double>::infinity());
    for (double x = std::isinf(curve->from) ? -50 : curve->from + 0x1p-10; x < 50; x += 0.375) {
      EXPECT_GE(curve->of(x), before);
      before = curve->of(x);
    }
  }
}

// Roots have no last bit to differ in.
TEST(RangeOps, FunctionsStayInsideWhateverTheirLastBits) {
  EXPECT_EQ(Outside(0), 0);
  EXPECT_EQ(Outside(0x1p-50) > 0, true);  // roots at the ends
}

TEST(RangeOps, FunctionsWithoutAValueAreNull) {
  EXPECT_TRUE(Along(FindFunction("sqrt")->curve, RealRange(-2, -1, 0)).OnlyNull());
  EXPECT_TRUE(Along(FindFunction("ln")->curve, RealRange(-2, 0, 0)).OnlyNull());
  EXPECT_TRUE(Power(RealRange(-2, -1, 0), RealRange(0.5, 0.5, -1)).OnlyNull());
  EXPECT_FALSE(Power(RealRange(1, 2, 0), RealRange(0.5, 0.5, -1)).may_null);
  // One value of a function is not known to the last bit, one of a root is.
  EXPECT_FALSE(IsKnown(Along(FindFunction("exp")->curve, RealRange(1, 1, 0)), Type::kReal));
  EXPECT_TRUE(IsKnown(Along(FindFunction("sqrt")->curve, RealRange(2, 2, 0)), Type::kReal));
}

}  // namespace
}  // namespace kith
