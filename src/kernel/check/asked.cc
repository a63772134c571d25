#include "kernel/check/asked.h"

#include <algorithm>

#include "kernel/check/same.h"
#include "kernel/check/terms.h"

namespace kith::check {
namespace {

using sql::Form;

const sql::Select* SelectOf(const sql::Statement& statement) {
  if (statement.empty()) return nullptr;
  const auto* select = std::get_if<sql::Select>(&statement.query().part);
  const bool plain = select && select->with.empty() && !select->distinct && select->order_by.empty();
  return plain ? select : nullptr;
}

class Reader {
 public:
  Reader(std::size_t keys, const Context& context) : keys_(keys), context_(context) {}

  Asked Read(const sql::Statement& statement) {
    const sql::Select* select = SelectOf(statement);
    if (select == nullptr || select->items.size() <= keys_)
      return Refuse("a statement that is not one SELECT of groups and numbers");
    const bool nested = !select->from.statement.empty() && keys_ > 0;
    const sql::Select* inner = nested ? SelectOf(select->from.statement) : nullptr;
    // Groups may be formed by stored values first, and numbered afterwards.
    if (inner && !inner->group_by.empty() && inner->group_by.size() == keys_ && HasAggregates(*inner)) {
      Asked asked = OfRows(*inner);
      NumberGroups(*select, *inner, asked);
      return asked;
    }
    return OfRows(*select);
  }

 private:
  Asked Refuse(const char* why) {
    context_.reason.Say(why);
    return {};
  }

  static bool HasAggregates(const sql::Select& select) {
    return std::any_of(select.items.begin(), select.items.end(),
                       [](const sql::Item& item) { return item.term && Holds(*item.term); });
  }
  static bool Holds(const sql::Node& node) {
    return IsAggregate(node) ||
           std::any_of(node.args.begin(), node.args.end(), [](const sql::Term& arg) { return arg && Holds(*arg); });
  }

  Asked OfRows(const sql::Select& select) {
    if (select.group_by.size() != keys_ || select.items.size() <= keys_) return Refuse("other groups than are read");
    Asked asked;
    asked.rows = RowsOfFrom(select, context_);
    once_ = asked.rows.once;
    empty_ = asked.rows.most == 0;
    Terms terms(asked.rows, context_);
    if (select.where) terms.Assume(select.where);
    for (std::size_t k = 0; k < keys_; ++k) {
      const sql::Item& item = select.items[k];
      const bool named = item.term && (item.term->form == Form::kName || item.term->form == Form::kColumn);
      if (!named || !Same(item.term, select.group_by[k]) || (!item.name.empty() && item.name != item.term->text))
        return Refuse("other groups than are read");
      asked.keys.push_back(terms.Of(item.term));
    }
    for (std::size_t k = keys_; k < select.items.size(); ++k)
      asked.numbers.push_back(NumberOf(select.items[k].term, terms));
    if (asked.rows.keyless) context_.reason.Say("rows that are nobody's");
    return asked;
  }

  // SELECT number of k0, ..., sum(s0), ... GROUP BY 1, ...: sums of what the groups of each number have.
  void NumberGroups(const sql::Select& select, const sql::Select& inner, Asked& asked) {
    const bool plain = select.joins.empty() && !select.where && select.group_by.size() == keys_ &&
                       select.items.size() == inner.items.size() && asked.keys.size() == keys_;
    if (!plain) return context_.reason.Say("groups that are numbered in another way");
    Rows groups;
    for (std::size_t k = 0; k < keys_; ++k)
      groups.columns.push_back({select.from.name, inner.items[k].term->text, asked.keys[k]});
    Terms terms(groups, context_);
    for (std::size_t k = 0; k < keys_; ++k) {
      const sql::Term& by = select.group_by[k];
      if (!by || by->form != Form::kNumber || by->low != static_cast<Int128>(k + 1))
        context_.reason.Say("groups that are numbered in another way");
      asked.keys[k] = terms.Of(select.items[k].term);
    }
    for (std::size_t k = keys_; k < select.items.size(); ++k) {
      const sql::Term& sum = select.items[k].term;
      const bool same = sum && sum->form == Form::kSum && !sum->filter && sum->high == 0 &&
                        sum->args.at(0)->form == Form::kName && sum->args[0]->text == inner.items[k].name &&
                        !inner.items[k].name.empty();
      if (!same) context_.reason.Say("a number that is not the sum of its groups");
      if (asked.numbers[k - keys_].adds == Adds::kDistinct) context_.reason.Say("a sum of counts of different values");
    }
  }

  static bool IsZero(const sql::Term& term) { return term && term->form == Form::kNumber && term->low == 0; }

  Number NumberOf(const sql::Term& term, Terms& terms) {
    if (!term) return Unknown();
    if (term->form == Form::kCall && term->text == "coalesce" && term->args.size() == 2 && IsZero(term->args[1]) &&
        !term->filter)
      return NumberOf(term->args[0], terms);
    if (term->form == Form::kParen) return NumberOf(term->args[0], terms);
    if (term->form == Form::kCount) return Counted(*term, terms);
    if (term->form == Form::kSum) return Summed(*term, terms);
    // sum(x) - constant * count(x): the sum of x - constant.
    if (term->form == Form::kInfix && term->text == " - " && term->args.size() == 2 && IsWrittenAsMeant(*term)) {
      const sql::Term &sum = term->args[0], &off = term->args[1];
      const bool product =
          off->form == Form::kInfix && off->text == " * " && off->args.size() == 2 && IsWrittenAsMeant(*off);
      if (!product || sum->form != Form::kSum || off->args[1]->form != Form::kCount) return Unknown();
      const sql::Node& count = *off->args[1];
      const Possible each = terms.Of(off->args[0]);
      const bool constant = each.low == each.high && !each.null && !each.real && !each.secret && !each.by_row;
      if (!constant || count.flag || !Same(count.filter, sum->filter) || !Same(count.args.at(0), sum->args.at(0)))
        return Unknown();
      Number number = Summed(*sum, terms);
      number.value = Minus(number.value, each);
      return number;
    }
    return Unknown();
  }

  Number Unknown() {
    context_.reason.Say("a number that is no sum or count");
    return {};
  }

  Possible FilterOf(const sql::Node& node, Terms& terms) {
    return node.filter ? terms.Of(node.filter) : Constant(true);
  }

  Number Counted(const sql::Node& node, Terms& terms) {
    const sql::Term& of = node.args.at(0);
    Number number{node.flag ? Adds::kDistinct : Adds::kValues, Constant(std::int64_t{1}), FilterOf(node, terms)};
    if (of->form == Form::kStar) {
      if (node.flag) return Unknown();
      return number;
    }
    const Possible value = terms.Of(of);
    if (node.flag) {
      number.value = value;
    } else {
      number.value.null = value.null;
      number.value.secret = value.null && value.secret;
      number.value.by_row = value.null && value.by_row;
      number.value.others = value.others;
      number.value.places = value.places;
      if (value.low > value.high) number.value = value;  // NULL
    }
    return number;
  }

  Number Summed(const sql::Node& node, Terms& terms) {
    const Possible value = terms.Of(node.args.at(0));
    if (value.real) context_.reason.Say("a sum of numbers that are not whole");
    // A sum of 64 bits is used where so much is added for each row of the unit's table.
    const auto most = static_cast<double>(node.high);
    if (node.high != 0 && !once_ && !empty_) context_.reason.Say("a sum of 64 bits over rows that may come twice");
    if (node.high != 0 && !empty_ && (value.low < -most || value.high > most))
      context_.reason.Say("a sum that may be too large for its type");
    return {Adds::kValues, value, FilterOf(node, terms)};
  }

  const std::size_t keys_;
  const Context& context_;
  bool once_ = false;   // rows of the unit's table, each once
  bool empty_ = false;  // no rows of units at all
};

}  // namespace

Asked AskedBy(const sql::Statement& statement, std::size_t keys, const Context& context) {
  return Reader(keys, context).Read(statement);
}

}  // namespace kith::check
