// What an expression can be, when some columns are known and others are not: abstract interpretation in three-valued
// logic. One analysis serves four purposes: overflow is excluded, summed values are bounded, cells that no secret can
// reach are found, and NULLs that can happen are distinguished from those that cannot.
#pragma once
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/int128.h"
#include "base/result.h"
#include "sql/expr.h"

namespace kith {

/// A superset of the values of one expression over all rows in question.
///
/// Real ends are computed with the very operations that the engine will do (IEEE double, round to nearest), which are
/// monotone in each argument: the rounded ends bound the rounded values.
struct Range {
  bool may_null = false;
  bool may_value = true;  // can be something other than NULL
  bool secret = false;    // can differ between two rows that agree in all public columns
  // Truth values.
  bool may_true = false, may_false = false;
  // Integers, dates (days), timestamps (microseconds).
  Int128 low = 0, high = 0;
  // Reals: the ends, and `grain`: every value is a whole multiple of 2^grain. Keeps products away from underflow.
  double real_low = 0, real_high = 0;
  int grain = 0;
  // Text: the value if it is known; otherwise the declared values it is one of, if there are any.
  const std::string* text = nullptr;
  const std::vector<Value>* domain = nullptr;

  bool OnlyNull() const { return !may_value; }
};

/// The smallest positive real that kith distinguishes from zero in data: |x| < 2^-128 is read as 0, so that no product
/// underflows.
inline constexpr int kTinyExponent = -128;
/// Years 0001 to 9999: dates and timestamps beyond are read as the nearest of these.
inline constexpr std::int64_t kFirstDay = -719162;
inline constexpr std::int64_t kLastDay = 2932896;
inline constexpr std::int64_t kMicrosecondsPerDay = 86'400'000'000;

/// Ends of a declared integer, date or timestamp column: declared bounds (rounded inwards), or all that the type holds.
struct IntegerBounds {
  std::int64_t low = 0, high = 0;
};
IntegerBounds BoundsOf(const Column& column);
/// Ends of a declared real column.
struct RealBounds {
  double low = 0, high = 0;
};
RealBounds RealBoundsOf(const Column& column);
/// True if a missing value is read as another one: `required`, and there is a value to read it as.
bool NeverNull(const Column& column);
/// A declared value as a constant of the column's type: dates and timestamps become numbers.
Value TypedValue(const Column& column, const Value& declared);

/// The whole domain of a declared column. The column must outlive the result.
Range RangeOf(const Column& column);
/// One known value of it (a cell's). `value` must outlive the result.
Range RangeOf(const Column& column, const Value& value);

/// Remembers ranges of sub-expressions from cell to cell: one that reads few public columns has few different ranges.
class RangeMemo {
 public:
  /// `digits`: for each column of the table, how many values it takes in cells; 1 if it makes no difference there.
  explicit RangeMemo(std::vector<std::size_t> digits) : sizes_(std::move(digits)), at_(sizes_.size(), 0) {}
  /// The cell that comes next: for each column, which of its values it has.
  void MoveTo(std::vector<std::size_t> at) { at_ = std::move(at); }
  /// Where the range for the cell is kept; nullptr if it is not worth it.
  std::optional<Range>* Slot(const Expr& expr);

 private:
  static constexpr std::size_t kMaxSlots = 256;
  struct Entry {
    std::vector<std::size_t> columns;
    std::vector<std::optional<Range>> slots;
  };
  Entry MakeEntry(const Expr& expr) const;

  std::vector<std::size_t> sizes_, at_;
  std::unordered_map<const Expr*, Entry> entries_;
};

/// Evaluates expressions when column k of the unit table has the range columns[k].
class RangeEvaluator {
 public:
  RangeEvaluator(const Table& table, const std::vector<Range>& columns, RangeMemo* memo = nullptr)
      : table_(table), columns_(columns), memo_(memo) {}

  /// After a failure the range is meaningless and error() says why.
  Range Evaluate(const Expr& expr);
  /// For what is summed: refuses divisors that can be so near zero that the quotient has no useful bound. What is
  /// compared or chosen by does not count.
  void CheckDivisors(const Expr& value);
  /// Set if some operation could overflow or underflow for values in the ranges.
  const std::optional<Error>& error() const { return error_; }

 private:
  Range Compute(const Expr& expr);
  std::optional<Range> KnownMember(const Expr& in);
  Range Apply(const Expr& expr, const std::vector<Range>& args) const;
  Range Case(const Expr& expr, const std::vector<Range>& args) const;
  void CheckNumber(const Expr& expr, const std::vector<Range>& args, const Range& result);

  const Table& table_;
  const std::vector<Range>& columns_;
  RangeMemo* memo_;
  std::optional<Error> error_;
};

}  // namespace kith
