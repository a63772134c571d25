#include "kernel/check/possible.h"

#include <algorithm>
#include <cmath>

namespace kith::check {
namespace {

Names Common(const Names& a, const Names& b) {
  if (!a || !b) return a ? a : b;
  auto both = std::make_shared<std::set<std::string>>();
  std::set_intersection(a->begin(), a->end(), b->begin(), b->end(), std::inserter(*both, both->end()));
  return both;
}

void Depend(Possible& made, const Possible& on) {
  made.secret = made.secret || on.secret;
  made.by_row = made.by_row || on.by_row;
  made.places = Common(made.places, on.places);
  made.others = Common(made.others, on.others);
}

bool Empty(const Possible& p) { return p.low > p.high; }

// 0 times endless is 0: no value is endless.
double Product(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }

bool Never(const Possible& p, const Possible& constant) {
  return p.never && constant.is && std::find(p.never->begin(), p.never->end(), *constant.is) != p.never->end();
}

}  // namespace

Possible Constant(const Value& value) {
  Possible p;
  p.null = std::holds_alternative<Null>(value);
  if (p.null) {
    p.low = kEndless;
    p.high = -kEndless;
    p.values = 0;
    return p;
  }
  p.values = 1;
  p.is = value;
  if (const auto* truth = std::get_if<bool>(&value)) p.low = p.high = *truth ? 1 : 0;
  if (const auto* whole = std::get_if<std::int64_t>(&value)) {
    p.low = p.high = static_cast<double>(*whole);
    if (p.low >= kExact) p.high = kEndless;
    if (p.high <= -kExact) p.low = -kEndless;
    if (p.high == kEndless) p.low = kExact;
    if (p.low == -kEndless) p.high = -kExact;
  }
  if (const auto* real = std::get_if<double>(&value)) {
    p.low = p.high = *real;
    p.real = true;
  }
  return p;
}

Possible Between(double low, double high) {
  Possible p;
  p.low = low;
  p.high = high;
  return p;
}

Possible Truth(bool may_be_true, bool may_be_false, bool null) {
  Possible p = Between(may_be_false ? 0 : 1, may_be_true ? 1 : 0);
  p.null = null;
  p.values = 2;
  return p;
}

Possible Hull(const Possible& a, const Possible& b) {
  Possible p;
  p.low = std::min(a.low, b.low);
  p.high = std::max(a.high, b.high);
  p.null = a.null || b.null;
  p.real = a.real || b.real;
  p.values = a.values + b.values;
  if (a.is && b.is && *a.is == *b.is && !a.real) p.values = 1;
  if (a.never && b.never) {
    p.never = *a.never == *b.never ? a.never : nullptr;
  } else if ((a.never && b.is) || (b.never && a.is)) {
    std::vector<Value> never = a.never ? *a.never : *b.never;
    std::erase(never, a.never ? *b.is : *a.is);
    p.never = std::make_shared<const std::vector<Value>>(std::move(never));
  }
  Depend(p, a);
  Depend(p, b);
  return p;
}

Possible Made(const std::vector<Possible>& of) {
  Possible p;
  for (const Possible& arg : of) {
    Depend(p, arg);
    p.real = p.real || arg.real;
  }
  return p;
}

Possible Chosen(Possible value, const Possible& by) {
  Depend(value, by);
  value.is.reset();
  value.role = Role::kNone;
  value.of_household = false;
  value.own = value.alone = kEndless;
  return Settled(std::move(value));
}

Possible Settled(Possible p) {
  if (!p.real && p.low < -kExact) p.low = -kEndless;
  if (!p.real && p.high > kExact) p.high = kEndless;
  const bool one = !p.null && p.low == p.high && std::abs(p.low) <= kExact && !p.real;
  if (one || (p.null && Empty(p))) p.secret = p.by_row = false;
  if (!p.real && !Empty(p)) p.values = std::min(p.values, p.high - p.low + 1);
  return p;
}

Possible Plus(const Possible& a, const Possible& b) {
  Possible p = Made({a, b});
  p.null = a.null || b.null;
  p.low = a.low + b.low;
  p.high = a.high + b.high;
  if (Empty(a) || Empty(b)) p.low = kEndless, p.high = -kEndless;
  // Shifted by a constant: it moves as far as before.
  const bool first = b.low == b.high && !b.null && !b.secret;
  const bool second = !first && a.low == a.high && !a.null && !a.secret;
  if (first || second) {
    p.own = first ? a.own : b.own;
    p.alone = first ? a.alone + std::abs(b.low) : b.alone + std::abs(a.low);
  }
  return Settled(p);
}

Possible Negated(const Possible& a) {
  Possible p = Made({a});
  p.null = a.null;
  p.low = -a.high;
  p.high = -a.low;
  p.values = a.values;
  return Settled(Kept(p, a));
}

Possible Minus(const Possible& a, const Possible& b) { return Plus(a, Negated(b)); }

Possible Times(const Possible& a, const Possible& b) {
  Possible p = Made({a, b});
  p.null = a.null || b.null;
  const double ends[] = {Product(a.low, b.low), Product(a.low, b.high), Product(a.high, b.low),
                         Product(a.high, b.high)};
  p.low = *std::min_element(std::begin(ends), std::end(ends));
  p.high = *std::max_element(std::begin(ends), std::end(ends));
  if (Empty(a) || Empty(b)) p.low = kEndless, p.high = -kEndless;
  const bool first = b.low == b.high && !b.null && !b.secret;
  if (first || (a.low == a.high && !a.null && !a.secret)) {
    const Possible &of = first ? a : b, &by = first ? b : a;
    p.own = Product(of.own, std::abs(by.low));
    p.alone = Product(of.alone, std::abs(by.low));
  }
  return Settled(p);
}

Possible Quotient(const Possible& a, const Possible& b, bool real) {
  Possible p = Made({a, b});
  p.real = real;
  p.null = a.null || b.null || (b.low <= 0 && b.high >= 0);
  if (Empty(a) || Empty(b)) {
    p.low = kEndless, p.high = -kEndless;
  } else if (a.low == 0 && a.high == 0 && b.low > -kEndless && b.high < kEndless) {
    p.low = p.high = 0;
  } else if (b.low > 0 || b.high < 0) {
    const double ends[] = {a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high};
    p.low = *std::min_element(std::begin(ends), std::end(ends));
    p.high = *std::max_element(std::begin(ends), std::end(ends));
    if (std::isnan(p.low) || std::isnan(p.high)) p.low = -kEndless, p.high = kEndless;
  } else if (!real && !b.real) {
    p.high = std::max(std::abs(a.low), std::abs(a.high));
    p.low = -p.high;
  }
  if (!real && !Empty(p)) p.low = std::trunc(p.low), p.high = std::trunc(p.high);
  return Settled(p);
}

Possible Remainder(const Possible& a, const Possible& b) {
  Possible p = Made({a, b});
  p.null = a.null || b.null || (b.low <= 0 && b.high >= 0);
  if (Empty(a) || Empty(b)) {
    p.low = kEndless, p.high = -kEndless;
  } else if (!a.real && !b.real) {
    const double most = std::max(std::abs(b.low), std::abs(b.high)) - 1;
    p.low = a.low < 0 ? std::max(a.low, -most) : 0;
    p.high = a.high > 0 ? std::min(a.high, most) : 0;
    if (a.low == a.high && b.low == b.high && b.low != 0 && std::abs(a.low) < kExact)
      p.low = p.high = std::fmod(a.low, b.low);
  }
  return Settled(p);
}

Possible Mapped(Possible p, double (*function)(double)) {
  p.is.reset();
  p.never.reset();
  p.role = Role::kNone;
  p.own = p.alone = kEndless;
  if (p.low > p.high) return p;
  p.low = function(p.low);
  p.high = function(p.high);
  return Settled(p);
}

Possible Kept(Possible p, const Possible& of) {
  p.own = of.own;
  p.alone = of.alone;
  return p;
}

Possible Cut(Possible p, double low, double high) {
  // What is cut lies nearer to what is not, but may come to lie farther from 0.
  p.alone = std::max(p.alone, low > 0 ? low : high < 0 ? -high : 0);
  p.is.reset();
  p.never.reset();
  p.role = Role::kNone;
  if (Empty(p)) return p;
  p.low = std::clamp(p.low, low, high);
  p.high = std::clamp(p.high, low, high);
  return Settled(p);
}

Possible And(const std::vector<Possible>& all) {
  bool may_be_true = true, may_be_false = false, must_be_false = false, null = false;
  for (const Possible& p : all) {
    may_be_true = may_be_true && p.MayBeTrue();
    may_be_false = may_be_false || p.low <= 0;
    must_be_false = must_be_false || p.MustBeFalse();
    null = null || p.null;
  }
  Possible p = Truth(may_be_true, may_be_false || (!may_be_true && !null), null && !must_be_false);
  for (const Possible& part : all) Depend(p, part);
  if (must_be_false) p.high = p.low = 0;
  return Settled(p);
}

Possible Or(const std::vector<Possible>& any) {
  std::vector<Possible> negated;
  for (const Possible& p : any) negated.push_back(Not(p));
  return Not(And(negated));
}

Possible Not(const Possible& a) {
  Possible p = Truth(a.low <= 0, a.MayBeTrue(), a.null);
  Depend(p, a);
  return Settled(p);
}

Possible Compared(const std::string& sign, const Possible& a, const Possible& b) {
  bool may_be_true = true, may_be_false = true;
  if (sign == "IS DISTINCT FROM") {
    const Possible same = Compared("=", a, b);
    const Possible p = Truth(a.null || b.null || same.low <= 0, same.MayBeTrue() || (a.null && b.null), false);
    return Chosen(p, Made({a, b}));
  }
  if (sign == "<>") return Not(Compared("=", a, b));
  if (sign == ">" || sign == ">=") return Compared(sign == ">" ? "<" : "<=", b, a);
  const bool apart = a.high < b.low || b.high < a.low;
  const bool same = a.is && b.is && *a.is == *b.is;
  // Values of one type that are not spelled alike are not equal. Reals and whole numbers are compared by their ends.
  const bool texts = a.is && b.is && a.is->index() == b.is->index() && !a.real;
  if (sign == "=") {
    may_be_true = !apart && !(texts && !same) && !Never(a, b) && !Never(b, a);
    may_be_false = !same && !(a.low == a.high && b.low == b.high && a.low == b.low && std::abs(a.low) < kExact);
  } else if (!(a.is && std::holds_alternative<std::string>(*a.is)) &&
             !(b.is && std::holds_alternative<std::string>(*b.is))) {
    may_be_true = sign == "<" ? a.low < b.high : a.low <= b.high;
    may_be_false = sign == "<" ? a.high >= b.low : a.high > b.low;
    // NaN is above everything or comparable to nothing.
    if ((a.real && a.high == kEndless) || (b.real && b.high == kEndless)) may_be_true = may_be_false = true;
  }
  if (Empty(a) || Empty(b)) may_be_true = may_be_false = false;
  Possible p = Truth(may_be_true, may_be_false, a.null || b.null);
  Depend(p, a);
  Depend(p, b);
  return Settled(p);
}

}  // namespace kith::check
