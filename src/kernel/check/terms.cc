#include "kernel/check/terms.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "kernel/check/same.h"

namespace kith::check {
namespace {

using sql::Form;

Value FromNumber(Int128 n) {
  if (n > (Int128{1} << 62) || n < -(Int128{1} << 62)) return static_cast<double>(n);
  return static_cast<std::int64_t>(n);
}

}  // namespace

Possible Terms::Refuse(const std::string& why) {
  context_.reason.Say(why);
  return {};
}

std::vector<Possible> Terms::Args(const sql::Node& node, std::size_t from) {
  std::vector<Possible> all;
  for (std::size_t k = from; k < node.args.size(); ++k) all.push_back(Of(node.args[k]));
  return all;
}

Possible Terms::Of(const sql::Term& term) {
  if (!term) return Refuse("a part of a term is missing");
  if (aggregates_ && IsAggregate(*term)) return aggregates_(*term);
  if (term->filter) return Refuse("FILTER where no aggregate is");
  if (!IsWrittenAsMeant(*term)) return Refuse("a term is not written as it is meant");
  Possible p = ByForm(*term);
  if (term->form == Form::kParen) return p;
  for (const auto& [known, what] : known_) {
    if (!Same(known, term)) continue;
    p.low = std::max(p.low, what.low);
    p.high = std::min(p.high, what.high);
    p.null = p.null && what.null;
    p.values = std::min(p.values, what.values);
    p = Settled(p);
  }
  return p;
}

void Terms::Assume(const sql::Term& condition) {
  const sql::Node& node = *condition;
  const auto end = [&](const sql::Term& term) { return Of(term); };
  const auto know = [&](const sql::Term& term, double low, double high) {
    Possible p = Between(low, high);
    p.null = false;
    const sql::Term bare = term->form == Form::kParen ? term->args[0] : term;
    known_.emplace_back(bare, p);
  };
  if (node.form == Form::kParen) return Assume(node.args[0]);
  if (node.form == Form::kInfix && node.text == " AND ") {
    for (const sql::Term& arg : node.args) Assume(arg);
  } else if (node.form == Form::kBetween) {
    know(node.args[0], end(node.args[1]).low, end(node.args[2]).high);
  } else if (node.form == Form::kSuffix && node.text == " IS NOT NULL") {
    know(node.args[0], -kEndless, kEndless);
  } else if (node.form == Form::kIn && !node.values.empty()) {
    Possible hull = Constant(Null{});
    const Possible x = Of(node.args[0]);
    double values = 0;
    for (const Value& value : node.values) {
      const Possible one = Constant(value);
      if (!Compared("=", x, one).MayBeTrue()) continue;
      hull = Hull(hull, one);
      ++values;
    }
    know(node.args[0], hull.low, hull.high);
    known_.back().second.values = values;
  } else if (node.form == Form::kInfix && node.args.size() == 2) {
    const bool equal = node.text == " = ",
               below = node.text == " < " || node.text == " <= ", above = node.text == " > " || node.text == " >= ";
    if (!equal && !below && !above) return;
    const Possible a = end(node.args[0]), b = end(node.args[1]);
    // NaN is above everything: only an end on that side says that it is not there.
    const bool not_nan = !a.real;
    know(node.args[0], (above || equal) && not_nan ? b.low : -kEndless, (below || equal) ? b.high : kEndless);
    know(node.args[1], (below || equal) && !b.real ? a.low : -kEndless, (above || equal) ? a.high : kEndless);
  }
}

Possible Terms::ByForm(const sql::Node& node) {
  switch (node.form) {
    case Form::kName:
    case Form::kColumn:
      return Named(node);
    case Form::kLiteral:
    case Form::kConstant:
      return Constant(node.value);
    case Form::kNumber:
      return Constant(FromNumber(node.low));
    case Form::kParen:
    case Form::kCollated:
      return Of(node.args[0]);
    case Form::kInfix:
      return Infix(node);
    case Form::kPrefix:
      if (node.text == "- ") return Negated(Of(node.args[0]));
      return node.text == "NOT " ? Not(Of(node.args[0])) : Refuse("an operator that is not known");
    case Form::kSuffix:
      return Suffix(node);
    case Form::kCall:
      return Call(node);
    case Form::kCase:
      return Case(node);
    case Form::kSimpleCase:
      return SimpleCase(node);
    case Form::kCast: {
      Possible p = Of(node.args[0]);
      const bool whole = node.stored == sql::Stored::kNarrow || node.stored == sql::Stored::kWhole ||
                         node.stored == sql::Stored::kWide;
      if (whole && p.real) p = Mapped(p, std::nearbyint);
      p.real = node.stored == sql::Stored::kReal || (p.real && !whole);
      // Large whole numbers meet in one real, and every number but 0 is true.
      if (p.real) p.role = Role::kNone, p.never.reset();
      if (node.stored == sql::Stored::kBoolean && !(p.low >= 0 && p.high <= 1)) return Made({p});
      if (whole || p.real) return p.is && std::holds_alternative<std::string>(*p.is) ? Made({p}) : p;
      return node.stored == sql::Stored::kBoolean ? p : Made({p});
    }
    case Form::kBetween: {
      const Possible x = Of(node.args[0]);
      return And({Compared(">=", x, Of(node.args[1])), Compared("<=", x, Of(node.args[2]))});
    }
    case Form::kIn:
      return In(node);
    case Form::kPosition:
      return Position(node);
    case Form::kLike: {
      Possible p = Truth(true, true, true);
      const Possible of = Of(node.args[0]);
      p = Chosen(p, of);
      p.null = of.null;
      return p;
    }
    case Form::kWindow:
    case Form::kFirst:
      return WindowOf(node, rows_, *this, context_);
    case Form::kIntegerDivide:
      return Quotient(Of(node.args[0]), Of(node.args[1]), false);
    case Form::kGreatest:
    case Form::kLeast: {
      const auto args = Args(node);
      Possible p = Made(args);
      p.low = node.form == Form::kGreatest ? -kEndless : kEndless;
      p.high = node.form == Form::kGreatest ? -kEndless : kEndless;
      p.null = true;
      double lowest = kEndless, highest = -kEndless;
      for (const Possible& arg : args) {
        if (node.form == Form::kGreatest && !arg.null) p.low = std::max(p.low, arg.low);
        if (node.form == Form::kLeast && !arg.null) p.high = std::min(p.high, arg.high);
        lowest = std::min(lowest, arg.low);
        highest = std::max(highest, arg.high);
        p.null = p.null && arg.null;
      }
      if (node.form == Form::kGreatest) {
        p.low = std::max(p.low, lowest);
        p.high = highest;
      } else {
        p.low = lowest;
        p.high = std::min(p.high, highest);
      }
      return Settled(p);
    }
    case Form::kIsTrue:
    case Form::kIsNotTrue:
    case Form::kIsFalse: {
      const Possible of = Of(node.args[0]);
      const bool about_false = node.form == Form::kIsFalse;
      const bool may = about_false ? of.low <= 0 : of.MayBeTrue(),
                 must = about_false ? of.MustBeFalse() : of.MustBeTrue();
      const Possible p = Chosen(Truth(may, !must, false), of);
      return node.form == Form::kIsNotTrue ? Not(p) : p;
    }
    case Form::kIsFinite:
      return Chosen(Truth(true, true, true), Of(node.args[0]));
    case Form::kDaysBetween:
      return Minus(Of(node.args[0]), Of(node.args[1]));
    case Form::kDatePart:
      return DatePart(node);
    case Form::kDateTrunc:
    case Form::kRowHash:
      return Made(Args(node));
    case Form::kSteps: {
      const Possible x = Of(node.args[0]);
      Possible p = Mapped(x, std::nearbyint);
      const double most = node.flag ? 2147483647.0 : kExact;
      p.null = x.null || p.low < -most || p.high > most;
      return p;
    }
    case Form::kWithin: {
      Possible p = Of(node.args[0]);
      if (!node.flag) p = Cut(p, static_cast<double>(node.low), static_cast<double>(node.high));
      p.real = false;
      return p;
    }
    case Form::kEither:
      return Hull(Of(node.args[0]), Of(node.args[1]));
    case Form::kClamped:
      return Clamped(node);
    case Form::kStar:
      return Refuse("* where a value is expected");
    case Form::kCount:
    case Form::kMin:
    case Form::kMax:
    case Form::kSum:
    case Form::kSumDivide:
      return Refuse("an aggregate where a value of a row is expected");
  }
  return Refuse("a term of an unknown form");
}

Possible Terms::Named(const sql::Node& node) {
  const RowColumn* column = Find(rows_, node, context_.reason);
  return column ? column->what : Possible();
}

Possible Terms::Infix(const sql::Node& node) {
  const std::string& sign = node.text;
  const auto args = Args(node);
  if (args.empty()) return Refuse("an operator without arguments");
  if (sign == " AND ") return And(args);
  if (sign == " OR ") return Or(args);
  if (sign == " * " && args.size() == 2 && Same(node.args[0], node.args[1]) && args[0].low <= args[0].high) {
    Possible p = Times(args[0], args[0]);
    p.low = args[0].low <= 0 && args[0].high >= 0 ? 0 : std::min(std::abs(args[0].low), std::abs(args[0].high));
    p.low *= p.low;
    p.own = p.alone = kEndless;
    return Settled(p);
  }
  if (sign == " + " || sign == " - " || sign == " * ") {
    Possible p = args[0];
    for (std::size_t k = 1; k < args.size(); ++k)
      p = sign == " + " ? Plus(p, args[k]) : sign == " - " ? Minus(p, args[k]) : Times(p, args[k]);
    return p;
  }
  if (sign == " / " && args.size() == 2) return Quotient(args[0], args[1], true);
  if (sign == " % " && args.size() == 2) return Remainder(args[0], args[1]);
  if (sign == " IS DISTINCT FROM " && args.size() == 2) return Compared("IS DISTINCT FROM", args[0], args[1]);
  const bool compares =
      sign == " = " || sign == " <> " || sign == " < " || sign == " <= " || sign == " > " || sign == " >= ";
  if (compares && args.size() == 2) return Compared(sign.substr(1, sign.size() - 2), args[0], args[1]);
  return Refuse("an operator that is not known");
}

Possible Terms::Suffix(const sql::Node& node) {
  if (node.text == " IS NULL" || node.text == " IS NOT NULL") {
    Possible of = Of(node.args[0]);
    // A row of a unit has its key.
    if (of.role == Role::kUnit) of.secret = of.by_row = false;
    Possible is_null = Chosen(Truth(of.null, of.low <= of.high, false), of);
    return node.text == " IS NULL" ? is_null : Not(is_null);
  }
  return WindowOf(node, rows_, *this, context_);
}

Possible Terms::Case(const sql::Node& node) {
  std::optional<Possible> result;
  Possible by = Constant(true);
  bool ended = false;  // a condition is always true
  int branches = 0;
  const auto add = [&](const Possible& p) {
    result = result ? Hull(*result, p) : p;
    ++branches;
  };
  for (std::size_t k = 0; k + 1 < node.args.size() && !ended; k += 2) {
    const Possible when = Of(node.args[k]);
    by = Made({by, when});
    if (!when.MayBeTrue()) {
      Of(node.args[k + 1]);
      continue;
    }
    const std::size_t before = known_.size();
    Assume(node.args[k]);
    add(Of(node.args[k + 1]));
    known_.resize(before);
    ended = when.MustBeTrue();
  }
  if (!ended) add(node.args.size() % 2 == 1 ? Of(node.args.back()) : Constant(Null{}));
  return branches == 1 ? *result : Chosen(*result, by);  // of one branch, it is what that says
}

Possible Terms::SimpleCase(const sql::Node& node) {
  if (node.args.empty()) return Refuse("CASE without anything");
  const Possible x = Of(node.args[0]);
  std::optional<Possible> result;
  Possible by = x;
  int branches = 0;
  bool ended = false;
  const auto add = [&](const Possible& p) {
    result = result ? Hull(*result, p) : p;
    ++branches;
  };
  std::size_t k = 1;
  for (; k + 1 < node.args.size(); k += 2) {
    const Possible when = Of(node.args[k]), then = Of(node.args[k + 1]), equal = Compared("=", x, when);
    by = Made({by, when});
    if (equal.MayBeTrue() && !ended) add(then);
    ended = ended || equal.MustBeTrue();
  }
  const Possible otherwise = k < node.args.size() ? Of(node.args[k]) : Constant(Null{});
  if (!ended) add(otherwise);
  return branches == 1 ? *result : Chosen(*result, by);
}

Possible Terms::In(const sql::Node& node) {
  const Possible x = Of(node.args.at(0));
  std::vector<Possible> any;
  if (!node.values.empty()) {
    for (const Value& value : node.values) any.push_back(Compared("=", x, Constant(value)));
  } else {
    for (const Possible& other : Args(node, 1)) any.push_back(Compared("=", x, other));
  }
  return any.empty() ? Refuse("IN nothing") : Or(any);
}

Possible Terms::Position(const sql::Node& node) {
  const Possible x = Of(node.args.at(0));
  std::optional<Possible> result;
  bool ended = false;
  std::set<std::int64_t> places;
  const auto add = [&](std::int64_t at) {
    Possible p = Constant(at);
    p.is.reset();
    result = result ? Hull(*result, p) : p;
    places.insert(at);
  };
  for (std::size_t k = 0; k < node.values.size() && !ended; ++k) {
    const Possible here = Compared("=", x, Constant(node.values[k]));
    if (here.MayBeTrue()) add(static_cast<std::int64_t>(k));
    ended = here.MustBeTrue();
  }
  if (!ended) add(static_cast<std::int64_t>(node.low));
  result->values = static_cast<double>(places.size());
  return Chosen(*result, x);
}

}  // namespace kith::check
