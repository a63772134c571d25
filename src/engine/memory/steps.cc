#include "engine/memory/steps.h"

#include <bit>
#include <cmath>
#include <limits>
#include <tuple>

namespace kith::memory {
namespace {

using sql::Form;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Constants are distinguished by their bits.
auto KeyOf(const Step& s) {
  const auto bits = [](double x) { return std::bit_cast<std::uint64_t>(x); };
  return std::make_tuple(s.what, s.kind, s.a, s.b, s.c, bits(s.real), bits(s.low), bits(s.high), bits(s.tiny),
                         bits(s.shift), bits(s.inverse), s.whole, s.from, s.to, s.otherwise, s.place, s.missing,
                         s.narrow);
}

bool IsNumber(Kind kind) { return kind == Kind::kReal || kind == Kind::kWhole; }

}  // namespace

int StepMaker::Add(Step step) {
  for (std::size_t k = 0; k < steps_.size(); ++k) {
    if (KeyOf(steps_[k]) == KeyOf(step)) return static_cast<int>(k);
  }
  steps_.push_back(step);
  return static_cast<int>(steps_.size() - 1);
}

int StepMaker::Of(const sql::Term& term, const Names& names) {
  names_ = &names;
  return Of(*term);
}

int StepMaker::Of(const sql::Node& node) {
  if (node.filter) return -1;
  const auto arg = [&](std::size_t k) { return Of(*node.args[k]); };
  switch (node.form) {
    case Form::kName: {
      const auto found = node.source.empty() ? names_->find(node.text) : names_->end();
      if (found == names_->end()) return -1;
      // What has a name was written without one.
      const Names none;
      const Names* const before = std::exchange(names_, &none);
      const int step = Of(*found->second);
      names_ = before;
      return step;
    }
    case Form::kColumn:
      return Column(node);
    case Form::kLiteral:
    case Form::kConstant:
      return Constant(node.value, node.type);
    case Form::kNumber:
      return Whole(node.low);
    case Form::kParen:
      return arg(0);
    case Form::kEither:    // DuckDB has every feature,
    case Form::kCollated:  // and compares strings by their bytes
      return arg(0);
    case Form::kClamped:
      return arg(known_.within.contains(node.text) ? 0 : 3);
    case Form::kInfix:
      return Infix(node);
    case Form::kPrefix: {
      const int a = arg(0);
      if (a < 0) return -1;
      if (node.text == "NOT ") return kind(a) == Kind::kTruth ? Not(a) : -1;
      return node.text == "- " && IsNumber(kind(a)) ? One(Do::kNegate, kind(a), a) : -1;
    }
    case Form::kSuffix:
      return Suffix(node);
    case Form::kCall:
      return Call(node);
    case Form::kCase:
      return CaseOf(node);
    case Form::kCast:
      return CastOf(node);
    case Form::kIn:
      return InOf(node);
    case Form::kBetween: {
      const int a = arg(0);
      return And(Compare(" >= ", a, arg(1)), Compare(" <= ", a, arg(2)));
    }
    case Form::kGreatest:
    case Form::kLeast:
      return Extreme(node.args, node.form == Form::kGreatest);
    case Form::kIsTrue:
    case Form::kIsNotTrue: {
      const int a = arg(0);
      if (a < 0 || kind(a) != Kind::kTruth) return -1;
      const int is = One(Do::kIsTrue, Kind::kTruth, a);
      return node.form == Form::kIsTrue ? is : Not(is);
    }
    case Form::kIsFalse: {
      const int a = arg(0);
      return a < 0 || kind(a) != Kind::kTruth ? -1 : One(Do::kIsTrue, Kind::kTruth, Not(a));
    }
    case Form::kIntegerDivide: {
      const int a = arg(0), b = arg(1);
      const bool known = a >= 0 && b >= 0 && kind(a) == Kind::kWhole && At(b).what == Do::kConstant &&
                         kind(b) == Kind::kWhole && !At(b).missing && At(b).whole > 0;
      return known ? Both(Do::kDivide, a, b) : -1;
    }
    case Form::kSteps: {
      const int a = arg(0);
      if (a < 0 || kind(a) != Kind::kReal) return -1;
      return Add({.what = Do::kToWhole, .kind = Kind::kWhole, .a = a, .narrow = node.flag});
    }
    case Form::kWithin: {
      const int a = arg(0);
      constexpr Int128 kMost = std::numeric_limits<std::int64_t>::max(), kNarrow = Int128{1} << 31;
      if (a < 0 || node.flag) return a;
      if (kind(a) != Kind::kWhole || node.low < -kMost || node.high > kMost || node.low > node.high) return -1;
      return Add({.what = Do::kWithin,
                  .kind = Kind::kWhole,
                  .a = a,
                  .from = static_cast<std::int64_t>(node.low),
                  .to = static_cast<std::int64_t>(node.high),
                  .narrow = -kNarrow < node.low && node.high < kNarrow});
    }
    default:
      return -1;
  }
}

int StepMaker::Column(const sql::Node& node) {
  if (node.source != "t") return -1;
  for (const FramedColumn& column : table_.columns) {
    if (column.name != node.text) continue;
    if (column.type == ColumnType::kText && !table_.texts) return -1;
    const Kind kind = column.type == ColumnType::kReal   ? Kind::kReal
                      : column.type == ColumnType::kText ? Kind::kText
                                                         : Kind::kWhole;
    return Add({.what = Do::kColumn, .kind = kind, .place = column.place});
  }
  return -1;
}

int StepMaker::Code(const std::string& name, const Names& names, std::vector<std::string> texts,
                    std::int64_t otherwise) {
  if (table_.texts) return -1;  // there columns hold numbers of strings
  const auto found = names.find(name);
  if (found == names.end() || found->second->form != Form::kColumn || found->second->source != "t") return -1;
  for (const FramedColumn& column : table_.columns) {
    if (column.name != found->second->text || column.type != ColumnType::kText) continue;
    for (const Step& step : steps_) {
      if (step.what == Do::kCode && step.place == column.place) return -1;
    }
    texts_.push_back(std::move(texts));
    return Add({.what = Do::kCode,
                .kind = Kind::kWhole,
                .whole = static_cast<std::int64_t>(texts_.size()) - 1,
                .otherwise = otherwise,
                .place = column.place});
  }
  return -1;
}

int StepMaker::Constant(const Value& value, Type type) {
  const bool null = std::holds_alternative<Null>(value);
  switch (type) {
    case Type::kReal:
      return Add({.kind = Kind::kReal, .real = null ? 0.0 : std::get<double>(value), .missing = null});
    case Type::kInteger:
      return Add({.kind = Kind::kWhole, .whole = null ? 0 : std::get<std::int64_t>(value), .missing = null});
    case Type::kBoolean:
      return Add({.kind = Kind::kTruth, .whole = !null && std::get<bool>(value) ? -1 : 0, .missing = null});
    case Type::kText:
      return Text(value);
    default:
      return -1;
  }
}

int StepMaker::Text(const Value& value) {
  if (!table_.texts) return -1;
  if (std::holds_alternative<Null>(value)) return Add({.kind = Kind::kText, .missing = true});
  const auto& text = std::get<std::string>(value);
  const auto known = table_.texts->find(text);
  if (known != table_.texts->end()) return Add({.kind = Kind::kText, .whole = known->second});
  const auto number = -static_cast<std::int64_t>(strange_.size()) - 1;
  return Add({.kind = Kind::kText, .whole = strange_.emplace(text, number).first->second});
}

int StepMaker::Whole(Int128 value) {
  if (value > std::numeric_limits<std::int64_t>::max() || value < std::numeric_limits<std::int64_t>::min()) return -1;
  return Add({.kind = Kind::kWhole, .whole = static_cast<std::int64_t>(value)});
}

int StepMaker::One(Do what, Kind kind, int a) { return a < 0 ? -1 : Add({.what = what, .kind = kind, .a = a}); }

int StepMaker::Both(Do what, int a, int b) {
  if (a < 0 || b < 0 || kind(a) != kind(b)) return -1;
  const bool truth = what == Do::kLess || what == Do::kEqual;
  return Add({.what = what, .kind = truth ? Kind::kTruth : kind(a), .a = a, .b = b});
}

// Whole numbers stay within 2^62 (claim PLAN-1). Reals are divided only by what is not 0.
int StepMaker::Arithmetic(Do what, int a, int b) {
  if (a < 0 || b < 0 || kind(a) != kind(b) || !IsNumber(kind(a))) return -1;
  if (what == Do::kDivide) {
    const auto by = RealAt(b);
    const bool not_zero = At(b).what == Do::kSelect && At(b).c >= 0 && At(b).b >= 0 && At(At(b).b).missing &&
                          At(At(b).a).what == Do::kEqual && At(At(b).a).a == At(b).c && RealAt(At(At(b).a).b) == 0.0;
    if (kind(a) != Kind::kReal || !(not_zero || (by && *by != 0))) return -1;
  }
  return Both(what, a, b);
}

int StepMaker::Infix(const sql::Node& node) {
  if (node.text == " AND ") return Fold(node.args, Do::kAnd);
  if (node.text == " OR ") return Fold(node.args, Do::kOr);
  if (node.args.size() != 2) return -1;
  const int a = Of(*node.args[0]), b = Of(*node.args[1]);
  if (node.text == " + ") return Arithmetic(Do::kAdd, a, b);
  if (node.text == " - ") return Arithmetic(Do::kSubtract, a, b);
  if (node.text == " * ") return Arithmetic(Do::kMultiply, a, b);
  if (node.text == " / ") return Arithmetic(Do::kDivide, a, b);
  return Compare(node.text, a, b);
}

int StepMaker::Fold(const sql::Terms& args, Do what) {
  int all = -1;
  for (std::size_t k = 0; k < args.size(); ++k) {
    const int next = Of(*args[k]);
    if (next < 0 || kind(next) != Kind::kTruth) return -1;
    all = k == 0 ? next : what == Do::kAnd ? And(all, next) : Both(what, all, next);
  }
  return all;
}

int StepMaker::Compare(std::string_view sign, int a, int b) {
  if (a < 0 || b < 0 || kind(a) != kind(b) || kind(a) == Kind::kTruth) return -1;
  if (kind(a) == Kind::kText && sign != " = " && sign != " <> ") return -1;
  if (const auto end = RealAt(b)) return CompareReal(sign, a, *end);
  if (const auto end = RealAt(a)) {
    constexpr std::pair<std::string_view, std::string_view> kTurned[] = {
        {" < ", " > "}, {" > ", " < "}, {" <= ", " >= "}, {" >= ", " <= "}, {" = ", " = "}, {" <> ", " <> "}};
    for (const auto& [from, to] : kTurned) {
      if (sign == from) return CompareReal(to, b, *end);
    }
    return -1;
  }
  if (sign == " < ") return Both(Do::kLess, a, b);
  if (sign == " > ") return Both(Do::kLess, b, a);
  if (sign == " <= ") return Not(Both(Do::kLess, b, a));
  if (sign == " >= ") return Not(Both(Do::kLess, a, b));
  if (sign == " = ") return Both(Do::kEqual, a, b);
  return sign == " <> " ? Not(Both(Do::kEqual, a, b)) : -1;
}

// With a finite constant. NaN is above it: in no range, so it goes where "not below" does.
int StepMaker::CompareReal(std::string_view sign, int a, double end) {
  if (!std::isfinite(end)) return -1;
  const auto range = [&](double low, double high) {
    return Add({.what = Do::kRange, .kind = Kind::kTruth, .a = a, .low = low, .high = high});
  };
  const double below = std::nextafter(end, -kInfinity);
  if (sign == " < ") return range(-kInfinity, below);
  if (sign == " <= ") return range(-kInfinity, end);
  if (sign == " > ") return Not(range(-kInfinity, end));
  if (sign == " >= ") return Not(range(-kInfinity, below));
  if (sign == " = ") return range(end, end);
  return sign == " <> " ? Not(range(end, end)) : -1;
}

int StepMaker::Not(int a) {
  if (a < 0) return -1;
  return At(a).what == Do::kNot ? At(a).a : One(Do::kNot, Kind::kTruth, a);
}

// Two ranges of one value are one. What is not up to some end, and within another range, is a range too: it leaves out
// NaN.
int StepMaker::And(int a, int b) {
  if (a < 0 || b < 0) return -1;
  if (At(a).what == Do::kNot) std::swap(a, b);
  const Step first = At(a), second = At(b);
  if (first.what == Do::kRange && second.what == Do::kRange && first.a == second.a) {
    Step both = first;
    both.low = std::max(first.low, second.low);
    both.high = std::min(first.high, second.high);
    return Add(both);
  }
  if (first.what == Do::kRange && second.what == Do::kNot) {
    const Step outside = At(second.a);
    if (outside.what == Do::kRange && outside.a == first.a && outside.low == -kInfinity) {
      Step both = first;
      both.low = std::max(first.low, std::nextafter(outside.high, kInfinity));
      return Add(both);
    }
  }
  return Both(Do::kAnd, a, b);
}

int StepMaker::Select(int when, int then, int otherwise) {
  if (when < 0 || then < 0 || kind(when) != Kind::kTruth || (otherwise >= 0 && kind(then) != kind(otherwise)))
    return -1;
  return Add({.what = Do::kSelect, .kind = kind(then), .a = when, .b = then, .c = otherwise});
}

int StepMaker::CaseOf(const sql::Node& node) {
  int all = -1;
  std::size_t k = node.args.size();
  if (k % 2 == 1) {
    all = Of(*node.args[--k]);
    if (all < 0) return -1;
  }
  for (; k >= 2; k -= 2) {
    all = Select(Of(*node.args[k - 2]), Of(*node.args[k - 1]), all);
    if (all < 0) return -1;
  }
  return all;
}

int StepMaker::Suffix(const sql::Node& node) {
  const int a = Of(*node.args[0]);
  const int is_null = One(Do::kIsNull, Kind::kTruth, a);
  if (node.text == " IS NULL") return is_null;
  return node.text == " IS NOT NULL" ? Not(is_null) : -1;
}

std::optional<double> StepMaker::RealAt(int step) const {
  const Step& s = At(step);
  if (s.what != Do::kConstant || s.kind != Kind::kReal || s.missing) return std::nullopt;
  return s.real;
}

std::optional<double> StepMaker::Real(const sql::Term& term) {
  const int step = Of(*term);
  return step < 0 ? std::nullopt : RealAt(step);
}

int StepMaker::Call(const sql::Node& node) {
  const auto& args = node.args;
  const int a = args.empty() ? -1 : Of(*args[0]);
  if (a < 0) return -1;
  std::vector<double> ends;
  if (node.text == "kith_clamp" || node.text == "kith_steps") {
    for (std::size_t k = 1; k < args.size(); ++k) {
      const auto end = Real(args[k]);
      if (!end) return -1;
      ends.push_back(*end);
    }
    if (kind(a) != Kind::kReal) return -1;
    if (node.text == "kith_clamp" && ends.size() == 3)
      return Add({.what = Do::kClamp, .kind = Kind::kReal, .a = a, .low = ends[0], .high = ends[1], .tiny = ends[2]});
    if (node.text == "kith_steps" && ends.size() == 4) {
      return Add({.what = Do::kSteps,
                  .kind = Kind::kWhole,
                  .a = a,
                  .low = ends[0],
                  .high = ends[1],
                  .shift = ends[2],
                  .inverse = ends[3],
                  .narrow = true});
    }
    return -1;
  }
  if (args.size() == 1 && node.text == "floor" && kind(a) == Kind::kReal) return One(Do::kFloor, Kind::kReal, a);
  if (args.size() == 1 && node.text == "abs" && IsNumber(kind(a))) return One(Do::kAbs, kind(a), a);
  if (args.size() != 2) return -1;
  const int b = Of(*args[1]);
  if (b < 0 || kind(a) != kind(b)) return -1;
  if (node.text == "coalesce")
    return Add({.what = Do::kCoalesce, .kind = kind(a), .a = a, .b = b, .narrow = At(a).narrow && At(b).narrow});
  if (node.text == "nullif" && kind(a) != Kind::kTruth) {
    Step null{.kind = kind(a), .missing = true};
    return Select(Add({.what = Do::kEqual, .kind = Kind::kTruth, .a = a, .b = b}), Add(null), a);
  }
  return -1;
}

int StepMaker::CastOf(const sql::Node& node) {
  const int a = Of(*node.args[0]);
  if (a < 0) return -1;
  if (node.stored == sql::Stored::kReal)
    return kind(a) == Kind::kReal ? a : kind(a) == Kind::kWhole ? One(Do::kToReal, Kind::kReal, a) : -1;
  if (kind(a) == Kind::kTruth && node.stored == sql::Stored::kNarrow)
    return Add({.what = Do::kOfTruth, .kind = Kind::kWhole, .a = a, .narrow = true});
  if (node.stored != sql::Stored::kWhole) return -1;
  if (kind(a) == Kind::kReal) return Add({.what = Do::kToWhole, .kind = Kind::kWhole, .a = a});
  return kind(a) == Kind::kWhole ? a : -1;
}

int StepMaker::InOf(const sql::Node& node) {
  constexpr std::size_t kFew = 16;
  const int a = Of(*node.args[0]);
  const std::size_t count = node.values.empty() ? node.args.size() - 1 : node.values.size();
  if (a < 0 || count == 0 || count > kFew) return -1;
  int any = -1;
  for (std::size_t k = 0; k < count; ++k) {
    const int b = node.values.empty() ? Of(*node.args[k + 1]) : Constant(node.values[k], node.type);
    const int is = Compare(" = ", a, b);
    any = k == 0 ? is : Both(Do::kOr, any, is);
    if (any < 0) return -1;
  }
  return any;
}

int StepMaker::Extreme(const sql::Terms& args, bool greatest) {
  int all = -1;
  for (std::size_t k = 0; k < args.size(); ++k) {
    const int next = Of(*args[k]);
    if (next < 0) return -1;
    if (k == 0) {
      all = next;
    } else if (const auto end = RealAt(next); end && kind(all) == Kind::kReal && std::isfinite(*end)) {
      Step step{.what = greatest ? Do::kAtLeast : Do::kAtMost, .kind = Kind::kReal, .a = all};
      (greatest ? step.low : step.high) = *end;
      all = Add(step);
    } else {
      const int other = Select(greatest ? Compare(" < ", all, next) : Compare(" < ", next, all), next, all);
      if (other < 0) return -1;
      all = Add({.what = Do::kCoalesce, .kind = kind(all), .a = other, .b = next});
    }
  }
  return all;
}

int StepMaker::Index(int a, std::int64_t low, std::int64_t high, std::int64_t otherwise) {
  if (a < 0 || kind(a) != Kind::kWhole) return -1;
  return Add({.what = Do::kIndex, .kind = Kind::kWhole, .a = a, .from = low, .to = high, .otherwise = otherwise});
}

int StepMaker::JoinIndex(int a, std::int64_t size, int b) {
  if (a < 0 || b < 0) return -1;
  return Add({.what = Do::kJoinIndex, .kind = Kind::kWhole, .a = a, .b = b, .whole = size});
}

}  // namespace kith::memory
