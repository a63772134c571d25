// Statements with one thing changed: what a planner with a fault would write.
#pragma once
#include <string>
#include <vector>

#include "sql/statement.h"

namespace kith::testing {

struct Mutant {
  sql::Statement statement;
  std::string what;
};

/// Every statement that differs in one place: a clamp, filter, condition, limit, order, join or DISTINCT left out or
/// changed; a constant that is larger; a column in place of another.
std::vector<Mutant> MutantsOf(const sql::Statement& statement);

}  // namespace kith::testing
