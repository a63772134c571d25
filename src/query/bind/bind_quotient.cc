// Quotients of a part by its whole, and differences of quantiles: what they can be.
#include <algorithm>

#include "query/bind/bind_output.h"

namespace kith {
namespace {

void AddTerms(const ExprPtr& condition, const Table& table, std::vector<std::string>& texts) {
  if (!condition) return;
  if (condition->op != Op::kAnd) return texts.push_back(CanonicalText(*condition, table));
  for (const ExprPtr& arg : condition->args) AddTerms(arg, table, texts);
}

bool Counts(const Counter& counter) {
  return counter.kind == CounterKind::kRows || counter.kind == CounterKind::kUnits;
}

}  // namespace

// What a row must pass to be counted, besides WHERE: all of these, sorted. A sum leaves out NULL.
std::vector<std::string> OutputBinder::ConditionsOf(const Counter& counter) const {
  std::vector<std::string> texts;
  AddTerms(counter.filter, rows_.table(), texts);
  if (counter.value) {
    const ExprPtr null = MakeExpr(Op::kIsNull, Type::kBoolean, {counter.value});
    AddTerms(MakeExpr(Op::kNot, Type::kBoolean, {null}), rows_.table(), texts);
  }
  std::sort(texts.begin(), texts.end());
  return texts;
}

// A count divided by a count that contains it is between 0 and 1, a sum by such a count between the bounds of its
// values and 0; with several rows per unit, rows by units that many times as large. Constant factors are carried along.
std::optional<OutputExpr::Reach> OutputBinder::QuotientReach(const OutputExpr& part, const OutputExpr& whole) const {
  const auto above = part.AsMultiple(), below = whole.AsMultiple();
  if (!above || !below || !above->statistic || !below->statistic || below->factor == 0) return std::nullopt;
  const Counter &a = counters_.at(*above->statistic), &b = counters_.at(*below->statistic);
  if (a.kind == CounterKind::kQuantile || !Counts(b)) return std::nullopt;
  const auto narrow = ConditionsOf(a), wide = ConditionsOf(b);
  if (!std::includes(narrow.begin(), narrow.end(), wide.begin(), wide.end())) return std::nullopt;
  OutputExpr::Reach reach{0, 1};
  if (a.kind == CounterKind::kSum) {
    RangeEvaluator evaluator(rows_.table(), columns_);
    const Range value = evaluator.Evaluate(*a.value);
    if (evaluator.error() || value.OnlyNull()) return std::nullopt;
    const bool real = a.value->type == Type::kReal;
    reach.low = std::min(0.0, real ? value.real_low : static_cast<double>(value.low));
    reach.high = std::max(0.0, real ? value.real_high : static_cast<double>(value.high));
  }
  const bool by_units = b.kind == CounterKind::kUnits && a.kind != CounterKind::kUnits;
  const double factor = above->factor / below->factor * (by_units ? static_cast<double>(policy_.unit.max_rows) : 1.0);
  if (factor < 0) std::swap(reach.low, reach.high);
  return OutputExpr::Reach{reach.low * factor, reach.high * factor};
}

// Of one value and the same rows, a quantile of a higher rank is no smaller: max(x) - min(x) is never negative.
std::optional<OutputExpr::Reach> OutputBinder::DifferenceReach(const OutputExpr& a, const OutputExpr& b) const {
  if (!a.Quantile() || !b.Quantile()) return std::nullopt;
  const Counter &x = counters_.at(*a.Quantile()), &y = counters_.at(*b.Quantile());
  if (x.grid != y.grid || ConditionsOf(x) != ConditionsOf(y)) return std::nullopt;
  const double width = x.most - x.least;
  const std::int64_t left = x.rank.num * y.rank.den, right = y.rank.num * x.rank.den;
  return OutputExpr::Reach{left < right ? -width : 0, left > right ? width : 0};
}

}  // namespace kith
