// Statements of one shape: the same except for what columns are compared with. An engine that keeps its plan for a
// shape plans such questions once.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/value.h"
#include "sql/dialect.h"
#include "sql/statement.h"

namespace kith::sql {

/// A statement as text, with $1, $2, ... in place of numbers and strings that something is compared with. Each carries
/// its type in the text: whole numbers of 64 bits, reals, strings. Not in WHERE, ON, GROUP BY or ORDER BY, where an
/// engine may want to see values before it plans.
struct Shape {
  std::string text;
  std::vector<Value> values;
};

/// Says the same as Dialect::Write.
Shape ShapeOf(const Statement& statement, const UnitRows& known, const Dialect& dialect);

/// Sums over rows that pass a condition, where the condition has something to compare with: the same sums, each over
/// the rows of all that pass it (FILTER). Nothing: it is a different kind of statement.
std::optional<Select> WithoutWhere(const Select& outer);

/// Whether the operator of an Infix compares.
bool IsComparison(const std::string& sign);

}  // namespace kith::sql
