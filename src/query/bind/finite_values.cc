#include "query/bind/finite_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <unordered_set>

#include "query/bind/typing.h"
#include "query/plan.h"
#include "query/range/calendar.h"
#include "query/range/range_ops.h"

namespace kith {
namespace {

constexpr Int128 kMost = static_cast<Int128>(Plan::kMaxGroups);

bool IsWhole(Type type) { return type == Type::kInteger || type == Type::kDate || type == Type::kTimestamp; }

// Collects values by the shape of the expression. Add is false where the shape says nothing.
class Collector {
 public:
  Collector(const Table& table, const std::vector<Range>& columns, Gaps gaps)
      : table_(table), columns_(columns), gaps_(gaps) {}

  bool Collect(const Expr& e) {
    if (e.op == Op::kConstant) return Add(e.value);
    // What was listed once adds nothing. Sub-selects that are put in place make trees whose branches are shared.
    if (!collected_.insert(&e).second) return true;
    if (e.op == Op::kColumn && !table_.columns[e.column].values.empty()) return AddListed(e.column);
    if (e.op == Op::kHistogram) return AddInterval(e);  // every part is shown, also where no declared value falls
    if (e.type == Type::kBoolean) return AddTruth(e);
    if (e.op == Op::kCase || e.op == Op::kSimpleCase) return CollectBranches(e);
    if (e.op == Op::kCoalesce) {
      return std::all_of(e.args.begin(), e.args.end(), [&](const ExprPtr& arg) { return Collect(*arg); });
    }
    if (e.op == Op::kNullIf) return Collect(*e.args[0]);
    if (const auto column = OnlyColumn(e)) {
      if (!table_.columns[*column].values.empty()) return CollectPoints(e, *column);
      if (gaps_ == Gaps::kFound && CollectNumbers(e, *column)) return true;
    }
    if (e.op == Op::kDateTrunc) return AddUnits(e);
    return e.type != Type::kTimestamp && IsWhole(e.type) && AddInterval(e);
  }

  std::vector<Value>& values() { return values_; }

 private:
  bool Add(const Value& value) {
    if (std::holds_alternative<Null>(value)) return true;
    if (seen_.empty()) {
      for (const Value& listed : values_) seen_.insert(ToText(listed));
    }
    if (seen_.insert(ToText(value)).second) values_.push_back(value);
    return static_cast<Int128>(values_.size()) <= kMost;
  }

  bool AddListed(std::size_t index) {
    if (columns_[index].OnlyNull() || !listed_.insert(index).second) return true;
    const Column& column = table_.columns[index];
    return std::all_of(column.values.begin(), column.values.end(),
                       [&](const Value& value) { return Add(TypedValue(column, value)); });
  }

  bool AddTruth(const Expr& e) {
    const Range range = RangeEvaluator(table_, columns_).Evaluate(e);
    return (!range.may_false || Add(false)) && (!range.may_true || Add(true));
  }

  // A branch that cannot be reached adds nothing.
  bool CollectBranches(const Expr& e) {
    RangeEvaluator evaluator(table_, columns_);
    const bool simple = e.op == Op::kSimpleCase;
    const Range operand = simple ? evaluator.Evaluate(*e.args[0]) : Range();
    for (std::size_t i = simple ? 1 : 0; i + 1 < e.args.size(); i += 2) {
      const Range value = evaluator.Evaluate(*e.args[i]);
      const Range when = simple ? Compare(Op::kEqual, operand, value, e.args[0]->type) : value;
      if (!when.may_true) continue;
      if (!Collect(*e.args[i + 1])) return false;
      if (!when.may_false && !when.may_null) return true;
    }
    return Collect(*e.args.back());
  }

  // One column with declared values: each is tried. A real result is not: its last bit is the engine's business.
  bool CollectPoints(const Expr& e, std::size_t column) {
    const Column& c = table_.columns[column];
    for (const Value& value : c.values) {
      if (columns_[column].OnlyNull()) break;
      std::vector<Range> point = columns_;
      point[column] = RangeOf(c, value);
      if (!AddKnown(RangeEvaluator(table_, point).Evaluate(e), e.type)) return false;
    }
    if (!columns_[column].may_null) return true;
    std::vector<Range> missing = columns_;
    missing[column] = NullRange();
    return AddKnown(RangeEvaluator(table_, missing).Evaluate(e), e.type);
  }

  // One column of whole numbers between bounds: each is tried, if one of them decides the value. False: nothing was
  // added.
  bool CollectNumbers(const Expr& e, std::size_t column) {
    constexpr Int128 kMostTried = 10'000;
    const Range& range = columns_[column];
    const bool few =
        table_.columns[column].type == ColumnType::kInteger && !range.OnlyNull() && range.high - range.low < kMostTried;
    if (!few || e.op == Op::kColumn || e.type != Type::kInteger) return false;
    std::set<std::int64_t> found;
    std::vector<Range> point = columns_;
    const auto take = [&] {
      const Range value = RangeEvaluator(table_, point).Evaluate(e);
      if (value.OnlyNull()) return true;
      if (!IsKnown(value, e.type)) return false;
      found.insert(static_cast<std::int64_t>(value.low));
      return true;
    };
    for (Int128 x = range.low; x <= range.high; ++x) {
      point[column] = IntegerRange(x, x);
      if (!take()) return false;
    }
    point[column] = NullRange();
    if (range.may_null && !take()) return false;
    return std::all_of(found.begin(), found.end(), [&](std::int64_t value) { return Add(value); });
  }

  bool AddKnown(const Range& range, Type type) {
    if (range.OnlyNull()) return true;
    if (!IsKnown(range, type)) return false;
    if (type == Type::kText) return Add(*range.text);
    return IsWhole(type) && Add(static_cast<std::int64_t>(range.low));
  }

  // Years, months ...: from the first to the last, in steps that never miss one.
  bool AddUnits(const Expr& e) {
    const Range range = RangeEvaluator(table_, columns_).Evaluate(e);
    if (range.OnlyNull()) return true;
    const auto last = static_cast<std::int64_t>(range.high);
    for (auto at = static_cast<std::int64_t>(range.low); at <= last; at = NextUnit(at, e.type, e.part)) {
      if (!Add(at)) return false;
    }
    return true;
  }

  bool AddInterval(const Expr& e) {
    const Range range = RangeEvaluator(table_, columns_).Evaluate(e);
    if (range.OnlyNull()) return true;
    if (range.high - range.low >= kMost) return false;
    // Nothing is listed yet: no value comes twice, and most expressions have no more than this.
    const bool first = values_.empty();
    for (Int128 x = range.low; x <= range.high; ++x) {
      if (first) {
        values_.emplace_back(static_cast<std::int64_t>(x));
        continue;
      }
      if (!Add(static_cast<std::int64_t>(x))) return false;
    }
    return true;
  }

  const Table& table_;
  const std::vector<Range>& columns_;
  const Gaps gaps_;
  std::vector<Value> values_;
  std::set<std::string> seen_;  // all are of one type: texts distinguish them
  std::unordered_set<const Expr*> collected_;
  std::set<std::size_t> listed_;  // columns
};

}  // namespace

bool IsDense(const std::vector<Value>& values, Type type) {
  if ((type != Type::kInteger && type != Type::kDate) || values.size() < 2) return false;
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (std::get<std::int64_t>(values[i]) != std::get<std::int64_t>(values[i - 1]) + 1) return false;
  }
  return true;
}

Result<Image> ImageOf(const Expr& expr, const Table& table, const std::vector<Range>& columns, Gaps gaps) {
  RangeEvaluator evaluator(table, columns);
  const Range range = evaluator.Evaluate(expr);
  if (evaluator.error()) return *evaluator.error();
  Collector collector(table, columns, gaps);
  if (!collector.Collect(expr)) {
    return Unsupported(
        fmt::format("GROUP BY needs declared values or narrow bounds; {} can have any of too many values",
                    Shortened(DisplayText(expr, table))),
        {},
        "declare values = [...] in the policy, or group by width_bucket(x, 0, 100, 10), by "
        "CASE WHEN x < 10 THEN 'low' ELSE 'high' END, or by extract(year FROM column)");
  }
  Image image;
  image.values = std::move(collector.values());
  image.may_null = range.may_null;
  image.dense = IsDense(image.values, expr.type);
  return image;
}

}  // namespace kith
