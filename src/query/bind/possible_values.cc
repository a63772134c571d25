#include "query/bind/possible_values.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>

#include "query/bind/bind.h"
#include "query/bind/finite_values.h"
#include "query/bind/possible_groups.h"
#include "query/range/range_ops.h"

namespace kith {
namespace {

constexpr std::size_t kMostWork = std::size_t{1} << 20;  // nodes that are evaluated for one question
constexpr std::size_t kMostHoles = 1024;  // a longer list without gaps keeps none: numbering it would be slow

void TakeApart(const ExprPtr& condition, std::vector<ExprPtr>& terms) {
  if (condition->op != Op::kAnd) return terms.push_back(condition);
  for (const ExprPtr& arg : condition->args) TakeApart(arg, terms);
}

bool ReadsColumn(const Expr& expr, std::size_t column) {
  bool found = false;
  ForEachColumn(expr, [&](std::size_t c) { found = found || c == column; });
  return found;
}

bool IsWholeType(ColumnType type) {
  return type == ColumnType::kInteger || type == ColumnType::kDate || type == ColumnType::kTimestamp;
}

// Where a real number comes among all of them, 0 being the place of zero. Requires: a number.
Int128 PlaceOf(double x) {
  const auto bits = std::bit_cast<std::int64_t>(x);
  return bits >= 0 ? Int128{bits} : Int128{std::numeric_limits<std::int64_t>::min()} - bits;
}

double AtPlace(Int128 place) {
  const auto bits = static_cast<std::int64_t>(place < 0 ? std::numeric_limits<std::int64_t>::min() - place : place);
  return std::bit_cast<double>(bits);
}

/// The condition with `with` in place of every part that is spelled `text`; nullptr if there is none.
ExprPtr Replaced(const ExprPtr& expr, const Expr& like, const std::string& text, const Table& table,
                 const ExprPtr& with) {
  if (expr->op == like.op && expr->type == like.type && CanonicalText(*expr, table) == text) return with;
  std::vector<ExprPtr> args = expr->args;
  bool any = false;
  for (ExprPtr& arg : args) {
    if (ExprPtr other = Replaced(arg, like, text, table, with)) {
      arg = std::move(other);
      any = true;
    }
  }
  if (!any) return nullptr;
  auto copy = std::make_shared<Expr>(*expr);
  copy->args = std::move(args);
  return copy;
}

/// What columns can be in rows that pass a condition: supersets, made smaller term by term.
class Narrowing {
 public:
  Narrowing(const Table& table, const std::vector<Range>& columns, const ExprPtr& where)
      : table_(table), ranges_(columns) {
    std::vector<ExprPtr> terms;
    TakeApart(where, terms);
    for (ExprPtr& term : terms) {
      const std::size_t nodes = WeightOf(*term).nodes;
      terms_.push_back({std::move(term), nodes});
    }
  }
  Narrowing(const Narrowing&) = delete;  // ranges point into the table
  Narrowing& operator=(const Narrowing&) = delete;

  /// By every term of the condition that reads the column.
  void Narrow(std::size_t column) {
    for (const Term& term : terms_) {
      if (ReadsColumn(*term.condition, column)) Narrow(column, term);
    }
  }

  /// True if no row can pass.
  bool nothing() const { return nothing_; }
  const Table& table() const { return table_; }
  const std::vector<Range>& ranges() const { return ranges_; }

  /// Which of the values the key can have in rows that pass, by the terms that read the key itself; NULL is last.
  void Test(const Key& key, std::vector<bool>& kept) {
    for (const Term& term : terms_) {
      const auto constant = std::make_shared<Expr>();  // each value in turn
      constant->type = key.expr->type;
      const ExprPtr with = Replaced(term.condition, *key.expr, key.text, table_, constant);
      if (!with) continue;  // the term is not about the key
      for (std::size_t i = 0; i < kept.size(); ++i) {
        if (!kept[i]) continue;
        constant->value = i == key.image.values.size() ? Value{Null{}} : key.image.values[i];
        kept[i] = MayPass({with, term.nodes});
      }
    }
  }

 private:
  struct Term {
    ExprPtr condition;
    std::size_t nodes = 0;
  };

  // Three-valued: a row passes if the condition is true. What cannot be settled passes.
  bool MayPass(const Term& term) {
    if (work_ > kMostWork) return true;
    work_ += term.nodes;
    RangeEvaluator evaluator(table_, ranges_);
    const Range truth = evaluator.Evaluate(*term.condition);
    return evaluator.error().has_value() || truth.may_true;
  }

  bool MayPassWith(std::size_t column, const Range& range, const Term& term) {
    const Range before = std::exchange(ranges_[column], range);
    const bool may = MayPass(term);
    ranges_[column] = before;
    return may;
  }

  void Narrow(std::size_t column, const Term& term) {
    Range& range = ranges_[column];
    const bool null = range.may_null && MayPassWith(column, NullRange(), term);
    if (range.may_value) NarrowValues(column, term);
    if (!null && !range.OnlyNull()) range.may_null = false;
    if (!null && range.OnlyNull()) nothing_ = true;
  }

  void NarrowValues(std::size_t column, const Term& term) {
    const Column& c = table_.columns[column];
    if (!c.values.empty()) return NarrowList(column, term);
    if (c.type == ColumnType::kBoolean) return NarrowTruth(column, term);
    Range whole = ranges_[column];
    whole.may_null = false;
    if (c.type == ColumnType::kText) return;
    if (!MayPassWith(column, whole, term)) return NoValue(column);
    if (c.type == ColumnType::kReal) return NarrowReal(column, whole, term);
    if (IsWholeType(c.type)) NarrowWhole(column, whole, term);
  }

  void NoValue(std::size_t column) {
    const bool may_null = ranges_[column].may_null;
    ranges_[column] = NullRange();
    ranges_[column].may_null = may_null;
  }

  void NarrowList(std::size_t column, const Term& term) {
    Column& c = table_.columns[column];
    std::vector<Value> kept;
    for (const Value& value : c.values) {
      if (MayPassWith(column, RangeOf(c, value), term)) kept.push_back(value);
    }
    if (kept.empty()) return NoValue(column);
    if (kept.size() == c.values.size()) return;
    const Range before = ranges_[column];
    c.values = std::move(kept);
    Range& range = ranges_[column] = RangeOf(c);
    range.may_null = before.may_null;
    range.secret = before.secret;
  }

  void NarrowTruth(std::size_t column, const Term& term) {
    Range& range = ranges_[column];
    const bool yes = range.may_true && MayPassWith(column, BooleanRange(true, false, false, false), term);
    const bool no = range.may_false && MayPassWith(column, BooleanRange(false, true, false, false), term);
    if (!yes && !no) return NoValue(column);
    range.may_true = yes;
    range.may_false = no;
  }

  // From each end the largest part in which nothing passes, by halving. Requires: something may pass in the whole.
  template <class May>
  static std::pair<Int128, Int128> Ends(Int128 low, Int128 high, const May& may) {
    Int128 first = low, beyond = high;  // the least `to` for which [low, to] may pass is between
    while (first < beyond) {
      const Int128 middle = first + (beyond - first) / 2;
      if (may(low, middle))
        beyond = middle;
      else
        first = middle + 1;
    }
    Int128 last = high, before = first;
    while (before < last) {
      const Int128 middle = last - (last - before) / 2;
      if (may(middle, high))
        before = middle;
      else
        last = middle - 1;
    }
    return {first, last};
  }

  void NarrowWhole(std::size_t column, Range part, const Term& term) {
    const auto [first, last] = Ends(part.low, part.high, [&](Int128 from, Int128 to) {
      part.low = from;
      part.high = to;
      return MayPassWith(column, part, term);
    });
    ranges_[column].low = first;
    ranges_[column].high = last;
  }

  // Real numbers also have places in a row: down to the last one that may pass.
  void NarrowReal(std::size_t column, Range part, const Term& term) {
    const auto [first, last] = Ends(PlaceOf(part.real_low), PlaceOf(part.real_high), [&](Int128 from, Int128 to) {
      part.real_low = AtPlace(from);
      part.real_high = AtPlace(to);
      return MayPassWith(column, part, term);
    });
    ranges_[column].real_low = AtPlace(first);
    ranges_[column].real_high = AtPlace(last);
  }

  Table table_;  // of the narrowed columns: only those declared values that may pass
  std::vector<Range> ranges_;
  std::vector<Term> terms_;
  std::size_t work_ = 0;
  bool nothing_ = false;
};

/// Which of the values of a key, and of NULL after them if it is listed, may occur in rows that pass.
std::vector<bool> KeptOf(const Key& key, Narrowing& rows) {
  std::vector<bool> kept(key.shown.size(), true);
  const auto image = ImageOf(*key.expr, rows.table(), rows.ranges());
  if (!image) return kept;
  std::unordered_set<std::string> possible;
  for (const Value& value : image->values) possible.insert(ToText(value));
  for (std::size_t i = 0; i < key.image.values.size(); ++i) kept[i] = possible.contains(ToText(key.image.values[i]));
  if (key.image.may_null) kept.back() = image->may_null;
  if (!key.column) rows.Test(key, kept);
  const std::size_t values = key.image.values.size();
  if (key.image.dense && values > kMostHoles) {
    const auto begin = kept.begin(), end = kept.begin() + static_cast<std::ptrdiff_t>(values);
    const auto first = std::find(begin, end, true);
    const auto last = std::find(std::make_reverse_iterator(end), std::make_reverse_iterator(begin), true).base();
    if (first < last) std::fill(first, last, true);
  }
  return kept;
}

void Keep(const std::vector<bool>& kept, Key& key) {
  std::vector<Value> values, shown;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (!kept[i]) continue;
    shown.push_back(std::move(key.shown[i]));
    if (i < key.image.values.size()) values.push_back(std::move(key.image.values[i]));
  }
  if (key.image.may_null) key.image.may_null = kept.back();
  key.image.dense = IsDense(values, key.expr->type);
  key.image.values = std::move(values);
  key.shown = std::move(shown);
}

void DropValues(const Table& table, const std::vector<Range>& columns, Question& question) {
  Narrowing rows(table, columns, question.where);
  std::vector<bool> done(table.columns.size(), false);
  for (const Key& key : question.keys) {
    ForEachColumn(*key.expr, [&](std::size_t column) {
      if (!done[column]) rows.Narrow(column);
      done[column] = true;
    });
  }
  bool nothing = rows.nothing();
  std::vector<std::vector<bool>> kept;
  for (const Key& key : question.keys) {
    if (nothing) break;
    kept.push_back(KeptOf(key, rows));
    nothing = std::find(kept.back().begin(), kept.back().end(), true) == kept.back().end();
  }
  if (nothing) {
    question.where = MakeConstant(false, Type::kBoolean);
    return;
  }
  for (std::size_t k = 0; k < kept.size(); ++k) Keep(kept[k], question.keys[k]);
}

}  // namespace

void DropImpossible(const Table& table, const std::vector<Range>& columns, Question& question) {
  if (question.keys.empty()) return;
  if (question.where) DropValues(table, columns, question);
  question.impossible = ImpossibleGroups(table, columns, question);
}

}  // namespace kith
