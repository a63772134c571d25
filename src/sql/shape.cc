#include "sql/shape.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>
#include <utility>

namespace kith::sql {
namespace {

constexpr const char* kPassed = "passed";  // no other column of rows has this name

bool IsConstant(const Node& node) { return node.form == Form::kLiteral || node.form == Form::kConstant; }

bool IsAggregate(const Node& node) {
  return node.form == Form::kSum || node.form == Form::kCount || node.form == Form::kMin || node.form == Form::kMax;
}

bool Compares(const Node& node) {
  const auto constant = [](const Term& arg) { return arg && IsConstant(*arg); };
  const bool here = node.form == Form::kIn || node.form == Form::kBetween ||
                    (node.form == Form::kInfix && IsComparison(node.text) &&
                     std::any_of(node.args.begin(), node.args.end(), constant));
  return here || std::any_of(node.args.begin(), node.args.end(), [](const Term& arg) { return arg && Compares(*arg); });
}

// Whether it is made only of aggregates and constants; `found`: of at least one aggregate.
bool IsOfAggregates(const Node& node, bool& found) {
  if (IsAggregate(node)) return found = true;
  switch (node.form) {
    case Form::kLiteral:
    case Form::kConstant:
    case Form::kNumber:
      return true;
    case Form::kParen:
    case Form::kInfix:
    case Form::kPrefix:
    case Form::kCall:
    case Form::kCast:
      return !node.filter && std::all_of(node.args.begin(), node.args.end(),
                                         [&](const Term& arg) { return arg && IsOfAggregates(*arg, found); });
    default:
      return false;
  }
}

// With every aggregate only over the rows that passed.
Term Narrowed(const Term& term) {
  if (IsAggregate(*term)) return Where(term, term->filter ? All({Paren(term->filter), Name(kPassed)}) : Name(kPassed));
  Node node = *term;
  for (Term& arg : node.args) arg = Narrowed(arg);
  return std::make_shared<const Node>(std::move(node));
}

}  // namespace

bool IsComparison(const std::string& sign) {
  constexpr std::array<std::string_view, 6> kSigns = {" = ", " <> ", " < ", " <= ", " > ", " >= "};
  return std::find(kSigns.begin(), kSigns.end(), sign) != kSigns.end();
}

std::optional<Select> WithoutWhere(const Select& outer) {
  const bool sums = outer.with.empty() && !outer.distinct && outer.joins.empty() && !outer.where &&
                    outer.group_by.empty() && outer.order_by.empty() && !outer.from.statement.empty();
  if (!sums) return std::nullopt;
  const auto* inner = std::get_if<Select>(&outer.from.statement.query().part);
  if (!inner || !inner->where || inner->distinct || !inner->group_by.empty() || !Compares(*inner->where))
    return std::nullopt;
  bool found = false;
  for (const Item& item : outer.items) {
    if (!IsOfAggregates(*item.term, found)) return std::nullopt;
  }
  const auto taken = [](const Item& item) { return item.name == kPassed || item.name.empty(); };
  if (!found || std::any_of(inner->items.begin(), inner->items.end(), taken)) return std::nullopt;
  Select rows = *inner, out = outer;
  rows.items.push_back({std::exchange(rows.where, nullptr), kPassed});
  out.from.statement = Selected(std::move(rows));
  for (Item& item : out.items) item.term = Narrowed(item.term);
  return out;
}

}  // namespace kith::sql
