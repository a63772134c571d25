// histogram(x, n): n equal parts of what x can be, as groups that show their ends. Internal to query.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "query/range/range.h"
#include "sql/expr.h"

namespace kith {

/// Requires: `columns` has the range of each column of the table. Fails: kUnsupportedQuery if x is not a number or date
/// with bounds, or n is not a whole constant from 1 to as many parts as there can be.
Result<ExprPtr> MakeHistogram(const ExprPtr& x, const ExprPtr& n, const Table& table, const std::vector<Range>& columns,
                              const std::string& where);

/// "[0, 12)", "[12, 24)" ... "[108, 120]": part k is the (k - 1)th. Ends of whole numbers and dates are the first ones
/// in their parts. Requires: op is kHistogram.
std::vector<std::string> HistogramLabels(const Expr& histogram);

}  // namespace kith
