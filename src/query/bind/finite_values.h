// The finite list of values that an expression can have: what GROUP BY over it shows, including the empty groups.
#pragma once
#include <vector>

#include "base/result.h"
#include "query/range/range.h"
#include "sql/expr.h"

namespace kith {

/// Values as constants of the expression's type (dates as days), each once; NULL is not among them.
struct Image {
  std::vector<Value> values;
  bool may_null = false;
  bool dense = false;  // whole numbers or days without a gap, ascending
};

/// How the values of an expression over one bounded column of whole numbers are found: all between the least and the
/// largest, or by trying each value of the column, which finds that div(x, 10) * 10 has gaps.
enum class Gaps { kFilled, kFound };

/// Made only from the policy. Ensures [PLAN-3]: no row of any data gives the expression a value that is not in its
/// image. Fails: kUnsupportedQuery if no finite list follows from what is declared, or if it is longer than a plan's
/// groups.
Result<Image> ImageOf(const Expr& expr, const Table& table, const std::vector<Range>& columns,
                      Gaps gaps = Gaps::kFound);

/// Whole numbers or days without a gap, ascending, at least two of them.
bool IsDense(const std::vector<Value>& values, Type type);

}  // namespace kith
