// The whole statement: rows, then their sums.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "query/emit/emit.h"

namespace kith {
namespace {

std::string Numbered(const char* prefix, std::size_t k) { return fmt::format("{}{}", prefix, k); }
sql::Term NumberedName(const char* prefix, std::size_t k) { return sql::Name(Numbered(prefix, k)); }

class QueryMaker {
 public:
  QueryMaker(const Question& question, const Bounds& bounds, const Policy& policy)
      : question_(question),
        bounds_(bounds),
        policy_(policy),
        table_(policy.unit_table()),
        rows_(table_, OfUnit(question, table_)) {}

  // Groups are formed by stored values first and numbered afterwards: engines are fast at that, and slow at CASE for
  // each row. What is distinct must be counted inside each numbered group, so this case takes the slow path.
  sql::Statement Make() const {
    if (question_.keys.empty()) return sql::Selected({.items = Aggregates(), .from = sql::Rows(Rows(false), "r")});
    sql::Terms keys;
    std::vector<sql::Item> listed, numbered;
    for (std::size_t k = 0; k < question_.keys.size(); ++k) {
      keys.push_back(NumberedName("k", k));
      listed.push_back({keys.back()});
      numbered.push_back({rows_.KeyIndex(question_.keys[k], keys.back()), Numbered("i", k)});
    }
    const auto aggregates = Aggregates();
    listed.insert(listed.end(), aggregates.begin(), aggregates.end());
    const bool units =
        Counts(CounterKind::kUnits) || Counts(CounterKind::kHouseholds) || Counts(CounterKind::kDistinct);
    const auto grouped = sql::Selected({.items = listed, .from = sql::Rows(Rows(units), "r"), .group_by = keys});
    if (units) return grouped;
    sql::Terms ordinals;
    for (std::size_t k = 1; k <= question_.keys.size(); ++k) ordinals.push_back(sql::Number(static_cast<Int128>(k)));
    for (std::size_t k = 0; k < question_.counters.size(); ++k)
      numbered.push_back({sql::Sum(NumberedName("s", k)), Numbered("s", k)});
    return sql::Selected({.items = numbered, .from = sql::Rows(grouped, "g"), .group_by = ordinals});
  }

 private:
  static bool OfUnit(const Question& question, const Table& table) {
    return !question.per_unit && table.rows_of.empty() && !table.OfUnits();
  }

  // By one row of the unit's table to a sum, up or down. 0: not known, or a row can be there more than once.
  Int128 MostAdded(std::size_t k) const {
    if (!OfUnit(question_, table_) || !question_.joins.empty()) return 0;
    const Expr* shift = ShiftOf(k);
    const Int128 by = shift ? std::get<std::int64_t>(shift->value) : 0;
    const Int128 low = bounds_.counters[k].low + by, high = bounds_.counters[k].high + by;
    return std::max(low < 0 ? -low : low, high < 0 ? -high : high);
  }

  bool Counts(CounterKind kind) const {
    return std::any_of(question_.counters.begin(), question_.counters.end(),
                       [kind](const Counter& counter) { return counter.kind == kind; });
  }

  std::vector<sql::Item> Aggregates() const {
    std::vector<sql::Item> list;
    for (std::size_t k = 0; k < question_.counters.size(); ++k) list.push_back({Aggregate(k), Numbered("s", k)});
    return list;
  }

  // count(x) with sum(x) or sum(x - constant) counts what the sum adds up: no separate test is needed.
  std::optional<std::size_t> CountedWith(const Counter& counter) const {
    if (!counter.counted) return std::nullopt;
    const auto text = [&](const ExprPtr& expr) { return expr ? CanonicalText(*expr, table_) : std::string(); };
    for (std::size_t k = 0; k < question_.counters.size(); ++k) {
      const Counter& sum = question_.counters[k];
      if (sum.kind != CounterKind::kSum || text(sum.filter) != text(counter.other)) continue;
      const bool shifted = sum.value->op == Op::kSubtract && sum.value->args[1]->op == Op::kConstant;
      if (text(sum.value) == text(counter.counted) || (shifted && text(sum.value->args[0]) == text(counter.counted)))
        return k;
    }
    return std::nullopt;
  }

  sql::Term Aggregate(std::size_t k) const {
    const Counter& counter = question_.counters[k];
    if (const auto sum = CountedWith(counter))
      return sql::Where(sql::Count(NumberedName("v", *sum)), counter.other ? NumberedName("f", *sum) : nullptr);
    const sql::Term filter = counter.filter ? NumberedName("f", k) : nullptr;
    if (counter.kind == CounterKind::kRows) return sql::Where(sql::CountRows(), filter);
    if (counter.kind == CounterKind::kUnits) return sql::Where(sql::CountDistinct(sql::Name("u")), filter);
    if (counter.kind == CounterKind::kHouseholds) return sql::Where(sql::CountDistinct(sql::Name("h")), filter);
    if (counter.kind == CounterKind::kDistinct) return sql::Where(sql::CountDistinct(NumberedName("v", k)), filter);
    const Expr* const shift = ShiftOf(k);
    BoundedCounter bounded = bounds_.counters[k];
    if (shift) {  // it is taken off later
      bounded.low += std::get<std::int64_t>(shift->value);
      bounded.high += std::get<std::int64_t>(shift->value);
    }
    const sql::Term whole =
        rows_.Whole(NumberedName("v", k), shift ? *counter.value->args[0] : *counter.value, bounded);
    sql::Term sum = sql::Where(sql::Sum(whole, MostAdded(k)), filter);
    if (shift) {
      const sql::Term each = sql::Cast(sql::Number(std::get<std::int64_t>(shift->value)), sql::Stored::kWide);
      sum = sql::Infix(" - ", {std::move(sum), sql::Infix(" * ", {each, sql::Where(sql::Count(whole), filter)})});
    }
    return sql::Call("coalesce", {std::move(sum), sql::Number(0)});
  }

  // Of sum(x - constant) in whole numbers, as avg makes it, the constant: it is taken off the sum, as often as there
  // are rows, and not off each row.
  const Expr* ShiftOf(std::size_t k) const {
    const Counter& counter = question_.counters[k];
    if (counter.kind != CounterKind::kSum || bounds_.counters[k].lattice.exponent != 0) return nullptr;
    const Expr& value = *counter.value;
    const bool whole = value.op == Op::kSubtract && value.type == Type::kInteger &&
                       value.args[0]->type == Type::kInteger && value.args[1]->op == Op::kConstant;
    return whole && std::holds_alternative<std::int64_t>(value.args[1]->value) ? value.args[1].get() : nullptr;
  }

  // One row for each row of the table that passes WHERE: keys (stored values, or their numbers), values, filters.
  sql::Statement Rows(bool numbered) const {
    std::vector<sql::Item> items;
    for (std::size_t k = 0; k < question_.keys.size(); ++k) {
      const sql::Term value = rows_.KeyOf(question_.keys[k]);
      items.push_back({numbered ? rows_.KeyIndex(question_.keys[k], value) : value, Numbered("k", k)});
    }
    for (std::size_t k = 0; k < question_.counters.size(); ++k) {
      const Counter& counter = question_.counters[k];
      if (counter.value) {
        const Expr& value = ShiftOf(k) ? *counter.value->args[0] : *counter.value;
        const bool as_it_is = counter.kind == CounterKind::kDistinct;
        items.push_back({as_it_is ? rows_.Of(value) : rows_.Steps(value, bounds_.counters[k]), Numbered("v", k)});
      }
      if (counter.filter && !CountedWith(counter))
        items.push_back({rows_.Condition(*counter.filter), Numbered("f", k)});
    }
    if (Counts(CounterKind::kUnits)) items.push_back({UnitKey(policy_), "u"});
    if (Counts(CounterKind::kHouseholds)) items.push_back({sql::Column("t", *policy_.unit.within), "h"});
    if (items.empty()) items.push_back({sql::Number(1), "one"});
    return sql::Selected({.items = std::move(items),
                          .from = KeptRows(question_, policy_),
                          .joins = JoinsOf(question_, rows_),
                          .where = question_.where ? rows_.Condition(*question_.where) : nullptr});
  }

  const Question& question_;
  const Bounds& bounds_;
  const Policy& policy_;
  const Table& table_;
  RowTerms rows_;
};

}  // namespace

sql::Statement StatementOf(const Question& question, const Bounds& bounds, const Policy& policy) {
  return QueryMaker(question, bounds, policy).Make();
}

}  // namespace kith
