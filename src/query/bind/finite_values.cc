#include "query/bind/finite_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
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
constexpr Int128 kMostTried = 10'000;   // values of what an expression is made of
constexpr double kMostDecimals = 1000;  // rows are compared with them one by one
constexpr double kExact = 0x1p53;

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
    if (e.op == Op::kHistogram) return AddInterval(e);  // every part is shown, even where no declared value falls
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
    if (gaps_ == Gaps::kFound && CollectThrough(e)) return true;
    if (e.op == Op::kDateTrunc) return AddUnits(e);
    if (e.op == Op::kRound && e.digits > 0) return AddDecimals(e);
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
    if (e.op == Op::kRound && e.digits > 0) return AddDecimals(e);
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

  // One column of whole numbers or dates between bounds: each is tried, for timestamps each day, if one of them decides
  // the value. False: nothing was added.
  bool CollectNumbers(const Expr& e, std::size_t column) {
    const ColumnType type = table_.columns[column].type;
    const Range& range = columns_[column];
    const bool counted = type == ColumnType::kInteger || type == ColumnType::kDate || type == ColumnType::kTimestamp;
    if (!counted || range.OnlyNull() || e.op == Op::kColumn || e.type != Type::kInteger) return false;
    const Int128 width = type == ColumnType::kTimestamp ? Int128{kMicrosecondsPerDay} : Int128{1};
    if ((range.high - range.low) / width >= kMostTried) return false;
    std::set<std::int64_t> found;
    std::vector<Range> point = columns_;
    const auto take = [&] { return TakeKnown(RangeEvaluator(table_, point).Evaluate(e), e.type, found); };
    Int128 x = range.low;
    while (x <= range.high) {
      const Int128 day = width == 1 ? x : Int128{DayOf(static_cast<std::int64_t>(x))} * width;
      point[column] = IntegerRange(x, std::min(range.high, day + width - 1));
      if (!take()) return false;
      x = day + width;
    }
    point[column] = NullRange();
    if (range.may_null && !take()) return false;
    return std::all_of(found.begin(), found.end(), [&](std::int64_t value) { return Add(value); });
  }

  // Few whole numbers within, as in floor(x / 10) * 10: each of these is tried. False: nothing was added.
  bool CollectThrough(const Expr& e) {
    if (e.type != Type::kInteger) return false;
    const Expr* inner = InnerWhole(e);
    if (!inner || inner == &e) return false;
    const Range range = RangeEvaluator(table_, columns_).Evaluate(*inner);
    const bool real = inner->type == Type::kReal;
    const auto [from, to] = SpanOf(range, inner->type);
    const auto constant = std::make_shared<Expr>();  // each value in turn
    constant->type = inner->type;
    const ExprPtr with = With(e, *inner, constant);
    std::set<std::int64_t> found;
    const auto take = [&] { return TakeKnown(RangeEvaluator(table_, columns_).Evaluate(*with), e.type, found); };
    for (double x = std::ceil(from); x <= to; ++x) {
      constant->value = real ? Value{x} : Value{static_cast<std::int64_t>(x)};
      if (!take()) return false;
    }
    constant->value = Null{};
    if (range.may_null && !take()) return false;
    return std::all_of(found.begin(), found.end(), [&](std::int64_t value) { return Add(value); });
  }

  bool TakeKnown(const Range& value, Type type, std::set<std::int64_t>& found) const {
    if (value.OnlyNull()) return true;
    if (!IsKnown(value, type)) return false;
    found.insert(static_cast<std::int64_t>(value.low));
    return true;
  }

  static std::pair<double, double> SpanOf(const Range& range, Type type) {
    return type == Type::kReal ? std::pair(range.real_low, range.real_high)
                               : std::pair(static_cast<double>(range.low), static_cast<double>(range.high));
  }

  bool IsOfFew(const Expr& e) const {
    if (e.type != Type::kInteger && e.type != Type::kReal) return false;
    const Range range = RangeEvaluator(table_, columns_).Evaluate(e);
    if (range.OnlyNull() || (e.type == Type::kReal && range.grain < 0)) return false;
    const auto [from, to] = SpanOf(range, e.type);
    return to - from < static_cast<double>(kMostTried) && from > -kExact && to < kExact;
  }

  // The innermost part that is one of few whole numbers, and all that the value is made of besides constants; nullptr:
  // there is none.
  const Expr* InnerWhole(const Expr& e) const {
    const Expr* found = nullptr;
    for (const Expr* at = &e; at;) {
      if (IsOfFew(*at)) found = at;
      const auto varies = [](const ExprPtr& arg) { return arg->op != Op::kConstant; };
      if (std::count_if(at->args.begin(), at->args.end(), varies) != 1) break;
      at = std::find_if(at->args.begin(), at->args.end(), varies)->get();
    }
    return found;
  }

  // The expression with another part. Requires: a chain leads to it, as InnerWhole follows it.
  static ExprPtr With(const Expr& e, const Expr& part, const ExprPtr& other) {
    if (&e == &part) return other;
    auto copy = std::make_shared<Expr>(e);
    for (ExprPtr& arg : copy->args) {
      if (arg->op != Op::kConstant) arg = With(*arg, part, other);
    }
    return copy;
  }

  bool AddKnown(const Range& range, Type type) {
    constexpr Int128 kFew = 16;  // the last bits of a function decide which of these it is
    if (range.OnlyNull()) return true;
    if (type == Type::kInteger && range.low < range.high && range.high - range.low < kFew) {
      for (Int128 x = range.low; x <= range.high; ++x) {
        if (!Add(static_cast<std::int64_t>(x))) return false;
      }
      return true;
    }
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

  // round(x, 1): whole numbers by 10, as the engine divides them.
  bool AddDecimals(const Expr& e) {
    const Range range = RangeEvaluator(table_, columns_).Evaluate(e);
    if (range.OnlyNull()) return true;
    const double factor = std::pow(10.0, e.digits);
    const double first = std::round(range.real_low * factor), last = std::round(range.real_high * factor);
    if (!(last - first < kMostDecimals) || std::abs(first) > kExact || std::abs(last) > kExact) return false;
    for (double x = first; x <= last; ++x) {
      if (!Add(x == 0 ? 0.0 : x / factor)) return false;
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
  std::set<std::string> seen_;  // all are of one type: their text distinguishes them
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

namespace {

// Where a group is one of few, by what the expression is.
std::string WayToGroup(const Expr& expr, const std::string& shown, const Range& range) {
  const std::string declare = "declare values = [...] in the policy";
  if (expr.type == Type::kText) return declare + ", or group by CASE WHEN " + shown + " = 'a' THEN 'a' ELSE 'b' END";
  if (expr.type == Type::kDate || expr.type == Type::kTimestamp)
    return fmt::format("group by extract(year FROM {0}) or date_trunc('month', {0}), with bounds in the policy", shown);
  const bool real = expr.type == Type::kReal;
  constexpr double kFar = 1e15;  // no declared bound
  const double low = real ? range.real_low : static_cast<double>(range.low);
  const double high = real ? range.real_high : static_cast<double>(range.high);
  if (low < -kFar || high > kFar)
    return fmt::format("declare lower and upper in the policy, then group by floor({} / 10) or such; or {}", shown,
                       declare);
  return fmt::format(
      "group by floor({0} / 10) * 10, by width_bucket({0}, {1:g}, {2:g}, 10), or by CASE WHEN {0} < 10 "
      "THEN 'low' ELSE 'high' END; or {3}",
      shown, low, high, declare);
}

// Whose values are declared, however many they are: they can be distinguished in cells (query/sparse_cells.h).
bool IsCounted(const Expr& expr, const Table& table) {
  if (expr.op != Op::kColumn) return false;
  const Column& column = table.columns[expr.column];
  const bool whole = column.type == ColumnType::kInteger || column.type == ColumnType::kDate;
  return column.pattern || (column.lower && whole);
}

// Whose values nobody declared, but whose keys can still be asked for (query/open_keys.h).
bool IsOpen(const Expr& expr, const Table& table) {
  if (expr.op != Op::kColumn) return false;
  const Column& column = table.columns[expr.column];
  const bool of_kind =
      column.type == ColumnType::kText || column.type == ColumnType::kInteger || column.type == ColumnType::kDate;
  return of_kind && column.values.empty() && !IsCounted(expr, table) && OwnerOf(column).empty();
}

}  // namespace

Result<Image> ImageOf(const Expr& expr, const Table& table, const std::vector<Range>& columns, Gaps gaps) {
  RangeEvaluator evaluator(table, columns);
  const Range range = evaluator.Evaluate(expr);
  if (evaluator.error()) return *evaluator.error();
  Collector collector(table, columns, gaps);
  if (!collector.Collect(expr)) {
    const std::string shown = Shortened(DisplayText(expr, table));
    Error refused = Unsupported(
        fmt::format("GROUP BY needs declared values or narrow bounds; {} has none, or too many values", shown), {},
        WayToGroup(expr, shown, range));
    if (IsOpen(expr, table)) {
      refused.next += "; or, under a budget with a delta, ask for the keys that enough units hold";
      return std::move(refused).For("request.keys");
    }
    if (!IsCounted(expr, table)) return refused;
    refused.next += "; or ask for the large ones among very many cells";
    return std::move(refused).For("request.cells");
  }
  Image image;
  image.values = std::move(collector.values());
  image.may_null = range.may_null;
  image.dense = IsDense(image.values, expr.type);
  return image;
}

}  // namespace kith
