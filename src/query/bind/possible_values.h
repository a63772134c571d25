// Groups that WHERE leaves no row for: they need no line in the answer, and no noise.
#pragma once
#include <vector>

#include "query/question.h"
#include "query/range/range.h"
#include "sql/expr.h"

namespace kith {

/// Removes from every key of the question the values, including NULL, that no row that passes WHERE can have. If
/// nothing is left of a key, no row passes at all: WHERE becomes FALSE, and the keys stay as they are. Follows only
/// from question and policy, in time that grows with the length of both and is limited; what the limit leaves out
/// stays listed.
/// Ensures [PLAN-5]: a group that is removed has no row that passes WHERE, on any data.
/// Requires: `columns` are the ranges of the columns of `table`.
void DropImpossible(const Table& table, const std::vector<Range>& columns, Question& question);

}  // namespace kith
