// Functions of strings: a finite list of values in, a finite list out.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

#include "query/bind/finite_values.h"
#include "query/bind/typing.h"
#include "query/bind/value_functions.h"
#include "query/bind/value_list.h"

namespace kith {
namespace {

// The bytes at which characters begin, and the end.
std::vector<std::size_t> Characters(const std::string& text) {
  std::vector<std::size_t> starts;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) starts.push_back(i);
  }
  starts.push_back(text.size());
  return starts;
}

// Characters from `from` (counted from 0) up to `to`.
std::string Part(const std::string& text, std::int64_t from, std::int64_t to) {
  const auto starts = Characters(text);
  const auto last = static_cast<std::int64_t>(starts.size()) - 1;
  const std::int64_t begin = std::clamp<std::int64_t>(from, 0, last), end = std::clamp<std::int64_t>(to, begin, last);
  const std::size_t at = starts[static_cast<std::size_t>(begin)];
  return text.substr(at, starts[static_cast<std::size_t>(end)] - at);
}

std::string Cased(std::string text, char first, char last, int shift) {
  for (char& c : text) {
    if (c >= first && c <= last) c = static_cast<char>(c + shift);
  }
  return text;
}

std::string Trimmed(const std::string& text, bool left, bool right) {
  std::size_t begin = 0, end = text.size();
  while (left && begin < end && text[begin] == ' ') ++begin;
  while (right && end > begin && text[end - 1] == ' ') --end;
  return text.substr(begin, end - begin);
}

std::string Replaced(std::string text, const std::string& what, const std::string& with) {
  if (what.empty()) return text;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
  return text;
}

using OfText = std::function<Value(const std::string&)>;

std::optional<std::int64_t> Whole(const std::vector<ExprPtr>& args, std::size_t k) {
  if (k >= args.size() || args[k]->op != Op::kConstant) return std::nullopt;
  const auto* whole = std::get_if<std::int64_t>(&args[k]->value);
  constexpr std::int64_t kMost = 1'000'000;
  return whole && *whole >= -kMost && *whole <= kMost ? std::optional(*whole) : std::nullopt;
}

const std::string* Text(const std::vector<ExprPtr>& args, std::size_t k) {
  return k < args.size() && args[k]->op == Op::kConstant ? std::get_if<std::string>(&args[k]->value) : nullptr;
}

// What it makes of one string; none if its other arguments are not as they must be.
OfText FunctionOf(std::string_view name, const std::vector<ExprPtr>& args) {
  if (name == "lower") return [](const std::string& x) { return Value{Cased(x, 'A', 'Z', 'a' - 'A')}; };
  if (name == "upper") return [](const std::string& x) { return Value{Cased(x, 'a', 'z', 'A' - 'a')}; };
  if (name == "trim") return [](const std::string& x) { return Value{Trimmed(x, true, true)}; };
  if (name == "ltrim") return [](const std::string& x) { return Value{Trimmed(x, true, false)}; };
  if (name == "rtrim") return [](const std::string& x) { return Value{Trimmed(x, false, true)}; };
  if (name == "length")
    return [](const std::string& x) { return Value{static_cast<std::int64_t>(Characters(x).size()) - 1}; };
  if (name == "replace") {
    const std::string *what = Text(args, 1), *with = Text(args, 2);
    if (!what || !with) return nullptr;
    return [a = *what, b = *with](const std::string& x) { return Value{Replaced(x, a, b)}; };
  }
  const auto n = Whole(args, 1);
  if (!n) return nullptr;
  if (name == "substr") {
    const auto count = args.size() == 3 ? Whole(args, 2) : std::optional<std::int64_t>(2'000'000);
    if (!count || *n < 1 || *count < 0) return nullptr;
    return [from = *n - 1, to = *n - 1 + *count](const std::string& x) { return Value{Part(x, from, to)}; };
  }
  if (*n < 0) return nullptr;
  if (name == "left") return [to = *n](const std::string& x) { return Value{Part(x, 0, to)}; };
  return [count = *n](const std::string& x) {
    const auto all = static_cast<std::int64_t>(Characters(x).size()) - 1;
    return Value{Part(x, std::max<std::int64_t>(0, all - count), all)};
  };
}

Result<ExprPtr> AsText(const ExprPtr& arg, const std::string& name, const std::string& where) {
  if (arg->type == Type::kNull) return MakeConstant(Null{}, Type::kText);
  if (arg->type == Type::kText) return arg;
  return Unsupported(fmt::format("{} is for text, not for {}", name, TypeName(arg->type)), where);
}

}  // namespace

Result<std::vector<Value>> FewValues(const ExprPtr& of, const std::string& what, const Table& table,
                                     const std::string& where) {
  std::vector<Range> columns;
  for (const Column& column : table.columns) columns.push_back(RangeOf(column));
  auto image = ImageOf(*of, table, columns);
  if (!image) {
    return Unsupported(
        fmt::format("{} needs declared values; {} has none, or too many", what, Shortened(DisplayText(*of, table))),
        where,
        of->type == Type::kText
            ? "declare values = [...] in the policy; in conditions, LIKE and ILIKE work for any text"
            : "declare lower and upper in the policy");
  }
  return std::move(image->values);
}

Result<ExprPtr> MakeList(const ExprPtr& of, Type type, const std::function<Value(const Value&)>& function,
                         std::string label, const Table& table, const std::string& where) {
  if (IsNullConstant(*of)) return MakeConstant(Null{}, type);
  if (of->op == Op::kConstant) return MakeConstant(function(of->value), type);
  // What is a list already keeps its argument.
  const bool listed = of->op == Op::kSimpleCase && !of->label.empty() && of->args[2]->op == Op::kConstant;
  std::vector<ExprPtr> args = {listed ? of->args[0] : of};
  if (listed) {
    for (std::size_t i = 1; i + 1 < of->args.size(); i += 2) {
      args.push_back(of->args[i]);
      const Expr& was = *of->args[i + 1];
      args.push_back(IsNullConstant(was) ? MakeConstant(Null{}, type) : MakeConstant(function(was.value), type));
    }
  } else {
    const std::string name = label.substr(0, label.find('('));
    const auto values = FewValues(of, name.empty() ? "||" : name, table, where);
    if (!values) return values.error();
    if (values->size() > kMostListed) return TooLongAList(where);
    for (const Value& value : *values) {
      args.push_back(MakeConstant(value, of->type));
      args.push_back(MakeConstant(function(value), type));
    }
    if (values->empty()) return MakeConstant(Null{}, type);
  }
  args.push_back(MakeConstant(Null{}, type));
  return Labelled(MakeExpr(Op::kSimpleCase, type, std::move(args)), std::move(label));
}

ExprPtr Labelled(const ExprPtr& expr, std::string label) {
  auto copy = std::make_shared<Expr>(*expr);
  copy->label = std::move(label);
  return copy;
}

Error TooLongAList(const std::string& where) {
  return Unsupported(fmt::format("this has more than {} different values", kMostListed), where,
                     "use fewer declared values or a coarser unit of time, or narrower bounds");
}

Result<ExprPtr> MakeTextFunction(const SqlFunction& known, const std::vector<ExprPtr>& args, const Table& table,
                                 const std::string& where) {
  const OfText function = known.Takes(args.size()) ? FunctionOf(known.name(), args) : nullptr;
  if (!function) {
    return InvalidArgument(fmt::format("{} needs a text and then constants", known.name()), where,
                           fmt::format("write {}; characters are counted from 1", known.usage));
  }
  const auto text = AsText(args[0], std::string(known.name()), where);
  if (!text) return text.error();
  std::string label = fmt::format("{}({}", known.name(), CanonicalText(**text, table));
  for (std::size_t k = 1; k < args.size(); ++k) label += ", " + CanonicalText(*args[k], table);
  return MakeList(
      *text, known.kind == FunctionKind::kText ? Type::kText : Type::kInteger,
      [&](const Value& value) { return function(std::get<std::string>(value)); }, label + ")", table, where);
}

Result<ExprPtr> MakeConcat(const std::vector<ExprPtr>& args, const Table& table, const std::string& where) {
  ExprPtr all;
  for (const ExprPtr& arg : args) {
    const auto text = AsText(arg, "concat", where);
    if (!text) return text.error();
    const ExprPtr empty = MakeConstant(std::string(), Type::kText);
    const bool constant = (*text)->op == Op::kConstant;
    const ExprPtr there = !constant                ? MakeExpr(Op::kCoalesce, Type::kText, {*text, empty})
                          : IsNullConstant(**text) ? empty
                                                   : *text;
    if (!all) {
      all = there;
      continue;
    }
    const auto both = MakeConcatenation(all, there, table, where);
    if (!both) return both.error();
    all = *both;
  }
  return all;
}

Result<ExprPtr> MakeConcatenation(const ExprPtr& a, const ExprPtr& b, const Table& table, const std::string& where) {
  const auto first = AsText(a, "||", where), second = AsText(b, "||", where);
  if (!first) return first.error();
  if (!second) return second.error();
  if (IsNullConstant(**first) || IsNullConstant(**second)) return MakeConstant(Null{}, Type::kText);
  const auto text = [](const Value& value) { return std::get<std::string>(value); };
  const std::string label = fmt::format("({} || {})", CanonicalText(**first, table), CanonicalText(**second, table));
  if ((*first)->op == Op::kConstant) {
    const std::string before = text((*first)->value);
    return MakeList(
        *second, Type::kText, [&](const Value& x) { return Value{before + text(x)}; }, label, table, where);
  }
  if ((*second)->op == Op::kConstant) {
    const std::string after = text((*second)->value);
    return MakeList(
        *first, Type::kText, [&](const Value& x) { return Value{text(x) + after}; }, label, table, where);
  }
  const auto left = FewValues(*first, "||", table, where), right = FewValues(*second, "||", table, where);
  if (!left) return left.error();
  if (!right) return right.error();
  if (left->size() * right->size() > kMostListed) return TooLongAList(where);
  std::vector<ExprPtr> args = {*first};
  for (const Value& value : *left) {
    std::vector<ExprPtr> inner = {*second};
    for (const Value& other : *right) {
      inner.push_back(MakeConstant(other, Type::kText));
      inner.push_back(MakeConstant(text(value) + text(other), Type::kText));
    }
    inner.push_back(MakeConstant(Null{}, Type::kText));
    args.push_back(MakeConstant(value, Type::kText));
    args.push_back(right->empty() ? MakeConstant(Null{}, Type::kText)
                                  : Labelled(MakeExpr(Op::kSimpleCase, Type::kText, std::move(inner)), label));
  }
  if (left->empty()) return MakeConstant(Null{}, Type::kText);
  args.push_back(MakeConstant(Null{}, Type::kText));
  return Labelled(MakeExpr(Op::kSimpleCase, Type::kText, std::move(args)), label);
}

}  // namespace kith
