// Text that a person gives in place of a part of a question: a condition, a value of a row, what to group by. The one
// place where it is read. Each piece is parsed and bound by itself (ExpressionTree says why that holds), and they are
// combined as trees: no text is ever put into another. Internal to query. Claims: claims/plan.md
#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "policy/policy.h"
#include "query/parse/syntax.h"
#include "query/plan.h"
#include "query/question.h"
#include "sql/expr.h"

namespace kith {

/// What one text means, over the columns of the unit table.
/// Fails: kInvalidArgument if the text is not exactly one expression; as PlanQuestion for what kith does not compute.
/// Ensures [TEXT-1]: the text is one expression by itself, in the grammar of SQL, and the result is what it means.
Result<ExprPtr> BindExpression(const std::string& text, const Policy& policy,
                               std::size_t max_bytes = kMaxQuestionBytes);
/// The same, and it is a truth value.
Result<ExprPtr> BindCondition(const std::string& text, const Policy& policy, std::size_t max_bytes = kMaxQuestionBytes);
/// A list: each of its parts is an expression by itself.
Result<std::vector<ExprPtr>> BindKeys(const std::string& text, const Policy& policy);

/// What the parts of a question are.
struct Parts {
  ExprPtr where;              // nullptr: every row
  std::vector<ExprPtr> sums;  // rows where one of them is NULL are left out
  std::vector<ExprPtr> keys;  // GROUP BY
};

/// count(*), and the sums in their order, of the rows that pass, in each group. Fails: as PlanQuestion;
/// kInvalidArgument if two sums are of the same value.
Result<Question> AskParts(const Parts& parts, const Policy& policy);

}  // namespace kith
