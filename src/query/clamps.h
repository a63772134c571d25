// Which columns a question reads through a clamp, and how to find out that there is nothing to clamp: an engine that
// has looked at a state of the data reads the columns as they are (sql::UnitRows::within).
#pragma once
#include <string>
#include <vector>

#include "policy/policy.h"
#include "sql/statement.h"

namespace kith {

struct Clamp {
  std::string name;
  sql::Term changes;  // true of the rows of t that the clamp changes, false of all others
};

/// Of a column of the unit's table that has an integer, date or timestamp between two ends. Two clamps with the same
/// name do the same.
std::string ClampName(const Table& table, const Column& column);

/// All of the unit's table.
std::vector<Clamp> ClampsOf(const Policy& policy);

}  // namespace kith
