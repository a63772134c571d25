#include "query/output/output.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "policy/dates.h"

namespace kith {
namespace {

using Number = OutputExpr::Number;
using Row = OutputExpr::Row;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLargestExact = 9007199254740992.0;  // 2^53: above it a double is no longer every whole number

Number NullNumber() { return {.null = true}; }

// NULL if the value is not finite; an interval end that is not a number means that there is no bound.
Number Finish(Number number) {
  if (!std::isfinite(number.value)) return NullNumber();
  if (std::isnan(number.low)) number.low = -kInfinity;
  if (std::isnan(number.high)) number.high = kInfinity;
  return number;
}

Number Add(const Number& a, const Number& b) {
  return {.whole = a.whole && b.whole, .value = a.value + b.value, .low = a.low + b.low, .high = a.high + b.high};
}

Number Negate(const Number& a) { return {.whole = a.whole, .value = -a.value, .low = -a.high, .high = -a.low}; }

// Zero times an end without bound is zero: the other factor is exactly zero there.
double Product(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }

Number Multiply(const Number& a, const Number& b) {
  const auto [low, high] =
      std::minmax({Product(a.low, b.low), Product(a.low, b.high), Product(a.high, b.low), Product(a.high, b.high)});
  return {.whole = a.whole && b.whole, .value = a.value * b.value, .low = low, .high = high};
}

Number Divide(const Number& a, const Number& b) {
  if (b.value == 0) return NullNumber();
  if (b.low <= 0 && b.high >= 0) return {.value = a.value / b.value, .low = -kInfinity, .high = kInfinity};
  const auto [low, high] = std::minmax({a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high});
  return {.value = a.value / b.value, .low = low, .high = high};
}

Number Abs(const Number& a) {
  const double far = std::max(std::abs(a.low), std::abs(a.high));
  const double near = a.low <= 0 && a.high >= 0 ? 0 : std::min(std::abs(a.low), std::abs(a.high));
  return {.whole = a.whole, .value = std::abs(a.value), .low = near, .high = far};
}

template <class Function>
Number Monotone(const Number& a, bool whole, Function f) {
  return {.whole = whole, .value = f(a.value), .low = f(a.low), .high = f(a.high)};
}

Number Round(const Number& a, int digits) {
  const double factor = std::pow(10.0, std::abs(digits));
  return Monotone(a, digits <= 0, [&](double x) {
    return digits >= 0 ? std::floor(x * factor + 0.5) / factor : std::floor(x / factor + 0.5) * factor;
  });
}

// Greatest and least leave NULL arguments out, as in SQL.
Number Extreme(Op op, const std::vector<Number>& args) {
  Number result = NullNumber();
  const double sign = op == Op::kGreatest ? 1 : -1;
  const auto pick = [&](double a, double b) { return sign * a >= sign * b ? a : b; };
  for (const Number& a : args) {
    if (a.null) continue;
    if (result.null) {
      result = a;
      continue;
    }
    result = {.whole = result.whole && a.whole,
              .value = pick(result.value, a.value),
              .low = pick(result.low, a.low),
              .high = pick(result.high, a.high)};
  }
  return result;
}

Number Apply(Op op, const std::vector<Number>& args, int digits) {
  switch (op) {
    case Op::kGreatest:
    case Op::kLeast:
      return Extreme(op, args);
    case Op::kCoalesce:
      for (const Number& a : args) {
        if (!a.null) return a;
      }
      return NullNumber();
    case Op::kNullIf:
      return args[0].null || (!args[1].null && args[0].value == args[1].value) ? NullNumber() : args[0];
    default:
      break;
  }
  if (std::any_of(args.begin(), args.end(), [](const Number& a) { return a.null; })) return NullNumber();
  switch (op) {
    case Op::kAdd:
      return Add(args[0], args[1]);
    case Op::kSubtract:
      return Add(args[0], Negate(args[1]));
    case Op::kMultiply:
      return Multiply(args[0], args[1]);
    case Op::kDivide:
      return Divide(args[0], args[1]);
    case Op::kNegate:
      return Negate(args[0]);
    case Op::kAbs:
      return Abs(args[0]);
    case Op::kFloor:
      return Monotone(args[0], true, [](double x) { return std::floor(x); });
    case Op::kCeil:
      return Monotone(args[0], true, [](double x) { return std::ceil(x); });
    default:
      return Round(args[0], digits);
  }
}

class KeyExpr final : public OutputExpr {
 public:
  explicit KeyExpr(std::size_t key) : OutputExpr({}), key_(key) {}
  std::optional<std::size_t> Key() const override { return key_; }
  Number Compute(const Row&) const override { return NullNumber(); }  // Evaluate hands out the key's value itself

 private:
  std::size_t key_;
};

class StatisticExpr final : public OutputExpr {
 public:
  StatisticExpr(std::size_t statistic, bool whole) : OutputExpr({statistic}), statistic_(statistic), whole_(whole) {}
  std::optional<std::size_t> Statistic() const override { return statistic_; }
  std::optional<Multiple> AsMultiple() const override { return Multiple{statistic_, 1}; }
  Number Compute(const Row& row) const override {
    const Estimate& e = row.statistics.at(statistic_);
    return {.whole = whole_, .value = e.value, .low = e.value - e.error, .high = e.value + e.error};
  }

 private:
  std::size_t statistic_;
  bool whole_;
};

class QuantileExpr final : public OutputExpr {
 public:
  QuantileExpr(std::size_t statistic, bool whole, bool date)
      : OutputExpr({statistic}), statistic_(statistic), whole_(whole), date_(date) {}
  bool IsDate() const override { return date_; }
  std::optional<std::size_t> Quantile() const override { return statistic_; }
  Number Compute(const Row& row) const override {
    const Estimate& e = row.statistics.at(statistic_);
    const double low = e.ends ? e.ends->low : -kInfinity, high = e.ends ? e.ends->high : kInfinity;
    return {.whole = whole_, .date = date_, .value = e.value, .low = low, .high = high};
  }

 private:
  std::size_t statistic_;
  bool whole_, date_;
};

class ConstantExpr final : public OutputExpr {
 public:
  explicit ConstantExpr(Number number) : OutputExpr({}), number_(number) {}
  std::optional<Multiple> AsMultiple() const override {
    if (number_.null) return std::nullopt;
    return Multiple{std::nullopt, number_.value};
  }
  Number Compute(const Row&) const override { return number_; }

 private:
  Number number_;
};

class MeanExpr final : public OutputExpr {
 public:
  explicit MeanExpr(const Mean& mean) : OutputExpr({mean.sum, mean.count}), mean_(mean) {}
  Number Compute(const Row& row) const override { return MeanOf(mean_, row); }
  // Averages in the middle and at the ends of the bounds.
  std::vector<Example> Examples(double rows) const override {
    std::vector<Example> examples;
    for (const double mean : {mean_.lower, mean_.middle, mean_.upper})
      examples.push_back({{mean_.sum, (mean - mean_.middle) * rows}, {mean_.count, rows}});
    return examples;
  }

 private:
  Mean mean_;
};

std::vector<std::size_t> UnionOfReads(const std::vector<OutputPtr>& args) {
  std::vector<std::size_t> reads;
  for (const auto& arg : args) reads.insert(reads.end(), arg->Reads().begin(), arg->Reads().end());
  return reads;
}

class OpExpr final : public OutputExpr {
 public:
  OpExpr(Op op, std::vector<OutputPtr> args, int digits)
      : OutputExpr(UnionOfReads(args)), op_(op), args_(std::move(args)), digits_(digits) {}
  Number Compute(const Row& row) const override {
    std::vector<Number> values;
    for (const auto& arg : args_) values.push_back(arg->Compute(row));
    const Number result = Apply(op_, values, digits_);
    return result.null ? result : Finish(result);
  }
  std::optional<Multiple> AsMultiple() const override {
    if (op_ == Op::kNullIf) return args_[0]->AsMultiple();  // where it is not NULL
    if (op_ != Op::kMultiply) return std::nullopt;
    const auto a = args_[0]->AsMultiple(), b = args_[1]->AsMultiple();
    if (!a || !b || (a->statistic && b->statistic)) return std::nullopt;
    return Multiple{a->statistic ? a->statistic : b->statistic, a->factor * b->factor};
  }
  std::optional<Ratio> AsRatio() const override {
    if (op_ != Op::kDivide) return std::nullopt;
    const auto above = args_[0]->AsMultiple(), below = args_[1]->AsMultiple();
    const bool both = above && below && above->statistic && below->statistic;
    return both && above->factor != 0 && below->factor != 0 ? std::optional(Ratio{*above, *below}) : std::nullopt;
  }
  // One argument that has them, among constants.
  std::vector<Example> Examples(double rows) const override {
    const auto reads = [](const OutputPtr& arg) { return !arg->Reads().empty(); };
    if (std::count_if(args_.begin(), args_.end(), reads) != 1) return {};
    return (*std::find_if(args_.begin(), args_.end(), reads))->Examples(rows);
  }

 private:
  Op op_;
  std::vector<OutputPtr> args_;
  int digits_;
};

class CutExpr final : public OutputExpr {
 public:
  CutExpr(OutputPtr whole, Reach reach) : OutputExpr(whole->Reads()), whole_(std::move(whole)), reach_(reach) {}
  Number Compute(const Row& row) const override {
    Number n = whole_->Compute(row);
    if (n.null) return n;
    const bool inexact = n.low < n.high;
    n = Monotone(n, n.whole, [&](double x) { return std::clamp(x, reach_.low, reach_.high); });
    // Impossible altogether: the noise was larger than its bar, so that nothing is known, and not everything.
    if (inexact && n.low == n.high) n.low = reach_.low, n.high = reach_.high;
    return n;
  }
  // Parts of the whole from the least to the most that they can be.
  std::vector<Example> Examples(double rows) const override {
    const auto ratio = whole_->AsRatio();
    if (!ratio) return whole_->Examples(rows);
    std::vector<Example> examples;
    for (const double part : {reach_.low, reach_.low / 2 + reach_.high / 2, reach_.high})
      examples.push_back({{*ratio->above.statistic, part * rows * ratio->below.factor / ratio->above.factor},
                          {*ratio->below.statistic, rows}});
    return examples;
  }

 private:
  OutputPtr whole_;
  Reach reach_;
};

}  // namespace

OutputExpr::OutputExpr(std::vector<std::size_t> reads) : reads_(std::move(reads)) {
  std::sort(reads_.begin(), reads_.end());
  reads_.erase(std::unique(reads_.begin(), reads_.end()), reads_.end());
}

std::vector<OutputExpr::Example> OutputExpr::Examples(double) const { return {}; }

Outcome OutputExpr::Evaluate(const std::vector<Value>& keys, const std::vector<Estimate>& statistics) const {
  if (const auto key = Key()) return {keys.at(*key), std::nullopt};
  const Number n = Compute({keys, statistics});
  if (n.null) return {Null{}, std::nullopt};
  const auto shown = [&](double number) -> Value {
    if (n.date) return DateText(static_cast<std::int64_t>(number));
    number = number == 0 ? 0 : number;  // no minus sign before zero
    if (n.whole && std::abs(number) <= kLargestExact) return static_cast<std::int64_t>(number);
    return number;
  };
  Outcome outcome{shown(n.value), std::nullopt};
  if (const auto quantile = Quantile()) {
    const auto& ends = statistics.at(*quantile).ends;
    if (ends) outcome.interval = Interval{shown(ends->low), shown(ends->high), ends->everything};
    return outcome;
  }
  const double error = std::max({n.high - n.value, n.value - n.low, 0.0});
  if (!n.date && std::isfinite(error)) outcome.error = error;
  return outcome;
}

std::optional<OutputExpr::Reach> OutputExpr::ReachOf(const std::vector<Estimate>& statistics) const {
  if (IsKey() || IsDate()) return std::nullopt;
  const Number n = Compute({{}, statistics});
  if (n.null) return std::nullopt;
  return Reach{n.low, n.high};
}

OutputPtr KeyOutput(std::size_t key) { return std::make_shared<KeyExpr>(key); }
OutputPtr StatisticOutput(std::size_t statistic, bool whole) {
  return std::make_shared<StatisticExpr>(statistic, whole);
}
OutputPtr QuantileOutput(std::size_t statistic, bool whole, bool date) {
  return std::make_shared<QuantileExpr>(statistic, whole, date);
}
OutputPtr ConstantOutput(double value, bool whole) {
  return std::make_shared<ConstantExpr>(Number{.whole = whole, .value = value, .low = value, .high = value});
}
OutputPtr NullOutput() { return std::make_shared<ConstantExpr>(NullNumber()); }

OutputExpr::Number MeanOf(const Mean& mean, const OutputExpr::Row& row) {
  const Estimate& s = row.statistics.at(mean.sum);
  const Estimate& c = row.statistics.at(mean.count);
  const auto at_least_one = [](double x) { return std::max(1.0, x); };
  const Number sum{.value = s.value, .low = s.value - s.error, .high = s.value + s.error};
  const Number count{
      .value = at_least_one(c.value), .low = at_least_one(c.value - c.error), .high = at_least_one(c.value + c.error)};
  const Number inexact = Divide(sum, count);
  Number kept = Monotone(inexact, false, [&](double x) { return std::clamp(mean.middle + x, mean.lower, mean.upper); });
  // Beyond the bounds altogether: the noise was larger than its bar, so that nothing is known, and not everything.
  const bool beyond = inexact.low < inexact.high && kept.low == kept.high;
  // No rows to speak of: whatever the sum's noise is divided by, it is not an average.
  const bool of_none = c.error > 0 && c.value - c.error <= 0;
  if (beyond || of_none) kept.low = mean.lower, kept.high = mean.upper;
  return kept;
}

OutputPtr MeanOutput(const Mean& mean) { return std::make_shared<MeanExpr>(mean); }

OutputPtr ApplyOutput(Op op, std::vector<OutputPtr> args, int digits) {
  KITH_CHECK(!args.empty());
  for (const auto& arg : args) KITH_CHECK(!arg->IsKey() && !arg->IsDate());
  return std::make_shared<OpExpr>(op, std::move(args), digits);
}

OutputPtr CutOutput(OutputPtr whole, OutputExpr::Reach reach) {
  KITH_CHECK(reach.low <= reach.high && !whole->IsKey() && !whole->IsDate());
  return std::make_shared<CutExpr>(std::move(whole), reach);
}

}  // namespace kith
