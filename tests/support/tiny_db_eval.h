// Inside the reference database: expressions over whatever a lookup knows (columns of a row, or statistics of a group).
#pragma once
#include <functional>
#include <optional>

#include "tests/support/tiny_db.h"

namespace kith::testing {

/// The value of a node if it is known as it is; nothing to evaluate it from its parts.
using Lookup = std::function<std::optional<Datum>(const Expr&)>;

Datum EvalWith(const Expr& expr, const Lookup& lookup);
/// For ORDER BY: -1, 0, 1, with NULL as the largest value.
int CompareNullsLast(const Datum& a, const Datum& b);

}  // namespace kith::testing
