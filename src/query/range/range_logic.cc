// Three-valued logic, comparisons and NULLs.
#include <algorithm>
#include <cmath>

#include "base/meter.h"
#include "query/range/range_ops.h"

namespace kith {
namespace {

bool Holds(Op op, int order) {
  switch (op) {
    case Op::kEqual:
      return order == 0;
    case Op::kNotEqual:
      return order != 0;
    case Op::kLess:
      return order < 0;
    default:
      return order <= 0;
  }
}

// -1, 0, 1: which orders of two values are possible.
struct Orders {
  bool less = false, equal = false, greater = false;
};

template <class Number>
Orders OrdersOf(Number a_low, Number a_high, Number b_low, Number b_high) {
  return {a_low < b_high, a_low <= b_high && b_low <= a_high, a_high > b_low};
}

// The strings that a range can be; nothing if they are not known.
std::vector<const std::string*> TextsOf(const Range& a) {
  if (a.text) return {a.text};
  std::vector<const std::string*> texts;
  if (a.domain) {
    for (const Value& value : *a.domain) texts.push_back(&std::get<std::string>(value));
  }
  return texts;
}

Orders TextOrders(const Range& a, const Range& b) {
  if (a.text && b.text) {
    const int order = a.text->compare(*b.text);
    return {order<0, order == 0, order> 0};
  }
  const auto of_a = TextsOf(a), of_b = TextsOf(b);
  if (of_a.empty() || of_b.empty()) return {true, true, true};
  Orders orders;
  for (const auto* x : of_a) {
    Meter::Count(of_b.size());
    for (const auto* y : of_b) {
      const int order = x->compare(*y);
      (order < 0 ? orders.less : order == 0 ? orders.equal : orders.greater) = true;
    }
  }
  return orders;
}

Orders OrdersOf(const Range& a, const Range& b, Type type) {
  switch (type) {
    case Type::kBoolean:
      return OrdersOf(a.may_false ? 0 : 1, a.may_true ? 1 : 0, b.may_false ? 0 : 1, b.may_true ? 1 : 0);
    case Type::kReal:
      return OrdersOf(a.real_low, a.real_high, b.real_low, b.real_high);
    case Type::kText:
      return TextOrders(a, b);
    default:
      return OrdersOf(a.low, a.high, b.low, b.high);
  }
}

Range Settled(Range truth) {
  if (truth.may_true + truth.may_false + truth.may_null == 1) truth.secret = false;
  return truth;
}

}  // namespace

Range NullRange() {
  Range range;
  range.may_null = true;
  range.may_value = false;
  return range;
}

Range BooleanRange(bool may_true, bool may_false, bool may_null, bool secret) {
  Range range;
  range.may_true = may_true;
  range.may_false = may_false;
  range.may_null = may_null;
  range.may_value = may_true || may_false;
  range.secret = secret;
  return Settled(range);
}

Range IntegerRange(Int128 low, Int128 high) {
  Range range;
  range.low = low;
  range.high = high;
  return range;
}

Range RealRange(double low, double high, int grain) {
  Range range;
  range.real_low = low;
  range.real_high = high;
  range.grain = grain;
  return range;
}

int GrainOf(double value) {
  if (value == 0) return 0;
  int exponent = 0;
  const double mantissa = std::frexp(value, &exponent);
  const auto bits = static_cast<std::int64_t>(std::ldexp(mantissa, 53));
  return exponent - 53 + __builtin_ctzll(static_cast<unsigned long long>(bits));
}

Range ConstantRange(const Value& value, Type type) {
  if (std::holds_alternative<Null>(value)) return NullRange();
  if (type == Type::kBoolean) return BooleanRange(std::get<bool>(value), !std::get<bool>(value), false, false);
  if (type == Type::kReal) {
    const double real = std::get<double>(value);
    return RealRange(real, real, GrainOf(real));
  }
  if (type == Type::kText) {
    Range range;
    range.text = &std::get<std::string>(value);
    return range;
  }
  return IntegerRange(std::get<std::int64_t>(value), std::get<std::int64_t>(value));
}

bool IsKnown(const Range& range, Type type) {
  if (range.OnlyNull()) return true;
  if (range.may_null) return false;
  switch (type) {
    case Type::kNull:
      return true;
    case Type::kBoolean:
      return range.may_true != range.may_false;
    case Type::kReal:
      return range.real_low == range.real_high;
    case Type::kText:
      return range.text != nullptr;
    default:
      return range.low == range.high;
  }
}

Range Hull(const Range& a, const Range& b, Type type) {
  if (a.OnlyNull() || b.OnlyNull()) {
    Range other = a.OnlyNull() ? b : a;
    other.may_null = true;
    other.secret = a.secret || b.secret;
    return other;
  }
  Range hull;
  hull.may_null = a.may_null || b.may_null;
  hull.secret = a.secret || b.secret;
  hull.may_true = a.may_true || b.may_true;
  hull.may_false = a.may_false || b.may_false;
  hull.low = std::min(a.low, b.low);
  hull.high = std::max(a.high, b.high);
  hull.real_low = std::min(a.real_low, b.real_low);
  hull.real_high = std::max(a.real_high, b.real_high);
  hull.grain = std::min(a.grain, b.grain);
  if (type == Type::kText && a.text && b.text && *a.text == *b.text) hull.text = a.text;
  if (type == Type::kText && !a.text && !b.text && a.domain == b.domain) hull.domain = a.domain;
  return hull;
}

Range Compare(Op op, const Range& a, const Range& b, Type type) {
  if (a.OnlyNull() || b.OnlyNull()) return NullRange();
  const Orders orders = OrdersOf(a, b, type);
  bool may_true = false, may_false = false;
  const auto take = [&](bool possible, int order) {
    if (possible) (Holds(op, order) ? may_true : may_false) = true;
  };
  take(orders.less, -1);
  take(orders.equal, 0);
  take(orders.greater, 1);
  return BooleanRange(may_true, may_false, a.may_null || b.may_null, a.secret || b.secret);
}

Range And(const Range& a, const Range& b) {
  const bool may_null = (a.may_null && (b.may_null || b.may_true)) || (b.may_null && a.may_true);
  return BooleanRange(a.may_true && b.may_true, a.may_false || b.may_false, may_null, a.secret || b.secret);
}

Range Or(const Range& a, const Range& b) { return Not(And(Not(a), Not(b))); }

Range Not(const Range& a) { return BooleanRange(a.may_false, a.may_true, a.may_null, a.secret); }

Range Distinct(const Range& a, const Range& b, Type type) {
  const Range equal = Compare(Op::kEqual, a, b, type);
  const bool may_true = (a.may_null && b.may_value) || (b.may_null && a.may_value) || equal.may_false;
  return BooleanRange(may_true, (a.may_null && b.may_null) || equal.may_true, false, a.secret || b.secret);
}

Range NullIf(const Range& a, const Range& b, Type type) {
  const Range equal = Compare(Op::kEqual, a, b, type);
  if (!equal.may_true) return a;
  if (!equal.may_false && !equal.may_null) return NullRange();
  Range result = a;
  result.may_null = true;
  result.secret = a.secret || b.secret;
  return result;
}

Range IsNull(const Range& a) { return BooleanRange(a.may_null, a.may_value, false, a.secret); }

Range IsTruth(const Range& a, bool truth) {
  const bool yes = truth ? a.may_true : a.may_false, no = truth ? a.may_false : a.may_true;
  return BooleanRange(yes, no || a.may_null, false, a.secret);
}

Range Like(const Range& a, const LikePattern& pattern) {
  if (a.OnlyNull()) return NullRange();
  const auto texts = TextsOf(a);
  bool may_true = texts.empty(), may_false = texts.empty();
  for (const auto* text : texts) {
    Meter::Count(1 + pattern.tokens.size() * text->size() / 8);
    (pattern.Matches(*text) ? may_true : may_false) = true;
  }
  return BooleanRange(may_true, may_false, a.may_null, a.secret);
}

}  // namespace kith
