// Which stored values of a column are outside what is declared for it: by the rules by which questions read columns
// (emit/emit_column.cc), for the curator's report.
#pragma once
#include "policy/policy.h"
#include "sql/statement.h"

namespace kith {

/// Conditions on one stored value of the column's type. Each is true for some values that are not NULL, and is not true
/// for NULL; none where no value can be like that.
struct ColumnTests {
  sql::Term unusable;      // read as NULL though it is of the type: infinite, or not a number
  sql::Term undeclared;    // not in the list of values: read as NULL
  sql::Term below, above;  // read as the bound
};

/// `stored`: where the value is found.
ColumnTests TestsOf(const Column& column, const sql::Term& stored);

/// The declared spelling that somebody who wrote `text` probably meant; empty if none is similar. `column` has a list
/// of strings.
std::string NearestSpelling(const std::string& text, const Column& column);

}  // namespace kith
