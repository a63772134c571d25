// Windows over the rows of one unit, or of one group of units. Claims UNIT-2, GROUP-1.
#include <algorithm>

#include "kernel/check/same.h"
#include "kernel/check/terms.h"

namespace kith::check {
namespace {

using sql::Form;

constexpr const char* kOver = " OVER (PARTITION BY ";

// A list of terms, as one.
sql::Terms ListOf(const sql::Term& term) {
  if (term && term->form == Form::kInfix && term->text == ", ") return term->args;
  return {term};
}

bool IsWord(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](unsigned char c) { return std::islower(c) || std::isdigit(c) || c == '_'; });
}

// What a function over the rows of a partition can be.
Possible ValueOf(const sql::Node& function, Terms& terms, const Context& context) {
  Possible p;
  const bool shifts = function.form == Form::kCall &&
                      (function.text == "lag" || function.text == "lead" || function.text == "first_value");
  if (!IsAggregate(function) && !shifts) {
    context.reason.Say("a window of a function that is not known");
    return p;
  }
  if (function.filter) context.reason.Say("FILTER in a window");
  for (std::size_t k = 0; k < function.args.size(); ++k) {
    if (function.args[k]->form == Form::kStar && function.form == Form::kCount) continue;
    const Possible arg = terms.Of(function.args[k]);
    if (arg.others) context.reason.Say("a window over rows of other units");
    if (k == 0) p.real = arg.real && function.form != Form::kCount;
    if (arg.real && function.form == Form::kSum) context.reason.Say("a sum of numbers that are not whole");
    p.places = p.places ? p.places : arg.places;
  }
  if (function.form == Form::kCount) {
    p.low = 0;
    p.null = false;
  }
  return p;
}

}  // namespace

bool IsAggregate(const sql::Node& node) {
  return node.form == Form::kCount || node.form == Form::kSum || node.form == Form::kMin || node.form == Form::kMax ||
         (node.form == Form::kCall && (node.text == "bool_or" || node.text == "bool_and"));
}

std::optional<WindowText> ReadWindowText(const std::string& text) {
  constexpr std::string_view kOrder = " ORDER BY ";
  if (!text.starts_with(kOver) || !text.ends_with(")")) return std::nullopt;
  const std::size_t from = std::string_view(kOver).size();
  const std::string inside = text.substr(from, text.size() - from - 1);
  const std::size_t order = inside.find(kOrder);
  WindowText window{inside.substr(0, order), order == std::string::npos ? "" : inside.substr(order + kOrder.size())};
  if (!IsWord(window.partition) || (order != std::string::npos && !IsWord(window.order))) return std::nullopt;
  return window;
}

std::optional<sql::Terms> PartitionOf(const sql::Node& node) {
  if (node.form == Form::kWindow) return ListOf(node.args.at(0));
  if (node.form != Form::kSuffix || node.args.size() != 1) return std::nullopt;
  if (const auto window = ReadWindowText(node.text)) return sql::Terms{sql::Name(window->partition)};
  const sql::Node& over = *node.args[0];
  const bool written = node.text == ")" && over.form == Form::kInfix && over.text == kOver && over.args.size() == 2;
  return written ? std::optional(ListOf(over.args[1])) : std::nullopt;
}

Possible WindowOf(const sql::Node& node, const Rows& rows, Terms& terms, const Context& context) {
  const auto partition = PartitionOf(node);
  if (!partition) {
    context.reason.Say("something after a term that is not known");
    return {};
  }
  bool of_unit = partition->size() == 1 && rows.own, of_group = true;
  for (const sql::Term& by : *partition) {
    if (!by) {
      context.reason.Say("a window over all rows");
      return {};
    }
    const Possible what = terms.Of(by);
    of_unit = of_unit && what.role == Role::kUnit;
    of_group = of_group && (what.OfUnit() || what.role == Role::kOwner);
  }
  if (!of_unit && !of_group) context.reason.Say("a window over rows of units that have nothing public in common");
  Possible p;
  if (node.form == Form::kWindow) {
    if (node.text != "row_number") context.reason.Say("a window of a function that is not known");
    for (std::size_t k = 1; k < node.args.size(); ++k)
      if (const Possible by = terms.Of(Bare(node.args[k]));
          by.others || (by.places && !(of_unit && IsOfWholeRows(by, rows))))
        context.reason.Say("an order by rows of other units, or by places in another order");
    p.low = 1;
    p.null = false;
    p.by_row = true;
  } else if (const auto text = ReadWindowText(node.text)) {
    p = ValueOf(*node.args[0], terms, context);
    p.by_row = !text->order.empty() || !IsAggregate(*node.args[0]);
    if (!text->order.empty()) {
      const Possible order = terms.Of(sql::Name(text->order));
      if (!order.places) context.reason.Say("a window in an order that is none of places");
      // Among rows of several units, a place is of one row only if it was counted among just those.
      const bool once = order.others && order.others->size() == 1 && order.others->contains(text->partition);
      if (!of_unit && !once) context.reason.Say("places that rows of several units share");
      p.places = order.places;
    }
  } else {
    p = ValueOf(*node.args[0]->args[0], terms, context);
  }
  p.secret = true;
  if (!of_unit) {
    p.others = std::make_shared<const std::set<std::string>>();
    p.by_row = true;
  }
  return p;
}

}  // namespace kith::check
