// Which rows of a unit are kept where it has more than max_rows: the rule, for engines that remember which rows it
// keeps.
#pragma once
#include <string>

#include "policy/policy.h"
#include "sql/statement.h"

namespace kith {

/// The rows of a unit are ordered by RowHash. Where hashes agree in this many leading bits, a statement may order them
/// by what it reads: so all statements keep the same set of rows only if rows that agree that far, the last that is
/// kept and the first that is not, are the same in all columns.
inline constexpr int kSureHashBits = 40;

/// A number or text that depends only on the declared columns of a row of t.
sql::Term RowHash(const Policy& policy);

/// The unit's key as a column of t. Requires: units have one.
sql::Term UnitKey(const Policy& policy);

/// All that the rule follows from, besides the data: table, key, max_rows and the columns that are hashed.
/// Requires: units have a key.
std::string KeptBy(const Policy& policy);

}  // namespace kith
