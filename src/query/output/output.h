// Post-processing of one answer row: expressions over noisy statistics and group keys. Total: what cannot be computed
// (a division by zero, a number that is not finite) is NULL. Reads nothing but noisy numbers, so it costs no privacy.
#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/interval.h"
#include "base/value.h"
#include "sql/expr.h"

namespace kith {

/// A noisy statistic in its own units (integer * lattice step). `error` is half the width of its interval: the truth is
/// within value +- error with the confidence that the caller chose; 0 for a statistic that got no noise.
struct Estimate {
  double value = 0;
  double error = 0;
  struct Ends {
    double low = 0, high = 0;
    bool everything = false;  // as in Interval
  };
  std::optional<Ends> ends;  // of a quantile: its interval, with the same confidence; `error` is then not used
};

/// The value of one output, and how far the truth can be from it if every statistic is inside its own interval.
/// Nothing: no bound (a divisor's interval holds zero), or not a number.
struct Outcome {
  Value value;
  std::optional<double> error;
  std::optional<Interval> interval;  // of a quantile as it is, instead of an error
};

/// Immutable. For an honest 95 % bar of an output that reads k statistics, pass errors with confidence 1 - 0.05/k.
class OutputExpr {
 public:
  virtual ~OutputExpr() = default;

  /// `keys`: the group's key values; `statistics`: one for each statistic of the plan.
  Outcome Evaluate(const std::vector<Value>& keys, const std::vector<Estimate>& statistics) const;

  /// All that the value can be if every statistic is in its interval. Nothing: not a number, or there may be none.
  struct Reach {
    double low = 0, high = 0;
  };
  std::optional<Reach> ReachOf(const std::vector<Estimate>& statistics) const;

  /// The statistics that the value is made of, ascending, each once.
  const std::vector<std::size_t>& Reads() const { return reads_; }
  /// Set if the output is a group key as it is (the index of the key).
  virtual std::optional<std::size_t> Key() const { return std::nullopt; }
  bool IsKey() const { return Key().has_value(); }
  /// True if it can be shown, but not computed with.
  virtual bool IsDate() const { return false; }
  /// Set if the output is one statistic as it is.
  virtual std::optional<std::size_t> Statistic() const { return std::nullopt; }
  /// Set if the output is one statistic times a constant, or only the constant (then the statistic is not set).
  struct Multiple {
    std::optional<std::size_t> statistic;
    double factor = 1;
  };
  virtual std::optional<Multiple> AsMultiple() const { return std::nullopt; }
  /// Set if it is one such multiple by another.
  struct Ratio {
    Multiple above, below;
  };
  virtual std::optional<Ratio> AsRatio() const { return std::nullopt; }
  /// Set if it is a quantile as it is.
  virtual std::optional<std::size_t> Quantile() const { return std::nullopt; }

  /// What the statistics of a group of `rows` rows could be, each with its position: for error bars before a question
  /// is asked. Only outputs whose bar depends on it have examples.
  using Example = std::vector<std::pair<std::size_t, double>>;
  virtual std::vector<Example> Examples(double rows) const;

  /// A number with the interval it is in, or a key. `whole`: printed without decimals.
  struct Number {
    bool null = false;
    bool whole = false;
    bool date = false;  // `value` is days since 1970
    double value = 0, low = 0, high = 0;
  };
  struct Row {
    const std::vector<Value>& keys;
    const std::vector<Estimate>& statistics;
  };
  virtual Number Compute(const Row& row) const = 0;

 protected:
  explicit OutputExpr(std::vector<std::size_t> reads);

 private:
  std::vector<std::size_t> reads_;
};

using OutputPtr = std::shared_ptr<const OutputExpr>;

/// Group key k as it is.
OutputPtr KeyOutput(std::size_t key);
/// Statistic k as it is; `whole` if it is a whole number.
OutputPtr StatisticOutput(std::size_t statistic, bool whole);
/// A value that was chosen by its rank: statistic k as it is, with an interval. `date`: shown as a date, from days
/// since 1970.
OutputPtr QuantileOutput(std::size_t statistic, bool whole, bool date);
OutputPtr ConstantOutput(double value, bool whole);
OutputPtr NullOutput();

/// middle + sum / max(1, count), kept within [lower, upper]: the mean of values whose differences from `middle` were
/// summed.
struct Mean {
  std::size_t sum = 0;
  std::size_t count = 0;
  double middle = 0, lower = 0, upper = 0;
};
OutputPtr MeanOutput(const Mean& mean);
OutputExpr::Number MeanOf(const Mean& mean, const OutputExpr::Row& row);

/// Variance and related functions, of means: `x` and `y` of distances from the middles of the bounds, `xx`, `yy` and
/// `xy` of products of these distances. All share one count. A line goes from x to y: `y = intercept + slope * x`.
struct Spread {
  enum class Kind { kVariance, kDeviation, kCovariance, kCorrelation, kSlope, kIntercept, kDetermination };
  Kind kind = Kind::kVariance;
  bool sample = false;  // divided by count - 1, not by count; the count is then at least 2
  Mean x, xx, y, yy, xy;
  double x_middle = 0, y_middle = 0;  // kIntercept: from which the distances are

  bool OfTwo() const { return kind != Kind::kVariance && kind != Kind::kDeviation; }
  bool ReadsXX() const { return kind != Kind::kCovariance; }
  bool ReadsYY() const { return kind == Kind::kCorrelation || kind == Kind::kDetermination; }
};
/// Ensures [SPREAD-1]: the value is one that some data within the bounds could have, and if every statistic is in its
/// interval, the truth is no farther away than `error`. What is divided by a variance is NULL where it comes out as 0,
/// and has no error where its interval holds 0.
OutputPtr SpreadOutput(const Spread& spread);

/// Of + - * /, abs, floor, ceil, round, greatest, least, coalesce and nullif. `digits` is only for kRound: decimals to
/// keep, negative for tens and hundreds. Requires: no argument is a key or a date; the number of arguments that the
/// operation takes.
OutputPtr ApplyOutput(Op op, std::vector<OutputPtr> args, int digits = 0);

/// The same value and interval, cut to what is possible. Ensures [WORTH-1]: if the truth is in `reach` and in the
/// interval of `whole`, it is no farther from the value than `error`.
OutputPtr CutOutput(OutputPtr whole, OutputExpr::Reach reach);

}  // namespace kith
