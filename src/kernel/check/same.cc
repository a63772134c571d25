#include "kernel/check/same.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace kith::check {
namespace {

using sql::Form;

constexpr int kClosed = 9, kSigned = 8, kTimes = 7, kPlus = 6, kTest = 4, kNot = 3, kAnd = 2, kOr = 1, kList = 0;

constexpr std::array<std::pair<std::string_view, int>, 14> kInfix = {{{" OR ", kOr},
                                                                      {" AND ", kAnd},
                                                                      {" = ", kTest},
                                                                      {" <> ", kTest},
                                                                      {" IS DISTINCT FROM ", kTest},
                                                                      {" < ", kTest},
                                                                      {" <= ", kTest},
                                                                      {" > ", kTest},
                                                                      {" >= ", kTest},
                                                                      {" + ", kPlus},
                                                                      {" - ", kPlus},
                                                                      {" * ", kTimes},
                                                                      {" / ", kTimes},
                                                                      {" % ", kTimes}}};

int OfInfix(const std::string& sign) {
  for (const auto& [text, binding] : kInfix) {
    if (sign == text) return binding;
  }
  return kList;
}

bool All(const sql::Terms& args, std::size_t from, int least) {
  return std::all_of(args.begin() + static_cast<std::ptrdiff_t>(from), args.end(),
                     [&](const sql::Term& arg) { return !arg || Binding(*arg) >= least; });
}

}  // namespace

bool Same(const sql::Term& a, const sql::Term& b) {
  if (a == b) return true;
  if (!a || !b) return false;
  if (a->form != b->form || a->source != b->source || a->text != b->text || !(a->value == b->value) ||
      a->type != b->type || a->stored != b->stored || !(a->values == b->values) || a->function != b->function ||
      a->low != b->low || a->high != b->high || a->part != b->part || a->feature != b->feature || a->flag != b->flag ||
      a->args.size() != b->args.size() || !Same(a->filter, b->filter))
    return false;
  return std::equal(a->args.begin(), a->args.end(), b->args.begin(), Same);
}

sql::Term Bare(sql::Term term) {
  while (term && (term->form == Form::kParen || term->form == Form::kCollated ||
                  (term->form == Form::kSuffix && term->text == " DESC")))
    term = term->args.at(0);
  return term;
}

int Binding(const sql::Node& node) {
  switch (node.form) {
    case Form::kInfix:
      return OfInfix(node.text);
    case Form::kPrefix:
      return node.text == "NOT " ? kNot : kSigned;
    case Form::kNumber:
      return node.low < 0 ? kSigned : kClosed;
    case Form::kLiteral:
    case Form::kConstant:
      return kSigned;
    case Form::kSuffix:
    case Form::kBetween:
    case Form::kIn:
    case Form::kLike:
    case Form::kIsTrue:
    case Form::kIsNotTrue:
    case Form::kIsFalse:
    case Form::kIsFinite:
      return kTest;
    case Form::kIntegerDivide:
    case Form::kSumDivide:
    case Form::kCollated:
      return kPlus;
    case Form::kEither:
      return std::min(Binding(*node.args.at(0)), Binding(*node.args.at(1)));
    default:
      return kClosed;
  }
}

bool IsWrittenAsMeant(const sql::Node& node) {
  switch (node.form) {
    case Form::kInfix: {
      const int own = OfInfix(node.text);
      if (own == kList) return All(node.args, 0, kList);
      const bool joins = own == kOr || own == kAnd;
      if (own == kTest && node.args.size() != 2) return false;
      const int first = own == kTest ? own + 1 : own;
      return !node.args.empty() && Binding(*node.args[0]) >= first && All(node.args, 1, joins ? own : own + 1);
    }
    case Form::kPrefix:
      return All(node.args, 0, node.text == "NOT " ? kTest : kClosed);
    case Form::kSuffix:
      if (node.text == ")") return true;  // the end of a window
      return All(node.args, 0, kTest + 1);
    case Form::kBetween:
    case Form::kLike:
    case Form::kIn:
    case Form::kIsTrue:
    case Form::kIsNotTrue:
    case Form::kIsFalse:
    case Form::kIsFinite:
    case Form::kWithin:
    case Form::kSteps:
    case Form::kClamped:
      return All(node.args, 0, kTest + 1);
    case Form::kIntegerDivide:
      return !node.args.empty() && Binding(*node.args[0]) >= kTimes && All(node.args, 1, kSigned);
    case Form::kDaysBetween:
    case Form::kSumDivide:
    case Form::kCollated:
      return All(node.args, 0, kSigned);
    default:
      return true;
  }
}

}  // namespace kith::check
