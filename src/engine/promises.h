// Checks what a policy promises about public facts of the data. Everything looked at is public, so a refusal gives
// nothing away.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/engine.h"

namespace kith {

/// One promise: an integer query that must return 0, and what is wrong if it does not.
struct Promise {
  std::string sql;
  Error broken;
  bool within_unit = false;  // about rows of one unit: kept by every unit of one row
};

/// The least and the greatest value of a column in a group, as an engine writes them: not every type has min and max
/// everywhere.
struct Ends {
  std::function<std::string(const std::string&column)> least, greatest;
};
/// min and max of everything.
Ends PlainEnds();

/// The promises that data can contradict: group sizes, a group for every unit, one strength for each group, public
/// columns and group the same in all rows of a unit, no more than max_rows rows where a column is public per row, keys
/// of public tables that occur once.
std::vector<Promise> PromisesOf(const Policy& policy, const Ends& ends = PlainEnds());

/// Columns that must be the same in all rows of a unit: public ones (not those per row), and the group. None where
/// units have no key.
std::vector<std::string> SameWithinUnit(const Policy& policy);

/// True within a GROUP BY unless the column has one value there: the same in every row, or missing in every row.
std::string Varies(const std::string& column, const Ends& ends = PlainEnds());

/// Where a column selects the strength of groups: a query for how many of them have more members than their stratum
/// declares, and in how many the column differs. Empty: no column does.
std::string StrataOfGroups(const Policy& policy, const Ends& ends = PlainEnds());

/// The declared number of members of a group; nothing where the model declares none.
std::optional<std::int64_t> DeclaredGroupSize(const Model& model);

}  // namespace kith
